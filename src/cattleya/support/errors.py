"""What ends a question early: no time or memory is left, or another thread has cancelled it."""

from cattleya._core import Cancelled, MemoryLimitExceeded, TimeoutExpired

__all__ = ["Cancelled", "MemoryLimitExceeded", "TimeoutExpired"]
