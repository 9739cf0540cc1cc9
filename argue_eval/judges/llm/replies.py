"""What a model's reply says, and what the replies to all calls say of a question. No guesses.

A reply is a JSON object, by itself or within other text. A verdict counts only if its key was asked
for, stands there once, and its value is one of the words of the scale.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from argue_eval.errors import shorten
from argue_eval.judges.llm.calls import Call
from argue_eval.judges.llm.prompts import squeezed
from argue_eval.records import Kind, Question, Reply, Verdict

VERSION = 2
"""Increase it with whatever makes the same reply count differently."""

EMPTY = "the reply was empty"
NO_OBJECT = "the reply holds no JSON object, or a broken one"
MISSING = "the reply does not answer this"
TWICE = "the reply answers this twice"
OFF_SCALE = "the reply is not on the scale"
MISCOUNTED = "the reply counts from 0"
REPEATED = "the reply repeats the prompt"
CANARY = "the reply gets a question with a known answer wrong (canary)"

_THOUGHTS = re.compile(r"\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
"""What a model writes before it replies. Anywhere else such a sign may be a quotation."""

_OPENING = re.compile(r'\{[ \t\r\n]*["}]')
_SPACE = " \t\r\n"
_MAX_OBJECTS = 200
_BEFORE = 40
"""A reply repeats the prompt if it has an object of it with so many characters before that."""


class Heard(NamedTuple):
    """What a model says in one call.

    Attributes:
        verdicts: by key.
        problems: by key, why there is no verdict; every key that was asked for is in one of both.
        raws: all that the model wrote, word for word, in order.
        num_attempts: how many calls of the model it took.
    """

    verdicts: Mapping[str, Verdict]
    problems: Mapping[str, str]
    raws: tuple[str, ...] = ()
    num_attempts: int = 1

    def completed_by(self, second: Heard) -> Heard:
        """What two turns say: the second one only where the first says nothing."""
        found = {key: second.verdicts[key] for key in self.problems if key in second.verdicts}
        return Heard(
            verdicts={**self.verdicts, **found},
            problems={key: why for key, why in self.problems.items() if key not in found},
            raws=(*self.raws, *second.raws),
            num_attempts=self.num_attempts + second.num_attempts,
        )

    @classmethod
    def nothing(
        cls, keys: Sequence[str], reason: str, raws: tuple[str, ...] = (), num_attempts: int = 1
    ) -> Heard:
        """No verdict at all, for one reason."""
        problems = dict.fromkeys(keys, reason)
        return cls(verdicts={}, problems=problems, raws=raws, num_attempts=num_attempts)


def schema_of(keys: Sequence[str], scale: Sequence[Verdict]) -> dict[str, Any]:
    """The JSON schema of a reply."""
    value = {"type": "string", "enum": [verdict.value for verdict in scale]}
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, value),
        "required": list(keys),
        "additionalProperties": False,
    }


def read(
    text: str,
    keys: Sequence[str],
    scale: Sequence[Verdict],
    num_attempts: int = 1,
    prompt: str = "",
) -> Heard:
    """What a reply says to each key that was asked for.

    Args:
        prompt: what the model was told, as `squeezed`: its examples are no verdicts.

    >>> heard = read('Here: {"1": "yes", "2": "perhaps"}', ["1", "2"], [Verdict.YES, Verdict.NO])
    >>> heard.verdicts["1"].value, heard.problems["2"]
    ('yes', "the reply is not on the scale: 'perhaps'")
    """
    thoughts = _THOUGHTS.match(text)
    said = text[thoughts.end() :] if thoughts else text
    objects = objects_in(said, _DECODER) or []
    # Failing an object with a key that was asked for, the first one, which answers nothing.
    answers = [each for each in objects if any(key in keys for key, _ in each.value)] or objects[:1]
    given: dict[str, list[Any]] = {}
    for key, value in [pair for each in answers for pair in each.value]:
        given.setdefault(key, []).append(value)
    reason = ""
    if not text.strip():
        reason = EMPTY
    elif not objects:
        reason = NO_OBJECT
    elif any(is_repeated(said, each, prompt, given.keys() == {*keys}) for each in answers):
        reason = REPEATED
    elif "0" in given and "0" not in keys:
        reason = MISCOUNTED
    if reason:
        return Heard.nothing(keys, reason, (text,), num_attempts)
    words = {verdict.value: verdict for verdict in scale}
    verdicts: dict[str, Verdict] = {}
    problems: dict[str, str] = {}
    for key in keys:
        values = given.get(key, [])
        if not values:
            problems[key] = MISSING
        elif len(values) > 1:
            problems[key] = TWICE
        elif isinstance(values[0], str) and (word := values[0].strip(_SPACE).lower()) in words:
            verdicts[key] = words[word]
        else:
            problems[key] = f"{OFF_SCALE}: {shorten(values[0])}"
    return Heard(verdicts=verdicts, problems=problems, raws=(text,), num_attempts=num_attempts)


class Found(NamedTuple):
    """A JSON object in a text, and where it stands."""

    start: int
    end: int
    value: Any


def objects_in(text: str, decoder: json.JSONDecoder) -> list[Found] | None:
    """The outermost JSON objects in a text; None if one is broken, or if they are very many."""
    found = []
    opening = _OPENING.search(text)
    while opening:
        start = opening.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
        found.append(Found(start, end, value))
        if len(found) > _MAX_OBJECTS:
            return None
        opening = _OPENING.search(text, end)
    return found


def is_repeated(text: str, found: Found, prompt: str, may_be_equal: bool = False) -> bool:
    """Is an object in a reply one of the prompt's own, by what stands before it in both?

    Args:
        prompt: what the model was told, as `squeezed`.
        may_be_equal: could the object be a reply, so that it counts where it stands alone?
    """
    before = squeezed(text[max(0, found.start - 10 * _BEFORE) : found.start])[-_BEFORE:]
    is_alone = len(before) < _BEFORE
    is_told = before + squeezed(text[found.start : found.end]) in prompt
    return is_told and not (is_alone and may_be_equal)


_DECODER = json.JSONDecoder(object_pairs_hook=list)
"""Keys and values in their order, so that a key which is there twice shows."""


# --- from calls to questions --------------------------------------------------------------------

_ANY_ORDER = (Verdict.YES, Verdict.PARTIAL, Verdict.CONTRADICTS, Verdict.NO)
_RANKS = {
    # A claim is new if no part of the report before it has made it.
    Kind.FIRST_INSTANCE: (Verdict.NO, Verdict.YES),
}
"""Where parts were judged: of two verdicts, the one that counts comes first."""


class _Said(NamedTuple):
    """What one call says of a question, of which it may see a part of the document or report."""

    repeat: int
    verdict: Verdict | None
    problem: str
    heard: Heard


def replies(
    questions: Sequence[Question],
    calls: Iterable[Call],
    heard: Iterable[tuple[Call, Heard]],
    repeat: int = 1,
) -> Iterator[Reply]:
    """Yields a reply to every question as soon as all calls about it are heard.

    Args:
        calls: all that are to be made.
        heard: what calls say, in any order; some may be missing.
        repeat: how often each call is made.
    """
    num_calls = Counter(
        place for call in calls for places in call.asked.values() for place in places
    )
    waiting: defaultdict[int, list[_Said]] = defaultdict(list)
    for call, said in heard:
        if any(said.verdicts.get(key) != right for key, right in call.known.items()):
            problems = {**dict.fromkeys(said.verdicts, CANARY), **said.problems}
            said = said._replace(verdicts={}, problems=problems)
        for key, places in call.asked.items():
            verdict, problem = said.verdicts.get(key), said.problems.get(key, "")
            for place in places:
                waiting[place].append(_Said(call.repeat, verdict, problem, said))
                if len(waiting[place]) == num_calls[place]:
                    yield _reply(place, questions[place].kind, waiting.pop(place), repeat)


def _reply(place: int, kind: Kind, parts: Sequence[_Said], num_rounds: int) -> Reply:
    ranks = _RANKS.get(kind, _ANY_ORDER)
    votes: Counter[Verdict] = Counter()
    reasons: list[str] = []
    for number in range(num_rounds):
        own = [part for part in parts if part.repeat == number]
        verdicts = [part.verdict for part in own if part.verdict]
        failed = [part.problem for part in own if not part.verdict]
        # A part without a verdict leaves a round open, unless another part decides it anyway.
        if failed and ranks[0] not in verdicts:
            reasons.append(failed[0])
        else:
            votes[min(verdicts, key=ranks.index)] += 1
    raws = [raw for part in parts for raw in part.heard.raws]
    raw = raws[0] if len(raws) == 1 else json.dumps(raws, ensure_ascii=False) if raws else None
    num_attempts = sum(part.heard.num_attempts for part in parts)
    found = Reply(index=place, raw=raw, num_attempts=num_attempts)
    verdict, number = votes.most_common(1)[0] if votes else (None, 0)
    if number * 2 > num_rounds:
        prob = round(votes[Verdict.YES] / votes.total(), 6) if num_rounds > 1 else None
        return found._replace(verdict=verdict, prob=prob)
    if num_rounds == 1:
        return found._replace(reason=reasons[0])
    shown = [f"{votes[verdict]} {verdict.value}" for verdict in _ANY_ORDER if verdict in votes]
    if reasons:
        shown.append(f"{len(reasons)} failed ({reasons[0]})")
    return found._replace(reason=f"no majority of {num_rounds} replies: {', '.join(shown)}")
