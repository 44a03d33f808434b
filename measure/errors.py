"""What can go wrong for a user, each with its exit code.

    SetpointError            1   one sentence: what, where, what to do
    ├── UsageError           2   the command line asks for something impossible
    └── RootError            1   none of the given places can be read

Anything else that reaches `measure/cli.py` is our own fault: exit 3, the traceback in our log.
"""

from __future__ import annotations


class SetpointError(Exception):
    """An expected end: the message is one sentence for the user."""

    exit_code = 1


class UsageError(SetpointError):
    """An option or a combination of options that cannot be followed."""

    exit_code = 2


class RootError(SetpointError):
    """Every place that was named is missing or unreadable."""
