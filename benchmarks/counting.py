"""Counting sufficient reasons, beside Ganak and d4: `python benchmarks/counting.py`.

Random held-out rows of the trees that scikit-learn grows on four data sets. On each, one after the
other and on one core: counting through the public API, importance and counting, the circuit, Ganak
on the paper's CNF of the same clauses, and on some rows PyXAI, which calls d4. Everything is timed
from the row to the number, except Ganak, which is given the clauses. Explainers are made, and
modules imported, before the clock starts. A call that takes less than 0.1 s is made three times,
and the median counts.

What was measured is kept in a file beside the report, and a run goes on where the last one stopped.
When the library was built anew, it is measured again; its peers are not.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

import counting_report as report_of
from cases import Case, data_directory, load_case
from counters import (
    Job,
    circuit,
    count,
    d4,
    ganak,
    importance_and_count,
    memory,
    offers_threads,
    two_threads,
)
from counting_figures import RowRecords, wrong
from peers import HOW_TO_GET, installed
from records import Journal, Record, build_of_library
from report import machine, write

import cattleya

DATA_SETS = "adult,bank_marketing,bank,lending_loan"
SEED = 0
OURS = {"count": count, "importance": importance_and_count, "compile": circuit}
PEERS = {"ganak": ganak, "d4": d4}
LATER = {"memory": memory, "threads": two_threads}
CALLS = OURS | PEERS | LATER
IN_MEMORY = 3  # of the slowest rows, memory is measured


class Run:
    """One run: the journal, and what to measure."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.journal = Journal(arguments.out.with_suffix(".jsonl"), arguments.fresh)
        self.build = build_of_library()
        self.limits = dict.fromkeys(CALLS, arguments.timeout)
        self.limits["ganak"] = arguments.ganak_timeout or arguments.timeout
        self.limits["d4"] = arguments.d4_timeout or arguments.timeout
        peers = {"ganak": arguments.rows, "d4": arguments.peer_rows}
        found = {"ganak": installed("pyganak"), "d4": installed("pyxai")}
        self.peer_rows = {who: n if found[who] else 0 for who, n in peers.items()}
        self.earlier = 0

    def measure(self, case: Case) -> list[RowRecords]:
        """Measure all contenders on all rows of a data set."""
        explainer = cattleya.Explainer(case.model)
        explainer.explain(case.rows[0]).contrastive()  # warms up
        jobs = [Job(case, explainer, row) for row in case.rows]
        rows = []
        for position, (number, job) in enumerate(zip(case.numbers, jobs, strict=True)):
            whos = [*OURS, *(who for who, n in self.peer_rows.items() if position < n)]
            rows.append(self._one_row(number, job, whos, {}))
        by_time = sorted(range(len(rows)), key=lambda i: -rows[i].seconds("importance"))
        sizes = [row.by["compile"].value or 0 for row in rows]
        worst = {*by_time[:IN_MEMORY], sizes.index(max(sizes))}
        hard = [i for i in by_time if rows[i].seconds("count") < self.limits["count"]][:1]
        for i in worst | set(hard):
            whos = ["memory"] if i in worst else []
            whos += ["threads"] if i in hard and offers_threads() else []
            rows[i] = self._one_row(case.numbers[i], jobs[i], whos, dict(rows[i].by))
        return rows

    def _one_row(self, number: int, job: Job, whos: list[str], by: dict[str, Record]) -> RowRecords:
        tree = f"{job.case.name}, {job.case.model.tree_.node_count} nodes"
        clauses = job.explainer.explain(job.row).count("contrastive")
        for who in whos:
            limit = self.limits[who]
            wanted = None if who in PEERS else self.build
            record = self.journal.find(tree, number, who, limit, wanted)
            if record is None:
                fields = CALLS[who](job, limit)
                record = Record(tree, number, who, clauses, limit, self.build, **fields)
                self.journal.add(record)
                _tell(record)
            self.earlier += record.build != self.build
            by[who] = record
        return RowRecords(job.case.name, number, clauses, by)

    def notes(self, folder: Path | None) -> str:
        """Tell what the reader should know about all the figures."""
        limits = ", ".join(f"{who} {self.limits[who]:g} s" for who in ("count", "ganak", "d4"))
        lines = [f"Time limits: {limits} (of d4 alone, without PyXAI's making of the CNF)."]
        missing = [n for n in ("pyganak", "pyxai") if installed(n) is None]
        if missing:
            lines.append(f"Not found: {', '.join(missing)}; `{HOW_TO_GET}` gets them.")
        if folder is None:
            lines.append("No data found (`--data DIR` or `CATTLEYA_DATA`): it is synthetic.")
        if self.earlier:
            lines.append(f"{self.earlier} of the peers' times are of a run with an earlier build.")
        return "  \n".join(lines)


def main() -> None:
    """Run all of it; print the report, and write it to a file after each data set."""
    arguments = _arguments()
    for number in (signal.SIGINT, signal.SIGTERM):  # either way its workers are ended too
        signal.signal(
            number, lambda *_: sys.exit("interrupted; the same command goes on from here")
        )
    folder = data_directory(arguments.data)
    run, head = Run(arguments), machine()
    sections: list[str] = []
    every: list[RowRecords] = []
    for name in arguments.datasets.split(","):
        case = load_case(name, folder, arguments.rows, SEED)
        rows = run.measure(case)
        every += rows
        sections.append(_section(case, rows))
        parts = ["# Counting sufficient reasons", head, run.notes(folder), *sections]
        parts += ["## All of these", report_of.bars(every), report_of.errors(every)]
        text = "\n\n".join(parts) + "\n"
        write(arguments.out, text)
    print(text)
    print(f"written to {arguments.out}", file=sys.stderr)
    if wrong(every):
        raise SystemExit("counts differ; see the report")


def _section(case: Case, rows: list[RowRecords]) -> str:
    tree = case.model.tree_
    about = f"{case.origin}; a tree of {tree.node_count:,} nodes; {len(rows)} held-out rows."
    return "\n\n".join(
        [
            f"## `{case.name}`",
            about,
            report_of.times(rows),
            report_of.bars(rows, case.name),
            report_of.unfinished(rows),
            report_of.errors(rows),
            report_of.slowest(rows),
        ]
    )


def _tell(record: Record) -> None:
    took = record.trouble if record.seconds is None else f"{record.seconds:.4f} s"
    text = f"{record.tree}, row {record.row}, {record.clauses} clauses: {record.who} {took}"
    print(text, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time counting and its peers.")
    add = parser.add_argument
    out = Path(__file__).resolve().parent / "results" / "counting.md"
    add("--data", type=Path, help="folder of NAME.csv.gz (else $CATTLEYA_DATA)")
    add("--rows", type=int, default=100, help="rows a data set (default: 100)")
    add("--datasets", default=DATA_SETS, help=f"names, with commas (default: {DATA_SETS})")
    add("--peer-rows", type=int, default=10, help="rows a data set for d4 (default: 10)")
    add("--timeout", type=float, default=100.0, help="seconds a row (default: 100)")
    add("--ganak-timeout", type=float, help="seconds a row for Ganak, if not the same")
    add("--d4-timeout", type=float, help="seconds a row for d4, if not the same")
    add("--out", type=Path, default=out, help="file for the report")
    add("--fresh", action="store_true", help="forget what was measured before")
    return parser.parse_args()


if __name__ == "__main__":
    main()
