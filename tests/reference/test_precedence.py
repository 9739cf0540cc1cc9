"""Which of several judgments of one question is used, against a search through all lines."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.formats import iter_parts
from argue_eval.formats.jsonl import Source
from argue_eval.formats.jsonl import source as blocks
from argue_eval.formats.judgment_lines import Part
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.measures.protocols import View
from argue_eval.records import Kind, Report, Sentence

Json = dict[str, Any]

TEXTS = [("Caf\u00e9.", "Two.", "Two."), ("Two.",)]
WRITTEN = st.sampled_from([" Cafe\u0301.", "Two.", "Two. ", "Caf\u00e9. Two. Two."])
TARGETS = {"support": {"doc_id": "d"}, "covers": {"nugget_id": "n"}, "negative": {}}


@st.composite
def judgments(draw: st.DrawFn) -> Json:
    kind = draw(st.sampled_from([*TARGETS, "first_instance"]))
    place: Json = {"run_id": "r", "sentence_index": draw(st.integers(0, 2))}
    named = draw(st.sampled_from([place, {"sentence": draw(WRITTEN)}]))
    if kind == "first_instance":
        named = place
    elif kind == "covers" and draw(st.booleans()):
        named = {"run_id": "r"}
    verdict = draw(st.sampled_from(["yes", "no"]))
    judge = draw(st.sampled_from("abc"))
    number = draw(st.sampled_from([{}, {}, {"prob": 0.5}]))
    about = {**TARGETS.get(kind, {}), **named, **number}
    return {"topic_id": "t", "kind": kind, "verdict": verdict, "judge": judge, **about}


def same(text: str, other: str) -> bool:
    return unicodedata.normalize("NFC", text.strip()) == unicodedata.normalize("NFC", other.strip())


def expected(
    lines: Sequence[Json], kind: str, place: int | None, text: str, *, is_only: bool
) -> Json | None:
    """The judgment that is used: of the first judge who has any, the last."""
    about = [line for line in lines if line["kind"] == kind]
    placed = [
        line for line in about if "sentence" not in line and line.get("sentence_index") == place
    ]
    named = [line for line in about if same(line.get("sentence", ""), text)]
    if is_only and place is None and placed:
        named = []  # a report of one sentence is not judged by a judgment of that sentence
    said = {line["judge"]: line for line in lines if line in [*placed, *named]}
    judges = dict.fromkeys(line["judge"] for line in lines)
    return next((said[judge] for judge in judges if judge in said), None)


@given(st.lists(st.lists(judgments(), min_size=1, max_size=8), min_size=1, max_size=4))
@pytest.mark.parametrize("block_bytes", [100, 1 << 20])
@pytest.mark.parametrize("texts", TEXTS)
def test_the_last_line_of_the_first_judge_is_used(
    block_bytes: int, texts: Sequence[str], files: Sequence[Sequence[Json]]
) -> None:
    index = JudgmentIndex()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", block_bytes)
        for lines in files:
            content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
            source = Source.of_bytes("judgments", content)
            for found in iter_parts(source, start=index.next_fact):
                index.merge(found) if isinstance(found, Part) else index.add(found)
    report = Report("t", "r", tuple(map(Sentence, texts)))
    known = index.about(report)
    lines = [line for each in files for line in each]
    views: list[tuple[int | None, str, View]] = [(None, report.text, known.whole())]
    views += [(place, text, known.sentence(place)) for place, text in enumerate(texts)]
    for place, text, view in views:
        for kind, target in {**TARGETS, "first_instance": {}}.items():
            line = expected(lines, kind, place, text, is_only=len(texts) == 1)
            stored = view.get((Kind(kind), next(iter(target.values()), "")))
            assert (stored is None) == (line is None)
            if stored is not None and line is not None:
                said = stored.verdict.value, stored.judge, stored.prob
                assert said == (line["verdict"], line["judge"], line.get("prob"))
