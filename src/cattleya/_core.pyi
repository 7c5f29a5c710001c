"""Native core: arrays in, arrays out, all one-dimensional and contiguous, never converted."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Bytes: TypeAlias = NDArray[np.uint8]
Bools: TypeAlias = NDArray[np.bool_]
Signs: TypeAlias = NDArray[np.int8]
Limbs: TypeAlias = NDArray[np.uint64]
Words: TypeAlias = NDArray[np.uint32]
Named = TypeVar("Named", bound="NamedSet")
# The count, each atom's component, and limbs with starts: of the components, of the atoms.
Weighed: TypeAlias = tuple[Limbs, Ints, Limbs, Longs, Limbs, Longs]

class TimeoutExpired(TimeoutError):
    """The time limit was reached."""

class MemoryLimitExceeded(MemoryError):
    """The memory limit was reached."""

class Cancelled(RuntimeError):
    """Another thread has cancelled the question."""

class CancelFlag:
    """A flag that any thread may set; it stays set."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

def watch(flag: CancelFlag) -> None:
    """Have whatever this thread asks end with Cancelled once the flag is set, until unwatch."""

def unwatch(flag: CancelFlag) -> None:
    """Look at a flag no longer; ValueError where this thread does not watch it."""

def check_cancelled() -> None:
    """Raise Cancelled where a flag is set that this thread watches."""

def check_shape(left: Ints, right: Ints) -> int:
    """Return the depth of the tree; ValueError names the first node that is wrong."""

def link32(name: str, sums: Singles, width: int) -> Singles:
    """Return what XGBoost makes of sums, row after row, with the functions of the C library."""

def link64(name: str, sums: Reals, width: int) -> Reals:
    """Return what LightGBM and CatBoost make of sums, with the functions of the C library."""

def numbers_in(text: str) -> Reals:
    """Return the numbers in a text, with spaces between them; ValueError where there is another."""

def on_grid(row: Reals, single: bool) -> Reals:
    """Return numbers rounded to 32 bits, or as they are; none where one is not finite then."""

def any_missing(row: Reals) -> bool:
    """Tell whether a number is NaN."""

def check_trees(start: Ints, left: Ints, right: Ints) -> Ints:
    """Return the depth of each tree; ValueError names the first node that is wrong."""

class Sums:
    """The sums of an ensemble. It never changes: any number of threads may use it."""

    def __init__(
        self,
        tree_start: Ints,
        left: Ints,
        right: Ints,
        feature: Ints,
        threshold: Reals,
        missing_left: Bytes,
        category_set: Ints,
        set_start: Ints,
        set_codes: Ints,
        set_left: Bytes,
        value: Reals,
        output_of_tree: Ints,
        base: Reals,
        offset: Reals,
        divide_by: float,
        scale: float,
        in_float32: bool,
        n_features: int,
    ) -> None: ...
    def margins(self, matrix: Reals, n_rows: int) -> Reals:
        """Return the sums of each row of a flattened matrix, one after the other."""

    def decide(self, row: Reals, cut: float | None) -> int:
        """Return the place of the largest sum of a row; with a cut, whether the first is there."""

