"""Scores by a machine's judgments, corrected by the assessments of a few people.

People assess some topics completely, which corrects means over topics; sentences drawn at random,
which corrects ratios of sums over sentences; or questions, which corrects the shares of yes. It is
no matter who judged the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from argue_eval.analysis.assessment.questions import Said, correct_share, rates_of, shares_of
from argue_eval.analysis.assessment.reading import File, People, read_people
from argue_eval.analysis.assessment.units import families_of, means_of, ratios_of
from argue_eval.analysis.results import Calibration, CorrectedScore, Correction
from argue_eval.analysis.rogan_gladen import Rate
from argue_eval.analysis.significance import LEVEL
from argue_eval.analysis.systems import apart, check_scores
from argue_eval.errors import Finding, InputError, count, some
from argue_eval.formats.judgment_lines import Subject
from argue_eval.records import Judgment, Kind

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored

__all__ = ["People", "RunPart", "correct", "merge", "of_run", "read_people"]

FEW_TOPICS = 10


def correct(
    scores: Mapping[str, Scored],
    assessed: File | Sequence[File | Judgment],
    *,
    level: float = LEVEL,
) -> Correction:
    """Corrects scores by people's assessments, as ``argue-eval score --assessed`` does.

    Args:
        scores: what `argue_eval.score` returned, by a machine's judgments without the assessments.
        assessed: files of assessments (judgments, or sheets that are filled in), or records.
        level: intervals cover 1 - level.

    Raises:
        InputError: a file has errors, nothing of the runs is assessed, or the scores rest on the
            assessments themselves.
        MissingResourceError: there is no such file.
    """
    check_scores(scores)
    people = read_people(assessed, level=level)
    return merge([of_run(each, people) for each in scores.values()], people)


class RunPart(NamedTuple):
    """What one run adds to a correction.

    Attributes:
        scores: without what needs the questions of other runs.
        incomplete: topics with assessments that people did not complete.
        shares: by kind of question, the machine's share of yes.
        said: the questions that people answered too.
        about: of what people assessed, the subjects that are in the run.
    """

    scores: tuple[CorrectedScore, ...]
    incomplete: tuple[str, ...]
    shares: dict[Kind, Rate]
    said: tuple[Said, ...]
    about: frozenset[Subject]


def of_run(scores: Scored, people: People) -> RunPart:
    """Corrects the scores of one run, as far as it needs no others.

    Raises:
        InputError: the scores rest on the assessments themselves.
    """
    families = families_of(scores)
    means, incomplete = means_of(scores, people, families)
    rows = {each.measure: each for each in means}
    for each in ratios_of(scores, people, families) if incomplete else ():
        if each.measure not in rows or rows[each.measure].people.value is None:
            rows[each.measure] = each
    by_question, shares, said = shares_of(scores, people)
    reports = [each.report for each in scores.evidence if each.report is not None]
    about = frozenset(one for each in reports for one in people.judgments.subjects_in(each))
    return RunPart((*rows.values(), *by_question), incomplete, shares, said, about)


def merge(parts: Sequence[RunPart], people: People) -> Correction:
    """Joins what the runs add.

    Raises:
        InputError: nothing of any run is assessed.
    """
    said = list({each.name: each for part in parts for each in part.said}.values())
    if not said and all(each.people.num == 0 for part in parts for each in part.scores):
        topics = f"{count(len(people.chances), 'topic')}: {some(sorted(people.chances))}"
        message = (
            "no question that the scores rest on is assessed, and no topic completely; the "
            f"assessments are of {topics}"
        )
        hint = "are these assessments of these runs, and do they name sentences as the runs do?"
        raise InputError(Finding("nothing_assessed", message, hint, people.file))
    rates = rates_of(said)
    names = apart(part.scores[0].run_id if part.scores else "" for part in parts)
    scores = tuple(
        (
            correct_share(row, part.shares, rates, people.level) if row.unit == "question" else row
        )._replace(run_id=name)
        for name, part in zip(names, parts, strict=True)
        for row in part.scores
    )
    calibrations = []
    for kind, (sensitivity, specificity) in rates.items():
        answers = [each.people for each in said if each.kind is kind]
        calibrations.append(
            Calibration(
                kind,
                sensitivity.share if sensitivity else None,
                specificity.share if specificity else None,
                num_yes=answers.count(True),
                num_no=answers.count(False),
            )
        )
    notes = tuple(_notes(parts, scores, people))
    return Correction(
        tuple(people.judgments.judges), people.level, scores, tuple(calibrations), notes
    )


def _notes(
    parts: Sequence[RunPart], scores: Sequence[CorrectedScore], people: People
) -> Iterator[str]:
    if people.judgments.num_set_aside:
        yield (
            f"{count(people.judgments.num_set_aside, 'assessment')} set aside: of several people "
            "who answered one question, the first one counts"
        )
    judged, about = people.judgments, frozenset[Subject]().union(*(each.about for each in parts))
    others = judged.subjects.keys() - about
    if others:
        number = sum(len(judged.unpacked(judged.subjects[each])) for each in others)
        yield (
            f"{number:,} of {count(len(judged), 'assessment')} are about no sentence of these "
            "runs, and not used"
        )
    if people.is_partial and people.is_drawn:
        yield (
            "not all of a sheet is judged: the figures are right only if chance chose what is, and "
            "not, say, the order of the rows"
        )
    by_topic = [each for each in scores if each.unit == "topic"]
    if any(each.num_topics == each.num_units for each in by_topic):
        yield "where all topics are assessed, people's scores stand as they are"
    numbers = [each.num_topics for each in scores if each.ppi.value is not None]
    if numbers and min(numbers) < FEW_TOPICS:
        yield f"{min(numbers)} topics with assessments are few: intervals are rough"
    missing = sorted({topic_id for part in parts for topic_id in part.incomplete})
    if missing and not people.is_drawn:
        yield (
            f"not assessed completely: {some(missing)} (argue-eval score RUN QRELS --judgments "
            f"FILE --judge none says what is missing)"
        )
    by_question = [each for each in scores if each.unit == "question"]
    if not people.is_drawn and any(each.people.value is not None for each in by_question):
        yield "the assessed questions are taken for a random sample: no file says otherwise"
