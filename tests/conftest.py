"""Settings of all tests: repeatable random examples, and where the large data sets are."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from cattleya.support.files.cache import FOLDER
from tests import ROOT
from tests.checks.command import succeeds
from tests.samples.wines import BATCH, wine_files

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

# No test reads or writes the user's cache; those that are about it name a folder of their own.
os.environ[FOLDER] = ""

# What a shell starts in the background ignores interrupts, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _pictures_are_closed() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:  # which keeps all of them, and warns of many
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the data sets of the paper's table (CATTLEYA_DATA, or beside the project)."""
    beside = ROOT.parent / "shared" / "data"
    folder = Path(os.environ.get("CATTLEYA_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the data sets are not in {folder}; CATTLEYA_DATA names another folder")
    return folder


@pytest.fixture
def wine_folder(tmp_path: Path) -> Path:
    """A folder with a model of wines, and two tables of 534 of them."""
    wine_files(tmp_path, 534)
    return tmp_path


@pytest.fixture(scope="session")
def made_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few wines with their result, which tests copy and change."""
    folder = tmp_path_factory.mktemp("made")
    wine_files(folder, 100)
    succeeds(*BATCH, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by playwright."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        # Without a sandbox, which containers do not allow; the pages are our own.
        opened = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()
