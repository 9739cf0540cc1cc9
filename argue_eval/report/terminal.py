"""A report in the terminal: where its sentences end, what they cite, which nuggets it answers.

Outcomes are told by shape and number as well as by colour. What could control the terminal is
escaped; nothing in the texts is read as markup.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from argue_eval.errors import plain
from argue_eval.records import MeasureValue, Nugget, Report, TopicEvidence
from argue_eval.report.table_text import SHAPES

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored

_STYLES = {"reward": "green", "penalise": "red", "unjudged": "magenta", "by citation": "yellow"}
_SUPPORT = {
    "yes": ("✓", "green"),
    "no": ("✗", "red"),
    "partial": ("◐", "yellow"),
    "contradicts": ("⊘", "red"),
}
_ANSWERED = {
    True: ("●", "green", "answered"),
    False: ("○", "red", "missed"),
    None: ("?", "magenta", "unjudged"),
}
_OF_CLAIMS = ("coverage", "is_covered")


def shown(scores: Scored, topic_id: str, *, width: int, has_colour: bool) -> str:
    """A run's report for a topic as text for a terminal.

    Args:
        width: of the terminal, in columns.

    Raises:
        StopIteration: the run was not scored on the topic.
    """
    evidence = next(each for each in scores.evidence if each.topic_id == topic_id)
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=has_colour, highlight=False, emoji=False
    )
    console.print(_head(scores, evidence))
    if evidence.report is None:
        console.print(Text("\nThe run has no report for the topic.", "red"))
    else:
        console.print(_sentences(evidence.report, list(scores.outcome_records(topic_id))))
    answered = {
        each["nugget_id"]: each for each in scores.nugget_records() if each["topic_id"] == topic_id
    }
    answered |= {
        each["nugget_id"]: _of_claim(each)
        for each in (scores.outcome_records(topic_id) if evidence.report else ())
        if each.get("nugget_id") and not each.keys().isdisjoint(_OF_CLAIMS)
    }
    if evidence.nuggets and (answered or not evidence.report):  # some protocols ask about none
        without = {"is_correct": None if evidence.report else False, "credited": ()}
        found = [(each, answered.get(each.nugget_id, without)) for each in evidence.nuggets]
        console.print(_nuggets(found))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _head(scores: Scored, evidence: TopicEvidence) -> Group:
    request = evidence.topic.request
    title = Text(plain(scores.table.run_id), "bold")
    title.append(f" on {plain(evidence.topic_id)}", "bold")
    if request and request.title:
        title.append(f": {plain(request.title)}")
    rows = [row for row in scores.table.rows if row.topic_id == evidence.topic_id]
    values = Text("  ").join(map(_value, (row for row in rows if not row.is_count)))
    return Group(title, values)


def _value(row: MeasureValue) -> Text:
    return Text.assemble((row.measure, "dim"), f" {row}")


def _sentences(report: Report, records: Sequence[Mapping[str, Any]]) -> Group:
    by_place = {each["sentence_index"]: each for each in records if "path" in each}
    lines = Table.grid(padding=(0, 1, 0, 0))
    for index, sentence in enumerate(report.sentences):
        record = by_place.get(index, {})
        effect = record.get("effect", "")
        style = _STYLES.get(effect, "")
        mark = Text(f"{SHAPES.get(effect, '·')}{record.get('outcome') or ' '}", f"bold {style}")
        line = Text(plain(sentence.text), style, overflow="fold")
        supports = {each["doc_id"]: each["support"] for each in record.get("citations", ())}
        for citation in sentence.citations:
            sign, colour = _SUPPORT.get(supports.get(citation.doc_id) or "", ("?", "magenta"))
            line.append(f" [{sign if record else ''}{plain(citation.doc_id)}]", colour)
        lines.add_row(Text(f"{index + 1:>3}", "dim"), mark, line)
    return Group(Text(""), lines, _legend())


def _legend() -> Text:
    meanings = {"reward": "rewarded", "ignore": "ignored", "penalise": "penalised"}
    legend = Text("\n", "dim")
    for effect, shape in SHAPES.items():
        legend.append(f"{shape} {meanings.get(effect, effect)}  ", _STYLES.get(effect, ""))
    return legend


def _of_claim(record: Mapping[str, Any]) -> dict[str, Any]:
    """Whether a claim is covered and where, as for other nuggets."""
    covered = record.get("coverage")
    is_covered = record.get("is_covered", None if covered is None else covered == "yes")
    bullet = record.get("bullet")
    places = record.get("sentences") or ([] if bullet is None else [bullet])
    return {"is_correct": is_covered, "credited": [(place, "") for place in places]}


def _nuggets(nuggets: Iterable[tuple[Nugget, Mapping[str, Any]]]) -> Group:
    lines: list[Text] = [Text("\nNuggets", "bold")]
    for nugget, found in nuggets:
        shape, style, word = _ANSWERED[found["is_correct"]]
        line = Text(f"  {shape} ", f"bold {style}")
        line.append(plain(nugget.question or nugget.answers[0].answer))
        if nugget.importance:
            line.append(f" ({nugget.importance.value})", "dim")
        places = dict.fromkeys(str(place + 1) for place, _ in found["credited"])
        if places:
            word += f" in {'sentence' if len(places) == 1 else 'sentences'} {', '.join(places)}"
        line.append(f": {word}", style)
        lines.append(line)
    return Group(*lines)
