"""What can be asked of a row: one record per question, which everything else is driven by.

A record says how the question is asked, which typed columns its answer fills in a table of many
rows, how such an answer is checked again, and what it is called: in JSON, in a summary, in the help
of the command line. A question is added here, with a method of :class:`cattleya.Explanation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from typing import Any

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.changes.general.general_reason import Worded
from cattleya.explain.explanation import Explanation, explained_row
from cattleya.explain.reached import Reached
from cattleya.explain.short import facts_text, recounted
from cattleya.model.conditions.condition import Condition
from cattleya.proof.verification import Verification
from cattleya.reasons.reason import Reason, sentence
from cattleya.reasons.short.share import Share, percent
from cattleya.reasons.short.short_reason import NoShortReason
from cattleya.support.suggestions import hint
from cattleya.support.text import shown

__all__ = [
    "ADDED",
    "QUESTIONS",
    "Answers",
    "Asked",
    "Column",
    "Fault",
    "Kind",
    "Question",
    "Record",
    "checked_questions",
]

SHORT_PRECISION = Fraction(19, 20)  # of short reasons in tables
REACH = ("covered", "decisions")  # rows of the table: that have a reason, that get its class
_REACHES = [f"{reason}_{one}" for reason in ("sufficient", "minimal") for one in REACH]
ADDED = frozenset(["feature_importance", *_REACHES])  # that results of version 0.1 do not have
Answers = dict[str, Any]  # by column
Record = dict[str, Any]  # by column, as a table has it
Fault = str | None  # what is wrong


class Kind(Enum):
    """What a column holds; every form of a table has one type for it."""

    TEXT = auto()
    TEXTS = auto()  # a list of texts
    LISTS = auto()  # a list of lists of texts
    SMALL = auto()  # a whole number that the size of the tree bounds
    NUMBER = auto()  # a whole number without bounds
    SHARES = auto()  # a fraction per text
    FLAG = auto()
    SECONDS = auto()
    LABEL = auto()  # a class of the model


@dataclass(frozen=True)
class Column:
    """A column of a table of answers."""

    name: str
    kind: Kind

    def plain(self, value: Any) -> Any:
        """Return an answer as a table has it: numbers without bounds and shares are text."""
        if value is None:
            return None
        if self.kind is Kind.NUMBER:
            return str(value)
        if self.kind is Kind.SHARES:
            return [(key, str(share)) for key, share in value.items()]
        if self.kind is Kind.LISTS:
            return [list(conditions) for conditions in value]
        return list(value) if isinstance(value, tuple) else value

    def read(self, value: Any) -> Any:
        """Return a value of a table in the same form."""
        is_shares = value is not None and self.kind is Kind.SHARES
        return [tuple(pair) for pair in value] if is_shares else value


@dataclass(frozen=True, slots=True)
class Asked:
    """How a question is asked of many rows: within which time, and of how many contrasts.

    ``reached`` are the rows that reasons are counted on.
    """

    timeout: float | None = None
    contrasts: int = 5
    reached: Reached | None = None


@dataclass(frozen=True)
class Question:
    """A question about a row.

    Attributes
    ----------
    name : str
        As ``explain_all`` and ``cattleya batch`` take it.
    key : str
        Where its answer stands in JSON.
    heading : str
        How a reader would ask it.
    help : str
        What the answer is, in a line.
    ask : callable
        Gives the answer, of an explanation and within a time limit.
    columns : tuple of Column
        What the answer fills in a table.
    fill : callable
        Gives their values, of an explanation and how it is asked.
    check : callable
        Says what is wrong with their values in a record of a table.
    takes_long : bool
        Whether no polynomial algorithm is known: a reader may not want to wait for the answer.
    is_of_reasons : bool
        Whether there is no answer where there is no sufficient reason.
    is_of_row : bool
        Whether the answer depends on the very values of the row, and not only on the conditions
        that hold in it: rows that the tree cannot tell apart have answers of their own.
    of_ensembles : bool
        Whether it is answered for ensembles, too.
    is_of_table : bool
        Whether rows of the whole table are counted for the answer.
    is_reached : bool
        Whether it says how many rows of the table its answer covers.
    """

    name: str
    key: str
    heading: str
    help: str
    ask: Callable[[Explanation, float | None], Any]
    columns: tuple[Column, ...]
    fill: Callable[[Explanation, Asked], Answers]
    check: Callable[[Explanation, Asked, Record], Fault]
    takes_long: bool = False
    is_of_reasons: bool = True
    is_of_row: bool = False
    of_ensembles: bool = True
    is_of_table: bool = False
    is_reached: bool = False

    def is_answered(self, record: Record) -> bool:
        """Tell whether a record of a table has an answer."""
        return any(record.get(column.name) is not None for column in self.columns)


def checked_questions(want: Sequence[str]) -> tuple[str, ...]:
    """Return the questions in the order given, each once; refuse what is none."""
    if isinstance(want, str):
        raise TypeError(f"want must be a list of questions, not {want!r}; give [{want!r}]")
    if not isinstance(want, Iterable):
        raise TypeError(f"want must be a list of questions, not {shown(want)}")
    want = tuple(want)
    for name in want:
        if not isinstance(name, str) or name not in QUESTIONS:
            raise ValueError(
                f"want: {shown(name)} is no question; there are {', '.join(QUESTIONS)}"
                f"{hint([name], list(QUESTIONS))}"
            )
    return tuple(dict.fromkeys(want))


# A reason, as text, as conditions, its size, and how many rows of the table it covers.


def _texts(conditions: Iterable[Condition]) -> tuple[str, ...]:
    return tuple(map(str, conditions))


def _reason_columns(name: str) -> tuple[Column, ...]:
    return (
        Column(name, Kind.TEXT),
        Column(f"{name}_conditions", Kind.TEXTS),
        *(Column(f"{name}_{number}", Kind.SMALL) for number in ("size", *REACH)),
    )


def _reason(name: str, reason: Reason, e: Explanation, asked: Asked) -> Answers:
    conditions = reason.conditions  # once: looking them up is a good part of the work
    is_wide = isinstance(reason, Worded)
    text = str(reason) if is_wide else sentence(conditions, merges=e.over.merges)
    covered = decisions = None
    if asked.reached is not None:  # what is printed is counted
        told = reason.general.conditions if isinstance(reason, Worded) else conditions
        row = explained_row(e)
        covered, decisions = asked.reached.count(row.context, row.prepared, row.row_class, told)
    return {
        name: text,
        f"{name}_conditions": _texts(conditions),
        f"{name}_size": len(conditions),
        f"{name}_covered": covered,
        f"{name}_decisions": decisions,
    }


def _sufficient(e: Explanation, asked: Asked) -> Answers:
    reason = e.sufficient_reason(asked.timeout)
    found = _reason("sufficient", reason, e, asked)
    if not explained_row(e).context.is_ensemble:
        return found
    mentioned = tuple(dict.fromkeys(condition.feature for condition in reason))
    more = {"sufficient_open": _texts(reason.undecided), "sufficient_features": mentioned}
    return found | more


def _minimal(e: Explanation, asked: Asked) -> Answers:
    return _reason("minimal", e.minimal_reason(timeout=asked.timeout), e, asked)


def _wrong_sufficient(e: Explanation, asked: Asked, record: Record) -> Fault:
    return _wrong_reason(e, "sufficient", asked, record)


def _wrong_minimal(e: Explanation, asked: Asked, record: Record) -> Fault:
    if fault := _wrong_reason(e, "minimal", asked, record):
        return fault
    least = len(e.minimal_reason(timeout=asked.timeout))
    shorter = least != record["minimal_size"]
    return f"there is a shorter one, of {least} conditions" if shorter else None


def _wrong_reason(e: Explanation, name: str, asked: Asked, record: Record) -> Fault:
    conditions = record[f"{name}_conditions"]
    if conditions is None:
        e.sufficient_reason()  # raises where there is none
        return "there is no reason"
    verified = e.verify(conditions)
    if not verified and not _is_only_open(verified, name, record):
        return str(verified)
    if e.excluded & verified.conditions:
        return "it mentions what is excluded"
    if len(verified.conditions) != len(conditions) or record[f"{name}_size"] != len(conditions):
        return f"it has {len(verified.conditions)} conditions, not {record[f'{name}_size']}"
    texts = [_told(e, conditions)]  # as narrow as its conditions: version 0.1
    if e.over.merges and record[name] not in texts:
        texts.append(str(e.generalise(conditions)))
    if record[name] not in texts:
        return "its text has other conditions"
    return _wrong_reach(e, name, asked, record)


def _wrong_reach(e: Explanation, name: str, asked: Asked, record: Record) -> Fault:
    """Count the rows again that have what a reason says; version 0.1 did not."""
    if asked.reached is None or f"{name}_covered" not in record:
        return None
    facts: Iterable[Condition] = map(e.condition, record[f"{name}_conditions"])
    if e.over.merges and not explained_row(e).context.is_ensemble:
        facts = e.generalise(record[f"{name}_conditions"])  # which is what its text says
    covered, decisions = asked.reached.recount(explained_row(e), facts)
    if (covered, decisions) == (record[f"{name}_covered"], record[f"{name}_decisions"]):
        return None
    return f"it covers {covered} of {decisions} rows that get the class, not as many as it says"


def _is_only_open(verified: Verification, name: str, record: Record) -> bool:
    """Tell whether only what a record itself says is open can be left out of a reason."""
    left_open = record.get(f"{name}_open") or ()
    if not verified.sufficient or verified.foreign:
        return False
    return {str(condition) for condition in verified.redundant} <= set(left_open)


def _told(e: Explanation, conditions: list[str], *, to_change: bool = False) -> str:
    """Return conditions, which are the row's, as a reason prints them."""
    meant = [e.condition(text) for text in conditions]
    return sentence(meant, merges=e.over.merges, to_change=to_change)


