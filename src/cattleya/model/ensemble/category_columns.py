"""Sets of categories as columns: an ensemble that asks only whether a number is up to a threshold.

Whether a code is in a set is a column of 0 and 1. So a feature whose codes are tested by sets
becomes as many columns as there are different sets, one of them in its own place and the others
after all features; the nodes ask ``<= 0.5`` of them. A code, any code that is in no set, and a
missing value each become one point in these columns, so that what no set tells apart is one value.
All that is done with trees that test thresholds can then be done with these.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.support.arrays import Bools, Floats, Int64s, Places
from cattleya.support.text import quoted

__all__ = ["CategoryColumns", "OneFeature", "as_columns"]

MOST = 1 << 24  # codes times columns of one feature
ANY_OTHER, MISSING = -2, -1  # lines of a table, after those of the codes


@dataclass(frozen=True, eq=False)
class OneFeature:
    """What each code of one feature becomes.

    Attributes
    ----------
    codes : ndarray
        Those that some set has, and those of all labels, in order.
    columns : tuple of int
        Where its numbers stand: first in its own place.
    table : ndarray
        One line per code, then one for any other code and one for a missing value.
    """

    codes: Int64s
    columns: tuple[int, ...]
    table: Floats

    def lines(self, values: Floats) -> Places:
        """Return the line of the table of each value: its code is its whole part."""
        missing = np.isnan(values)
        whole = np.trunc(np.where(missing | (values < 0), -1.0, values))
        at = np.minimum(np.searchsorted(self.codes, whole), len(self.codes) - 1)
        known = self.codes[at] == whole
        last = len(self.table)
        found = np.where(known, at, last + ANY_OTHER)
        return np.asarray(np.where(missing, last + MISSING, found))


@dataclass(frozen=True, eq=False)
class CategoryColumns:
    """The ensemble as it was, and what becomes of each feature that is tested by sets."""

    ensemble: Ensemble
    features: dict[int, OneFeature]
    count: int

    def columns_of(self, matrix: Floats) -> Floats:
        """Return rows, as the ensemble reads them, in the columns of the new one."""
        made = np.zeros((len(matrix), self.count))
        made[:, : matrix.shape[1]] = matrix
        for feature, one in self.features.items():
            made[:, one.columns] = one.table[one.lines(matrix[:, feature])]
        return made

    def values(self, feature: int) -> list[Hashable]:
        """Return what is known of a category: its labels, or else the codes themselves."""
        labels = self.ensemble.categories.get(feature)
        if labels is None:
            return list(self.features[feature].codes.tolist())
        return [_plain(label) for label in labels]


def _plain(label: Hashable) -> Hashable:
    """Return a label that is a whole number without its point: it is equal to that."""
    return int(label) if isinstance(label, float) and label.is_integer() else label


def as_columns(ensemble: Ensemble) -> tuple[Ensemble, CategoryColumns]:
    """Return an ensemble without sets that decides alike, and what becomes of rows.

    Examples
    --------
    >>> jobs = Ensemble([0, 3, 6], [1, -1, -1, 4, -1, -1], [2, -1, -1, 5, -1, -1],
    ...                 [0, -1, -1, 0, -1, -1], [0] * 6, [1, -1, 0.5, -0.5], n_features=1,
    ...                 category_set=[0, -1, -1, 1, -1, -1], set_start=[0, 2, 3],
    ...                 set_codes=[1, 4, 4], set_left=[True, False], feature_names=["job"])
    >>> plain, columns = as_columns(jobs)
    >>> rows = np.array([[0.0], [1.0], [4.0], [7.0]])
    >>> columns.columns_of(rows).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    >>> (plain.margins_of(columns.columns_of(rows)) == jobs.margins_of(rows)).all()
    np.True_
    """
    tests_set = ensemble.category_set >= 0
    left, right = ensemble.left.copy(), ensemble.right.copy()
    feature, threshold = ensemble.feature.copy(), ensemble.threshold.copy()
    missing_left = ensemble.missing_left
    if missing_left is not None:
        missing_left = missing_left & ~tests_set  # these columns have a number for what is missing
    _check_kinds(ensemble, tests_set)
    features: dict[int, OneFeature] = {}
    names, count = list(ensemble.feature_names), ensemble.n_features
    for number in np.unique(feature[tests_set]).tolist():
        nodes = np.flatnonzero(tests_set & (ensemble.feature == number))
        codes = _codes_of(ensemble, number, nodes)
        patterns, pattern_of, swapped = _patterns(ensemble, nodes, codes)
        columns = (number, *range(count, count + len(patterns) - 1))
        count += len(patterns) - 1
        names += _more_names(names, names[number], len(patterns) - 1)
        features[number] = OneFeature(codes, columns, patterns.T.astype(np.float64))
        feature[nodes], threshold[nodes] = np.array(columns)[pattern_of], 0.5
        turned = nodes[swapped]
        left[turned], right[turned] = right[turned], left[turned]
    coded = features.keys() | ensemble.categories.keys()
    own = {
        "left": left,
        "right": right,
        "feature": feature,
        "threshold": threshold,
        "n_features": count,
        "feature_names": names,
        "missing_left": missing_left,
        "category_set": None,
        "set_start": (0,),
        "set_codes": (),
        "set_left": (),
        "categories": None,
        "reading": {f: how for f, how in ensemble.reading.items() if f not in coded},
    }
    return ensemble.changed(own), CategoryColumns(ensemble, features, count)


def _check_kinds(ensemble: Ensemble, tests_set: Bools) -> None:
    """Refuse a feature that is a category to one node and a number to another."""
    inner = ensemble.left >= 0
    of_sets = np.unique(ensemble.feature[tests_set])
    both = np.intersect1d(of_sets, ensemble.feature[inner & ~tests_set]).tolist()
    if both:
        raise TypeError(
            f"{quoted([ensemble.feature_names[f] for f in both])} is a category in one node of "
            f"this ensemble and a number in another, which is not explained"
        )


def _codes_of(ensemble: Ensemble, number: int, nodes: Places) -> Int64s:
    """Return the codes of a feature that some set has, or that have a label."""
    sets = np.unique(ensemble.category_set[nodes])
    found = [ensemble.set_codes[slice(*ensemble.set_start[s : s + 2])] for s in sets.tolist()]
    labels = np.arange(len(ensemble.categories.get(number, ())))
    codes = np.unique(np.concatenate([labels, *found])).astype(np.int64)
    return codes if len(codes) else np.zeros(1, dtype=np.int64)


def _patterns(ensemble: Ensemble, nodes: Places, codes: Int64s) -> tuple[Bools, Places, Bools]:
    """Return the different columns of a feature, that of each node, and which nodes turn round.

    A column has 0 for any other code. A node that sends such codes to the right has its children
    exchanged, so that a set and all but it are one question.
    """
    known: dict[bytes, int] = {}
    patterns: list[Bools] = []
    pattern_of = np.zeros(len(nodes), dtype=np.intp)
    swapped = np.zeros(len(nodes), dtype=np.bool_)
    missing_left = ensemble.missing_left
    for place, node in enumerate(nodes.tolist()):
        number = int(ensemble.category_set[node])
        goes_left = bool(ensemble.set_left[number])
        own = ensemble.set_codes[slice(*ensemble.set_start[number : number + 2])]
        pattern = np.zeros(len(codes) + 2, dtype=np.bool_)
        pattern[np.searchsorted(codes, own)] = True
        # Any other code goes left where the codes of the set do not.
        pattern[MISSING] = missing_left is not None and bool(missing_left[node]) == goes_left
        key = np.packbits(pattern).tobytes()
        if key not in known:
            known[key] = len(patterns)
            patterns.append(pattern)
            if len(patterns) * len(pattern) > MOST:
                raise TypeError(
                    f"{ensemble.feature_names[int(ensemble.feature[node])]!r} has too many "
                    f"categories in too many sets: {len(codes)} in more than {len(patterns)}; "
                    f"join rare categories before training"
                )
        pattern_of[place], swapped[place] = known[key], goes_left
    return np.array(patterns), pattern_of, swapped


def _more_names(names: list[str], name: str, count: int) -> list[str]:
    """Return names for further columns of a feature, which no feature has."""
    taken, found, number = set(names), list[str](), 2
    while len(found) < count:
        if (one := f"{name} [{number}]") not in taken:
            found.append(one)
        number += 1
    return found
