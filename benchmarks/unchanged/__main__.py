"""Compares this version with an earlier one: what it prints and writes, over many command lines.

    python -m benchmarks.unchanged REVISION_OR_FOLDER [--keep DIR] [--only SUBSTRING]

Both versions run the same cases with the same inputs, each in a process of its own. All must be
equal byte by byte: standard output and error, exit codes, and all files that are written. Two
things may differ:

* Words. A line may be worded anew if all its values are still there: numbers, codes, options,
  files, keys of JSON. A line of results, which has tabs, may not. In help texts, whose lines break
  where the words have them break, all options must still be named. All corrected wording is listed.
* What `changes.toml` lists, with the reason.

The exit code is 1 if anything else differs.

What differs between any two runs, and how it is dealt with:

* The temporary folder, the folder of the sources and the port of the scripted chat server have
  fixed names in what is compared.
* The random codes between which prompts put texts are replaced by one word.
* Of a store, `store info` without its two times and `store export` are compared, not its bytes.
* Packed files are unpacked.

Nothing else is changed; signatures are compared as they are.

Cases that need data which is not in the repository are skipped if there is none. It is looked for
beside the repository in `shared/data`, or in the folder that ARGUE_EVAL_DATA names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import REPOSITORY
from benchmarks.unchanged import comparing
from benchmarks.unchanged.cases import Case, all_cases
from benchmarks.unchanged.comparing import Change, Comparison, Outcome
from benchmarks.unchanged.inputs import DATA, has_data, input_files, write_inputs

CHANGES = Path(__file__).with_name("changes.toml")

_CODE = (".py", ".toml", ".json", ".txt")
Keyed = dict[str, Case]
"""Cases by their keys, which change with their commands and with their inputs."""


def main(args: Sequence[str]) -> int:
    """Compares; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unchanged")
    parser.add_argument("earlier", metavar="REVISION_OR_FOLDER", help="the earlier version")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what the earlier one does")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only such cases")
    parser.add_argument("--lines", type=int, default=12, metavar="N", help="of each difference")
    options = parser.parse_args(args)
    started = time.perf_counter()
    changes = comparing.read_changes(CHANGES)
    cases = [case for case in all_cases() if _is_meant(case, options.only)]
    if not has_data():
        num_before = len(cases)
        cases = [case for case in cases if not case.needs_data]
        print(f"{num_before - len(cases)} cases are skipped: there is no folder {DATA}")
    if not cases:
        print("there are no such cases")
        return 2
    keyed = _keyed(cases)
    before, now = _outcomes(options.earlier, keyed, options.keep)
    compared = {
        case: comparing.compare(case.name, before[key], now[key], changes)
        for key, case in keyed.items()
    }
    is_equal = _report(compared, changes, options.lines, is_all=not options.only)
    print(f"this took {time.perf_counter() - started:.0f} s")
    return 0 if is_equal else 1


def _is_meant(case: Case, only: str) -> bool:
    return only in case.name or any(only in command for command in case.commands)


def _keyed(cases: Sequence[Case]) -> Keyed:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "inputs"
        write_inputs(folder)
        digests = {each.name: _digest(input_files(each), each) for each in folder.iterdir()}
    keyed = {}
    for case in cases:
        read = {name: digests[name] for name in case.folders if name in digests}
        content = json.dumps([case.commands, read], sort_keys=True).encode()
        keyed[f"{case.name} {hashlib.sha256(content).hexdigest()[:16]}"] = case
    return keyed