# Contrasts: the smallest, and how many.


def _contrastive(e: Explanation, asked: Asked) -> Answers:
    most = asked.contrasts
    contrasts = e.contrastive(limit=max(most, 1), timeout=asked.timeout)
    found = [contrast.conditions for contrast in contrasts]
    merges = e.over.merges
    every = None if explained_row(e).context.is_ensemble else e.count("contrastive")
    return {
        "contrastive": sentence(found[0], merges=merges, to_change=True) if found else None,
        "contrastive_conditions": tuple(map(_texts, found[:most])),
        "contrastive_size": len(found[0]) if found else None,
        "contrastive_count": every,
    }


def _wrong_contrasts(  # noqa: PLR0911 - one per fault
    e: Explanation, asked: Asked, record: Record
) -> Fault:
    most = asked.contrasts
    given = record["contrastive_conditions"]
    if explained_row(e).context.is_ensemble:  # whose contrasts are not counted
        smallest = e.contrastive(limit=max(most, 1), timeout=asked.timeout)
        count = len(smallest)
    else:
        count = e.count("contrastive")
        if record["contrastive_count"] != count:
            return f"there are {count}, not {record['contrastive_count']}"
        smallest = e.contrastive(limit=max(most, 1))
    if given is None or len(given) != min(most, count):
        return f"{len(given or [])} are given, not {min(most, count)}"
    sizes, least = [len(conditions) for conditions in given], [len(c) for c in smallest]
    if sizes != least[:most]:
        return f"the smallest have {least} conditions, not {sizes}"
    if record["contrastive_size"] != (smaller := least[0] if least else None):
        return f"contrastive_size is {record['contrastive_size']!r}, not {smaller!r}"
    if len({frozenset(conditions) for conditions in given}) < len(given):
        return "one is given twice"
    fixed = {str(condition) for condition in e.immutable}
    for conditions in given:
        if not e.is_contrastive(conditions):
            return f"{_told(e, conditions, to_change=True)!r} is no minimal change"
        if fixed & set(conditions):
            return f"{_told(e, conditions, to_change=True)!r} changes what is immutable"
    first = _told(e, given[0], to_change=True) if given else str(smallest[0]) if smallest else None
    return None if first == record["contrastive"] else "its text has other conditions"


