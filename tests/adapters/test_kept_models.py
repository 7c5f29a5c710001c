"""Models that were opened before are kept: what is said of them stays the same to the letter."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya.adapters.columns import ModelColumns
from cattleya.adapters.kept_model import entry_name
from cattleya.adapters.model_files import read_model
from cattleya.adapters.own import KeptModel
from cattleya.adapters.pipeline.rows import PipelineRows
from cattleya.adapters.registry import adapt_any
from cattleya.explain.explainer import context_of
from cattleya.support.files.cache import FOLDER, Cache
from tests.checks.command import succeeds
from tests.samples.traced import people
from tests.samples.wines import wine_files

NUMBERS, TEXTS = ["age", "pay", "score", "grade"], ["job", "town", "sex"]


def columns(numbers: Any, texts: Any, **rest: Any) -> ColumnTransformer:
    return ColumnTransformer([("number", numbers, NUMBERS), ("text", texts, TEXTS)], **rest)


ONE_HOT = {
    "plain": OneHotEncoder(),
    "ignoring": OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    "without the first": OneHotEncoder(drop="first"),
    "the rare ones together": OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist"),
}
ORDINAL = {
    "plain": OrdinalEncoder(),
    "unknown as -1": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "missing as -2": OrdinalEncoder(encoded_missing_value=-2),
    "filled in": make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
    "filled in by a word": make_pipeline(
        SimpleImputer(strategy="constant", fill_value="none"), OrdinalEncoder()
    ),
}
SCALERS = {
    "none": "passthrough",
    "standard": StandardScaler(),
    "ranges": MinMaxScaler(),
    "clipped": MinMaxScaler(clip=True),
    "largest": MaxAbsScaler(),
    "robust": RobustScaler(),
    "filled in": SimpleImputer(),
    "filled in and told": SimpleImputer(add_indicator=True),
    "filled in and scaled": make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
}
STEPS: dict[str, Any] = {
    f"{scaler} scaler, {encoder} codes": columns(SCALERS[scaler], encoders[encoder])
    for scaler, encoders, encoder in [
        *((scaler, ONE_HOT, "plain") for scaler in SCALERS),
        *(("none", ONE_HOT, encoder) for encoder in ONE_HOT),
        *(("standard", ORDINAL, encoder) for encoder in ORDINAL),
    ]
}
MODELS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
    "numbers": DecisionTreeRegressor(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(4, max_depth=4, random_state=0),
    "forest of numbers": RandomForestRegressor(4, max_depth=4, random_state=0),
    "boosted": GradientBoostingClassifier(n_estimators=4, random_state=0),
}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept")


def again(model: Any, cache: Cache) -> tuple[Any, Any]:
    """A model as it is read from its file for the first and for the second time."""
    path = cache.folder.with_name("model.skops")
    skops.io.dump(model, path)
    first, second = (
        read_model(path, trust=True, is_only_explained=True, cache=cache) for _ in range(2)
    )
    assert not isinstance(first, KeptModel)
    return first, second


def truth(model: Any, table: pd.DataFrame) -> Any:
    random = np.random.default_rng(3)
    if hasattr(model, "predict_proba"):
        return np.array(["no", "yes", "é"])[random.integers(0, 3, len(table))]
    return random.normal(size=len(table)).round(1)


def said(what: Callable[[], Any]) -> str:
    """What is answered, to the last bit, or what is refused, with the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = what()
            text = repr(found.tolist()) if isinstance(found, np.ndarray) else repr(found)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            text = f"{type(error).__name__}: {error}"
    return "\n".join([text, *(str(warning.message) for warning in caught)])


def rows_like(table: pd.DataFrame) -> list[Any]:
    """Rows in many forms, of which some are refused."""
    first, random = table.iloc[0].to_dict(), np.random.default_rng(5)
    odd: list[Any] = [math.nan, None, math.inf, -0.0, 1e300, 2**60, True, "7", "", "Oslo", "nurse "]
    odd += [np.float32(0.1), 5e-324, np.int8(3), "mauve", b"f", pd.NA, 1j, [1], 10**400]
    names = [name for name in ("age", "job", "grade") if name in table]
    single = [{**first, name: value} for name in names for value in odd]
    gaps = table.mask(random.random(table.shape) < 0.3)
    frames = [
        table.iloc[:40],
        gaps.iloc[:40],
        gaps.iloc[:40].astype(object),
        table.iloc[:20, ::-1],
        table.iloc[:20].assign(more=1),
        table.iloc[:20].drop(columns="age"),
        table.iloc[:20].astype({"age": "int64", "grade": "int8"}),
        table.iloc[:20].astype(dict.fromkeys(("age", "pay", "score"), "float32")),
        table.iloc[:20].astype({name: "category" for name in TEXTS if name in table}),
        table.iloc[:20].astype({name: "string" for name in TEXTS if name in table}),
        table.iloc[:20].convert_dtypes(),
        table.iloc[:20].astype({"grade": bool}),
        table.iloc[:5].to_numpy(dtype=object),
        table.iloc[:0],
    ]
    return [
        *frames,
        *single,
        table.iloc[3],
        table.iloc[4].tolist(),
        None,
        "x",
        [],
        first | {"x": 1},
    ]


