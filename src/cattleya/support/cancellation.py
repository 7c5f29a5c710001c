"""Questions that another thread may cancel."""

from __future__ import annotations

from types import TracebackType

from cattleya._core import CancelFlag, unwatch, watch

__all__ = ["Cancellation"]


class Cancellation:
    """Cancels, from any thread, the questions that are asked within it.

    A question in progress ends within about a millisecond with :class:`cattleya.Cancelled`, and a
    later one within the same ``with`` at once, unless its answer is known already. The explanation
    stays usable: what was asked can be asked again, outside or within another cancellation. Any
    number of threads may be within one. Of many rows that other processes work on, those that are
    being explained are waited for.

    Examples
    --------
    >>> import threading, cattleya
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    >>> e = cattleya.Explainer(tree).explain([1, 1])
    >>> cancellation = cattleya.Cancellation()
    >>> threading.Timer(0.01, cancellation.cancel).start()  # elsewhere: a button, a closed page
    >>> with cancellation:
    ...     e.count(timeout=60)
    1
    >>> cancellation.cancel()
    >>> with cancellation:
    ...     e.minimal_reason()
    Traceback (most recent call last):
        ...
    cattleya._core.Cancelled: the question was cancelled by another thread
    """

    def __init__(self) -> None:
        self._flag = CancelFlag()

    def cancel(self) -> None:
        """End the questions that are asked within this cancellation, now and later.

        Examples
        --------
        >>> import cattleya
        >>> cancellation = cattleya.Cancellation()
        >>> cancellation.cancel()
        >>> cancellation.is_cancelled
        True
        """
        self._flag.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._flag.is_set()

    def __enter__(self) -> Cancellation:
        watch(self._flag)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        unwatch(self._flag)