# What no walk of the tree proves is asked again, and compared.


def _asked_again(name: str) -> Callable[[Explanation, Asked, Record], Fault]:
    def check(e: Explanation, asked: Asked, record: Record) -> Fault:
        question = QUESTIONS[name]
        answers = question.fill(e, asked)
        for column in question.columns:
            if column.name in ADDED and column.name not in record:
                continue
            given, wanted = record[column.name], column.plain(answers[column.name])
            if wanted != column.read(given):
                return f"{column.name} is {given!r}, not {wanted!r}"
        return None

    return check


def _necessary(e: Explanation, asked: Asked) -> Answers:
    necessary = sorted(e.necessary(), key=lambda condition: (condition.index, str(condition)))
    return {
        "necessary": _texts(necessary),
        "necessary_features": tuple(dict.fromkeys(c.feature for c in necessary)),
        "necessary_count": len(necessary),
        "relevant_count": None if explained_row(e).context.is_ensemble else len(e.relevant()),
    }


def _count(e: Explanation, asked: Asked) -> Answers:
    timeout = asked.timeout
    return {"count": e.count(timeout=timeout), "minimal_count": e.count("minimal", timeout=timeout)}


def _importance(e: Explanation, asked: Asked) -> Answers:
    shares = {c: share for c, share in e.importance(timeout=asked.timeout).items() if share}
    features = e.feature_importance(asked.timeout)
    return {
        "importance": {str(condition): share for condition, share in shares.items()},
        "feature_importance": {feature: share for feature, share in features.items() if share},
    }


