"""The page of a topic: its request, every run's report with its outcomes, and the nuggets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import bidirectional

from argue_eval.errors import count
from argue_eval.formats.html import as_json, visible
from argue_eval.measures.protocols.argue import OUTCOMES
from argue_eval.records import Nugget
from argue_eval.report.pages import chart, figures
from argue_eval.report.pages.model import ShownReport, ShownSentence, Track, TrackRun, report_of
from argue_eval.report.pages.passages import Excerpt, excerpt
from argue_eval.report.pages.run import length_of
from argue_eval.report.pages.source import Answered, KeptDocument, Unit
from argue_eval.report.table_text import SHAPES
from argue_eval.text.deciding import Passage, deciding

MAX_PASSAGES = 2_000_000
"""Characters of documents on a page. What is beyond is left out, and the page says so."""

MAX_CHIPS = 12
"""Citations shown in the text of a sentence; all are listed where the sentence is explained."""

_LANGUAGE = re.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_STATUS = {True: "y", False: "n", None: "u"}


def values(track: Track, topic_id: str, runs: Sequence[TrackRun]) -> dict[str, Any]:
    """What is on the page of a topic with the reports of these runs."""
    found = [(run, report_of(run, topic_id)) for run in runs]
    reports = [report for _, report in found if report is not None]
    nuggets = track.nuggets[topic_id]
    shown = _Documents(track)
    reading = str(runs[0].about.options.get("reading", "argue")) if runs else "argue"
    places = {each.nugget_id: place for place, each in enumerate(nuggets)}
    data = {
        "runs": [_run_data(report, places, shown, reading) for report in reports],
        "docs": shown.listed(),
        "outcomes": {str(key): value for key, value in OUTCOMES.items()},
    }
    has_ways = any(sentence.unit for each in reports for sentence in each.sentences)
    return {
        "track": track,
        "topic_id": topic_id,
        "request": track.requests.get(topic_id),
        "reports": [_report_values(track, report) for report in reports],
        "missing": [run for run, report in found if report is None],
        "nuggets": nuggets,
        "chart": chart.diagram(reading) if has_ways else "",
        "shapes": SHAPES,
        "ends": _ends(reports),
        "each_doc": _attesting,
        "num_left_out": shown.num_left_out,
        "max_chips": MAX_CHIPS,
        "data": data,
    }


def _ends(reports: Sequence[ShownReport]) -> list[tuple[str, str, str]]:
    """The ends of the sentences with their effects and meanings, in the order of figures."""
    found = {each.end: each.effect for report in reports for each in report.sentences}
    return [
        (end, found[end], OUTCOMES[int(end)][1] if end.isdigit() else end)
        for end in figures.OUTCOMES
        if end in found
    ]


def _report_values(track: Track, report: ShownReport) -> dict[str, Any]:
    tally = report.run.tallies.get(report.topic_id)
    covering = _covering(report)
    return {
        "report": report,
        "value": track.shown(report.run, report.topic_id),
        "tally": figures.stacked(tally, width=640) if tally else "",
        "length": length_of(track, report),
        "dir": _direction(report),
        "lang": _language(track, report.topic_id),
        "badges": [_badge(each, covering.get(each.index, ())) for each in report.sentences],
        "names": [_name(each, covering.get(each.index, ())) for each in report.sentences],
        "num_unjudged": sum(each.effect == "unjudged" for each in report.sentences),
    }


def _direction(report: ShownReport) -> str:
    """The direction of the first letter that has one."""
    for sentence in report.sentences:
        for char in sentence.text[:1000]:
            if (kind := bidirectional(char)) in ("L", "R", "AL"):
                return "ltr" if kind == "L" else "rtl"
    return "ltr"


def _language(track: Track, topic_id: str) -> str:
    request = track.requests.get(topic_id)
    language = request.language if request and request.language else ""
    return language if _LANGUAGE.fullmatch(language) else ""


def _badge(sentence: ShownSentence, covered: Sequence[str]) -> str:
    shape = SHAPES.get(sentence.effect, "")
    if sentence.unit is None:
        return f"● {len(covered)}" if covered else str(sentence.index + 1)
    return f"{shape}{sentence.unit.outcome or ''}" or "·"


def _name(sentence: ShownSentence, covered: Sequence[str]) -> str:
    """Where a sentence ends, for who does not see its badge."""
    unit = sentence.unit
    if unit is None:
        return f"covers {count(len(covered), 'nugget')}" if covered else "covers no nugget"
    if unit.outcome:
        return f"outcome {unit.outcome}, {OUTCOMES[unit.outcome][1]}"
    return sentence.effect


def _attesting(nugget: Nugget) -> list[str]:
    """The documents that attest a nugget's answers."""
    return list(dict.fromkeys(doc_id for each in nugget.answers for doc_id in each.doc_ids))


