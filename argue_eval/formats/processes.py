"""Work side by side in several processes, and large files in slices for it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from argue_eval.errors import ArgueEvalError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MAX_PROCESSES = 8
MIN_TASKS = 8
"""From so many on, several processes are faster than one."""

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is, and of how much."""


def num_usable() -> int:
    """How many processes may work side by side; 1 where none can be forked.

    What other threads hold at the moment of a fork, such as in a notebook, nobody releases.
    """
    import multiprocessing
    import threading

    can_fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    if not can_fork or multiprocessing.parent_process():
        return 1
    is_told = sys.platform == "linux"  # a scheduler may have given the process fewer than there are
    num_processors = len(os.sched_getaffinity(0)) if is_told else os.cpu_count()
    return min(MAX_PROCESSES, num_processors or 1)


def line_slices(path: str, num_bytes: int, max_line_bytes: int) -> Iterator[tuple[int, int]]:
    """Yields the ends of slices of a file that begin and end with a line.

    Args:
        max_line_bytes: of a longer line, no more is read than shows that it is.
    """
    size = Path(path).stat().st_size
    start = 0
    with Path(path).open("rb") as stream:
        while start < size:
            end = min(start + num_bytes, size)
            stream.seek(end)
            end += len(stream.readline(2 * max_line_bytes))
            yield start, end
            start = end


def in_turn(
    tasks: Sequence[Task],
    work: Callable[[Task], Result],
    *,
    what: str = "",
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yields what comes of each task, in their order: side by side where there are many.

    Args:
        what: how `progress` calls the work.
    """
    num_processes = min(num_usable(), len(tasks)) if len(tasks) >= MIN_TASKS else 1
    found = side_by_side(tasks, work, num_processes) if num_processes > 1 else map(work, tasks)
    for number, each in enumerate(found):
        if progress:
            progress(what, number, len(tasks))
        yield each


def side_by_side(
    tasks: Sequence[Task],
    work: Callable[[Task], Result],
    num_processes: int,
    *,
    is_ahead: bool = False,
) -> Iterator[Result]:
    """What comes of each task, in their order. A process works on every n-th of them, from now on.

    Processes are forked, so that `work` may use whatever is in memory. Where results are not
    fetched, they wait: little is kept. All processes end with this one, and with the iteration.

    Args:
        is_ahead: nobody fetches results for a while: each process keeps them until it is through.

    Raises:
        Exception: what a task raised.
    """
    results = _results(tasks, work, num_processes, is_ahead=is_ahead)
    next(results)
    return results


def _results(
    tasks: Sequence[Task], work: Callable[[Task], Result], num_processes: int, *, is_ahead: bool
) -> Iterator[Result]:
    """Yields nothing of use when the processes are at work, then what comes of each task."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receivers: list[Connection] = []
    processes = []
    try:
        for place in range(num_processes):
            receiver, sender = context.Pipe(duplex=False)
            receivers.append(receiver)
            task = (tasks[place::num_processes], work, sender, receivers, is_ahead)
            process = context.Process(target=_work, args=task, daemon=True)
            process.start()
            processes.append(process)
            sender.close()  # so that the end of the process is the end of the pipe
        yield None  # type: ignore[misc]
        for place in range(len(tasks)):
            result, error = receivers[place % num_processes].recv()
            if error is not None:
                raise error
            yield result
    except EOFError:
        raise ArgueEvalError("a process that did a part of the work was ended") from None
    except BlockingIOError as exc:
        message = "the system allows no further process: end others, or use one processor, as in "
        raise ArgueEvalError(f"{message}taskset -c 0 argue-eval …") from exc
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _work(
    tasks: Sequence[Task],
    work: Callable[[Task], Result],
    sender: Connection,
    receivers: Sequence[Connection],
    is_ahead: bool,
) -> None:
    for each in receivers:
        each.close()  # so that the end of the parent, even if it is killed, is that of the pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # and lets them tidy up
    done = map(work, tasks)
    try:
        for result in list(done) if is_ahead else done:
            sender.send((result, None))
    except BrokenPipeError:
        return
    except Exception as exc:
        sender.send((None, exc))
