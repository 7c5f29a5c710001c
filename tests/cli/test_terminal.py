"""What a terminal shows: colour, a sign of life, and names that cannot take it over."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import cattleya
from cattleya.support.text import printable
from tests.checks.command import answer, fails, small_tree, succeeds

EVIL = "age\x1b[31m\nDecision: no\u202e"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A tree and a table whose names and classes try to forge what is shown."""
    tree = cattleya.Tree(
        left=[1, -1, -1],
        right=[2, -1, -1],
        feature=[0, -1, -1],
        threshold=[30.5, 0, 0],
        leaf_class=[-1, 0, 1],
        n_features=1,
        feature_names=[EVIL],
        class_names=[f"no{EVIL}", f"yes{EVIL}"],
    )
    (tmp_path / "tree.json").write_text(tree.to_json())
    (tmp_path / "t.csv").write_text(f'"{EVIL}","{EVIL}2"\n31,"{EVIL}"\n', encoding="utf-8")
    return tmp_path


def in_terminal(*arguments: str, cwd: Path, feed: Path | None = None) -> str:
    """Run ``cattleya`` in a terminal; return what it shows. ``feed`` is written when it waits."""
    master, slave = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "cattleya", *arguments],
        cwd=cwd,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last one has closed it
            break
        if not part:
            break
        shown += part
        if feed is not None and b"reading the table" in shown:
            threading.Thread(target=feed.write_text, args=("age,income\n31,5\n",)).start()
            feed = None
    os.close(master)
    assert process.wait() == 0, shown
    return shown.decode()


def test_colour_in_a_terminal_only(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("age,income\n31,5\n")
    shown = in_terminal("explain", "tree.json", "t.csv", "--row", "0", cwd=tmp_path)
    assert "\x1b[1;36mDecision about row 0:" in shown
    plain = succeeds("explain", "tree.json", "t.csv", "--row", 0, cwd=tmp_path)
    assert "\x1b" not in plain


def test_a_sign_of_life_in_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    os.mkfifo(tmp_path / "t.csv")
    arguments = ("explain", "tree.json", "t.csv", "--row", "0")
    shown = in_terminal(*arguments, cwd=tmp_path, feed=tmp_path / "t.csv")
    assert "reading the table" in shown
    assert "Decision about row 0:" in shown


@pytest.mark.parametrize("command", ["explain", "tree"])
def test_names_cannot_take_over_the_terminal(evil: Path, command: str) -> None:
    arguments = (command, "tree.json", *(("t.csv", "--row", "0") if command == "explain" else ()))
    for shown in (in_terminal(*arguments, cwd=evil), succeeds(*arguments, cwd=evil)):
        assert "\x1b[31m" not in shown
        assert "\u202e" not in shown
        assert "\\x1b[31m\\nDecision: no\\u202e" in shown
        assert not any(line.strip() == "Decision: no" for line in shown.splitlines())


def test_names_in_errors_are_escaped(evil: Path) -> None:
    (evil / "t.csv").write_text("other\n1\n")
    told = fails(2, "explain", "tree.json", "t.csv", "--row", 0, cwd=evil)
    assert "\x1b" not in told
    told = fails(2, "tree", "\x1b[31m.json", cwd=evil)
    assert "\x1b" not in told


def test_names_in_json_are_exact(evil: Path) -> None:
    found = answer("explain", "tree.json", "t.csv", "--row", 0, cwd=evil)
    assert found["sufficient_reason"][0]["feature"] == EVIL
    assert found["prediction"] == f"yes{EVIL}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with spaces", "plain, with spaces"),
        ("âge — 年齢 🌸", "âge — 年齢 🌸"),
        ("no\u00a0break", "no\u00a0break"),
        ("न\u200dय", "न\u200dय"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u2028b\u202ec", "a\\u2028b\\u202ec"),
        ("\ud800", "\\ud800"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown
