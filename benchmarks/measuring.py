"""Times and memory of processes and functions, and how they are printed.

What is compared runs in turns (A B A B …), so that a busy machine slows both alike.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ARGUE_EVAL_DATA") or REPOSITORY.parent / "shared" / "data")
"""Real data, which is not in the repository."""

# A child's peak memory includes that of its parent when it forked: so a small process starts it.
_STARTER = """
import json, os, sys, time
started = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - started
code = os.waitstatus_to_exitcode(status)
busy = usage.ru_utime + usage.ru_stime
found = json.dumps([seconds, usage.ru_maxrss, code, busy]).encode()
os.write(int(os.environ["MEASURED"]), found)
"""


class Process(NamedTuple):
    """What one process took.

    Attributes:
        peak_mb: its resident memory at most, in 10^6 bytes.
        busy: seconds of processors, those of its own processes included.
    """

    seconds: float
    peak_mb: float
    code: int
    busy: float


def run_process(command: Sequence[str], codes: Container[int] = (0,)) -> Process:
    """Returns what a command took, from its start to its end. Its output is dropped.

    Raises:
        SystemExit: it ended with none of these exit codes.
    """
    reader, writer = os.pipe()
    environment = {**os.environ, "MEASURED": str(writer)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # who installs a package has it compiled
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", _STARTER, *command],
        cwd=REPOSITORY,
        env=environment,
        pass_fds=[writer],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        seconds, peak, code, busy = json.loads(stream.read())
    if code not in codes:
        raise SystemExit(f"{' '.join(command)} ended with exit code {code}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Process(seconds, peak * unit / 1e6, code, busy)


def argue_eval(*args: str) -> list[str]:
    """Returns the command that a user would type, with the interpreter at hand."""
    script = Path(sys.executable).with_name("argue-eval")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "argue_eval"]
    return [*start, *args]


def seconds_of(function: Callable[[], object]) -> float:
    """Returns how long one call takes."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def in_turns(measured: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Returns the median of what each function measures, called in turns."""
    found: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, measure in measured.items():
            found[name].append(measure())
    return {name: median(values) for name, values in found.items()}


def verdict(is_met: bool) -> str:
    """Returns how a target was met, as the tables say it."""
    return "met" if is_met else "NOT MET"


def print_title(title: str) -> None:
    """Prints what follows, and on what it is measured."""
    print(f"\n## {title}\n")


def is_at_hand(name: str, path: Path = DATA) -> bool:
    """Returns whether data is there; says that a benchmark is skipped if it is not."""
    if not path.exists():
        print_title(f"{name}: skipped, {path} is not there")
    return path.exists()


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints an aligned table: the first column to the left, the others to the right."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells).rstrip())


def machine() -> str:
    """Returns what the figures depend on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} cores, {platform.system()} {platform.machine()}, {python}"