def _covering(report: ShownReport) -> dict[int, list[str]]:
    """The claims that each sentence covers, by its index."""
    found: dict[int, list[str]] = {}
    for claim in report.claims:
        for place in _places_of(claim.bullet, claim.sentences):
            found.setdefault(place, []).append(claim.nugget_id)
    return found


def _places_of(bullet: int | None, sentences: Sequence[int]) -> list[int]:
    return list(sentences) or ([] if bullet is None else [bullet])


# --- what the script needs ------------------------------------------------------------------------


@dataclass
class _Cited:
    """A document that reports of a page cite.

    Attributes:
        marks: the passages that decided, each with the row that is given its place.
    """

    number: int
    doc_id: str
    document: KeptDocument
    marks: list[tuple[list[Any], Passage]] = field(default_factory=list)

    def mark(self, row: list[Any], rationale: str, sentence: str) -> None:
        """Finds the passage that decided; its place is added to the row when all are known."""
        text = self.document.text
        passage = deciding(text, rationale, sentence) if text else None
        if passage is not None:
            self.marks.append((row, passage))


class _Documents:
    """The documents that the reports of a page cite, each once."""

    def __init__(self, track: Track) -> None:
        self._track = track
        self._found: dict[tuple[str, str], _Cited] = {}
        self.num_left_out = 0

    def cite(self, report: ShownReport, doc_id: str) -> _Cited:
        """A document, with its number among those of the page."""
        key = (doc_id, "" if self._track.documents.has(doc_id) else report.run.run_id)
        if key not in self._found:
            document = self._track.document(doc_id, report) or KeptDocument()
            self._found[key] = _Cited(len(self._found), doc_id, document)
        return self._found[key]

    def listed(self) -> list[dict[str, Any]]:
        """The documents as the script knows them: id, title, text, length of the whole."""
        found, room = [], MAX_PASSAGES
        for each in self._found.values():
            text, size = each.document.text, each.document.num_characters
            shown = excerpt(text, [passage for _, passage in each.marks])
            room -= len(shown.text)
            if room < 0:
                self.num_left_out += bool(text)
                shown = Excerpt("", ())
            for row, passage in each.marks if shown.text else ():
                places = (_num_units(shown.text[:end]) for end in shown.place(passage))
                row += [*places, int(passage.is_named)]
            whole = size or (len(text) if len(shown.text) < len(text) else 0)
            title = each.document.title
            found.append({"i": each.doc_id, "t": title, "x": shown.text, "n": whole})
        return found


def _num_units(text: str) -> int:
    """The length of a text as the script sees it: in UTF-16, with what is hidden made visible."""
    shown: str = json.loads(visible(as_json(text)))
    return len(shown.encode("utf-16-le", "surrogatepass")) // 2


