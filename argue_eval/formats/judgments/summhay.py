"""SummHay's haystacks with `eval_summaries`: for each insight its coverage and the bullet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import argue_eval.formats.summhay_files as summhay
from argue_eval.formats.checking import Check
from argue_eval.formats.judgments.canonical import KnownNuggets
from argue_eval.formats.judgments.summhay_labels import judgments_of, labels
from argue_eval.records import Judgment, TopicNuggets

JUDGE = "eval_summaries"
"""Who made them is not in the file; the repository's own script asks GPT-4o by default."""


def read(
    values: Iterable[Any], check: Check, nuggets: Sequence[TopicNuggets] = ()
) -> Iterator[Judgment]:
    """Yields for each label the judgment of the summary as a whole and, where one bullet is named,
    that of the bullet. Bullets count from 1 in the file.
    """
    known = KnownNuggets(nuggets, check)
    for _, subtopic in summhay.subtopics(values, check):
        topic_id = subtopic.identifier("subtopic_id")
        summaries = subtopic.rest.get("summaries")
        evaluations = subtopic.object("eval_summaries", required=False)
        if evaluations is None:
            continue
        for run_id in list(evaluations.rest):
            bullets = summaries.get(run_id) if type(summaries) is dict else None
            num_bullets = len(bullets) if type(bullets) is list else None
            found = labels(evaluations, run_id, num_bullets)
            yield from judgments_of(found, topic_id, run_id, JUDGE, known)
