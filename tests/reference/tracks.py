"""Tracks for the reference tests: drawn by Hypothesis, and written as the files of a job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import NOBODY
from argue_eval.records import ScoringOptions
from tests.reference.naive import Options, Track

DOC_IDS = ["D1", "D2", "D3", "D4"]
RUN_ID = "drawn"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for one track after the other, which Hypothesis can use."""
    return tmp_path_factory.mktemp("drawn")


@st.composite
def options(draw: st.DrawFn) -> Options:
    return {
        "reading": draw(st.sampled_from(["argue", "strict"])),
        "citations": draw(st.sampled_from(["all", "any", "macro", "micro"])),
        "attestation": draw(st.sampled_from(["cited-document", "any-document"])),
        "weights": draw(
            st.sampled_from(
                [{"vital": 2.0, "okay": 1.0, "none": 1.0}, {"vital": 1.0, "okay": 0.5, "none": 0.0}]
            )
        ),
        "only_answered": draw(st.booleans()),
    }


@st.composite
def nuggets(draw: st.DrawFn, topic_id: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 4))):
        num_answers = draw(st.integers(0, 3))
        made.append(
            {
                "nugget_id": f"{topic_id}-n{number}",
                "question": "what?",
                "aggregator": draw(st.sampled_from(["OR", "AND"])),
                "importance": draw(st.sampled_from(["vital", "okay", None])),
                "answers": [
                    {
                        "answer": f"a{each}",
                        "doc_ids": draw(
                            st.lists(st.sampled_from(DOC_IDS[:3]), min_size=1, unique=True)
                        ),
                    }
                    for each in range(num_answers)
                ],
            }
        )
    answers = [answer for nugget in made for answer in nugget["answers"]]
    if len(answers) > 3:
        # Many answers from one document look like a placeholder, which is an error.
        answers[0]["doc_ids"] = DOC_IDS[:2]
    return made


def questions(track: Track) -> list[tuple[Any, ...]]:
    """Every question that can be asked about a track."""
    asked: dict[tuple[Any, ...], None] = {}
    for topic, sentences in track["reports"].items():
        for place, (text, doc_ids) in enumerate(sentences):
            for doc_id in doc_ids:
                asked[topic, "support", text, doc_id] = None
                asked[topic, "irrelevant", doc_id] = None
            for nugget in track["nuggets"][topic]:
                for answer in nugget["answers"]:
                    asked[topic, "answers", text, nugget["nugget_id"], answer["answer"]] = None
                if not nugget["answers"]:
                    asked[topic, "agrees", text, nugget["nugget_id"]] = None
            asked[topic, "negative", text] = None
            asked[topic, "requires_citation", text] = None
            asked[topic, "first_instance", place] = None
    return list(asked)


@st.composite
def tracks(draw: st.DrawFn) -> Track:
    topics = [f"t{number}" for number in range(draw(st.integers(1, 3)))]
    track: Track = {"nuggets": {topic: draw(nuggets(topic)) for topic in topics}, "reports": {}}
    texts = st.sampled_from(["The ﬁrst.", "The second.", "A third.", "Ένα τέταρτο."])
    cited = st.lists(st.sampled_from(DOC_IDS), max_size=3)
    for number, topic in enumerate(topics):
        if number == 0 or draw(st.booleans()):
            track["reports"][topic] = draw(st.lists(st.tuples(texts, cited), max_size=5))
    asked = questions(track)
    rarely = {"irrelevant"}
    answers = draw(st.lists(st.integers(0, 3), min_size=len(asked), max_size=len(asked)))
    track["yes"] = {
        question
        for question, answer in zip(asked, answers, strict=True)
        if answer > (2 if question[1] in rarely else 1)
    }
    return track


def judgment(question: tuple[Any, ...], is_yes: bool) -> dict[str, Any] | None:
    """A question's answer as a line of a judgments file; None where looking it up decides."""
    topic, kind, subject, *rest = question
    line = {"topic_id": topic, "kind": kind, "verdict": "yes" if is_yes else "no", "judge": "a:1"}
    if kind == "irrelevant":
        return {**line, "kind": "relevant", "verdict": "no", "doc_id": subject} if is_yes else None
    if kind == "first_instance":
        return {**line, "run_id": RUN_ID, "sentence_index": subject}
    names = {"support": ["doc_id"], "agrees": ["nugget_id"], "answers": ["nugget_id", "answer"]}
    return {**line, "sentence": subject, **dict(zip(names.get(kind, []), rest, strict=True))}


def write(track: Track, folder: Path, chosen: Options, measures: list[str]) -> Job:
    """Writes a track's files and returns the job that scores them."""
    folder.mkdir(parents=True, exist_ok=True)
    qrels = {
        "format": "argue-eval/nuggets/1",
        "topics": [{"topic_id": key, "nuggets": found} for key, found in track["nuggets"].items()],
    }
    (folder / "nuggets.json").write_text(json.dumps(qrels))
    reports = [
        {
            "metadata": {"team_id": "team", "run_id": RUN_ID, "topic_id": topic},
            "responses": [{"text": text, "citations": doc_ids} for text, doc_ids in sentences],
        }
        for topic, sentences in track["reports"].items()
    ]
    judged = [judgment(question, question in track["yes"]) for question in questions(track)]
    # A file can't be empty: a judgment on a sentence of no report has no effect.
    lines = [*filter(None, judged), judgment(("t0", "negative", "said by nobody"), True)]
    (folder / "run.jsonl").write_text("".join(json.dumps(each) + "\n" for each in reports))
    (folder / "judgments.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    names = ("reading", "citations", "attestation", "weights", "only_answered")
    return Job(
        [str(folder / "run.jsonl")],
        str(folder / "nuggets.json"),
        judgments=[str(folder / "judgments.jsonl")],
        judges=NOBODY,
        measures=measures,
        options=ScoringOptions(**{name: chosen[name] for name in names}),
    )
