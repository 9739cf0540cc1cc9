"""A verdict of its own that is never a yes: read, stored, compared, and a no to most measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats, measures
from argue_eval.errors import InputError
from argue_eval.evaluation.scoring import score
from argue_eval.judgments.exchange import judgments as stored
from argue_eval.records import VERDICTS, Kind, Verdict
from tests.judgments.asking import JUDGE, fill, question, replied
from tests.making import evidence, nugget, report

OPPOSED = (Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS)
KEYS = {
    Kind.SUPPORT: {"doc_id": "d"},
    Kind.ANSWERS: {"nugget_id": "n", "answer": "a"},
    Kind.COVERS: {"nugget_id": "n"},
    Kind.AGREES: {"nugget_id": "n"},
}


def line(kind: Kind, **changes: object) -> str:
    value = {"topic_id": "t1", "kind": kind.value, "verdict": "contradicts", "judge": "j"}
    return json.dumps({**value, "sentence": "s", **KEYS.get(kind, {}), **changes}) + "\n"


@pytest.mark.parametrize("kind", OPPOSED)
@pytest.mark.parametrize("number", [1, 2000], ids=["line by line", "by the block"])
def test_a_contradiction_is_read(kind: Kind, number: int, tmp_path: Path) -> None:
    path = tmp_path / "x.judgments.jsonl"
    path.write_text(line(kind) * number)
    found = formats.read_judgments(str(path))
    assert {(each.kind, each.verdict) for each in found} == {(kind, Verdict.CONTRADICTS)}
    assert len(found) == number


@pytest.mark.parametrize("kind", [Kind.NEGATIVE, Kind.REQUIRES_CITATION, Kind.AGREES])
@pytest.mark.parametrize("number", [1, 2000], ids=["line by line", "by the block"])
def test_other_kinds_have_no_such_verdict(kind: Kind, number: int, tmp_path: Path) -> None:
    path = tmp_path / "x.judgments.jsonl"
    path.write_text(line(kind, verdict="yes") * number + line(kind))
    with pytest.raises(InputError, match="has the verdicts 'yes', 'no'; found 'contradicts'") as no:
        formats.read_judgments(str(path))
    assert no.value.findings[0].line == number + 1


def test_every_kind_lists_its_verdicts() -> None:
    assert {kind for kind in Kind if Verdict.CONTRADICTS in VERDICTS[kind]} == set(OPPOSED)
    assert {kind for kind in Kind if Verdict.PARTIAL in VERDICTS[kind]} == {
        Kind.SUPPORT,
        Kind.COVERS,
    }


@pytest.mark.parametrize("kind", OPPOSED)
def test_a_contradiction_is_stored_and_exported(kind: Kind, tmp_path: Path) -> None:
    ids: Any = {"doc_id": "", "document": None, "nugget_id": "n", "claim": "a", "answer": "a"}
    asked = question(kind=kind) if kind is Kind.SUPPORT else question(kind=kind, **ids)
    path = fill(tmp_path / "x.store", (asked, replied(Verdict.CONTRADICTS)))
    (found,) = stored(path)
    assert (found.kind, found.verdict, found.judge) == (kind, Verdict.CONTRADICTS, JUDGE)


NUGGETS = [
    nugget("n1", ("a", ["D1"])),
    nugget("c1", ("claim", ["D1"]), question=None, importance="vital"),
]
COUNTING = ("dragun", "biogen")
PROTOCOLS = [each.replace("-", "_") for each in measures.protocol_names()]


def test_measures_that_do_not_count_contradictions_take_them_for_a_no() -> None:
    values = []
    for word in ("no", "contradicts"):
        facts = [
            ("support", "s", word, "D1"),
            ("answers", "s", word, "n1", "a"),
            ("answers", "s", word, "c1", "claim"),
            ("covers", "s", word, "c1"),
            ("covers", "s", word, "n1"),
        ]
        found = evidence(NUGGETS, report(("s", ["D1"])), facts, protocols=PROTOCOLS)
        families = [each for each in measures.select(["all"]) if each.name not in COUNTING]
        table = score("run", "", "", [found], families)
        values.append({row.measure: (row.value, row.lower, row.upper) for row in table.rows})
    assert values[0] == values[1]
    assert values[0]["outcome_1"] == (1, 1, 1)


def test_one_sentence_that_supports_a_claim_outweighs_one_that_contradicts_it() -> None:
    written = report(("s", []), ("t", []), ("u", []))
    for words, expected in (
        (("contradicts", "partial", "no"), Verdict.PARTIAL),
        (("contradicts", "yes", "no"), Verdict.YES),
        (("no", "no", "contradicts"), Verdict.CONTRADICTS),
    ):
        facts = [("covers", text, word, "c1") for text, word in zip("stu", words, strict=True)]
        found = evidence(NUGGETS[1:], written, facts, protocols=["dragun"])
        (grade,) = found.outcomes["dragun"]
        assert grade.verdict is expected
