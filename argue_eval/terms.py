"""The field's closed vocabularies."""

from __future__ import annotations

from enum import Enum


class Kind(str, Enum):
    """The questions that can be judged (see docs/judgments.md)."""

    RELEVANT = "relevant"
    ANSWERS = "answers"
    SUPPORT = "support"
    NEGATIVE = "negative"
    AGREES = "agrees"
    REQUIRES_CITATION = "requires_citation"
    FIRST_INSTANCE = "first_instance"
    COVERS = "covers"

    # Judgments are looked up by their kind, and an Enum's own hash is a call in Python.
    __hash__ = str.__hash__


class Verdict(str, Enum):
    """An answer to a question. There is no member for "unjudged": that is the absence of one."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"

    __hash__ = str.__hash__


GRADED_KINDS = frozenset({Kind.SUPPORT, Kind.COVERS})
"""The kinds of question for which `Verdict.PARTIAL` is an answer."""


class Aggregator(str, Enum):
    """How many of a nugget's answers are required: any one (OR) or all (AND)."""

    OR = "OR"
    AND = "AND"


class Importance(str, Enum):
    """How much a nugget matters."""

    VITAL = "vital"
    OKAY = "okay"

    __hash__ = str.__hash__


class Need(str, Enum):
    """What a measure must know. Nothing else is asked, since judgments can be costly."""

    ANSWERS = "answers"
    """The answers that the report gives, in the reading `argue`."""
    CREDITS = "credits"
    """The answers that are credited in the chosen reading."""
    OUTCOME = "outcome"
    """The outcome of every sentence in the chosen reading."""
    UNCITED = "uncited"
    """The outcome of every sentence without a citation."""
    SUPPORT = "support"
    """Whether every cited document supports its sentence."""
    ENTAILED = "entailed"
    """Whether the retrieved documents entail the key points that the report covers."""
    LINK = "link"
    """Which bullet of a summary covers an insight."""

    __hash__ = str.__hash__


class Average(str, Enum):
    """How a measure's topics become one number, or two."""

    MEAN = "mean over topics"
    SUM = "sum over topics"
    MICRO = "ratio of the sums over topics (_micro)"
    MACRO = "mean over topics (_macro)"
    MICRO_AND_MACRO = "ratio of the sums (_micro) and mean over topics (_macro)"
    MEDIAN = "median over topics (_median)"
    MAX = "maximum over topics (_max)"
    MEDIAN_AND_MAX = "median and maximum over topics (_median, _max)"


AVERAGES_BY_SUFFIX = {
    Average.MICRO_AND_MACRO: {"_micro": Average.MICRO, "_macro": Average.MACRO},
    Average.MEDIAN_AND_MAX: {"_median": Average.MEDIAN, "_max": Average.MAX},
}
"""The averages of which two are printed, each by what it adds to the measure's name."""
