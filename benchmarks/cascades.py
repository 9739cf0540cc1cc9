"""Cascades: what they save, and what that does to agreement with people.

SummHay's conversations: `lexical` answers where it is sure, and the labels of GPT-4o that the
paper's authors published stand for the second judge's answers. Limits are chosen without the
summaries that are then scored: see `Fold`. RAGTIME: a run is judged by a local server, with and
without a cheap judge before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import argue_eval as ae
from argue_eval.errors import UsageError
from argue_eval.evaluation import pipeline
from argue_eval.evaluation.asking import Engine
from argue_eval.evaluation.inputs import Job
from argue_eval.evaluation.judging import JudgeNames
from argue_eval.evaluation.walking import RunWalk, ask, plan_of
from argue_eval.formats.calibrations import JudgeCalibration, Thresholds, write_calibrations
from argue_eval.judges import Settings, Workload
from argue_eval.judges.calibration import applied
from argue_eval.judges.cascade import Judges, Stage
from argue_eval.judges.lexical.judge import COEFFICIENTS, LexicalJudge, create
from argue_eval.judges.limits import Limits
from argue_eval.judgments.index import Knowledge
from argue_eval.measures import select
from argue_eval.measures.protocols import NO_SENTENCE, Asking
from argue_eval.records import (
    Answer,
    Judgment,
    Kind,
    Nugget,
    Question,
    Reply,
    Report,
    Run,
    ScoringOptions,
    Sentence,
    Topic,
    Verdict,
)
from argue_eval.text.passages import num_tokens
from benchmarks import calibrate, labels, people
from benchmarks.measuring import DATA, REPOSITORY, is_at_hand, print_table, print_title, verdict
from benchmarks.people import Compared
from tests.chat_server import ChatServer
from tests.making import planned
from tests.oracle import oracle

AGREEMENTS = (0.8, 0.85, 0.875, 0.9, 0.925)
CHOSEN = 0.85
MOST_CALLS, LEAST_GAIN = 0.5, 0.0
"""With `CHOSEN`, so many of the second judge's calls may be left, and so much must the correlation
with people be above that of the second judge alone.
"""

INNER_FOLDS = 5
MEASURES = ["coverage"]
DEAR = "predictions_prompted_gpt-4o"

RUN, BANK = (DATA / "ragtime26" / f"{name}_run_1.jsonl" for name in ("T1", "T3"))
LIMITS = ((0.01, 0.99), (0.02, 0.9), (0.05, 0.8))
CERTAIN = 0.99
ATTESTATIONS = ("cited-document", "any-document")

_SCORES = {Verdict.YES: 1.0, Verdict.PARTIAL: 0.5, Verdict.NO: 0.0}
_VERDICTS = {score: verdict for verdict, score in _SCORES.items()}


class Label(NamedTuple):
    """What somebody says about an insight; the bullet counts from 0, None if none is named."""

    verdict: Verdict
    bullet: int | None


class Summary(NamedTuple):
    """One summary with its labels by insight: people's, and those of the second judge."""

    number: int
    report: Report
    nuggets: tuple[Nugget, ...]
    truth: Mapping[str, Label]
    dear: Mapping[str, Label]
    group: str
    subject: str

    @property
    def topic_id(self) -> str:
        """The summary's own: several are about one report request."""
        return self.report.topic_id


def main() -> None:
    """Measures and prints."""
    if not is_at_hand("cascades"):
        return
    summaries = list(read_summaries())
    for name, groups in (
        ("limits and weights fitted without the report request", [s.group for s in summaries]),
        ("limits and weights fitted to the other topic", [s.subject for s in summaries]),
    ):
        print_title(f"cascades: SummHay's conversations, {name}")
        _print_people(summaries, people.numbered(groups))
    print_title("cascades: RAGTIME 2026 run 1 against its bank, calls of a language model")
    _print_calls()


# --- SummHay ------------------------------------------------------------------------------------


def read_summaries() -> Iterator[Summary]:
    """Yields the annotated summaries with the labels of people and of the second judge."""
    published = {
        (each["subtopic_id"], each["summary_key"]): each
        for each in json.loads(labels.EVALUATORS.read_bytes())
    }
    for number, each in enumerate(json.loads(labels.SUMMARIES.read_bytes())):
        said = published[each["subtopic_id"], each["summary_key"]]
        topic_id = f"summary{number}"
        truth = {label["insight_id"]: _label(label, 0) for label in each["annotation"]}
        nuggets = (
            Nugget(insight["insight_id"], None, (Answer(insight["insight"]),))
            for insight in each["reference_insights"]
            if insight["insight_id"] in truth
        )
        sentences = tuple(Sentence(bullet) for bullet in each["summary"])
        yield Summary(
            number,
            Report(topic_id, "summaries", sentences),
            tuple(nuggets),
            truth,
            {label["insight_id"]: _label(label, 1) for label in said[DEAR]},
            each["subtopic_id"],
            each["topic"],
        )


