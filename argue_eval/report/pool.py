"""How much of each run is in a pool, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.analysis.pooling import Pool
from argue_eval.errors import count
from argue_eval.report.table_text import TextPage, document


def as_text(pool: Pool) -> Iterator[str]:
    """Yield an aligned table, a line per run."""
    page, options = TextPage(), pool.options
    topics = len({item.topic_id for item in pool.items})
    limits = [
        f"{name} {value:,}"
        for name, value in (("depth", options.depth), ("budget", options.budget))
        if value is not None
    ]
    yield page.line(
        f"pool: {len(pool.items):,} {options.items}, {count(topics, 'topic')}, "
        f"{count(len(pool.coverage), 'run')}{', ' * bool(limits)}{', '.join(limits)}"
    )
    head = ["run", "team", options.items, "pooled", "share", "unique"]
    rows = [
        (each.run_id, each.team, each.num_items, each.num_pooled, each.share, each.num_unique)
        for each in pool.coverage
    ]
    yield from page.table(head, rows)
    yield page.line("pooled: how many are in the pool. unique: of these, from this team alone.")


def as_json(pool: Pool) -> Iterator[str]:
    """Yield one JSON document."""
    options = pool.options
    value = {
        "format": "argue-eval/pool/1",
        "items": options.items,
        "depth": options.depth,
        "budget": options.budget,
        "order": options.order,
        "seed": options.seed,
        "num_items": len(pool.items),
        "runs": [{**each._asdict(), "share": each.share} for each in pool.coverage],
    }
    yield document(value)