# The nearest row of another class.


def _nearest(e: Explanation, timeout: float | None) -> tuple[Counterfactual, ...]:
    try:
        return e.counterfactuals(timeout=timeout)
    except NoSuchCounterfactual:
        return ()


def _counterfactual(e: Explanation, asked: Asked) -> Answers:
    for nearest in _nearest(e, asked.timeout):
        return {
            "counterfactual": nearest.goal,  # a table has the row as the tree sees it
            "counterfactual_features": tuple(change.feature for change in nearest.changes),
            "counterfactual_size": len(nearest.changes),
            "counterfactual_outcome": nearest.outcome,
        }
    return dict.fromkeys(column.name for column in QUESTIONS["counterfactual"].columns)


# Few facts that are usually right, counted on the rows of the table.


def _short(e: Explanation, asked: Asked) -> Answers:
    try:
        found = e.short_reason(SHORT_PRECISION, timeout=asked.timeout)
    except NoShortReason:
        return dict.fromkeys(column.name for column in QUESTIONS["short"].columns)
    share = found.share
    return {
        "short": found.sentence,
        "short_conditions": _texts(found.conditions),
        "short_size": len(found),
        "short_right": share.right,
        "short_covered": share.covered,
        "short_rows": share.rows,
    }


def _wrong_short(e: Explanation, asked: Asked, record: Record) -> Fault:
    texts, table = record["short_conditions"], e.table
    if texts is None:
        answers = _short(e, asked)
        return None if answers["short"] is None else "there is one"
    assert table is not None  # whoever asks for short reasons has a table
    counts = record["short_right"], record["short_covered"], record["short_rows"]
    facts = [e.condition(text) for text in texts]
    again = recounted(explained_row(e), facts, table, counts)
    if not again:
        return str(again)
    share = Share(*counts)
    if share.precision is None or share.precision < SHORT_PRECISION:
        return f"it is right less often than {percent(SHORT_PRECISION)}"
    if record["short_size"] != len(set(texts)):
        return f"it has {len(set(texts))} conditions, not {record['short_size']}"
    told = share.sentence(facts_text(explained_row(e), facts) if texts else "", e.outcome)
    return None if record["short"] == told else "its text has other conditions or counts"


