"""Answers about whole models as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cattleya.present.json_form import conditions_form, label_form, share_form
from cattleya.present.words.whole import conditions_text

if TYPE_CHECKING:
    from cattleya.explain.audit import Audit, AuditRegion
    from cattleya.explain.compare import ModelComparison
    from cattleya.explain.whole import RowPair

__all__ = ["audit_form", "comparison_form"]


def audit_form(audit: Audit, regions: int | None = None) -> dict[str, Any]:
    """Return an audit as plain values; so many of its regions, or all."""
    rows = audit.rows
    return {
        "protected": list(audit.protected),
        "fair": audit.fair,
        "status": audit.status or None,
        "witness": _pair_form(audit.witness),
        "n_regions": len(audit.regions),
        "regions": [_region_form(region) for region in audit.regions[:regions]],
        "share_of_cells": share_form(audit.share),
        "share_of_rows": None if rows is None else 1 - rows.share,
        "rows": None if rows is None else rows.rows.tolist(),
        "open_rows": audit.open_rows,
        "monotone": {
            name: {
                "goes": str(one),
                "expected": one.expected,
                "holds": one.holds,
                "status": one.status,
                "seen": list(one.seen),
                "order": list(one.order),
                "witness": _pair_form(one.witness),
            }
            for name, one in audit.monotone.items()
        },
        "unused": list(audit.unused),
        "untested": list(audit.untested),
        "facts": {name: _texts(facts) for name, facts in audit.facts.items()},
        "impossible": list(audit.impossible),
        "unreachable": [
            {"node": one.node, "leaves": one.leaves, "conditions": list(one.conditions)}
            for one in audit.unreachable
        ],
        "leaves": audit.leaves,
        "removable_leaves": audit.removable,
        "smallest": audit.smallest,
        "rules": None
        if audit.rules is None
        else [
            {
                "outcome": rule.outcome,
                "conditions": conditions_form(rule.conditions),
                "text": conditions_text(rule.conditions),
                "covers": share_form(rule.of_class),
                "precision": share_form(rule.precision),
                "forces": rule.forces,
            }
            for rule in audit.rules
        ],
        "outcomes": list(audit.outcomes),
        "assumptions": list(audit.assumptions),
    }


def _row_form(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with plain values."""
    return {name: label_form(value) for name, value in row.items()}


def _pair_form(pair: RowPair | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return {
        "first": _row_form(pair.first),
        "second": _row_form(pair.second),
        "outcomes": list(pair.outcomes),
    }


def _region_form(region: AuditRegion) -> dict[str, Any]:
    return {
        "conditions": conditions_form(region.conditions),
        "share_of_cells": share_form(region.share),
        "outcomes": [
            {"protected": _texts(parts), "outcome": said} for parts, said in region.outcomes
        ],
    }


def _texts(parts: Sequence[object]) -> list[str]:
    return [str(one) for one in parts]


def comparison_form(found: ModelComparison, regions: int | None = None) -> dict[str, Any]:
    """Return what was found about two models; so many of the regions, or all."""
    return {
        "same": found.same,
        "status": found.status,
        "complete": found.complete,
        "n_regions": len(found.regions),
        "regions": [
            {
                "conditions": conditions_form(region.conditions),
                "old": region.old,
                "new": region.new,
                "share_of_cells": share_form(region.share),
                "witness": _row_form(region.witness),
            }
            for region in found.regions[:regions]
        ],
        "share_of_cells": share_form(found.share),
        "witness": None if found.witness is None else _row_form(found.witness),
        "outcomes": None if found.outcomes is None else list(found.outcomes),
        "n_rows": found.n_rows,
        "changed_rows": found.changed_rows,
        "changed": None if found.changed is None else found.changed.tolist(),
        "directions": _directions(found.directions),
        "groups": {
            name: [
                {
                    "group": one.group,
                    "rows": one.rows,
                    "changed": one.changed,
                    "directions": _directions(one.directions),
                }
                for one in groups
            ]
            for name, groups in found.groups.items()
        },
        "assumptions": list(found.assumptions),
    }


def _directions(directions: dict[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [{"old": old, "new": new, "rows": n} for (old, new), n in directions.items()]
