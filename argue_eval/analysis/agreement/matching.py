"""Matches the answers of truth and judge to the same questions; if none match, explains why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from argue_eval.analysis.agreement.reading import Job, Judge, Key, Material, Reports, Said
from argue_eval.analysis.results import Counts
from argue_eval.errors import Finding, InputError, shorten
from argue_eval.records import Kind, Verdict

_RANKS = {Verdict.NO: 0, Verdict.CONTRADICTS: 1, Verdict.PARTIAL: 2, Verdict.YES: 3}
_BY_DOCUMENT = (Kind.SUPPORT, Kind.RELEVANT)
_BY_NUGGET = (Kind.ANSWERS, Kind.AGREES, Kind.COVERS)


class Pair(NamedTuple):
    """One question with both answers.

    Attributes:
        reports: (topic_id, run_id) of each report that it is about; empty if they are unknown.
        text: the sentence; None for a report, or where only its place is known.
        links: the bullet that each side names; None where it names none, or several.
        drawn: the probability with which it was drawn to be judged by the truth; 1 if unknown.
    """

    topic_id: str
    reports: tuple[tuple[str, str], ...]
    text: str | None
    truth: Verdict
    judge: Verdict
    prob: float | None
    links: tuple[int | None, int | None] = (None, None)
    drawn: float = 1.0


class Matched(NamedTuple):
    """All questions of a kind that both answered.

    Attributes:
        by_report: the questions are about nuggets in reports, not in sentences.
    """

    kind: Kind
    judge: str
    by_report: bool
    pairs: tuple[Pair, ...]
    counts: Counts


def match(kind: Kind, truth: Judge, judge: Judge, reports: Reports) -> Matched:
    """Matches the questions of a kind that both answered.

    If one side judges reports as a whole, the other side's verdict on a report is the best of its
    verdicts on the sentences.
    """
    if _are_about_reports(kind, (truth, judge)):
        return _by_report(kind, truth, judge, reports)
    right, found = (by_question(kind, each, reports) for each in (truth, judge))
    own = {key: prob for (each, key), prob in truth.drawn.items() if each is kind}
    drawn = {reports.named(kind, key): prob for key, prob in own.items()}
    pairs = [
        _pair(key, answer, found[key], reports, drawn.get(key, 1.0))
        for key, answer in right.items()
        if key in found
    ]
    num = len(pairs)
    counts = Counts(num, only_truth=len(right) - num, only_judge=len(found) - num)
    return Matched(kind, judge.name, by_report=False, pairs=tuple(pairs), counts=counts)


def verdicts(
    kind: Kind, judges: Sequence[Judge], reports: Reports
) -> list[dict[tuple[Any, ...], Verdict]]:
    """Each judge's verdicts by question: its topic comes first, and equal questions are equal."""
    if _are_about_reports(kind, judges):
        folded = [_folded(each.answers.get(kind, {}), reports)[0] for each in judges]
        return [{about: whole.verdict for about, whole in found.items()} for found in folded]
    named = [by_question(kind, each, reports) for each in judges]
    return [{key: said[0] for key, said in answers.items()} for answers in named]


def _are_about_reports(kind: Kind, judges: Iterable[Judge]) -> bool:
    """Whether some judge says of reports as a whole which nuggets they cover."""
    places = (place for each in judges for _, place, _ in each.answers.get(kind, {}))
    return kind is Kind.COVERS and any(type(at) is tuple and at[1] is None for at in places)


def by_question(kind: Kind, judge: Judge, reports: Reports) -> dict[Key, Said]:
    """A judge's answers to the questions of a kind, named alike whoever answered them."""
    answers = judge.answers.get(kind, {})
    return {reports.named(kind, key): answer for key, answer in answers.items()}