def _label(label: Mapping[str, Any], first: int) -> Label:
    bullet = str(label["candidate_id" if first == 0 else "bullet_id"])
    said = _VERDICTS[labels.SCORES[label["coverage"]]]
    return Label(said, int(bullet) - first if bullet.isdecimal() else None)


class Replayed:
    """Answers as the published labels do. A call is about one insight of one summary.

    Attributes:
        calls: those that were made.
    """

    signature = "gpt-4o"
    kinds = frozenset({Kind.COVERS})
    joint: frozenset[Kind] = frozenset()

    def __init__(self, summaries: Iterable[Summary]) -> None:
        self._labels = {each.topic_id: each.dear for each in summaries}
        self.calls: set[tuple[str, str]] = set()

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields the label for the bullet that it names, and no for others."""
        for index, question in enumerate(questions):
            self.calls.add((question.topic_id, question.nugget_id))
            label = self._labels[question.topic_id][question.nugget_id]
            is_meant = label.bullet in (None, question.sentence_index)
            yield Reply(index, label.verdict if is_meant else Verdict.NO)

    def workload(self, questions: Sequence[Question]) -> Workload:
        """Nothing is asked."""
        return Workload()


class Fold(NamedTuple):
    """Summaries that are scored, and what was fitted to the others alone.

    Attributes:
        judge: the lexical judge, with weights that are fitted to the others.
        calibration: a file with limits for it. They are chosen from the probabilities that the
            others have when weights are fitted without them, in folds of their own. So no label of
            the scored summaries has a part in either.
    """

    scored: list[Summary]
    judge: LexicalJudge
    calibration: str


def folds_of(summaries: Sequence[Summary], numbers: Sequence[int], folder: str) -> Iterator[Fold]:
    """Yields a fold for each number."""
    groups = people.numbered([each.group for each in summaries])
    for number in sorted(set(numbers)):
        others = [at for at, each in enumerate(numbers) if each != number]
        judged: list[Judgment] = []
        for inner in range(INNER_FOLDS):
            held = [at for at in others if groups[at] % INNER_FOLDS == inner]
            judge = fitted(summaries, set(others) - set(held))
            judged += _judged([summaries[at] for at in held], judge)
        path = str(Path(folder, f"{number}.json"))
        ae.meta_eval(
            judged,
            [each for at in others for each in _truth(summaries[at])],
            runs=[Run("summaries", tuple(summaries[at].report for at in others))],
            truth_judges=["people"],
            num_resamples=0,
            calibrate=path,
        )
        scored = [each for each, fold in zip(summaries, numbers, strict=True) if fold == number]
        yield Fold(scored, fitted(summaries, set(others)), path)


def fitted(summaries: Sequence[Summary], kept: set[int]) -> LexicalJudge:
    """The lexical judge with weights that are fitted to the labels of some summaries."""
    names, bags, texts = _bags()
    at = [place for place, each in enumerate(summaries) for _ in each.nuggets]
    chosen = [bag for bag, place in zip(bags, at, strict=True) if place in kept]
    table = json.loads(COEFFICIENTS.read_bytes())
    row = calibrate.model(Kind.COVERS, names, calibrate.FIT[Kind.COVERS](chosen))
    table["models"][Kind.COVERS.value] = row
    return LexicalJudge(texts, json.dumps(table).encode())


@cache
def _bags() -> tuple[list[str], list[calibrate.Bag], tuple[str, ...]]:
    labelled = labels.coverage()
    return *calibrate.bags(Kind.COVERS, {"": labelled}), labelled.texts


def _judged(summaries: Iterable[Summary], judge: LexicalJudge) -> Iterator[Judgment]:
    """Yields what the judge says of every bullet, under a name for which it can be calibrated."""
    for each in summaries:
        asking = Asking(Topic(each.topic_id, each.nuggets), each.report)
        questions = [
            asking.question(Kind.COVERS, place, nugget_id=nugget.nugget_id)
            for nugget in each.nuggets
            for place in range(len(each.report.sentences))
        ]
        for reply in judge.answer(questions):
            said = reply.verdict or Verdict.NO
            yield _judgment(questions[reply.index], said, judge.version, reply.prob)


def _truth(summary: Summary) -> Iterator[Judgment]:
    """Yields what people say of the summary as a whole."""
    asking = Asking(Topic(summary.topic_id, summary.nuggets), summary.report)
    for nugget_id, label in summary.truth.items():
        question = asking.question(Kind.COVERS, NO_SENTENCE, nugget_id=nugget_id)
        yield _judgment(question, label.verdict, "people", None)


def _judgment(question: Question, said: Verdict, judge: str, prob: float | None) -> Judgment:
    place = question.sentence_index
    return Judgment(
        kind=question.kind,
        topic_id=question.topic_id,
        verdict=said,
        judge=judge,
        run_id=question.run_id,
        sentence_index=None if place < 0 else place,
        nugget_id=question.nugget_id,
        prob=prob,
    )


class Scored(NamedTuple):
    """What judges say beside people, and how often the second judge was called."""

    compared: Compared
    num_calls: int


def scored(summaries: Iterable[tuple[Summary, Judges]], dear: Replayed) -> Scored:
    """Has summaries judged, each by its own judges, as the package does."""
    dear.calls.clear()
    plan = plan_of(Job(runs=(), nuggets=()), select(MEASURES, "summhay"))
    rows = []
    for summary, judges in summaries:
        engine = Engine(judges)
        topic = planned(plan, Topic(summary.topic_id, summary.nuggets))
        reports, known = {summary.topic_id: summary.report}, Knowledge([engine.judged])
        (walk,) = RunWalk.side_by_side([topic], [reports], known)
        ask([walk], engine.answer)
        (evidence,) = walk.evidence
        for grade in evidence.outcomes["summhay"]:
            truth = summary.truth[grade.unit_id]
            said = _SCORES[grade.verdict]
            bullet = grade.possible[0][1]
            is_both = truth.bullet is not None and truth.verdict.is_positive and said > 0
            is_link = float(bullet == truth.bullet) if is_both else np.nan
            rows.append((_SCORES[truth.verdict], said, said, said, is_link, summary.group))
    *columns, groups = zip(*rows, strict=True)
    found = [np.array(each, dtype=float) for each in (*columns, people.numbered(groups))]
    return Scored(Compared(*found), len(dear.calls))


def _print_people(summaries: Sequence[Summary], numbers: Sequence[int]) -> None:
    dear = Replayed(summaries)
    last = Stage("gpt-4o", dear)
    alone = scored([(each, {Kind.COVERS: (last,)}) for each in summaries], dear)
    rows = [_row("GPT-4o alone", alone, alone)]
    with TemporaryDirectory() as folder:
        folds = list(folds_of(summaries, numbers, folder))
        cheap = {each.calibration: Stage("lexical", each.judge) for each in folds}
        for agreement in (None, *AGREEMENTS):
            judged: list[tuple[Summary, Judges]] = []
            for fold in folds:
                first = cheap[fold.calibration]
                judges: Judges = {Kind.COVERS: (first,)}
                if agreement is not None:
                    stages = {Kind.COVERS: (replace(first, must_be_sure=True), last)}
                    settings = Settings(calibrations=[fold.calibration], agreement=agreement)
                    try:
                        judges = applied(stages, settings)
                    except UsageError:
                        break  # it is not reached
                judged += [(each, judges) for each in fold.scored]
            if len(judged) < len(summaries):
                rows.append([f"cascade: agreement {agreement:g}", "not reached", *[""] * 6])
                continue
            judged.sort(key=lambda each: each[0].number)  # as those of GPT-4o alone
            name = f"cascade: agreement {agreement:g}" if agreement else "lexical alone"
            found = scored(judged, dear)
            rows.append(_row(name, found, alone))
            if agreement == CHOSEN:
                calls, gain = found.num_calls / alone.num_calls, _gain(found, alone)
    head = ["judge", "calls", "", "correlation", "95 %", "more", "95 %", "linking"]
    print_table(head, rows)
    print(
        f"agreement {CHOSEN:g}: {calls:.0%} of the calls, <= {MOST_CALLS:.0%}: "
        f"{verdict(calls <= MOST_CALLS)}; correlation {gain[0]:+.3f}, >= {LEAST_GAIN:+.3f}: "
        f"{verdict(gain[0] >= LEAST_GAIN)}\n"
    )


def _row(name: str, found: Scored, alone: Scored) -> list[str]:
    value = people.MEASURES["correlation of verdicts"]
    low, high = people.resampled(found.compared, value)
    gain, least, most = _gain(found, alone)
    return [
        name,
        f"{found.num_calls:,}",
        f"{found.num_calls / alone.num_calls:.0%}",
        f"{value(found.compared):.3f}",
        f"{low:.3f} to {high:.3f}",
        f"{gain:+.3f}",
        f"{least:+.3f} to {most:+.3f}",
        f"{people.linking(found.compared):.3f}",
    ]


def _gain(found: Scored, alone: Scored) -> tuple[float, float, float]:
    """How much higher the correlation with people is than that of the second judge, with the ends
    of its interval: both are resampled alike.
    """
    both = found.compared._replace(expected=alone.compared.said)

    def gain(compared: Compared) -> float:
        truth, said, of_dear = compared.truth, compared.said, compared.expected
        return people.pearson(truth, said) - people.pearson(truth, of_dear)

    return gain(both), *people.resampled(both, gain)


# --- RAGTIME ------------------------------------------------------------------------------------


class Spent(NamedTuple):
    """What a language model was asked about a run: as the server received it."""

    num_questions: int
    num_calls: int
    num_tokens: int


def _print_calls() -> None:
    with TemporaryDirectory() as folder, ChatServer(oracle) as server, server.environment():
        files = {f"no <= {no:g}, yes >= {yes:g}": _limits(folder, (no, yes)) for no, yes in LIMITS}
        chosen = {f"example track, agreement {CERTAIN:g}": _of_example(folder)}
        for attestation in ATTESTATIONS:
            options = ScoringOptions(attestation=attestation)
            job = Job([str(RUN)], str(BANK), measures=["nugget_recall"], options=options)
            alone = _spent(job, "llm:m", server)
            rows = [_spent_row("llm:m alone", alone, alone)]
            for name, file in {**files, **chosen}.items():
                agreement = CERTAIN if name in chosen else None
                settings = Settings(calibrations=[file], agreement=agreement)
                found = _spent(replace(job, settings=settings), "cascade:lexical,llm:m", server)
                rows.append(_spent_row(f"cascade: {name}", found, alone))
            print_table(
                [f"answers, {attestation}", "questions", "", "calls", "", "tokens", ""], rows
            )
            print()
    print(
        "limits are of lexical's probabilities; nobody has assessed these answers, so that nothing "
        "is said of agreement.\ntokens are those of the prompts, a quarter of the UTF-8 bytes"
    )


def _spent(job: Job, judge: str, server: ChatServer) -> Spent:
    server.received.clear()
    judges = JudgeNames("none", judge, "none")
    settings = replace(job.settings, limits=Limits())
    prepared = pipeline.prepare(replace(job, judges=judges, settings=settings), [])
    num_questions = sum(
        number
        for each in pipeline.judge(prepared)
        for (_, name, end), number in each.stage_asks.items()
        if end == "asked" and name.startswith("llm@")
    )
    messages = (each for request in server.received for each in request.body["messages"])
    tokens = sum(num_tokens(each["content"]) for each in messages)
    return Spent(num_questions, len(server.received), tokens)


def _spent_row(name: str, found: Spent, alone: Spent) -> list[str]:
    pairs = zip(found, alone, strict=True)
    return [name, *(cell for one, all_ in pairs for cell in (f"{one:,}", f"{one / all_:.1%}"))]


def _limits(folder: str, limits: tuple[float, float]) -> str:
    """A file that says where `lexical` is sure, and changes no probability."""
    path = str(Path(folder, f"{limits}.json"))
    made = JudgeCalibration(
        judge=create().version, kind=Kind.ANSWERS, num=1, num_yes=1, slope=1, intercept=0,
        thresholds=Thresholds(0.5), sure=limits,
    )  # fmt: skip
    write_calibrations(path, [made])
    return path


def _of_example(folder: str) -> str:
    """A file with limits of `lexical` for answers, from the assessor of the example track."""
    path = str(Path(folder, "answers.json"))
    judged = ae.judge(
        sorted(map(str, (REPOSITORY / "runs").glob("*.jsonl"))),
        str(REPOSITORY / "qrels" / "example.json"),
        collection=str(REPOSITORY / "collection" / "example.jsonl"),
    )
    truth = str(REPOSITORY / "qrels" / "example.judgments.jsonl")
    ae.meta_eval(judged, truth, kinds=["answers"], num_resamples=0, calibrate=path)
    return path
