"""Why two judges have no question in common, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from argue_eval.errors import Finding, shorten
from argue_eval.meta._reading import Judge, Key
from argue_eval.records import Kind

_BY_DOCUMENT = (Kind.SUPPORT, Kind.RELEVANT)
_BY_NUGGET = (Kind.ANSWERS, Kind.AGREES, Kind.COVERS)


def why_nothing(kind: Kind, truth: Judge, judge: Judge, file: str) -> Finding:
    """Returns why two judges have no question of a kind in common, and what to do.

    Args:
        file: where the judge's judgments are.
    """
    right, found = truth.answers.get(kind, {}), judge.answers.get(kind, {})
    cause, hint = _cause(kind, found, right)
    message = (
        f"no question of the kind {kind.value!r} in common: {len(found)} by {shorten(judge.name)}, "
        f"{len(right)} by the truth; {cause}"
    )
    return Finding("no_overlap", message, hint, file)


def _cause(kind: Kind, found: Iterable[Key], right: Iterable[Key]) -> tuple[str, str]:
    """Returns the likeliest cause, from the coarsest to the finest, and a hint."""
    both = list(found), list(right)
    topics = [{topic_id for topic_id, _, _ in keys} for keys in both]
    if topics[0].isdisjoint(topics[1]):
        return _differ("topics", *topics), "name the files of the same track"
    texts = [{place for _, place, _ in keys if isinstance(place, str)} for keys in both]
    runs = [{place[0] for _, place, _ in keys if isinstance(place, tuple)} for keys in both]
    if bool(texts[0]) != bool(texts[1]) and bool(runs[0]) != bool(runs[1]):
        sides = ("text", "place") if texts[0] else ("place", "text")
        cause = f"the judge names sentences by {sides[0]}, the truth by {sides[1]}"
        return cause, "give the runs that were judged: --run RUN"
    if runs[0] and runs[1] and runs[0].isdisjoint(runs[1]):
        return _differ("run ids", *runs), "are these the judgments of the same runs?"
    if texts[0] and texts[1] and texts[0].isdisjoint(texts[1]):
        hint = "are these the judgments of the same runs, in the same version?"
        return _differ("sentence texts", *texts), hint
    targets = [{str(target) for _, _, target in keys} for keys in both]
    if kind in (*_BY_DOCUMENT, *_BY_NUGGET) and targets[0].isdisjoint(targets[1]):
        what = "documents" if kind in _BY_DOCUMENT else "nuggets or answers"
        return _differ(what, *targets), "are these the judgments of the same runs and nuggets?"
    return "they judged different sentences", "were both asked about the same runs?"


def _differ(what: str, found: set[str], right: set[str]) -> str:
    return f"their {what} differ, such as {shorten(min(found))} and {shorten(min(right))}"
