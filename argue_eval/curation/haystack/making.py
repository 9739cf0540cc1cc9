"""A haystack for each topic, from its subtopics to its checked documents.

Source: "Summary of a Haystack" (EMNLP 2024), section 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argue_eval.curation.haystack import documents, plans
from argue_eval.curation.haystack.plans import Plan, open_plans
from argue_eval.curation.haystack.records import FEWEST_INSIGHTS, Haystack, Shape
from argue_eval.curation.model import Model, Progress
from argue_eval.errors import Finding, InputError, shorten, some
from argue_eval.judges.model import request_lines
from argue_eval.records import Document, ReportRequest

ROUNDS = 3
"""How often it is asked for what is missing."""

_CHECKS = ("haystack/overlaps", "haystack/sort", "dedupe", "haystack/check")
_NO_IDEAS: Mapping[str, Sequence[Document]] = {}


def make(
    requests: Sequence[ReportRequest],
    model: Model,
    shape: Shape,
    ideas: Mapping[str, Sequence[Document]] = _NO_IDEAS,
    progress: Progress | None = None,
) -> list[Haystack]:
    """Makes a haystack for each topic; the model's tally has the calls that failed.

    A haystack that did not come about has no documents; its findings say why.

    Args:
        ideas: by topic, documents from which the model may take ideas.

    Raises:
        InputError: a topic has no text.
        UsageError: the documents have no room for the insights.
    """
    shape.check()
    blank = [each.topic_id for each in requests if not request_lines(each)]
    if blank:
        hint = "describe in its title or problem statement what the documents are about"
        raise InputError(Finding("blank_text", f"topic {some(blank)} has no text", hint))
    haystacks = [Haystack(each, ideas.get(each.topic_id, ())) for each in requests]
    _plan(haystacks, shape, model, progress)
    documents.write([each for each in haystacks if each.is_planned], shape, model, progress)
    making = [f"haystack/{name}" for name in ("subtopics", "insights", shape.domain, "repair")]
    made_by = [f"{name} {model.signature(name)}" for name in making]
    made_by += [f"{name} {model.checker.signature(name)}" for name in _CHECKS]
    for haystack in haystacks:
        haystack.made_by = made_by
        if haystack.documents:
            _leave_out_what_no_document_says(haystack)
        else:
            what = "no document is as it should be" if haystack.is_planned else "no insights"
            hint = "see the other reasons; run the same command again, or take another model"
            haystack.warn("haystack_not_made", f"no haystack was made: {what}", hint)
    return haystacks


def _leave_out_what_no_document_says(haystack: Haystack) -> None:
    """Leaves out insights that no document mentions, and subtopics that then have none."""
    said = haystack.uses
    hint = "raise --documents or --repairs, or draw other insights with another --seed"
    for insight in haystack.insights:
        if insight.insight_id not in said:
            message = f"no document mentions the insight {insight.insight_id}, which is left out"
            haystack.warn("insight_without_documents", message, hint)
    kept = [
        each._replace(insights=tuple(one for one in each.insights if one.insight_id in said))
        for each in haystack.subtopics
    ]
    haystack.subtopics = [each for each in kept if each.insights]


# --- subtopics and insights -----------------------------------------------------------------------


def _plan(
    haystacks: Sequence[Haystack], shape: Shape, model: Model, progress: Progress | None
) -> None:
    """Gives haystacks their subtopics and insights: asked for, checked, and asked for again.

    Subtopics overlap with none; insights differ from all others, name something, and belong to
    their subtopic.

    A haystack about which a call has no usable reply is not planned: whatever were written for it
    would have to be written again.
    """
    drafts = [Plan(haystack, shape) for haystack in haystacks]
    for _ in range(ROUNDS):
        plans.propose(drafts, model, progress)
        plans.remove_overlaps(drafts, model.checker, progress)
        if all(len(each.subtopics) == shape.num_subtopics for each in open_plans(drafts)):
            break
    for _ in range(ROUNDS):
        for place in range(shape.num_subtopics):
            plans.invent(drafts, place, model, progress)
        plans.sort(drafts, model.checker, progress)
        plans.remove_duplicates(drafts, model.checker, progress)
        if not any(
            each.missing(at) for each in open_plans(drafts) for at in range(len(each.subtopics))
        ):
            break
    for each in drafts:
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