def _digest(files: Iterator[Path], folder: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        raw = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\0{len(raw)}\0".encode() + raw)
    return digest.hexdigest()[:16]


# --- running ---------------------------------------------------------------------------------


def _outcomes(
    earlier: str, keyed: Keyed, keep: Path | None
) -> tuple[Mapping[str, Outcome], Mapping[str, Outcome]]:
    """Returns what the earlier version and this one do, by the keys of cases."""
    with ExitStack() as stack:
        tree = stack.enter_context(_sources(earlier))
        kept = _kept(keep, tree) if keep else None
        before = _read_kept(kept) if kept else {}
        missing = {key: case for key, case in keyed.items() if key not in before}
        print(
            f"{len(keyed)} cases, {len(missing)} of them to be run with {earlier} too", flush=True
        )
        found: list[dict[str, Outcome]] = [{}, {}]
        works = [(tree, missing, found[0]), (REPOSITORY, keyed, found[1])]
        threads = [threading.Thread(target=_run, args=work) for work in works if work[1]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if kept and found[0]:
        _keep(kept, found[0])
    before |= found[0]
    for name, outcomes in ((earlier, before), ("this version", found[1])):
        lost = [key for key in keyed if key not in outcomes]
        if lost:
            raise SystemExit(f"{name} broke off at the case {lost[0]}")
    return before, found[1]


@contextmanager
def _sources(earlier: str) -> Iterator[Path]:
    """Gives the folder of the earlier version's sources."""
    if (Path(earlier) / "argue_eval").is_dir():
        yield Path(earlier).resolve()
        return
    git = ["git", "-C", str(REPOSITORY), "worktree"]
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name).resolve() / "earlier"
        add = [*git, "add", "--quiet", "--detach", str(tree), earlier]
        if subprocess.run(add, check=False).returncode:
            raise SystemExit(f"{earlier} is neither a revision nor a folder with argue_eval in it")
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def _kept(keep: Path, tree: Path) -> Path:
    """Returns the file for what a version does, if it is asked in the way it is asked now."""
    asking = [Path(__file__).with_name(name) for name in ("worker.py", "model.py")]
    parts = _digest(_code(tree), tree), _digest(iter(asking), REPOSITORY)
    return keep / f"{'-'.join(parts)}.jsonl"


def _code(tree: Path) -> Iterator[Path]:
    files = input_files(tree / "argue_eval")
    return (path for path in files if path.suffix in _CODE)


def _run(tree: Path, keyed: Keyed, found: dict[str, Outcome]) -> None:
    """Runs cases with the sources in a folder."""
    command = [sys.executable, "-m", "benchmarks.unchanged.worker", str(tree)]
    asked = [json.dumps({"key": key, "commands": case.commands}) for key, case in keyed.items()]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stream:
        stream.write("\n".join(asked) + "\n")
        stream.seek(0)
        process = subprocess.Popen(
            command, cwd=REPOSITORY, env=environment, stdin=stream, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        for line in process.stdout:
            outcome = json.loads(line)
            found[outcome.pop("key")] = outcome
        process.wait()


def _read_kept(path: Path) -> dict[str, Outcome]:
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as stream:
        return dict(json.loads(line) for line in stream)


def _keep(path: Path, outcomes: Mapping[str, Outcome]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(each) + "\n" for each in outcomes.items())


# --- reporting -------------------------------------------------------------------------------


def _report(
    compared: Mapping[Case, Comparison], changes: Sequence[Change], num_lines: int, *, is_all: bool
) -> bool:
    """Prints what differs; returns whether nothing does, but for words and what is meant."""
    different = {case: each for case, each in compared.items() if each.parts}
    changed = sum(bool(each.changes) and not each.parts for each in compared.values())
    equal = sum(not any(each) for each in compared.values())
    _print_differences(different, num_lines)
    wordings = sum((each.wordings for each in compared.values()), Counter())
    used = sum((each.changes for each in compared.values()), Counter())
    print(f"\n{len(wordings)} corrected wordings (… is any value), with how often they are used:")
    for wording, times in sorted(wordings.items()):
        print(f"  {times} x  {wording.old}\n      ->  {wording.new}")
    print("\nchanges that are meant:")
    for change in changes:
        often = f"{used[change]} times" if used[change] else "NEVER" if is_all else "not here"
        print(f"  {change.case}, {often}: {change.why}")
    reworded = len(compared) - equal - changed - len(different)
    counts = f"{equal} equal, {reworded} equal but for words, {changed} changed as meant"
    print(f"\n{len(compared)} cases: {counts}, {len(different)} different")
    return not different


def _print_differences(different: Mapping[Case, Comparison], num_lines: int) -> None:
    """Prints each difference once, with the names of all cases that have it."""
    same: dict[tuple[str, ...], list[tuple[Case, Any]]] = {}
    for case, comparison in different.items():
        for part in comparison.parts:
            changed = tuple(line for line in part.diff(0) if line[:2] != "@@") or (part.title,)
            same.setdefault(changed, []).append((case, part))
    for places in same.values():
        case, part = places[0]
        print(f"\n=== {case.name}\n    {part.title}")
        lines = part.diff()
        print("\n".join(f"    {line}" for line in lines[:num_lines]))
        if len(lines) > num_lines:
            print(f"    … and {len(lines) - num_lines} more lines")
        if len(places) > 1:
            print(f"    the same in {len(places) - 1} more places, such as {places[1][0].name}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
