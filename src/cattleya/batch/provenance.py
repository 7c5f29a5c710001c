"""What a result was made from, so that it can be made again: version, model, data, parameters."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from cattleya.batch.task import Task
from cattleya.explain.context import ModelContext
from cattleya.support.files.regular import check_regular
from cattleya.support.text import plain_value
from cattleya.support.version import VERSION

__all__ = ["FORMAT", "KEY", "file_hash", "provenance", "types_form", "types_from"]

FORMAT = "cattleya-batch"
FORMAT_VERSION = 1
KEY = b"cattleya"  # of the Parquet schema's metadata
BLOCK = 1 << 20


def provenance(context: ModelContext, task: Task, **more: Any) -> dict[str, Any]:
    """Return what decides the answers, as JSON values; ``more`` is added, such as the files'."""
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "cattleya": VERSION,
        "model": context.tree_hash,
        "target": context.target_form,
        "output": context.model.output,
        "over": context.over,
        "definition": context.over.definition,
        "parameters": {
            "want": list(task.want),
            "timeout": task.timeout,
            "contrasts": task.contrasts,
            "exclude": [plain_value(feature) for feature in task.exclude],
            "immutable": [plain_value(feature) for feature in task.immutable],
            "memory_limit": context.memory_limit,
        },
        "types": types_form(context.types),
        **more,
    }


def file_hash(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    check_regular(path)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def types_form(types: Any) -> dict[str, str] | None:
    """Return the types of columns as JSON values: pandas' names of them."""
    if types is None:
        return None
    return {str(name): str(dtype) for name, dtype in zip(types.columns, types.dtypes, strict=True)}


def types_from(form: dict[str, str] | None) -> Any:
    """Return a table without rows whose columns have these types."""
    if form is None:
        return None
    import pandas as pd

    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in form.items()})
