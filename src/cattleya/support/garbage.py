"""The search for cycles of garbage, put off while what stays is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_garbage_search"]


@contextmanager
def no_garbage_search() -> Iterator[None]:
    """Look for no cycles of garbage for a while; then go on with it, if it was on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
