"""What changed between two versions of a bank, and what that does to scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from argue_eval.errors import count, plain, shorten
from argue_eval.report.table_text import MarkdownPage, Page, fixed, formats

if TYPE_CHECKING:
    from argue_eval.analysis.rescoring import Effect
    from argue_eval.curation.versions import BankDiff, Change
    from argue_eval.records import MeasureValue

FORMAT = "argue-eval/bank-diff/1"
_WIDTH = 70


class View(NamedTuple):
    """What is shown.

    Attributes:
        height: so many changes are listed in a terminal; None for all.
    """

    diff: BankDiff
    effect: Effect | None = None
    height: int | None = None


def _document(view: View) -> dict[str, Any]:
    value: dict[str, Any] = {"format": FORMAT, **view.diff.as_json}
    if view.effect is not None:
        value["effect"] = {
            "measure": view.effect.measure,
            "kendall_tau": view.effect.kendall_tau,
            "runs": [
                {
                    "run_id": run.run_id,
                    "old": _row(run.old),
                    "new": _row(run.new),
                    "old_rank": list(run.old_rank),
                    "new_rank": list(run.new_rank),
                }
                for run in view.effect.runs
            ],
        }
    return value


def _row(row: MeasureValue) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("value", "lower", "upper", "num_unjudged")}


def _page(view: View, page: Page) -> Iterator[str]:
    diff = view.diff
    yield page.line(f"old: {diff.old}")
    yield page.line(f"new: {diff.new}")
    sizes = [("old", diff.old_size), ("new", diff.new_size)]
    yield from page.table(["", *diff.old_size._fields], [[name, *size] for name, size in sizes])
    yield page.line(str(diff))
    listed = diff.changes[: None if isinstance(page, MarkdownPage) else view.height]
    yield from (page.line(f"{change.topic_id}: {_told(change)}") for change in listed)
    if len(listed) < len(diff.changes):
        yield page.line(f"… and {len(diff.changes) - len(listed):,} more changes (--all)")
    if view.effect is not None:
        yield from _effect(view.effect, page)
        if number := sum(change.kind == "reworded" for change in diff.changes):
            yield page.line(
                "Judgments in files name a nugget by its id: those of "
                f"{count(number, 'reworded nugget')} count for the new words too."
            )


FORMATS = formats(_page, lambda _: "Changes of a nugget bank", _document)


def _told(change: Change) -> str:
    ids = " + ".join(change.old_ids) or " + ".join(change.new_ids)
    if change.kind in ("merged", "split", "renamed"):
        ids = f"{' + '.join(change.old_ids)} → {' + '.join(change.new_ids)}"
    if change.kind == "renamed":
        return f"{change.kind} {ids}"
    texts = [shorten(text, _WIDTH) for text in (change.before, change.after) if text]
    return f"{change.kind.replace('_', ' ')} {ids}: {' → '.join(texts)}"


def _effect(effect: Effect, page: Page) -> Iterator[str]:
    yield page.heading(
        2, f"{effect.measure} of {count(len(effect.runs), 'run')}, scored from judgments"
    )
    rows = [
        [
            plain(run.run_id),
            _value(run.old),
            _value(run.new),
            _change(run.old, run.new),
            str(run.old_rank) if not run.has_moved else f"{run.old_rank} → {run.new_rank}",
        ]
        for run in effect.runs
    ]
    yield from page.table(["run", "old", "new", "change", "rank"], rows)
    num_moved = sum(run.has_moved for run in effect.runs)
    tau = "" if effect.kendall_tau is None else f"; Kendall's tau {fixed(effect.kendall_tau)}"
    yield page.line(f"ranks that move: {num_moved:,} of {len(effect.runs):,}{tau}")
    if effect.is_open:
        number = max(run.new.num_unjudged for run in effect.runs)
        yield page.line(
            f"Up to {count(number, 'unit')} of a run {'is' if number == 1 else 'are'} not judged "
            "for the new version: bounds stand for values, and the ranks that are possible. Judge "
            "them, or name a judge (--judge)."
        )


def _value(row: MeasureValue) -> str:
    return fixed(row.value) if row.value is not None else f"{fixed(row.lower)}–{fixed(row.upper)}"


def _change(old: MeasureValue, new: MeasureValue) -> str:
    if old.value is None or new.value is None:
        return ""
    return f"{round(new.value - old.value, 4) + 0.0:+.4f}"  # not -0.0
