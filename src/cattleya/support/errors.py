"""What ends a question early: its time or its memory has run out."""

from cattleya._core import MemoryLimitExceeded, TimeoutExpired

__all__ = ["MemoryLimitExceeded", "TimeoutExpired"]
