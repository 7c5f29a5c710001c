"""What the explorer says where there is one of something, and that numbers are as short as all."""

from __future__ import annotations

import re

import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from tests.explore.running import opened
from tests.explore.test_explorer import people, words

pytest.importorskip("starlette")


def test_a_table_of_one_row_has_no_other() -> None:
    rows = people()[["age", "hours"]]
    model = DecisionTreeClassifier(random_state=0).fit(rows, rows["age"] > 40)
    client, _ = opened(model, rows.iloc[:1])
    try:
        answer = client.ask("/compare", row=0)
        assert answer.code == 400
        assert "no other" in words(answer.text)
        assert client.ask("/compare", ("set:age", "20"), row=0).code == 200  # beside it as it was
        page = words(client.ask("/row", row=0, part="short").text)
        page += words(client.ask("/row", row=0).text)
        assert "all 1 row" not in page
        assert "the only row of the table" in page
    finally:
        client.running.close()
    client, _ = opened(model, rows.iloc[:3])
    try:
        assert "Rows 2 and 1 side by side" in words(client.ask("/compare", row=2).text)
        assert 'value="1"' in client.ask("/compare", row=2).text
        first, other = rows.iloc[0], rows.iloc[1]
        same = int((first == other).sum())
        said = f"{same} of 2 features {'is' if same == 1 else 'are'} the same"
        assert said in words(client.ask("/compare", row=0).text)
        changed = client.ask("/compare", ("set:age", str(other["age"])), row=0)
        assert "1 of 2 features is the same" in words(changed.text)
    finally:
        client.running.close()


def test_in_short_has_thresholds_as_short_as_the_reason_below() -> None:
    data = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    client, _ = opened(model, data.data, over="conditions")
    seen = 0
    try:
        for row in range(0, 170, 10):
            short = words(client.ask("/row", row=row, part="short").text).partition("Counted on")[0]
            seen += "≤" in short or ">" in short
            assert not re.search(r"\d\.\d{5}|<=|>=", short)
            page = client.ask("/row", row=row, part="first").text
            why = words(re.findall(r'<section aria-labelledby="why">.*?</section>', page, re.S)[0])
            assert not re.search(r"\d\.\d{5}|<=|>=", why)
    finally:
        client.running.close()
    assert seen
