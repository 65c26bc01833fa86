"""Decompresses request bodies as they arrive, and stops at a limit, whatever they would expand to."""

from __future__ import annotations

import zlib

from treequation.server.failures import ServiceError

_GZIP = 16 + zlib.MAX_WBITS  # tells zlib to read gzip's own head and checksum
_NAMES = ("gzip", "x-gzip")


class Unpacking:
    """The content of a body whose header ``Content-Encoding`` says ``encoding``, of at most ``limit`` bytes.

    >>> import gzip
    >>> unpacking = Unpacking("gzip", limit=100)
    >>> unpacking.take(gzip.compress(b"{}")), unpacking.content()
    (True, b'{}')
    """

    def __init__(self, encoding: str, limit: int) -> None:
        named = encoding.strip().lower()
        if named not in ("", "identity", *_NAMES):
            message = "the body's Content-Encoding is not supported"
            hint = "send it uncompressed, or with gzip"
            raise ServiceError(415, "bad-encoding", message, hint, field="body", headers={"Accept-Encoding": "gzip"})
        self._limit = limit
        self._content = bytearray()
        self._gzip = zlib.decompressobj(_GZIP) if named in _NAMES else None

    def take(self, chunk: bytes) -> bool:
        """Adds a chunk; False if the content is now longer than the limit."""
        if self._gzip is None:
            self._content += chunk
        while self._gzip is not None and chunk and len(self._content) <= self._limit:
            if self._gzip.eof:  # a gzip stream may have several members
                self._gzip = zlib.decompressobj(_GZIP)
            try:
                self._content += self._gzip.decompress(chunk, self._limit + 1 - len(self._content))
            except zlib.error as error:
                raise _damaged() from error
            chunk = self._gzip.unused_data or self._gzip.unconsumed_tail
        return len(self._content) <= self._limit

    def content(self) -> bytes:
        """The whole content, once everything has arrived."""
        if self._gzip is not None and not self._gzip.eof:
            raise _damaged()
        return bytes(self._content)


def _damaged() -> ServiceError:
    message = "the body is not valid gzip, although its Content-Encoding says so"
    return ServiceError(400, "bad-gzip", message, "compress it again, or send it uncompressed", field="body")
