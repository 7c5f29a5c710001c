"""The engine against its peers, in one run on the same rows: `python benchmarks/engine.py`.

Timed is the whole polynomial package for one row, through the public API: explain, direct reason,
one sufficient reason, all contrastive explanations, necessary and relevant conditions. First on the
trees scikit-learn grows on two data sets, beside TreeSHAP, `model.predict` and PyXAI; then on
complete trees, where time and memory are watched as the tree grows. Explainers, of the library and
of the peers, are made before the clock starts. Rows are 1-D float64 arrays for everyone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import mean, median

from cases import Case, data_directory, load_case
from complete_trees import Measurement, measure_apart
from package import QUESTIONS, package, package_read_out, question_by_question
from peers import HOW_TO_GET, PyXAI, agree, ask_pyxai, installed, predict, tree_shap
from report import at_least, at_most, machine, microseconds, table, write
from timing import ROUNDS, Timing, time_once, time_rows

import cattleya

DATA_SETS = ("adult", "bank_marketing")
DEPTHS = range(10, 21, 2)
TIME_LIMIT = 600.0  # seconds, for PyXAI on one data set and for one complete tree
SHAP_BAR, PREDICT_BAR, PYXAI_BAR, GROWTH_BAR, MEMORY_BAR = 5, 5, 2000, 24, 1024

PACKAGE = "**cattleya, whole package**"
COLD = "cattleya, a new explainer, each row once"
READ_OUT = "cattleya, and every condition read"
SHAP = "`shap.TreeExplainer`"
PREDICT = "`model.predict`"


def main() -> None:
    """Run all of it, print the report and write it to a file."""
    arguments = _arguments()
    folder = data_directory(arguments.data)
    parts = ["# The engine against its peers", machine(), _who_is_missing(folder)]
    for name in DATA_SETS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        case = load_case(name, folder, arguments.rows)
        parts.append(one_data_set(case, arguments.peer_rows))
    print("complete trees ...", file=sys.stderr, flush=True)
    parts.append(complete_trees())
    text = "\n\n".join(part for part in parts if part) + "\n"
    write(arguments.out, text)
    print(text)
    print(f"written to {arguments.out}", file=sys.stderr)


def one_data_set(case: Case, peer_rows: int) -> str:
    """Time the package and every peer there is on one tree."""
    explainer = cattleya.Explainer(case.model)
    contenders = {
        PACKAGE: lambda row: package(explainer, row),
        READ_OUT: lambda row: package_read_out(explainer, row),
        PREDICT: predict(case),
    }
    shap = tree_shap(case)
    if shap is not None:
        contenders[SHAP] = shap
    timings = time_rows(contenders, case.rows)
    new = cattleya.Explainer(case.model)
    timings[COLD] = time_once(lambda row: package(new, row), case.rows)
    steps = [question_by_question(explainer, row) for row in case.rows]
    pyxai = ask_pyxai(case, case.rows[:peer_rows], TIME_LIMIT)
    done = case.rows[: len(pyxai.entries)] if pyxai else ()
    same_rows = time_rows({PACKAGE: contenders[PACKAGE]}, done)[PACKAGE] if done else None

    sizes = median(len(explainer.explain(row).contrastive()) for row in case.rows)
    tree = case.model.tree_
    text = [
        f"## `{case.name}`, one row",
        f"{case.origin}; a tree of {tree.node_count:,} nodes, depth {tree.max_depth}; "
        f"{len(case.rows)} held-out rows, {ROUNDS} rounds; "
        f"{sizes:,.0f} contrastive explanations in the median row.",
        _comparison(case.name, timings, pyxai, same_rows),
        _steps(steps, pyxai),
    ]
    if pyxai is not None:
        agreed = sum(
            agree(explainer.explain(row), entry)
            for row, entry in zip(done, pyxai.entries, strict=True)
        )
        text.append(
            f"PyXAI finished {len(done)} of {len(case.rows[:peer_rows])} rows"
            + (f" ({pyxai.trouble})" if pyxai.trouble else "")
            + f"; on {agreed} of these it gave the library's direct reason, contrastive "
            "explanations, necessary and relevant conditions."
        )
    return "\n\n".join(text)


def complete_trees() -> str:
    """Measure each depth in its own process, and hold the growth against the bars."""
    measured = {depth: measure_apart(depth, TIME_LIMIT) for depth in DEPTHS}
    rows, good = [], {}
    for depth, one in measured.items():
        if isinstance(one, str):
            rows.append([str(depth), one, *["-"] * 8])
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
                f"{one.median / one.nodes * 1e9:,.0f}",
                f"{one.median / before.median:.1f} times" if before else "-",
                f"{one.memory_before / 2**20:,.0f} / {one.memory / 2**20:,.0f}",
            ]
        )
    header = ["depth", "nodes", "contrastive", "median ms", "mean ms", "CPU ms", "first ms"]
    header += ["ns a node", "against depth - 2", "peak MiB before / after"]
    return "\n\n".join(
        [
            "## Complete trees, a variable of its own at every node, the row of all ones",
            "The package for the one row, asked for the first time and then again; two more levels "
            "are four times the nodes. Peak memory of the process: with the explainer made, and "
            "at the end.",
            table(header, rows),
            _growth(good),
        ]
    )


def _comparison(
    data_set: str, timings: dict[str, Timing], pyxai: PyXAI | None, same_rows: Timing | None
) -> str:
    def faster(gain: float | None, bar: float) -> list[str]:
        """Give the gain, the bar and the verdict; there is a bar on `adult` only."""
        figure = "-" if gain is None else f"{gain:,.{0 if gain > 100 else 1}f} times faster"
        return [figure, *(at_least(gain, bar) if data_set == "adult" else ["-", "-"])]

    ours, sklearn, shap = timings[PACKAGE], timings[PREDICT], timings.get(SHAP)
    cost = ours.median / sklearn.median
    gain = shap.median / ours.median if shap else None
    rows = [
        [PACKAGE, *_two(ours), "-", "-", "-"],
        *(
            [name, *_two(one), f"{one.median / ours.median:.1f} times faster", "-", "-"]
            for name, one in timings.items()
            if name in (COLD, READ_OUT)
        ),
        [PREDICT, *_two(sklearn), f"{cost:.2f} times slower", *at_most(cost, PREDICT_BAR)],
        [SHAP, *(_two(shap) if shap else ["not found", "-"]), *faster(gain, SHAP_BAR)],
    ]
    label = f"PyXAI {installed('pyxai') or '2.0'}, the same questions"
    if pyxai is None or not pyxai.entries or same_rows is None:
        trouble = "not found" if pyxai is None else pyxai.trouble or "no row"
        rows.append([label, trouble, "-", *faster(None, PYXAI_BAR)])
    else:
        taken = Timing(tuple(pyxai.seconds()))
        label += f", {len(pyxai.entries)} rows (cattleya on them: {microseconds(same_rows.median)})"
        rows.append([label, *_two(taken), *faster(taken.median / same_rows.median, PYXAI_BAR)])
    return table(["one row", "median µs", "mean µs", "the package is", "bar", ""], rows)


def _steps(steps: list[dict[str, float]], pyxai: PyXAI | None) -> str:
    """Lay out the package question by question, in the order asked."""
    rows = []
    for name in ("explain", *QUESTIONS):
        taken = [step[name] for step in steps]
        theirs = pyxai.seconds(name) if pyxai is not None else []
        last = microseconds(median(theirs)) if theirs else "-"
        rows.append([name, microseconds(median(taken)), microseconds(mean(taken)), last])
    return table(["question, in this order", "median µs", "mean µs", "PyXAI, median µs"], rows)


def _growth(measured: dict[int, Measurement]) -> str:
    if 16 not in measured or 20 not in measured:
        return "Depth 16 or depth 20 did not finish, so the bars are **not met**."
    growth = measured[20].median / measured[16].median
    cpu = measured[20].processor / measured[16].processor
    memory = max(one.memory for one in measured.values()) / 2**20
    rows = [
        ["time at depth 20 against depth 16", f"{growth:.1f} times", *at_most(growth, GROWTH_BAR)],
        ["CPU time, likewise", f"{cpu:.1f} times", *at_most(cpu, GROWTH_BAR)],
        ["peak memory", f"{memory:,.0f} MiB", *at_most(memory, MEMORY_BAR, "MiB")],
    ]
    return table(["growth (nodes: 16.0 times)", "figure", "bar", ""], rows)


def _two(timing: Timing) -> list[str]:
    return [microseconds(timing.median), microseconds(timing.mean)]


def _who_is_missing(folder: Path | None) -> str:
    missing = [name for name in ("shap", "pyxai") if installed(name) is None]
    lines = [f"Not found: {', '.join(missing)}; `{HOW_TO_GET}` gets them."] if missing else []
    if folder is None:
        lines.append(
            "No data found (`--data DIR` or `CATTLEYA_DATA`): the data sets are synthetic."
        )
    return "  \n".join(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the engine and its peers.")
    out = Path(__file__).resolve().parent / "results" / "engine.md"
    parser.add_argument("--data", type=Path, help="folder of NAME.csv.gz (else $CATTLEYA_DATA)")
    parser.add_argument("--rows", type=int, default=200, help="rows a data set (default: 200)")
    parser.add_argument("--peer-rows", type=int, default=3, help="rows for PyXAI (default: 3)")
    parser.add_argument("--out", type=Path, default=out, help="file for the report")
    return parser.parse_args()


if __name__ == "__main__":
    main()
