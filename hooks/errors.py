"""What a user is told in one sentence."""


class HooksError(Exception):
    """An expected end: the sentence says which file, what was wrong and what to do next."""

    exit_code = 1


class WordsError(HooksError):
    """The command line asks for something impossible."""

    exit_code = 2
