"""``python -m benchmarks [NAME...]``: all benchmarks, the cheap ones first, or those named."""

from __future__ import annotations

import sys
import time
from datetime import datetime, timezone
from importlib import import_module

from benchmarks.measuring import machine

NAMES = (
    "agreement",
    "people",
    "support",
    "calibration",
    "contrast",
    "startup",
    "ways",
    "lexical",
    "calls",
    "dragun25",
    "decisions",
    "pooling",
    "assessed",
    "rescoring",
    "store",
    "memory",
    "pages",
    "sheets",
    "assignments",
    "validation",
    "growth",
    "cascades",
    "nli",
    "nli_gpu",
)


def main(names: list[str]) -> int:
    """Runs benchmarks; returns the exit code."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; choose from: {', '.join(NAMES)}")
        return 2
    started = time.perf_counter()
    print(f"{datetime.now(timezone.utc):%Y-%m-%d}, {machine()}")
    for name in names or NAMES:
        import_module(f"benchmarks.{name}").main()
    print(f"\nall of this took {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
