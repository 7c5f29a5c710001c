"""Files that unpack to far more than they are: refused before they take the memory.

A kilobyte of gzip, of a zip archive or of Parquet can stand for a megabyte of nothing, and a
megabyte for a gigabyte. Tables and models are not like that: what is both large and a hundred times
its file is refused, and the message says how to read it all the same.
"""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Generator
from pathlib import Path
from typing import IO

from cattleya.support.files.regular import check_regular

__all__ = ["blocks_within", "check_archive", "check_gzip", "check_unpacked"]

LARGE = 1 << 28  # bytes
MOST_TIMES = 100
DEFLATE_AT_MOST = 1032  # times its size is what deflate can unpack to
BLOCK, SMALL_BLOCK = 1 << 20, 1 << 16


def blocks_within(path: Path, most: int) -> Generator[bytes]:
    """Give what is in a file or comes from a pipe, if it is at most so many bytes."""
    check_regular(path, may_be_pipe=True)
    too_large = ValueError(
        f"{str(path)!r} is larger than {most:,} bytes, which is too large for a model"
    )
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > most:
            raise too_large
        read = 0
        while block := file.read(SMALL_BLOCK):
            read += len(block)
            if read > most:
                raise too_large
            yield block


def check_archive(name: str, file: IO[bytes], size: int, remedy: str) -> None:
    """Refuse a zip archive of some bytes by what it says that it holds, which binds whoever reads.

    Parts may overlap, so that each by itself is packed well and all together are a bomb.
    """
    with zipfile.ZipFile(file) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    check_unpacked(name, unpacked, size, remedy)


def check_gzip(path: Path) -> None:
    """Refuse a gzip file by what is in it: its own word on that is not to be trusted."""
    size = path.stat().st_size
    if size * DEFLATE_AT_MOST <= LARGE:
        return
    unpacked = 0
    with gzip.open(path, "rb") as file:
        while unpacked <= max(LARGE, MOST_TIMES * size) and (block := file.read(BLOCK)):
            unpacked += len(block)
    check_unpacked(str(path), unpacked, size, "unpack it with gunzip if that is right")


def check_unpacked(name: str, unpacked: int, size: int, remedy: str) -> None:
    """Refuse what is both large and far larger than its file."""
    if unpacked > max(LARGE, MOST_TIMES * size):
        raise ValueError(
            f"{name!r} unpacks from {size:,} bytes to {unpacked:,} or more, which is too much; "
            f"{remedy}"
        )
