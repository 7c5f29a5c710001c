"""Mutants of Python that no test finds, and why none has to: each was looked at.

By the definition that the change is in, then the operator of
cosmic-ray and its number among the places of that definition where it can be used. ``python -m
mutation`` prints this for whatever survives; one that is not here is a hole. The report shows the
change beside what is said of it here, as an edit of the definition may have moved the number.
Faults of the core are judged where they are listed, in ``core_faults``.
"""

from __future__ import annotations

__all__ = ["JUDGED"]

JUDGED: dict[str, str] = {
    "adapters.adapted.AdaptedModel ReplaceTrueWithFalse 1": "nobody changes them",
    "changes.costs.Costs ReplaceFalseWithTrue 1": "nobody compares them",
    "changes.costs.Permitted ReplaceFalseWithTrue 1": "nobody compares them",
    "changes.costs.Prices ReplaceFalseWithTrue 1": "nobody compares them",
    "changes.costs.Start ReplaceFalseWithTrue 1": "nobody compares them",
    "changes.costs.cost_of_nodes NumberReplacer 5": "the same: nothing is 0",
    "changes.nearest.Wanted.drafts ReplaceComparisonOperator_Eq_GtE 1": (
        "the same for l0, l1 and l2"
    ),
    "reasons.limbs.ranked ReplaceTrueWithFalse 1": "a check of ourselves: they are of one length",
    "reasons.diverse.diverse ReplaceComparisonOperator_Eq_LtE 1": (
        "the same: nothing shares less than the least"
    ),
    "proof.domain.DomainProver._near NumberReplacer 2": (
        "another of the values that refute: each is walked through the tree"
    ),
    "model.conditions.fact.Fact.holds NumberReplacer 4": (
        "the same: there is only one, of more it is refused to speak"
    ),
    "changes.fairness.fairness NumberReplacer 2": (
        "the same: it is about the root, which no test leads to and nobody asks about"
    ),
    "model.domain.lookup.FeatureLookup.knows ReplaceOrWithAnd 2": (
        "the same, but where a condition is written like the name of a column"
    ),
    "explain.counting.Counting.importance ReplaceComparisonOperator_Eq_LtE 1": (
        "the same: of the kinds it is the first"
    ),
    "vocabularies.intervals.IntervalRow.__init__ ReplaceBinaryOperator_BitAnd_Mul 2": (
        "the same, of truth values"
    ),
    "model.conditions.phrases._interval NumberReplacer 2": (
        "the same: two tests of whether a value is there say the same"
    ),
    "model.domain.edges.neighbours NumberReplacer 5": (
        "the same: one more end that nobody asks for"
    ),
    "support.files.parquet._batches NumberReplacer 4": (
        "only a forged file says that what it has encoded takes no bytes"
    ),
    "reasons.reason.sentence ReplaceFalseWithTrue 1": (
        "the same: it differs where one condition follows from another, which a minimal reason has "
        "not"
    ),
    "explain.questions._wrong_contrasts ReplaceTrueWithFalse 1": (
        "words of a fault that is told either way: they differ where one condition follows from "
        "another"
    ),
    "batch.run.explain_chunk ReplaceTrueWithFalse 1": (
        "a check of ourselves: they are of one length"
    ),
    "adapters.skops_schema._size NumberReplacer 6": (
        "a part more or less, of a reference to nothing, beside a limit of 100,000"
    ),
    "model.tree.tree.Tree.__init__ NumberReplacer 3": (
        "the same: the root, which is node 0, is nobody's child; the core has checked it"
    ),
    "support.files.unpacking NumberReplacer 7": (
        "a bound on what deflate can do: with a larger one, some files are looked into in vain"
    ),
    "model.conditions.tests.Conditions.__init__ NumberReplacer 17": (
        "the same: leaves have no test, and who asks looks whether it is below 0"
    ),
}
