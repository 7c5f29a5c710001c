"""Work done in a process of its own, which can be killed and whose memory is its own."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TIME_LIMIT = "time limit"


def run_apart(worker: str, given: object, time_limit: float) -> tuple[Any, str | None]:
    """Run `python WORKER GIVEN RESULT`; return what it wrote as JSON, and what went wrong.

    GIVEN is a pickle. The worker, with every process that it started, is killed after
    `time_limit` seconds; it may as well set itself an alarm, which is taken for the same. What it
    leaves in its working directory is removed.
    """
    with tempfile.TemporaryDirectory() as folder:
        pickled, result = Path(folder, "given.pickle"), Path(folder, "result.json")
        pickled.write_bytes(pickle.dumps(given))
        script = str(Path(__file__).with_name(worker))
        process = subprocess.Popen(
            [sys.executable, script, str(pickled), str(result)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        trouble = None
        try:
            _, said = process.communicate(timeout=time_limit)
            if process.returncode == -signal.SIGALRM:
                trouble = TIME_LIMIT
            elif process.returncode != 0:
                last = (said.strip().splitlines() or ["no message"])[-1]
                trouble = f"stopped with exit code {process.returncode}: {last}"
        except subprocess.TimeoutExpired:
            trouble = TIME_LIMIT
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return (json.loads(result.read_text()) if result.is_file() else None), trouble


def write_result(path: Path, result: object) -> None:
    """Write a worker's result so that being killed meanwhile leaves the one before."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(result))
    os.replace(written, path)
