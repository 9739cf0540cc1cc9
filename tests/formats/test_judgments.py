"""Judgments: canonical, and Auto-ARGUE's."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.errors import Finding, InputError
from argue_eval.formats.checking import Check
from argue_eval.formats.jsonl import Source, source
from argue_eval.formats.judgment_lines import BlockReader, Packer
from argue_eval.formats.judgments import canonical
from argue_eval.formats.judgments.canonical import KnownNuggets
from argue_eval.records import Answer, Judgment, Kind, Nugget, TopicNuggets, Verdict
from tests.formats import samples as s
from tests.formats.reading import Reading

TEXT = "The old bridge was rebuilt."
Q = "Which bridge was rebuilt?"
NUGGETS = [
    TopicNuggets(
        "t1",
        (
            Nugget("n1", Q, (Answer("the old one", ("d1",)), Answer("the new one", ("d2",)))),
            Nugget("n2", Q, (Answer("the stone one", ("d1",)),)),
        ),
    )
]


@pytest.mark.parametrize("kind", list(Kind))
def test_judgment_of_every_kind_is_read(reading: Reading, kind: Kind) -> None:
    place = {"run_id": "run", "sentence_index": 3}
    ids = {"doc_id": "d1", "nugget_id": "n1", "answer": "the old one"}
    used = {
        Kind.RELEVANT: ("doc_id",),
        Kind.SUPPORT: ("doc_id",),
        Kind.ANSWERS: ("nugget_id", "answer"),
        Kind.AGREES: ("nugget_id",),
        Kind.COVERS: ("nugget_id",),
    }.get(kind, ())
    named = {} if kind is Kind.RELEVANT else place
    target = {key: ids[key] for key in used}
    value = {"topic_id": "t1", "kind": kind.value, "verdict": "no", "judge": "A", **named, **target}
    (judgment,) = reading.judgments(value)
    index = 3 if named else None
    run_id = "run" if named else ""
    doc_id, nugget_id, answer = (target.get(key, "") for key in ids)
    place_and_target = (None, run_id, index, doc_id, nugget_id, answer)
    assert judgment == Judgment(kind, "t1", Verdict.NO, "A", *place_and_target)
    assert reading.warnings == []


def test_probability_and_rationale_are_read(reading: Reading) -> None:
    (judgment,) = reading.judgments(s.judgment(prob=1, rationale="It says so.", verdict="partial"))
    assert (judgment.prob, judgment.rationale) == (1.0, "It says so.")
    assert judgment.verdict is Verdict.PARTIAL


def test_judgment_of_a_blank_sentence_is_read_with_a_warning(reading: Reading) -> None:
    lines = [s.judgment(sentence=text) for text in ("", " ", "It stands.")]
    found = reading.judgments(*lines)
    assert [each.sentence for each in found] == ["", " ", "It stands."]
    (warning,) = reading.warnings
    assert (warning.code, "1 more" in warning.message) == ("blank_sentence", True)


def test_key_that_the_kind_does_not_use_is_left_out_with_a_warning(reading: Reading) -> None:
    (judgment,) = reading.judgments(s.judgment(kind="negative"))
    assert judgment.doc_id == ""
    assert reading.codes() == ["unused_key"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"topic_id": "t9"}, "unknown_topic"),
        ({"kind": "answers", "nugget_id": "n9", "answer": "x"}, "unknown_nugget"),
        ({"kind": "answers", "nugget_id": "n1", "answer": "x"}, "unknown_answer"),
    ],
)
def test_judgment_without_effect_is_warned_of_once(
    reading: Reading, change: s.Json, code: str
) -> None:
    value = s.judgment(**change)
    if "kind" in change:
        del value["doc_id"]
    assert len(reading.judgments(value, value, nuggets=NUGGETS)) == 2
    assert reading.codes() == [code]


KEYS = ["doc_id", "nugget_id", "answer", "sentence", "run_id", "sentence_index"]
NUMBERS = [0, 1, -1, True, 0.5, 1.5, float("nan")]
KINDS = [kind.value for kind in Kind]
WORDS = ["", " ", "yes", "no", "partial", *KINDS, "x", "x "]
ODD = st.sampled_from([..., None, *WORDS, *NUMBERS, [], {}, ["x"], {"x": 1}])


@given(
    st.dictionaries(st.sampled_from([*s.judgment(), *KEYS, "prob"]), ODD),
    st.booleans(),
)
def test_quick_way_agrees_with_the_thorough_one(changes: s.Json, is_spaced: bool) -> None:
    value = s.judgment(**changes)
    line = json.dumps(value, separators=None if is_spaced else (",", ":")) + "\n"
    quick = BlockReader(KnownNuggets([], Check(Source("judgments"))).is_known).read(line.encode())
    assert (Packer(lambda *_: True).pack(line.encode(), 0) is None) == (quick is None)
    if quick is not None:
        warnings: list[Finding] = []
        check = Check(Source("judgments"), warnings)
        assert list(canonical.read([value], check)) == quick
        assert check.errors == []
        assert warnings == []


GOOD = json.dumps(s.judgment())
COMPACT = json.dumps(s.judgment(), separators=(",", ":"))


@pytest.mark.parametrize("line", [GOOD, COMPACT])
def test_good_lines_are_read_the_quick_way(line: str) -> None:
    block = f"{line}\n{line}\n".encode()
    quick = BlockReader(lambda *_: True).read(block)
    assert quick is not None
    assert list(canonical.read([s.judgment()] * 2, Check(Source("x")))) == quick


@pytest.mark.parametrize("line", [GOOD, COMPACT])
@pytest.mark.parametrize(
    "change",
    [
        lambda line: line[:-1] + ', "judge": "x"}',
        lambda line: line[:-1] + ',"judge" :"x"}',
        lambda line: line[:-1] + ',"judge":"assessor:A1"}',
        lambda line: line[:-1] + ',"j\\u0075dge":"x"}',
        lambda line: line[:-1] + ',"rationale":"\\u003a","judge":"x"}',
        lambda line: line + line,
        lambda line: line.replace(":", ":\n", 1),
        lambda line: line.replace(":", ":\n", 1) + "\n" + line + line,
        lambda line: line + "\n\n" + line,
        lambda line: line[:-1],
        lambda line: "\ufeff" + line,
        lambda line: "",
    ],
)
def test_block_with_an_odd_line_is_left_to_the_thorough_way(
    line: str, change: Callable[[str], str]
) -> None:
    block = f"{line}\n{change(line)}\n{line}\n"
    assert BlockReader(lambda *_: True).read(block.encode()) is None
    assert Packer(lambda *_: True).pack(block.encode(), 0) is None


def test_errors_are_located_in_whatever_block_they_are(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "BLOCK_BYTES", 200)
    monkeypatch.setattr("argue_eval.formats.reading.SMALL_BYTES", 0)
    lines = [GOOD] * 9
    for place in (2, 7):
        lines[place] = GOOD[:-1] + ', "judge": "x"}'
    with pytest.raises(InputError) as caught:
        reading.judgments("\n".join(lines).encode())
    assert [(each.code, each.line) for each in caught.value.findings] == [
        ("duplicate_key", 3),
        ("duplicate_key", 8),
    ]


def _asked(kind: str, response: s.Json | None, doc_id: str | None = "d1") -> s.Json:
    provenance = {"doc_id": doc_id} if doc_id else None
    return {"judgment_type_id": kind, "response": response, "provenance": provenance}


def _matched(*answers: str) -> s.Json:
    return {"matched_nuggets": [{"question_text": Q, "matched_answer": list(answers)}]}


def _place(
    kind: Kind, verdict: Verdict, doc_id: str = "", nugget_id: str = "", answer: str = ""
) -> Judgment:
    named = (None, "run", 0)
    return Judgment(kind, "t1", verdict, "auto_argue", *named, doc_id, nugget_id, answer)


SUPPORT, MATCH = "SENTENCE_ATTESTED", "SENTENCE_ANSWERS_QUESTION"
FLAT = {"judgment_type_id": SUPPORT, "is_attested": True, "provenance": {"doc_id": "d1"}}
OLD = {"nugget_id": "n1", "answer": "the old one"}
NOT_STONE = _place(Kind.ANSWERS, Verdict.NO, nugget_id="n2", answer="the stone one")
PUBLISHED: dict[str, tuple[list[s.Json], list[Judgment]]] = {
    "support and relevance": (
        [
            _asked(SUPPORT, {"is_attested": False}),
            _asked("CITED_DOCUMENT_RELEVANCE", {"is_relevant": True}),
        ],
        [
            _place(Kind.SUPPORT, Verdict.NO, doc_id="d1"),
            Judgment(Kind.RELEVANT, "t1", Verdict.YES, "auto_argue", doc_id="d1"),
        ],
    ),
    "a match is a yes, and other answers of the document are a no": (
        [_asked(MATCH, _matched("the old one"))],
        [_place(Kind.ANSWERS, Verdict.YES, **OLD), NOT_STONE],
    ),
    "an answer that was not asked stays unjudged": ([], []),
    "a response may stand on the judgment itself": (
        [FLAT],
        [_place(Kind.SUPPORT, Verdict.YES, "d1")],
    ),
    "without provenance, it is about the one cited document": (
        [_asked(SUPPORT, {"is_attested": True}, None), _asked(MATCH, _matched(), None)],
        [
            _place(Kind.SUPPORT, Verdict.YES, "d1"),
            _place(Kind.ANSWERS, Verdict.NO, **OLD),
            NOT_STONE,
        ],
    ),
}


@pytest.mark.parametrize("what", PUBLISHED)
def test_published_judgments_are_read(reading: Reading, what: str) -> None:
    asked, expected = PUBLISHED[what]
    assert reading.judgments(s.evaluation(*asked), nuggets=NUGGETS) == expected


def test_failed_judgment_is_no_verdict(reading: Reading) -> None:
    found = reading.judgments(
        s.evaluation(
            _asked("SENTENCE_ATTESTED", None),
            _asked("SENTENCE_ATTESTED", {"is_attested": None}),
            _asked("SENTENCE_ANSWERS_QUESTION", {"matched_nuggets": None}),
        ),
        nuggets=NUGGETS,
    )
    assert found == []
    assert reading.codes() == ["no_verdict"]
    assert "2 more" in reading.warnings[0].message


def test_unknown_type_and_unknown_answer_are_warned_of_with_their_number(
    reading: Reading,
) -> None:
    reading.judgments(
        s.evaluation(
            _asked("STYLE", {}),
            _asked("STYLE", {}),
            _asked("SENTENCE_ANSWERS_QUESTION", _matched("nobody's")),
        ),
        nuggets=NUGGETS,
    )
    assert sorted(reading.codes()) == ["unknown_answer", "unknown_kind"]
    assert "1 more" in reading.warnings[0].message


def test_evaluation_names_its_model_as_the_judge(reading: Reading) -> None:
    asked = _asked("SENTENCE_ATTESTED", {"is_attested": True})
    (judgment,) = reading.judgments(s.evaluation(asked, model="m-1"))
    assert judgment.judge == "auto_argue:m-1"


def test_sentence_of_a_report_without_run_id_is_named_by_its_text(reading: Reading) -> None:
    value = s.evaluation(_asked("SENTENCE_ATTESTED", {"is_attested": True}))
    del value["report"]["metadata"]["run_id"]
    (judgment,) = reading.judgments(value)
    assert (judgment.sentence, judgment.run_id, judgment.sentence_index) == (TEXT, "", None)


def test_more_judged_sentences_than_texts_is_an_error_without_run_id(reading: Reading) -> None:
    value = s.evaluation()
    del value["report"]["metadata"]["run_id"]
    value["judgments"] *= 2
    with pytest.raises(InputError, match="not named"):
        reading.judgments(value)
