"""The explorer's own time: a click on a row, and a click on a fact, through the running server.

``python -m benchmarks.explorer --data DIR --out explorer.md`` takes about a minute. The time is the
server's own, which every answer has in its header ``Server-Timing``; each row is asked for once, so
that nothing of it is known before.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import numpy as np

import cattleya
from benchmarks.cases import about, load_case
from benchmarks.report import at_most, table

ROW_BAR, FACT_BAR = 50.0, 10.0  # milliseconds
VOCABULARIES = ("intervals", "features", "conditions")


def measure(folder: Path | None, rows: int) -> str:
    """Return the table, in Markdown."""
    case = load_case("adult", folder, rows, 2000)
    matrix = np.array([case.data.dense_row(number) for number in case.drawn])
    lines = []
    for over in VOCABULARIES:
        explainer = cattleya.Explainer(case.model, list(case.data.features), over=over)
        with explainer.explore(matrix, open_browser=False) as running:
            clicks, facts = [], []
            ask(running.address, "/row", row=0)  # what is made once
            for row in range(1, len(matrix)):
                clicks.append(ask(running.address, "/row", row=row)[0])
                _, text = ask(running.address, "/row", row=row, part="facts")
                for fact in re.findall(r'name="fact" value="([^"]+)" id="fact', text)[:2]:
                    facts.append(
                        ask(running.address, "/row", row=row, part="enough", fact=unescape(fact))[0]
                    )
        for what, taken, bar in (("a row", clicks, ROW_BAR), ("a fact", facts, FACT_BAR)):
            median = statistics.median(taken)
            cells = [f"{median:.1f} ms", f"{max(taken):.1f} ms", str(len(taken))]
            lines.append([f'{what}, over="{over}"', *cells, *at_most(median, bar, "ms")])
    head = ["a click on", "median", "most", "clicks", "bar", "verdict"]
    return f"# The explorer\n\n{about(case)}.\n\n{table(head, lines)}\n"


def ask(address: str, path: str, **given: object) -> tuple[float, str]:
    """Return the server's own milliseconds for an answer, and the answer."""
    where = urlsplit(address)
    url = f"http://{where.netloc}{path}?{urlencode(given)}"
    token = where.query.removeprefix("token=")
    with urlopen(Request(url, headers={"Authorization": f"Bearer {token}"})) as answer:
        found = re.search(r"dur=([\d.]+)", answer.headers["server-timing"])
        assert found is not None
        return float(found[1]), answer.read().decode("utf-8")


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CATTLEYA_DATA"))
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--out", type=Path, help="where to write the table; by default it is shown")
    given = parser.parse_args()
    text = measure(None if given.data is None else Path(given.data), given.rows)
    if given.out is None:
        print(text)
    else:
        given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
