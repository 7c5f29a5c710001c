"""The explorer beside explainerdashboard: `python -m benchmarks.explorer --data DIR`, five minutes.

First the explorer's own time: a click on a row, and a click on a fact, on the whole of `adult`. The
time is the server's own, which every answer has in its header ``Server-Timing``; each row is asked
for once, so that nothing of it is known before.

Then both in Chromium, by the same clock, on the same tree and rows: from the command to the first
page that can be used, and from choosing a row to its explanation. explainerdashboard is installed
into an environment of its own under `build/`; it is asked with its defaults, and with the slowest
part of them turned off (``shap_interaction=False``), and the faster of the two counts.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import joblib
import numpy as np
import pandas as pd
import skops.io

import cattleya
from benchmarks.build import ROOT, build_of
from benchmarks.cases import about, load_case
from benchmarks.publishing import RESULTS, head
from benchmarks.report import at_least, at_most, table, times
from cattleya.experiments.data.protocol import Fold
from cattleya.support.files.atomic import write_text

ROW_BAR, FACT_BAR, FASTER = 50.0, 10.0, 10.0  # milliseconds, and times
VOCABULARIES = ("intervals", "features", "conditions")
BESIDE_ROWS = 500  # that both show
STARTS, CHOICES = 3, 10
PATIENCE = 300.0  # seconds
PEER = ROOT / "build" / "explainerdashboard"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: What a user of explainerdashboard writes; its page is the first at which its server answers.
DASHBOARD = """
import sys, warnings
warnings.simplefilter("ignore")
import joblib, pandas
from explainerdashboard import ClassifierExplainer, ExplainerDashboard
model, rows = joblib.load(sys.argv[1]), pandas.read_csv(sys.argv[2])
explainer = ClassifierExplainer(model, rows, pandas.Series(model.predict(rows)))
settings = {"shap_interaction": False} if sys.argv[4] == "quick" else {}
ExplainerDashboard(explainer, **settings).run(int(sys.argv[3]), host="127.0.0.1", use_waitress=True)
"""

Seconds = tuple[list[float], list[float]]  # to the first page, and to a row's explanation


def clicks(case: Fold) -> tuple[str, list[list[str]]]:
    """Measure the server's own time; return its table, and the bars."""
    whole = np.asarray(case.data.x, dtype=np.float64)
    lines, bars = [], []
    for over in VOCABULARIES:
        explainer = cattleya.Explainer(case.model, list(case.data.features), over=over)
        with explainer.explore(whole, open_browser=False) as running:
            rows, facts = [], []
            ask(running.address, "/row", row=0)  # what is made once
            for row in map(int, case.drawn):
                rows.append(ask(running.address, "/row", row=row)[0])
                _, text = ask(running.address, "/row", row=row, part="facts")
                for fact in re.findall(r'name="fact" value="([^"]+)" id="fact', text)[:2]:
                    given = {"row": row, "part": "enough", "fact": unescape(fact)}
                    facts.append(ask(running.address, "/row", **given)[0])
        for what, taken, bar in (("a row", rows, ROW_BAR), ("a fact", facts, FACT_BAR)):
            median = statistics.median(taken)
            name = f'{what}, over="{over}"'
            lines.append([name, f"{median:.1f} ms", f"{max(taken):.1f} ms", str(len(taken))])
            bars.append([f"a click on {name}", f"{median:.1f} ms", *at_most(median, bar, "ms")])
    return table(["a click on", "median", "most", "clicks"], lines), bars


def ask(address: str, path: str, **given: object) -> tuple[float, str]:
    """Return the server's own milliseconds for an answer, and the answer."""
    where = urlsplit(address)
    url = f"http://{where.netloc}{path}?{urlencode(given)}"
    token = where.query.removeprefix("token=")
    with urlopen(Request(url, headers={"Authorization": f"Bearer {token}"})) as answer:
        found = re.search(r"dur=([\d.]+)", answer.headers["server-timing"])
        assert found is not None
        return float(found[1]), answer.read().decode("utf-8")


