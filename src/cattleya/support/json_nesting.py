"""How deep JSON is nested, and how long its texts are, found before it is parsed.

A parser makes a list of every bracket that it meets: a small file of brackets only takes twenty
times its size, and as many levels of recursion as it has brackets. Our formats are flat lists of
numbers and names, and what is not is refused while it is read, block by block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["blocks_of", "check_nesting"]

BLOCK = 1 << 16
LONGEST_TEXT = 1 << 16  # bytes: no name is as long

_OUTSIDE = re.compile(rb'["\[\]{}]')
_INSIDE = re.compile(rb'(?:[^"\\]++|\\[\s\S])*+')


def blocks_of(text: str) -> Iterator[bytes]:
    """Give a text in blocks."""
    for start in range(0, len(text), BLOCK):
        yield text[start : start + BLOCK].encode(errors="replace")


def check_nesting(blocks: Iterable[bytes], deepest: int) -> None:
    r"""Refuse JSON with brackets in brackets, more than some levels of them, or endless texts.

    Examples
    --------
    >>> check_nesting([b'{"left": [1, 2], "names": ["[[[", "\\\\"]}'], 2)
    >>> check_nesting([b'{"left": [1, ', b'[2]]}'], 2)
    Traceback (most recent call last):
    ValueError: it is nested more than 2 levels deep
    """
    depth, in_text, escaped = 0, False, False
    begun = seen = 0  # where the text began, and how much came before this block
    for block in blocks:
        at = 0
        while at < len(block):
            if escaped:
                at, escaped = at + 1, False
            elif in_text:
                inside = _INSIDE.match(block, at)
                at = len(block) if inside is None else inside.end()
                in_text = block[at : at + 1] != b'"'
                escaped = block[at : at + 1] == b"\\"  # the last one of the block
                if seen + at - begun > LONGEST_TEXT:
                    raise ValueError(f"it has a text of more than {LONGEST_TEXT} bytes")
                at += 1
            else:
                found = _OUTSIDE.search(block, at)
                if found is None:
                    break
                at = found.end()
                in_text, begun = found[0] == b'"', seen + at
                depth += (found[0] in b"[{") - (found[0] in b"]}")
                if depth > deepest:
                    raise ValueError(f"it is nested more than {deepest} levels deep")
        seen += len(block)
