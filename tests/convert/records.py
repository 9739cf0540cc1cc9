"""Random records of every kind, with further keys that mean something in some format."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from argue_eval.records import (
    MAX_WEIGHT,
    Aggregator,
    Answer,
    Citation,
    Document,
    Importance,
    Nugget,
    Report,
    ReportRequest,
    Sentence,
    TopicNuggets,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["", " ", "A.\nB.", "end\r", "tab\there", "\x00"]
)
FULL = TEXT.filter(str.strip)
SAME = st.sampled_from(["Which?", "Which? (2)", "Who?"]) | FULL
IDS = st.text("aBα-./{[PK 1", min_size=1, max_size=3).filter(str.strip)
UNIQUE_IDS = st.lists(IDS, max_size=3, unique=True)
SCORES = st.none() | st.floats(0, 1) | st.integers(0, 100)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)


UNKNOWN = ["note", "ключ", "a b"]
"""Further keys that no format reads."""


def _extra(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Returns further keys: none, harmless ones, or those that some format reads."""
    unknown = st.dictionaries(st.sampled_from(UNKNOWN), JSON, max_size=2)
    mistaken = st.fixed_dictionaries({}, optional=dict.fromkeys(names, JSON))
    return st.just({}) | unknown | mistaken


OF_REQUESTS = _extra(
    "id", "request_id", "narrative", "collection_id", "collection_ids", "limit", "docid", "topic_id"
)
OF_METADATA = _extra(
    "topic_id", "narrative_id", "request_id", "run_id", "references", "report", "answer",
    "responses", "sentences", "documents", "metadata", "narrative", "collection_ids",
)  # fmt: skip
OF_REPORTS = _extra("answer", "sentences", "report", "request_id", "references", "metadata")
OF_SENTENCES = _extra("text", "citations", "span")
OF_TOPICS = _extra(
    "query_id", "query", "qid", "items", "questions", "topics", "format", "nuggets", "nugget_bank",
    "claim_bank", "metadata", "format_version", "request_id", "topic_id",
)  # fmt: skip
OF_NUGGETS = _extra(
    "info", "importance", "query_id", "question_id", "question", "text", "references", "answers"
)
OF_ANSWERS = _extra("answer", "doc_ids", "references")
WORDS = JSON | st.sampled_from(["vital", "Okay", "failed", 3])
OF_SCALES = st.fixed_dictionaries(
    {"info": st.fixed_dictionaries({}, optional={"importance": WORDS, "used": JSON})},
    optional={"importance": WORDS},
)


def _documents(ids: list[str]) -> st.SearchStrategy[dict[str, Document]]:
    language = st.none() | st.just("fr")
    further = _extra("doc_id", "language")
    one = {each: st.builds(Document, st.just(each), TEXT, TEXT, language, further) for each in ids}
    return st.fixed_dictionaries(one)


def _citations(ids: list[str]) -> st.SearchStrategy[tuple[Citation, ...]]:
    bare = st.just(tuple(Citation(each) for each in ids))
    return bare | st.tuples(*(st.builds(Citation, st.just(each), SCORES) for each in ids))


SENTENCES = st.builds(Sentence, TEXT, UNIQUE_IDS.flatmap(_citations), OF_SENTENCES)


@st.composite
def _detailed(draw: st.DrawFn) -> Answer:
    """Returns an answer with details of some of its documents, as a bank keeps them."""
    references = draw(st.lists(st.tuples(IDS, st.booleans()), max_size=4))
    details = [
        {"doc_id": doc_id, "text": f"{place}"}
        for place, (doc_id, is_detailed) in enumerate(references)
        if is_detailed
    ]
    doc_ids = tuple(dict.fromkeys(doc_id for doc_id, _ in references))
    return Answer(draw(SAME), doc_ids, {"references": details} if details else {})


ANSWERS = st.lists(
    _detailed() | st.builds(Answer, SAME, UNIQUE_IDS.map(tuple), OF_ANSWERS),
    max_size=3,
    unique_by=lambda answer: answer.answer,
).map(tuple)


WEIGHTS = st.none() | st.sampled_from([4.0, 2.0, -3.0]) | st.floats(-MAX_WEIGHT, MAX_WEIGHT)


def _nugget(nugget_id: str) -> st.SearchStrategy[Nugget]:
    importance = st.none() | st.sampled_from(Importance)
    aggregator = st.sampled_from(Aggregator)
    ids = st.just(nugget_id)
    further = OF_NUGGETS | OF_SCALES
    rest = [aggregator, importance, further, WEIGHTS, st.just("") | ids]
    question = st.builds(Nugget, ids, SAME, ANSWERS, *rest)
    one = ANSWERS.filter(bool).map(lambda answers: answers[:1])
    return question | st.builds(Nugget, ids, st.none(), one, *rest)


NUGGETS = st.one_of(
    UNIQUE_IDS.flatmap(lambda ids: st.tuples(*map(_nugget, ids))),
    st.integers(0, 3).flatmap(lambda n: st.tuples(*(_nugget(f"n{i + 1}") for i in range(n)))),
)


@st.composite
def reports(draw: st.DrawFn) -> list[Report]:
    """Returns the reports of one run."""
    run_id, plain = draw(IDS), draw(st.booleans())
    topic_ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    return [
        Report(
            topic_id,
            run_id,
            tuple(draw(st.lists(SENTENCES, max_size=3))),
            "" if plain else draw(TEXT),
            None if plain else draw(st.none() | st.lists(IDS, max_size=3).map(tuple)),
            {} if plain else draw(UNIQUE_IDS.flatmap(_documents)),
            draw(OF_METADATA),
            line,
            draw(OF_REPORTS),
        )
        for line, topic_id in enumerate(topic_ids, 1)
    ]


@st.composite
def requests(draw: st.DrawFn) -> list[ReportRequest]:
    """Returns the requests of one file."""
    plain = draw(st.booleans())
    return [
        ReportRequest(
            topic_id,
            "" if plain else draw(TEXT),
            draw(TEXT),
            "" if plain else draw(TEXT),
            None if plain else draw(st.none() | st.integers(1, 9_999)),
            draw(st.sampled_from(["characters", "words"])),
            () if plain else tuple(draw(UNIQUE_IDS)),
            draw(st.none() | st.just("fa")),
            draw(OF_REQUESTS),
        )
        for topic_id in draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    ]


@st.composite
def topics(draw: st.DrawFn) -> list[TopicNuggets]:
    """Returns the topics of one file of nuggets."""
    topic_ids = draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    return [TopicNuggets(each, draw(NUGGETS), draw(OF_TOPICS)) for each in topic_ids]


RECORDS: dict[str, st.SearchStrategy[Any]] = {
    "runs": reports(),
    "nuggets": topics(),
    "requests": requests(),
}


def harmless(value: Any) -> Any:
    """Returns a record without further keys that mean something in some format."""
    if hasattr(value, "_fields"):
        changes = {
            name: {key: each for key, each in found.items() if key in UNKNOWN}
            if name in ("extra", "metadata")
            else harmless(found)
            for name, found in value._asdict().items()
        }
        return value._replace(**changes)
    if isinstance(value, tuple):
        return tuple(map(harmless, value))
    if isinstance(value, dict):
        return {key: harmless(each) for key, each in value.items()}
    return value