class Engine:
    """A tree made ready for walking. It never changes: any number of threads may use it."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        condition: Ints,
        leaf_class: Ints,
        feature: Ints,
        threshold: Reals,
        missing_left: Bytes,
        n_features: int,
        n_classes: int,
    ) -> None: ...
    def evaluate(self, row: Reals) -> Bytes:
        """Return one byte per condition: 1 where it holds in the row."""

    def path(self, truth: Bytes) -> tuple[int, Ints]:
        """Return the class of the row and the conditions on its path."""

    def complete_reason(
        self, truth: Bytes, row_class: int, toward: int, seconds: float, memory: int
    ) -> tuple[Longs, Ints]:
        """Return the minimal clauses, smallest first, as (start, atom); toward -1: any class."""

class ReachTable:
    """The rows of a table, by the leaf of a tree: which of them a reason covers."""

    def __init__(self, engine: Engine, matrix: Reals | Singles, times: Longs) -> None: ...
    def of_class(self, row_class: int) -> int:
        """Return how many rows get a class."""

class BatchRows:
    """Many rows, in a vocabulary. They never change: any number of threads may use them."""

    @staticmethod
    def over_conditions(
        engine: Engine, table: ReachTable | None, matrix: Reals, n_rows: int
    ) -> BatchRows:
        """Return the rows of a flattened matrix; their reasons are counted on the table."""

    @staticmethod
    def over_attributes(
        tree: DomainTree, cells: Ints, n_rows: int, levels: bool, has_single: Bytes
    ) -> BatchRows:
        """Return the rows of a flattened matrix of cells, over intervals or over features.

        ``has_single`` says, over intervals, which attributes have an atom besides levels.
        """

class BatchRun:
    """Questions about many rows, on several threads.

    Questions: 0 sufficient, 1 minimal, 2 contrastive, 3 necessary, 4 count.
    """

    def __init__(
        self,
        rows: BatchRows,
        questions: Ints,
        contrasts: int,
        excluded: Ints,
        immutable: Ints,
        guarded: Ints,
        asks_guarded: bool,
        seconds: float,
        memory: int,
        threads: int,
    ) -> None: ...
    def next(self, rows: int, seconds: float) -> dict[str, Any]:
        """Return the answers about the next rows as arrays by name; lists as (start, value)."""

def texts_of(table: list[str], start: Longs, code: Ints) -> list[tuple[str, ...]]:
    """Return lists of codes as tuples of the texts of a table."""

def greedy_hitting_set(start: Longs, atom: Ints, first: Ints, n_conditions: int) -> Ints:
    """Return what is left of first when conditions go in its order, every clause staying hit."""

def minimal_clauses(
    start: Longs, atom: Ints, n_atoms: int, seconds: float, memory: int
) -> tuple[Longs, Ints]:
    """Return the clauses that contain no other, each once, smaller ones first."""

def count_hitting_sets(
    start: Longs, atom: Ints, n_atoms: int, seconds: float, memory: int, threads: int = 1
) -> Limbs:
    """Return the number of minimal hitting sets, as 64-bit limbs, the least first."""

def weigh_hitting_sets(
    start: Longs, atom: Ints, n_atoms: int, seconds: float, memory: int, threads: int = 1
) -> Weighed:
    """Return how many minimal hitting sets there are, and how many with each atom."""

def count_hitting_sets_by_size(
    start: Longs, atom: Ints, n_atoms: int, seconds: float, memory: int
) -> tuple[Limbs, Longs]:
    """Return the number of minimal hitting sets of each size, from 0 on, as (limbs, start)."""

def sample_hitting_sets(
    start: Longs, atom: Ints, n_atoms: int, number: int, seed: int, seconds: float, memory: int
) -> tuple[Longs, Ints]:
    """Return minimal hitting sets drawn uniformly, as (start, atom)."""

class Circuit:
    """The sum over minimal hitting sets as a recorded program."""

    def __init__(
        self,
        n_atoms: int,
        impossible: bool,
        words: Words,
        component_start: Longs,
        atom_start: Longs,
        atoms: Ints,
        slots: Words,
        result: Words,
        bits: Reals,
    ) -> None: ...
    @staticmethod
    def compile(start: Longs, atom: Ints, n_atoms: int, seconds: float, memory: int) -> Circuit:
        """Record the sum over the minimal hitting sets of clauses."""

    def count(self, including: Ints, excluding: Ints, seconds: float, memory: int) -> Limbs:
        """Return how many contain all of some atoms and none of others."""

    def weigh(self, including: Ints, excluding: Ints, seconds: float, memory: int) -> Weighed:
        """Return as weigh_hitting_sets does, for those."""

    def arrays(
        self,
    ) -> tuple[int, bool, Words, Longs, Longs, Ints, Words, Words, Reals]:
        """Return what __init__ takes."""

    @property
    def n_atoms(self) -> int: ...
    @property
    def instructions(self) -> int: ...

class ConditionBase:
    """What every condition holds, and its hash."""

    feature: str
    index: int
    _text: str | None
    _hash: int

class Names:
    """What atoms are called: ``table[n]``, or ``table[2 n + holds[n]]``; None is made and kept.

    Where ``numbers`` are given, place ``p`` is atom ``numbers[p]``.
    """

    def __init__(
        self,
        table: list[Any],
        make: Callable[[int], Any],
        holds: Bytes | None,
        numbers: Ints | None,
    ) -> None: ...

class NamedSets:
    """Sets of atoms: set i has the atoms ``atom[start[i]:start[i + 1]]``."""

    def __init__(self, names: Names, start: Longs, atom: Ints, in_order: bool) -> None: ...
    def all(self, kind: type[Named], source: object) -> tuple[Named, ...]:
        """Return all sets, as objects of a class derived from NamedSet."""

class NamedSet:
    """A set of a NamedSets, which its source has as ``sets``; its names are in order."""

    @property
    def conditions(self) -> tuple[Any, ...]: ...
    @property
    def _source(self) -> Any: ...
    @property
    def _position(self) -> int: ...

class HittingSets:
    """All minimal hitting sets, one after the other."""

    def __init__(self, start: Longs, atom: Ints, n_atoms: int, memory: int = ...) -> None: ...
    def next(self, limit: int, seconds: float) -> tuple[bool, Longs, Ints]:
        """Return at most so many further sets as (more, start, atom)."""

def minimum_hitting_set(
    start: Longs, atom: Ints, n_atoms: int, weights: Limbs, seconds: float, memory: int
) -> Ints:
    """Return a hitting set of least weight; two limbs per atom, the low one first; none: all 1."""

def count_minimum_hitting_sets(
    start: Longs, atom: Ints, n_atoms: int, seconds: float, memory: int
) -> tuple[int, Limbs]:
    """Return the least size of a hitting set, and how many have it, as 64-bit limbs."""

class MinimumHittingSets:
    """All hitting sets of the least size, one after the other."""

    def __init__(self, start: Longs, atom: Ints, n_atoms: int, memory: int = ...) -> None: ...
    def next(self, limit: int, seconds: float) -> tuple[bool, Longs, Ints]:
        """Return at most so many further sets as (more, start, atom)."""

class Verifier:
    """Proves or refutes sets of conditions on the tree as given; shares no code with Engine."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        condition: Ints,
        leaf_class: Ints,
        feature: Ints,
        threshold: Reals,
        missing_left: Bytes,
        domain: Bytes,
        takes_missing: bool,
    ) -> None: ...
    def refuting_leaf(self, fixed: Signs, row_class: int, real: bool) -> int:
        """Return a leaf of another class that agrees with the fixed conditions, or -1."""

    def removable(self, fixed: Signs, chosen: Ints, row_class: int) -> Ints:
        """Return conditions that can go together while the rest still forces the class."""

    def path_to(self, node: int) -> list[tuple[int, bool]]:
        """Return the path to a node as (condition, holds)."""

