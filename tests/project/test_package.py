"""The package as a whole: its stub, its import, its demo."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import cattleya
from cattleya import _core
from tests import ROOT


def _stub_parameters() -> dict[str, list[str]]:
    """Name every function of the stub, methods as Class.method, with its parameters."""
    tree = ast.parse((files(cattleya) / "_core.pyi").read_text())
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = [arg.arg for arg in node.args.args]
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not _is_property(method):
                    found[f"{node.name}.{method.name}"] = [arg.arg for arg in method.args.args]
    return found


def _is_property(method: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in method.decorator_list)


def _real_parameters() -> dict[str, list[str]]:
    """Read the same from the signatures that the extension carries."""

    def parameters(function: object) -> list[str]:
        signature = function.__nb_signature__[0][0]  # type: ignore[attr-defined]  # of nanobind
        return re.findall(r"(?:\(|, )(\w+)(?=[:,)])", signature.split(") ->")[0] + ")")

    found = {}
    for name, value in vars(_core).items():
        if hasattr(value, "__nb_signature__"):
            found[name] = parameters(value)
        elif isinstance(value, type) and not issubclass(value, BaseException):
            for method, function in vars(value).items():
                if hasattr(function, "__nb_signature__"):
                    found[f"{name}.{method}"] = parameters(function)
    return found


def test_the_stub_is_the_extension() -> None:
    assert _stub_parameters() == _real_parameters()


def test_the_package_is_typed() -> None:
    assert (files(cattleya) / "py.typed").is_file()


def test_importing_loads_no_heavy_library() -> None:
    heavy = "{'sklearn', 'scipy', 'pandas', 'matplotlib', 'joblib'}"
    program = f"import sys, cattleya; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_demo_runs_and_says_what_matters() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cattleya", "demo"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    for part in ("Decision:", "Why ", "What would have changed it?", "Decisive", "Checked"):
        assert part in done.stdout


PRAGMA = re.compile(r"# (noqa|type: ignore|fmt: (skip|off)|pragma:)")
REASON = re.compile(r"# (noqa: [A-Z0-9, ]+ - |(type: ignore\[[\w, -]+\]|fmt: skip)  # )\w")
CLOCK = re.compile(
    r"\btime\.(monotonic|perf_counter|process_time|thread_time|time)(_ns)?\(|\btimeit\b|RLIMIT_CPU"
)


def sources(*folders: str) -> list[tuple[str, str]]:
    """The lines of Python in folders of the project, and where they are."""
    found = [
        (f"{file.relative_to(ROOT)}:{number}", line)
        for folder in folders
        for file in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if file != Path(__file__).resolve()
    ]
    assert found
    return found


def test_every_exception_to_a_lint_rule_says_why() -> None:
    lines = sources("src", "tests", "benchmarks", "examples", "fuzz", "mutation")
    assert [at for at, line in lines if PRAGMA.search(line) and not REASON.search(line)] == []


def test_no_test_reads_a_clock() -> None:
    """How long something took says as much about the machine; see ``benchmarks``."""
    assert [at for at, line in sources("tests") if CLOCK.search(line)] == []
