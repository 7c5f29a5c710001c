"""What is wrong with what a result says of a row: each answer proved, or asked again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cattleya.batch.task import Task
from cattleya.explain.questions import QUESTIONS, Fault, Record
from cattleya.reasons.errors import NoSuchReason
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline

if TYPE_CHECKING:
    from cattleya.explain.explanation import Explanation

__all__ = [
    "NOT_PROVED",
    "UNSETTLED",
    "Fault",
    "Record",
    "wrong_answers",
    "wrong_error",
    "wrong_status",
]

UNSETTLED = ("timeout", "memory")
NOT_PROVED = "could not be proved: "  # how a fault begins that may be none


def wrong_error(record: Record, error: str) -> Fault:
    """Return what is wrong with the record of a row that cannot be read."""
    if record["status"] != "error":
        return "it cannot be read, but has answers"
    if record["error"] != error:
        return f"its error is {error!r}, not {record['error']!r}"
    answers = set(record) - {"row", "id", "status", "error", "seconds"}
    if told := sorted(name for name in answers if record[name] is not None):
        return f"it cannot be read, but has {', '.join(told)}"
    return None


def wrong_status(record: Record, want: tuple[str, ...], may_time_out: bool) -> Fault:
    """Return what is wrong with the status of a row that can be read."""
    status = record["status"]
    if status not in ("ok", "no such reason", *UNSETTLED):
        return f"it can be read, and its status cannot be {status!r}"
    if (status == "ok") != (record["error"] is None):
        return f"its status is {status!r}, but its error {record['error']!r}"
    if status == "timeout" and not may_time_out:
        return "it cannot have reached a time limit: there was none"
    if status in UNSETTLED and want and QUESTIONS[want[-1]].is_answered(record):
        return f"its status is {status!r}, but it has all its answers"
    return None


def wrong_answers(e: Explanation, task: Task, record: Record) -> Fault:
    """Return what is wrong with the answers about a row."""
    deadline = Deadline(task.timeout)
    unanswered = list(task.want)
    try:
        if task.timeout is not None and not task.of_ensemble:
            e.count("contrastive", timeout=task.timeout)  # what all else needs
        for name in task.want:
            if record["status"] in UNSETTLED and not QUESTIONS[name].is_answered(record):
                continue  # it was not settled, and says so
            asked = task.asked(_left(deadline))
            if fault := QUESTIONS[name].check(e, asked, record):
                return f"{name}: {fault}"
            unanswered.remove(name)
    except NoSuchReason as error:
        return _wrong_absence(record, unanswered, str(error))
    except (TimeoutExpired, MemoryLimitExceeded) as error:
        return f"{NOT_PROVED}{error}"
    except (ValueError, TypeError) as error:  # a text that is no condition of the tree
        return str(error)
    return "it has reasons" if record["status"] == "no such reason" else None


def _wrong_absence(record: Record, unanswered: list[str], error: str) -> Fault:
    """Return what is wrong with the record of a row that has no reason of the kind."""
    if record["status"] != "no such reason":
        return "it has no such reason"
    if told := [name for name in unanswered if QUESTIONS[name].is_answered(record)]:
        return f"it has no such reason, but has {', '.join(told)}"
    return None if record["error"] == error else f"it should say: {error}"


def _left(deadline: Deadline) -> float | None:
    deadline.check()
    left = deadline.seconds()
    return None if math.isinf(left) else left
