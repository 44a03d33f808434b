"""Model ids as the records write them, brought to the one form that the price table knows."""

from __future__ import annotations

import re

# What gateways and cloud providers put before and after the model's own name. Order matters: ARN and routes first.
_PREFIXES = re.compile(
    r"""^(?:arn:aws[a-z-]*:bedrock:[^/]*/)?         # inference-profile/ and foundation-model/ ARNs
        (?:.*/)?                                    # anthropic/, bedrock/, vertex_ai/, publishers/anthropic/models/
        (?:(?:us-gov|us|eu|apac|au|jp|ca|global)\.)?  # Bedrock's cross-region profiles
        (?:anthropic[.:])?""",
    re.VERBOSE,
)
_SUFFIXES = re.compile(
    r"""(?:\[[0-9]+[mk]\]                # the client's window mark: [1m]
        |:[a-z0-9.-]+                    # Bedrock's :0, a gateway's :beta, :thinking
        |(?<!claude)(?<!instant)-v[0-9]+ # Bedrock's -v1, but not the name claude-v1
        |@[a-z0-9-]+                     # Vertex's @20250929, @default
        |-20[0-9]{2}-?[01][0-9]-?[0-3][0-9]  # the release date
        |-latest)$""",
    re.VERBOSE,
)
_WINDOW = re.compile(r"\[[0-9]+[mk]\]$")
_DOT = re.compile(r"(?<=[0-9])\.(?=[0-9])")


def normalise(model: str) -> str:
    """The model's bare name in lower case: no provider, region or window mark; dots become hyphens.

    Claude models lose revision, date and tag too. Of other models these may tell two prices apart, so they stay.

    >>> normalise("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), normalise("claude-opus-4.5[1m]")
    ('claude-sonnet-4-5', 'claude-opus-4-5')
    """
    name = _PREFIXES.sub("", model.strip().lower(), count=1)
    if not name.startswith("claude"):
        return _DOT.sub("-", _WINDOW.sub("", name))
    while (shorter := _SUFFIXES.sub("", name)) != name:
        name = shorter
    return _DOT.sub("-", name)
