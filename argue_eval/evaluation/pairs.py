"""Puts questions to judges apart from any run: pairs of texts that people assessed, and probes.

With `Settings.repeat` a language model is asked the same so often. Each draw is a judge of its own,
whose answers the store keeps; what most draws say is what the judge says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argue_eval.errors import Finding, UsageError, unknown_name
from argue_eval.evaluation.asking import Engine, NumAsks, OpenReasons
from argue_eval.evaluation.judging import JudgeNames, make_judges
from argue_eval.formats.files import Files
from argue_eval.formats.pairs import AssessedPair, read_pairs
from argue_eval.formats.processes import Progress
from argue_eval.judges import Judge, Repeating, Settings, Workload, cascade
from argue_eval.judges.cascade import Judges
from argue_eval.judgments.content import content_of
from argue_eval.judgments.index import target_of
from argue_eval.records import Judgment, Kind, Question, Report, Verdict

if TYPE_CHECKING:
    from argue_eval.judgments.store import JudgmentStore

PEOPLE = "assessor:pairs"
"""The judge of the labels."""


class JudgedPairs(NamedTuple):
    """What people and judges say of the same pairs, for `argue_eval.meta_eval`.

    Verdicts that only the labels or only the judges give (partial, contradicts) are a no in both.

    Attributes:
        truth: of people, one per pair.
        judgments: of the judges, without the pairs that they left open.
        num_asks: questions by kind and end.
        open_reasons: why pairs were left open.
        notes: what was made a no.
        draws: of each judge that was asked several times (`Settings.repeat`), all that it said:
            each draw under a signature of its own. `judgments` has what most draws say.
    """

    truth: list[Judgment]
    judgments: list[Judgment]
    num_asks: NumAsks
    open_reasons: OpenReasons
    notes: tuple[str, ...] = ()
    draws: tuple[list[Judgment], ...] = ()


class PairsForecast(NamedTuple):
    """What it would take one judge to answer some pairs; in a cascade after the first, at most.

    Attributes:
        num_asks: distinct questions; equal texts are asked once.
        num_stored: of these, how many the store can answer.
        cost: the price of the rest; None if it is unknown.
    """

    judge: str
    num_pairs: int
    num_asks: int
    num_stored: int
    load: Workload
    cost: float | None


def judge_pairs(
    pairs: Files,
    judges: str | Judge | Sequence[str | Judge] = "lexical",
    *,
    kinds: Sequence[str] = (),
    store: str | Path | None = None,
    settings: Settings | None = None,
    warnings: list[Finding] | None = None,
    progress: Progress | None = None,
) -> JudgedPairs:
    """Has judges answer assessed pairs.

    Args:
        pairs: files of pairs; see docs/files.md.
        judges: their names, such as ``lexical`` or ``llm:MODEL``, or judges that you have made.
        kinds: only these kinds of question.
        store: a file that keeps what judges answer, so that nothing is asked twice.
        settings: how models are asked, and how the answers of judges are read.
        warnings: warnings are added to this.

    Raises:
        InputError: a file has errors; all of them are in its `findings`.
        UsageError: there is no such judge or kind, or an option makes no sense.
        MissingResourceError: a file, a model or an optional package is missing.
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    read, settings = _read(pairs, kinds, settings, warnings)
    num_asks, reasons = NumAsks(), OpenReasons()
    judged: list[Judgment] = []
    draws: list[list[Judgment]] = []
    questions = [each.question for each in read]
    with store_at(store) as opened:
        for by_kind, drawn in _judges(judges, read, settings):
            found = ask(drawn, questions, opened, settings, progress, num_asks, reasons)
            if len(drawn) > 1:
                draws.append([each for said in found for each in said if each is not None])
            for question, said in zip(questions, found, strict=True):
                name = cascade.signature_of(by_kind.get(question.kind, ()))
                most = majority(said)
                if most is not None:
                    judged.append(most._replace(judge=name))
                elif None not in said:  # every draw has an answer
                    kind = question.kind.value
                    num_asks.update({(kind, "asked"): 1, (kind, "failed"): 1})
                    reasons[kind, name, f"no majority of {len(said)} draws"] += 1
    truth = [judgment(each.question, each.verdict, PEOPLE) for each in read]
    notes = []
    for kind in dict.fromkeys(each.kind for each in truth):
        for verdict in (Verdict.PARTIAL, Verdict.CONTRADICTS):
            sides = [
                {each.verdict for each in side if each.kind is kind} for side in (truth, judged)
            ]
            if (verdict in sides[0]) != (verdict in sides[1]):
                who = "labels" if verdict in sides[0] else "judges"
                notes.append(f"{kind.value}: only the {who} say {verdict.value}; it counts as no")
                truth, judged = (_without(verdict, kind, side) for side in (truth, judged))
    return JudgedPairs(truth, judged, num_asks, reasons, tuple(notes), tuple(draws))


