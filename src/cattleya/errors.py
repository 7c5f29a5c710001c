"""The exceptions of Cattleya beyond ``ValueError`` and ``TypeError``."""

from cattleya._core import MemoryLimitExceeded, TimeoutExpired

__all__ = ["MemoryLimitExceeded", "TimeoutExpired"]
