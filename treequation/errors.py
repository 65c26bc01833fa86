"""The base class of errors whose message is all that a user needs."""


class TreequationError(Exception):
    """An expected failure: the message says what went wrong and what to do about it.

    The command line prints the message without a traceback. Any other exception is a bug.
    """
