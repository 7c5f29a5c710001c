"""What all the explanations of one model share: made once, and the costly parts on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cattleya.adapters import AdaptedModel
from cattleya.domain import Domain
from cattleya.feature_names import FeatureNames
from cattleya.leaf_regions import Regions
from cattleya.stated_domain import Statements
from cattleya.tree import Tree

__all__ = ["Setting"]


@dataclass(frozen=True, eq=False)
class Setting:
    """A model, what its user stated about its features, and how its classes are shown."""

    model: AdaptedModel
    statements: Statements
    class_labels: tuple[str, ...]
    memory_limit: int

    @cached_property
    def domain(self) -> Domain:
        """What values rows can have."""
        return self.statements.applied(self.model.domain, self.model.tree)

    @cached_property
    def features(self) -> FeatureNames:
        """The features by the names that users have for them."""
        return FeatureNames(self.model.tree, self.domain)

    @cached_property
    def regions(self) -> Regions:
        """The part of the domain behind each node."""
        return Regions(self.model.tree, self.domain)

    @cached_property
    def regions_with_missing(self) -> Regions:
        """The same, where the tree also takes missing values."""
        tree = self.model.tree_for_missing
        return self.regions if tree is None else Regions(tree, self.domain)

    def regions_of(self, tree: Tree) -> Regions:
        """Return the regions of one of the model's two trees."""
        return self.regions if tree is self.model.tree else self.regions_with_missing
