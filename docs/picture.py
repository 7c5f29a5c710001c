"""Draw the beginning of the page that ``cattleya demo`` writes: ``python docs/picture.py``.

The picture is the page itself, put into an SVG file: text, not pixels.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

PICTURE = Path(__file__).with_name("page.svg")
WIDTH, HEIGHT = 900, 760
EMPTY = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}  # elements without an end
SECTIONS = 2  # the first ones, which are in view


class _AsXml(HTMLParser):
    """Writes a page as XML, which SVG is."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = "".join(f' {name}="{html.escape(value or "")}"' for name, value in attrs)
        self.parts.append(f"<{tag}{own}{'/' if tag in EMPTY else ''}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.parts.append(f"</{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.parts.append(html.escape(data, quote=False))


def as_xml(text: str) -> str:
    """Return a piece of a page as XML."""
    reader = _AsXml()
    reader.feed(text)
    reader.close()
    return "".join(reader.parts)


def picture() -> str:
    """Return the picture of the demonstration's page."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cattleya", "demo"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        (page,) = (path.read_text(encoding="utf-8") for path in Path(folder).glob("*.html"))
    style = page.partition("<style>")[2].partition("</style>")[0].replace("body", ".page")
    header = page[page.index("<header>") : page.index("<main")]
    sections = re.findall(r"<section.*?</section>", page, re.DOTALL)[:SECTIONS]
    shown = as_xml(f'<div class="page">{header}<main>{"".join(sections)}</main></div>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">\n<foreignObject width="100%" height="100%">\n'
        f'<div xmlns="http://www.w3.org/1999/xhtml" style="background: var(--paper); height: 100%">'
        f"<style>{html.escape(style, quote=False)}</style>\n{shown}</div>\n"
        f"</foreignObject>\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
