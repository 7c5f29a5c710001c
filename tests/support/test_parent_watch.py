"""Workers end with the process that started them, whenever it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="needs Linux's list of children"
)

#: How workers are started; each program would go on for minutes.
PROGRAMS = {
    "rows of a table": """
import sklearn.datasets, sklearn.tree, cattleya
X, y = sklearn.datasets.load_digits(return_X_y=True)
explainer = cattleya.Explainer(sklearn.tree.DecisionTreeClassifier(random_state=0).fit(X, y))
for _ in range(1000):
    explainer.explain_all(X, want=["importance"], n_jobs=2)
""",
    "rows of a table, by forks": """
import joblib, sklearn.datasets, sklearn.tree, cattleya
X, y = sklearn.datasets.load_digits(return_X_y=True)
explainer = cattleya.Explainer(sklearn.tree.DecisionTreeClassifier(random_state=0).fit(X, y))
with joblib.parallel_config("multiprocessing"):
    for _ in range(1000):
        explainer.explain_all(X, want=["importance"], n_jobs=2)
""",
    "an experiment": """
from cattleya.cli import run
run(["experiment", "table1", "--datasets", "digits", "--rows", "1000", "--jobs", "2"])
""",
    "a question apart": """
from cattleya.cli import run
run(["experiment", "growth", "--sizes", "5001", "--timeout", "100"])
""",
}
DELAYS = (0.0, 0.3, 1.0, 2.0)  # seconds from the first worker on


def children(pid: int) -> set[int]:
    """Return the processes that a process has started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for threads in lists for child in threads.read_text().split()}


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"  # which nobody has asked about yet


def killed(program: str, folder: Path, delay: float) -> set[int]:
    """Run a program until some seconds after its first worker; return those that it had started."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None and not children(process.pid):
            time.sleep(0.01)
        time.sleep(delay)
        process.send_signal(signal.SIGSTOP)  # it starts no more
        return children(process.pid)
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("program", PROGRAMS)
def test_workers_end_whenever_it_is_killed(tmp_path: Path, program: str) -> None:
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(killed, PROGRAMS[program], tmp_path, delay) for delay in DELAYS]
    assert any(run.result() for run in runs)  # a quick program may have ended before it was killed
    left = set().union(*(run.result() for run in runs))
    for _ in range(600):
        left = {pid for pid in left if is_running(pid)}
        if not left:
            break
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
