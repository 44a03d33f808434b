"""The one hash of this package.

`hashlib` loads OpenSSL, which costs a quick report 3 ms; what it gives for blake2b is this module of the interpreter.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another interpreter
    from hashlib import blake2b

__all__ = ["blake2b"]
