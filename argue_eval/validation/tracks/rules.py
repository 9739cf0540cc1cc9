"""The rules that a track may set: what each checks, and which values it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

OWN = "argue-eval"
"""The source of rules that no track sets: they hold everywhere."""

CHOICES = {
    "severity": ("error", "warning", "off"),
    "shapes": ("scores", "doc_ids", "indexes", "inline"),
    "metadata": ("metadata", "beside", "either"),
    "unit": ("characters", "words"),
    "table_kind": ("retrieval", "questions"),
    "bank": ("ragtime26",),
}
"""Kinds of values of which there are only a few."""


class RuleKind(NamedTuple):
    """A rule that checks can follow.

    Attributes:
        says: what must hold, in one line; ``{name}`` stands for a value.
        severity: that of a track which does not set it.
        values: the values that a track must give, and of which kind they are.
        needs: the option without which it can't be checked.
    """

    says: str
    severity: str = "off"
    values: Mapping[str, str] = MappingProxyType({})
    needs: str = ""


RULES: dict[str, RuleKind] = {
    "metadata": RuleKind("each report has {keys}, none of them empty", values={"keys": "names"}),
    "metadata_recommended": RuleKind("each report should have {keys}", values={"keys": "names"}),
    "metadata_extra": RuleKind("the metadata has no keys but {keys}", values={"keys": "names"}),
    "run_id_length": RuleKind("the run id has at most {max} characters", values={"max": "whole"}),
    "run_id_alphabet": RuleKind(
        "the run id is made of letters, digits, '.', '_' and '-' ({pattern})",
        values={"pattern": "pattern"},
    ),
    "run_id_differs": RuleKind("all reports have the same run id", "error"),
    "team_id_differs": RuleKind("all reports have the same team id", "warning"),
    "missing_topics": RuleKind("every requested topic has a report", "warning", needs="--requests"),
    "new_topics": RuleKind("every report is for a requested topic", "error", needs="--requests"),
    "duplicate_topics": RuleKind("a topic has one report", "error"),
    "empty_answer": RuleKind("a report has at least one sentence with text", "warning"),
    "blank_sentence": RuleKind("every sentence has text", "warning"),
    "missing_citations": RuleKind("every sentence has citations, if only an empty list", "warning"),
    "citation_format": RuleKind("citations have a form that the track takes", "error"),
    "citation_count": RuleKind("a sentence has at most {max} citations", values={"max": "whole"}),
    "citation_duplicate": RuleKind("a sentence cites a document once", "warning"),
    "citation_score": RuleKind("the score of a citation is a number", "error"),
    "reference_index": RuleKind("an index points at one of the references", "error"),
    "docid_pattern": RuleKind(
        "document ids match {pattern}, in full", values={"pattern": "pattern"}
    ),
    "docid_readable": RuleKind(
        "document ids are not empty and have no invisible characters", "error"
    ),
    "unknown_document": RuleKind(
        "every cited document is in the collection", "error", needs="--collection"
    ),
    "references_present": RuleKind("there is no list of references"),
    "references_missing": RuleKind("each report has a list of references"),
    "references_duplicate": RuleKind("no reference is listed twice"),
    "references_undeclared": RuleKind("every cited document is among the references"),
    "references_uncited": RuleKind("every reference is cited by some sentence"),
    "references_max": RuleKind("a report has at most {max} references", values={"max": "whole"}),
    "length": RuleKind(
        "a report is no longer than {limit} {unit}", values={"unit": "unit", "limit": "limit"}
    ),
    "response_length": RuleKind(
        "metadata.response_length, if given, is the report's own length in {unit}",
        values={"unit": "unit"},
    ),
    "narrative": RuleKind(
        "metadata.narrative is an exact copy of the request's text", needs="--requests"
    ),
    "segmentation": RuleKind("a segment is one sentence", "warning", needs="--segmentation"),
    "suspicious_text": RuleKind(
        "no instructions to a judge, invisible characters, direction controls or markup",
        "warning",
    ),
    "uncited_report": RuleKind("a report of several sentences cites a document", "warning"),
    "repeated_report": RuleKind("no two topics have a report with the same text", "warning"),
    "chat_reply": RuleKind("no sentence is a model's reply, such as a refusal", "warning"),
    "garbled_text": RuleKind("no text was decoded with a wrong encoding", "warning"),
    "html_entities": RuleKind("no text has entities of HTML", "warning"),
    "inline_citations": RuleKind("no document is cited in the text, in brackets", "warning"),
    "markdown_table": RuleKind("no text has rows of a table", "warning"),
    "rank_order": RuleKind("the lines of a topic have the ranks 1, 2, 3, …, in this order"),
    "score_order": RuleKind("scores do not rise from line to line of a topic"),
    "duplicate_document": RuleKind("a topic has a document once"),
    "duplicate_question": RuleKind("a topic has a question once"),
    "question_count": RuleKind("a topic has at most {max} questions", values={"max": "whole"}),
}
"""Every rule, in the order in which tracks are explained."""


def describe(code: str, values: dict[str, Any]) -> str:
    """What a rule says, with a track's values filled in.

    >>> describe("citation_count", {"max": 3})
    'a sentence has at most 3 citations'
    """
    shown = {name: _shown(name, value) for name, value in values.items()}
    return RULES[code].says.format(**shown) if shown else RULES[code].says


def _shown(name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(value)
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    if name == "limit" and value == "request":
        return "the request's limit, in"
    return str(value)
