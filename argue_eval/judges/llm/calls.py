"""Which asks go into one call of a language model: as few calls as it can answer well.

Answers, claims and absence nuggets are asked per sentence, all in one call. The questions about
sentences without citation are asked per report. Support is asked per document, for the sentences
that cite it. Whatever would make a call too long is spread over several; nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from argue_eval.judges.llm.chains import chains_of
from argue_eval.judges.llm.delimiters import Block, neutral, quoted
from argue_eval.judges.llm.prompts import TASKS
from argue_eval.records import Ask, Kind, ReportRequest, Verdict
from argue_eval.text.passages import num_tokens, passages

MAX_TEXT_TOKENS = 2000
"""A sentence, claim or request that is longer is not asked about."""

MAX_REPORT_TOKENS = 16_000
"""A report that is longer is not asked about as a whole."""

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

QUESTIONS = {
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
KINDS = frozenset({Kind.SUPPORT, *QUESTIONS, *_LISTS})

OTHER_KIND = "not a kind that this judge answers"
NO_DOCUMENT = "no document text"
NO_ANSWER = "no answer text"
NO_QUESTION = "no question text"


class Item(NamedTuple):
    """A verdict that a call is to bring.

    Attributes:
        label: the key in the reply.
        ask_index: the ask that it is about; None for a canary.
        expected: the verdict on a canary.
    """

    label: str
    ask_index: int | None
    expected: Verdict | None = None


class Call(NamedTuple):
    """One call of a model.

    Attributes:
        task: the name of its prompt.
        repeat: 0, 1, …: the how manieth time the same is asked.
    """

    task: str
    shared: tuple[Block, ...]
    own: Block
    items: tuple[Item, ...]
    repeat: int = 0


class Refused(NamedTuple):
    """An ask that cannot be asked, and why."""

    ask_index: int
    reason: str


def refused(asks: Sequence[Ask]) -> list[Refused]:
    """Returns the asks that no call can answer."""
    reasons = ((index, _reason(ask)) for index, ask in enumerate(asks))
    return [Refused(index, reason) for index, reason in reasons if reason]


def calls_of(asks: Sequence[Ask], is_single: bool = False) -> list[Call]:
    """Returns the calls that answer all asks that can be asked.

    Calls whose prompts begin alike follow each other.

    Args:
        is_single: one ask a call.
    """
    able = [(index, ask) for index, ask in enumerate(asks) if not _reason(ask)]
    calls = [
        *_support_calls(able, is_single),
        *_list_calls(able, is_single),
        *_sentence_calls(able, is_single),
    ]
    order = {task: place for place, task in enumerate(TASKS)}
    return sorted(calls, key=lambda call: (order[call.task], call.shared))


_Asks = Sequence[tuple[int, Ask]]


def _reason(ask: Ask) -> str:
    """Returns why an ask cannot be asked; empty if it can."""
    if ask.kind not in KINDS:
        return OTHER_KIND
    if ask.kind is Kind.SUPPORT and (ask.document is None or not ask.document.text.strip()):
        return NO_DOCUMENT
    if ask.kind in (Kind.ANSWERS, Kind.COVERS) and not ask.answer.strip():
        return NO_ANSWER
    if ask.kind in (Kind.ANSWERS, Kind.AGREES) and not (ask.question or "").strip():
        return NO_QUESTION
    request = "" if ask.request is None else "".join(_request_lines(ask.request))
    texts = {
        "sentence": ask.sentence,
        "nugget": f"{ask.question or ''} {ask.answer}",
        "title of the document": ask.document.title if ask.document else "",
        "report request": request if ask.kind is not Kind.SUPPORT else "",
        "longest sentence before it": max(ask.earlier, key=len, default=""),
    }
    for what, text in texts.items():
        is_report = ask.kind is Kind.COVERS and what == "sentence"
        most = MAX_REPORT_TOKENS if is_report else MAX_TEXT_TOKENS
        if len(text) > _SURELY_SHORT and (size := num_tokens(quoted(text))) > most:
            return f"the {what} is too long: about {size} tokens, more than {most}"
    return ""


def _support_calls(asks: _Asks, is_single: bool) -> Iterator[Call]:
    groups: dict[tuple[str, str, str | None], list[tuple[int, str]]] = {}
    for index, ask in asks:
        if ask.kind is Kind.SUPPORT and ask.document is not None:
            document = ask.document
            key = (document.title, document.text, document.language)
            groups.setdefault(key, []).append((index, quoted(ask.sentence)))
    for (title, text, language), citing in groups.items():
        for passage in passages(neutral(text), PASSAGE_TOKENS, OVERLAP_TOKENS, language):
            lines = [*_titled("title", title), f"text: {quoted(passage)}"]
            shared = (Block("document", tuple(lines)),)
            for some in _bounded(citing, 1 if is_single else MAX_CITING, CITING_TOKENS):
                yield _numbered("support", shared, "sentences", some)


def _numbered(
    task: str, shared: tuple[Block, ...], own: str, texts: Sequence[tuple[int, str]]
) -> Call:
    """Returns a call with one ask per text, labelled 1, 2, …"""
    lines = tuple(f"{label}: {text}" for label, (_, text) in enumerate(texts, 1))
    items = tuple(Item(str(label), index) for label, (index, _) in enumerate(texts, 1))
    return Call(task, shared, Block(own, lines), items)


def _list_calls(asks: _Asks, is_single: bool) -> Iterator[Call]:
    groups: dict[tuple[Kind, str, tuple[str, ...], str], list[tuple[int, Ask]]] = {}
    for index, ask in asks:
        if ask.kind in _LISTS:
            key = (ask.kind, ask.topic_id, _request_lines(ask.request), ask.sentence)
            groups.setdefault(key, []).append((index, ask))
    for (kind, _, request, sentence), members in groups.items():
        task, name = _LISTS[kind]
        own = Block("sentence", (f"sentence: {quoted(sentence)}",))
        texts = list(enumerate(_list_texts([ask for _, ask in members])))
        for some in _bounded(texts, 1 if is_single else MAX_ITEMS, LIST_TOKENS):
            chosen = [members[place] for place, _ in some]
            lines = tuple(_list_lines([ask for _, ask in chosen]))
            items = tuple(Item(str(label), index) for label, (index, _) in enumerate(chosen, 1))
            shared = (Block("request", request), Block(name, lines))
            yield Call(task, shared, own, items)


def _list_texts(asks: Iterable[Ask]) -> Iterator[str]:
    """Yields what each ask adds to a list: an answer shares its question with those before it."""
    question = None
    for ask in asks:
        is_new, question = ask.question != question, ask.question
        yield f"{question or ''} {ask.answer}" if is_new else ask.answer


def _list_lines(asks: Iterable[Ask]) -> Iterator[str]:
    """Yields the lines of a list of nuggets: a question before its answers."""
    question = None
    for label, ask in enumerate(asks, 1):
        if ask.kind is Kind.ANSWERS and ask.question != question:
            question = ask.question
            yield f"question: {quoted(question or '')}"
        shown = ask.question or "" if ask.kind is Kind.AGREES else ask.answer
        yield f"{label}: {quoted(shown)}"


def _sentence_calls(asks: _Asks, is_single: bool) -> Iterator[Call]:
    places = {kind: place for place, kind in enumerate(QUESTIONS)}
    chosen = [(index, ask) for index, ask in asks if ask.kind in QUESTIONS]
    for chain in chains_of(chosen, _request_lines, is_single):
        shared = (Block("request", chain.request),)
        for part in chain.parts(LIST_TOKENS):
            lines = tuple(f"{number}: {quoted(text)}" for number, text in part.shown)
            asked = sorted(part.asked, key=lambda each: (each[0], places[each[1]]))
            items = tuple(Item(f"{QUESTIONS[kind]}_{number}", i) for number, kind, i in asked)
            for start in range(0, len(items), MAX_ITEMS):
                some = items[start : start + MAX_ITEMS]
                yield Call("sentences", shared, Block("sentences", lines), some)


def _request_lines(request: ReportRequest | None) -> tuple[str, ...]:
    if request is None:
        return ("not given",)
    return (
        *_titled("title", request.title),
        *_titled("problem statement", request.problem_statement),
        *_titled("background", request.background),
    )


def _titled(name: str, text: str) -> list[str]:
    return [f"{name}: {quoted(text)}"] if text.strip() else []


def _bounded(
    texts: Sequence[tuple[int, str]], max_items: int, max_tokens: int
) -> Iterator[list[tuple[int, str]]]:
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