def beside(case: Fold, rows: int, starts: int) -> tuple[str, list[list[str]]]:
    """Measure both in the browser; return the table, and the bars."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit("there is no Chromium: apt-get install chromium")
    frame = pd.DataFrame(case.data.x[:rows], columns=list(case.data.features))
    peer = _peer()
    taken: dict[str, Seconds] = {}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        # Trained again with the names of the columns, which the dashboard asks for: the same tree.
        model = case.model.__class__(**case.model.get_params())
        data = case.data
        named = pd.DataFrame(np.asarray(data.x[case.train]), columns=list(data.features))
        model.fit(named, np.asarray(data.y)[case.train])
        assert model.tree_.node_count == case.model.tree_.node_count
        joblib.dump(model, folder / "model.joblib")
        skops.io.dump(model, folder / "model.skops")
        frame.to_csv(folder / "rows.csv", index=False)
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        ours = [sys.executable, "-m", "cattleya", "explore", "model.skops", "rows.csv"]
        kinds = {"the explorer": (_explorer, [*ours, "--no-browser"])}
        for how in ("quick", "default"):
            command = [str(peer), "-c", DASHBOARD, "model.joblib", "rows.csv", "PORT", how]
            kinds[f"explainerdashboard, {how}"] = (_dashboard, command)
        for _ in range(starts):  # they take turns
            for kind, (measure, command) in kinds.items():
                with _page(browser) as page:
                    start, choices = measure(page, command, folder)
                first, explained = taken.setdefault(kind, ([], []))
                first.append(start)
                explained += choices
                print(f"{kind}: {start:.2f} s, {choices}", file=sys.stderr, flush=True)
        browser.close()
    lines = [
        [kind, f"{statistics.median(first):.2f} s", f"{statistics.median(chosen) * 1e3:,.0f} ms"]
        for kind, (first, chosen) in taken.items()
    ]
    own, *peers = taken.values()
    bars = []
    for place, what in enumerate(("the first page", "a row's explanation, once chosen")):
        theirs = min(statistics.median(one[place]) for one in peers)
        ratio = theirs / statistics.median(own[place])
        bars.append([f"{what}: explainerdashboard's time", times(ratio), *at_least(ratio, FASTER)])
    version = subprocess.run(
        [str(peer), "-c", "import importlib.metadata as m; print(m.version('explainerdashboard'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    said = (
        f"The first {rows:,} rows, explainerdashboard {version}, {starts} starts of each by turns, "
        f"{CHOICES} rows chosen in each; medians. The first page counts when it can be used: the "
        f"rows with their decisions, and the dashboard's first plot. A row is explained when its "
        f"reason is on the page, and when the plot of its contributions has arrived."
    )
    heads = ["tool", "command to first page", "row to explanation"]
    return f"{said}\n\n{table(heads, lines)}", bars


def _explorer(page: Any, command: list[str], folder: Path) -> tuple[float, list[float]]:
    begin = time.perf_counter()
    with _running(command, folder) as process:
        assert process.stdout is not None
        page.goto(process.stdout.readline().decode().strip())
        page.wait_for_selector("table.rows tbody a")
        start = time.perf_counter() - begin
        choices = []
        for place in range(1, CHOICES + 1):
            page.goto(page.url.split("/row")[0].split("?")[0])
            page.wait_for_selector("table.rows tbody a")
            begin = time.perf_counter()
            page.click(f"table.rows a[href='/row?row={place}']")
            page.wait_for_selector("main .reason li")
            choices.append(time.perf_counter() - begin)
        return start, choices


def _dashboard(page: Any, command: list[str], folder: Path) -> tuple[float, list[float]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    begin = time.perf_counter()
    with _running([str(port) if part == "PORT" else part for part in command], folder) as process:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if process.poll() is not None or time.perf_counter() - begin > PATIENCE:
                raise SystemExit("explainerdashboard did not start")
            time.sleep(0.01)
        page.goto(f"http://127.0.0.1:{port}/", timeout=PATIENCE * 1e3)
        page.wait_for_selector(".main-svg", timeout=PATIENCE * 1e3)
        start = time.perf_counter() - begin
        page.locator(".tab", has_text="Individual Predictions").click()
        page.wait_for_selector("button:has-text('Random Index')")
        page.wait_for_load_state("networkidle")
        choices = []
        for _ in range(CHOICES):
            begin = time.perf_counter()
            with page.expect_response(_is_contributions, timeout=PATIENCE * 1e3) as answer:
                page.click("button:has-text('Random Index')")
            answer.value.finished()
            choices.append(time.perf_counter() - begin)
            page.wait_for_load_state("networkidle")
        return start, choices


def _is_contributions(answer: Any) -> bool:
    sent = answer.request.post_data or ""
    return "_dash-update-component" in answer.url and '"output":"contributions-graph-' in sent


@contextlib.contextmanager
def _page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        yield context.new_page()
    finally:
        context.close()


@contextlib.contextmanager
def _running(command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, **quiet) as process:  # type: ignore[call-overload]  # by name
        try:
            yield process
        finally:
            process.kill()


def _peer() -> Path:
    """Return the interpreter that has explainerdashboard; install it where there is none."""
    found = PEER / "bin" / "python"
    if not (PEER / ".installed").is_file():
        subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
        install = [str(found), "-m", "pip", "install", "--quiet", "explainerdashboard"]
        subprocess.run(install, check=True)
        (PEER / ".installed").touch()
    return found


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("CATTLEYA_DATA"))
    parser.add_argument("--rows", type=int, default=100, help="that are clicked on")
    parser.add_argument("--starts", type=int, default=STARTS, help="of each in the browser")
    parser.add_argument("--out", type=Path, default=RESULTS / "explorer.md")
    given = parser.parse_args()
    case = load_case("adult", None if given.data is None else Path(given.data), given.rows, 2000)
    parts = ["# The explorer", head(build_of(), []), f"{about(case)}."]
    own, bars = clicks(case)
    parts += ["## The server's own time", own]
    write_text(given.out, "\n\n".join(parts) + "\n")
    if given.starts:
        both, more = beside(case, BESIDE_ROWS, given.starts)
        parts += ["## Beside explainerdashboard, in the browser", both]
        bars += more
    parts += ["## Bars", table(["what", "measured", "bar", "verdict"], bars, left=4)]
    write_text(given.out, "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
