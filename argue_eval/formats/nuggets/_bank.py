"""What formats of nuggets have in common: ids, answers, document ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from argue_eval.errors import Finding, Findings, shorten
from argue_eval.formats.checking import Check, Choice, Fields
from argue_eval.formats.jsonl import JsonPath
from argue_eval.formats.writing import with_further
from argue_eval.records import Aggregator, Answer, Extra, Importance, Nugget, TopicNuggets

AGGREGATOR = Choice(
    {"OR": Aggregator.OR, "AND": Aggregator.AND},
    default=Aggregator.OR,
    code="unknown_aggregator",
    expected="'OR' or 'AND'",
    hint="no other aggregator is defined for scoring; rewrite the nugget with one of the two",
)
"""How many answers are required. Absent means one of them."""

IMPORTANCES = {"vital": Importance.VITAL, "okay": Importance.OKAY}

_DOC_IDS = ("doc_ids", "references", "citations")


def with_ids(nuggets: Iterable[Nugget]) -> tuple[Nugget, ...]:
    """The nuggets of a topic with ids: their own, made unique; by their places if they have none.

    >>> [each.nugget_id for each in with_ids(Nugget(own, "?") for own in ("", "q", "q", ""))]
    ['n1', 'q', 'q-2', 'n4']
    """
    found: dict[str, Nugget] = {}
    for place, nugget in enumerate(nuggets, 1):
        start = nugget_id = nugget.nugget_id or f"n{place}"
        number = 1
        while nugget_id in found:
            number += 1
            nugget_id = f"{start}-{number}"
        found[nugget_id] = nugget._replace(nugget_id=nugget_id)
    return tuple(found.values())


def importance(fields: Fields) -> Importance | None:
    """How much a nugget matters. A word of another scale is kept as `extra`."""
    value = fields.rest.get("importance")
    if value is None:
        fields.rest.pop("importance", None)
    if type(value) is str and value.lower() in IMPORTANCES:
        del fields.rest["importance"]
        return IMPORTANCES[value.lower()]
    if type(value) not in (str, int, float) and value is not None:
        fields.check.wrong_type("'vital' or 'okay'", value, (*fields.path, "importance"))
    elif value not in (None, "failed"):
        message = f"the importance {shorten(value)} is neither 'vital' nor 'okay': read as none"
        path = (*fields.path, "importance")
        fields.check.warn("unknown_importance", message, path, once=True)
    return None


def each_once(check: Check, answers: Iterable[tuple[Answer, JsonPath]]) -> tuple[Answer, ...]:
    """The answers of a nugget; those with the same text become one."""
    found: dict[str, Answer] = {}
    for answer, path in answers:
        earlier = found.get(answer.answer)
        found[answer.answer] = merged(earlier, answer, check, path) if earlier else answer
    return tuple(found.values())


def merged(earlier: Answer, answer: Answer, check: Check, path: JsonPath) -> Answer:
    """Two answers with the same text as one; warns of the second, which is at the path."""
    message = f"the answer {shorten(answer.answer)} occurs again; their documents are merged"
    check.warn("duplicate_answer", message, path, hint="keep one of the two")
    doc_ids = tuple(dict.fromkeys(earlier.doc_ids + answer.doc_ids))
    return answer._replace(doc_ids=doc_ids, extra={**answer.extra, **earlier.extra})


def doc_ids(fields: Fields, *usual: str) -> tuple[str, ...]:
    """The documents of a list of ids or of ``{doc_id, …}`` objects, each once.

    What else an object says about a document is kept as `extra` under the same name.

    Args:
        usual: the names of the list in a format, before those that it has in others; the first
            list that is not empty is read.
    """
    given = [key for key in dict.fromkeys((*usual, *_DOC_IDS)) if key in fields.rest]
    name = next((key for key in given if fields.rest[key]), given[0] if given else "doc_ids")
    for key in given:
        if not fields.rest[key] and key != name:
            del fields.rest[key]
    found: list[str] = []
    details: list[Any] = []
    for value, path in fields.items(name, required=False):
        if type(value) is dict:
            if "doc_id" not in value:
                hint = "write the document's id, or an object with it"
                message = "the key 'doc_id' is missing"
                fields.check.error("missing_key", message, path, hint=hint)
                continue
            details.append(value)
            value, path = value["doc_id"], (*path, "doc_id")
        found.append(fields.check.identifier(value, path))
    if any(len(detail) > 1 for detail in details):
        fields.rest[name] = details
    return tuple(dict.fromkeys(found))


def warn_of_bare(
    files: Mapping[str, Sequence[TopicNuggets]], warnings: list[Finding] | None
) -> None:
    """Warns that answers in some files name no documents."""
    findings = Findings(listed=warnings)
    for file, topics in files.items():
        nuggets = [(topic, nugget) for topic in topics for nugget in topic.nuggets]
        places = [(*place, each) for place in nuggets for each in place[1].answers if each.answer]
        bare = [place for place in places if not place[2].doc_ids]
        code, message = "no_document_ids", "no answer names a document that attests it"
        hint = "add the ids; to score without: --attestation any-document, in the protocol argue"
        if len(bare) < len(places):
            topic, nugget, _ = bare[0]
            code = "answer_without_documents"
            message = (
                f"{len(bare):,} of {len(places):,} answers name no document that attests them; the "
                f"first is in nugget {shorten(nugget.nugget_id)} of topic {shorten(topic.topic_id)}"
            )
            hint = "no citation can be credited for them: add the ids"
        findings.warn(code, message, hint, file=file, once=True)
    findings.sum_up()


def own_topic(fields: Fields, topic_id: str) -> None:
    """Takes the topic's id from a nugget that repeats it; another id is kept as `extra`."""
    if fields.rest.get("query_id") == topic_id:
        del fields.rest["query_id"]


def with_importance(value: dict[str, Any], nugget: Nugget) -> dict[str, Any]:
    """Adds a nugget's importance to its value, or the word of another scale."""
    if nugget.importance is not None:
        value["importance"] = nugget.importance.value
    return with_further(value, nugget.extra, not_foreign(nugget.extra))


def not_foreign(extra: Extra) -> tuple[str, ...]:
    """The key of the importance, unless it is read as a word of another scale."""
    word = extra.get("importance")
    is_ours = type(word) is str and word.lower() in IMPORTANCES
    return ("importance",) if is_ours or type(word) not in (str, int, float) else ()


def references(answer: Answer, details: Any, *, as_objects: bool) -> list[Any]:
    """The documents of an answer as a list that `doc_ids` reads as the same.

    Args:
        details: what was said about the documents, as `doc_ids` keeps it.
        as_objects: write ``{doc_id: …}`` where nothing else is said about any document.
    """
    left = list(answer.doc_ids)
    found: list[Any] = []
    if not _fit(details, left):
        return [{"doc_id": each} for each in left] if as_objects else left
    detailed = {detail["doc_id"] for detail in details}
    for detail in details:
        while detail["doc_id"] in left:
            doc_id = left.pop(0)
            found += [] if doc_id in detailed else [doc_id]
        found.append(detail)
    return found + left


def _fit(details: Any, known: list[str]) -> bool:
    """Whether details are about known documents, in their order, and say something."""
    if type(details) is not list or any(type(detail) is not dict for detail in details):
        return False
    named = [detail.get("doc_id") for detail in details]
    in_order = [doc_id for doc_id in known if doc_id in named]
    says_more = any(len(detail) > 1 for detail in details)
    return says_more and list(dict.fromkeys(map(str, named))) == in_order
