"""Options that several commands share."""

from __future__ import annotations

import click

from cattleya.support.limits import MEMORY_LIMIT
from cattleya.vocabularies.over import Over

__all__ = ["MIB", "as_json", "exclude", "immutable", "jobs", "memory_limit", "over", "trust"]

MIB = 1 << 20

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
over = click.option(
    "--over",
    type=click.Choice([over.value for over in Over]),
    default="conditions",
    show_default=True,
    help="What explanations are made of: the tree's conditions, whole features, or intervals.",
)
exclude = click.option(
    "--exclude",
    multiple=True,
    metavar="FEATURE",
    help="A feature that no reason may mention (may be given more than once).",
)
immutable = click.option(
    "--immutable",
    multiple=True,
    metavar="FEATURE",
    help="A feature that no minimal change (contrastive explanation) may change (may be given more "
    "than once).",
)
memory_limit = click.option(
    "--memory-limit",
    type=click.IntRange(min=1),
    default=MEMORY_LIMIT // MIB,
    show_default=True,
    metavar="MIB",
    help="The memory limit per question, in MiB.",
)


def _some_jobs(context: click.Context, option: click.Parameter, jobs: int) -> int:
    if jobs == 0 or jobs < -1:
        raise click.UsageError(
            f"--jobs must be a number of processes, or -1 for all cores, not {jobs}"
        )
    return jobs


jobs = click.option(
    "--jobs",
    type=int,
    callback=_some_jobs,
    default=1,
    show_default=True,
    metavar="N",
    help="The number of processes; -1 for one per core.",
)
trust = click.option("--trust", is_flag=True, help="Load MODEL even if it could run code.")
