"""How a judge did on the probes, as text, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from argue_eval.analysis.results import Panel
from argue_eval.errors import count, plain
from argue_eval.evaluation.probes import Contrast, Count, Failure
from argue_eval.report.table_text import Cells, Page, fixed, formats, interval

_SHOWN = 3
_LONGEST = 90
_FAILURE = ("sentence", "pair", "verdict", "expected")


class View(NamedTuple):
    """What is shown: also how several draws agree among themselves, by kind."""

    found: Contrast
    panels: Sequence[Panel]


def _document(view: View) -> dict[str, Any]:
    found, panels = view
    return {
        "format": "argue-eval/contrast/1",
        "judges": list(found.judges),
        "num_draws": found.num_draws,
        "kinds": [kind.value for kind in found.kinds],
        "pairs": {name: _counted(each) for name, each in found.pairs.items()},
        "held_out": {name: _counted(each) for name, each in found.held_out.items()},
        "forms": {name: each._asdict() for name, each in found.forms.items()},
        "self_agreement": [
            {
                "kind": panel.kind.value,
                "num": panel.num,
                "figures": {each.name: each._asdict() for each in panel.figures},
            }
            for panel in panels
        ],
        "num_open": found.num_open,
        "failures": [each._asdict() for each in found.failures],
    }


def _counted(counted: Count) -> dict[str, Any]:
    return {**counted._asdict(), "accuracy": counted.accuracy, "ordered": counted.ordered}


def _page(view: View, page: Page) -> Iterator[str]:
    found, panels = view
    yield page.line(f"judge: {', '.join(found.judges)}")
    if found.num_draws > 1:
        yield page.line(f"asked {found.num_draws} times; a verdict is that of more than half")
    yield page.line(f"kinds: {', '.join(kind.value for kind in found.kinds)}")
    yield page.heading(1, "pairs of sentences, of which one is right")
    yield page.line(
        "right: verdicts of two per pair: yes to the right sentence, not yes to the wrong one; "
        "order: the right one is the more probable; open: no verdict; held out: not seen when "
        "lexical was made"
    )
    yield from page.table(
        ("differ in", "pairs", "right", "order", "held out", "right", "order", "open"),
        [_row(name, each, found.held_out.get(name, Count())) for name, each in found.pairs.items()],
    )
    if found.forms:
        yield from _forms(found, page)
    if panels:
        yield from _with_itself(panels, page)
    yield from _failures(found, page)


FORMATS = formats(_page, lambda _: "A judge on the probes", _document)


def _with_itself(panels: Sequence[Panel], page: Page) -> Iterator[str]:
    yield page.heading(1, "agreement with itself")
    yield page.line(
        "unanimous: the share of questions with one verdict in all draws; accuracy and kappa are "
        "means over the pairs of draws, alpha (Krippendorff's) is over all"
    )
    for panel in panels:
        yield page.line(f"{panel.kind.value}: {count(panel.num, 'question')}")
        rows = [(each.name, each.value, interval(each)) for each in panel.figures]
        yield from page.table(("figure", "value", "interval"), rows)


def _row(name: str, all_: Count, held_out: Count) -> Cells:
    shares = [
        cell
        for each in (all_, held_out)
        for cell in (each.num_pairs, fixed(each.accuracy, 3), fixed(each.ordered, 3))
    ]
    return (name, *shares, all_.num_open)


def _forms(found: Contrast, page: Page) -> Iterator[str]:
    yield page.heading(1, "questions about support in another form, which changes no answer")
    yield page.line(
        "yes: of the verdicts on the plain questions; same: verdicts that did not change; to yes, "
        "from yes: how others changed; the questions are of the half that is held out"
    )
    head = ("form", "asked", "yes", "same", "to yes", "from yes", "open")
    yield from page.table(head, [(name, *each) for name, each in found.forms.items()])


def _failures(found: Contrast, page: Page) -> Iterator[str]:
    yield page.heading(1, f"{count(len(found.failures), 'verdict')} not as expected")
    for probe in (*found.pairs, *found.forms):
        own = [each for each in found.failures if each.probe == probe]
        if own:
            more = f", of which {_SHOWN} are shown (--json has all)" if len(own) > _SHOWN else ""
            yield page.line(f"{probe}: {len(own):,}{more}")
            yield from page.table(_FAILURE, list(map(_failed, own[:_SHOWN])))


def _failed(failure: Failure) -> tuple[str, ...]:
    text = plain(failure.text)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return text, failure.pair_id, failure.found.value, failure.expected
