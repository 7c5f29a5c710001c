"""The fingerprint of an ensemble, by which ensembles are compared and results say their model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from cattleya.support.text import plain_value

__all__ = ["ensemble_hash"]


def ensemble_hash(arguments: Mapping[str, Any]) -> str:
    """Return a SHA-256 of what an ensemble is made of."""
    digest = hashlib.sha256()
    rest: dict[str, Any] = {}
    for name, part in sorted(arguments.items()):
        if isinstance(part, np.ndarray):
            digest.update(f"{name} {part.dtype.str[1:]} {part.shape} ".encode())
            digest.update(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).data)
        elif isinstance(part, Mapping):
            rest[name] = [[key, _told_all(part[key])] for key in sorted(part)]
        elif isinstance(part, tuple):
            rest[name] = _told_all(part)
        else:
            rest[name] = _told(part)
    digest.update(json.dumps(rest, sort_keys=True).encode())
    return digest.hexdigest()


def _told_all(part: Any) -> list[str]:
    return [_told(one) for one in (part if isinstance(part, tuple) else (part,))]


def _told(value: Any) -> str:
    return repr(plain_value(value))
