"""The documentation site: ``make docs`` writes it to build/docs/html; warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

import cattleya

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

# Markdown as it is read on a code host, too: headings are link targets there.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # the pages of the classes list them
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Every example runs, except for the one that starts a cluster; one that fails ends the build.
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/(?!cluster)\w+\.py$",
    "ignore_pattern": r"tables\.py$",
    "abort_on_example_error": True,
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
html_sidebars = {"index": []}
html_copy_source = False
html_show_sourcelink = False


#: The tables of the benchmarks lie beside the programs that write them; here they are pages too.
TABLES = Path(__file__).parent.parent / "benchmarks" / "results"


def write_pages_of_benchmarks(app: Sphinx) -> None:
    """Write a page for each table, which includes it."""
    pages = Path(app.srcdir, "benchmarks")
    pages.mkdir(exist_ok=True)
    for table in TABLES.glob("*.md"):
        page = f"```{{include}} ../../benchmarks/results/{table.name}\n```\n"
        (pages / table.name).write_text(page, encoding="utf-8")


def link_to_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Lead links to the tables to these pages."""
    source[0] = source[0].replace("../benchmarks/results/", "benchmarks/")


def setup(app: Sphinx) -> None:
    """Register both."""
    app.connect("builder-inited", write_pages_of_benchmarks)
    app.connect("source-read", link_to_pages)
