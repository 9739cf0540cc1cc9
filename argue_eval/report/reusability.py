"""What leaving out each team changes, as text, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argue_eval.analysis.reusability import Reusability
from argue_eval.errors import count
from argue_eval.report.table_text import Cells, Page, fixed, formats

_LEAVING = {
    "people": ", and people's judgments of what only it has",
    "all": ", and all judgments of what only it has",
    "none": "",
}


def _document(found: Reusability) -> dict[str, Any]:
    return {
        "format": "argue-eval/reusability/1",
        "leaving": found.leaving,
        "notes": list(found.notes),
        "runs": [
            {"run_id": run_id, "means": {name: each[place] for name, each in found.means.items()}}
            for place, run_id in enumerate(found.run_ids)
        ],
        "teams": [each._asdict() for each in found.teams],
        "measures": {
            name: {
                "mean_tau": found.mean_tau(name),
                "effects": [effect._asdict() for effect in effects],
            }
            for name, effects in found.effects.items()
        },
    }


def _page(found: Reusability, page: Page) -> Iterator[str]:
    runs = count(len(found.run_ids), "run")
    yield page.line(f"{count(len(found.teams), 'team')}, {runs}; each team is left out in turn,")
    yield page.line(f"with nuggets that only its documents attest{_LEAVING[found.leaving]}")
    for note in found.notes:
        yield page.line(f"note: {note}")
    head = ["measure", "mean tau", "lowest tau", "without", "largest rank change", "of", "without"]
    yield from page.table(head, [_of_measure(found, name) for name in found.effects])
    yield page.line("tau: Kendall's, of the rankings of all runs with and without the team's part")
    first = next(iter(found.effects))
    yield page.heading(2, f"Teams, by {first}")
    head = ["team", "runs", "nuggets", "answers", "judgments", "tau", "change", "own ranks"]
    rows: list[Cells] = [
        [
            team.name,
            *(len(team.run_ids), team.num_nuggets, team.num_answers, team.num_judgments),
            _tau(effect.tau),
            f"{fixed(effect.own_change)}{'*' * (effect.num_open > 0)}",
            _moved(effect.own_rank_change),
        ]
        for team, effect in zip(found.teams, found.effects[first], strict=True)
    ]
    yield from page.table(head, rows)
    yield page.line("nuggets, answers, judgments: those that leave with the team")
    yield page.line("change: of its runs' mean values. own ranks: their largest change, + is down")
    if any(effect.num_open for effect in found.effects[first]):
        yield page.line("* with lower bounds, where judgments are missing")


FORMATS = formats(_page, lambda _: "Reusability", _document)


def _of_measure(found: Reusability, name: str) -> list[str]:
    worst, largest = found.worst(name), found.largest(name)
    return [
        name,
        _tau(found.mean_tau(name)),
        _tau(worst.tau if worst else None),
        worst.team if worst and worst.tau != 1 else "-",
        _moved(largest.change),
        largest.run_id if largest.change else "-",
        largest.team if largest.change else "-",
    ]


def _tau(value: float | None) -> str:
    return fixed(value, 3)


def _moved(change: int) -> str:
    return f"{change:+,}" if change else "0"
