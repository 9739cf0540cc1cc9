"""Mistakes in citations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.mistakes.editing import Json, Mistake, in_report


def _first(report: Json) -> tuple[int, str]:
    """The first sentence that cites something, and what it cites."""
    for index, sentence in enumerate(report["responses"]):
        if sentence["citations"]:
            return index, next(iter(sentence["citations"]))
    raise LookupError


def _doc_id(change: Callable[[str], str]) -> Any:
    def spoil(report: Json) -> str:
        index, doc_id = _first(report)
        cited = report["responses"][index]["citations"]
        cited[change(doc_id)] = cited.pop(doc_id)
        return f"$.responses[{index}].citations['{change(doc_id)}']"

    return in_report(spoil)


def _mistyped(doc_id: str) -> str:
    return doc_id[:5] + ("0" if doc_id[5] != "0" else "1") + doc_id[6:]


def _cite(cited: Callable[[str], Any], step: str = "") -> Any:
    def spoil(report: Json) -> str:
        index, doc_id = _first(report)
        report["responses"][index]["citations"] = cited(doc_id)
        path = f"$.responses[{index}].citations"
        return path + step.format(doc_id)

    return in_report(spoil)


def _cites_nothing_in_a_list(report: Json) -> str:
    report["responses"][2]["citations"] = []
    return "$.responses[2].citations"


def _four(report: Json) -> str:
    doc_ids = {each for sentence in report["responses"] for each in sentence["citations"]}
    extra = [f"{doc_id[:-2]}{n}" for doc_id in sorted(doc_ids) for n in range(10, 14)]
    report["responses"][2]["citations"] = dict.fromkeys(extra[:4], 0.5)
    return "$.responses[2].citations"


def _misspelt_key(report: Json) -> str:
    report["responses"][2]["citation"] = report["responses"][2].pop("citations")
    return "$.responses[2]"


def _list_of_all(report: Json) -> str:
    for sentence in report["responses"]:
        sentence["citations"] = list(sentence["citations"])
    report["responses"][2]["citations"] *= 2
    return "$.responses[2].citations[1]"


def _in_brackets(report: Json) -> str:
    for sentence in report["responses"]:
        sentence["citations"] = list(sentence["citations"])
    report["responses"][2]["citations"] = [report["responses"][2]["citations"]]
    return "$.responses[2].citations[0]"


# fmt: off
MISTAKES = [
    Mistake("a mistyped document id", "unknown_document", _doc_id(_mistyped),
            "the collection has no document", "meant?"),
    Mistake("an id with a trailing #3", "docid_pattern", _doc_id(lambda doc_id: f"{doc_id}#3"),
            "does not match the track's pattern", "meant?", also=frozenset({"unknown_document"})),
    Mistake("an id in upper case", "docid_pattern", _doc_id(lambda doc_id: doc_id.upper()),
            "does not match the track's pattern", "meant?", also=frozenset({"unknown_document"})),
    Mistake("white space around an id", "docid_pattern", _doc_id(lambda doc_id: f" {doc_id} "),
            "does not match the track's pattern", "meant?", also=frozenset({"unknown_document"})),
    Mistake("four citations", "citation_count", in_report(_four), "has 4 citations, 3 are allowed",
            "keep the best 3", is_error=False, also=frozenset({"unknown_document"})),
    Mistake("a score as text", "citation_score", _cite(lambda doc_id: {doc_id: "0.9"}, "['{}']"),
            "expected a number as score, found the text '0.9'", "write a number"),
    Mistake("indexes without references", "citation_format", _cite(lambda doc_id: [0, 1]),
            "[index into references, …], which the track does not take", "write {doc_id: score}"),
    Mistake("a list of ids among dictionaries", "citation_format", _cite(lambda doc_id: [doc_id]),
            "the citations are [doc_id, …]", "write {doc_id: score}"),
    Mistake("an empty list among dictionaries", "citation_format",
            in_report(_cites_nothing_in_a_list), "the citations are []", "write {}"),
    Mistake("a list of citations in a list", "citation_format", in_report(_in_brackets),
            "expected a document id, found a list of 1", "remove its brackets"),
    Mistake("citations as text", "citation_format", _cite(lambda doc_id: doc_id),
            "expected citations, found the text", "write {doc_id: score, …}"),
    Mistake("null for no citations", "missing_citations", _cite(lambda doc_id: None), "found null",
            '"citations": {}', is_error=False),
    Mistake("`citation` for `citations`", "missing_citations", in_report(_misspelt_key),
            "no citations are given", "rename 'citation' to 'citations'", is_error=False),
    Mistake("a document cited twice by a sentence", "citation_duplicate", in_report(_list_of_all),
            "twice", "remove one", is_error=False),
]
# fmt: on