class DomainTree:
    """A tree under the logic of its domain. It never changes: any number of threads may use it."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        test: Ints,
        leaf_class: Ints,
        attribute: Ints,
        level: Ints,
        missing_left: Bytes,
        n_levels: Ints,
        n_cells: Ints,
        level_value: Reals,
        words: Limbs,
        takes_missing: bool,
        n_classes: int,
        never_missing: Bytes,
    ) -> None: ...
    @property
    def n_nodes(self) -> int:
        """How many nodes can be reached, subtrees of one class being one."""

    def cells(self, values: Reals) -> tuple[Ints, bool]:
        """Return the cell of each number, -1 where it is missing; and whether any is.

        There is one value per attribute.
        """

    def path(self, cells: Ints) -> tuple[int, Ints]:
        """Return the class of the row and the tests on its path."""

    def interval_path(self, tests: Ints, cells: Ints, first_atom: Ints) -> Ints:
        """Return the tightest atoms that the tests of a path speak of, in its order."""

    def feature_reason(
        self, cells: Ints, row_class: int, toward: int, seconds: float, memory: int
    ) -> tuple[Longs, Ints]:
        """Return the minimal clauses over attributes, smallest first, as (start, atom)."""

    def interval_reason(
        self,
        cells: Ints,
        first_atom: Ints,
        row_class: int,
        toward: int,
        seconds: float,
        memory: int,
    ) -> tuple[Longs, Ints]:
        """Return the minimal clauses over the row's sides of levels, as (start, atom)."""

    def free_regions(
        self, free: Ints, wanted: int, most: int, merge: bool, seconds: float, memory: int
    ) -> tuple[bool, Longs, Ints, Ints, Ints, Bytes, Longs, Ints, Ints, Ints, Bytes, Limbs]:
        """Return the regions whose outcome depends on the free attributes.

        Of those (wanted is 0), or rises (1) or falls (2) along the only free number: complete,
        part_start, attribute, low, high, missing, case_start, outcome, free_low, free_high,
        free_missing, words. With ``merge``, regions that are side by side are one.
        """

    def survey(
        self, seconds: float, memory: int
    ) -> tuple[Bytes, Bytes, Ints, Ints, Ints, Bytes, Limbs]:
        """Return what rows come to: (reached, has, attribute, low, high, missing, words).

        By node as given, by class, and by class for each tested attribute what its rows have.
        """

    def simplified(self, seconds: float, memory: int) -> tuple[bool, Ints, Ints, Ints, Ints]:
        """Return the tree left when splits go: (smallest, left, right, test, leaf_class)."""

