"""Compares this version with an earlier one: what it prints and writes, over many command lines.

    python -m benchmarks.unchanged REVISION_OR_FOLDER [--only SUBSTRING]

Both versions run the same cases with the same inputs, each in a process of its own. All must be
equal byte by byte: standard output and error, exit codes, and all files that are written. Two
things may differ:

* Words. A line may be worded anew if all its values are still there: numbers, codes, options,
  files, keys of JSON. A line of results, which has tabs, may not. In help texts, whose lines break
  where the words have them break, all options must still be named. All corrected wording is listed.
* What `changes.toml` lists, with the reason: what it cuts out of both texts, or, for few outputs,
  the order of lines, the layout of a table whose scores are equal, or anything.

`changes.toml` is for versions that have the command `nuggets`, today's `curate`. Later ones run the
same commands as this version, and only words may differ.

The exit code is 1 if anything else differs. Whatever the layout, the scores in both outputs are
counted, by run, topic and measure: how many are equal, and of which measures some are not.

Commands are written as this version has them; `cases` knows how they were written while there was
the command `nuggets`. Cases that would be judged by the judge lexical are scored with its
judgments, which this version exports once for both: its versions answer differently.

What differs between any two runs, and how it is dealt with:

* The temporary folder, the folder of the sources and the port of the scripted chat server have
  fixed names in what is compared.
* The random codes between which prompts put texts are replaced by one word.
* Of a store, `store info` without its two times and `store export` are compared, not its bytes.
* Packed files are unpacked.

Cases that need data which is not in the repository are skipped if there is none. It is looked for
beside the repository in `shared/data`, or in the folder that ARGUE_EVAL_DATA names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measuring import DATA, REPOSITORY
from benchmarks.unchanged import comparing
from benchmarks.unchanged.cases import Case, all_cases, judged
from benchmarks.unchanged.comparing import Change, Comparison, Outcome, Part
from benchmarks.unchanged.inputs import has_data, write_inputs, write_judgments

CHANGES = Path(__file__).with_name("changes.toml")


def main(args: Sequence[str]) -> int:
    """Compares; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unchanged")
    parser.add_argument("earlier", metavar="REVISION_OR_FOLDER", help="the earlier version")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only such cases")
    parser.add_argument("--lines", type=int, default=12, metavar="N", help="of each difference")
    options = parser.parse_args(args)
    started = time.perf_counter()
    cases = [case for case in all_cases() if _is_meant(case, options.only)]
    if not has_data():
        num_before = len(cases)
        cases = [case for case in cases if not case.needs_data]
        print(f"{num_before - len(cases):,} cases are skipped: there is no folder {DATA}")
    if not cases:
        print("there are no such cases")
        return 2
    print(f"{len(cases):,} cases", flush=True)
    with _sources(options.earlier) as tree:
        has_nuggets = (tree / "argue_eval" / "cli" / "nuggets.py").exists()
        changes = comparing.read_changes(CHANGES) if has_nuggets else []
        compared = {
            case: comparing.compare(case.name, before, now, changes)
            for case, before, now in _outcomes(tree, cases, has_nuggets=has_nuggets)
        }
    is_equal = _report(compared, changes, options.lines, is_all=not options.only)
    print(f"this took {time.perf_counter() - started:.0f} s")
    return 0 if is_equal else 1


def _is_meant(case: Case, only: str) -> bool:
    return only in case.name or any(only in command for command in case.commands)


# --- running ---------------------------------------------------------------------------------


def _outcomes(
    tree: Path, cases: Sequence[Case], *, has_nuggets: bool
) -> Iterator[tuple[Case, Outcome, Outcome]]:
    """Yields what the earlier version and this one do in each case."""
    before: list[Outcome] = []
    now: list[Outcome] = []
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name) / "inputs"
        write_inputs(inputs)
        write_judgments(inputs, judged(has_data=has_data()))
        works = [
            (
                tree,
                inputs,
                [each.earlier if has_nuggets else each.commands for each in cases],
                before,
            ),
            (REPOSITORY, inputs, [case.commands for case in cases], now),
        ]
        threads = [threading.Thread(target=_run, args=work) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for version, outcomes in (("the earlier version", before), ("this version", now)):
        if len(outcomes) < len(cases):
            raise SystemExit(f"{version} broke off at the case {cases[len(outcomes)].name}")
    yield from zip(cases, before, now, strict=True)


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


def _run(tree: Path, inputs: Path, cases: Sequence[Sequence[str]], found: list[Outcome]) -> None:
    """Runs the commands of cases with the sources in a folder."""
    command = [sys.executable, "-m", "benchmarks.unchanged.worker", str(tree), str(inputs)]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stream:
        stream.writelines(json.dumps(commands) + "\n" for commands in cases)
        stream.seek(0)
        process = subprocess.Popen(
            command, cwd=REPOSITORY, env=environment, stdin=stream, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        found.extend(json.loads(line) for line in process.stdout)
        process.wait()


# --- reporting -------------------------------------------------------------------------------


def _report(
    compared: Mapping[Case, Comparison], changes: Sequence[Change], num_lines: int, *, is_all: bool
) -> bool:
    """Prints what differs; returns whether nothing does, but for words and what is meant."""
    different = {case: each for case, each in compared.items() if each.parts}
    changed = sum(bool(each.changes) and not each.parts for each in compared.values())
    equal = sum(each.is_equal for each in compared.values())
    _print_differences(different, num_lines)
    wordings = sum((each.wordings for each in compared.values()), Counter())
    used = sum((each.changes for each in compared.values()), Counter())
    print(f"\n{len(wordings)} corrected wordings (… is any value), with how often they are used:")
    for wording, times in sorted(wordings.items()):
        print(f"  {times} x  {wording.old}\n      ->  {wording.new}")
    print("\nchanges that are meant:" if changes else "\nno change is meant")
    for change in changes:
        often = f"{used[change]} times" if used[change] else "NEVER" if is_all else "not here"
        print(f"  {change.case.pattern or 'any'}, {often}: {change.why}")
    scores = sum((each.scores for each in compared.values()), Counter())
    others = ", ".join(f"{name} {scores[name]:,}" for name in sorted(scores) if name != "equal")
    print(
        f"\nscores by run, topic and measure: {scores['equal']:,} equal; not equal: {others or 0}"
    )
    reworded = len(compared) - equal - changed - len(different)
    counts = f"{equal} equal, {reworded} equal but for words, {changed} changed as meant"
    print(f"\n{len(compared)} cases: {counts}, {len(different)} different")
    return not different


def _print_differences(different: Mapping[Case, Comparison], num_lines: int) -> None:
    """Prints each difference once, with the names of all cases that have it."""
    same: dict[tuple[str, ...], list[tuple[Case, Part]]] = {}
    for case, comparison in different.items():
        for part in comparison.parts:
            same.setdefault((*part.lines, part.title), []).append((case, part))
    for (case, part), *others in same.values():
        print(f"\n=== {case.name}\n    {part.title}")
        print("\n".join(f"    {line}" for line in part.lines[:num_lines]))
        if len(part.lines) > num_lines:
            print(f"    … and {len(part.lines) - num_lines:,} more lines")
        if others:
            print(f"    the same in {len(others):,} more places, such as {others[0][0].name}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
