"""The service: solves problems over HTTP, in batches of those that arrive together.

A request passes the *envelope* (its id, security headers, log line, metrics) and the *admission* (keys, limits,
deadline, disconnecting clients), and its problems wait in the *queue*. The *pool* takes them out in batches for its
*worker processes*, so that the event loop is always free to answer.
"""
