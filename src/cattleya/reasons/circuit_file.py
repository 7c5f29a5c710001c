"""Circuits in files.

A line that names the format and its version, a line of JSON (the conditions, and the type and
length of each array), the arrays' bytes, and a checksum of all that. Nothing in a file is trusted:
the checksum catches damage, and the native core checks every index before it is used.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.user_condition import Membership, UserCondition
from cattleya.support.errors import MemoryLimitExceeded
from cattleya.support.files.atomic import checked_path, write_bytes
from cattleya.support.files.regular import check_regular
from cattleya.support.json_nesting import check_nesting
from cattleya.support.text import shown

__all__ = ["read", "write"]

VERSION = 1
N_FIELDS = 6  # of a condition
DEPTH = 4  # an object, conditions, fields, and numbers of a fact
MAGIC = b"cattleya-circuit"
DIGEST = hashlib.sha256
LONGEST_MAGIC = 64
COPIES = 3  # of the numbers: as they are in the file, as arrays, and in the circuit
BYTES_A_CHARACTER = 16  # of the conditions, once they are objects
# Of what Circuit takes after n_atoms and impossible.
DTYPES = ("<u4", "<i8", "<i8", "<i4", "<u4", "<u4", "<f8")


def write(
    path: str | os.PathLike[str],
    arrays: Sequence[Any],
    conditions: Sequence[Condition],
    over: str,
) -> None:
    """Write a circuit: the whole file or none."""
    n_atoms, impossible, *numbers = arrays
    head = {
        "n_atoms": n_atoms,
        "impossible": impossible,
        "over": over,
        "lengths": [len(values) for values in numbers],
        "conditions": [_as_list(condition) for condition in conditions],
    }
    parts = [MAGIC + b" %d\n" % VERSION, json.dumps(head, allow_nan=False).encode() + b"\n"]
    parts += [
        np.ascontiguousarray(values, dtype=dtype).tobytes()
        for values, dtype in zip(numbers, DTYPES, strict=True)
    ]
    content = b"".join(parts)
    write_bytes(path, content + DIGEST(content).digest())


def read(
    path: str | os.PathLike[str], memory_limit: int
) -> tuple[list[Any], tuple[Condition, ...], str]:
    """Return what ``Circuit`` takes, its conditions, and what they are."""
    name = checked_path(path)
    check_regular(name)
    with open(name, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        _check_memory(name, COPIES * size, memory_limit)
        magic, line = file.readline(LONGEST_MAGIC), file.readline()
        _check_memory(name, COPIES * size + BYTES_A_CHARACTER * len(line), memory_limit)
        rest = memoryview(file.read(size))
    digest_size = DIGEST().digest_size
    body, checksum = rest[:-digest_size], rest[-digest_size:]
    if not magic.startswith(MAGIC + b" "):
        raise ValueError(f"{name!r} is not a circuit of cattleya, as Circuit.save writes it")
    if magic != MAGIC + b" %d\n" % VERSION:
        version = shown(magic.removeprefix(MAGIC).decode(errors="replace").strip())
        raise ValueError(f"{name!r} has version {version}; this library reads version {VERSION}")
    digest = DIGEST(magic + line)
    digest.update(body)
    if digest.digest() != checksum:
        raise ValueError(f"{name!r} is damaged: its checksum does not fit; write it again")
    try:
        check_nesting([line], DEPTH)
        head = json.loads(line)
        arrays: list[Any] = [_whole(head["n_atoms"]), _of_type(bool, head["impossible"])]
        lengths = [_whole(length) for length in _of_type(list, head["lengths"])]
        at = 0
        for length, dtype in zip(lengths, DTYPES, strict=True):
            values = np.frombuffer(body, dtype=dtype, count=length, offset=at)
            arrays.append(values.astype(np.dtype(dtype).newbyteorder("=")))
            at += values.nbytes
        if at != len(body):
            raise ValueError("there are bytes left over")
        _bound_bits(arrays)
        over = str(_of_type(str, head["over"]))
        conditions = tuple(_from_list(entry) for entry in _of_type(list, head["conditions"]))
        if len(conditions) != arrays[0]:  # before the core makes room for that many
            raise ValueError(f"it is over {arrays[0]} conditions, but names {len(conditions)}")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"{name!r} is damaged: {error}; write it again") from None
    return arrays, conditions, over


def _check_memory(name: str, needed: int, limit: int) -> None:
    if needed > limit:
        raise MemoryLimitExceeded(
            f"to read {name!r} takes {needed} bytes, more than {limit}; give a larger memory_limit"
        )


def _bound_bits(arrays: list[Any]) -> None:
    """Bound how many bits each part's counts are said to have, which is what arithmetic costs.

    Of the sets over n atoms, fewer than 2^n are minimal: more is only asked for by a file that
    somebody has forged.
    """
    starts, bits = arrays[4], arrays[-1]
    if len(starts) == len(bits) + 1:  # else the native core refuses it
        arrays[-1] = np.minimum(bits, np.diff(starts) + 1.0)


def _of_type(wanted: type, value: Any) -> Any:
    if type(value) is not wanted:
        raise ValueError(f"{shown(value)} stands where a {wanted.__name__} belongs")
    return value


def _whole(value: Any) -> int:
    if _of_type(int, value) < 0 or value > np.iinfo(np.int32).max:
        raise ValueError(f"{shown(value)} is out of range")
    return int(value)


def _as_list(condition: Condition) -> list[Any]:
    if isinstance(condition, Fact):
        value = condition.value
        plain = value if value is None or type(value) in (str, int, float, bool) else str(value)
        point = [None if math.isnan(number) else number for number in condition.point]
        return [condition.feature, condition.index, plain, list(condition.columns), point]
    assert isinstance(condition, Comparison)  # a condition is one or the other
    test = [
        condition.feature,
        condition.index,
        _as_number(condition.threshold),
        condition.sense,
        condition.missing_left,
        condition.boolean,
    ]
    if condition.whole or condition.row_dtype != "float64":
        test.append({"whole": condition.whole, "row_dtype": condition.row_dtype})
    if isinstance(condition, UserCondition):
        return [*test, _as_number(condition.shown), condition.column]
    if isinstance(condition, Membership):
        return [*test, list(condition.values), list(condition.others), condition.column]
    return test


def _as_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)  # JSON has no word for infinite


def _number(value: Any) -> float:
    if value in ("inf", "-inf"):
        return float(value)
    return float(_of_type(float, value))


def _from_list(entry: Any) -> Condition:
    fields = _of_type(list, entry)
    if len(fields) == len(("feature", "index", "value", "columns", "point")):
        return _fact(*fields)
    words: dict[str, Any] = {}
    if len(fields) > N_FIELDS and isinstance(fields[N_FIELDS], dict):  # how it is printed
        words = fields.pop(N_FIELDS)
    whole = _of_type(bool, words.get("whole", False))
    row_dtype = words.get("row_dtype", "float64")
    if row_dtype not in ("float32", "float64"):
        raise ValueError(f"{shown(row_dtype)} stands where a type of numbers belongs")
    test = _condition(*fields[:N_FIELDS], whole=whole, row_dtype=row_dtype)
    match fields[N_FIELDS:]:
        case []:
            return test
        case [printed, column]:
            return UserCondition(
                test.feature,
                test.index,
                test.threshold,
                _number(printed),
                sense=test.sense,
                missing_left=test.missing_left,
                boolean=test.boolean,
                whole=whole,
                column=_of_type(str, column),
            )
        case [values, others, column]:
            return Membership(
                test.feature,
                test.index,
                test.threshold,
                tuple(_of_type(str, value) for value in _of_type(list, values)),
                tuple(_of_type(str, value) for value in _of_type(list, others)),
                sense=test.sense,
                missing_left=test.missing_left,
                column=_of_type(str, column),
            )
    raise ValueError(f"{entry!r} stands where a condition belongs")


def _fact(feature: Any, index: Any, value: Any, columns: Any, point: Any) -> Fact:
    numbers = [math.nan if n is None else float(_of_type(float, n)) for n in _of_type(list, point)]
    places = [_whole(column) for column in _of_type(list, columns)]
    if len(numbers) != len(places) or not places:
        raise ValueError("a fact does not have one number per column")
    if value is not None and type(value) not in (str, int, float, bool):
        raise ValueError(f"{shown(value)} stands where a value belongs")
    return Fact(_of_type(str, feature), _whole(index), value, tuple(places), tuple(numbers))


def _condition(
    feature: Any,
    index: Any,
    threshold: Any,
    sense: Any,
    missing_left: Any,
    boolean: Any,
    *,
    whole: bool,
    row_dtype: str,
) -> Comparison:
    value = _number(threshold)
    if math.isnan(value):
        raise ValueError("a threshold is not a number")
    return Comparison(
        _of_type(str, feature),
        _whole(index),
        value,
        sense=_of_type(bool, sense),
        missing_left=None if missing_left is None else _of_type(bool, missing_left),
        boolean=_of_type(bool, boolean),
        whole=whole,
        row_dtype=row_dtype,
    )
