"""Nugget banks that a track takes as runs: drafts of them, so that they are checked as reports are.

The texts of a draft are questions and answers, and what they cite are the documents that attest
an answer. The shape is that which scoring reads.
"""

from __future__ import annotations

import re
from typing import Any

from argue_eval.errors import Finding, Findings, InputError
from argue_eval.formats.checking import Check, TooManyError
from argue_eval.formats.jsonl import JsonPath, Source
from argue_eval.formats.plugins import load
from argue_eval.formats.runs import Draft, Layout
from argue_eval.records import TopicNuggets
from argue_eval.validation.doc_ids import check_placeholders, doc_ids, of_track


class BankDecoder:
    """Makes drafts of a file's banks, one a line."""

    def __init__(self, source: Source, layout: Layout) -> None:
        self._warnings: list[Finding] = []
        self._topics: list[TopicNuggets] = []
        self._source = source
        self._key = layout.sentences[0]
        self._read = load("nuggets", layout.nuggets).read
        self._check = Check(source, self._warnings)

    def draft(self, number: int, raw: bytes) -> Draft:
        """Decodes a line.

        Raises:
            InputError: it is not strict JSON, or no bank.
        """
        value = self._source.decode(raw.rstrip(b"\r\n"), number)
        check = self._check
        check.line, check.errors = number, []
        check.topics.clear()
        found: list[TopicNuggets] = []
        try:
            found += self._read([value], check)
        except TooManyError:
            check.note_cut("line")
        if check.errors:
            raise InputError(check.errors)
        self._topics += found
        return self._draft(value, number)

    def finish(self, docid_pattern: re.Pattern[str] | None) -> list[Finding]:
        """The warnings about the shape of all banks, and about the documents that they name."""
        self._check.errors = []
        self._check.finish()
        expected = of_track(docid_pattern) if docid_pattern else None
        findings = Findings(self._source.name)
        found = check_placeholders(findings, self._topics, expected=expected)
        if len(found) > 1 or found == doc_ids(self._topics).keys():
            self._warnings += findings  # one id among others has its own finding, with its place
        return self._warnings

    def _draft(self, value: dict[str, Any], number: int) -> Draft:
        texts: list[str] = []
        cited: list[Any] = []
        paths: list[tuple[JsonPath, str]] = []
        for place, nugget in enumerate(value[self._key]):
            path: JsonPath = (self._key, place)
            texts.append(nugget["question"])
            cited.append([])
            paths.append((path, "question"))
            for index, answer in enumerate(nugget.get("answers") or ()):
                found = answer.get("references") or ()
                texts.append(answer["answer"])
                cited.append([each if type(each) is str else each["doc_id"] for each in found])
                paths.append(((*path, "answers", index), "answer"))
        draft = Draft(number, value["metadata"], self._key, texts, cited, None)
        draft.text_paths = paths
        return draft
