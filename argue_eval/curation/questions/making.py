"""Questions for each category and domain: evolved from seeds, compared, and asked for again.

Source: Long2RAG (2024), section 3.1 and the prompts for evolving in appendix B.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.curation import dedupe
from argue_eval.curation.haystack.values import is_alike
from argue_eval.curation.model import Call, Kept, Model, Progress
from argue_eval.curation.questions.records import (
    WAYS,
    Evolved,
    Pair,
    QuestionOptions,
    Questions,
    Seed,
)
from argue_eval.curation.questions.seeds import assess, shown
from argue_eval.curation.texts import Listing, ReplyError, filler, rejections
from argue_eval.errors import count, some
from argue_eval.formats.jsonl import encode
from argue_eval.judges.model import Block, quoted
from argue_eval.records import ReportRequest

ROUNDS, MAX_ROUNDS = 3, 20
"""How often it is asked for what is missing; so often while that brings some of it."""

_STEPS = {way: f"questions/{way}" for way in WAYS}
_SAME = "questions/same"
_WORDS = 30
_TOKENS = 120
_REPLY_TOKENS = 512
_QUESTIONS = Listing("questions", question="string")
_DEFAULTS = QuestionOptions()


class _Turn(NamedTuple):
    """How many questions a seed is to become for a pair, in a way."""

    pair: Pair
    seed: Seed
    way: str
    number: int


def make(
    seeds: Sequence[ReportRequest],
    model: Model,
    options: QuestionOptions = _DEFAULTS,
    progress: Progress | None = None,
) -> Questions:
    """Makes questions of seeds; the model's tally has the calls that failed.

    Raises:
        InputError: a seed has no text.
        UsageError: a category or domain is named twice.
    """
    options.check()
    found = Questions(seeds=assess(seeds, options, model, progress))
    pairs = list(_pairs(found, options))
    uncompared: set[str] = set()
    num_questions = 0
    for number in range(MAX_ROUNDS):
        changed = _evolve(pairs, options, number, model, progress)
        uncompared -= {*changed}
        uncompared |= _leave_out_repeats(pairs, changed, model, progress)
        before, num_questions = num_questions, sum(len(pair.questions) for pair in pairs)
        is_stuck = not changed or (number + 1 >= ROUNDS and num_questions <= before)
        if is_stuck or num_questions == options.per_pair * len(pairs):
            break
    made_by = {way: f"{step} {model.signature(step)}" for way, step in _STEPS.items()}
    for pair in pairs:
        found.requests += pair.requests(made_by)
    _warn(found, pairs, options, uncompared)
    found.unanswered = list(model.tally.unanswered)
    return found


def _pairs(found: Questions, options: QuestionOptions) -> Iterator[Pair]:
    """Yields the pairs that have seeds. In each domain the turns begin with another seed."""
    for category in options.categories:
        seeds = [each for each in found.seeds if each.is_kept and each.category == category]
        ways = [
            (seed, WAYS[(place + shift) % len(WAYS)])
            for shift in range(len(WAYS))
            for place, seed in enumerate(seeds)
        ]
        for place, domain in enumerate(options.domains if seeds else ()):
            yield Pair(category, domain, ways, num_asked=place * options.per_pair)
        if not seeds:
            message = f"no seed of the category {category} is kept: no question of it is made"
            hint = "add seeds, lower --criteria, or name the categories that you want: --category"
            found.warn("no_seeds", message, hint)


# --- evolving -------------------------------------------------------------------------------------


def _evolve(
    pairs: Sequence[Pair],
    options: QuestionOptions,
    number: int,
    model: Model,
    progress: Progress | None,
) -> list[str]:
    """Asks for the questions that pairs lack; returns the domains that have new ones."""
    turns = [turn for pair in pairs if not pair.is_stuck for turn in _turns(pair, options)]
    replies = model.ask([_call(turn) for turn in turns], _read, progress)
    for turn in turns:
        turn.pair.is_stuck = True
    changed = {}
    for turn, found in zip(turns, replies, strict=True):
        if found is None:
            continue
        turn.pair.is_stuck = False
        changed[turn.pair.domain] = True
        seeds = dict.fromkeys(seed.text for seed, _ in turn.pair.ways)
        for value in found[: turn.number]:
            text = " ".join(value["question"].split())
            own = [pair.questions for pair in pairs if pair.domain == turn.pair.domain]
            others = [*seeds, *(each.text for questions in own for each in questions)]
            turn.pair.questions.append(Evolved(text, turn.seed, turn.way, number))
            same = next((each for each in others if is_alike(text, each)), None)
            if same is not None:
                turn.pair.reject(turn.pair.questions[-1], f"it repeats {quoted(same)}")
    return list(changed)


def _turns(pair: Pair, options: QuestionOptions) -> Iterator[_Turn]:
    number = options.per_pair - len(pair.questions)
    places = [(pair.num_asked + each) % len(pair.ways) for each in range(number)]
    pair.num_asked += number
    for place, times in Counter(places).items():
        yield _Turn(pair, *pair.ways[place], times)


def _call(turn: _Turn) -> Call:
    pair, number = turn.pair, turn.number
    known = [f"known: {quoted(each.text)}" for each in pair.questions]
    seed = f"seed: {quoted(turn.seed.text)}"
    lines = (seed, f"wanted: {number}", *known, *rejections(pair.rejected))
    tag = f"{pair.category}-{pair.domain}-{turn.seed.request.topic_id}-{turn.way}".replace(" ", "-")
    likely = [{"question": filler(_WORDS, f"{tag}{len(known)}n{at}w")} for at in range(number)]
    return Call(
        _STEPS[turn.way],
        about={"seed": turn.seed.request.topic_id, "category": pair.category,
               "domain": pair.domain},
        shared=(Block("kind", (shown(pair.category), f"domain: {quoted(pair.domain)}")),),
        own=Block("evolving", lines),
        max_tokens=_REPLY_TOKENS + _TOKENS * number,
        schema=_QUESTIONS.schema,
        likely=encode({"questions": likely}),
    )  # fmt: skip


def _read(call: Call, kept: Kept) -> list[dict[str, Any]]:
    found = _QUESTIONS.read(call, kept)
    if not found:
        raise ReplyError("the reply has no question")
    return found


# --- repeats --------------------------------------------------------------------------------------


def _leave_out_repeats(
    pairs: Sequence[Pair], domains: Sequence[str], model: Model, progress: Progress | None
) -> set[str]:
    """Leaves out the questions that ask what another of their domain asks.

    Returns:
        The domains whose questions could not be compared.
    """
    own: dict[str, list[tuple[Pair, Evolved]]] = {domain: [] for domain in domains}
    for pair in pairs:
        own.get(pair.domain, []).extend([(pair, each) for each in pair.questions])
    for members in own.values():
        members.sort(key=lambda member: member[1].round)  # of two, the older one stays
    singles = {
        domain: [dedupe.Group(each.text, (place,)) for place, (_, each) in enumerate(members)]
        for domain, members in own.items()
    }

    def comparison(domain: str, part: Sequence[dedupe.Group]) -> Call:
        members = own[domain]
        latest = members[-1][1].round
        is_old = [members[group.members[0]][1].round < latest for group in part]
        # In the worst case, a round brings one question, in one domain.
        return _comparison(domain, part, is_old if domain == domains[0] else ())

    groups, ungrouped = dedupe.groups_by_model(singles, comparison, model, progress)
    for domain, members in own.items():
        for group in groups[domain]:
            first, *others = group.members
            for place in others:
                pair, question = members[place]
                pair.reject(question, f"it repeats {quoted(members[first][1].text)}")
    return {*ungrouped}


def _comparison(domain: str, part: Sequence[dedupe.Group], is_old: Sequence[bool]) -> Call:
    """What asks which questions are one. In the worst case, all but the old ones are."""
    call = dedupe.grouping_call(_SAME, domain, ReportRequest(domain, title=domain), part)
    old = [[at] for at, is_known in enumerate(is_old, 1) if is_known]
    rest = [at for at in range(1, len(part) + 1) if [at] not in old]
    alike = [{"point": "-", "numbers": numbers} for numbers in (*old, rest) if numbers]
    return call._replace(about={"domain": domain}, worst=encode({"groups": alike}))


def _warn(
    found: Questions, pairs: Sequence[Pair], options: QuestionOptions, uncompared: set[str]
) -> None:
    """Says what is not as it was to be, and counts what was left out."""
    for pair in pairs:
        found.num_repeated += len(pair.rejected)
        if len(pair.questions) < options.per_pair:
            number = count(len(pair.questions), "question")
            message = f"{pair.category}, {pair.domain}: {number} of {options.per_pair:,} wanted"
            hint = "run the same command again if calls failed; otherwise add seeds of the category"
            found.warn("few_questions", message, hint)
    if uncompared:
        message = f"questions that may repeat each other, not compared: {some(sorted(uncompared))}"
        hint = "run the same command again, or look for repeated questions of these domains"
        found.warn("domain_not_compared", message, hint)
