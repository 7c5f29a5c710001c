"""The paper's protocol on bundled data: the same twice, and interrupted or not."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya.experiments.data.protocol import folds
from cattleya.experiments.data.registry import load
from cattleya.experiments.table import journal
from cattleya.experiments.table.report import tables, unfinished, write_tables
from cattleya.experiments.table.row_record import STEPS, RowRecord, record
from cattleya.experiments.table.statistics import FoldRecord, OurSpread, spread, summarise
from cattleya.experiments.table.table1 import ROWS_FILE, Settings, run, summary_of

SMALL = Settings(folds=3, rows=4, timeout=20.0)


def answers(path: Path) -> list[dict[str, Any]]:
    """What a run found, in an order of its own, and without the time that it took."""
    kept = [
        {key: value for key, value in entry.items() if key != "seconds"}
        for entry in journal.entries(path / ROWS_FILE)
    ]
    return sorted(kept, key=lambda entry: (entry["data"], entry["fold"], entry.get("row", -1)))


def test_folds_are_a_partition_and_fewer_rows_are_the_first_of_more() -> None:
    data = load("iris")
    parts = list(folds(data, 10, 100, 0))
    assert sorted(int(i) for part in parts for i in part.test) == list(range(150))
    for part, fewer in zip(parts, folds(data, 10, 5, 0), strict=True):
        assert set(part.drawn) == set(part.test.tolist())
        assert fewer.drawn == part.drawn[:5]
    assert [f.drawn for f in folds(data, 10, 5, 1)] != [f.drawn for f in folds(data, 10, 5, 0)]
    with pytest.raises(ValueError, match="2 to 150 folds, not 1"):
        next(folds(data, 1, 5, 0))


def test_a_row_has_what_the_library_says_about_it() -> None:
    fold = next(folds(load("breast_cancer"), 10, 5, 0))
    explainer = cattleya.Explainer(fold.model)
    for number in fold.drawn:
        row = fold.data.row(number)
        found = record(explainer, row, "breast_cancer", "s", 0, number, 20.0)
        e = explainer.explain(row)
        reasons = list(e.sufficient_reasons())
        shortest = min(map(len, reasons))
        assert found.count == len(reasons)
        assert found.minimal == shortest
        assert found.count_minimal == sum(len(reason) == shortest for reason in reasons)
        assert found.mean_size == pytest.approx(sum(map(len, reasons)) / len(reasons))
        assert found.sufficient == len(e.sufficient_reason())
        assert found.necessary == len(frozenset.intersection(*map(frozenset, reasons)))
        assert found.relevant == found.weighed == len(frozenset.union(*map(frozenset, reasons)))
        assert sum((found.contrastive or {}).values()) == len(e.contrastive())
        assert set(found.seconds) == set(STEPS)
        assert not found.unfinished


def test_two_runs_with_one_seed_are_equal_on_one_core_and_on_two(tmp_path: Path) -> None:
    sets = [load("breast_cancer"), load("iris")]
    run(sets, SMALL, tmp_path / "a", quiet=True)
    run(sets, replace(SMALL, jobs=2), tmp_path / "b", quiet=True)
    assert answers(tmp_path / "a") == answers(tmp_path / "b")
    run(sets, replace(SMALL, seed=1), tmp_path / "c", quiet=True)
    assert answers(tmp_path / "a") != answers(tmp_path / "c")


@pytest.mark.parametrize("cut", ["after a line", "within a line", "within a letter"])
def test_interrupted_and_resumed_is_uninterrupted(tmp_path: Path, cut: str) -> None:
    sets = [load("wine")]
    whole = run(sets, SMALL, tmp_path / "whole", quiet=True)
    written = (tmp_path / "whole" / ROWS_FILE).read_bytes()
    lines = written.splitlines(keepends=True)
    part = tmp_path / "part" / ROWS_FILE
    part.parent.mkdir()
    kept = b"".join(lines[:6])
    rest = {
        "after a line": b"",
        "within a line": lines[6][:40],
        "within a letter": b'{"data": "\xc3',
    }
    part.write_bytes(kept + rest[cut])
    resumed = run(sets, SMALL, tmp_path / "part", quiet=True)
    assert part.read_bytes().startswith(kept + rest[cut])  # nothing is written anew
    rows = [entry for entry in answers(tmp_path / "part") if "row" in entry]
    assert rows == [entry for entry in answers(tmp_path / "whole") if "row" in entry]
    for one, other in zip(whole, resumed, strict=True):
        assert one.spreads == other.spreads
        assert (one.rows, one.folds, one.accuracy) == (other.rows, other.folds, other.accuracy)


def test_a_finished_run_is_not_done_again_and_more_rows_go_on(tmp_path: Path) -> None:
    sets = [load("iris")]
    run(sets, SMALL, tmp_path, quiet=True)
    before = (tmp_path / ROWS_FILE).read_bytes()
    run(sets, SMALL, tmp_path, quiet=True)
    assert (tmp_path / ROWS_FILE).read_bytes() == before
    more = run(sets, replace(SMALL, rows=6), tmp_path, quiet=True)
    assert (tmp_path / ROWS_FILE).read_bytes().startswith(before)
    assert more[0].rows == 18
    (fewer,) = run(sets, SMALL, tmp_path, quiet=True, only_summarise=True)
    assert fewer.rows == 12


@pytest.mark.parametrize(
    "damage", [{"count": "12"}, {"contrastive": {"two": 1}}, {"seconds": []}, {"minimal": 2.5}]
)
def test_a_line_that_is_no_result_is_refused(tmp_path: Path, damage: dict[str, Any]) -> None:
    run([load("iris")], SMALL, tmp_path, quiet=True)
    path = tmp_path / ROWS_FILE
    last = json.loads(path.read_text().splitlines()[-1])
    journal.append(path, last | damage)
    with pytest.raises(ValueError, match=r"rows\.jsonl.*remove the line, or name another"):
        run([load("iris")], SMALL, tmp_path, quiet=True)


def test_rows_of_other_data_are_not_used(tmp_path: Path) -> None:
    iris = load("iris")
    run([iris], SMALL, tmp_path, quiet=True)
    other = replace(iris, x=np.round(iris.x))
    assert summary_of(other, SMALL, tmp_path) is None
    assert len(run([iris, other], SMALL, tmp_path, quiet=True, only_summarise=True)) == 1
    with pytest.raises(ValueError, match="no row is done yet"):
        run([other], SMALL, tmp_path, quiet=True, only_summarise=True)


def test_what_ran_out_of_time_is_done_again_with_more(tmp_path: Path) -> None:
    sets = [load("iris")]
    run(sets, SMALL, tmp_path, quiet=True)
    path = tmp_path / ROWS_FILE
    entries = list(journal.entries(path))
    late = entries[1] | {"count": None, "unfinished": {"count": "time"}}
    path.write_text("".join(json.dumps(entry) + "\n" for entry in [*entries, late]))
    (found,) = run(sets, SMALL, tmp_path, quiet=True)  # with no more time than before
    assert found.unfinished == ((late["fold"], late["row"], {"count": "time"}),)
    assert len(list(journal.entries(path))) == len(entries) + 1
    assert not run(sets, replace(SMALL, timeout=40.0), tmp_path, quiet=True)[0].unfinished


def test_what_runs_out_is_told_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = next(folds(load("breast_cancer"), 10, 1, 0))
    explainer = cattleya.Explainer(fold.model)
    counted = cattleya.Explanation.count

    def count(e: cattleya.Explanation, kind: str = "sufficient", **options: Any) -> int:
        if kind == "sufficient":
            raise cattleya.TimeoutExpired("late")
        if kind == "minimal":
            raise cattleya.MemoryLimitExceeded("large")
        return counted(e, kind, **options)

    monkeypatch.setattr(cattleya.Explanation, "count", count)
    found = record(explainer, fold.data.row(fold.drawn[0]), "b", "s", 0, 7, 1.0)
    assert found.unfinished == {"count": "time", "importance": "time", "count minimal": "memory"}
    assert (found.count, found.mean_size, found.count_minimal) == (None, None, None)
    assert found.minimal is not None


# The aggregation, on rows made by hand


def made(row: int, count: int | None, sizes: dict[int, int], **more: Any) -> RowRecord:
    found = RowRecord("d", "s", 0, row, 1.0, sizes, 3, 1, 4, 2, count, 2.5, 4, 1, {"count": 0.5})
    for key, value in more.items():
        setattr(found, key, value)
    return found


def test_medians_and_maxima_of_rows_made_by_hand() -> None:
    trees = [FoldRecord("d", "s", 0, 0.5, 9, 4), FoldRecord("d", "s", 1, 1.0, 11, 5)]
    rows = [made(0, 1, {1: 1}), made(1, 10**30, {1: 1, 3: 4}), made(2, 7, {2: 2}, sufficient=9)]
    found = summarise("d", trees, rows)
    assert (found.accuracy, found.nodes, found.binary_features) == (75.0, 10, 4.5)
    assert found.spreads["#Sufficient"] == spread([1, 10**30, 7])
    assert found.spreads["#Sufficient"].maximum == 10**30
    assert found.spreads["#Sufficient"].low == 7
    assert found.spreads["|Sufficient|"].low == 3
    assert found.spreads["|Sufficient|"].maximum == 9
    # All contrastive explanations together: 1, 1, 2, 2, 3, 3, 3, 3.
    assert found.spreads["|Contrastive|"].low == Fraction(5, 2)
    assert found.spreads["#Contrastive"].low == 2
    assert found.seconds["count"] == (0.5, 0.5)
    assert found.total_seconds == 1.5


def test_rows_that_are_not_known_are_not_left_out() -> None:
    open_end = spread([1, 2, None])
    assert open_end == OurSpread(Fraction(1), Fraction(2), 2, 1)
    assert spread([1, None, None]).high is None
    assert spread([None]).maximum is None
    assert spread([4, 4, 4, None]).low == spread([4, 4, 4, None]).high == 4
    late = made(3, None, {1: 1}, unfinished={"count": "time", "importance": "memory"})
    found = summarise("adult", [FoldRecord("d", "s", 0, 1, 9, 4)], [made(0, 5, {1: 1}), late])
    assert unfinished([found]) == [
        "adult, count: 1 rows: 3 (fold 1)",
        "adult, importance: 1 rows: 3 (fold 1, memory)",
    ]
    counts = tables([found])[1].rows[0]
    assert counts[2:4] == [">=2.5", ">=5"]


def test_a_step_that_was_not_asked_took_no_time() -> None:
    asked = [RowRecord("d", "s", 0, i, 9.0, seconds={"importance": float(i)}) for i in (1, 2, 3)]
    skipped = RowRecord("d", "s", 0, 4, 9.0, unfinished={"importance": "time"})
    found = summarise("d", [FoldRecord("d", "s", 0, 1.0, 3, 1)], [*asked, skipped])
    assert found.seconds["importance"] == (2.0, 3.0)


def test_tables_in_every_form(tmp_path: Path) -> None:
    trees = [FoldRecord("adult", "s", 0, 0.5, 9, 4)]
    found = summarise("adult", trees, [made(0, 10**24 + 1, {1: 1})])
    names = {path.name for path in write_tables([found], tmp_path)}
    assert names == {"table1.txt", "table1.md", "table1.tex"} | {
        f"table1-{n}.csv" for n in (1, 2, 3)
    }
    for name in ("table1.txt", "table1.md", "table1-2.csv", "table1.tex"):
        text = (tmp_path / name).read_text()
        assert str(10**24 + 1) in text  # every digit
        assert "1573835722607300000000000" in text  # the paper's, beside it
    assert r"\|Sufficient\|" in (tmp_path / "table1.md").read_text()
    assert r"\#Sufficient" in (tmp_path / "table1.tex").read_text()


def test_lines_are_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "rows.jsonl"
    assert list(journal.entries(path)) == []
    journal.append(path, {"a": 10**40})
    path.write_bytes(path.read_bytes() + b'{"a": ')
    journal.append(path, {"b": "é"})
    assert list(journal.entries(path)) == [{"a": 10**40}, {"b": "é"}]
    with pytest.raises(ValueError, match="JSON"):
        journal.append(path, {"a": float("nan")})


def test_records_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    journal.append(path, asdict(made(0, 10**30, {1: 2, 10: 3})))
    (entry,) = journal.entries(path)
    assert entry["contrastive"] == {"1": 2, "10": 3}
    assert entry["count"] == 10**30
