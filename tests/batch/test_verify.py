"""Results that were changed by hand fail; those that were not are proved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.model_files import read_model, write_model
from tests.checks.command import answer, called, fails, fails_for_rows, succeeds
from tests.samples.results_0_1 import write_result_0_1
from tests.samples.wines import BATCH, VERIFY, change, contents

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize(
    ("column", "by_hand"),
    [
        ("sufficient_conditions", lambda old: old[:-1]),
        ("sufficient", lambda old: old + "0"),
        ("sufficient_size", lambda old: old + 1),
        ("minimal_conditions", lambda old: ["nonsense > 3.0", *old[1:]]),
        ("contrastive_conditions", lambda old: old[1:] + old[:1]),
        ("contrastive_conditions", lambda old: [*old[:-1], old[0]]),
        ("contrastive_count", lambda old: old + 1),
        ("necessary", lambda old: old[1:]),
        ("count", lambda old: old + "0"),
        ("importance", lambda old: old[1:]),
        ("prediction", lambda old: (old + 1) % 3),
        ("status", lambda _: "error"),
        ("status", lambda _: "no such reason"),
        ("row", lambda old: old + 1),
        ("id", lambda old: old + "0"),
        ("sufficient", lambda _: None),
        ("minimal_size", lambda old: old - 1),
        ("contrastive", lambda old: old + "0"),
        ("contrastive_size", lambda old: old + 1),
        ("contrastive_conditions", lambda _: None),
        ("necessary_features", lambda old: [*old, "hue"]),
        ("necessary_count", lambda old: old + 1),
        ("relevant_count", lambda old: old - 1),
        ("minimal_count", lambda _: None),
        ("feature_importance", lambda old: [(old[0][0], "1/7"), *old[1:]]),
        ("status", lambda _: "timeout"),
        ("status", lambda _: "memory"),
        ("status", lambda _: "fine"),
        ("error", lambda _: "none"),
    ],
)
def test_what_is_changed_by_hand_is_found(
    made_result: Path, tmp_path: Path, column: str, by_hand: Any
) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    change(tmp_path / "out.parquet", column, 77, by_hand)
    done = called(*VERIFY, cwd=tmp_path)
    assert done.returncode == 6
    assert "REFUTED: row 77:" in done.stderr
    assert done.stderr.count("REFUTED") == 1


def test_what_is_not_proved_in_time_is_not_called_wrong(made_result: Path) -> None:
    done = called(*VERIFY, "--timeout", "0.0000001", cwd=made_result)
    assert done.returncode == 6
    assert "OPEN: row 0: could not be proved" in done.stderr
    assert "REFUTED" not in done.stderr
    assert "0 answers wrong, 100 rows neither proved nor refuted, 0 rows proved" in done.stderr


def test_what_is_true_is_proved_and_that_is_said(made_result: Path, tmp_path: Path) -> None:
    """Another reason of the row in the place of the one that was written: no proof tells them."""
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    row, out = 77, tmp_path / "out.parquet"
    table = parquet.read_table(out)
    written = table.column("sufficient_conditions")[row].as_py()
    explainer = cattleya.Explainer(read_model(tmp_path / "wine.skops"))
    rows = parquet.read_table(tmp_path / "wine.parquet").to_pandas().drop(columns="bottle")
    e = explainer.explain(rows.iloc[[row]])
    reasons = e.sufficient_reasons()
    other = next(reason for reason in reasons if {str(c) for c in reason} != set(written))
    change(out, "sufficient_conditions", row, lambda _: [str(condition) for condition in other])
    change(out, "sufficient", row, lambda _: str(other))
    change(out, "sufficient_size", row, lambda _: len(other))
    covered = e.reach(other, rows).covered
    assert covered != table.column("sufficient_covered")[row].as_py()
    assert f"it covers {covered} of" in called(*VERIFY, cwd=tmp_path).stderr
    change(out, "sufficient_covered", row, lambda _: covered)
    told = succeeds(*VERIFY, cwd=tmp_path)
    assert told.startswith("Proved: all 100 rows")
    assert "a reason that was replaced by another true one is proved as well" in told
    told = " ".join(succeeds("verify", "--help", cwd=tmp_path).split())
    assert "It does not detect who wrote the file" in told
    assert "sign the file" in told


def test_the_class_is_not_taken_from_the_search(
    made_result: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    change(tmp_path / "out.parquet", "prediction", 77, lambda old: (old + 1) % 3)
    wrong = property(lambda e: (e.row_class + 1) % 3)
    monkeypatch.setattr(cattleya.Explanation, "prediction", wrong)
    done = called(*VERIFY, cwd=tmp_path)
    assert "REFUTED: row 77: its class is" in done.stderr
    assert done.stderr.count("REFUTED") == 1


def test_a_mark_that_a_spreadsheet_adds_refutes_nothing(wine_folder: Path) -> None:
    batch = [one.replace("out.parquet", "out.csv") for one in BATCH]
    succeeds(*batch, cwd=wine_folder)
    result = wine_folder / "out.csv"
    result.write_bytes(b"\xef\xbb\xbf" + result.read_bytes())
    succeeds("verify", "out.csv", *VERIFY[2:], cwd=wine_folder)


def test_a_size_that_is_wrong_is_told(made_result: Path, tmp_path: Path) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    change(tmp_path / "out.parquet", "contrastive_size", 77, lambda _: 9)
    assert "contrastive_size is 9, not 1" in called(*VERIFY, cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("over", "zz"), ("over", None), ("over", ["features"]), ("part", 0), ("part", "8")),
        *(("model", None), ("data", 3), ("definition", []), ("id_column", 7)),
        *(("want", "count"), ("exclude", None), ("immutable", {}), ("contrasts", True)),
        *(
            ("timeout", -1),
            ("part", 10**30),
            ("timeout", "1"),
            ("memory_limit", -1),
            ("parameters", None),
            ("parameters", []),
        ),
    ],
)
def test_a_result_that_does_not_say_how_it_was_made(
    made_result: Path, tmp_path: Path, name: str, value: object
) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    table = parquet.read_table(tmp_path / "out.parquet")
    said = json.loads(table.schema.metadata[b"cattleya"])
    (said["parameters"] if name in said["parameters"] else said)[name] = value
    named = table.replace_schema_metadata({b"cattleya": json.dumps(said).encode()})
    parquet.write_table(named, tmp_path / "out.parquet")
    told = fails(2, *VERIFY, cwd=tmp_path)
    wrong = "want" if name == "parameters" else name
    assert f"{wrong!r} is " in told
    assert "make it again" in told


@pytest.mark.parametrize("gone", [slice(50, 51), slice(99, 100), slice(0, 100)])
def test_rows_that_are_gone_or_too_many_are_found(
    made_result: Path, tmp_path: Path, gone: slice
) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    table = parquet.read_table(made_result / "out.parquet")
    kept = pa.concat_tables([table.slice(0, gone.start), table.slice(gone.stop)])
    parquet.write_table(kept, tmp_path / "out.parquet")
    assert called(*VERIFY, cwd=tmp_path).returncode == 6
    parquet.write_table(pa.concat_tables([table, table.slice(0, 1)]), tmp_path / "out.parquet")
    assert "more rows than the data" in called(*VERIFY, cwd=tmp_path).stderr


def test_rows_that_are_gone_are_not_proved(made_result: Path, tmp_path: Path) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    parquet.write_table(
        parquet.read_table(made_result / "out.parquet")[:40], tmp_path / "out.parquet"
    )
    found = json.loads(called(*VERIFY, "--json", cwd=tmp_path).stdout)
    assert (found["proved"], found["refuted"]) == (40, 60)


def test_a_row_without_a_reason_has_no_other_answers(wine_folder: Path) -> None:
    fails_for_rows(7, *BATCH, "--exclude", "proline", cwd=wine_folder)
    statuses = contents(wine_folder / "out.parquet").column("status").to_pylist()
    row = statuses.index("no such reason")
    result = (wine_folder / "out.parquet").read_bytes()
    for column in ("sufficient_size", "contrastive_count", "count"):
        forged = "7" if column == "count" else 7
        change(wine_folder / "out.parquet", column, row, lambda _, forged=forged: forged)
        done = called(*VERIFY, cwd=wine_folder)
        assert (done.returncode, f"REFUTED: row {row}: it has no" in done.stderr) == (6, True)
        (wine_folder / "out.parquet").write_bytes(result)


def test_a_column_of_another_type_or_without_its_name(made_result: Path, tmp_path: Path) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    table = parquet.read_table(made_result / "out.parquet")
    numbers = table.column("count").cast(pa.int64())
    place = table.schema.get_field_index("count")
    parquet.write_table(table.set_column(place, "count", numbers), tmp_path / "out.parquet")
    assert "'count' is of the type int64" in called(*VERIFY, cwd=tmp_path).stderr
    parquet.write_table(table.drop_columns(["count"]), tmp_path / "out.parquet")
    assert "asked for: count" in called(*VERIFY, cwd=tmp_path).stderr


def test_verify_in_two_processes_and_in_time(made_result: Path, tmp_path: Path) -> None:
    shutil.copytree(made_result, tmp_path, dirs_exist_ok=True)
    found = answer(*VERIFY, "--jobs", 2, "--timeout", 60, cwd=tmp_path)
    assert (found["proved"], found["refuted"], found["unsettled"]) == (100, 0, 0)
    change(tmp_path / "out.parquet", "count", 31, lambda old: old + "0")
    assert "row 31" in called(*VERIFY, "--jobs", 2, cwd=tmp_path).stderr
    assert "could not be proved" in called(*VERIFY, "--timeout", 1e-9, cwd=tmp_path).stderr
    assert "positive" in fails(2, *VERIFY, "--timeout", 0, cwd=tmp_path)


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_results_in_other_terms_are_proved(wine_folder: Path, over: str) -> None:
    succeeds(*BATCH, "--over", over, "--contrasts", 3, cwd=wine_folder)
    assert "all 534 rows" in succeeds(*VERIFY, cwd=wine_folder)
    change(wine_folder / "out.parquet", "contrastive_conditions", 7, lambda old: [old[1], *old[1:]])
    assert called(*VERIFY, cwd=wine_folder).returncode == 6


def test_without_contrasts_the_smallest_is_still_proved(wine_folder: Path) -> None:
    succeeds(*BATCH, "--contrasts", 0, cwd=wine_folder)
    succeeds(*VERIFY, cwd=wine_folder)
    change(wine_folder / "out.parquet", "contrastive", 7, lambda old: old + "0")
    assert called(*VERIFY, cwd=wine_folder).returncode == 6


def test_rows_that_reached_a_limit_say_so(wine_folder: Path) -> None:
    fails_for_rows(8, *BATCH, "--timeout", 1e-9, cwd=wine_folder)
    # Whoever erases all answers could say the same: nothing is proved.
    assert "nothing to prove: all 534 rows" in fails(6, *VERIFY, cwd=wine_folder)


def test_another_model_other_data_no_result(wine_folder: Path) -> None:
    succeeds(*BATCH, cwd=wine_folder)
    bunch = load_wine(as_frame=True)
    other = DecisionTreeClassifier(random_state=1).fit(bunch.data, bunch.target)
    write_model(wine_folder / "other.skops", other)
    done = called(*VERIFY[:3], "other.skops", *VERIFY[4:], cwd=wine_folder)
    assert (done.returncode, "another model" in done.stderr) == (6, True)
    done = called(*VERIFY[:-1], "wine.csv", cwd=wine_folder)
    assert (done.returncode, "other data" in done.stderr) == (6, True)
    told = fails(2, "verify", "wine.parquet", *VERIFY[2:], cwd=wine_folder)
    assert "no result of cattleya" in told


def test_bad_rows_are_rows_with_their_error(wine_folder: Path) -> None:
    (wine_folder / "tree.json").write_text(
        cattleya.Tree(
            [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
            n_features=1, feature_names=["age"], class_names=["no", "yes"],
        ).to_json()
    )  # fmt: skip  # arrays of nodes, side by side
    (wine_folder / "ages.csv").write_text("age,name\n20,a\nold,b\n,c\n40,d\n")
    fails_for_rows(7, "batch", "tree.json", "ages.csv", "--out", "ages.parquet", cwd=wine_folder)
    table = contents(wine_folder / "ages.parquet")
    assert table.column("status").to_pylist() == ["ok", "error", "error", "ok"]
    assert table.column("prediction").to_pylist() == ["no", None, None, "yes"]
    succeeds(
        "verify", "ages.parquet", "--model", "tree.json", "--data", "ages.csv", cwd=wine_folder
    )


@pytest.mark.parametrize(
    ("column", "by_hand"),
    [
        ("short", lambda old: old.replace("get", "gets")),
        ("short_conditions", lambda old: old[:-1]),
        ("short_size", lambda old: old + 1),
        ("short_right", lambda old: old - 1),
        ("short_covered", lambda old: old + 1),
        ("short_rows", lambda old: old + 1),
        (None, None),
    ],
)
def test_short_reasons_are_counted_again(tmp_path: Path, column: Any, by_hand: Any) -> None:
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"a": [*range(6)] * 10, "b": [n // 10 for n in range(60)]})
    model = DecisionTreeClassifier(random_state=0).fit(rows, rows["a"] * rows["b"] > 5)
    write_model(tmp_path / "model.skops", model)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    out = str(tmp_path / "result.parquet")
    given = [str(tmp_path / "model.skops"), str(tmp_path / "rows.csv")]
    over = ["--over", "conditions"]
    succeeds("batch", *given, "--out", out, "--want", "short", *over, cwd=tmp_path)
    table = parquet.read_table(out)
    explainer = cattleya.Explainer(model)
    frame = explainer.explain_all(rows, ["short"], progress=False)
    assert table.column("short").to_pylist() == frame["short"].tolist()
    verify = ["verify", out, "--model", given[0], "--data", given[1]]
    if column is None:
        succeeds(*verify, cwd=tmp_path)
        return
    values = table.column(column).to_pylist()
    place = next(i for i, value in enumerate(values) if value)
    values[place] = by_hand(values[place])
    at = table.schema.get_field_index(column)
    field = table.schema.field(at)
    parquet.write_table(table.set_column(at, field, pa.array(values, field.type)), out)
    done = called(*verify, cwd=tmp_path)
    assert done.returncode == 6
    assert f"REFUTED: row {place}: short" in done.stderr


def test_a_result_of_version_0_1_is_still_proved(tmp_path: Path) -> None:
    write_result_0_1(tmp_path)
    verify = ("verify", "r.csv", "--model", "tree.json", "--data", "t.csv")
    assert answer(*verify, cwd=tmp_path)["proved"]
    told = (tmp_path / "r.csv").read_text().replace("2,no,ok,,rooms <= 2.5", "2,no,ok,,rooms <= 9")
    (tmp_path / "r.csv").write_text(told)
    assert "row 2" in fails(6, *verify, cwd=tmp_path)
