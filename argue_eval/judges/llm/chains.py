"""The sentences of a report in their order, as far as its asks tell.

An ask whether a claim is made for the first time carries the sentences before it. The longest of
these chains is the report up to that sentence, and the other asks about the report find their
places in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from argue_eval.records import Ask, Kind, ReportRequest
from argue_eval.text.passages import num_tokens


class Part(NamedTuple):
    """What one call shows and asks.

    Attributes:
        shown: numbers and texts of sentences.
        asked: number of the sentence, kind of question, and place of the ask.
    """

    shown: list[tuple[int, str]]
    asked: list[tuple[int, Kind, int]]


@dataclass(slots=True)
class Chain:
    """A report, or sentences of which no report is known.

    Attributes:
        request: the lines that show the report request.
        asked: by number of the sentence (from 1), the kinds of question and the asks.
    """

    request: tuple[str, ...]
    sentences: tuple[str, ...]
    asked: dict[int, list[tuple[Kind, int]]] = field(default_factory=dict)

    def add(self, number: int, kind: Kind, ask_index: int) -> None:
        """Adds a question about a sentence."""
        self.asked.setdefault(number, []).append((kind, ask_index))

    def parts(self, max_tokens: int) -> Iterator[Part]:
        """Yields what to ask in each call.

        A report that is too long for one call is cut into stretches. A claim is new if it is new
        in its own stretch and in every one before it.
        """
        numbered = list(enumerate(self.sentences, 1))
        if sum(num_tokens(text) for text in self.sentences) <= max_tokens:
            yield Part(numbered, self._asked_of(numbered))
            return
        stretches = list(_stretches(numbered, max_tokens // 2))
        for place, stretch in enumerate(stretches):
            if asked := self._asked_of(stretch):
                yield Part(stretch, asked)
            firsts = [each for each in asked if each[1] is Kind.FIRST_INSTANCE]
            if firsts:
                numbers = {number for number, _, _ in firsts}
                questioned = [each for each in stretch if each[0] in numbers]
                for before in stretches[:place]:
                    yield Part([*before, *questioned], firsts)

    def _asked_of(self, stretch: Sequence[tuple[int, str]]) -> list[tuple[int, Kind, int]]:
        return [
            (number, kind, index)
            for number, _ in stretch
            for kind, index in self.asked.get(number, ())
        ]


def chains_of(
    asks: Sequence[tuple[int, Ask]],
    shown: Callable[[ReportRequest | None], tuple[str, ...]],
    is_single: bool = False,
) -> list[Chain]:
    """Returns the reports that the asks are about.

    Args:
        shown: the lines that show a report request.
        is_single: a chain of its own for every ask.
    """
    if is_single:
        return [_alone(index, ask, shown(ask.request)) for index, ask in asks]
    by_topic: dict[tuple[str, tuple[str, ...]], list[tuple[int, Ask]]] = {}
    for index, ask in asks:
        by_topic.setdefault((ask.topic_id, shown(ask.request)), []).append((index, ask))
    return [chain for (_, request), some in by_topic.items() for chain in _chains(request, some)]


def _alone(index: int, ask: Ask, request: tuple[str, ...]) -> Chain:
    chain = Chain(request, (*ask.earlier, ask.sentence))
    chain.add(len(chain.sentences), ask.kind, index)
    return chain


def _chains(request: tuple[str, ...], asks: Sequence[tuple[int, Ask]]) -> list[Chain]:
    chains: list[Chain] = []
    firsts = [each for each in asks if each[1].kind is Kind.FIRST_INSTANCE]
    for index, ask in sorted(firsts, key=lambda each: -len(each[1].earlier)):
        sentences = (*ask.earlier, ask.sentence)
        number = len(sentences)
        chain = next((each for each in chains if each.sentences[:number] == sentences), None)
        if chain is None:
            chain = Chain(request, sentences)
            chains.append(chain)
        chain.add(number, ask.kind, index)
    places = {
        chain.sentences[number - 1]: (chain, number)
        for chain in reversed(chains)
        for number in sorted(chain.asked, reverse=True)
    }
    others: dict[str, list[tuple[int, Ask]]] = {}
    for index, ask in asks:
        if ask.kind is Kind.FIRST_INSTANCE:
            continue
        if ask.sentence in places:
            chain, number = places[ask.sentence]
            chain.add(number, ask.kind, index)
        else:
            others.setdefault(ask.sentence, []).append((index, ask))
    if others:
        chains.append(Chain(request, tuple(others)))
        for number, some in enumerate(others.values(), 1):
            for index, ask in some:
                chains[-1].add(number, ask.kind, index)
    return chains


def _stretches(
    numbered: Sequence[tuple[int, str]], max_tokens: int
) -> Iterator[list[tuple[int, str]]]:
    """Yields the sentences in stretches that follow each other, of bounded size."""
    stretch: list[tuple[int, str]] = []
    size = 0
    for each in numbered:
        tokens = num_tokens(each[1])
        if stretch and size + tokens > max_tokens:
            yield stretch
            stretch, size = [], 0
        stretch.append(each)
        size += tokens
    if stretch:
        yield stretch
