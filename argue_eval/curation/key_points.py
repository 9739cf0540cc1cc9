"""Key points from documents in one go: extracted, deduplicated, filtered.

Source: Long2RAG (2024), section 3.3.
"""

from __future__ import annotations

from typing import NamedTuple

from argue_eval.curation.dedupe import Deduped, by_model
from argue_eval.curation.extract import Extracted, Pairs, extract
from argue_eval.curation.filter import THRESHOLD, Filtered, filter_points
from argue_eval.curation.model import Model, Progress


class KeyPoints(NamedTuple):
    """What each step made."""

    extracted: Extracted
    deduped: Deduped
    filtered: Filtered


def make(
    pairs: Pairs,
    model: Model,
    num_rounds: int = 1,
    threshold: float = THRESHOLD,
    progress: Progress | None = None,
) -> KeyPoints:
    """Makes the key points of questions from their documents.

    Args:
        num_rounds: the most rounds per document; it is done after a round that finds nothing new.
        threshold: the probability with which a kept claim is a key point, at least.
    """
    requests = {request.topic_id: request for request, _ in pairs}
    extracted = extract(pairs, model, num_rounds, progress)
    deduped = by_model(extracted.topics, requests, model, progress)
    filtered = filter_points(deduped.topics, requests, model, threshold, progress)
    return KeyPoints(extracted, deduped, filtered)
