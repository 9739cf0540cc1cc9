"""What the commands have in common that ask judges: how they are stopped, and what they report."""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO, cast

from argue_eval.cli.console import listing, note

if TYPE_CHECKING:
    from argue_eval.evaluation.asking import NumAsks
    from argue_eval.judges import Settings
    from argue_eval.judges.limits import Limits


class _OfMainThread:
    """Standard output for the main thread; what other threads write goes to standard error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        is_main = threading.current_thread() is threading.main_thread()
        return (self._stream if is_main else sys.stderr).write(text)


@contextmanager
def asking(limits: Limits, resume: str) -> Iterator[None]:
    """Let the user stop judges: the first time after the calls in flight, the second time at once.

    What a library prints meanwhile in threads of its own, as Ray does, is kept off stdout.

    Args:
        resume: how to go on later.
    """
    from argue_eval.judges.limits import INTERRUPTED

    def stop(number: int, frame: object) -> None:
        if not limits.is_asking or limits.halted:
            if callable(handler := before[number]):
                handler(number, frame)
            raise KeyboardInterrupt
        limits.halt(INTERRUPTED)
        sys.stderr.write("\n")
        note(f"stopping after the calls in flight; interrupt again to stop at once. {resume}")

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # signals are its alone
        for each in (signal.SIGINT, signal.SIGTERM):
            before[each] = signal.getsignal(each)
            signal.signal(each, stop)
    try:
        with redirect_stdout(cast("TextIO", _OfMainThread(sys.stdout))):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def note_reasons(reasons: Counter[tuple[str, str, str]]) -> None:
    """Write why questions have no answer: how many, of which kind and judge."""
    from argue_eval.judges import FIXES

    shown = reasons.most_common(listing.room())
    for (kind, judge, reason), number in shown:
        note(f"  {number:,} x {kind}, judge {judge}: {reason}")
        if reason in FIXES:
            note(f"    fix: {FIXES[reason]}")
    if len(shown) < len(reasons):
        note(f"… and {len(reasons) - len(shown):,} more reasons (--all lists them)")


def note_work(settings: Settings, num_asks: NumAsks, *, is_cascade: bool = False) -> None:
    """Write of which share of their answers the judges were sure, by kind with limits; how many
    calls were made, and what they cost.
    """
    if settings.leaves_unsure and (num_asks.total_of("unsure") or not is_cascade):
        shares = []
        for kind in dict.fromkeys(kind for kind, _ in num_asks):
            if total := num_asks[kind, "limited"]:
                sure = total - num_asks[kind, "unsure"]
                shares.append(f"{sure:,} of {total:,} {kind} answers ({sure / total:.1%})")
        rest = "; the others stay unjudged" if num_asks.total_of("unsure") else ""
        if shares:
            note(f"sure of {', '.join(shares)}{rest}")
    limits = settings.limits
    if limits.num_calls:
        tokens = f"{limits.prompt_tokens:,} tokens in, {limits.reply_tokens:,} out"
        cost = f", cost {limits.cost:.4f}" if settings.prices else ""
        note(f"{limits.num_calls:,} calls, {tokens}{cost}")