class DomainVerifier:
    """Proves or refutes what is fixed of a row; shares no code with DomainTree."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        column: Ints,
        leaf_class: Ints,
        threshold: Reals,
        missing_left: Bytes,
        below: Reals,
        above: Reals,
        attribute: Ints,
        place: Ints,
        width: Ints,
        first_point: Longs,
        points: Reals,
        takes_missing: bool,
    ) -> None: ...
    def refute(
        self, low: Reals, high: Reals, missing: Bytes, point: Ints, own: Ints, row_class: int
    ) -> tuple[int, Reals, Reals, Bytes, Ints]:
        """Return a leaf of another class within what is fixed, or -1, and what is left there."""

    def refute_box(
        self, low: Reals, high: Reals, missing: Bytes, allowed: Bytes, own: Ints, row_class: int
    ) -> tuple[int, Reals, Reals, Bytes, Ints]:
        """Return the same, where a category may have any of the points that are allowed."""

    def needed(self, low: Reals, high: Reals, missing: Bytes, point: Ints, row_class: int) -> Bytes:
        """Return one byte per attribute: 1 where the class hangs on what is fixed of it."""

class EnsembleCells:
    """An ensemble over cells; any thread."""

    def __init__(
        self,
        n_levels: Ints,
        n_cells: Ints,
        may_be_missing: Bytes,
        tree_start: Ints,
        left: Ints,
        right: Ints,
        test: Ints,
        output: Ints,
        value: Reals,
        attribute: Ints,
        level: Ints,
        missing_left: Bytes,
        words: Limbs,
        base: Reals,
        single_precision: bool,
        divisor: float,
        factor: float,
        offset: Reals,
        cut: Reals,
        doubt: Reals,
        in_order: bool,
        link: str,
        link_scale: float,
    ) -> None: ...
    @property
    def n_outcomes(self) -> int:
        """How many outcomes there are."""

    def decide(self, cells: Ints) -> int:
        """Return the outcome of a row."""

    def is_sure(self, cells: Ints) -> bool:
        """Tell whether a row has this outcome in whatever order is added."""

    def path(self, cells: Ints) -> Ints:
        """Return the tests on the ways of a row, each once."""

class EnsembleRow:
    """Questions about one row; any thread.

    A box of rows is (low, high, missing, words): of a number the first and the last cell and
    whether it may be missing, of the categories their sets of cells, one after the other.
    """

    def __init__(
        self,
        ensemble: EnsembleCells,
        cells: Ints,
        first_fact: Ints | None = None,
        has_single: Bools | None = None,
    ) -> None:
        """Make a row ready.

        Where the sides of numbers are facts, the last two give by attribute its first fact, and
        whether that is one beside its sides; otherwise each attribute is one.
        """

    @property
    def outcome(self) -> int:
        """The outcome of the row."""

    @property
    def is_sure(self) -> bool:
        """Whether it has this outcome in whatever order is added."""

    def facts(
        self, low: Ints, high: Ints, missing: Bytes, words: Limbs, marks: Bytes | None = None
    ) -> tuple[Ints, Ints]:
        """Return the fewest facts that leave a box, and those of them that are marked."""

    def path_facts(self) -> Ints:
        """Return the facts that the tests on the ways through all trees leave."""

    def other_outcome(
        self, low: Ints, high: Ints, missing: Bytes, words: Limbs, seconds: float, memory: int
    ) -> tuple[int, Ints]:
        """Tell whether a row of a box has another outcome: (0 no, 1 yes, 2 open; that row)."""

    def quick_reason(self, freed: Bytes, seconds: float, memory: int) -> Ints | None:
        """Return the facts that the quick bound needs; None where it fails."""

    def sufficient_reason(
        self, freed: Bytes, sides: bool, seconds: float, memory: int
    ) -> tuple[bool, Ints, Ints, Bytes, Limbs, Bytes]:
        """Return (forces, low, high, missing, words, open): what a search needs.

        ``open`` marks what time did not suffice for.
        """

    def smaller(
        self,
        low: Ints,
        high: Ints,
        missing: Bytes,
        words: Limbs,
        order: Ints,
        sides: bool,
        seconds: float,
        memory: int,
    ) -> tuple[bool, Ints, Ints, Bytes, Limbs, Bytes]:
        """Return the same from a box of one outcome; attributes in front are freed first."""

    def wider(
        self,
        low: Ints,
        high: Ints,
        missing: Bytes,
        words: Limbs,
        most_parts: int,
        seconds: float,
        memory: int,
    ) -> tuple[bool, Ints, Ints, Bytes, Limbs, Bytes]:
        """Return a box of one outcome as wide as can be proved within so many parts a question."""

    def nearer(
        self, cells: Ints, sides: bool, most_parts: int, seconds: float, memory: int
    ) -> Ints:
        """Return a row of another outcome that changes a subset of the facts that one does."""

    def nearest(
        self,
        low: Ints,
        high: Ints,
        missing: Bytes,
        words: Limbs,
        first: Longs,
        changes: Reals,
        total: Reals,
        blocked_start: Longs,
        blocked: Ints,
        toward: int,
        seconds: float,
        memory: int,
    ) -> tuple[int, Ints, float, float]:
        """Return the cheapest row of another outcome: (0 none, 1 found, 2 open; it; its cost).

        Blocked changes come as (attribute, kind, cell).
        """

# Where each set starts, its facts, and the rows that it gets right and wrong; -1: no such set.
ShortSets: TypeAlias = tuple[Longs, Ints, Longs, Longs]

def wilson_steps(right: int, wrong: int) -> int:
    """Return the lower end of Wilson's interval at 95 %, in steps of 2^-28, rounded down."""

