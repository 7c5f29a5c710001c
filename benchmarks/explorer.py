"""The explorer beside explainerdashboard: `python -m benchmarks.explorer --data DIR`, ten minutes.

First the explorer's own time: a click on a row, and a click on a fact, on the whole of `adult`. The
time is the server's own, which every answer has in its header ``Server-Timing``. Of a row it is
that of the reason, which comes first, and the sum of all fragments of the quick part, one after the
other; each row is asked for once, so that nothing of it is known before. Then a million rows in a
Parquet file of one row group: how long until the first page is there, and how much memory it takes
at the most.

Then both in Chromium, by the same clock, on the same tree and rows: from the command to the first
page that can be used, and from choosing a row to its explanation. explainerdashboard is installed
into an environment of its own under `build/` (the extra ``bench-explorer``); it is asked with its
defaults, and with the slowest part of them turned off (``shap_interaction=False``), and the faster
of the two counts. That a row was chosen and explained is taken from the clock of the page itself:
nothing of the program that drives the browser is in it.
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
from sklearn.pipeline import make_pipeline

import cattleya
from benchmarks.build import ROOT, build_of
from benchmarks.cases import about, load_case
from benchmarks.publishing import RESULTS, head
from benchmarks.report import at_least, at_most, table, times
from cattleya.experiments.data.protocol import Fold
from cattleya.support.files.atomic import write_text
from cattleya.support.files.cache import FOLDER

ROW_BAR, FACT_BAR, FASTER = 50.0, 10.0, 10.0  # milliseconds, and times
QUICK = ("first", "rest", "fields")  # the fragments of the quick part of a row's page
VOCABULARIES = ("intervals", "features", "conditions")
BESIDE_ROWS = 500  # that both show
STARTS, CHOICES = 3, 10
MILLION, SECONDS_BAR, MEMORY_BAR = 1_000_000, 5.0, 1024  # rows, seconds, MiB
REST = 100  # milliseconds that the pointer is on a row before it is pressed
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

#: Notes when something was chosen, and when its explanation was there: ours is in the page, theirs
#: has come to the browser, but is not drawn yet.
CLOCK = """
(() => {
  const begin = () => { window.chosen = performance.now(); window.explained = undefined; };
  const end = () => { if (window.chosen !== undefined) window.explained ??= performance.now(); };
  addEventListener("click", begin, true);
  new MutationObserver(() => { if (document.querySelector("main .reason li")) end(); })
    .observe(document, { childList: true, subtree: true });
  const own = window.fetch;
  window.fetch = async (...given) => {
    const answer = await own(...given);
    if (String(given[1]?.body).includes('"output":"contributions-graph-')) {
      await answer.clone().text();
      end();
    }
    return answer;
  };
})();
"""

#: To the first page; to a row's explanation, where it is chosen without and with a rest; and to
#: that of a row that the table does not show.
Seconds = tuple[list[float], list[float], list[float], list[float]]


def clicks(case: Fold) -> tuple[str, list[list[str]]]:
    """Measure the server's own time; return its table, and the bars."""
    whole = np.asarray(case.data.x, dtype=np.float64)
    lines, bars = [], []
    for over in VOCABULARIES:
        explainer = cattleya.Explainer(case.model, list(case.data.features), over=over)
        with explainer.explore(whole, open_browser=False) as running:
            firsts, rows, facts = [], [], []
            ask(running.address, "/row", row=0)  # what is made once
            for row in map(int, case.drawn):
                parts = [ask(running.address, "/row", row=row, part=part)[0] for part in QUICK]
                firsts.append(parts[0])
                rows.append(sum(parts))
                _, text = ask(running.address, "/row", row=row, part="facts")
                for fact in re.findall(r'name="fact" value="([^"]+)" id="fact', text)[:2]:
                    given = {"row": row, "part": "enough", "fact": unescape(fact)}
                    facts.append(ask(running.address, "/row", **given)[0])
        for what, taken, bar in (
            ("a row, until its reason is answered", firsts, None),
            ("a row, the whole quick part", rows, ROW_BAR),
            ("a fact", facts, FACT_BAR),
        ):
            median = statistics.median(taken)
            name = f'{what}, over="{over}"'
            lines.append([name, f"{median:.1f} ms", f"{max(taken):.1f} ms", str(len(taken))])
            if bar is not None:
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
        os.environ[FOLDER] = str(folder / "kept")
        skops.io.dump(make_pipeline("passthrough", _named(case, folder)), folder / "pipe.skops")
        frame.to_csv(folder / "rows.csv", index=False)
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        ours = [sys.executable, "-m", "cattleya", "explore", "model.skops", "rows.csv"]
        kinds = {"the explorer": (_explorer, [*ours, "--no-browser"])}
        piped = [*ours[:-2], "pipe.skops", "rows.csv", "--no-browser"]
        for how in ("quick", "default"):
            command = [str(peer), "-c", DASHBOARD, "model.joblib", "rows.csv", "PORT", how]
            kinds[f"explainerdashboard, {how}"] = (_dashboard, command)
        kinds["the explorer, of a Pipeline"] = (_explorer, piped)
        for _ in range(starts):  # they take turns
            for kind, (measure, command) in kinds.items():
                with _page(browser) as page:
                    measured = measure(page, command, folder)
                own = taken.setdefault(kind, ([], [], [], []))
                for place, found in enumerate(measured):
                    own[place].extend(found)
                print(f"{kind}: {measured}", file=sys.stderr, flush=True)
        browser.close()
    lines = [
        [kind, f"{statistics.median(first):.2f} s"]
        + [f"{statistics.median(own) * 1e3:,.0f} ms" if own else "" for own in chosen]
        for kind, (first, *chosen) in taken.items()
    ]
    own_times, *peers = (taken[kind] for kind in list(kinds)[:3])
    bars = []
    for place, what in enumerate(
        (
            "the first page",
            "a row's explanation, once chosen",
            f"the same, where the pointer was on it for {REST} ms",
        )
    ):
        theirs = min(statistics.median(one[place]) for one in peers)
        ratio = theirs / statistics.median(own_times[place])
        bars.append([f"{what}: explainerdashboard's time", times(ratio), *at_least(ratio, FASTER)])
    version = subprocess.run(
        [str(peer), "-c", "import importlib.metadata as m; print(m.version('explainerdashboard'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    said = (
        f"The first {rows:,} rows, explainerdashboard {version}, {starts} starts of each by turns, "
        f"{CHOICES} rows chosen in each way; medians. The first page counts when it can be used: "
        f"the rows with their decisions, and the dashboard's first plot. A row is explained when "
        f"its decision, its reason and what is decisive are on the page: what would have changed "
        f"it, the values that can be set and the rest of the quick part are asked for then, and "
        f"are not in it. A row of the dashboard is explained when the data of the plot of its "
        f"contributions has come to the browser: that it is drawn, and the plots beside it, are "
        f"not in it. It is chosen by its link, and by the button that picks one "
        f"at random. The explorer explains the rows that it shows behind the page, for two "
        f"seconds, and sends the pages that they begin with to the browser: such a row is neither "
        f"explained nor fetched when it is chosen, but shown. It asks for any other one as soon as "
        f"the pointer rests on its link. So a row is "
        f"chosen half a second after the table is there (by both, when nothing is loaded any "
        f"more), once without the pointer and once with it on the link for {REST} ms first; of the "
        f"explorer also one that the table does not show, of which nothing was made before. The "
        f"times of the first section are those of rows that nobody had asked for. The file of the "
        f"tree is read without scikit-learn, and so is a Pipeline that was opened before (last "
        f"line; all starts but the first, which took "
        f"{taken['the explorer, of a Pipeline'][0][0]:.2f} s). The table is a small CSV file of "
        f"numbers, which is read without pandas; one with gaps, quotes or dates, or above 1 MiB, "
        f"is not, which takes longer, too."
    )
    heads = ["tool", "command to first page", "row to explanation", "with the pointer on it"]
    heads.append("a row that is not shown")
    return f"{said}\n\n{table(heads, lines)}", bars


def _explorer(page: Any, command: list[str], folder: Path) -> Seconds:
    begin = time.perf_counter()
    with _running(command, folder) as process:
        assert process.stdout is not None
        page.goto(process.stdout.readline().decode().strip())
        page.wait_for_selector("table.rows tbody a")
        start = time.perf_counter() - begin
        home = page.url.split("?")[0]
        plain, rested, unseen = list[float](), list[float](), list[float]()
        for place in range(1, 3 * CHOICES + 1):
            page.goto(home)
            shown = min(place, 2 * CHOICES)
            link = page.wait_for_selector(f"table.rows a[href='/row?row={shown}']")
            page.wait_for_load_state("networkidle")
            if place > 2 * CHOICES:
                link.evaluate("(one, row) => { one.href = `/row?row=${row}`; }", place + 100)
            _choose(page, link, rests=place <= 2 * CHOICES and place % 2 == 0)
            page.wait_for_selector("main .reason li")
            own = unseen if place > 2 * CHOICES else plain if place % 2 else rested
            own.append(_clock(page))
        return [start], plain, rested, unseen


def _dashboard(page: Any, command: list[str], folder: Path) -> Seconds:
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
        button = page.locator("button:has-text('Random Index')")
        button.wait_for()
        page.wait_for_load_state("networkidle")
        plain, rested = list[float](), list[float]()
        for place in range(1, 2 * CHOICES + 1):
            _choose(page, button, rests=place % 2 == 0)
            (plain if place % 2 else rested).append(_clock(page))
            page.wait_for_load_state("networkidle")
        return [start], plain, rested, []


def _choose(page: Any, link: Any, *, rests: bool) -> None:
    """Press something: without the pointer, or after it was there for a while."""
    if not rests:
        link.evaluate("one => one.click()")
        return
    link.hover()
    page.wait_for_timeout(REST)
    page.mouse.down()
    page.mouse.up()


def _clock(page: Any) -> float:
    """Return the seconds from the choice to the explanation, by the clock of the page."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < PATIENCE:
        if page.evaluate("() => window.explained !== undefined"):
            return float(page.evaluate("() => window.explained - window.chosen")) / 1e3
        page.wait_for_timeout(20)
    raise SystemExit("a row was not explained")


def million(case: Fold, folder: Path) -> tuple[str, list[list[str]]]:
    """Open a million rows; return the table, and the bars."""
    rows = pd.DataFrame(np.asarray(case.data.x), columns=list(case.data.features))
    many = rows.iloc[np.resize(np.arange(len(rows)), MILLION)]
    many.to_parquet(folder / "rows.parquet", index=False, row_group_size=MILLION)
    _named(case, folder)
    command = [sys.executable, "-m", "cattleya", "explore", "model.skops", "rows.parquet"]
    begin = time.perf_counter()
    with _running([*command, "--no-browser"], folder) as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        lines = []
        for what, path, given in (
            ("the first page, from the command", "/", {}),
            ("the last page of rows", "/", {"page": 10**6}),
            ("the first row that is explained", "/row", {"row": MILLION - 1}),
            ("another row", "/row", {"row": MILLION // 2}),
            ("sorted by a column", "/", {"sort": "age"}),
        ):
            ask(address, path, **given)
            taken, begin = time.perf_counter() - begin, time.perf_counter()
            lines.append([what, f"{taken:.2f} s", f"{_peak(process.pid):,.0f} MiB"])
        steps = 0.0
        while "data-cancel" in ask(address, "/", decision=_label(case))[1]:
            continue
        steps = time.perf_counter() - begin
        lines.append(["all rows of a decision", f"{steps:.2f} s", f"{_peak(process.pid):,.0f} MiB"])
        peak = _peak(process.pid)
    first = float(lines[0][1].split()[0])
    bars = [
        ["a million rows: the first page", f"{first:.2f} s", *at_most(first, SECONDS_BAR, "s")],
        ["a million rows: memory", f"{peak:,.0f} MiB", *at_most(peak, MEMORY_BAR, "MiB")],
    ]
    return table(["a million rows of Parquet", "time", "memory so far"], lines), bars


def _label(case: Fold) -> str:
    return str(case.model.classes_.tolist()[1])


def _peak(process: int) -> float:
    """Return the most memory that a process had, in MiB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def _named(case: Fold, folder: Path) -> Any:
    """Train the tree again with the names of the columns, which the dashboard asks for; keep it."""
    model, data = case.model.__class__(**case.model.get_params()), case.data
    named = pd.DataFrame(np.asarray(data.x[case.train]), columns=list(data.features))
    model.fit(named, np.asarray(data.y)[case.train])
    assert model.tree_.node_count == case.model.tree_.node_count
    joblib.dump(model, folder / "model.joblib")
    skops.io.dump(model, folder / "model.skops")
    return model


@contextlib.contextmanager
def _page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(CLOCK)
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
        install = [str(found), "-m", "pip", "install", "--quiet", "explainerdashboard>=0.5"]
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
    with tempfile.TemporaryDirectory() as name:
        large, more = million(case, Path(name))
    parts += ["## A million rows", large]
    bars += more
    write_text(given.out, "\n\n".join(parts) + "\n")
    if given.starts:
        both, more = beside(case, BESIDE_ROWS, given.starts)
        parts += ["## Beside explainerdashboard, in the browser", both]
        bars += more
    parts += ["## Bars", table(["what", "measured", "bar", "verdict"], bars, left=4)]
    write_text(given.out, "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
