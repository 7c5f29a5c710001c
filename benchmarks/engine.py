"""The engine against its peers, on the same rows.

Timed is the whole polynomial package for one row, through the public API and with every condition
of every answer read: explain, direct reason, one sufficient reason, all contrastive explanations,
necessary and relevant conditions. First on the trees scikit-learn grows on two data sets, beside
TreeSHAP, `model.predict` and PyXAI; then on complete trees, where time and memory are watched as
the tree grows. Explainers, of the library and of the peers, are made before the clock starts. Rows
are 1-D float64 arrays for everyone. PyXAI runs in a process of its own, the others take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

import cattleya
from benchmarks.cases import about, load_case, rows_of
from benchmarks.complete_trees import Measurement, measure_apart
from benchmarks.package import QUESTIONS, package, question_by_question, unread
from benchmarks.report import Finding, Report, at_least, at_most, microseconds, spread, table, times
from benchmarks.settings import Settings
from benchmarks.timing import Row, Timing, time_once, time_rows
from cattleya.experiments.data.protocol import Fold
from cattleya.experiments.machine import installed
from cattleya.experiments.peers.apart import rows_apart
from cattleya.experiments.peers.asking import PEERS

DATA_SETS = ("adult", "bank_marketing")
SHAP_BARS = {"adult": 6, "bank_marketing": 4}
PREDICT_BAR, PYXAI_BAR, GROWTH_BAR, MEMORY_BAR = 5, 2000, 24, 1024
READ_BAR = 2

PACKAGE = "**cattleya, every condition turned into a Python object**"
UNREAD = "cattleya, without turning conditions into Python objects"
READING = "turning conditions into Python objects, against all else"
COLD = "cattleya, a new explainer, each row once"
SHAP = "`shap.TreeExplainer`"
PREDICT = "`model.predict`"
# PyXAI's names of our steps, in the order in which they are asked.
PYXAI = dict(
    zip(
        ("explain", *QUESTIONS),
        ("row", "direct", "sufficient", "contrastive", "necessary", "relevant"),
        strict=True,
    )
)


def measure(settings: Settings, folder: Path | None) -> Report:
    """Time everything; what is found in short is of the first data set."""
    findings: list[Finding] = []
    parts = []
    for name in DATA_SETS:
        case = load_case(name, folder, settings.rows, settings.made_up_rows)
        told, text = one_data_set(case, settings)
        findings = findings or told
        parts.append(text)
    sentences, text = complete_trees(settings)
    return Report("The engine against its peers", [*parts, text], findings, sentences)


def one_data_set(case: Fold, settings: Settings) -> tuple[list[Finding], str]:
    """Time the package and every peer there is on one tree."""
    explainer, rows, model = cattleya.Explainer(case.model), rows_of(case), case.model
    contenders: dict[str, Callable[[Row], object]] = {
        PACKAGE: lambda row: package(explainer, row),
        UNREAD: lambda row: unread(explainer, row),
        PREDICT: lambda row: model.predict(row.reshape(1, -1)),
    }
    if installed("shap") is not None:
        import shap

        contenders[SHAP] = shap.TreeExplainer(model).shap_values
    timings = time_rows(contenders, rows, settings.rounds)
    new = cattleya.Explainer(model)
    timings[COLD] = time_once(lambda row: package(new, row), rows)
    steps = [question_by_question(explainer, row) for row in rows]
    pyxai = ask_pyxai(model, rows[: settings.pyxai_rows], settings.pyxai_limit)
    done = [(row, entry) for row, entry in zip(rows, pyxai, strict=False) if "trouble" not in entry]
    same = [row for row, _ in done]
    beside = time_rows({PACKAGE: contenders[PACKAGE]}, same, settings.rounds) if same else {}
    theirs = Timing(tuple(sum(entry["seconds"].values()) for _, entry in done))
    rows_told, findings = _comparison(case, timings, theirs, beside.get(PACKAGE))

    sizes = median(len(explainer.explain(row).contrastive()) for row in rows)
    text = [
        f"## `{case.data.name}`, one row",
        f"{about(case)}, {settings.rounds} rounds; {sizes:,.0f} contrastive explanations in the "
        f"median row.",
        table(["one row", "median µs", "mean µs", "cattleya is", "bar", "verdict"], rows_told),
        _steps(steps, [entry["seconds"] for _, entry in done]),
    ]
    if pyxai:
        agreed = sum(_agrees(explainer.explain(row), entry) for row, entry in done)
        troubles = sorted({entry["trouble"] for entry in pyxai if "trouble" in entry})
        text.append(
            f"PyXAI finished {len(done)} of {len(pyxai)} rows"
            + (f" ({'; '.join(troubles)})" if troubles else "")
            + f"; on {agreed} of these it gave the library's direct reason, contrastive "
            "explanations, necessary and relevant conditions, and a sufficient reason."
        )
    return findings, "\n\n".join(text)


def ask_pyxai(model: Any, rows: list[Row], limit: float) -> list[dict[str, Any]]:
    """Ask PyXAI the questions of the package, in a process of its own."""
    if installed("pyxai") is None or not rows:
        return []
    given = {"model": model, "questions": tuple(PYXAI.values())[1:]}
    return rows_apart("cattleya.experiments.peers.workers.pyxai", given, rows, limit)


def _agrees(explanation: cattleya.Explanation, entry: dict[str, Any]) -> bool:
    judge = PEERS["PyXAI"].judge
    return all(judge(explanation, entry, question)[0] for question in tuple(PYXAI.values())[1:])


def complete_trees(settings: Settings) -> tuple[list[str], str]:
    """Measure each depth in its own process, and hold the growth against the bars."""
    measured = {depth: measure_apart(depth, settings) for depth in settings.depths}
    rows, good = [], {}
    for depth, one in measured.items():
        if isinstance(one, str):
            rows.append([str(depth), one, *["-"] * 9])
            continue
        good[depth] = one
        before = good.get(depth - 2)
        rows.append(
            [
                str(depth),
                f"{one.nodes:,}",
                f"{one.contrastive:,}",
                f"{one.median * 1e3:,.2f}",
                f"{one.mean * 1e3:,.2f}",
                f"{one.processor * 1e3:,.2f}",
                f"{one.first * 1e3:,.2f}",
                f"{one.unread * 1e3:,.2f}",
                f"{one.median / one.nodes * 1e9:,.0f}",
                f"{one.median / before.median:.1f} times" if before else "-",
                f"{one.memory_before / 2**20:,.0f} / {one.memory / 2**20:,.0f}",
            ]
        )
    header = ["depth", "nodes", "contrastive", "median ms", "mean ms", "CPU ms", "first ms"]
    header += ["without objects, median ms", "ns a node", "against depth - 2"]
    header.append("peak MiB before / after")
    sentences, growth = _growth(good, settings)
    return sentences, "\n\n".join(
        [
            "## Complete trees, a variable of its own at every node, the row of all ones",
            "The package for the one row, asked for the first time and then again; the time "
            "includes turning every condition into a Python object. Two more levels are four times "
            "the nodes. Peak memory of the process: with the explainer made, and at the end.",
            table(header, rows),
            growth,
        ]
    )


def _comparison(
    case: Fold, timings: dict[str, Timing], pyxai: Timing, same_rows: Timing | None
) -> tuple[list[list[str]], list[Finding]]:
    ours, sklearn, shap = timings[PACKAGE], timings[PREDICT], timings.get(SHAP)
    cost = ours.median / sklearn.median
    gain = shap.median / ours.median if shap else None
    shap_bar = at_least(gain, SHAP_BARS[case.data.name])
    bars = case.data.name == "adult"  # these are of that alone
    predict_bar = at_most(cost, PREDICT_BAR) if bars else ("-", "-")
    rows = [[PACKAGE, *spread(ours), "-", "-", "-"]]
    for name in (UNREAD, COLD):
        ratio = times(ours.median / timings[name].median, "times its time")
        rows.append([name, *spread(timings[name]), ratio, "-", "-"])
    found = timings[UNREAD].median
    reading = (ours.median - found) / found
    rows.append([READING, "-", "-", times(reading, "times that"), *at_most(reading, READ_BAR)])
    rows.append([PREDICT, *spread(sklearn), times(cost, "times slower"), *predict_bar])
    told = spread(shap) if shap else ["not installed", "-"]
    rows.append([SHAP, *told, times(gain, "times faster"), *shap_bar])
    label = f"PyXAI {installed('pyxai') or '(not installed)'}"
    if same_rows is None:
        far, far_bar = None, (at_least(None, PYXAI_BAR) if bars else ("-", "-"))
        rows.append([f"{label}, the same questions", "-", "-", "-", *far_bar])
    else:
        far = pyxai.median / same_rows.median
        far_bar = at_least(far, PYXAI_BAR) if bars else ("-", "-")
        what = (
            f"{label}, the same questions, {len(pyxai.seconds)} rows (cattleya on them: "
            f"{microseconds(same_rows.median)})"
        )
        rows.append([what, *spread(pyxai), times(far, "times faster"), *far_bar])
    question = (
        "direct, sufficient, contrastive, necessary, relevant; the time includes turning every "
        "condition into a Python object"
    )
    findings = []
    if shap:
        findings.append(
            Finding(
                SHAP,
                f"Shapley values; ours: {question}",
                f"{microseconds(shap.median)} µs",
                f"{microseconds(ours.median)} µs",
                times(gain),
                shap_bar,
            )
        )
    if same_rows is not None:
        findings.append(
            Finding(
                label,
                "those five; our time includes the same",
                f"{microseconds(pyxai.median)} µs",
                f"{microseconds(same_rows.median)} µs",
                times(far),
                far_bar,
            )
        )
    return rows, findings


def _steps(steps: list[dict[str, float]], pyxai: list[dict[str, float]]) -> str:
    """Lay out the package question by question, in the order asked."""
    rows = []
    for name in ("explain", *QUESTIONS):
        taken = [step[name] for step in steps]
        theirs = [seconds[PYXAI[name]] for seconds in pyxai]
        last = microseconds(median(theirs)) if theirs else "-"
        rows.append([name, microseconds(median(taken)), microseconds(mean(taken)), last])
    return table(["question, in this order", "median µs", "mean µs", "PyXAI, median µs"], rows)


def _growth(measured: dict[int, Measurement], settings: Settings) -> tuple[list[str], str]:
    low, high = settings.depths[-3:][0], settings.depths[-1]  # 16 times the nodes
    if low not in measured or high not in measured:
        return [], f"Depth {low} or depth {high} did not finish, so the bars are **missed**."
    small, large = measured[low], measured[high]
    nodes = large.nodes / small.nodes
    growth, cpu = large.median / small.median, large.processor / small.processor
    unread_growth = large.unread / small.unread
    memory = max(one.memory for one in measured.values()) / 2**20
    rows = [
        [f"time at depth {high} against depth {low}", times(growth),
         *at_most(growth, GROWTH_BAR)],
        ["CPU time, likewise", times(cpu), *at_most(cpu, GROWTH_BAR)],
        ["time, without turning conditions into Python objects", times(unread_growth), "-", "-"],
        ["peak memory", f"{memory:,.0f} MiB", *at_most(memory, MEMORY_BAR, "MiB")],
    ]  # fmt: skip  # a list in few lines
    bar, verdict = at_most(growth, GROWTH_BAR)
    sentence = (
        f"The five questions on complete trees of {small.nodes:,} and of {large.nodes:,} nodes: "
        f"{nodes:.0f} times the nodes take {times(growth)} as long ({bar}: {verdict})."
    )
    header = [f"growth (nodes: {nodes:.1f} times)", "figure", "bar", "verdict"]
    return [sentence], table(header, rows)
