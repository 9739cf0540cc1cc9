"""Several conversations with a model at a time, begun in order and heard as they end."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from argue_eval.judges.limits import Limits

_Asked = TypeVar("_Asked")
_Said = TypeVar("_Said")


def ask_all(
    calls: Sequence[_Asked],
    converse: Callable[[Sequence[_Asked]], list[_Said | None]],
    concurrency: int,
    batch_size: int,
    limits: Limits,
) -> Iterator[tuple[_Asked, _Said]]:
    """Yields what comes of calls as soon as it is there. Calls begin in their order.

    Once the limits are halted no call begins; those in flight are heard.

    Raises:
        Exception: what a conversation raised, after all that is in flight is heard.
    """
    batches = iter([calls[at : at + batch_size] for at in range(0, len(calls), batch_size)])
    done: queue.SimpleQueue[list[tuple[_Asked, _Said | None]] | Exception | None]
    done = queue.SimpleQueue()
    lock = threading.Lock()
    stopped = threading.Event()

    def work() -> None:
        try:
            while not (stopped.is_set() or limits.is_halted):
                with lock:
                    batch = next(batches, None)
                if batch is None:
                    break
                done.put(list(zip(batch, converse(batch), strict=True)))
        except Exception as exc:
            stopped.set()
            done.put(exc)
        finally:
            done.put(None)

    num_workers = max(1, min(concurrency, -(-len(calls) // batch_size)))
    for _ in range(num_workers):
        # Daemons: who stops the program for good does not wait for a server.
        threading.Thread(target=work, daemon=True).start()
    failed: Exception | None = None
    try:
        while num_workers:
            said = done.get()
            if said is None:
                num_workers -= 1
            elif isinstance(said, Exception):
                failed = failed or said
            else:
                for call, heard in said:
                    if heard is not None:
                        yield call, heard
    finally:
        stopped.set()
    if failed is not None:
        raise failed
