"""Answers about whole models as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cattleya.present.json_form import conditions_form, label_form, share_form

if TYPE_CHECKING:
    from cattleya.explain.audit import Audit, AuditRegion
    from cattleya.explain.whole import RowPair

__all__ = ["audit_form", "row_form"]


def audit_form(audit: Audit) -> dict[str, Any]:
    """Return an audit as plain values."""
    rows = audit.rows
    return {
        "protected": list(audit.protected),
        "fair": audit.fair,
        "status": audit.status or None,
        "witness": _pair_form(audit.witness),
        "regions": [_region_form(region) for region in audit.regions],
        "share_of_cells": share_form(audit.share),
        "share_of_rows": None if rows is None else 1 - rows.share,
        "rows": None if rows is None else rows.rows.tolist(),
        "monotone": {
            name: {
                "goes": str(one),
                "expected": one.expected,
                "holds": one.holds,
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
        "outcomes": list(audit.outcomes),
        "assumptions": list(audit.assumptions),
    }


def row_form(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with plain values."""
    return {name: label_form(value) for name, value in row.items()}


def _pair_form(pair: RowPair | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return {
        "first": row_form(pair.first),
        "second": row_form(pair.second),
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
