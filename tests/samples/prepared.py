"""Trees made ready with domains of their own, and rows to ask about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cattleya import Condition, Tree, Verification
from cattleya.explain.prepared import PreparedTree
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.target import PredictedClass
from cattleya.proof.verification import RowProver
from cattleya.vocabularies.interface import RowAtoms
from cattleya.vocabularies.over import Over

__all__ = ["AskedRow", "asked", "prepared"]


@dataclass(frozen=True, eq=False)
class AskedRow:
    """The atoms of a row, and what proves or refutes what is said of it."""

    tree: PreparedTree
    row: Any

    @cached_property
    def atoms(self) -> RowAtoms:
        return self.tree.vocabulary.row(self.row)

    @cached_property
    def prover(self) -> RowProver:
        return self.tree.prover(self.row, self.atoms.row_class)

    def verify(self, said: Iterable[Condition | str]) -> Verification:
        """Prove or refute that conditions, or their texts, are a sufficient reason."""
        return self.prover.verify([self.atoms.meant(one) for one in said])


def prepared(tree: Tree, over: str, domain: Domain | None = None) -> PreparedTree:
    """A tree made ready; by default its columns are plain numbers."""
    known = Domain.plain(tree) if domain is None else domain
    classes = Classes.of(tree.class_names)
    return PreparedTree(tree, PredictedClass(), classes, Over(over), lambda: known, is_traced=False)


def asked(tree: Tree, over: str, row: Any, domain: Domain | None = None) -> AskedRow:
    """A row of a tree, given in the tree's columns."""
    return AskedRow(prepared(tree, over, domain), row)