def _pair(key: Key, right: Said, found: Said, reports: Reports, drawn: float) -> Pair:
    topic_id, place, _ = key
    if isinstance(place, str):
        runs = reports.runs.get((topic_id, place), {}) if place else {}
        about, text = tuple((topic_id, run_id) for run_id in runs), place or None
    else:
        about, text = ((topic_id, place[0]),), reports.text(topic_id, place)
    truth, judge, prob = right[0], *found
    return Pair(topic_id, about, text, truth, judge, prob, drawn=drawn)


# --- reports as a whole ---------------------------------------------------------------------------

_Report = tuple[str, str, str]
"""Topic, run and nugget."""


class _Whole(NamedTuple):
    verdict: Verdict
    prob: float | None
    link: int | None


def _by_report(kind: Kind, truth: Judge, judge: Judge, reports: Reports) -> Matched:
    right, unsure = _folded(truth.answers.get(kind, {}), reports)
    found, unsure_too = _folded(judge.answers.get(kind, {}), reports)
    pairs = [
        Pair(
            about[0],
            reports=(about[:2],),
            text=None,
            truth=answer.verdict,
            judge=found[about].verdict,
            prob=found[about].prob,
            links=(answer.link, found[about].link),
            drawn=truth.drawn.get((kind, (about[0], (about[1], None), about[2])), 1.0),
        )
        for about, answer in right.items()
        if about in found
    ]
    incomplete = unsure | unsure_too
    only_truth = right.keys() - found.keys() - incomplete
    failed = {
        (topic_id, place[0], str(target))
        for topic_id, place, target in judge.failures
        if isinstance(place, tuple)
    }
    counts = Counts(
        matched=len(pairs),
        only_truth=len(only_truth),
        failed=len(failed & only_truth),
        only_judge=len(found.keys() - right.keys() - incomplete),
        incomplete=len(incomplete),
    )
    return Matched(kind, judge.name, by_report=True, pairs=tuple(pairs), counts=counts)


def _folded(
    answers: Mapping[Key, Said], reports: Reports
) -> tuple[dict[_Report, _Whole], set[_Report]]:
    """A judge's verdict on each nugget in each report, and those that it leaves open.

    A verdict is open if a sentence of the report is unjudged that could still improve it.
    """
    groups: dict[_Report, dict[int | None, Said]] = {}
    seen: dict[tuple[str, str], set[int]] = {}
    for (topic_id, place, nugget_id), answer in answers.items():
        places = reports.places(topic_id, place) if isinstance(place, str) else (place,)
        for run_id, index in places:
            groups.setdefault((topic_id, run_id, str(nugget_id)), {})[index] = answer
            if index is not None:
                seen.setdefault((topic_id, run_id), set()).add(index)
    found: dict[_Report, _Whole] = {}
    unsure: set[_Report] = set()
    for about, group in groups.items():
        placed = {index: said for index, said in group.items() if index is not None}
        if None in group:
            covering = [index for index, said in placed.items() if said[0].is_positive]
            link = covering[0] if len(covering) == 1 else None
            found[about] = _Whole(*group[None], link=link)
            continue
        verdict, prob, best = max(
            ((*said, index) for index, said in placed.items()),
            key=lambda each: (_RANKS[each[0]], -1.0 if each[1] is None else each[1], -each[2]),
        )
        expected = seen[about[:2]] | reports.bullets(*about[:2])
        if verdict is not Verdict.YES and expected - placed.keys():
            unsure.add(about)
        else:
            found[about] = _Whole(verdict, prob, link=best if verdict.is_positive else None)
    return found, unsure


# --- what truth and judges have in common ---------------------------------------------------------