def forecast_pairs(
    pairs: Files,
    judges: Sequence[str | Judge],
    *,
    kinds: Sequence[str] = (),
    store: str | None = None,
    settings: Settings | None = None,
    warnings: list[Finding] | None = None,
) -> Iterator[PairsForecast]:
    """Yields what `judge_pairs` would take each judge. Asks nothing, and changes no store.

    Raises:
        InputError, UsageError, MissingResourceError: as `judge_pairs`.
    """
    read, settings = _read(pairs, kinds, settings, warnings)
    with store_at(store if store and Path(store).exists() else None) as opened:
        for by_kind, drawn in _judges(judges, read, settings):
            questions = [each.question for each in read if each.question.kind in by_kind]
            for each in drawn:
                yield from forecast_of(each, questions, opened, settings)


def forecast_of(
    judges: Judges, questions: Sequence[Question], store: JudgmentStore | None, settings: Settings
) -> Iterator[PairsForecast]:
    """Yields what it would take judges to answer some questions. Changes no store."""
    for stage in cascade.asked(judges).values():
        judge = stage.judge
        asks = {content_of(each, judge.signature).key: each for each in questions}
        left = list(asks.values())
        if store is not None:
            stored = store.find(left, judge.signature, notes_places=False)
            left = [each for each, known in zip(left, stored, strict=True) if not known]
        load = judge.workload(left)
        price = settings.prices.get(stage.name.partition(":")[2])
        cost = None if price is None else price.of(load.prompt_tokens, load.reply_tokens)
        num_stored = len(asks) - len(left)
        yield PairsForecast(judge.signature, len(questions), len(asks), num_stored, load, cost)


def _read(
    pairs: Files, kinds: Sequence[str], settings: Settings | None, warnings: list[Finding] | None
) -> tuple[list[AssessedPair], Settings]:
    """The pairs of some kinds, and the settings, under which judges say what contradicts if people
    do.
    """
    for kind in kinds:
        if kind not in list(Kind):
            raise unknown_name("kind", kind, [each.value for each in Kind])
    read = read_pairs(pairs, warnings)
    found = [each for each in read if not kinds or each.question.kind.value in kinds]
    if not found:
        has = ", ".join(dict.fromkeys(each.question.kind.value for each in read))
        raise UsageError(f"--kind {', '.join(kinds)}: the pairs are of the kind {has}")
    says_so = any(each.verdict is Verdict.CONTRADICTS for each in found)
    return found, replace(settings or Settings(), contradictions=says_so)


def store_at(path: str | Path | None) -> AbstractContextManager[JudgmentStore | None]:
    """The store at a path, opened; None without a path."""
    if path is None:
        return nullcontext()
    from argue_eval.judgments import file
    from argue_eval.judgments.store import opened

    file.check(str(path))
    return opened(str(path))


def _judges(
    judges: str | Judge | Sequence[str | Judge],
    read: Sequence[AssessedPair],
    settings: Settings,
) -> Iterator[tuple[Judges, list[Judges]]]:
    """Yields each judge by the kinds of the pairs that it answers, and the draws that are asked.

    It counts terms in the pairs' documents, questions and answers.
    """
    questions = [each.question for each in read]
    kinds = {each.kind for each in questions}
    texts = dict.fromkeys(
        text
        for each in questions
        for text in (
            [f"{each.document.title}\n{each.document.text}"]
            if each.document
            else [each.nugget_question or "", each.claim]
        )
    )
    if isinstance(judges, str) or not isinstance(judges, Sequence):
        judges = [judges]
    for given in judges:
        names = JudgeNames.of(given)
        name = names.support
        if name == "none":
            raise UsageError("the judge 'none' answers nothing: name another")
        for stage in names.stages(name):
            names.plugin(stage)
        made = make_judges(names, texts, settings)
        found = {kind: judge for kind, judge in made.items() if kind in kinds}
        if not found:
            wanted = ", ".join(sorted(each.value for each in kinds))
            raise UsageError(f"the judge {name!r} answers no questions of the kind {wanted}")
        yield found, draws_of(found, settings)


def _without(verdict: Verdict, kind: Kind, judgments: Sequence[Judgment]) -> list[Judgment]:
    """Judgments in which a verdict on a kind of question is a no."""
    return [
        each._replace(verdict=Verdict.NO) if (each.kind, each.verdict) == (kind, verdict) else each
        for each in judgments
    ]


# --- draws ---------------------------------------------------------------------------------------


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
