"""What a user is told in one sentence."""


class HooksError(Exception):
    """An expected end: the sentence says which file, what was wrong and what to do next."""
