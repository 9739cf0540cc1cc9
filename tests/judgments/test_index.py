"""Judgments are found by what was judged, whoever says it and however it is written."""

from __future__ import annotations

from typing import Any

import pytest

from argue_eval.judgments.index import JudgmentIndex, Knowledge
from argue_eval.measures.protocols import verdict_of
from argue_eval.records import Judgment, Kind, Report, Sentence, Verdict

YES, NO, PARTIAL = Verdict.YES, Verdict.NO, Verdict.PARTIAL
TEXT = "The mill burned in 1902."


def _report(*texts: str, topic_id: str = "t", run_id: str = "r") -> Report:
    return Report(topic_id, run_id, tuple(Sentence(text) for text in texts))


def _support(verdict: Verdict = YES, judge: str = "a", **place: Any) -> Judgment:
    where = {"sentence": TEXT, **place}
    return Judgment(Kind.SUPPORT, "t", verdict, judge, doc_id="d", **where)


def _found(index: JudgmentIndex | Knowledge, report: Report, number: int = 0) -> Verdict | None:
    return verdict_of(index.about(report).sentence(number), Kind.SUPPORT, "d")


PLACE: dict[str, Any] = {"sentence": None, "run_id": "r", "sentence_index": 1}
BOTH = [_support(YES), _support(NO, **PLACE)]
OTHER_RUN = _report("x", TEXT, run_id="s")
FOUND: dict[str, tuple[list[Judgment], Report, list[Verdict | None]]] = {
    "for every run that says the same": ([_support()], OTHER_RUN, [None, YES]),
    "whatever white space is around it": (
        [_support(sentence="Caf\u00e9 ")],
        _report(" Cafe\u0301\n"),
        [YES],
    ),
    "for no other topic": ([_support()], _report(TEXT, topic_id="u"), [None]),
    "for no other case": ([_support()], _report(TEXT.lower()), [None]),
    "for no other inner space": ([_support()], _report(TEXT.replace(" ", "  ")), [None]),
    "by run and place": ([_support(**PLACE)], _report("x", TEXT), [None, YES]),
    "by the place of no other run": ([_support(**PLACE)], OTHER_RUN, [None, None]),
    "by place before text": (BOTH, _report("x", TEXT), [None, NO]),
    "by text where the place is another's": (BOTH, OTHER_RUN, [None, YES]),
    "the later of one judge": ([_support(YES), _support(NO)], _report(TEXT), [NO]),
}


@pytest.mark.parametrize("which", FOUND)
def test_judgment_is_found(which: str) -> None:
    judgments, report, expected = FOUND[which]
    index = JudgmentIndex.of(judgments)
    assert [_found(index, report, number) for number in range(len(expected))] == expected
    assert index.num_set_aside == 0


def test_first_instance_holds_for_its_place_alone() -> None:
    where: dict[str, Any] = {"sentence": TEXT, "run_id": "r", "sentence_index": 1}
    index = JudgmentIndex.of([Judgment(Kind.FIRST_INSTANCE, "t", NO, "a", **where)])
    report = _report(TEXT, TEXT)
    known = index.about(report)
    found = [verdict_of(known.sentence(place), Kind.FIRST_INSTANCE) for place in (0, 1)]
    assert found == [None, NO]


def test_relevance_holds_for_the_topic() -> None:
    index = JudgmentIndex.of([Judgment(Kind.RELEVANT, "t", NO, "a", doc_id="d")])
    one, other = (_report("anything", topic_id=topic_id) for topic_id in ("t", "u"))
    assert verdict_of(index.about(one).sentence(0), Kind.RELEVANT, "d") is NO
    assert verdict_of(index.about(other).sentence(0), Kind.RELEVANT, "d") is None


def test_claim_may_be_graded_for_the_whole_report() -> None:
    whole = Judgment(Kind.COVERS, "t", PARTIAL, "a", run_id="r", nugget_id="n")
    index = JudgmentIndex.of([whole])
    one, other = (index.about(_report("x", run_id=run_id)) for run_id in ("r", "s"))
    assert verdict_of(one.whole(), Kind.COVERS, "n") is PARTIAL
    assert verdict_of(one.sentence(0), Kind.COVERS, "n") is None
    assert verdict_of(other.whole(), Kind.COVERS, "n") is None


@pytest.mark.parametrize("order", ["aab", "aba", "abab"])
def test_judge_who_came_first_is_used(order: str) -> None:
    verdicts = {"a": YES, "b": NO}
    index = JudgmentIndex.of([_support(verdicts[judge], judge) for judge in order])
    stored = index.about(_report(TEXT)).sentence(0).get((Kind.SUPPORT, "d"))
    assert stored is not None
    assert (stored.verdict, stored.judge) == (YES, "a")
    assert index.num_set_aside == order.count("b")
    assert (index.judges, len(index)) == ({"a": order.count("a"), "b": order.count("b")}, 1)


def test_first_judge_is_used_even_where_the_second_spoke_earlier() -> None:
    other = Judgment(Kind.NEGATIVE, "t", NO, "a", sentence="x")
    index = JudgmentIndex.of([other, _support(NO, "b"), _support(YES, "a")])
    assert _found(index, _report(TEXT)) is YES
    assert index.num_set_aside == 1


def test_probability_and_reason_are_kept() -> None:
    index = JudgmentIndex.of([_support()._replace(prob=0.8, rationale="says so")])
    stored = index.about(_report(TEXT)).sentence(0).get((Kind.SUPPORT, "d"))
    assert stored is not None
    assert (stored.prob, stored.rationale) == (0.8, "says so")


def test_questions_of_other_kinds_and_targets_stay_open() -> None:
    answer = Judgment(Kind.ANSWERS, "t", YES, "a", TEXT, nugget_id="n", answer="1902")
    view = JudgmentIndex.of([answer]).about(_report(TEXT)).sentence(0)
    assert verdict_of(view, Kind.ANSWERS, ("n", "1902")) is YES
    assert verdict_of(view, Kind.ANSWERS, ("n", "1903")) is None
    assert verdict_of(view, Kind.AGREES, "n") is None
    assert view.get((Kind.SUPPORT, "d")) is None


def test_first_index_that_knows_a_verdict_gives_it() -> None:
    upper, lower = JudgmentIndex.of([_support(NO)]), JudgmentIndex.of([_support(YES, "b")])
    report = _report(TEXT)
    assert _found(Knowledge([upper, lower]), report) is NO
    assert _found(Knowledge([lower, upper]), report) is YES
    assert _found(Knowledge([JudgmentIndex(), lower]), report) is YES
    assert _found(Knowledge([JudgmentIndex()]), report) is None
    whole = Judgment(Kind.COVERS, "t", YES, "a", run_id="r", nugget_id="n")
    knowledge = Knowledge([JudgmentIndex(), JudgmentIndex.of([whole])])
    assert verdict_of(knowledge.about(report).whole(), Kind.COVERS, "n") is YES


def test_judgments_that_are_added_later_are_seen() -> None:
    later = JudgmentIndex()
    knowledge = Knowledge([JudgmentIndex(), later])
    later.add(_support())
    assert _found(knowledge, _report(TEXT)) is YES
