"""The tables of ``python -m benchmarks.ensembles``, and its bars, each with its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import table

__all__ = ["Answers", "Results", "report"]

Answers = dict[str, Any]
Figures = dict[str, Any]
GIB = 1 << 30
SECOND, ENOUGH, MOST = 1.0, 0.95, 0.9
HARDEST_BAR = ("adult, forest 25 x full", 300)
OTHERS = {
    "Veritas": "`dtai-veritas` 0.3.1 installs, under Python 3.12 too, and answers another question "
    "(how far an output can go in a box), so that nothing was compared",
}
HOW_PEERS = (
    "PyXAI explains the majority of the trees of a forest, we what the model decides; peers are "
    "asked about models of up to 100 trees. XReason and RFxpl are asked for one subset-minimal "
    "reason by their MaxSAT encodings: XReason about the same trees, with the base score in the "
    "first one, as it knows none; RFxpl encodes a forest anew for each row, with the shares in the "
    "leaves rounded to three decimals. OCEAN is asked for the fewest changes by its constraint "
    "program, and given each row a bit below its values, as a step over a threshold that a value "
    "equals costs it nothing; the model itself says whether its row is of another class. RFxpl and "
    "OCEAN are asked about models of up to 20,000 leaves."
)


@dataclass
class Results:
    """What is known so far: by model, where the data is from, versions of peers, and the time."""

    models: dict[str, Figures] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    minutes: float = 0.0


@dataclass(frozen=True)
class Time:
    """A median; ``at_least`` where the row in the middle was not answered when time was up."""

    seconds: float
    at_least: bool = False

    def __str__(self) -> str:
        return (">" if self.at_least else "") + _told(self.seconds)


def _told(seconds: float) -> str:
    if seconds < 1e-3:  # a millisecond
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _time(figures: Figures, question: str) -> Time | None:
    """Return the median of a question; a row that was stopped counts with the time that it had."""
    answers = figures["answers"].get(question)
    if answers is None:
        return None
    seconds, stopped = answers["seconds"], answers.get("stopped")
    if stopped is None:
        return Time(median(seconds)) if seconds else None
    middle = sorted([*seconds, stopped])[len(seconds) // 2]
    return Time(middle, at_least=middle == stopped)


def _size(figures: Figures, question: str) -> float | None:
    sizes = figures["answers"].get(question, {}).get("sizes")
    return float(np.mean(sizes)) if sizes else None


def _cell(figures: Figures, question: str) -> str:
    time, size = _time(figures, question), _size(figures, question)
    if time is None:
        return "-"
    answers = figures["answers"][question]
    said = str(time) + ("" if size is None else f" ({size:.1f})")
    if len(answers["seconds"]) < figures["rows"]:
        said += f", {len(answers['seconds'])} rows"
    return said + (f", {len(answers['open'])} open" if answers.get("open") else "")


def _ratio(figures: Figures, theirs: str, ours: str) -> Time | None:
    peer, own = _time(figures, theirs), _time(figures, ours)
    if peer is None or own is None:
        return None
    return Time(peer.seconds / own.seconds, peer.at_least)


def report(head: str, results: Results, timeout: float, absent: dict[str, str]) -> str:
    """Return the whole page; ``absent`` says which peers could not be asked, and why."""
    origins = "; ".join(f"{name}: {origin}" for name, origin in results.origins.items())
    versions = "; ".join(f"{name}: {said}" for name, said in results.versions.items())
    others = [f"- {name}: {why}." for name, why in (absent | OTHERS).items()]
    lines = list(_bars(results.models, absent))
    parts = [
        "# Forests and boosted trees",
        head.replace("python -m benchmarks`", "python -m benchmarks.ensembles`"),
        "Medians over held-out rows, with the mean number of facts (or of changed features); "
        "`n rows` where fewer than asked were answered in the share of time of a question. We "
        f"are asked with `timeout={timeout:g}`, for a smallest reason and a nearest row with their "
        "shares. `>` is a lower bound: the peer was stopped, but not before its bar was decided. "
        "Memory is the most that the process had, with Python, numpy and the model. "
        f"{results.minutes:.0f} minutes. {origins}.",
        HOW_PEERS + (f" {versions}." if versions else ""),
        "## Bars",
        table(["bar", "measured", "verdict"], lines, left=3),
        "## Ours",
        table(
            ["model", "leaves", "direct", "quick", "exact", "exact, slowest", "minimal", "nearest",
             "memory"],
            [_own_line(name, figures) for name, figures in results.models.items()],
        ),
        "## Beside the peers",
        table(
            ["model", "PyXAI: majoritary or tree-specific", "our quick", "PyXAI: sufficient",
             "XReason, RFxpl", "our exact", "PyXAI: contrast", "DiCE", "OCEAN", "our nearest"],
            [_peer_line(name, figures) for name, figures in results.models.items() if
             any(" " in question for question in figures["answers"])],
        ),
        "## Peers that were not asked",
        "\n".join(others),
        "## What was left open",
        "\n".join(_left(results.models)) or "Nothing.",
    ]  # fmt: skip  # as the tables look
    return "\n\n".join(parts) + "\n"


def _own_line(name: str, figures: Figures) -> list[str]:
    answers = figures["answers"]
    slowest = max(answers.get("exact", {}).get("seconds", []), default=None)
    return [
        name,
        f"{figures['leaves']:,}",
        *(_cell(figures, question) for question in ("direct", "quick", "exact")),
        "-" if slowest is None else _told(slowest),
        *(_cell(figures, question) for question in ("minimal", "nearest")),
        f"{_memory(figures) / 2**20:,.0f} MiB" if _memory(figures) else "-",
    ]


def _quick_peer(figures: Figures) -> str:
    return "PyXAI majoritary" if figures["library"] == "forest" else "PyXAI tree-specific"


def _peer_line(name: str, figures: Figures) -> list[str]:
    def beside(theirs: str, ours: str) -> str:
        ratio = _ratio(figures, theirs, ours)
        if ratio is None:
            return "-"
        return f"{'>' if ratio.at_least else ''}{ratio.seconds:,.3g} times faster"

    quick = _quick_peer(figures)
    minimal = "RFxpl abductive" if figures["library"] == "forest" else "XReason abductive"
    nearest = ("PyXAI contrast", "DiCE counterfactual", "OCEAN nearest")
    return [
        name,
        *(_cell(figures, quick), beside(quick, "quick")),
        *(_cell(figures, one) for one in ("PyXAI sufficient", minimal)),
        ", ".join(beside(one, "exact") for one in ("PyXAI sufficient", minimal)),
        *(_cell(figures, one) for one in nearest),
        ", ".join(beside(one, "nearest") for one in nearest),
    ]


def _memory(figures: Figures) -> int:
    searched = ("exact", "minimal", "nearest")
    return max(int(figures["answers"].get(one, {}).get("memory", 0)) for one in searched)


def _left(models: dict[str, Figures]) -> Iterator[str]:
    for name, figures in models.items():
        for question, answers in figures["answers"].items():
            yield from (f"- {name}, {question}, {one}" for one in answers.get("open", ()))
            if answers.get("trouble"):
                yield f"- {name}, {question}: {answers['trouble']}"


def _bars(models: dict[str, Figures], absent: dict[str, str]) -> Iterator[list[str]]:
    """Give every bar with what was measured and the verdict."""
    for data, bound in (("adult", 300), ("spambase", 300), ("compas", 100)):
        chosen = [(name, f) for name, f in models.items() if f["data"] == data]
        yield _least(
            f"quick reason at least {bound} times faster than PyXAI's, {data}", bound,
            [(name, _ratio(f, _quick_peer(f), "quick")) for name, f in chosen],
        )  # fmt: skip  # a bar
    yield _shorter(models)
    forests = [(name, f) for name, f in models.items() if f["library"] == "forest"]
    ratios = [(name, _ratio(f, "PyXAI sufficient", "exact")) for name, f in forests]
    yield _least("exact reason faster than PyXAI's sufficient one, every forest", 1, ratios)
    known = [ratio.seconds for _, ratio in ratios if ratio is not None]
    middle = Time(median(known)) if known else None
    yield _least("... 10 times in the median over the models", 10, [("median", middle)])
    full = [(n, r) for n, r in ratios if n == HARDEST_BAR[0]]
    yield _least("... 300 times on 25 full adult trees", HARDEST_BAR[1], full)
    for depth, bound in ((6, 300), (3, 100)):
        bar = f"exact reason at least {bound} times faster than XReason's, depth {depth}"
        boosted = [(n, f) for n, f in models.items() if f["depth"] == depth]
        some = [(n, _ratio(f, "XReason abductive", "exact")) for n, f in boosted]
        yield (
            [bar, absent["XReason"], "not measured"]
            if "XReason" in absent
            else _least(bar, bound, some)
        )
    quick_ones = [
        (name, f)
        for name, f in models.items()
        if f["library"] != "forest" or f["data"] != "spambase"
    ]
    yield _within("exact within 1 s for 95 % of the rows of every adult, compas and boosted model",
                  quick_ones, SECOND, ENOUGH)  # fmt: skip  # a bar
    hard = [(name, f) for name, f in models.items() if name == "spambase, forest 100 x full"]
    yield _within("exact within 60 s for 90 % of spambase's 100 full trees", hard, 60, MOST)
    for peer in ("PyXAI contrast", "DiCE counterfactual"):
        some = [(name, _ratio(f, peer, "nearest")) for name, f in models.items()]
        yield _least(f"nearest counterfactual at least 20 times faster than {peer}", 20, some)
    yield _no_farther(models, absent.get("OCEAN"))
    most = [(name, _memory(f), GIB + 10 * f["bytes"]) for name, f in models.items() if _memory(f)]
    over = [name for name, used, bound in most if used > bound]
    largest = max(most, key=lambda one: one[1], default=("-", 0, 0))
    yield [
        "memory under 1 GiB plus ten times the model's arrays",
        f"most: {largest[1] / 2**20:,.0f} MiB, {largest[0]}",
        _verdict(bool(most), not over, over),
    ]


def _verdict(known: bool, met: bool, missed: Sequence[str] = ()) -> str:
    if not known:
        return "not measured"
    return "met" if met else "**missed**" + (f": {'; '.join(missed)}" if missed else "")


def _least(bar: str, bound: float, ratios: Sequence[tuple[str, Time | None]]) -> list[str]:
    """Give a bar on the smallest of ratios; a lower bound below the bar decides nothing."""
    known = [(name, ratio) for name, ratio in ratios if ratio is not None]
    if not known:
        return [bar, "-", "not measured"]
    name, least = min(known, key=lambda one: one[1].seconds)
    missed = [f"{n} ({r.seconds:,.3g})" for n, r in known if r.seconds < bound and not r.at_least]
    unsure = [n for n, r in known if r.seconds < bound and r.at_least]
    sign = ">" if least.at_least else ""
    said = f"{sign}{least.seconds:,.3g} times, {name}; {len(known)} compared"
    verdict = _verdict(True, not missed, missed)
    if unsure and not missed:
        verdict = f"not decided: the peer was stopped first on {'; '.join(unsure)}"
    return [bar, said, verdict]


def _shorter(models: dict[str, Figures]) -> list[str]:
    sizes = [(n, _size(f, "quick"), _size(f, _quick_peer(f))) for n, f in models.items()]
    known = [(n, own, peer) for n, own, peer in sizes if own is not None and peer is not None]
    longer = [f"{n} ({own:.1f} against {peer:.1f})" for n, own, peer in known if own >= peer]
    said = f"on {len(known) - len(longer)} of {len(known)} models"
    return ["quick reason shorter than PyXAI's", said, _verdict(bool(known), not longer, longer)]


def _no_farther(models: dict[str, Figures], why_not: str | None) -> list[str]:
    """Give the bar on OCEAN's rows: only those that the model puts into another class count."""
    bar = "nearest counterfactual never farther than OCEAN's, where both finish"
    if why_not:
        return [bar, why_not, "not measured"]
    asked = [(n, f["answers"]["OCEAN nearest"]) for n, f in models.items()
             if "OCEAN nearest" in f["answers"]]  # fmt: skip  # one thought
    pairs = [(name, *pair) for name, answers in asked for pair in answers["distances"]]
    both = [(name, own, peer) for name, own, peer in pairs if own is not None and peer is not None]
    wrong = [f"{name} ({own} against {peer})" for name, own, peer in both if own > peer]
    wrong += [f"{name} (ours is of the row's class)" for name, own, _ in pairs if own is None]
    nearer = sum(own < peer for _, own, peer in both)
    same = sum(peer is None for *_, peer in pairs)
    said = f"{len(both)} rows of {len({name for name, *_ in both})} models"
    said += f"; OCEAN's was farther in {nearer}" if nearer else ""
    said += f"; {same} more of OCEAN's are of the row's own class" if same else ""
    return [bar, said if pairs else "-", _verdict(bool(both) or bool(wrong), not wrong, wrong)]


def _within(
    bar: str, models: Sequence[tuple[str, Figures]], seconds: float, share: float
) -> list[str]:
    """Give a bar on the share of rows that are settled in time; an open row is not."""
    found = []
    for name, figures in models:
        answers = figures["answers"].get("exact", {})
        given = answers.get("seconds", [])
        if given:
            slow = sum(one > seconds for one in given)
            found.append((name, 1 - max(slow, len(answers["open"])) / len(given), len(given)))
    missed = [f"{name} ({part:.0%})" for name, part, _ in found if part < share]
    rows = sum(count for _, _, count in found)
    said = f"{len(found) - len(missed)} of {len(found)} models, {rows} rows"
    return [bar, said, _verdict(bool(found), not missed, missed)]
