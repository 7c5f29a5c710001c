"""``cattleya experiment``: the paper's experiments; one file per command."""

from __future__ import annotations

import click

from cattleya.cli.experiment.figure import figure
from cattleya.cli.experiment.growth import growth
from cattleya.cli.experiment.peers import peers
from cattleya.cli.experiment.table1 import table1

__all__ = ["experiment"]


@click.group()
def experiment() -> None:
    """Run the paper's experiments again."""


for command in (table1, peers, growth, figure):
    experiment.add_command(command)