QUESTIONS: dict[str, Question] = {
    question.name: question
    for question in (
        Question(
            name="sufficient",
            key="sufficient_reason",
            heading="Why?",
            help="a sufficient reason: as text, as a list of conditions, its size, how many "
            "rows of the table it covers, and how many get the class",
            ask=lambda e, timeout: e.sufficient_reason(timeout),
            columns=_reason_columns("sufficient"),
            fill=_sufficient,
            check=_wrong_sufficient,
            is_reached=True,
        ),
        Question(
            name="minimal",
            key="minimal_reason",
            heading="Why?",
            help="a shortest (minimal) sufficient reason, in the same form",
            ask=lambda e, timeout: e.minimal_reason(timeout=timeout),
            columns=_reason_columns("minimal"),
            fill=_minimal,
            check=_wrong_minimal,
            takes_long=True,
            is_reached=True,
        ),
        Question(
            name="contrastive",
            key="contrastive",
            heading="What would have changed it?",
            help="the smallest minimal changes (contrastive explanations), and how many there are",
            ask=lambda e, timeout: e.contrastive(timeout=timeout),
            columns=(
                Column("contrastive", Kind.TEXT),
                Column("contrastive_conditions", Kind.LISTS),
                Column("contrastive_size", Kind.SMALL),
                Column("contrastive_count", Kind.SMALL),
            ),
            fill=_contrastive,
            check=_wrong_contrasts,
            is_of_reasons=False,
        ),
        Question(
            name="counterfactual",
            key="counterfactuals",
            heading="Which row of another class is nearest?",
            help="the nearest row of another class (the fewest features changed): what they change "
            "to, which they are, how many, and what the row gets; empty if there is none",
            ask=_nearest,
            columns=(
                Column("counterfactual", Kind.TEXT),
                Column("counterfactual_features", Kind.TEXTS),
                Column("counterfactual_size", Kind.SMALL),
                Column("counterfactual_outcome", Kind.TEXT),
            ),
            fill=_counterfactual,
            check=_asked_again("counterfactual"),
            is_of_reasons=False,
            is_of_row=True,
        ),
        Question(
            name="short",
            key="short_reason",
            heading="Which few facts usually go with it?",
            help="few facts that are right for 95% of the rows of the table that have them: the "
            "sentence, the facts, how many, and the counts; empty if none were found",
            ask=lambda e, timeout: e.short_reason(SHORT_PRECISION, timeout=timeout),
            columns=(
                Column("short", Kind.TEXT),
                Column("short_conditions", Kind.TEXTS),
                Column("short_size", Kind.SMALL),
                Column("short_right", Kind.SMALL),
                Column("short_covered", Kind.SMALL),
                Column("short_rows", Kind.SMALL),
            ),
            fill=_short,
            check=_wrong_short,
            is_of_reasons=False,
            is_of_table=True,
        ),
        Question(
            name="necessary",
            key="necessary",
            heading="Decisive:",
            help="the decisive (necessary) conditions, which are in every sufficient reason",
            ask=lambda e, timeout: e.necessary(),
            columns=(
                Column("necessary", Kind.TEXTS),
                Column("necessary_features", Kind.TEXTS),
                Column("necessary_count", Kind.SMALL),
                Column("relevant_count", Kind.SMALL),
            ),
            fill=_necessary,
            check=_asked_again("necessary"),
        ),
        Question(
            name="count",
            key="count",
            heading="How many reasons are there?",
            help="the numbers of sufficient and of shortest (minimal) reasons, exactly",
            ask=lambda e, timeout: e.count(timeout=timeout),
            columns=(Column("count", Kind.NUMBER), Column("minimal_count", Kind.NUMBER)),
            fill=_count,
            check=_asked_again("count"),
            takes_long=True,
            of_ensembles=False,
        ),
        Question(
            name="importance",
            key="importance",
            heading="How often is each condition in one?",
            help="the share of the sufficient reasons that contain each condition, and that "
            "mention each feature",
            ask=lambda e, timeout: e.importance(timeout=timeout),
            columns=(Column("importance", Kind.SHARES), Column("feature_importance", Kind.SHARES)),
            fill=_importance,
            check=_asked_again("importance"),
            takes_long=True,
            of_ensembles=False,
        ),
    )
}
