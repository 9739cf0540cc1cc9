"""Which questions go into one call of a language model: as few calls as it can answer well.

Answers, claims and absence nuggets are asked per sentence, all in one call. The questions about
sentences without citation are asked per report. Support is asked per document, for the sentences
that cite it. Whatever would make a call too long is spread over several; nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from argue_eval.judges import NO_ANSWER, NO_DOCUMENT, NO_QUESTION, OTHER_KIND, Settings
from argue_eval.judges.model import Block, neutral, quoted, request_lines
from argue_eval.records import Kind, Question, Reply, Verdict
from argue_eval.text.passages import num_tokens, passages

MAX_TEXT_TOKENS = 2000
"""A question about a longer sentence, claim or request is not put."""

MAX_REPORT_TOKENS = 16_000
"""A question about a longer report as a whole, or about all that is before, is not put."""

_SURELY_SHORT = MAX_TEXT_TOKENS // 4
"""So many characters are fewer tokens than that even if each of them is written out."""

PASSAGE_TOKENS = 4000
OVERLAP_TOKENS = 200
LIST_TOKENS = 3000
CITING_TOKENS = 1500
MAX_ITEMS = 100
MAX_CITING = 20

LIMITS = (
    f"{MAX_TEXT_TOKENS}/{MAX_REPORT_TOKENS}/{PASSAGE_TOKENS}/{OVERLAP_TOKENS}/{LIST_TOKENS}/{CITING_TOKENS}/"
    f"{MAX_ITEMS}/{MAX_CITING}"
)
"""All of them, since each can change a verdict."""

TOGETHER = {
    Kind.NEGATIVE: "negative",
    Kind.REQUIRES_CITATION: "citation",
    Kind.FIRST_INSTANCE: "first",
}
"""The kinds of question that are asked together about a sentence, and their names in a prompt."""

_LISTS = {
    Kind.ANSWERS: ("answers", "nuggets"),
    Kind.COVERS: ("covers", "claims"),
    Kind.AGREES: ("agrees", "questions"),
}
KINDS = frozenset({Kind.SUPPORT, *TOGETHER, *_LISTS})


class Call(NamedTuple):
    """What is asked of a model in one prompt.

    Attributes:
        task: the name of its prompt.
        asked: by key of the reply, the places of the questions that it answers: several if they
            are equal, none if the question checks the model.
        known: by key of the reply, the right verdict on such a question.
        repeat: 0, 1, …: how often the same was asked before.
    """

    task: str
    shared: tuple[Block, ...]
    own: Block
    asked: Mapping[str, tuple[int, ...]]
    known: Mapping[str, Verdict] = {}
    repeat: int = 0

    @property
    def num_questions(self) -> int:
        """How many questions are asked, equal ones counted each."""
        return sum(len(places) or 1 for places in self.asked.values())


_Numbered = Sequence[tuple[int, str]]


def calls_of(questions: Sequence[Question], settings: Settings) -> tuple[list[Call], list[Reply]]:
    """The calls that answer questions, in the order to make them: equal beginnings together.

    Beside them a reply to every question that no call can answer: the reason.
    """
    is_single = settings.prompting == "single"
    known: dict[int, list[_Before]] = {}
    reasons = [
        _why_not(each, _before(each, known) if each.sentences else _NOTHING) for each in questions
    ]
    refusals = [Reply(index=index, reason=reason) for index, reason in enumerate(reasons) if reason]
    calls: list[Call] = []
    for make, kinds in (
        (_support_calls, [Kind.SUPPORT]),
        *[(_list_calls, [kind]) for kind in _LISTS],
        (_sentence_calls, TOGETHER),
    ):
        answerable = (index for index, reason in enumerate(reasons) if not reason)
        places = [index for index in answerable if questions[index].kind in kinds]
        if places:
            calls += sorted(make(questions, places, is_single), key=attrgetter("shared"))
    if settings.canary:
        calls = [_with_canary(call) for call in calls]
    rounds = range(settings.repeat)
    return [call._replace(repeat=each) for call in calls for each in rounds], refusals


class _Before(NamedTuple):
    """Of the sentences before one: the longest, and how many tokens all have together."""

    longest: str = ""
    num_tokens: int = 0


_NOTHING = _Before()


def _before(question: Question, known: dict[int, list[_Before]]) -> _Before:
    """What is before a sentence.

    Args:
        known: that of every sentence of a report, by the identity of its sentences.
    """
    sentences, number = question.sentences, question.num_earlier
    if not number:
        return _NOTHING
    found = known.get(id(sentences))
    if found is None:
        sizes = accumulate(map(num_tokens, sentences))
        longest: Iterator[str] = accumulate(
            sentences, lambda one, other: other if len(other) > len(one) else one
        )
        found = known[id(sentences)] = [_Before(*each) for each in zip(longest, sizes, strict=True)]
    return found[number - 1]


def _why_not(question: Question, before: _Before) -> str:
    kind, document = question.kind, question.document
    if kind not in KINDS:
        return OTHER_KIND
    if kind is Kind.SUPPORT and (document is None or not document.text.strip()):
        return NO_DOCUMENT
    if kind in (Kind.ANSWERS, Kind.COVERS) and not question.claim.strip():
        return NO_ANSWER
    if kind in (Kind.ANSWERS, Kind.AGREES) and not (question.nugget_question or "").strip():
        return NO_QUESTION
    texts = {
        "sentence": question.text,
        "nugget": f"{question.nugget_question or ''} {question.claim}",
        "title of the document": document.title if document else "",
        "report request": "".join(_request_of(question)) if kind is not Kind.SUPPORT else "",
        "longest sentence before it": before.longest,
    }
    for what, text in texts.items():
        is_report = kind is Kind.COVERS and what == "sentence"
        most = MAX_REPORT_TOKENS if is_report else MAX_TEXT_TOKENS
        if len(text) > _SURELY_SHORT and (size := num_tokens(quoted(text))) > most:
            return f"the {what} is too long: about {size:,} tokens, more than {most:,}"
    if (size := before.num_tokens) > (most := MAX_REPORT_TOKENS):
        return f"the report before it is too long: about {size:,} tokens, more than {most:,}"
    return ""


def _request_of(question: Question) -> tuple[str, ...]:
    return request_lines(question.request) if question.request else ("not given",)


def _support_calls(
    questions: Sequence[Question], places: Sequence[int], is_single: bool
) -> Iterator[Call]:
    groups: dict[tuple[str, str, str | None], list[tuple[int, str]]] = {}
    for index in places:
        document = questions[index].document
        if document is not None:
            key = (document.title, document.text, document.language)
            groups.setdefault(key, []).append((index, quoted(questions[index].text)))
    for (title, text, language), citing in groups.items():
        title_lines = [f"title: {quoted(title)}"] if title.strip() else []
        for passage in passages(neutral(text), PASSAGE_TOKENS, OVERLAP_TOKENS, language):
            shared = (Block("document", (*title_lines, f"text: {quoted(passage)}")),)
            for some in _bounded(citing, 1 if is_single else MAX_CITING, CITING_TOKENS):
                lines = tuple([f"{key}: {text}" for key, (_, text) in enumerate(some, 1)])
                asked = {str(key): (index,) for key, (index, _) in enumerate(some, 1)}
                own = Block("sentences", lines)
                yield Call(task="support", shared=shared, own=own, asked=asked)


def _list_calls(
    questions: Sequence[Question], places: Sequence[int], is_single: bool
) -> Iterator[Call]:
    groups: dict[tuple[Kind, str, tuple[str, ...], str], list[int]] = {}
    for index in places:
        each = questions[index]
        key = (each.kind, each.topic_id, _request_of(each), each.text)
        groups.setdefault(key, []).append(index)
    for (kind, _, request, sentence), members in groups.items():
        task, name = _LISTS[kind]
        own = Block("sentence", (f"sentence: {quoted(sentence)}",))
        # An answer shares its question with those before it.
        texts: list[tuple[int, str]] = []
        before: str | None = None
        for index in members:
            each = questions[index]
            is_new, before = each.nugget_question != before, each.nugget_question
            texts.append((index, f"{before or ''} {each.claim}" if is_new else each.claim))
        for some in _bounded(texts, 1 if is_single else MAX_ITEMS, LIST_TOKENS):
            lines = tuple(_list_lines([questions[index] for index, _ in some]))
            shared = (Block("request", request), Block(name, lines))
            asked = {str(key): (index,) for key, (index, _) in enumerate(some, 1)}
            yield Call(task=task, shared=shared, own=own, asked=asked)


def _list_lines(questions: Sequence[Question]) -> Iterator[str]:
    """Yields the lines of a list of nuggets: a question before its answers."""
    before: str | None = None
    for key, each in enumerate(questions, 1):
        if each.kind is Kind.ANSWERS and each.nugget_question != before:
            before = each.nugget_question
            yield f"question: {quoted(before or '')}"
        shown = each.nugget_question or "" if each.kind is Kind.AGREES else each.claim
        yield f"{key}: {quoted(shown)}"


@dataclass(slots=True)
class _Chain:
    """The sentences of a report up to one of them, or sentences of which no report is known.

    Attributes:
        request: the lines that show the report request.
        asked: by number of the sentence, from 1, the places of the questions about it.
    """

    request: tuple[str, ...]
    sentences: tuple[str, ...]
    asked: dict[int, list[int]] = field(default_factory=dict)


def _sentence_calls(
    questions: Sequence[Question], places: Sequence[int], is_single: bool
) -> Iterator[Call]:
    order = {kind: place for place, kind in enumerate(TOGETHER)}
    for chain in _chains(questions, places, is_single):
        shared = (Block("request", chain.request),)
        for shown, asked in _parts(chain, questions):
            own = Block("sentences", tuple([f"{number}: {quoted(text)}" for number, text in shown]))
            pairs = sorted(
                [(number, order[questions[index].kind], index) for number, index in asked]
            )
            for start in range(0, len(pairs), MAX_ITEMS):
                keys: dict[str, tuple[int, ...]] = {}
                for number, _, index in pairs[start : start + MAX_ITEMS]:
                    key = f"{TOGETHER[questions[index].kind]}_{number}"
                    keys[key] = (*keys.get(key, ()), index)
                yield Call(task="sentences", shared=shared, own=own, asked=keys)


def _chains(
    questions: Sequence[Question], places: Sequence[int], is_single: bool
) -> Iterator[_Chain]:
    """Yields the reports that questions are about, as far as the questions show them.

    A question whether a claim is made for the first time has the sentences before it. The longest
    of these chains is the report up to that sentence, and other questions find their places there.
    """
    by_topic: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for index in places:
        each = questions[index]
        request = _request_of(each)
        if is_single:
            sentences = (*each.earlier, each.text)
            yield _Chain(request, sentences, {len(sentences): [index]})
        else:
            by_topic.setdefault((each.topic_id, request), []).append(index)
    for (_, request), members in by_topic.items():
        chains: list[_Chain] = []
        common: dict[tuple[int, int], int] = {}
        firsts = [index for index in members if questions[index].kind is Kind.FIRST_INSTANCE]
        for index in sorted(firsts, key=lambda index: -questions[index].num_earlier):
            each = questions[index]
            number = each.num_earlier + 1
            for place, chain in enumerate(chains):
                # A report is compared with a chain once, for all questions about it.
                pair = place, id(each.sentences) if each.sentences else -index
                if pair not in common:
                    common[pair] = _num_common((*each.earlier, each.text), chain.sentences)
                if common[pair] >= number:
                    break
            else:
                chain = _Chain(request, (*each.earlier, each.text))
                chains.append(chain)
            chain.asked.setdefault(number, []).append(index)
        found = {
            chain.sentences[number - 1]: chain.asked[number]
            for chain in reversed(chains)
            for number in sorted(chain.asked, reverse=True)
        }
        others: dict[str, list[int]] = {}
        for index in members:
            if questions[index].kind is not Kind.FIRST_INSTANCE:
                text = questions[index].text
                (found[text] if text in found else others.setdefault(text, [])).append(index)
        yield from chains
        if others:
            yield _Chain(request, tuple(others), dict(enumerate(others.values(), 1)))


def _num_common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many texts two sequences begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _parts(
    chain: _Chain, questions: Sequence[Question]
) -> Iterator[tuple[_Numbered, list[tuple[int, int]]]]:
    """Yields the sentences that a call shows, and the questions: sentence numbers and places.

    A report that is too long for one call is cut into stretches. A claim is new if it is new in its
    own stretch and in every one before it.
    """
    numbered = list(enumerate(chain.sentences, 1))
    is_short = sum(num_tokens(text) for text in chain.sentences) <= LIST_TOKENS
    size = LIST_TOKENS if is_short else LIST_TOKENS // 2
    stretches = [numbered] if is_short else list(_bounded(numbered, len(numbered), size))
    for place, stretch in enumerate(stretches):
        asked = [(number, index) for number, _ in stretch for index in chain.asked.get(number, ())]
        if asked:
            yield stretch, asked
        firsts = [pair for pair in asked if questions[pair[1]].kind is Kind.FIRST_INSTANCE]
        numbers = {number for number, _ in firsts}
        repeated = [each for each in stretch if each[0] in numbers]
        for before in stretches[:place] if firsts else ():
            yield [*before, *repeated], firsts


def _bounded(texts: _Numbered, max_items: int, max_tokens: int) -> Iterator[_Numbered]:
    """Yields texts in groups of bounded size, in order. A group has at least one."""
    group: list[tuple[int, str]] = []
    size = 0
    for each in texts:
        tokens = num_tokens(each[1])
        if group and (len(group) == max_items or size + tokens > max_tokens):
            yield group
            group, size = [], 0
        group.append(each)
        size += tokens
    if group:
        yield group


# --- questions with a known answer --------------------------------------------------------------
#
# A model that is talked into saying yes to everything, or into calling everything alike, gets them
# wrong. The lighthouse is made up: no report and no document speaks of it.

_QUESTION = "What colour is the door of the lighthouse on Venn Island?"
_ANSWER = "bright green"
_CLAIM = "The door of the lighthouse on Venn Island is bright green."
_FACT = "The lighthouse on Venn Island has 214 steps and a bright green door."
_UNKNOWN = "Nothing is known about who painted the door of the lighthouse on Venn Island."


def _with_canary(call: Call) -> Call:
    """The call with one or two more questions, at the end of its list, that check the model."""
    own, (*before, last) = call.own, call.shared
    key = str(call.num_questions + 1)
    known = {key: Verdict.NO}
    if call.task == "sentences":
        number = 1 + max(int(line.partition(":")[0]) for line in own.lines)
        own = own.with_lines((f"{number}: {quoted(_UNKNOWN)}", f"{number + 1}: {quoted(_FACT)}"))
        known = {f"negative_{number}": Verdict.YES, f"negative_{number + 1}": Verdict.NO}
    elif call.task == "support":
        own = own.with_lines((f"{key}: {quoted(_CLAIM)}",))
    else:
        lines = {
            "answers": (f"question: {quoted(_QUESTION)}", f"{key}: {quoted(_ANSWER)}"),
            "covers": (f"{key}: {quoted(_CLAIM)}",),
            "agrees": (f"{key}: {quoted(_QUESTION)}",),
        }
        last = last.with_lines(lines[call.task])
    asked = {**call.asked, **dict.fromkeys(known, ())}
    return call._replace(shared=(*before, last), own=own, asked=asked, known=known)
