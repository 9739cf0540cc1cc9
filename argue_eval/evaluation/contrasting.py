"""Asks a judge the probes and counts where it fails: ``meta-eval --contrast``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import UsageError, option
from argue_eval.evaluation import probes
from argue_eval.evaluation.asking import NumAsks, OpenReasons
from argue_eval.evaluation.judging import JudgeNames, make_judges
from argue_eval.evaluation.pairs import (
    PairsForecast,
    ask,
    draws_of,
    forecast_of,
    majority,
    store_at,
)
from argue_eval.evaluation.probes import CONTRASTS, Changes, Contrast, Count, Failure, Form, Pair
from argue_eval.formats.processes import Progress
from argue_eval.judges import Judge, Settings, cascade
from argue_eval.judges.cascade import Judges
from argue_eval.records import Kind, Question, Verdict

_TRIALS = tuple(Kind(name) for name in ("support", "answers", "covers"))
"""The kinds of question that probes are about."""


class _Asked(NamedTuple):
    """Whom to ask what: the judge, in all its draws, about pairs and forms."""

    draws: list[Judges]
    kinds: tuple[Kind, ...]
    pairs: list[Pair]
    forms: list[Form]
    questions: list[Question]


def contrast(
    judge: str | Judge,
    *,
    kinds: Sequence[str] = (),
    store: str | Path | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    reasons: OpenReasons | None = None,
) -> Contrast:
    """Asks a judge the probes: minimal pairs, and questions in a form that changes no answer.

    Args:
        judge: ``lexical``, ``nli:MODEL``, ``llm:MODEL``, ``cascade:JUDGE,JUDGE``, a plug-in, or a
            judge that you have made.
        kinds: kinds of question: ``support``, ``answers``, ``covers``; by default all of these that
            the judge answers.
        store: a file that keeps what it says, so that nothing is asked twice.
        settings: how a model is asked. With `repeat`, that often, each time anew: the verdict is
            that of the majority, and `Contrast.judgments` has every draw's own.
        reasons: why questions have no answer is added to these.

    Raises:
        UsageError: the judge answers none of the kinds, or is unknown.
        MissingResourceError: a model, a device or an optional package is missing.
        KeyboardInterrupt: the user stopped a judge; what was judged is in the store.
    """
    settings = option("settings", settings, Settings)
    reasons = OpenReasons() if reasons is None else reasons
    draws, asked, chosen, forms, questions = _asked(judge, kinds, settings)
    with store_at(store) as opened:
        found = ask(draws, questions, opened, settings, progress, NumAsks(), reasons)
    most = [majority(answers) for answers in found]
    said: _AllSaid = {
        _key(question): (each.verdict, each.prob) if each else (None, None)
        for question, each in zip(questions, most, strict=True)
    }
    failures = [*_wrong(chosen, said), *_changed(forms, said)]
    return Contrast(
        judges=tuple(
            dict.fromkeys(cascade.signature_of(each[kind]) for each in draws for kind in asked)
        ),
        num_draws=len(draws),
        kinds=asked,
        pairs=_counts(chosen, said),
        held_out=_counts([pair for pair in chosen if pair.is_held_out], said),
        forms=_changes(forms, said),
        failures=tuple(failures),
        num_open=sum(verdict is None for verdict, _ in said.values()),
        judgments=tuple(each for answers in found for each in answers if each is not None),
    )


def forecast_contrast(
    judge: str, *, kinds: Sequence[str] = (), store: str | None = None, settings: Settings
) -> Iterator[PairsForecast]:
    """Yields what `contrast` would take the judge, draw by draw. Asks nothing, changes no store."""
    asked = _asked(judge, kinds, settings)
    with store_at(store if store and Path(store).exists() else None) as opened:
        for each in asked.draws:
            yield from forecast_of(each, asked.questions, opened, settings)


def _asked(judge: str | Judge, kinds: Sequence[str], settings: Settings) -> _Asked:
    names = JudgeNames.of(judge)
    made = make_judges(names, (), settings)
    asked = _kinds(names.support, made, kinds)
    draws = draws_of({kind: made[kind] for kind in asked}, settings)
    chosen = [pair for pair in probes.pairs() if pair.right.kind in asked]
    forms = list(probes.forms([pair for pair in chosen if pair.is_held_out]))
    questions = [question for pair in chosen for question in (pair.right, pair.wrong)]
    questions += [form.formed for form in forms]
    # Sentences of one document are told apart by their place.
    numbered = [replace(each, sentence_index=at) for at, each in enumerate(questions)]
    return _Asked(draws, asked, chosen, forms, numbered)


def _kinds(name: str, judges: Judges, wanted: Sequence[str]) -> tuple[Kind, ...]:
    able = [kind for kind in _TRIALS if kind in judges]
    unknown = sorted(set(wanted) - {kind.value for kind in able})
    if unknown or not able:
        known = ", ".join(kind.value for kind in able) or "none of the kinds that probes are about"
        asked = f", not {', '.join(unknown)}" if unknown else ""
        raise UsageError(f"the judge {name!r} answers {known}{asked}")
    return tuple(kind for kind in able if not wanted or kind.value in wanted)


def _key(question: Question) -> tuple[Kind, str, str, str, str]:
    return question.kind, question.topic_id, question.doc_id, question.nugget_id, question.text


_AllSaid = Mapping[
    tuple[Kind, str, str, str, str], tuple[Verdict, float | None] | tuple[None, None]
]
"""Each question's verdict and probability, by its key; None where there is none."""


