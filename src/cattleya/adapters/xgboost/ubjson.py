"""Universal Binary JSON, as XGBoost writes it in ``.ubj`` files: bytes in, plain values out.

The packages for this format on PyPI make a Python object of every number, and their last releases
are years old. XGBoost writes long arrays of one type, which numpy takes as they are: a reader of
that part of the format is shorter than the checks around another, and reads a million leaves in
the time that the file needs to come from the disk.

Nothing is trusted. An array takes no more memory than its bytes in the file: those of types that
have no bytes are refused, and a count is compared with what is left of the file before it is used.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

__all__ = ["read_ubjson"]

DEEPEST = 16  # levels; XGBoost nests eight
MOST_KNOWN, LONGEST_KNOWN = 256, 64  # texts that are kept, and their bytes
LONGEST_TEXT = 1 << 24  # bytes: the categories of all columns are in one text in some releases

_NUMBERS: dict[bytes, np.dtype[Any]] = {
    b"i": np.dtype(">i1"),
    b"U": np.dtype(">u1"),
    b"I": np.dtype(">i2"),
    b"l": np.dtype(">i4"),
    b"L": np.dtype(">i8"),
    b"d": np.dtype(">f4"),
    b"D": np.dtype(">f8"),
}
_CONSTANTS = {b"Z": None, b"T": True, b"F": False}
_WHOLE = b"iUIlL"
_FORMATS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}
_UNPACK = {key: struct.Struct(text) for key, text in _FORMATS.items()}
_LENGTH = _UNPACK[b"L"].unpack_from


def read_ubjson(content: bytes) -> Any:
    r"""Return what a text in UBJSON says; arrays of one type are numpy's, high bytes first.

    Examples
    --------
    >>> read_ubjson(b"{U\x01a[$i#U\x02\x01\xffU\x01bSU\x02hi}")
    {'a': array([ 1, -1], dtype=int8), 'b': 'hi'}
    >>> read_ubjson(b"[$Z#L\x7f\xff\xff\xff\xff\xff\xff\xff")
    Traceback (most recent call last):
    ValueError: byte 2: an array of the type b'Z' is not one that XGBoost writes
    """
    reader = _Reader(content)
    value = reader.value(reader.marker(), 0)
    if reader.at != len(content):
        raise ValueError(f"byte {reader.at}: the text goes on after its end")
    return value


class _Reader:
    """A place in the bytes, which only moves forward."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0
        self._known: dict[bytes, str] = {}  # trees have the same keys

    def refused(self, why: str, back: int = 1) -> ValueError:
        return ValueError(f"byte {self.at - back}: {why}")

    def taken(self, count: int) -> bytes:
        if not 0 <= count <= len(self.content) - self.at:
            raise self.refused(f"the text ends before {count} more bytes", 0)
        self.at += count
        return self.content[self.at - count : self.at]

    def marker(self) -> bytes:
        found = self.taken(1)
        return self.marker() if found == b"N" else found  # which stands for nothing

    def whole(self) -> int:
        """Return a length or a count."""
        if self.content[self.at : self.at + 1] == b"L" and self.at + 9 <= len(self.content):
            self.at += 9  # as XGBoost writes all of them
            found: int = _LENGTH(self.content, self.at - 8)[0]
            return found
        kind = self.taken(1)
        if kind not in _WHOLE:
            raise self.refused(f"a length has the type {kind!r}, which is not a whole number")
        count: int = self.number(kind)
        return count

    def number(self, kind: bytes) -> Any:
        form = _UNPACK[kind]
        return form.unpack(self.taken(form.size))[0]

    def text(self) -> str:
        content, at = self.content, self.at
        if content[at : at + 1] == b"L" and at + 9 <= len(content):
            end = at + 9 + _LENGTH(content, at + 1)[0]
            whole = at + 9 <= end <= len(content)
            known = self._known.get(content[at + 9 : end]) if whole else None
            if known is not None:
                self.at = end
                return known
        return self._new_text()

    def _new_text(self) -> str:
        length = self.whole()
        if length > LONGEST_TEXT:
            raise self.refused(f"a text has {length} bytes, more than {LONGEST_TEXT}")
        taken = self.taken(length)
        try:
            text = taken.decode()
        except UnicodeDecodeError:
            raise self.refused("a text is not UTF-8") from None
        if len(self._known) < MOST_KNOWN and length < LONGEST_KNOWN:
            self._known[taken] = text
        return text

    def value(self, kind: bytes, depth: int) -> Any:
        if depth > DEEPEST:
            raise self.refused(f"it is nested more than {DEEPEST} levels deep")
        if kind == b"{":
            return self.mapping(depth)
        if kind == b"[":
            return self.array(depth)
        if kind == b"S":
            return self.text()
        if kind in _UNPACK:
            return self.number(kind)
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        raise self.refused(f"there is no type {kind!r}")

    def mapping(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while self.content[self.at : self.at + 1] != b"}":
            key = self.text()
            if key in values:
                raise self.refused(f"the entry {key[:40]!r} is there twice")
            if self.content[self.at : self.at + 2] == b"[$":  # most of a file
                self.at += 2
                values[key] = self.typed_array()
            else:
                values[key] = self.value(self.marker(), depth + 1)
        self.at += 1
        return values

    def array(self, depth: int) -> Any:
        ahead = self.content[self.at : self.at + 1]
        if ahead == b"$":
            self.at += 1
            return self.typed_array()
        if ahead == b"#":
            self.at += 1
            count = self.whole()
            if not 0 <= count <= len(self.content) - self.at:  # each takes a byte at least
                raise self.refused(f"an array of {count} values is longer than the text")
            return [self.value(self.marker(), depth + 1) for _ in range(count)]
        values = []
        while (kind := self.marker()) != b"]":
            values.append(self.value(kind, depth + 1))
        return values

    def typed_array(self) -> Any:
        kind, rest = self.content[self.at : self.at + 1], self.content[self.at + 1 : self.at + 3]
        if rest == b"#L" and kind in _NUMBERS and self.at + 11 <= len(self.content):
            self.at += 11  # as XGBoost writes all of them
            dtype, count = _NUMBERS[kind], _LENGTH(self.content, self.at - 8)[0]
        else:
            kind = self.taken(1)
            if kind not in _NUMBERS:
                raise self.refused(f"an array of the type {kind!r} is not one that XGBoost writes")
            if self.taken(1) != b"#":
                raise self.refused("an array of one type has no count")
            dtype, count = _NUMBERS[kind], self.whole()
        if not 0 <= count <= (len(self.content) - self.at) // dtype.itemsize:
            raise self.refused(f"an array of {count} values is longer than the text")
        numbers = np.frombuffer(self.content, dtype, count, self.at)
        self.at += count * dtype.itemsize
        return numbers  # as they are in the file: most of them are never looked at
