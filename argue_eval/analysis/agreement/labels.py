"""Agreement on relevance labels of documents: each figure by topic, then its mean over topics.

The definitions are those of the package autojudge-evaluate 1.1.0 (``qrel-evaluate``), so that its
figures and these are equal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from argue_eval.analysis.agreement import figures
from argue_eval.analysis.agreement.reading import Job
from argue_eval.analysis.bootstrap import Draws, Floats, figure, ratio
from argue_eval.analysis.results import LabelAgreement, TopicLabels
from argue_eval.errors import Finding, InputError, UsageError, count, some
from argue_eval.formats.labels import MAX_GRADE, Labels, read_labels


def grades(text: str) -> tuple[int, int]:
    """The lowest relevant grades of judge and truth, from ``GRADE`` or ``GRADE=TRUTH_GRADE``.

    Raises:
        UsageError: they are no grades.
    """
    mine, _, theirs = text.partition("=")
    try:
        found = int(mine), int(theirs or mine)
    except ValueError:
        found = 0, 0
    if not all(1 <= each <= MAX_GRADE for each in found):
        message = f"--relevant-from: expected a grade from 1 to {MAX_GRADE}, or GRADE=TRUTH_GRADE"
        raise UsageError(f"{message}; found {text!r}")
    return found


def compare_labels(judge_file: str, truth_file: str, job: Job, notes: list[str]) -> LabelAgreement:
    """Compares the relevance labels of two files.

    Args:
        job: how they are compared.
        notes: gets a note on what is left out, or assumed.

    Raises:
        InputError: a file has errors, or they have no document in common.
        MissingResourceError: a file does not exist.
    """
    relevant_from = grades(job.relevant_from)
    judge, truth = read_labels(judge_file), read_labels(truth_file)
    rows = list(_rows(truth, judge, job.unlabelled))
    if not rows:
        message = (
            f"no document in common: {count(len(judge), 'topic')} of the judge, such as "
            f"{some(list(judge), 2)}, and {count(len(truth), 'topic')} of the truth, such as "
            f"{some(list(truth), 2)}"
        )
        hint = "name the labels of the same track; --unlabelled 0 takes what one side lacks for 0"
        raise InputError(Finding("no_overlap", message, hint, judge_file))
    topic_ids = sorted({topic_id for topic_id, _, _ in rows})
    place = {topic_id: index for index, topic_id in enumerate(topic_ids)}
    topics = np.array([place[topic_id] for topic_id, _, _ in rows])
    graded = np.array([row[1:] for row in rows]).T
    most = int(graded[0].max()), int(graded[1].max())
    if most[0] != most[1]:
        notes.append(
            f"grades go up to {most[0]} in the truth and to {most[1]} in the judge's labels: "
            "kappa_linear and alpha_ordinal take them for one scale"
        )
    size = max(*most, *relevant_from) + 1
    counts = figures.confusion_by_topic(graded, topics, len(topic_ids), size)
    by_name = dict(_by_topic(counts, most, relevant_from))
    drawn = Draws(len(topic_ids), job.num_resamples if len(topic_ids) > 1 else 0)
    means = []
    for name, values in by_name.items():
        is_defined = ~np.isnan(values)
        sums = drawn.sums(np.stack([np.where(is_defined, values, 0.0), is_defined], axis=1))
        reason = "it is undefined in every topic"
        means.append(
            figure(name, ratio(sums[:, 0], sums[:, 1]), np.flatnonzero(is_defined), reason)
        )
    number = np.bincount(topics)
    return LabelAgreement(
        num=len(rows),
        only_truth=_num_alone(truth, judge),
        only_judge=_num_alone(judge, truth),
        figures=tuple(means),
        topics=tuple(
            TopicLabels(
                topic_id,
                int(number[at]),
                {
                    name: None if np.isnan(values[at]) else float(values[at])
                    for name, values in by_name.items()
                },
            )
            for at, topic_id in enumerate(topic_ids)
        ),
    )


def _rows(truth: Labels, judge: Labels, unlabelled: int | None) -> Iterator[tuple[str, int, int]]:
    """Yields topic and both grades of every document that is compared."""
    for topic_id in dict.fromkeys([*truth, *judge]):
        right, found = truth.get(topic_id, {}), judge.get(topic_id, {})
        for doc_id in dict.fromkeys([*right, *found]):
            if unlabelled is not None:
                yield topic_id, right.get(doc_id, unlabelled), found.get(doc_id, unlabelled)
            elif doc_id in right and doc_id in found:
                yield topic_id, right[doc_id], found[doc_id]


def _num_alone(one: Labels, other: Labels) -> int:
    return sum(len(labels.keys() - other.get(topic, {}).keys()) for topic, labels in one.items())


def _by_topic(
    counts: Floats, most: tuple[int, int], relevant_from: tuple[int, int]
) -> Iterator[tuple[str, Floats]]:
    """Yields every figure with its value in each topic.

    Args:
        counts: (topics, grades of the truth, grades of the judge).
        most: the greatest grade of the truth, and of the judge.
    """
    relevant = _binary(counts, relevant_from[1], relevant_from[0])
    only_judge, only_truth, both = (
        relevant[:, row, column] for row, column in ((0, 1), (1, 0), (1, 1))
    )
    has_any = both + only_judge + only_truth > 0
    for name, total in (
        ("precision", 2 * (both + only_judge)),
        ("recall", 2 * (both + only_truth)),
        ("f1", 2 * both + only_judge + only_truth),
    ):
        yield name, np.where(has_any, 2 * both / np.maximum(total, 1), np.nan)
    yield "jaccard", ratio(both, both + only_judge + only_truth)
    for of_truth in range(1, most[0] + 1):
        for of_judge in range(1, most[1] + 1):
            name = "kappa@1" if most == (1, 1) else f"kappa@{of_truth}v{of_judge}"
            yield name, _where_varied(figures.kappa, _binary(counts, of_truth, of_judge))
    yield "kappa_linear", _where_varied(figures.kappa_linear, counts)
    yield "alpha_ordinal", figures.alpha_ordinal(counts)
    yield "adjusted_rand", adjusted_rand(relevant)


def _binary(counts: Floats, of_truth: int, of_judge: int) -> Floats:
    """The counts of relevant documents and others: (topics, 2, 2)."""
    rows = np.stack([counts[:, :of_truth].sum(1), counts[:, of_truth:].sum(1)], axis=1)
    return np.stack([rows[..., :of_judge].sum(-1), rows[..., of_judge:].sum(-1)], axis=-1)


def _where_varied(compute: figures.Compute, counts: Floats) -> Floats:
    """A kappa; undefined where either side gives all documents one grade."""
    num_grades = [(counts.sum(axis) > 0).sum(-1) for axis in (-1, -2)]
    return np.where((num_grades[0] > 1) | (num_grades[1] > 1), compute(counts), np.nan)


def adjusted_rand(counts: Floats) -> Floats:
    """The adjusted Rand index of confusion counts; 1 if both sides group the documents alike."""
    rows, columns = counts.sum(-1), counts.sum(-2)
    squares = (counts**2).sum((-2, -1))
    apart_rows, apart_columns = (columns**2).sum(-1) - squares, (rows**2).sum(-1) - squares
    total = counts.sum((-2, -1))
    together = squares - total
    apart = total**2 - apart_rows - apart_columns - squares
    expected = (together + apart_columns) * (apart_columns + apart)
    expected = expected + (together + apart_rows) * (apart_rows + apart)
    found = ratio(2 * (together * apart - apart_rows * apart_columns), expected)
    return np.where((apart_rows == 0) & (apart_columns == 0), 1.0, found)