def _counts(pairs: Sequence[Pair], said: _AllSaid) -> dict[str, Count]:
    """How a judge did by contrast; ``all`` is last."""
    counts: dict[str, list[Count]] = {name: [] for name in (*CONTRASTS, "all")}
    for pair in pairs:
        (right, prob), (wrong, other) = said[_key(pair.right)], said[_key(pair.wrong)]
        counted = Count(
            num_pairs=1,
            num_right=(right is Verdict.YES) + (wrong not in (Verdict.YES, None)),
            num_ordered=int(prob is not None and other is not None and prob > other),
            num_compared=int(None not in (prob, other)),
            num_open=(right, wrong).count(None),
        )
        counts[pair.contrast].append(counted)
        counts["all"].append(counted)
    return {
        name: Count(*map(sum, zip(Count(), *each, strict=True)))
        for name, each in counts.items()
        if each or name == "all"
    }


def _wrong(pairs: Sequence[Pair], said: _AllSaid) -> Iterator[Failure]:
    """Yields the sentences of pairs whose verdict is not right."""
    for pair in pairs:
        for question, expected in ((pair.right, "yes"), (pair.wrong, "not yes")):
            found, _ = said[_key(question)]
            if found is not None and (found is Verdict.YES) != (expected == "yes"):
                yield Failure(
                    pair.contrast, pair.pair_id, question.kind, expected, found, question.text
                )


def _changes(forms: Sequence[Form], said: _AllSaid) -> dict[str, Changes]:
    """How often each form changed the verdict."""
    found: dict[str, Changes] = {}
    for form in forms:
        (before, _), (after, _) = said[_key(form.plain)], said[_key(form.formed)]
        is_open = before is None or after is None
        one = Changes(
            num_asked=1,
            num_yes=int(before is Verdict.YES),
            num_same=int(not is_open and before is after),
            num_to_yes=int(not is_open and after is Verdict.YES is not before),
            num_from_yes=int(not is_open and before is Verdict.YES is not after),
            num_open=int(is_open),
        )
        sums = map(sum, zip(found.get(form.name, Changes()), one, strict=True))
        found[form.name] = Changes(*sums)
    return found


def _changed(forms: Sequence[Form], said: _AllSaid) -> Iterator[Failure]:
    """Yields the questions whose verdict changed with their form.

    Where a text orders the judge to answer something, it is a failure to do so.
    """
    for form in forms:
        (before, _), (after, _) = said[_key(form.plain)], said[_key(form.formed)]
        if before is None or after is None or before is after:
            continue
        is_yes, was_yes = after is Verdict.YES, before is Verdict.YES
        has_obeyed = is_yes != was_yes and is_yes == (form.wants == "yes")
        if not form.wants or has_obeyed:
            formed = form.formed
            yield Failure(form.name, form.pair_id, formed.kind, before.value, after, formed.text)
