"""What ends a question early: no time or memory is left, or another thread has cancelled it."""

from cattleya._core import Cancelled, MemoryLimitExceeded, TimeoutExpired

__all__ = ["Cancelled", "MemoryLimitExceeded", "TimeoutExpired"]

TimeoutExpired.__doc__ = """The time limit of a question was reached; ask again with a longer one.

No answer is given that is not whole. What was asked can be asked again.

Examples
--------
>>> import cattleya
>>> nested = ("last", 0, 1)
>>> for level in range(40):
...     nested = (f"a{level}", (f"b{level}", 0, 1), nested)
>>> e = cattleya.Explainer(cattleya.Tree.from_nested(nested)).explain([1] * 81)
>>> try:
...     list(e.sufficient_reasons(timeout=0.01))
... except cattleya.TimeoutExpired as error:
...     print(error)
the time limit was reached; give a longer timeout
>>> e.count() == 2**40
True
"""

MemoryLimitExceeded.__doc__ = """A question needs more memory than ``memory_limit`` allows.

Examples
--------
>>> import cattleya
>>> nested = ("last", 0, 1)
>>> for level in range(40):
...     nested = (f"a{level}", (f"b{level}", 0, 1), nested)
>>> explainer = cattleya.Explainer(cattleya.Tree.from_nested(nested), memory_limit=1000)
>>> try:
...     explainer.explain([1] * 81).count()
... except cattleya.MemoryLimitExceeded as error:
...     print(str(error).partition("; ")[2])
give a larger memory_limit
"""

Cancelled.__doc__ = """A question was cancelled by :class:`cattleya.Cancellation`.

Examples
--------
>>> import cattleya
>>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1))).explain([1])
>>> cancellation = cattleya.Cancellation()
>>> cancellation.cancel()
>>> with cancellation:
...     try:
...         e.count()
...     except cattleya.Cancelled as error:
...         print(error)
the question was cancelled by another thread
"""

#: For the test that runs what docstrings show: the classes are the core's, which it does not read.
__test__ = {one.__name__: one.__doc__ for one in (Cancelled, MemoryLimitExceeded, TimeoutExpired)}
