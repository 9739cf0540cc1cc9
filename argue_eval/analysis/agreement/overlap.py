"""What truth and judges have in common; where that is nothing, why, and what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from argue_eval.analysis.agreement.matching import Matched
from argue_eval.analysis.agreement.reading import Files, Judge, Key
from argue_eval.analysis.agreement.truth import Material
from argue_eval.errors import Finding, InputError, shorten
from argue_eval.records import Kind

_BY_DOCUMENT = (Kind.SUPPORT, Kind.RELEVANT)
_BY_NUGGET = (Kind.ANSWERS, Kind.AGREES, Kind.COVERS)


def common_kinds(
    material: Material, wanted: Sequence[Kind], files: Files, notes: list[str]
) -> list[Kind]:
    """Returns the kinds that truth and some judge have, those that are wanted alone if any are.

    Args:
        notes: what only one side has is told here.

    Raises:
        InputError: there is none, or one that is wanted is missing.
    """
    right, found = _counts([material.truth]), _counts(material.judges)
    truth_file = (files.truth or files.judgments)[0]
    for kind in wanted:
        for counts, who, file in (
            (right, "the truth has", truth_file),
            (found, "the judges have", files.judgments[0]),
        ):
            if kind not in counts:
                message = f"{who} no judgments of the kind {kind.value!r}, but {_told(counts)}"
                raise InputError(Finding("no_such_kind", message, "name another --kind", file))
    if wanted:
        return list(wanted)
    common = [kind for kind in right if kind in found]
    if not common:
        message = f"no kind in common: the judges have {_told(found)}, the truth has {_told(right)}"
        hint = "are these the files to compare?"
        raise InputError(Finding("no_overlap", message, hint, files.judgments[0]))
    for counts, why in ((right, "no judge has any"), (found, "the truth has none")):
        alone = Counter({kind: counts[kind] for kind in counts if kind not in common})
        if alone:
            notes.append(f"not compared, since {why}: {_told(alone)}")
    return common


def _counts(judges: Iterable[Judge]) -> Counter[Kind]:
    total: Counter[Kind] = Counter()
    for judge in judges:
        for kind, answers in judge.answers.items():
            total[kind] += len(answers)
    return total


def _told(counts: Counter[Kind]) -> str:
    return ", ".join(f"{number} {kind.value}" for kind, number in counts.items()) or "none"


def check_overlap(
    material: Material, matches: Sequence[Matched], files: Files, notes: list[str]
) -> None:
    """Notes which judges have nothing in common with the truth.

    Raises:
        InputError: none has.
    """
    judges = {judge.name: judge for judge in material.judges}
    findings = [
        _why_nothing(each.kind, material.truth, judges[each.judge], files.judgments[0])
        for each in matches
        if not each.pairs
    ]
    if len(findings) == len(matches):
        raise InputError(findings)
    notes.extend(f"{each.message}; {each.hint}" for each in findings)


def _why_nothing(kind: Kind, truth: Judge, judge: Judge, file: str) -> Finding:
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