class ShortTable:
    """Rows as codes, and how often facts are right among them. Any number of threads may ask."""

    def __init__(self, codes: Ints, n_cells: Ints, outcome: Ints) -> None: ...
    def search(
        self,
        slot: Ints,
        column: Ints,
        first: Ints,
        last: Ints,
        missing: Bytes,
        outcome: int,
        max_size: int,
        least_rows: int,
        share_of: int,
        share_in: int,
        every_size: bool,
        is_ladder: bool,
        seconds: float,
        memory: int,
    ) -> tuple[ShortSets, ShortSets, int]:
        """Return the best set per size, the smallest that reaches the share, and a lower bound."""

    def smaller(
        self,
        slot: Ints,
        column: Ints,
        first: Ints,
        last: Ints,
        missing: Bytes,
        outcome: int,
        size: int,
        least_rows: int,
        share_of: int,
        share_in: int,
        seconds: float,
        memory: int,
    ) -> ShortSets:
        """Return a set of at most so many facts that reaches the share, if there is one."""

def training_parts(
    left: Ints,
    right: Ints,
    wrong: Bytes,
    weight: Longs,
    is_decided: Bytes,
    row_left: Bytes,
    seconds: float,
    memory: int,
) -> tuple[Ints, Longs, Longs, Longs, int]:
    """Return the parts of a tree between decided nodes: parent, before, after, wrong; covered."""

def wrong_mass(
    left: Ints,
    right: Ints,
    wrong: Bytes,
    weight: Longs,
    is_decided: Bytes,
    row_left: Bytes,
    column: Ints,
    level: Ints,
    missing_left: Bytes,
    n_cells: Ints,
    mass: Longs,
    first: Ints,
    last: Ints,
    missing: Bytes,
    factors: Longs,
    seconds: float,
    memory: int,
) -> tuple[Limbs, Limbs]:
    """Return the mass of wrong leaves, and that of all: 64-bit limbs, least first."""

class ShortChances:
    """Leaves with probabilities, and what facts make of them."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        wrong: Bytes,
        column: Ints,
        level: Ints,
        missing_left: Bytes,
        left_chance: Reals,
        right_chance: Reals,
        decided: Ints,
        row_left: Bytes,
        n_cells: Ints,
        mass: Longs,
        slot: Ints,
        fact_column: Ints,
        first: Ints,
        last: Ints,
        missing: Bytes,
        share: Reals,
        by_leaves: bool,
    ) -> None: ...
    def search(
        self,
        max_size: int,
        error: float,
        covered: float,
        every_size: bool,
        is_ladder: bool,
        seconds: float,
        memory: int,
    ) -> tuple[tuple[Longs, Ints], Reals, bool]:
        """Return the likeliest sets of each size, their errors, and whether no fact suffices."""

    def smaller(
        self, size: int, error: float, covered: float, seconds: float, memory: int
    ) -> tuple[tuple[Longs, Ints], bool]:
        """Return the sets that suffice or may, and whether there were too many of them."""
