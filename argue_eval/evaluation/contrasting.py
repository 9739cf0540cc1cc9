"""Asks a judge the probes and counts where it fails: ``meta-eval --contrast``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import UsageError
from argue_eval.evaluation import probes
from argue_eval.evaluation.asking import Engine, OpenReasons, Progress
from argue_eval.evaluation.inputs import JudgeNames, make_judges
from argue_eval.evaluation.pairs import PairsForecast, forecast_of, judgment_of, store_at
from argue_eval.evaluation.probes import CONTRASTS, Changes, Contrast, Count, Failure, Form, Pair
from argue_eval.judges import Judge, Settings, cascade
from argue_eval.judges.cascade import Judges
from argue_eval.records import Judgment, Kind, Question, Verdict

_TRIALS = tuple(Kind(name) for name in ("support", "answers", "covers"))
"""The kinds of question that probes are about."""


class _Asked(NamedTuple):
    """Whom to ask what: the judge, in all its draws, about pairs and forms."""

    draws: list[Judges]
    kinds: tuple[Kind, ...]
    pairs: list[Pair]
    forms: list[Form]
    questions: list[Question]


class _Said(NamedTuple):
    """What a judge said to a question: over several draws, what most of them say."""

    verdict: Verdict | None = None
    prob: float | None = None


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
    settings = settings or Settings()
    draws, asked, chosen, forms, questions = _asked(judge, kinds, settings)
    judged: list[list[Judgment | None]] = []
    with store_at(store) as opened:
        for each in draws:
            engine = Engine(each, opened, settings.limits, progress)
            engine.answer_all(questions)
            judged.append([judgment_of(engine, question, each) for question in questions])
            left = zip(questions, judged[-1], strict=True)
            open_ = [one for one, found in left if found is None]
            if reasons is not None:
                reasons.update(engine.open_reasons(open_))
            if opened is not None:
                opened.flush()
            if settings.limits.is_interrupted:
                raise KeyboardInterrupt
    said = {
        _key(question): _majority(answers)
        for question, *answers in zip(questions, *judged, strict=True)
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
        num_open=sum(each.verdict is None for each in said.values()),
        judgments=tuple(each for answers in judged for each in answers if each is not None),
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
    draws = _draws(judge, settings)
    name = judge if isinstance(judge, str) else judge.signature
    asked = _kinds(name, draws[0], kinds)
    chosen = [pair for pair in probes.pairs() if pair.right.kind in asked]
    forms = list(probes.forms([pair for pair in chosen if pair.is_held_out]))
    questions = [question for pair in chosen for question in (pair.right, pair.wrong)]
    questions += [form.formed for form in forms]
    # Sentences of one document are told apart by their place.
    numbered = [replace(each, sentence_index=at) for at, each in enumerate(questions)]
    return _Asked(draws, asked, chosen, forms, numbered)


def _draws(judge: str | Judge, settings: Settings) -> list[Judges]:
    """The judge by kind of question, made anew for each time that it is to be asked."""
    name = judge if isinstance(judge, str) else judge.signature
    own = {} if isinstance(judge, str) else {name: judge}
    drawn = [settings]
    if settings.repeat > 1:
        if own:
            raise UsageError("repeat: name the judge, so that one can be made for every draw")
        drawn = [replace(settings, repeat=1, draw=number) for number in range(settings.repeat)]
    names = JudgeNames(name, name, name, own)
    return [make_judges(names, (), each) for each in drawn]


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


def _majority(answers: Sequence[Judgment | None]) -> _Said:
    """What more than half of the draws say, with the share of yes as its probability."""
    said = [each for each in answers if each is not None]
    if len(answers) == 1:
        return _Said(said[0].verdict, said[0].prob) if said else _Said()
    votes = Counter(each.verdict for each in said)
    verdict, number = votes.most_common(1)[0] if votes else (None, 0)
    if 2 * number <= len(answers):
        return _Said()
    return _Said(verdict, votes[Verdict.YES] / len(said))


_AllSaid = Mapping[tuple[Kind, str, str, str, str], _Said]


def _counts(pairs: Sequence[Pair], said: _AllSaid) -> dict[str, Count]:
    """How a judge did by contrast; ``all`` is last."""
    counts: dict[str, list[Count]] = {name: [] for name in (*CONTRASTS, "all")}
    for pair in pairs:
        right, wrong = said[_key(pair.right)], said[_key(pair.wrong)]
        has_both = right.prob is not None and wrong.prob is not None
        counted = Count(
            num_pairs=1,
            num_right=(right.verdict is Verdict.YES) + (wrong.verdict not in (Verdict.YES, None)),
            num_ordered=int(has_both and (right.prob or 0.0) > (wrong.prob or 0.0)),
            num_compared=int(has_both),
            num_open=(right.verdict, wrong.verdict).count(None),
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
            found = said[_key(question)].verdict
            if found is not None and (found is Verdict.YES) != (expected == "yes"):
                yield Failure(
                    pair.contrast, pair.pair_id, question.kind, expected, found, question.text
                )


def _changes(forms: Sequence[Form], said: _AllSaid) -> dict[str, Changes]:
    """How often each form changed the verdict."""
    found: dict[str, Changes] = {}
    for form in forms:
        before, after = said[_key(form.plain)].verdict, said[_key(form.formed)].verdict
        is_open = before is None or after is None
        one = Changes(
            num_asked=1,
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
        before, after = said[_key(form.plain)].verdict, said[_key(form.formed)].verdict
        if before is None or after is None or before is after:
            continue
        is_yes, was_yes = after is Verdict.YES, before is Verdict.YES
        has_obeyed = is_yes != was_yes and is_yes == (form.wants == "yes")
        if not form.wants or has_obeyed:
            formed = form.formed
            yield Failure(form.name, form.pair_id, formed.kind, before.value, after, formed.text)
