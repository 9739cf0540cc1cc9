"""Start-up: short commands beside a bare Typer program, and the import beside Python itself."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.measuring import (
    argue_eval,
    in_turns,
    print_table,
    print_title,
    run_process,
    verdict,
)

ROUNDS = 15
TARGET, AIM = 1.2, 0.5
IMPORT_ROUNDS, IMPORT_TARGET = 100, 1.3
COMMANDS = (("--help",), ("list", "measures"), ("list", "judges"))
HEAVY = ("torch", "transformers", "spacy", "openai", "numpy", "ir_measures", "ir_datasets", "rich")

_HELLO = '''"""A bare Typer program with its defaults."""

import typer

app = typer.Typer()


@app.command()
def hello(name: str = "world") -> None:
    """Say hello."""
    typer.echo(f"Hello {name}")


app()
'''


def main() -> None:
    """Measures and prints."""
    print_title("startup: a short command, from start to end")
    with tempfile.TemporaryDirectory() as folder:
        hello = Path(folder) / "hello.py"
        hello.write_text(_HELLO, encoding="utf-8")
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "hello --help": [sys.executable, str(hello), "--help"],
            "hello": [sys.executable, str(hello)],
        }
        commands |= {" ".join(("argue-eval", *args)): argue_eval(*args) for args in COMMANDS}
        measured: dict[str, Callable[[], float]] = {
            name: partial(_seconds, command) for name, command in commands.items()
        }
        found = in_turns(measured, ROUNDS)
    rows = []
    for name, seconds in found.items():
        to_help, to_hello = seconds / found["hello --help"], seconds / found["hello"]
        ratios = [f"{to_help:.2f}", f"{to_hello:.2f}"]
        is_ours = name.startswith("argue-eval")
        ends = [verdict(to_help <= TARGET), verdict(to_help <= AIM), verdict(to_hello <= TARGET)]
        rows.append([name, f"{1000 * seconds:.0f}", *ratios, *(ends if is_ours else ["", "", ""])])
    head = ["command", "ms", "/ hello --help", "/ hello", f"<= {TARGET}", f"<= {AIM}"]
    print_table([*head, f"<= {TARGET} hello"], rows)
    _import()
    loaded = {name for args in COMMANDS for name in _heavy_modules(args)}
    print(f"\nmust not be loaded: {', '.join(HEAVY)}; loaded: {', '.join(loaded) or 'none'}")


def _import() -> None:
    """Measures the import of the package, which takes so little that many runs are needed."""
    names = ("import typing", "import argue_eval")
    measured: dict[str, Callable[[], float]] = {
        name: partial(_seconds, [sys.executable, "-c", name]) for name in names
    }
    found = in_turns(measured, IMPORT_ROUNDS)
    of_typing = found["import typing"]
    rows = []
    for name, seconds in found.items():
        end = verdict(seconds / of_typing <= IMPORT_TARGET) if name != "import typing" else ""
        rows.append([name, f"{1000 * seconds:.1f}", f"{seconds / of_typing:.2f}", end])
    print()
    print_table(["python -c", "ms", "/ import typing", f"<= {IMPORT_TARGET}"], rows)


def _seconds(command: list[str]) -> float:
    return run_process(command).seconds


def _heavy_modules(args: tuple[str, ...]) -> list[str]:
    """Returns which of the heavy modules a command loads."""
    code = (
        "import sys; from argue_eval.cli.app import run; run(sys.argv[1:]); "
        f"sys.stderr.write(' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr.split()
