"""The signature names everything that could change a number, and nothing else."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from argue_eval import __version__
from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import NOBODY, JudgeNames
from argue_eval.evaluation.pipeline import evaluate
from argue_eval.evaluation.scoring import Digest, Signature
from argue_eval.records import Kind, ScoringOptions
from tests import tiny_track
from tests.tiny_track import Files


def _signature(files: Files, run: str | None = None, **changes: Any) -> str:
    inputs: dict[str, Any] = {"topics": files.requests, "collections": [files.collection]}
    job = Job([run or files.alpha], files.qrels, **{**inputs, **changes})
    return next(evaluate(job)).table.signature


def _parts(signature: str) -> dict[str, str]:
    return dict(part.split(":", 1) for part in signature.split("|"))


def _rewrite(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return tiny_track.write(tmp_path)


def test_parts_stand_in_one_line_in_a_fixed_order(files: Files) -> None:
    signature = _signature(files)
    names = " ".join(_parts(signature))
    assert names == (
        "protocol citations attestation nuggets judgments support nugget sentence documents "
        "requests weights topics missing v"
    )
    assert signature.split() == [signature]
    parts = _parts(signature)
    assert (parts["protocol"], parts["weights"]) == ("argue-argue", "vital2-okay1-none1")
    assert (parts["missing"], parts["v"]) == ("zero", __version__)


OPTIONS = {
    "protocol": ScoringOptions(reading="strict"),
    "citations": ScoringOptions(citations="micro"),
    "attestation": ScoringOptions(attestation="any-document"),
    "weights": ScoringOptions(weights={"vital": 2.0000001, "okay": 1.0, "none": 1.0}),
    "missing": ScoringOptions(only_answered=True),
}


def _changed(before: str, after: str) -> set[str]:
    old, new = _parts(before), _parts(after)
    return {name for name in old if old[name] != new[name]}


@pytest.mark.parametrize("part", OPTIONS)
def test_every_option_changes_its_part_alone(files: Files, part: str) -> None:
    before, after = _signature(files), _signature(files, options=OPTIONS[part])
    assert _changed(before, after) == {part}


def test_weights_are_told_without_loss() -> None:
    made = {
        Signature("argue", ScoringOptions(weights={"vital": value}), "n").line(["t"])
        for value in (2.0, 2.0000001, 1e300, 0.5, 0.1 + 0.2, 0.3)
    }
    assert len(made) == 6


EDITS: dict[str, Callable[[Files], None]] = {
    "nuggets": lambda files: _rewrite(files.qrels, "1784", "1785"),
    "documents": lambda files: _rewrite(files.collection, "brothers", "sisters"),
    "requests": lambda files: _rewrite(files.requests, "history", "story"),
}


@pytest.mark.parametrize("part", EDITS)
def test_every_text_that_judges_see_changes_its_part_alone(files: Files, part: str) -> None:
    before = _signature(files)
    EDITS[part](files)
    after = _signature(files)
    # The lexical judge counts terms in nuggets and documents: its own signature moves too.
    assert _changed(before, after) - {"support", "nugget", "sentence"} == {part}


def test_judgments_are_named_by_the_hash_of_their_file_packed_or_not(files: Files) -> None:
    packed = f"{files.judgments}.gz"
    raw = Path(files.judgments).read_bytes()
    Path(packed).write_bytes(gzip.compress(raw))
    for given in ([files.judgments], [packed], [files.judgments, packed]):
        parts = _parts(_signature(files, judgments=given, judges=NOBODY))
        assert parts["judgments"] == "+".join([sha256(raw).hexdigest()[:8]] * len(given))


def test_judgments_change_their_part_alone(files: Files) -> None:
    def signature() -> str:
        return _signature(files, judgments=[files.judgments], judges=NOBODY)

    before = signature()
    _rewrite(files.judgments, '"verdict": "yes"', '"verdict": "no"')
    assert _changed(before, signature()) == {"judgments"}


def test_topics_change_their_part(files: Files) -> None:
    before = _signature(files, judges=NOBODY)
    path = Path(files.requests)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]), encoding="utf-8")
    after = _signature(files, judges=NOBODY)
    assert _changed(before, after) == {"topics"}
    assert _parts(after)["topics"].startswith("2/")


def test_judges_are_named_by_kind_of_question(files: Files) -> None:
    parts = _parts(_signature(files, judges=JudgeNames("lexical", "none", "none")))
    assert parts["support"].startswith("lexical@")
    assert (parts["nugget"], parts["sentence"]) == ("none", "none")
    mixed = {Kind.ANSWERS: "a@1", Kind.AGREES: "b@1", Kind.COVERS: "a@1"}
    assert (
        _parts(Signature("argue", ScoringOptions(), "n", mixed).line(["t"]))["nugget"] == "a@1+b@1"
    )


def test_texts_that_no_judge_sees_are_not_named(files: Files) -> None:
    parts = _parts(_signature(files, judgments=[files.judgments], judges=NOBODY))
    assert (parts["documents"], parts["requests"], parts["support"]) == ("none", "none", "none")


def test_form_and_order_of_the_qrels_file_do_not_matter_to_their_digest(files: Files) -> None:
    before = _signature(files, judges=NOBODY)
    value = json.loads(Path(files.qrels).read_text())
    Path(files.qrels).write_text(json.dumps(value, indent=4, sort_keys=True))
    assert _signature(files, judges=NOBODY) == before


def test_run_does_not_change_the_signature(files: Files) -> None:
    assert _signature(files, files.beta) == _signature(files, files.alpha)


def test_bars_and_spaces_in_a_judge_s_name_keep_the_parts_apart() -> None:
    judges = {Kind.SUPPORT: "my judge|v:9\n"}
    signature = Signature("argue", ScoringOptions(), "n", judges).line(["t"])
    assert _parts(signature)["support"] == "myjudge/v:9"
    assert _parts(signature)["v"] == __version__


def test_digest_tells_apart_what_is_divided_otherwise() -> None:
    digests = set()
    divisions = [("ab", "c"), ("a", "bc"), ("abc",), ("a", "b", "c"), ("", "abc")]
    for parts in divisions:
        digest = Digest()
        digest.add(*parts)
        digests.add(str(digest))
    assert len(digests) == len(divisions)


def test_equal_signatures_mean_equal_scores(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    run, qrels = str(root / "runs/careful.jsonl"), str(root / "qrels/example.json")
    documents, requests = str(root / "collection/example.jsonl"), str(root / "topics/example.jsonl")
    tables = [
        next(evaluate(Job([run], qrels, asked, given, judges=judges))).table
        for asked in (None, requests)
        for given in ([], [documents])
        for judges in (JudgeNames(), NOBODY)
    ]
    for one, other in combinations(tables, 2):
        assert (one.signature != other.signature) or (one.rows == other.rows)
