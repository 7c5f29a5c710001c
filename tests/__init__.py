"""The tests: a folder for each of the package's, and some for what is about all of it.

``core`` asks the native core itself, ``robustness`` draws random trees and loads the machine,
``safety`` has bad and hostile input, ``project`` the documents, the examples and the packaging.
Beside them stand ``oracles`` (brute force from the definitions), ``samples`` (trees, domains,
models and tables to test with), ``checks`` (what many tests compare) and ``data`` (files).
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]  # of the project
DATA = ROOT / "tests" / "data"
