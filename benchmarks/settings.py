"""How much is measured, in one place: the published tables use ``FULL`` and nothing else.

The whole run is to take less than an hour on two quiet cores.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FULL", "QUICK", "Settings"]


@dataclass(frozen=True)
class Settings:
    """Numbers of rows and of runs, and time limits in seconds."""

    made_up_rows: int  # of data that stands in for what is not at hand
    # engine, vocabularies and counterfactuals: every call counts, over all rows and rounds
    rows: int
    rounds: int
    pyxai_rows: int
    pyxai_limit: float  # a row
    depths: tuple[int, ...]  # of complete trees
    tree_runs: tuple[int, int]  # of each: at least, at most
    tree_seconds: float  # enough of them, once there are at least as many
    tree_limit: float  # for a tree altogether
    # counting
    counted: tuple[str, ...]
    counted_intervals: tuple[str, ...]
    counted_rows: int
    sized_rows: int  # the slowest of a data set
    count_limit: float  # a row
    ganak_rows: int  # the first of the rows
    ganak_limit: float
    d4_rows: int
    d4_limit: float
    memory_rows: int  # of the slowest rows, memory is measured
    thread_runs: int
    # preferred
    shortest_rows: int
    shortest_limit: float  # for counting the minimal reasons of a row
    many: int  # sufficient reasons, one after the other
    many_rows: int
    # counterfactuals
    changed_rows: int
    dice_rows: int
    dice_limit: float  # a row
    # batch
    fold_rows: int
    shap_rows: int
    batch_runs: int
    counted_table_rows: int
    disk_rows: int
    # models
    trees: int
    leaves: int  # of each tree
    predicted_rows: int
    # answers
    answered: tuple[str, ...]
    answered_bundled: tuple[str, ...]
    answer_rows: int
    answer_limit: float  # a row
    start_runs: int


FULL = Settings(
    made_up_rows=48_842,  # as adult has
    rows=200,
    rounds=3,
    pyxai_rows=3,
    pyxai_limit=300,
    depths=(10, 12, 14, 16, 18, 20),
    tree_runs=(5, 50),
    tree_seconds=5,
    tree_limit=300,
    counted=("adult", "bank_marketing", "bank", "lending_loan"),
    counted_intervals=("adult", "bank_marketing", "spambase", "compas"),
    counted_rows=100,
    sized_rows=5,
    count_limit=20,
    ganak_rows=30,
    ganak_limit=4,
    d4_rows=2,
    d4_limit=15,
    memory_rows=3,
    thread_runs=7,
    shortest_rows=100,
    shortest_limit=10,
    many=10_000,
    many_rows=3,
    changed_rows=50,
    dice_rows=20,
    dice_limit=60,
    fold_rows=4885,  # a tenth of adult
    shap_rows=500,
    batch_runs=9,
    counted_table_rows=2000,
    disk_rows=1_000_000,
    trees=1000,
    leaves=1000,
    predicted_rows=10_000,
    answered=("adult", "compas", "spambase", "bank_marketing"),
    answered_bundled=("breast_cancer", "wine", "digits", "iris"),
    answer_rows=100,
    answer_limit=2,
    start_runs=9,
)
#: To see that everything works: its figures mean nothing.
QUICK = Settings(
    made_up_rows=600,
    rows=3,
    rounds=1,
    pyxai_rows=1,
    pyxai_limit=120,
    depths=(4, 8),
    tree_runs=(1, 2),
    tree_seconds=0,
    tree_limit=60,
    counted=("adult",),
    counted_intervals=("adult",),
    counted_rows=3,
    sized_rows=1,
    count_limit=2,
    ganak_rows=2,
    ganak_limit=1,
    d4_rows=1,
    d4_limit=1,
    memory_rows=1,
    thread_runs=1,
    shortest_rows=2,
    shortest_limit=2,
    many=50,
    many_rows=1,
    changed_rows=2,
    dice_rows=1,
    dice_limit=60,
    fold_rows=20,
    shap_rows=5,
    batch_runs=1,
    counted_table_rows=10,
    disk_rows=100,
    trees=5,
    leaves=8,
    predicted_rows=50,
    answered=("adult",),
    answered_bundled=("iris",),
    answer_rows=3,
    answer_limit=10,
    start_runs=1,
)
