r"""Text in CSV files that means the same to every program: the one place that writes them.

Nothing in a text starts a formula, a cell or a line, whatever a spreadsheet takes for a separator
(``,``, ``;``, ``|`` or a tab) and whether or not it heeds quotes:

- A text that starts with ``=``, ``+``, ``-`` or ``@`` or with one of their other forms (such as the
  full-width ones), also behind blanks, gets an apostrophe in front. So does one that starts with an
  apostrophe or is empty, so that what was there can be told.
- A text with control characters or line breaks, or with a ``;`` or a ``|`` before such a sign, is
  an apostrophe and a JSON string, in which they are written ``\u003b`` and the like. So is one that
  starts with a quotation mark and such a sign.

The bytes do not depend on the version of Python, as those of the module csv do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

__all__ = ["as_cell", "as_json", "csv_line", "from_cell"]

#: What starts a formula: also full-width, and whatever else Unicode takes for the same.
FORMULA = (
    "=+\\-@\uff1d\uff0b\uff0d\uff20"
    "\u207a-\u207c\u208a-\u208c\u2212\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b"
)
#: What cannot be seen in front of it: spaces, and marks of no width.
BLANK = " \xa0\xad\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff"
#: Control characters, and what some programs end a line at.
CONTROL = "\x00-\x1f\x7f-\x9f\u2028\u2029"

_STARTS = f'[{BLANK}"]*[{FORMULA}]'
_MARKED = re.compile(f"{_STARTS}|'|$")
# One set of characters first, which is found several times as fast as one of two patterns.
_SPELLED = re.compile(f"[{CONTROL};|](?:(?<=[{CONTROL}])|{_STARTS})")
_IN_JSON = re.compile(f"[;|{CONTROL}]")
_PLAIN = re.compile(r"[0-9A-Za-z_.+-]*")


def csv_line(cells: Iterable[str]) -> str:
    r"""Return cells as a line; quoted unless they are plain numbers or words.

    Examples
    --------
    >>> csv_line(["-1.5", "ok", "", "a,b", 'a "b" c', "a\rb"])
    '-1.5,ok,,"a,b","a ""b"" c","a\rb"\n'
    """
    return (",".join(map(_quoted, cells)) or '""') + "\n"


def _quoted(cell: str) -> str:
    return cell if _PLAIN.fullmatch(cell) else '"' + cell.replace('"', '""') + '"'


def as_cell(text: str) -> str:
    r"""Return a text so that no spreadsheet computes it, and :func:`from_cell` gives it back.

    Examples
    --------
    >>> as_cell("age"), as_cell("=1+1"), as_cell("'a'"), as_cell(""), as_cell("a; b")
    ('age', "'=1+1", "''a'", "'", 'a; b')
    >>> print(as_cell("a;=1+1"), as_cell("a\rb"))
    '"a\u003b=1+1" '"a\rb"
    """
    marked = _MARKED.match(text)
    if _SPELLED.search(text) or (marked and text.startswith('"')):
        return f"'{as_json(text)}"
    return f"'{text}" if marked else text


def from_cell(cell: str) -> str:
    r"""Return the text of a cell; ``ValueError`` where it is none.

    Examples
    --------
    >>> from_cell("'=1+1"), from_cell("age"), from_cell("'\"a\\u003b=1+1\"")
    ('=1+1', 'age', 'a;=1+1')
    """
    if cell.startswith("'\""):  # no text is written so that is not JSON
        return str(json.loads(cell[1:]))
    return cell.removeprefix("'")


def as_json(value: Any) -> str:
    r"""Return a value as JSON without control characters, and without what may separate cells.

    Examples
    --------
    >>> print(as_json(["âge > 3", "a;b\n"]))
    ["âge > 3", "a\u003bb\n"]
    """
    return _IN_JSON.sub(
        lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False)
    )
