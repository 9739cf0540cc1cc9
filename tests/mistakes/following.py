"""Follows to the letter what a finding advises: the edit of its hint, at its line and path.

Nothing else of the finding is read, and nothing of what was done wrong.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from argue_eval.errors import Finding
from tests.mistakes.editing import Mend

_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")


class UnclearError(Exception):
    """The hint names no edit that can be made without knowing what was meant."""


class Text:
    """A file of JSON lines, or of one JSON document, that is edited where a finding is.

    Attributes:
        topics: what the requests say for each topic, for a run.
    """

    def __init__(self, raw: bytes, finding: Finding, topics: Mapping[str, str]) -> None:
        self.finding = finding
        self.topics = topics
        self._lines = raw.decode("utf-8", "replace").splitlines()
        self._values: list[Any] = []
        try:
            self._values = [json.loads(raw)]
            self.is_document = True
        except ValueError:
            self.is_document = False
        if len(self._lines) == 1 or not self.is_document:
            self.is_document = False
            self._values = [_loaded(line) for line in self._lines]

    def encoded(self) -> bytes:
        if self.is_document:
            return json.dumps(self._values[0], indent=1).encode()
        lines = [
            line if value is None else json.dumps(value, ensure_ascii=False)
            for line, value in zip(self._lines, self._values, strict=True)
        ]
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def place(self) -> int:
        return 0 if self.is_document else (self.finding.line or 1) - 1

    @property
    def steps(self) -> list[Any]:
        found = _STEP.findall(self.finding.path)
        return [int(index) if index else name or key for name, index, key in found]

    def at(self, steps: list[Any]) -> Any:
        value = self._values[self.place]
        for step in steps:
            value = value[step]
        return value

    @property
    def value(self) -> Any:
        return self.at(self.steps)

    def put(self, value: Any) -> None:
        if self.steps:
            self.at(self.steps[:-1])[self.steps[-1]] = value
        else:
            self._values[self.place] = value

    def remove(self) -> None:
        if self.steps:
            del self.at(self.steps[:-1])[self.steps[-1]]
        else:
            self.remove_line()

    def remove_line(self) -> None:
        """Removes the line, or the item of the innermost list in which the place is."""
        steps = self.steps
        while steps and not isinstance(steps[-1], int):
            steps.pop()
        if steps:
            del self.at(steps[:-1])[steps[-1]]
        else:
            del self._values[self.place], self._lines[self.place]

    def remove_sentence(self) -> None:
        del self.at(self.steps[:1])[self.steps[1]]

    def rename(self, old: str, new: str) -> None:
        holder = self.value if isinstance(self.value, dict) and old in self.value else None
        holder = self.at(self.steps[:-1]) if holder is None else holder
        renamed = {new if key == old else key: each for key, each in holder.items()}
        holder.clear()
        holder.update(renamed)

    def write_meant(self, meant: str) -> None:
        holder, last = self.at(self.steps[:-1]), self.steps[-1]
        if isinstance(holder, dict) and last not in ("topic_id", "narrative_id", "request_id"):
            self.rename(last, meant)
        elif isinstance(holder[last], int):  # an index: the id is among the references
            self._values[self.place]["references"][holder[last]] = meant
        else:
            holder[last] = meant

    def everywhere(self, keys: tuple[str, ...], value: Any) -> None:
        for each in self._values:
            for holder in (each, each.get("metadata", {})):
                holder.update({key: value for key in keys if key in holder})

    def metadata(self) -> Any:
        report = self._values[self.place]
        return report.get("metadata", report)

    def subtract(self, above: int = -1) -> None:
        for each in _sentences(self._values[self.place]):
            each["citations"] = [n - (n > above) for n in each["citations"]]

    def cite_instead(self, place: int) -> None:
        for each in _sentences(self._values[self.place]):
            each["citations"] = [place if n == self.steps[-1] else n for n in each["citations"]]

    def shorten(self, index: int) -> None:
        del self.at(self.steps[:1])[index:]

    def first(self, key: str) -> Any:
        return self._values[0].get("metadata", self._values[0]).get(key)

    def cited(self) -> list[str]:
        report = self._values[self.place]
        return list(dict.fromkeys(d for each in _sentences(report) for d in each["citations"]))


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _sentences(report: Any) -> list[Any]:
    return next(report[key] for key in ("responses", "answer", "sentences") if key in report)


def _remove_and_subtract(text: Text, above: str) -> None:
    text.remove()
    text.subtract(int(above))


def _cite_then_remove(text: Text, place: str, above: str) -> None:
    text.cite_instead(int(place))
    _remove_and_subtract(text, above)


def _write_shape(text: Text, shape: str) -> None:
    cited = text.value
    known = [str(each) for each in cited] if isinstance(cited, (list, dict)) else []
    references = [] if text.is_document else text.at([]).get("references") or []
    if shape.startswith("{"):
        text.put({doc_id: 0.5 for doc_id in known if not doc_id.isdigit()})
    elif "index" in shape:
        text.put([references.index(each) for each in known if each in references])
    else:
        text.put([each for each in known if not each.isdigit()])


def _add_citations(text: Text, value: str) -> None:
    if isinstance(text.value, dict) and text.steps[-1] != "citations":
        text.value["citations"] = json.loads(value)
    else:
        text.put(json.loads(value))


def _keep_best(text: Text, most: str) -> None:
    kept = list(text.value)[: int(most)]
    text.put({each: text.value[each] for each in kept} if isinstance(text.value, dict) else kept)


def _unnest(text: Text) -> None:
    holder, last = text.at(text.steps[:-1]), text.steps[-1]
    holder[last : last + 1] = holder[last]


def _without(pattern: str) -> Callable[[Text], None]:
    def change(text: Text) -> None:
        text.put(re.sub(pattern, "", text.value))

    return change


def _invisible(text: Text) -> None:
    text.put("".join(char for char in text.value if char.isprintable()))


def _of_request(text: Text) -> None:
    text.put(text.topics[text.finding.topic_id])


EDITS: dict[str, Callable[..., None]] = {
    r"rename '([^']+)' to '([^']+)'": Text.rename,
    r"if '([^']+)' is meant, rename it to '([^']+)'": Text.rename,
    r"call it '([^']+)'": lambda text, new: text.rename(
        re.findall(r"found '([^']+)'", text.finding.message)[0], new),
    r"is '(.+)' meant\?": Text.write_meant,
    r'put it in quotes: "(.*)"': Text.put,
    r"such as (?:to )?'([^']+)', in every report":
        lambda text, meant: text.everywhere(("run_id", "run_name"), meant),
    r"indexes count from 0: (?:if yours count from 1, )?subtract 1 from every index of the report":
        Text.subtract,
    r"cite (\d+) for it; then remove it and subtract 1 from every index above (\d+)":
        _cite_then_remove,
    r"remove it and subtract 1 from every index above (\d+)": _remove_and_subtract,
    r"remove it from the text, and list": _without(r" ?[\[(【][^\[\]()]*[\])】]"),
    r"write the sentence, or remove it": Text.remove_sentence,
    r"remove it(?:, or cite it)?$": Text.remove,
    r"remove one$": Text.remove,
    r"remove its brackets": _unnest,
    r"write the document id alone": lambda text: text.put(
        next(iter(text.value.values() if isinstance(text.value, dict) else text.value))),
    r"correct or remove it$": Text.remove,
    r"write the id, or remove the citation": Text.remove,
    r"write the id, or leave the whole entry out": Text.remove,
    r"write the report, or remove the sentence": Text.remove_sentence,
    r'write \{"text": …, "citations": (\{\}|\[\])\}':
        lambda text, none: text.put({"text": text.value, "citations": json.loads(none)}),
    r'write "citations": (\{\}|\[\])': _add_citations,
    r"write (\{\}|\[\])$": lambda text, value: text.put(json.loads(value)),
    r"write (\[index|\{doc_id: score|\[doc_id)": _write_shape,
    r'write (\[(?:"[^"]+"|\d+)\]); \[\] if it cites nothing':
        lambda text, value: text.put(json.loads(value)),
    r"put it in square brackets": lambda text: text.put([text.value]),
    r"write '(\w+)'$": Text.put,
    r"write (\d+)$": lambda text, number: text.put(int(number)),
    r"write a number": lambda text: text.put(0.5),
    r"write the same (run|team) id in every report":
        lambda text, what: text.put(text.first(f"{what}_id")),
    r"keep the best (\d+)": _keep_best,
    r"end the report before sentence (\d+)": lambda text, index: text.shorten(int(index)),
    r"keep one of the two reports": Text.remove_line,
    r"a run has one report for a topic: remove one": Text.remove_line,
    r"remove the report": Text.remove_line,
    r"keep one of the two$": Text.remove_line,
    r"give each an id of its own": lambda text: text.value.update(nugget_id="another"),
    r"add it to the references":
        lambda text: text.at(["references"]).append(_cited_at(text)),
    r"add the list of all cited documents; \[\]":
        lambda text: text.at([]).update(references=text.cited()),
    r"copy the text of the request as it is": _of_request,
    r"(?:add|write a value for) '(\w+)'(?: with a value| that)? ?(?:that )?(?:is )?not empty":
        lambda text, key: text.metadata().update(
            {key: (key in ("run_id", "team_id") and text.first(key)) or "automatic"}),
    r"remove (?:them: they|tabs, line breaks)": _invisible,
    r"write plain text": _without(r"</?\w+>|\*\*"),
    r"write characters for entities": lambda text: text.put(html.unescape(text.value)),
}  # fmt: skip
"""How a hint starts or what it contains, and the edit; the groups are passed to it."""


def _cited_at(text: Text) -> str:
    value = text.value if isinstance(text.at(text.steps[:-1]), list) else text.steps[-1]
    return str(value)


def edited(edit: Callable[..., None], *groups: str, topics: Mapping[str, str] = {}) -> Mend:
    """What makes an edit where a finding is."""

    def mend(raw: bytes, finding: Finding) -> bytes:
        text = Text(raw, finding, topics)
        edit(text, *groups)
        return text.encoded()

    return mend


def follow(raw: bytes, finding: Finding, topics: Mapping[str, str] = {}) -> bytes:
    """The file after what a hint says was done.

    Raises:
        UnclearError: it names no edit.
    """
    if finding.hint == "put each object on a line of its own":
        return raw.replace(b"}{", b"}\n{")
    if finding.hint == "remove the comma before the closing bracket":
        return re.sub(rb",(\s*[\]}])", rb"\1", raw)
    for pattern, edit in EDITS.items():
        if found := re.search(pattern, finding.hint):
            return edited(edit, *found.groups(), topics=topics)(raw, finding)
    raise UnclearError(finding.hint)
