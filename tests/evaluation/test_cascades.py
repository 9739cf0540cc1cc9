"""Who is asked what in a cascade, and whose answer is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from argue_eval.evaluation.asking import Engine
from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.walking import RunWalk, ask, plan_of
from argue_eval.judges import Judge, Settings, Workload
from argue_eval.judges.calibration import applied
from argue_eval.judges.cascade import Stage
from argue_eval.judgments.index import Knowledge
from argue_eval.measures import select
from argue_eval.records import (
    SENTENCE_KINDS,
    Answer,
    Kind,
    Nugget,
    Question,
    Reply,
    Report,
    Sentence,
    Topic,
    Verdict,
)
from tests import making

YES, NO = Verdict.YES, Verdict.NO
Said = tuple[Verdict | None, float | None]


class Scripted:
    """Says of each text what it was told to, and writes down what it is asked.

    Attributes:
        asked: for every time that it was asked, the kinds and texts of the questions.
    """

    def __init__(self, name: str, said: Mapping[str, Said], **more: object) -> None:
        self.signature = name
        self.kinds = frozenset(Kind)
        self.joint: frozenset[Kind] = frozenset()
        self.sure = dict.fromkeys(Kind, (0.1, 0.9))
        self.asked: list[list[tuple[Kind, str]]] = []
        self._said = said
        self.__dict__.update(more)

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        self.asked.append([(each.kind, each.text) for each in questions])
        for index, question in enumerate(questions):
            if question.text == f"breaks {self.signature}":
                raise RuntimeError("broken")
            verdict, prob = self._said.get(question.text, (NO, 0.5))
            yield Reply(index, verdict, prob, reason="" if verdict else "cannot tell")

    def knows(self, question: Question) -> bool:
        return True

    def workload(self, questions: Sequence[Question]) -> Workload:
        return Workload()


def engine(*judges: Judge, kinds: Sequence[Kind] = tuple(Kind)) -> Engine:
    """An engine with a cascade of these judges."""
    *before, last = judges
    stages = (
        *(Stage(each.signature, each, must_be_sure=True) for each in before),
        Stage(last.signature, last),
    )
    return Engine(applied(dict.fromkeys(kinds, stages), Settings()))


def negative(text: str, index: int = 0) -> Question:
    return Question(kind=Kind.NEGATIVE, topic_id="t", run_id="r", sentence_index=index, text=text)


def judged_by(made: Engine, question: Question) -> tuple[str, Verdict] | None:
    """Who answered a question, and what."""
    report = Report("t", "r", tuple(Sentence("") for _ in range(question.sentence_index + 1)))
    found = made.judged.about(report).text(question.text).get((question.kind, ""))
    return (found.judge, found.verdict) if found else None


@pytest.mark.parametrize(
    ("said", "by"),
    [
        ((NO, 0.1), ("cheap/sure", NO)),
        ((YES, 0.9), ("cheap/sure", YES)),
        ((NO, 0.11), ("dear", YES)),
        ((YES, 0.89), ("dear", YES)),
        ((YES, None), ("dear", YES)),
        ((None, None), ("dear", YES)),
    ],
)
def test_a_verdict_is_used_beyond_the_limits_only(said: Said, by: tuple[str, Verdict]) -> None:
    cheap, dear = Scripted("cheap", {"a": said}), Scripted("dear", {"a": (YES, None)})
    made = engine(cheap, dear)
    made.answer_all([negative("a")])
    assert judged_by(made, negative("a")) == by
    assert len(dear.asked) == (by[0] == "dear")


@pytest.mark.parametrize("text", ["a", "breaks dear"])
def test_what_nobody_is_sure_of_is_never_answered(text: str) -> None:
    cheap = Scripted("cheap", {text: (YES, 0.8)})
    made = engine(cheap, Scripted("dear", {"a": (None, None)}))
    made.answer_all([negative(text)])
    assert judged_by(made, negative(text)) is None
    ((_, judge, _),) = made.open_reasons([negative(text)])
    assert judge == "dear"
    assert made.num_asks["negative", "failed"] == 1


def test_a_judge_that_breaks_does_not_cost_the_next_one() -> None:
    dear = Scripted("dear", {})
    made = engine(Scripted("cheap", {}), dear)
    made.answer_all([negative("breaks cheap")])
    assert dear.asked == []
    ((_, judge, reason),) = made.open_reasons([negative("breaks cheap")])
    assert (judge, reason) == ("cheap/sure", "failed with RuntimeError: 'broken'")


def test_without_a_later_judge_for_the_kind_it_stays_open() -> None:
    dear = Scripted("dear", {}, kinds=frozenset({Kind.SUPPORT}))
    cheap = Stage("cheap", Scripted("cheap", {"a": (YES, 0.95)}), must_be_sure=True)
    made = Engine(applied({Kind.NEGATIVE: (cheap,), Kind.SUPPORT: (Stage("d", dear),)}, Settings()))
    made.answer_all([negative("a"), negative("b", 1)])
    assert judged_by(made, negative("a")) == ("cheap/sure", YES)
    assert judged_by(made, negative("b", 1)) is None
    ((_, _, reason),) = made.open_reasons([negative("b", 1)])
    assert "no later judge of the cascade answers this kind" in reason


def test_what_waits_for_the_next_judge_goes_on_waiting_while_others_are_asked() -> None:
    dear = Scripted("dear", {})
    made = engine(Scripted("cheap", {}), dear)
    first, second = negative("a"), negative("b", 1)
    assert set(made.answer([first])) == {first}
    assert set(made.answer([second])) == {first, second}
    assert set(made.answer([second])) == {first}
    assert set(made.answer([first])) == set()
    assert dear.asked == [[(Kind.NEGATIVE, "b")], [(Kind.NEGATIVE, "a")]]


def test_three_judges_are_asked_one_after_the_other_and_counted() -> None:
    said: dict[str, dict[str, Said]] = {
        "1": {"a": (YES, 0.95), "b": (NO, 0.5), "c": (NO, 0.5)},
        "2": {"b": (NO, 0.05), "c": (YES, 0.6)},
        "3": {"c": (NO, None)},
    }
    judges = [Scripted(name, each) for name, each in said.items()]
    made = engine(*judges)
    questions = [negative(text, place) for place, text in enumerate("abc")]
    made.answer_all(questions)
    assert [judged_by(made, each) for each in questions] == [
        ("1/sure", YES),
        ("2/sure", NO),
        ("3", NO),
    ]
    asked = [
        [made.stage_asks["negative", name, end] for end in ("asked", "unsure")] for name in said
    ]
    assert asked == [[3, 2], [2, 1], [1, 0]]
    assert made.num_asks["negative", "judged"] == made.num_asks["negative", "asked"] == 3


def test_the_next_judge_is_asked_only_what_still_decides_something() -> None:
    """Bullet `b` covers the claim for certain, so that the unsure bullet `a` does not matter."""
    cheap = Scripted("cheap", {"a": (NO, 0.5), "b": (YES, 0.99), "c": (NO, 0.5)})
    dear = Scripted("dear", {})
    claim = Nugget("n", None, (Answer("It burned."),))
    plan = plan_of(Job(runs=(), nuggets=()), select(["coverage"], "summhay"))
    made = engine(cheap, dear)
    topics = [making.planned(plan, Topic("t", (claim,)))]
    runs = [
        {"t": Report("t", run_id, tuple(map(Sentence, texts)))}
        for run_id, texts in (("r1", "ab"), ("r2", "c"))
    ]
    walks = RunWalk.side_by_side(topics, runs, Knowledge([made.judged]))
    ask(walks, made.answer)
    assert dear.asked == [[(Kind.COVERS, "c")]]
    grades = [walk.evidence[0].outcomes["summhay"][0].verdict for walk in walks]
    assert grades == [YES, NO]


def test_questions_for_one_judge_wait_for_those_that_may_still_come() -> None:
    """What goes to the dear judge at once is asked together with what the cheap one passes on."""
    cheap, dear = Scripted("cheap", {"a": (NO, 0.5)}), Scripted("dear", {})
    last = Stage("dear", dear)
    judges = {
        Kind.NEGATIVE: (Stage("cheap", cheap, must_be_sure=True), last),
        Kind.REQUIRES_CITATION: (last,),
    }
    made = Engine(applied(judges, Settings()))
    other = Question(
        kind=Kind.REQUIRES_CITATION, topic_id="t", run_id="r", sentence_index=1, text="b"
    )
    made.answer_all([negative("a"), other])
    assert [sorted(each) for each in dear.asked] == [
        [(Kind.NEGATIVE, "a"), (Kind.REQUIRES_CITATION, "b")]
    ]


def test_what_one_call_answers_goes_into_one_call_unless_a_cheap_judge_is_sure() -> None:
    together = frozenset(SENTENCE_KINDS)
    cheap = Scripted("cheap", {"a": (NO, 0.5), "b": (NO, 0.01)})
    dear = Scripted("dear", {}, joint=together)
    made = engine(cheap, dear, kinds=SENTENCE_KINDS)
    made.answer_all([negative("a"), negative("b", 1)])
    assert len(dear.asked) == 1
    assert set(dear.asked[0]) == {(kind, "a") for kind in together}
