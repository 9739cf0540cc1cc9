"""Subtopics of a topic and their insights: asked for, checked, and asked for again.

Source: "Summary of a Haystack" (EMNLP 2024), section 3.2. Subtopics overlap with none; insights
differ from all others, name something, and belong to their subtopic.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_eval.curation.haystack import insights, subtopics
from argue_eval.curation.haystack.plans import Plan, open_plans
from argue_eval.curation.haystack.records import FEWEST_INSIGHTS, Haystack, Shape
from argue_eval.curation.model import Model, Progress
from argue_eval.errors import shorten

ROUNDS = 3
"""How often it is asked for what is missing."""


def plan(
    haystacks: Sequence[Haystack], shape: Shape, model: Model, progress: Progress | None = None
) -> None:
    """Gives haystacks their subtopics and insights.

    A haystack about which a call has no usable reply is not planned: whatever were written for it
    would have to be written again.
    """
    plans = [Plan(haystack, shape) for haystack in haystacks]
    for _ in range(ROUNDS):
        subtopics.propose(plans, model, progress)
        subtopics.remove_overlaps(plans, model.checker, progress)
        if all(len(each.subtopics) == shape.num_subtopics for each in open_plans(plans)):
            break
    for _ in range(ROUNDS):
        for place in range(shape.num_subtopics):
            insights.invent(plans, place, model, progress)
        insights.sort(plans, model.checker, progress)
        insights.remove_duplicates(plans, model.checker, progress)
        if not any(
            each.missing(at) for each in open_plans(plans) for at in range(len(each.subtopics))
        ):
            break
    for each in plans:
        _finish(each)


def _finish(each: Plan) -> None:
    """Gives a haystack its subtopics that have insights, and says what it lacks."""
    haystack, shape = each.haystack, each.shape
    if not haystack.is_planned:
        return
    for place, subtopic in enumerate(each.subtopics):
        own = tuple(each.insights.get(place, ()))
        is_kept = len(own) >= min(FEWEST_INSIGHTS, shape.num_insights)
        if is_kept:
            haystack.subtopics.append(subtopic._replace(insights=own))
        if len(own) < shape.num_insights:
            message = f"the subtopic {shorten(subtopic.name)} has {len(own):,} insights of the"
            message += f" {shape.num_insights:,} wanted"
            message += "" if is_kept else ", and is left out"
            haystack.warn("few_insights", message, "ask for fewer insights, or another model")
    if len(haystack.subtopics) < shape.num_subtopics:
        haystack.is_planned = bool(haystack.subtopics)
        message = f"{len(haystack.subtopics):,} subtopics of the {shape.num_subtopics:,} wanted"
        hint = "ask for fewer subtopics, describe the topic more broadly, or take another model"
        haystack.warn("few_subtopics", message, hint)
