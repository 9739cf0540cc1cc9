"""What is in a file of requests or nuggets, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.records import Aggregator, Importance, ReportRequest, TopicNuggets

_MAX_NAMED = 10


class Spread(NamedTuple):
    """The smallest, middle and largest of some numbers."""

    min: float
    median: float
    max: float

    def __str__(self) -> str:
        if self.min == self.max:
            return f"{self.min:g}"
        return f"{self.min:g} to {self.max:g}, median {self.median:g}"


class Line(NamedTuple):
    """One line of a summary.

    Attributes:
        key: its name for machines.
        label: and for people; indented if it is about the line before.
        value: a count, a spread, or counts by name.
    """

    key: str
    label: str
    value: int | Spread | dict[str, int]

    def __str__(self) -> str:
        shown = str(self.value)
        if isinstance(self.value, dict):
            parts = [f"{_plain(name)} {number}" for name, number in self.value.items()]
            more = ", …" if len(parts) > _MAX_NAMED else ""
            shown = ", ".join(parts[:_MAX_NAMED]) + more
        return f"{self.label.ljust(28)}{shown}"

    @property
    def as_json(self) -> Any:
        """What a JSON file says."""
        return self.value._asdict() if isinstance(self.value, Spread) else self.value


def _plain(text: str) -> str:
    return text if text.isprintable() else shorten(text)


def spread(key: str, label: str, numbers: Iterable[int]) -> list[Line]:
    """Returns the line that says how numbers are spread; none if there are no numbers."""
    from statistics import median

    found = sorted(numbers)
    return [Line(key, label, Spread(found[0], median(found), found[-1]))] if found else []


def of_requests(requests: Sequence[ReportRequest]) -> list[Line]:
    """Returns the summary of report requests."""
    limits = [(each.limit_unit, each.limit) for each in requests if each.limit is not None]
    languages = Counter(each.language for each in requests if each.language is not None)
    lines = [
        Line("topics", "topics", len(requests)),
        Line("with_title", "  with title", sum(bool(each.title.strip()) for each in requests)),
        Line(
            "with_background",
            "  with background",
            sum(bool(each.background.strip()) for each in requests),
        ),
        Line("with_limit", "  with limit", len(limits)),
    ]
    for unit in sorted({unit for unit, _ in limits}):
        numbers = [limit for each, limit in limits if each == unit]
        lines += spread(f"limit_{unit}", f"    in {unit}", numbers)
    if languages:
        lines.append(Line("languages", "languages", dict(languages.most_common())))
    lengths = [len(each.problem_statement) for each in requests]
    return lines + spread("problem_statement_characters", "problem statement (chars)", lengths)


def of_nuggets(topics: Sequence[TopicNuggets]) -> list[Line]:
    """Returns the summary of nuggets."""
    nuggets = [nugget for topic in topics for nugget in topic.nuggets]
    answers = [answer for nugget in nuggets for answer in nugget.answers]
    has_answers = [nugget for nugget in nuggets if not nugget.is_absence]
    per_nugget = [
        len({doc_id for answer in nugget.answers for doc_id in answer.doc_ids})
        for nugget in has_answers
    ]
    doc_ids = {doc_id for answer in answers for doc_id in answer.doc_ids}
    aggregators = Counter(nugget.aggregator for nugget in nuggets)
    importances = Counter(nugget.importance for nugget in nuggets)
    by_importance = {each.value: importances[each] for each in Importance}
    by_aggregator = {each.value: aggregators[each] for each in Aggregator}
    return [
        Line("topics", "topics", len(topics)),
        Line(
            "topics_without_nuggets", "  without nuggets", sum(not each.nuggets for each in topics)
        ),
        Line("nuggets", "nuggets", len(nuggets)),
        *spread("nuggets_per_topic", "  per topic", (len(topic.nuggets) for topic in topics)),
        Line("aggregators", "  aggregator", by_aggregator),
        Line("importance", "  importance", {**by_importance, "none": importances[None]}),
        Line("claim_nuggets", "  claims", sum(nugget.is_claim for nugget in nuggets)),
        Line("absence_nuggets", "  absence nuggets", sum(each.is_absence for each in nuggets)),
        Line("answers", "answers", len(answers)),
        *spread("answers_per_nugget", "  per nugget", (len(each.answers) for each in has_answers)),
        Line("documents", "documents", len(doc_ids)),
        *spread("documents_per_answer", "  per answer", (len(each.doc_ids) for each in answers)),
        *spread("documents_per_nugget", "  per nugget", per_nugget),
    ]
