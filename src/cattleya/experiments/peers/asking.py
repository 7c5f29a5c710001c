"""The peers on the same rows in the same run: whether they are right, and how long they take.

The rows are those of the table: of each data set the first fold, its first drawn rows. Every reason
that a peer gives is put through ``verify``; where there is one right answer, it is compared with
ours. A peer that is not installed is left out; one that stops on a row has its reason in the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import cattleya
from cattleya.experiments.data.coding import Data
from cattleya.experiments.data.protocol import Fold, folds
from cattleya.experiments.machine import installed
from cattleya.experiments.peers.apart import rows_apart
from cattleya.experiments.peers.workers.clocks import settled

__all__ = ["PEERS", "Cell", "Peer", "clauses_of", "compare", "missing"]

WORKERS = "cattleya.experiments.peers.workers."
PYXAI_BESIDE_D4 = 60.0  # seconds per row for all of PyXAI's questions that d4 has no part in
MOST_DENSE_FEATURES = 2000


@dataclass(frozen=True)
class Cell:
    """One question to one peer about one row.

    ``right`` tells whether its answer holds, None where it gave none: ``trouble`` then says why.
    ``sizes`` has the sizes of its answer and of ours, where that says something.
    """

    peer: str
    question: str
    data: str
    row: int
    seconds: float | None
    our_seconds: float | None
    right: bool | None
    sizes: tuple[int, int] | None = None
    trouble: str = ""


@dataclass(frozen=True)
class Asked:
    """A fold, its explainer and some of its rows."""

    fold: Fold
    explainer: cattleya.Explainer
    rows: tuple[int, ...]

    def dense(self) -> list[Any]:
        """Give the rows as arrays."""
        return [self.fold.data.dense_row(row) for row in self.rows]

    def explanation(self, row: int) -> cattleya.Explanation:
        """Explain a row, with nothing known yet."""
        return self.explainer.explain(self.fold.data.dense_row(row))

    def clauses(self) -> list[list[list[int]]]:
        """Give each row's clauses over its relevant conditions, which are 0, 1, ..."""
        return [clauses_of(self.explanation(row))[0] for row in self.rows]


@dataclass(frozen=True)
class Peer:
    """How a peer is called and judged; ``judge`` gives cells of a row from what the peer said."""

    distribution: str
    worker: str
    questions: tuple[str, ...]
    give: Callable[[Asked], tuple[dict[str, Any], list[Any]]]
    judge: Callable[[cattleya.Explanation, dict[str, Any], str], tuple[bool | None, Any]]
    cannot: Callable[[Data], str] = lambda data: ""
    beside: float = 0.0


def missing(names: Iterable[str]) -> list[str]:
    """Name the distributions of these peers that are not installed."""
    distributions = (PEERS[name].distribution for name in names)
    return [distribution for distribution in distributions if installed(distribution) is None]


def compare(
    data: Data,
    rows: int,
    limit: float,
    seed: int,
    names: Sequence[str],
    tell: Callable[[str], None],
) -> Iterator[Cell]:
    """Ask the peers named about the first rows of a data set."""
    fold = next(folds(data, 10, rows, seed))
    asked = Asked(fold, cattleya.Explainer(fold.model), fold.drawn)
    ours = {row: _our_seconds(asked, row, limit) for row in asked.rows}
    for name in names:
        peer = PEERS[name]
        if installed(peer.distribution) is None:
            continue
        tell(f"{data.name}: {name}")
        if reason := peer.cannot(data):
            entries = [{"trouble": reason}] * len(asked.rows)
        else:
            given, items = peer.give(asked)
            given |= {"d4_limit": limit}
            entries = rows_apart(WORKERS + peer.worker, given, items, limit + peer.beside)
        for row, entry in zip(asked.rows, entries, strict=True):
            yield from _cells(name, asked, row, entry, ours[row])


def _cells(
    name: str, asked: Asked, row: int, entry: dict[str, Any], ours: dict[str, float]
) -> Iterator[Cell]:
    peer, data = PEERS[name], asked.fold.data.name
    explanation = asked.explanation(row)
    if entry.get("rows"):  # a counterfactual: its class by the tree itself
        entry = entry | {"class": asked.explainer.explain(np.array(entry["rows"][0])).prediction}
    for question in peer.questions:
        beside = ours.get(question)
        if question not in entry.get("seconds", {}):
            trouble = entry.get("trouble", "time limit")
            yield Cell(name, question, data, row, None, beside, None, trouble=trouble)
            continue
        right, sizes = peer.judge(explanation, entry, question)
        yield Cell(name, question, data, row, entry["seconds"][question], beside, right, sizes)


# Ours, from the row to the answer, on a new explanation each time.

OURS: dict[str, Callable[[cattleya.Explanation, float], Any]] = {
    "direct": lambda e, _: len(e.direct_reason()),
    "sufficient": lambda e, _: len(e.sufficient_reason()),
    "contrastive": lambda e, _: len(e.contrastive()),
    "necessary": lambda e, _: e.necessary(),
    "relevant": lambda e, _: e.relevant(),
    "minimal": lambda e, limit: len(e.minimal_reason(timeout=limit)),
    "count": lambda e, limit: e.count(timeout=limit),
    "values": lambda e, limit: e.importance(timeout=limit),
    "counterfactual": lambda e, _: e.contrastive(limit=1),
}


