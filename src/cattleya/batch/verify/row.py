"""What is wrong with what a result says of a row: each answer proved, or asked again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cattleya.batch.arrow import plain_answer, read_plain
from cattleya.batch.questions import QUESTIONS
from cattleya.batch.run import Task
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import sentence
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline

if TYPE_CHECKING:
    from cattleya.explain.explanation import Explanation

__all__ = ["UNSETTLED", "Fault", "Record", "wrong_answers", "wrong_error", "wrong_status"]

UNSETTLED = ("timeout", "memory")

Record = dict[str, Any]
Fault = str | None


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
    if status in UNSETTLED and want and _is_answered(record, want[-1]):
        return f"its status is {status!r}, but it has all its answers"
    return None


def _is_answered(record: Record, name: str) -> bool:
    return any(record[column] is not None for column in QUESTIONS[name].columns)


def wrong_answers(e: Explanation, task: Task, record: Record) -> Fault:
    """Return what is wrong with the answers about a row."""
    deadline = Deadline(task.timeout)
    unanswered = list(task.want)
    try:
        if task.timeout is not None:
            e.count("contrastive", timeout=task.timeout)  # what all else needs
        for name in task.want:
            if record["status"] in UNSETTLED and not _is_answered(record, name):
                continue  # it was not settled, and says so
            if fault := _wrong_answer(e, name, record, task, _left(deadline)):
                return f"{name}: {fault}"
            unanswered.remove(name)
    except NoSuchReason as error:
        return _wrong_absence(record, unanswered, str(error))
    except (TimeoutExpired, MemoryLimitExceeded) as error:
        return f"could not be proved: {error}"
    except (ValueError, TypeError) as error:  # a text that is no condition of the tree
        return str(error)
    return "it has reasons" if record["status"] == "no such reason" else None


def _wrong_absence(record: Record, unanswered: list[str], error: str) -> Fault:
    """Return what is wrong with the record of a row that has no reason of the kind."""
    if record["status"] != "no such reason":
        return "it has no such reason"
    if told := [name for name in unanswered if _is_answered(record, name)]:
        return f"it has no such reason, but has {', '.join(told)}"
    return None if record["error"] == error else f"it should say: {error}"


def _left(deadline: Deadline) -> float | None:
    deadline.check()
    left = deadline.seconds()
    return None if math.isinf(left) else left


def _wrong_answer(
    e: Explanation, name: str, record: Record, task: Task, timeout: float | None
) -> Fault:
    if name in ("sufficient", "minimal"):
        return _wrong_reason(e, name, record, timeout)
    if name == "contrastive":
        return _wrong_contrasts(e, record, task.contrasts)
    for column, answer in QUESTIONS[name].ask(e, timeout, task.contrasts).items():
        if plain_answer(column, answer) != read_plain(column, record[column]):
            return f"{column} is {record[column]!r}, not {plain_answer(column, answer)!r}"
    return None


def _wrong_reason(  # noqa: PLR0911 - one per fault
    e: Explanation, name: str, record: Record, timeout: float | None
) -> Fault:
    conditions = record[f"{name}_conditions"]
    if conditions is None:
        e.sufficient_reason()  # raises where there is none
        return "there is no reason"
    verified = e.verify(conditions)
    if not verified:
        return str(verified)
    if e.excluded & verified.conditions:
        return "it mentions what is excluded"
    if len(verified.conditions) != len(conditions) or record[f"{name}_size"] != len(conditions):
        return f"it has {len(verified.conditions)} conditions, not {record[f'{name}_size']}"
    if _told(e, conditions) != record[name]:
        return "its text has other conditions"
    if name == "minimal" and (least := len(e.minimal_reason(timeout=timeout))) != len(conditions):
        return f"there is a shorter one, of {least} conditions"
    return None


def _wrong_contrasts(  # noqa: PLR0911 - one per fault
    e: Explanation, record: Record, most: int
) -> Fault:
    given, count = record["contrastive_conditions"], e.count("contrastive")
    if record["contrastive_count"] != count:
        return f"there are {count}, not {record['contrastive_count']}"
    if given is None or len(given) != min(most, count):
        return f"{len(given or [])} are given, not {min(most, count)}"
    smallest = e.contrastive(limit=max(most, 1))
    sizes, least = [len(conditions) for conditions in given], [len(c) for c in smallest]
    if sizes != least[:most]:
        return f"the smallest have {least} conditions, not {sizes}"
    if record["contrastive_size"] != (smaller := least[0] if least else None):
        return f"contrastive_size is {record['contrastive_size']!r}, not {smaller!r}"
    if len({frozenset(conditions) for conditions in given}) < len(given):
        return "one is given twice"
    fixed = {str(condition) for condition in e.immutable}
    for conditions in given:
        if not e.is_contrastive(conditions):
            return f"{_told(e, conditions, to_change=True)!r} is no minimal change"
        if fixed & set(conditions):
            return f"{_told(e, conditions, to_change=True)!r} changes what is immutable"
    first = _told(e, given[0], to_change=True) if given else str(smallest[0]) if smallest else None
    return None if first == record["contrastive"] else "its text has other conditions"


def _told(e: Explanation, conditions: list[str], *, to_change: bool = False) -> str:
    """Return conditions, which are the row's, as a reason prints them."""
    meant = [e.condition(text) for text in conditions]
    return sentence(meant, merges=e.over.merges, to_change=to_change)