def _is_table(row: Any) -> bool:
    return getattr(row, "ndim", 0) == 2


def check_same(one: Any, other: Any, rows: list[Any]) -> None:
    """Check that two readings of a model say the same, of every row that can be thought of."""
    own, kept = adapt_any(one, None), adapt_any(other, None)
    for name in ("tree", "tree_for_missing", "ensemble"):
        first, second = getattr(own, name, None), getattr(kept, name, None)
        assert first == second
        if first is not None and second is not None:
            assert first.to_json() == second.to_json()
    for name in ("target_name", "notes", "output", "shown_names", "row_dtype"):
        assert getattr(own, name) == getattr(kept, name), name
    is_behind = isinstance(own.rows, PipelineRows)  # else it asks the library, in its own words
    for row in rows:
        for method in ("matrix", "row", "raw_values"):
            if hasattr(own.rows, method):
                wanted = said(partial(getattr(own.rows, method), row))
                assert said(partial(getattr(kept.rows, method), row)) == wanted, row
        for method in ("predict", "predict_proba") if is_behind and _is_table(row) else ():
            wanted, *_ = said(partial(getattr(own, method), row)).splitlines()
            found, *_ = said(partial(getattr(kept, method), row)).splitlines()
            assert found == wanted, row


def check_same_words(one: Any, other: Any, table: pd.DataFrame) -> None:
    for over in ("conditions", "features", "intervals"):
        explainers = [cattleya.Explainer(model, over=over) for model in (one, other)]
        assert context_of(explainers[0]).domain == context_of(explainers[1]).domain
        for at in (0, 17):
            texts = [explainer.explain(table.iloc[[at]]).to_json() for explainer in explainers]
            assert texts[0] == texts[1]
        reasons = [explainer.explain(table.iloc[[1]]).reason() for explainer in explainers]
        covered = [reason.covers(table).tolist() for reason in reasons]
        assert covered[0] == covered[1]


@pytest.mark.parametrize("steps", STEPS)
def test_behind_steps(steps: str, cache: Cache) -> None:
    table = people(200, gaps="fill" not in steps)
    model = Pipeline([("columns", STEPS[steps]), ("tree", MODELS["tree"])])
    if "filled" not in steps and "missing" not in steps:
        table = table.dropna()
    model.fit(table, truth(model, table)).target_name_ = "income"
    first, second = again(model, cache)
    assert isinstance(second, KeptModel)
    check_same(first, second, rows_like(table))
    check_same_words(first, second, table)
    known = context_of(cattleya.Explainer(first)).domain
    wanted = ModelColumns.of(first, known)
    assert second.columns.numbers == wanted.numbers
    bare = [replace(one, numbers=frozenset()) for one in (second.columns, wanted)]
    assert repr(bare[0]) == repr(bare[1])  # of which some categories are NaN


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("behind", [True, False])
def test_of_every_kind(name: str, behind: bool, cache: Cache) -> None:
    table = people(200, gaps=False)
    model: Any = MODELS[name]
    if behind:
        model = make_pipeline(columns(StandardScaler(), OneHotEncoder()), model)
    else:
        table = table[NUMBERS]
    model.fit(table, truth(model, table))
    first, second = again(model, cache)
    if name not in ("tree", "numbers") or behind:
        assert isinstance(second, KeptModel)
    check_same(first, second, [*rows_like(table)[:12], table.iloc[3], table.to_numpy()[:9]])
    matrix = table if behind else table.to_numpy()
    own, kept = adapt_any(first, None), adapt_any(second, None)
    assert own.predict(matrix).tolist() == kept.predict(matrix).tolist()
    texts = [cattleya.Explainer(one).explain(table.iloc[[2]]).to_json() for one in (first, second)]
    assert texts[0] == texts[1]


