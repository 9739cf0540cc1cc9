"""From the verdicts of single calls to a reply per ask.

An ask may be spread over several calls, of which each sees a part of the document or of the report,
and all of them may be made several times.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from argue_eval.judges import Reply
from argue_eval.judges.llm.calls import Call
from argue_eval.records import Ask, JudgeFailure, Judgment, Kind, Verdict

CANARY = "the reply has a question wrong whose answer is known (canary)"

Vote = Verdict | str
"""A verdict, or the reason why there is none."""

_RANKS = {
    Kind.SUPPORT: (Verdict.YES, Verdict.PARTIAL, Verdict.NO),
    # A claim is new if no part of the report before it has made it.
    Kind.FIRST_INSTANCE: (Verdict.NO, Verdict.YES),
}
"""Where parts were judged: of two verdicts, the one that counts comes first."""

_ANY_ORDER = (Verdict.YES, Verdict.PARTIAL, Verdict.NO)


class Ballots:
    """Gathers what calls say until all that was to be said about an ask is there.

    Args:
        calls: all that are to be made.
        judge: the judge's signature.
    """

    def __init__(self, asks: Sequence[Ask], calls: Iterable[Call], repeat: int, judge: str) -> None:
        self._asks = asks
        self._repeat = repeat
        self._judge = judge
        self._left: Counter[int] = Counter()
        self._votes: dict[int, list[list[Vote]]] = {}
        self._raws: dict[int, list[str]] = {}
        self._num_attempts: Counter[int] = Counter()
        for call in calls:
            self._left.update(item.ask_index for item in call.items if item.ask_index is not None)

    def add(
        self, call: Call, votes: Mapping[str, Vote], raws: Sequence[str], num_attempts: int = 1
    ) -> Iterator[Reply]:
        """Takes what one call says, by label, and yields the replies that are now complete.

        Args:
            raws: the model's words, in the order in which it said them.
        """
        if any(votes[item.label] != item.expected for item in call.items if item.expected):
            votes = {
                label: CANARY if isinstance(vote, Verdict) else vote
                for label, vote in votes.items()
            }
        for item in call.items:
            index = item.ask_index
            if index is None:
                continue
            if index not in self._votes:
                self._votes[index] = [[] for _ in range(self._repeat)]
                self._raws[index] = []
            self._votes[index][call.repeat].append(votes[item.label])
            self._raws[index].extend(raws)
            self._num_attempts[index] += num_attempts
            self._left[index] -= 1
            if not self._left[index]:
                yield self._reply(index)

    def _reply(self, index: int) -> Reply:
        ask = self._asks[index]
        raws = self._raws.pop(index)
        raw = raws[0] if len(raws) == 1 else json.dumps(raws, ensure_ascii=False) if raws else None
        rounds = [_combined(votes, ask.kind) for votes in self._votes.pop(index)]
        counts = Counter(each for each in rounds if isinstance(each, Verdict))
        verdict, number = counts.most_common(1)[0] if counts else (None, 0)
        if verdict is None or number * 2 <= self._repeat:
            reason = _why_open(rounds, counts)
            attempts = self._num_attempts[index]
            failure = JudgeFailure(ask.kind, ask.topic_id, self._judge, reason, attempts)
            return Reply(index, failure, raw)
        prob = None
        if self._repeat > 1:
            prob = round(counts[Verdict.YES] / counts.total(), 6)
        judgment = Judgment(
            ask.kind,
            ask.topic_id,
            verdict,
            self._judge,
            sentence=ask.sentence,
            doc_id=ask.doc_id,
            nugget_id=ask.nugget_id,
            answer=ask.answer,
            prob=prob,
        )
        return Reply(index, judgment, raw)


def _combined(votes: Sequence[Vote], kind: Kind) -> Vote:
    """Returns what the parts say together.

    A part without a verdict leaves it open, unless another decides it whatever that one would say.
    """
    ranks = _RANKS.get(kind, _ANY_ORDER)
    if ranks[0] in votes:
        return ranks[0]
    failed = [vote for vote in votes if isinstance(vote, str) and not isinstance(vote, Verdict)]
    if failed:
        return failed[0]
    return min((vote for vote in votes if isinstance(vote, Verdict)), key=ranks.index)


def _why_open(rounds: Sequence[Vote], counts: Mapping[Verdict, int]) -> str:
    failed = [vote for vote in rounds if not isinstance(vote, Verdict)]
    if len(rounds) == 1:
        return failed[0]
    shown = [f"{counts[verdict]} {verdict.value}" for verdict in _ANY_ORDER if verdict in counts]
    if failed:
        shown.append(f"{len(failed)} failed ({failed[0]})")
    return f"no majority of {len(rounds)} replies: {', '.join(shown)}"
