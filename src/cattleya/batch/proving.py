"""Every reason in a result file proved again, however it was found.

The reasons are taken as the text they are in the file, and proved by walking the tree
(:meth:`cattleya.Explanation.verify`), which shares no code with the search. What is no reason, such
as a count, is asked again and compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cattleya.batch.arrow import plain_answer, read_plain
from cattleya.batch.parts import PartsError, made_from_file
from cattleya.batch.provenance import FORMAT, VERSION, file_hash, tree_hash
from cattleya.batch.questions import QUESTIONS, checked_questions
from cattleya.batch.reading import ReadRows, read_rows
from cattleya.errors import MemoryLimitExceeded, NoSuchReason, TimeoutExpired
from cattleya.files.table_chunks import read_chunks
from cattleya.reason import sentence

if TYPE_CHECKING:
    import pandas as pd

    from cattleya.explainer import Explainer
    from cattleya.explanation import Explanation

__all__ = ["Refutation", "prove_file", "settings_of"]

PART = 2048  # rows
ALWAYS = {"row", "prediction", "status", "error", "seconds"}

Record = dict[str, Any]
Fault = str | None


@dataclass(frozen=True)
class Refutation:
    """What is wrong with a row of a result, or with all of it (``row`` is None)."""

    row: int | None
    why: str

    def __str__(self) -> str:
        return self.why if self.row is None else f"row {self.row}: {self.why}"


def settings_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a result file says that it was made from; refuse what is no such file."""
    found = made_from_file(path)
    if found.get("format") != FORMAT or found.get("version") != VERSION:
        raise PartsError(f"{str(path)!r} is no result of version {VERSION} of {FORMAT}")
    return found


def prove_file(
    explainer: Explainer,
    path: str | os.PathLike[str],
    data: str | os.PathLike[str],
    *,
    choose: Callable[[pd.DataFrame], pd.DataFrame],
    text: tuple[str, ...] = (),
) -> Iterator[Refutation | None]:
    """Give what is wrong with the result, and None for each row with which all is well."""
    from pyarrow import parquet

    made_from = settings_of(path)
    if made_from["model"] != tree_hash(explainer.tree):
        yield Refutation(None, "the result was made from another model")
        return
    if made_from["data"] != file_hash(data):
        yield Refutation(None, "the result was made from other data")
        return
    parameters = made_from["parameters"]
    want = checked_questions(parameters["want"])
    file = parquet.ParquetFile(path)
    expected = ALWAYS.union(*(QUESTIONS[name].columns for name in want))
    if set(file.schema_arrow.names) != expected:
        odd = sorted(expected ^ set(file.schema_arrow.names))
        yield Refutation(None, f"its columns are not those that were asked for: {', '.join(odd)}")
        return
    records = (record for part in file.iter_batches(PART) for record in part.to_pylist())
    number = 0
    for frame in read_chunks(data, PART, text):
        rows = read_rows(explainer.rows, choose(frame), explainer.tree.n_features)
        for place in range(len(rows.matrix)):
            record = next(records, None)
            if record is None:
                yield Refutation(number, "it is not in the result, nor any after it")
                return
            fault = _fault(explainer, rows, place, number, record, want, parameters)
            yield None if fault is None else Refutation(number, fault)
            number += 1
    if next(records, None) is not None:
        yield Refutation(number, "the result has more rows than the data")


def _fault(  # noqa: PLR0911 - one a fault
    explainer: Explainer,
    rows: ReadRows,
    place: int,
    number: int,
    record: Record,
    want: tuple[str, ...],
    parameters: dict[str, Any],
) -> Fault:
    """Return what is wrong with a row, or None."""
    if record["row"] != number:
        return f"the result has row {record['row']} in its place"
    if place in rows.error:
        return None if record["status"] == "error" else "it cannot be read, but has answers"
    e = explainer.explain_numbers(
        rows.matrix[place].copy(), parameters["exclude"], parameters["immutable"]
    )
    label = e.prediction.item() if hasattr(e.prediction, "item") else e.prediction
    if record["status"] != "error" and record["prediction"] not in (label, str(label)):
        return f"its class is {label!r}, not {record['prediction']!r}"
    if record["status"] == "error":
        return "it can be read, but has none of its answers"
    try:
        for name in want:
            if fault := _wrong_answer(e, name, record, parameters):
                return f"{name}: {fault}"
    except NoSuchReason:
        return None if record["status"] == "no such reason" else "it has no such reason"
    except (TimeoutExpired, MemoryLimitExceeded) as error:
        return f"could not be proved: {error}"
    except ValueError as error:  # a text that is no condition of the tree
        return str(error)
    return "it has reasons" if record["status"] == "no such reason" else None


def _wrong_answer(e: Explanation, name: str, record: Record, parameters: dict[str, Any]) -> Fault:
    answered = [record[column] for column in QUESTIONS[name].columns]
    if all(value is None for value in answered):
        if record["status"] in ("timeout", "memory"):
            return None  # it was not settled, and says so
        if name != "contrastive" and record["status"] == "ok":
            return "there is no answer"
    if name in ("sufficient", "minimal"):
        return _wrong_reason(e, name, record)
    if name == "contrastive":
        return _wrong_contrasts(e, record, parameters["contrasts"])
    answers = QUESTIONS[name].ask(e, parameters["timeout"], parameters["contrasts"])
    for column, answer in answers.items():
        if plain_answer(column, answer) != read_plain(column, record[column]):
            return f"{column} is {record[column]!r}, not {plain_answer(column, answer)!r}"
    return None


def _wrong_reason(  # noqa: PLR0911 - one a fault
    e: Explanation, name: str, record: Record
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
    if name == "minimal" and len(e.minimal_reason()) != len(conditions):
        return f"there is a shorter one, of {len(e.minimal_reason())} conditions"
    return None


def _wrong_contrasts(  # noqa: PLR0911 - one a fault
    e: Explanation, record: Record, most: int
) -> Fault:
    given = record["contrastive_conditions"] or []
    if record["contrastive_count"] != e.count("contrastive"):
        return f"there are {e.count('contrastive')}, not {record['contrastive_count']}"
    if len(given) != min(most, e.count("contrastive")):
        return f"{len(given)} are given, not {min(most, e.count('contrastive'))}"
    sizes = [len(conditions) for conditions in given]
    smallest = [len(contrast) for contrast in e.contrastive(limit=max(most, 1))]
    if sizes != smallest[:most] or record["contrastive_size"] != (
        smallest[0] if smallest else None
    ):
        return f"the smallest have {smallest} conditions, not {sizes}"
    if len({frozenset(conditions) for conditions in given}) < len(given):
        return "one is given twice"
    fixed = {str(condition) for condition in e.immutable}
    for conditions in given:
        if not e.is_contrastive(conditions):
            return f"{_told(e, conditions, to_change=True)!r} is no minimal change"
        if fixed & set(conditions):
            return f"{_told(e, conditions, to_change=True)!r} changes what is immutable"
    if given and _told(e, given[0], to_change=True) != record["contrastive"]:
        return "its text has other conditions"
    return None


def _told(e: Explanation, conditions: list[str], *, to_change: bool = False) -> str:
    """Return conditions, which are the row's, as a reason prints them."""
    meant = [e.condition(text) for text in conditions]
    return sentence(meant, merges=e.merges, to_change=to_change)
