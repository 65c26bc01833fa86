"""The base of errors that explain themselves."""


class TreequationError(Exception):
    """Something went wrong for a reason that the message explains, together with what to do about it.

    The command line prints such a message without a traceback; any other error is a mistake of ours.
    """