def common_kinds(
    material: Material, wanted: Sequence[Kind], job: Job, notes: list[str]
) -> list[Kind]:
    """The kinds that truth and some judge have; only the wanted ones, if there are any.

    Args:
        notes: gets a note on kinds that only one side has.

    Raises:
        InputError: there is no such kind, or a wanted one is missing.
    """
    right, found = _counts([material.truth]), _counts(material.judges)
    truth_file = (job.truth or job.judgments)[0]
    for kind in wanted:
        for counts, who, file in (
            (right, "the truth has", truth_file),
            (found, "the judges have", job.judgments[0]),
        ):
            if kind not in counts:
                message = f"{who} no judgments of the kind {kind.value!r}, but {_listed(counts)}"
                raise InputError(Finding("no_such_kind", message, "name another --kind", file))
    if wanted:
        return list(wanted)
    common = [kind for kind in right if kind in found]
    if not common:
        message = (
            f"no kind in common: the judges have {_listed(found)}, the truth has {_listed(right)}"
        )
        hint = "are these the files to compare?"
        raise InputError(Finding("no_overlap", message, hint, job.judgments[0]))
    for counts, why in ((right, "no judge has any"), (found, "the truth has none")):
        alone = Counter({kind: counts[kind] for kind in counts if kind not in common})
        if alone:
            notes.append(f"not compared, since {why}: {_listed(alone)}")
    return common


def _counts(judges: Iterable[Judge]) -> Counter[Kind]:
    total: Counter[Kind] = Counter()
    for judge in judges:
        for kind, answers in judge.answers.items():
            total[kind] += len(answers)
    return total


def _listed(counts: Counter[Kind]) -> str:
    return ", ".join(f"{number:,} {kind.value}" for kind, number in counts.items()) or "none"


def check_overlap(
    material: Material, matches: Sequence[Matched], job: Job, notes: list[str]
) -> None:
    """Notes which judges have no question in common with the truth.

    Raises:
        InputError: none of them has any.
    """
    judges = {judge.name: judge for judge in material.judges}
    findings = []
    for each in matches:
        if not each.pairs:
            right = material.truth.answers.get(each.kind, {})
            found = judges[each.judge].answers.get(each.kind, {})
            cause, hint = _cause(each.kind, found, right)
            message = (
                f"no question of the kind {each.kind.value!r} in common: {len(found):,} by "
                f"{shorten(each.judge)}, {len(right):,} by the truth; {cause}"
            )
            findings.append(Finding("no_overlap", message, hint, job.judgments[0]))
    if len(findings) == len(matches):
        raise InputError(findings)
    notes.extend(f"{each.message}; {each.hint}" for each in findings)


def _cause(kind: Kind, found: Iterable[Key], right: Iterable[Key]) -> tuple[str, str]:
    """The likeliest cause, from the coarsest to the finest, and a hint."""
    both = list(found), list(right)
    topics = [{topic_id for topic_id, _, _ in keys} for keys in both]
    if topics[0].isdisjoint(topics[1]):
        return _differ("topics", *topics), "name the files of the same track"
    texts = [{place for _, place, _ in keys if isinstance(place, str)} for keys in both]
    runs = [{place[0] for _, place, _ in keys if isinstance(place, tuple)} for keys in both]
    if bool(texts[0]) != bool(texts[1]) and bool(runs[0]) != bool(runs[1]):
        sides = ("text", "place") if texts[0] else ("place", "text")
        cause = f"the judge names sentences by {sides[0]}, the truth by {sides[1]}"
        return cause, "name the runs that were judged: --run RUN"
    if runs[0] and runs[1] and runs[0].isdisjoint(runs[1]):
        return _differ("run ids", *runs), "are these the judgments of the same runs?"
    if texts[0] and texts[1] and texts[0].isdisjoint(texts[1]):
        hint = "are these the judgments of the same runs, in the same version?"
        return _differ("sentence texts", *texts), hint
    targets = [{str(target) for _, _, target in keys} for keys in both]
    if kind in (*_BY_DOCUMENT, *_BY_NUGGET) and targets[0].isdisjoint(targets[1]):
        what = "documents" if kind in _BY_DOCUMENT else "nuggets or answers"
        return _differ(what, *targets), "are these the judgments of the same runs and nuggets?"
    return "they judged different sentences", "are these the judgments of the same runs?"


def _differ(what: str, found: set[str], right: set[str]) -> str:
    return f"their {what} differ, such as {shorten(min(found))} and {shorten(min(right))}"
