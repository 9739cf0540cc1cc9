"""What is written in a canonical format is read back as it was."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

from hypothesis import given
from hypothesis import strategies as st

from argue_eval import formats
from argue_eval.records import (
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

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
FULL = TEXT.filter(str.strip)
IDS = st.text("abcα-_.:#/ 1", min_size=1, max_size=6).filter(str.strip)
SCORES = st.none() | st.floats(0, 1) | st.integers(0, 100)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)
EXTRA = st.dictionaries(st.sampled_from(["note", "x", "ключ", "a b"]), JSON, max_size=2)


def _documents(ids: list[str]) -> st.SearchStrategy[dict[str, Document]]:
    language = st.none() | st.just("fr")
    one = {each: st.builds(Document, st.just(each), TEXT, TEXT, language, EXTRA) for each in ids}
    return st.fixed_dictionaries(one)


def _citations(ids: list[str]) -> st.SearchStrategy[tuple[Citation, ...]]:
    return st.tuples(*(st.builds(Citation, st.just(each), SCORES) for each in ids))


UNIQUE_IDS = st.lists(IDS, max_size=3, unique=True)
SENTENCES = st.builds(Sentence, TEXT, UNIQUE_IDS.flatmap(_citations), EXTRA)
ANSWERS = st.lists(
    st.builds(Answer, FULL, UNIQUE_IDS.map(tuple), EXTRA),
    max_size=3,
    unique_by=lambda answer: answer.answer,
).map(tuple)


def _nugget(nugget_id: str) -> st.SearchStrategy[Nugget]:
    importance = st.none() | st.sampled_from(Importance)
    question = st.builds(
        Nugget, st.just(nugget_id), FULL, ANSWERS, st.sampled_from(Aggregator), importance, EXTRA
    )
    claim = st.builds(Answer, FULL, UNIQUE_IDS.map(tuple), EXTRA)
    return question | claim.map(lambda each: Nugget(nugget_id, None, (each,)))


NUGGETS = UNIQUE_IDS.flatmap(lambda ids: st.tuples(*map(_nugget, ids)))


@st.composite
def reports(draw: st.DrawFn) -> list[Report]:
    """Returns the reports of one run."""
    run_id = draw(IDS)
    return [
        Report(
            topic_id,
            run_id,
            tuple(draw(st.lists(SENTENCES, max_size=3))),
            draw(TEXT),
            draw(st.none() | st.lists(IDS, max_size=3).map(tuple)),
            draw(UNIQUE_IDS.flatmap(_documents)),
            draw(EXTRA),
            line,
            draw(EXTRA),
        )
        for line, topic_id in enumerate(draw(st.lists(IDS, min_size=1, max_size=2, unique=True)), 1)
    ]


@st.composite
def requests(draw: st.DrawFn) -> list[ReportRequest]:
    """Returns the requests of one file."""
    return [
        ReportRequest(
            topic_id,
            draw(TEXT),
            draw(TEXT),
            draw(TEXT),
            draw(st.none() | st.integers(1, 9_999)),
            draw(st.sampled_from(["characters", "words"])),
            tuple(draw(UNIQUE_IDS)),
            draw(st.none() | st.just("fa")),
            draw(EXTRA),
        )
        for topic_id in draw(st.lists(IDS, min_size=1, max_size=2, unique=True))
    ]


@st.composite
def topics(draw: st.DrawFn) -> list[TopicNuggets]:
    """Returns the topics of one file of nuggets."""
    return [TopicNuggets(topic_id, draw(NUGGETS), draw(EXTRA)) for topic_id in draw(UNIQUE_IDS)]


def _reread(
    write: Callable[[Any, IO[str]], None], read: Callable[[str], Iterable[Any]], records: list[Any]
) -> list[Any]:
    stream = io.StringIO()
    write(records, stream)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(stream.getvalue().encode())
        return list(read(str(path)))


@given(requests())
def test_requests_are_read_as_they_were_written(records: list[ReportRequest]) -> None:
    assert _reread(formats.write_requests, formats.read_topics, records) == records


@given(topics())
def test_nuggets_are_read_as_they_were_written(records: list[TopicNuggets]) -> None:
    assert _reread(formats.write_nuggets, formats.read_nuggets, records) == records


@given(reports())
def test_runs_are_read_as_they_were_written(records: list[Report]) -> None:
    assert _reread(formats.write_run, formats.read_run, records) == records
