"""The documentation site: ``make docs`` writes it to build/docs/html; warnings are errors."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import click
from sphinx.application import Sphinx
from sphinx.util.inspect import signature, stringify_signature

import cattleya
from cattleya.cli import commands
from cattleya.cli.errors import EXIT_CODES

sys.modules["cattleya.plots"] = cattleya.plots  # as users name it; it lies in another folder

project = "Cattleya"
author = "The Cattleya developers"
copyright = "The Cattleya developers"
version = release = cattleya.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["**/conftest.py", "conf.py"]
nitpicky = False

highlight_language = "none"  # a block says what it is
smartquotes = False  # "--json" is to be copied
toc_object_entries_show_parents = "hide"

# Markdown as it is read on a code host, too: headings are link targets there.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # the pages of the classes list them
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Every example runs; one that fails ends the build.
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"tables\.py$",
    "abort_on_example_error": True,
    "capture_repr": (),  # what is printed and drawn, not what a call returns
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = f"Cattleya {release}"
html_theme_options = {
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "start": []}  # they have no pages below them
html_copy_source = False
html_show_sourcelink = False


#: The tables of the benchmarks lie beside the programs that write them; here they are pages too.
TABLES = Path(__file__).parent.parent / "benchmarks" / "results"


def write_pages(app: Sphinx) -> None:
    """Write a page for each table of the benchmarks, which includes it, and for each command."""
    for table in TABLES.glob("*.md"):
        page = f"```{{include}} ../../benchmarks/results/{table.name}\n```\n"
        _write(Path(app.srcdir, "benchmarks", table.name), page)
    folder = Path(app.srcdir, "reference", "commands")
    listed, tree = [], ["", "```{toctree}", ":hidden:", ""]
    for name, command in commands.commands.items():
        place = f"cattleya.cli.{name}:{name}".replace("-", "_")
        page = f".. click:: {place}\n   :prog: cattleya {name}\n   :nested: full\n"
        _write(folder / f"{name}.rst", page)
        listed.append(f"- [{name}](commands/{name}.rst): {command.get_short_help_str(80)}")
        tree.append(f"commands/{name}")
    _write(folder / "list.txt", "\n".join([*listed, *tree, "```", ""]))


def _write(path: Path, page: str) -> None:
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != page:  # or it is built again
        path.write_text(page, encoding="utf-8")


def as_for_the_site(app: Sphinx, name: str, source: list[str]) -> None:
    """Lead links to the tables to these pages; leave out empty lines that only doctest needs."""
    source[0] = source[0].replace("../benchmarks/results/", "benchmarks/")
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def as_in_a_terminal(app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Set examples, keys and codes in columns; the exit codes are said once, for all commands."""
    epilog = (context.command.epilog or "").replace("\b\n", "")
    if context.command is not commands:
        epilog = epilog.replace(EXIT_CODES.replace("\b\n", ""), "")
    lines.clear()
    for part in filter(None, re.split(r"\n\n+", epilog.strip())):
        first, *rest = part.split("\n")
        if first.endswith(":"):
            lines += [f"**{first.removesuffix(':')}**", "", ".. code-block:: none", ""]
            lines += [f"    {line}" for line in inspect.cleandoc("\n".join(rest)).split("\n")]
        else:
            lines += [first, *rest]
        lines.append("")


def as_it_is_made(
    app: Sphinx, what: str, name: str, kind: Any, options: Any, given: str, result: str
) -> tuple[str, str] | None:
    """Show how a condition is made: its ``__new__`` only chooses between the kinds."""
    if what == "class" and kind.__name__ not in cattleya.__all__:
        return "", result  # only calls make it
    if given != "(*args, **kwargs)":
        return None
    own = stringify_signature(signature(kind.__init__, bound_method=True), show_annotation=False)
    return own, result


def setup(app: Sphinx) -> None:
    """Register them."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", as_for_the_site)
    app.connect("autodoc-process-signature", as_it_is_made)
    app.connect("sphinx-click-process-epilog", as_in_a_terminal)
