"""Draw the page that ``cattleya demo`` writes, and the explorer: ``python docs/picture.py``.

Each picture is the beginning of the page itself, put into an SVG file: text, not pixels. The
explorer runs for it, and is asked as a browser asks it.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import Request, urlopen

PICTURE = Path(__file__).with_name("page.svg")
EXPLORER = Path(__file__).with_name("explorer.svg")
WIDTH, HEIGHT = 900, 760
WIDE, TALL = 1160, 1060  # of the explorer
ROW, FIELDS = 1, 9  # the row of the demonstration's wines, and how many values are in view
EMPTY = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}  # elements without an end
FIELD = '<div class="field'
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
    return as_svg(f"{header}<main>{''.join(sections)}</main>", style, WIDTH, HEIGHT)


def as_svg(shown: str, style: str, width: int, height: int) -> str:
    """Return a piece of a page as a picture."""
    page = as_xml(f'<div class="page">{shown}</div>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n<foreignObject width="100%" height="100%">\n'
        f'<div xmlns="http://www.w3.org/1999/xhtml" style="background: var(--paper); height: 100%">'
        f"<style>{html.escape(style, quote=False)}</style>\n"
        f"{page}</div>\n"
        f"</foreignObject>\n</svg>\n"
    )


def explorer_picture() -> str:
    """Return the picture of the explorer at a row of the demonstration's wines."""
    from cattleya.cli.demonstration import demonstrate

    made = demonstrate("wine")
    with made.explainer.explore(made.held_out_rows, open_browser=False) as running:
        home, _, token = running.address.partition("/?token=")

        def asked(path: str) -> str:
            request = Request(home + path, headers={"Authorization": f"Bearer {token}"})
            with urlopen(request) as answer:
                return str(answer.read().decode("utf-8"))

        page = asked(f"/row?row={ROW}")
        short, facts = (asked(f"/row?row={ROW}&part={part}") for part in ("short", "facts"))
        style = asked("/static/page.css") + asked("/static/explore.css")
    style = re.sub(r"@media \(max-width.*?\n}\n", "", style, flags=re.DOTALL)  # a picture is small
    style = style.replace("body", ".page")
    sections = re.findall(
        r"<section.*?</section>", page[page.index('class="answers"') :], re.DOTALL
    )
    own = sections.index(next(one for one in sections if 'id="facts"' in one))
    enough = re.sub(r'(<div id="facts"[^>]*>).*?</div>', rf"\1{facts}</div>", sections[own])
    aside = page[page.index("<aside") : page.index("</aside>")]
    fields = FIELD.join(aside.split(FIELD)[: FIELDS + 2])  # all of them are in one, too
    nav = page[page.index("<nav") : page.index("</nav>") + len("</nav>")]
    header = page[page.index("<header>") : page.index("<main")]
    answers = "".join([f'<div class="short">{short}</div>', *sections[1:own], enough])
    shown = (
        f'{nav}{header}<main><div class="columns"><div class="answers">{answers}</div>'
        f"{fields}</div></aside></div></main>"
    )
    return as_svg(shown, style, WIDE, TALL)


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    EXPLORER.write_text(explorer_picture(), encoding="utf-8")