def _our_seconds(asked: Asked, row: int, limit: float) -> dict[str, float]:
    seconds = {}
    for question, ask in OURS.items():
        try:
            seconds[question], _ = settled(partial(_ask, ask, asked, row, limit))
        except (cattleya.TimeoutExpired, cattleya.MemoryLimitExceeded):
            continue
    return seconds


def _ask(
    ask: Callable[[cattleya.Explanation, float], Any], asked: Asked, row: int, limit: float
) -> Any:
    return ask(asked.explanation(row), limit)


# What is right.

Key = tuple[int, float, bool]
Judged = tuple[bool | None, tuple[int, int] | None]


def _key(condition: cattleya.Condition) -> Key:
    assert isinstance(condition, cattleya.Comparison)  # over the conditions of the tree
    return condition.index, condition.threshold, condition.sense


def _keys(conditions: Iterable[cattleya.Condition]) -> frozenset[Key]:
    return frozenset(map(_key, conditions))


def _told(literals: Iterable[Sequence[Any]]) -> frozenset[Key]:
    return frozenset((int(f), float(t), bool(s)) for f, t, s in literals)


def clauses_of(e: cattleya.Explanation) -> tuple[list[list[int]], list[cattleya.Condition]]:
    """Return a row's clauses over the numbers of its relevant conditions, and these in order."""
    contrasts = e.contrastive()
    atoms = list(dict.fromkeys(condition for contrast in contrasts for condition in contrast))
    number = {condition: i for i, condition in enumerate(atoms)}
    return [[number[condition] for condition in contrast] for contrast in contrasts], atoms


def _verified(e: cattleya.Explanation, keys: frozenset[Key], smallest: bool) -> Judged:
    known = {_key(condition): condition for condition in e.conditions}
    if not keys <= known.keys():
        return False, None
    sizes = len(keys), len(e.minimal_reason() if smallest else e.sufficient_reason())
    holds = bool(e.verify([known[key] for key in keys]))
    return holds and (not smallest or sizes[0] == sizes[1]), sizes


def _judge_pyxai(e: cattleya.Explanation, entry: dict[str, Any], question: str) -> Judged:
    told = entry[question]
    if question in ("sufficient", "minimal"):
        return _verified(e, _told(told), question == "minimal")
    if question == "count":
        return _same_count(e, entry, question)
    if question == "contrastive":
        return set(map(_told, told)) == set(map(_keys, e.contrastive())), None
    if question == "direct":
        return _told(told) == _keys(e.direct_reason()), None
    return _told(told) == _keys(e.necessary() if question == "necessary" else e.relevant()), None


def _same_count(e: cattleya.Explanation, entry: dict[str, Any], _: str) -> Judged:
    try:
        return int(entry["count"]) == e.count(timeout=100.0), None
    except (cattleya.TimeoutExpired, cattleya.MemoryLimitExceeded):
        return None, None  # nobody to compare with


def _judge_rc2(e: cattleya.Explanation, entry: dict[str, Any], _: str) -> Judged:
    atoms = clauses_of(e)[1]
    return _verified(e, _keys(atoms[i] for i in entry["minimal"]), smallest=True)


def _judge_shap(e: cattleya.Explanation, entry: dict[str, Any], _: str) -> Judged:
    """Tell whether its top features force the class: as many as our minimal reason has."""
    number = len({condition.index for condition in e.minimal_reason()})
    order = np.argsort(-np.abs(np.array(entry["values"])), kind="stable")
    held = [condition for condition in e.conditions if condition.index in set(order[:number])]
    need = number
    while not e.verify(held).sufficient and need < len(order):
        need += 1
        held = [c for c in e.conditions if c.index in set(order[:need])]
    return need == number, (need, number)


def _judge_dice(e: cattleya.Explanation, entry: dict[str, Any], _: str) -> Judged:
    """Tell whether its row gets another class, and how many features differ for the tree."""
    if not entry["rows"]:
        return None, None
    row = np.array(entry["rows"][0], dtype=np.float32).tolist()
    changed = {c for c in e.conditions if not c.holds(row[c.index])}
    ours = min(len({c.index for c in contrast}) for contrast in e.contrastive())
    return entry["class"] != e.prediction, (len({c.index for c in changed}), ours)


def _narrow(data: Data) -> str:
    too_many = data.x.shape[1] > MOST_DENSE_FEATURES
    return f"needs dense rows: {data.x.shape[1]:,} features" if too_many else ""


def _training(asked: Asked) -> tuple[dict[str, Any], list[Any]]:
    fold = asked.fold
    train = (np.asarray(fold.data.x[fold.train], dtype=np.float64), fold.data.y[fold.train])
    return {"model": fold.model, "train": train}, asked.dense()


PYXAI = ("direct", "sufficient", "contrastive", "necessary", "relevant", "minimal", "count")
PEERS = {
    "PyXAI": Peer(
        "pyxai",
        "pyxai",
        PYXAI,
        lambda asked: ({"model": asked.fold.model}, asked.dense()),
        _judge_pyxai,
        beside=PYXAI_BESIDE_D4,
    ),
    "Ganak": Peer("pyganak", "ganak", ("count",), lambda asked: ({}, asked.clauses()), _same_count),
    "RC2": Peer("python-sat", "rc2", ("minimal",), lambda asked: ({}, asked.clauses()), _judge_rc2),
    "TreeSHAP": Peer(
        "shap",
        "tree_shap",
        ("values",),
        lambda asked: ({"model": asked.fold.model}, asked.dense()),
        _judge_shap,
    ),
    "DiCE": Peer("dice-ml", "dice", ("counterfactual",), _training, _judge_dice, _narrow),
}
