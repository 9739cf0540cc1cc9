"""Judges that are asked questions apart from any run: once, or in several draws.

With `Settings.repeat` a language model is asked the same so often. Each draw is a judge of its own,
whose answers the store keeps; what most draws say is what the judge says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from argue_eval.evaluation.asking import Engine, NumAsks, OpenReasons
from argue_eval.formats.processes import Progress
from argue_eval.judges import Judge, Repeating, Settings, cascade
from argue_eval.judges.cascade import Judges
from argue_eval.judgments.index import target_of
from argue_eval.records import Judgment, Kind, Question, Report, Verdict

if TYPE_CHECKING:
    from argue_eval.judgments.store import JudgmentStore

_DECIMALS = 6


def draws_of(judges: Judges, settings: Settings) -> list[Judges]:
    """The judges of each draw: only these, if none of them asks the same several times.

    Also if their answers are read in another way: a calibration is for that of the majority.
    """
    if settings.calibrations or settings.leaves_unsure:
        return [judges]
    drawn = {
        signature: stage.judge.draws()
        for signature, stage in cascade.asked(judges).items()
        if isinstance(stage.judge, Repeating)
    }
    number = max(map(len, drawn.values()), default=1)
    if number == 1:
        return [judges]
    return [cascade.replaced(judges, partial(_draw, drawn, at)) for at in range(number)]


def _draw(drawn: Mapping[str, Sequence[Judge]], number: int, judge: Judge) -> Judge:
    return drawn[judge.signature][number] if judge.signature in drawn else judge


def ask(
    drawn: Sequence[Judges],
    questions: Sequence[Question],
    store: JudgmentStore | None,
    settings: Settings,
    progress: Progress | None,
    num_asks: NumAsks,
    reasons: OpenReasons,
) -> list[list[Judgment | None]]:
    """What each draw says to each question, one list per question; None where nothing.

    Args:
        num_asks: how the questions ended is added to these; `reasons`: why they have no answer.

    Raises:
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    found = []
    for judges in drawn:
        engine = Engine(judges, store, settings.limits, progress)
        engine.answer_all(questions)
        said = [_answer(engine, each, judges) for each in questions]
        open_ = [each for each, one in zip(questions, said, strict=True) if one is None]
        num_asks.update(engine.num_asks)
        reasons.update(engine.open_reasons(open_))
        found.append(said)
        if store is not None:
            store.flush()
        if settings.limits.is_interrupted:
            raise KeyboardInterrupt
    return [list(each) for each in zip(*found, strict=True)]


def majority(answers: Sequence[Judgment | None]) -> Judgment | None:
    """What more than half of the draws say, with the share of yes as its probability.

    Of a single draw, that one.
    """
    if len(answers) == 1:
        return answers[0]
    said = [each for each in answers if each is not None]
    votes = Counter(each.verdict for each in said)
    verdict, number = votes.most_common(1)[0] if votes else (Verdict.NO, 0)
    if 2 * number <= len(answers):
        return None
    prob = round(votes[Verdict.YES] / len(said), _DECIMALS)
    return said[0]._replace(verdict=verdict, prob=prob)


def judgment(
    question: Question, verdict: Verdict, judge: str, prob: float | None = None
) -> Judgment:
    """A verdict on a question as a judgment that names the sentence by its text."""
    return Judgment(
        kind=question.kind,
        topic_id=question.topic_id,
        verdict=verdict,
        judge=judge,
        sentence=question.text,
        doc_id=question.doc_id,
        nugget_id=question.nugget_id,
        answer=question.answer if question.kind is Kind.ANSWERS else "",
        prob=prob,
    )


def _answer(engine: Engine, question: Question, judges: Judges) -> Judgment | None:
    """What the judge says to a question, or the judges of a cascade as one; None if nothing."""
    known = engine.judged.about(Report(question.topic_id, question.run_id))
    found = known.text(question.text).get((question.kind, target_of(question)))
    if found is None:
        return None
    judge = cascade.signature_of(judges[question.kind])
    return judgment(question, found.verdict, judge, found.prob)