NOT_KEPT: dict[str, Any] = {
    "unknown categories are told": columns("passthrough", OneHotEncoder(handle_unknown="warn")),
    "columns are left out": make_pipeline(
        columns(SimpleImputer(), OneHotEncoder()), SelectKBest(k=3)
    ),
    "a column leads nowhere": columns(SimpleImputer(), OneHotEncoder(drop="first")),
    "bins": columns(KBinsDiscretizer(), OneHotEncoder()),
}


@pytest.mark.parametrize("steps", NOT_KEPT)
@pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::FutureWarning", "ignore::RuntimeWarning"
)
def test_what_steps_see_beyond_the_tree_is_not_kept(steps: str, cache: Cache) -> None:
    table = people(200, gaps=False).assign(sex="f")
    model = make_pipeline(NOT_KEPT[steps], MODELS["tree"]).fit(table, truth(MODELS["tree"], table))
    first, second = again(model, cache)
    assert not isinstance(second, KeptModel)
    check_same(
        first, second, [table.assign(sex="other").iloc[:3], table.assign(age=math.inf).iloc[:3]]
    )


def test_models_with_sets_of_categories_are_not_kept(cache: Cache) -> None:
    table = people(200, gaps=False)
    codes = table[NUMBERS].assign(code=table["sex"].map({"f": 0, "m": 1}))
    unlike = HistGradientBoostingClassifier(categorical_features=[4], max_iter=3)
    model = make_pipeline("passthrough", unlike).fit(codes, truth(unlike, codes))
    assert not isinstance(again(model, cache)[1], KeptModel)


def test_what_is_said_when_a_model_is_read_is_said_each_time(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(200, gaps=False)
    model = make_pipeline(columns("passthrough", OneHotEncoder()), MODELS["forest"])
    model.fit(table, truth(MODELS["forest"], table))
    monkeypatch.setattr("sklearn.base.__version__", "1.2.0")
    path = cache.folder.with_name("model.skops")
    skops.io.dump(model, path)
    monkeypatch.undo()
    for _ in range(2):
        with pytest.warns(InconsistentVersionWarning, match=r"1\.2\.0"):
            read_model(path, trust=True, is_only_explained=True, cache=cache)
    assert not cache.folder.exists()


def entry_of(cache: Cache) -> Path:
    (path,) = cache.folder.glob("*.cattleya")
    return path


def kept_pipeline(cache: Cache) -> tuple[Path, dict[str, Any]]:
    """An entry that is in order, and what is in it."""
    table = people(120, gaps=False)
    model = make_pipeline(columns(StandardScaler(), OneHotEncoder()), MODELS["tree"])
    model.fit(table, truth(model, table))
    again(model, cache)
    path = entry_of(cache)
    return path, json.loads(path.read_bytes()[32:])


def test_a_damaged_entry_is_no_entry(cache: Cache) -> None:
    path, _ = kept_pipeline(cache)
    whole, model = path.read_bytes(), cache.folder.with_name("model.skops")
    random = np.random.default_rng(0)
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[random.integers(len(whole))] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(damaged)[: None if random.random() < 0.5 else 1000])
        assert cache.read(path.stem) is None
    found = read_model(model, trust=True, is_only_explained=True, cache=cache)
    assert not isinstance(found, KeptModel)
    assert path.read_bytes() == whole  # it was written again