def _run_data(
    report: ShownReport, places: dict[str, int], shown: _Documents, reading: str
) -> dict[str, Any]:
    sentences = [_sentence_data(report, each, places, shown, reading) for each in report.sentences]
    if report.claims:
        _add_claims(sentences, report, places)
    status, where = _nugget_data(report, places)
    notes = {places[each.nugget_id]: _note(each) for each in report.claims
             if each.nugget_id in places}  # fmt: skip
    return {"id": report.run.run_id, "s": sentences, "n": status, "w": where, "t": notes}


def _sentence_data(
    report: ShownReport,
    sentence: ShownSentence,
    places: dict[str, int],
    shown: _Documents,
    reading: str,
) -> dict[str, Any]:
    cited = []
    for each in sentence.cited:
        document = shown.cite(report, each.doc_id)
        outcome = each.ended.outcome if each.ended else None
        judged = each.judged
        said = [judged.verdict, judged.prob, judged.judge] if judged else [None, None, ""]
        rationale = judged.rationale if judged else ""
        row = [document.number, outcome, *said, rationale]
        document.mark(row, rationale, sentence.text)
        cited.append(row)
    unit = sentence.unit
    found: dict[str, Any] = {"e": sentence.effect, "c": cited}
    if unit is not None:
        found |= {
            "o": unit.outcome,
            "p": [] if unit.outcome else unit.possible,
            "q": [[each.question, each.answer, each.judge, each.evidence] for each in unit.path],
            "l": chart.way(unit, reading),
            "k": [[places.get(each.nugget_id, -1), each.answer] for each in unit.credited],
        }
    return found


def _add_claims(
    sentences: list[dict[str, Any]], report: ShownReport, places: dict[str, int]
) -> None:
    """Adds to each sentence the claims that it covers, where claims are the units."""
    covering = _covering(report)
    for sentence, data in zip(report.sentences, sentences, strict=True):
        if sentence.unit is None:
            covered = covering.get(sentence.index, [])
            data["k"] = [[places.get(nugget_id, -1), ""] for nugget_id in covered]
            data["h"] = _name(sentence, covered)


def _note(claim: Unit) -> str:
    """Who judged a claim, and whether the retrieved documents entail it."""
    entailed = {
        True: "entailed by the retrieved documents",
        False: "not entailed by the retrieved documents",
        None: "",
    }[claim.is_entailed]
    return "; ".join(filter(None, (claim.judge, entailed)))


def _nugget_data(
    report: ShownReport, places: dict[str, int]
) -> tuple[str, dict[int, list[list[Any]]]]:
    """Each nugget's status, a letter, and by nugget the sentences that answer it."""
    where = {
        places[each.nugget_id]: [list(pair) for pair in each.credited]
        for each in report.nuggets.values()
        if each.credited and each.nugget_id in places
    }
    for claim in report.claims:
        found = _places_of(claim.bullet, claim.sentences)
        if found and claim.nugget_id in places:
            where[places[claim.nugget_id]] = [[index, ""] for index in found]
    return statuses(report.nuggets.values(), report.claims, places), where


_LETTERS = {"yes": "y", "partial": "p", "no": "n", "contradicts": "n"}


def statuses(nuggets: Iterable[Answered], claims: Iterable[Unit], places: Mapping[str, int]) -> str:
    """A letter for each nugget: answered (y), in part (p), not (n), unjudged (u); else ``-``."""
    found = ["-"] * len(places)
    for each in nuggets:
        if each.nugget_id in places:
            found[places[each.nugget_id]] = _STATUS[each.is_correct]
    for claim in claims:
        if claim.nugget_id in places:
            verdict = claim.coverage or ""
            if claim.is_covered is not None:
                verdict = "yes" if claim.is_covered else "no"
            found[places[claim.nugget_id]] = _LETTERS.get(verdict, "u")
    return "".join(found)


def status_of(run: TrackRun, topic_id: str, places: Mapping[str, int]) -> str:
    """The same of a run's report; all ``-`` where it has none."""
    claims = () if run.tallies.get(topic_id) else run.outcomes.of(topic_id)
    return statuses(run.nuggets.of(topic_id), [each for each in claims if each.claim], places)
