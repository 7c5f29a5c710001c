"""Ganak (pyganak) on the paper's CNF of a row's clauses: encoding and counting are timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.prime_cnf import prime_cnf
from cattleya.experiments.peers.workers.clocks import settled


def start(_: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Import Ganak; count the hitting sets of each row's clauses."""
    from pyganak import Counter

    def count(clauses: list[list[int]]) -> int:
        variables, cnf = prime_cnf(clauses)
        counter = Counter()
        counter.new_vars(variables)
        counter.add_clauses(cnf)
        return int(counter.count())

    def answer(row: Any) -> dict[str, Any]:
        seconds, number = settled(lambda: count(row))
        return {"seconds": {"count": seconds}, "count": str(number)}

    return answer


if __name__ == "__main__":
    serve(start)