def _places(form: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = form.items() if isinstance(form, dict) else enumerate(form)
    return [
        place
        for name, value in inner
        for place in [(*at, name), *(_places(value, (*at, name)) if _has_parts(value) else [])]
    ]


def _has_parts(value: Any) -> bool:
    return isinstance(value, (dict, list)) and len(value) > 0


def test_an_entry_of_another_form_is_no_entry(cache: Cache) -> None:
    path, form = kept_pipeline(cache)
    model = cache.folder.with_name("model.skops")
    table = people(30, seed=1, gaps=False)
    odd: tuple[Any, ...] = (None, -1, 1e999, "x", [], {}, [[]], True)
    every = [(at, value) for at in _places(form) for value in odd]
    for drawn in np.random.default_rng(2).permutation(len(every))[:150].tolist():
        at, value = every[drawn]
        changed = json.loads(json.dumps(form))
        part = changed
        for name in at[:-1]:
            part = part[name]
        part[at[-1]] = value
        cache.write(path.stem, json.dumps(changed).encode())
        found = read_model(model, trust=True, is_only_explained=True, cache=cache)
        # The file is read again, or what is kept can be used: it ends in no other error.
        said(partial(adapt_any(found, None).predict, table))


def test_only_what_is_the_users_own_is_read(cache: Cache) -> None:
    path, _ = kept_pipeline(cache)
    assert cache.read(path.stem) is not None
    for mode in (0o620, 0o602):
        path.chmod(mode)
        assert cache.read(path.stem) is None
    path.chmod(0o600)
    cache.folder.chmod(0o777)
    assert cache.read(path.stem) is None
    mine = cache.folder.with_name("mine")
    mine.write_text("mine")
    cache._path("led elsewhere").symlink_to(mine)
    cache.write("led elsewhere", b"harm")
    assert mine.read_text() == "mine"
    cache.folder.chmod(0o700)
    assert cache.read(path.stem) is not None


def test_a_cache_that_cannot_be_written(cache: Cache) -> None:
    cache.folder.write_text("a file is in its place")
    table = people(50, gaps=False)[NUMBERS]
    model = MODELS["forest"].fit(table, truth(MODELS["forest"], table))
    first, second = again(model, cache)
    assert type(first) is type(second)


def test_the_least_used_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cattleya.support.files.cache.MOST", 3)
    cache = Cache(tmp_path)
    for name in ("a", "b", "c"):
        cache.write(name, name.encode())
    assert cache.read("a") == b"a"
    cache.write("d", b"d")
    assert [cache.read(name) for name in "abcd"] == [b"a", None, b"c", b"d"]
    monkeypatch.setattr("cattleya.support.files.cache.MOST_BYTES", 70)
    cache.write("e", b"e")
    assert cache.read("e") == b"e"
    assert len(list(tmp_path.iterdir())) == 2


def test_who_reads_it_and_how_is_in_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {
        entry_name(b"content", True),
        entry_name(b"content", False),
        entry_name(b"other", True),
    }
    monkeypatch.setattr("cattleya.adapters.kept_model.version", lambda name: "0")
    assert len(names | {entry_name(b"content", True)}) == 4


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert Cache.of_user() == Cache(tmp_path)
    monkeypatch.setenv(FOLDER, "")
    assert Cache.of_user() is None
    monkeypatch.delenv(FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = Cache.of_user()
    assert found is not None
    assert found.folder.name == "cattleya"


COMMANDS = {
    "explain": ["explain", "wine.skops", "wine.csv", "--row", "3"],
    "explain as JSON": ["explain", "wine.skops", "wine.csv", "--row", "3", "--json"],
    "over conditions": ["explain", "wine.skops", "wine.csv", "--row", "3", "--over", "conditions"],
    "tree": ["tree", "wine.skops"],
    "tree as JSON": ["tree", "wine.skops", "--json"],
}


def test_commands_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wine_files(tmp_path, 60)
    table = pd.read_csv(tmp_path / "wine.csv")
    model = read_model(tmp_path / "wine.skops")
    names = list(model.feature_names_in_)
    behind = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    behind.fit(table[names], model.predict(table[names]))
    skops.io.dump(behind, tmp_path / "wine.skops")
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    for arguments in COMMANDS.values():
        shutil.rmtree(tmp_path / "kept", ignore_errors=True)
        without = succeeds(*arguments, "--no-cache", cwd=tmp_path)
        assert not (tmp_path / "kept").exists()
        for _ in range(2):
            assert succeeds(*arguments, cwd=tmp_path) == without
        assert [path.suffix for path in (tmp_path / "kept").iterdir()] == [".cattleya"]


def test_nothing_of_the_library_is_imported(tmp_path: Path) -> None:
    wine_files(tmp_path, 60)
    table = pd.read_csv(tmp_path / "wine.csv")
    names = list(read_model(tmp_path / "wine.skops").feature_names_in_)
    model = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=0))
    skops.io.dump(model.fit(table[names], table.index % 2), tmp_path / "wine.skops")
    code = (
        "import sys; from cattleya.cli import run; code = run(sys.argv[1:]); "
        "print({'sklearn', 'skops'} & set(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code, "explain", "wine.skops", "wine.csv", "--row", "3"],
            cwd=tmp_path,
            env={"PATH": "", FOLDER: str(tmp_path / "kept")},
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert found[0].stdout == found[1].stdout
    assert "sklearn" in found[0].stderr
    assert found[1].stderr.strip() == "set()"
