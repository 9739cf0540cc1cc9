"""Files with something wrong in them, for the readers and for the command line.

Each case names the kind of input, writes its files into a folder, and states what must be told:
code, line, and a part of the message.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.formats import samples as s

Content = bytes | Callable[[], bytes]


class Case(NamedTuple):
    """One broken input.

    Attributes:
        kind: ``requests``, ``nuggets``, ``runs``, ``documents`` or ``judgments``.
        files: content by name; a name that ends in ``/`` is a directory.
        line: on which the first finding is; None if it is about a file without lines.
        message: a part of the first finding's message.
        opened: the name to open; the first of the files if empty.
    """

    name: str
    kind: str
    files: dict[str, Content]
    code: str
    line: int | None
    message: str
    exit_code: int = 1
    opened: str = ""

    def write(self, folder: Path) -> str:
        """Writes the files; returns the path to open."""
        for name, content in self.files.items():
            path = folder / name
            if name.endswith("/"):
                path.mkdir(parents=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content())
        opened = self.opened or next(iter(self.files))
        return opened if opened.startswith("irds:") else str(folder / opened)


def _case(
    kind: str, name: str, content: Any, code: str, message: str, line: int | None = 1
) -> Case:
    ending = ".json" if kind == "nuggets" else ".jsonl"
    raw: Content = content if isinstance(content, bytes) or callable(content) else s.lines(content)
    return Case(f"{kind}: {name}", kind, {f"{kind}{ending}": raw}, code, line, message)


_run = partial(_case, "runs")
_nuggets = partial(_case, "nuggets")
_judgments = partial(_case, "judgments")
_requests = partial(_case, "requests")
_documents = partial(_case, "documents")


def _cited(cited: Any) -> s.Json:
    return s.report(responses=[{"text": "A bridge.", "citations": cited}])


def _pretty(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _by_hand(old: str, new: str, indent: int | None = None, times: int = 1) -> bytes:
    """A bank in which a person's editor left a mistake, with a nugget on each line or indented."""
    nuggets = [s.nugget(nugget_id=f"n{number}") for number in (1, 2, 3)]
    text = json.dumps(s.qrels(*nuggets), indent=indent)
    if indent is None:
        text = text.replace(', {"nugget_id"', ',{"nugget_id"').replace('{"nugget', '\n{"nugget')
        text = text.removesuffix("]}]}") + "\n]}]}"
    assert old in text
    return text.replace(old, new, times).encode()


def _merged() -> bytes:
    """A v3 bank in which one question is a key twice."""
    bank = _pretty(s.v3())
    entry = bank.index(b'  "Which bridge')
    end = bank.rindex(b"\n }")
    return bank[:end] + b",\n" + bank[entry:end] + bank[end:]


_GOOD = s.lines(s.report())
_SECOND = s.lines(s.report(metadata=s.meta(topic_id="t2")))
_DEEP = b'{"metadata": {}, "responses": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
_PACKED = gzip.compress(_GOOD * 50, mtime=0)

_BYTES = [
    _run("truncated line", _GOOD + _SECOND[:60] + b"\n", "json_truncated", "before it is", 2),
    _run("truncated first line", _GOOD[:60] + b"\n" + _SECOND, "json_truncated", "before it is"),
    _run("byte order mark", b"\xef\xbb\xbf" + _GOOD, "byte_order_mark", "byte order mark"),
    _run("UTF-16", _GOOD.decode().encode("utf-16"), "encoding", "UTF-16"),
    _run("UTF-16 without mark", _GOOD.decode().encode("utf-16-le"), "encoding", "null bytes"),
    _run("Latin-1", _GOOD + b'{"metadata": "caf\xe9"}\n', "encoding", "0xe9", 2),
    _run("NaN score", _GOOD + b'{"a": {"d1": NaN}}\n', "not_a_number", "NaN is not JSON", 2),
    _run("Infinity score", b'{"a": {"d1": Infinity}}\n', "not_a_number", "Infinity is not"),
    _run("number out of range", b'{"a": 1e999}\n', "json_syntax", "too large"),
    _run("null byte", _GOOD + b'{"a": "\x00"}\n', "null_byte", "null byte", 2),
    _run("duplicate key", b'{"responses": [],\t"responses": []}\n', "duplicate_key", "twice"),
    _run(
        "duplicate key before a spaced colon",
        b'{"a": {"text": "b", "text" : "c"}}\n',
        "duplicate_key",
        "'text'",
    ),
    _run("empty file", b"", "empty_file", "empty"),
    _run("blank lines only", b"\n  \n\n", "empty_file", "empty"),
    _run("empty list", b"[]\n", "empty_file", "the list is empty"),
    _run(
        "ten megabytes of junk", lambda: b"\xc2\xa7x" * 3_500_000, "unknown_format", "expected JSON"
    ),
    _run("lone surrogate", b'{"a": "x\\ud800y"}\n', "lone_surrogate", "surrogate"),
    _run("lone surrogate at the end", b'{"a": "x\\ud800"}\n', "lone_surrogate", "surrogate"),
    _run("nested too deeply", _DEEP, "too_deep", "too deeply"),
    _run("run together", _GOOD.strip() + _SECOND, "run_together", "follows the end"),
    _run("trailing comma", b'{"responses": [],}\n', "json_syntax", "trailing comma"),
    _run("single quotes", b"{'responses': []}\n", "not_json_lines", "single quotes"),
    _run("a retrieval run", b"401 Q0 d1 1 9.5 bm25\n" * 9, "unknown_format", "a TREC run"),
    _run("a number a line", b"1\n2\n", "unknown_format", "the number 1"),
    Case("runs: directory", "runs", {"runs/": b""}, "is_directory", None, "found a directory"),
    Case("runs: not gzip", "runs", {"run.jsonl.gz": _GOOD}, "not_gzip", None, "not gzip"),
    Case("runs: cut gzip", "runs", {"run.jsonl.gz": _PACKED[:60]}, "broken_gzip", None, "damaged"),
    Case(
        "runs: damaged gzip",
        "runs",
        {"run.jsonl.gz": _PACKED[:40] + b"\xff" * 8 + _PACKED[48:]},
        "broken_gzip",
        None,
        "damaged",
    ),
    Case("runs: no such file", "runs", {}, "", None, "no such file", 3, "missing.jsonl"),
    Case("documents: no such data set", "documents", {}, "", None, "no/such", 3, "irds:no/such"),
]

_RUNS = [
    _run(
        "no known format", {"id": "t1", "output": "…"}, "unknown_format", "no known format of runs"
    ),
    _run("nearest format", {"metadata": {}}, "unknown_format", "which also needs 'responses'"),
    _run("nuggets instead of a run", s.qrels(s.nugget()), "unknown_format", "found nuggets"),
    _run("list instead of object", _GOOD + b"[1]\n", "wrong_type", "expected an object", 2),
    _run("metadata is text", s.report(metadata="x"), "wrong_type", "expected an object"),
    _run("no topic_id", s.report(metadata=s.meta(topic_id=...)), "missing_key", "'topic_id'"),
    _run("topic_id is a number", s.report(metadata=s.meta(topic_id=7)), "wrong_type", "an id"),
    _run("topic_id is true", s.rag(metadata={"narrative_id": True}), "wrong_type", "true"),
    _run("topic_id is empty", s.report(metadata=s.meta(topic_id="")), "empty_id", "an id"),
    _run("topic_id has a tab", s.report(metadata=s.meta(topic_id="a\tb")), "bad_id", "\\t"),
    _run("topic_id has a null", s.report(metadata=s.meta(topic_id="a\x00")), "bad_id", "\\x00"),
    _run("duplicate topic", _GOOD + _SECOND + _GOOD, "duplicate_topic", "occurs again", 3),
    _run(
        "run_id differs",
        _GOOD + s.lines(s.report(metadata=s.meta(topic_id="t2", run_id="b"))),
        "run_id_differs",
        "'run' before",
        2,
    ),
    _run("run_id is a list", s.report(metadata=s.meta(run_id=[])), "wrong_type", "empty list"),
    _run("team_id is a number", s.report(metadata=s.meta(team_id=1)), "wrong_type", "text"),
    _run("responses is an object", s.report(responses={}), "wrong_type", "a list of sentences"),
    _run("responses is null", s.report(responses=None), "wrong_type", "found null"),
    _run("sentence is text", s.report(responses=["A bridge."]), "wrong_type", "an object"),
    _run("sentence without text", s.report(responses=[{"citations": []}]), "missing_key", "tex"),
    _run("text is a number", s.report(responses=[{"text": 1}]), "wrong_type", "expected text"),
    _run("citations is text", _cited("d1"), "wrong_type", "expected citations"),
    _run("citations is null", _cited(None), "wrong_type", "found null"),
    _run("citation is null", _cited([None]), "wrong_type", "document id"),
    _run("citation is empty", _cited([""]), "empty_id", "an id"),
    _run("citation is a list", _cited([["d1"]]), "wrong_type", "a list of 1"),
    _run("citation is an object", _cited([{"doc_id": "d1"}]), "wrong_type", "'doc_id'"),
    _run("citation is a fraction", _cited([0.5]), "wrong_type", "0.5"),
    _run("citation is true", _cited([True]), "wrong_type", "true"),
    _run("score is text", _cited({"d1": "high"}), "wrong_type", "as score"),
    _run("score is true", _cited({"d1": True}), "wrong_type", "as score"),
    _run("index without references", _cited([0]), "no_references", "no 'references'"),
    _run("index too high", s.rag(references=["d1"]), "citation_index", "none of the 1"),
    _run(
        "negative index", s.rag(answer=[{"text": "A.", "citations": [-1]}]), "citation_index", "-1"
    ),
    _run("references is an object", s.rag(references={}), "wrong_type", "a list"),
    _run("reference is a number", s.rag(references=[3]), "wrong_type", "id in quotes"),
    _run("documents is a list", s.report(documents=[]), "wrong_type", "an object"),
    _run("document is text", s.report(documents={"d1": "x"}), "wrong_type", "an object"),
    _run("document without text", s.report(documents={"d1": {}}), "missing_key", "'text'"),
    _run("an error in a list", _pretty([s.report(), _cited([""])]), "duplicate_topic", "again", 18),
]

_REQUESTS = [
    _requests("no known format", {"topic": "t1"}, "unknown_format", "of requests"),
    _requests("empty topic_id", s.request(topic_id=" "), "empty_id", "expected an id"),
    _requests("duplicate topic", s.lines(s.request()) * 2, "duplicate_topic", "first at", 2),
    _requests("title is a list", s.request(title=[]), "wrong_type", "expected text"),
    _requests("limit is text", s.request(limit="2000"), "wrong_type", "a whole number"),
    _requests("limit is true", s.request(limit=True), "wrong_type", "found true"),
    _requests("limit is a fraction", s.request(limit=0.5), "wrong_type", "a whole number"),
    _requests("limit is negative", s.request(limit=-1), "out_of_range", "1 or more"),
    _requests("unknown unit", s.request(limit_unit="bytes"), "bad_value", "'words'"),
    _requests("collections is text", s.request(collection_ids="c"), "wrong_type", "a list"),
    _requests("second line without tab", b"1\ttext\n2 text\n", "missing_column", "<TAB>", 2),
    _requests("line without id", b"\ttext\n", "empty_id", "an id"),
    _requests("line without text", b"1\t\n", "blank_text", "text"),
    _requests("id twice in a table", b"1\ta\n1\tb\n", "duplicate_topic", "occurs again", 2),
    _requests("table in Latin-1", b"1\tcaf\xe9\n", "encoding", "0xe9"),
    _requests("null byte in a table", b"1\ta\n2\t\x00\n", "null_byte", "null byte", 2),
    _requests(
        "half an object follows", s.lines(s.request()).strip() + b'{"a', "json_truncated", ""
    ),
]

_NUGGETS = [
    _nuggets("quotes by hand", _by_hand('"n2"', "“n2”"), "json_syntax", "“n2”", 3),
    _nuggets("comma lost by hand", _by_hand('"n2",', '"n2"'), "json_syntax", "expected ','", 3),
    _nuggets("last comma by hand", _by_hand("}\n]", "},\n]"), "json_syntax", "trailing comma", 5),
    _nuggets("lost in a pretty bank", _by_hand('"OR",', '"OR"', 1), "json_syntax", "near", 11),
    _nuggets(
        "single quotes over lines",
        _by_hand('"', "'", times=-1),
        "not_json_lines",
        "a Python dict",
        1,
    ),
    _nuggets("no known format", {"nuggets": []}, "unknown_format", "of nuggets"),
    _nuggets("topics is an object", s.qrels(topics={}), "wrong_type", "a list"),
    _nuggets("unknown version", s.qrels(format="argue-eval/nuggets/9"), "unknown_version", "/9"),
    _nuggets("nugget is text", s.qrels("x"), "wrong_type", "an object"),
    _nuggets("no nugget_id", s.qrels(s.nugget(nugget_id=...)), "missing_key", "'nugget_id'"),
    _nuggets("nugget_id twice", s.qrels(s.nugget(), s.nugget()), "duplicate_nugget", "'n1'"),
    _nuggets("no question", s.qrels(s.nugget(question=...)), "missing_key", "'question'"),
    _nuggets("blank question", s.qrels(s.nugget(question=" ")), "blank_text", "white space"),
    _nuggets(
        "claim without answer",
        s.qrels(s.nugget(question=None, answers=[])),
        "claim_answers",
        "found 0",
    ),
    _nuggets("aggregator", s.qrels(s.nugget(aggregator="SUM")), "unknown_aggregator", "'SUM'"),
    _nuggets("importance", s.qrels(s.nugget(importance="high")), "bad_value", "'vital'"),
    _nuggets("answers is null", s.qrels(s.nugget(answers=None)), "wrong_type", "null"),
    _nuggets("answer is text", s.qrels(s.nugget(answers=["x"])), "wrong_type", "an object"),
    _nuggets("answer is blank", s.qrels(s.nugget(answers=[{"answer": ""}])), "blank_text", "text"),
    _nuggets(
        "doc_ids is text",
        _pretty(s.qrels(s.nugget(answers=[{"answer": "a", "doc_ids": "d1"}]))),
        "wrong_type",
        "a list",
        15,
    ),
    _nuggets(
        "truncated document", _pretty(s.qrels(s.nugget()))[:-20], "json_truncated", "before it", 19
    ),
    _nuggets("merged questions", _merged(), "merged_questions", "keyed by question", 20),
    _nuggets(
        "merged questions on one line",
        s.lines(s.v3(query_id="t0")) + _merged().replace(b"\n", b""),
        "merged_questions",
        "keyed by question",
        2,
    ),
    _nuggets("v3 without topic", s.v3(query_id=...), "missing_key", "'query_id'"),
    _nuggets("v3 with text", s.v3(nugget_bank={"q": "a"}), "wrong_type", "an object"),
    _nuggets("v3 with a number", s.v3(nugget_bank=3), "wrong_type", "an object"),
    _nuggets(
        "v3 with NOT",
        s.v3(nugget_bank={"q": {"question": "q", "aggregator_type": "NOT"}}),
        "unknown_aggregator",
        "'NOT'",
    ),
    _nuggets(
        "bank without references' ids",
        {
            "metadata": {"topic_id": "t1"},
            "nugget_bank": [{"question": "q", "answers": [{"answer": "a", "references": [{}]}]}],
        },
        "missing_key",
        "'doc_id'",
    ),
    _nuggets(
        "nuggetizer, two lists for a topic",
        s.lines(
            {"qid": "t1", "query": "q", "nuggets": [{"text": "a"}]},
            {"qid": "t1", "query": "q", "nuggets": [{"text": "b"}]},
        ),
        "duplicate_topic",
        "occurs again",
        2,
    ),
    _nuggets(
        "neuclir question without answers",
        {"query_id": "t1", "questions": [["Which bridge?"]]},
        "wrong_type",
        "[question, ",
    ),
    Case("nuggets: empty directory", "nuggets", {"b/": b""}, "is_directory", None, "no file"),
    Case(
        "nuggets: a topic in two files",
        "nuggets",
        {"b/a.json": s.lines(s.v3()), "b/b.json": s.lines(s.v3())},
        "duplicate_topic",
        1,
        "a.json:1",
        opened="b",
    ),
]

_DOCUMENTS = [
    _documents("no known format", {"body": "x"}, "unknown_format", "of documents"),
    _documents("a run", s.report(), "unknown_format", "found a run"),
    _documents("text is a list", {"doc_id": "d1", "text": []}, "wrong_type", "text"),
    _documents("id is a number", {"id": 4, "text": "x"}, "wrong_type", "in quotes"),
    _documents(
        "id twice",
        s.lines({"id": "d1", "text": "x"}, {"id": "d1", "text": "y"}),
        "duplicate_document",
        "'d1'",
        2,
    ),
    _documents(
        "later line without text",
        s.lines({"id": "d1", "text": "x"}, {"id": "d2"}),
        "missing_key",
        "'text'",
        2,
    ),
]

_PLACE = {"sentence": ..., "run_id": "run", "sentence_index": 0}
_J = s.judgment
_JUDGMENTS = [
    _judgments("no known format", {"topic_id": "t1"}, "unknown_format", "of judgments"),
    _judgments("second line is text", s.lines(_J(), "x"), "wrong_type", "an object", 2),
    _judgments("unknown kind", _J(kind="suport"), "unknown_kind", "'suport'"),
    _judgments("kind is a list", _J(kind=["support"]), "wrong_type", "a list of 1"),
    _judgments("unknown verdict", _J(verdict="maybe"), "bad_verdict", "'partial'"),
    _judgments("verdict is true", _J(verdict=True), "wrong_type", "found true"),
    _judgments("partial negative", _J(kind="negative", verdict="partial"), "bad_verdict", "'no'"),
    _judgments("partial answer", _J(kind="answers", verdict="partial"), "bad_verdict", "'no'"),
    _judgments("no topic_id", _J(topic_id=...), "missing_key", "'topic_id'"),
    _judgments("no judge", s.lines(_J(), _J(judge=...)), "missing_key", "'judge'", 2),
    _judgments("judge is empty", _J(judge=""), "empty_id", "an id"),
    _judgments("no doc_id", s.lines(_J(), _J(doc_id=...)), "missing_key", "'doc_id'", 2),
    _judgments("doc_id is an object", s.lines(_J(), _J(doc_id={})), "wrong_type", "object", 2),
    _judgments("no nugget_id", _J(kind="covers"), "missing_key", "'nugget_id'"),
    _judgments("no answer", _J(kind="answers", nugget_id="n1"), "missing_key", "'answer'"),
    _judgments("no sentence", _J(sentence=...), "missing_key", "the sentence is not named"),
    _judgments("sentence is a list", s.lines(_J(), _J(sentence=[])), "wrong_type", "text", 2),
    _judgments("index without run", _J(sentence_index=0), "missing_key", "'run_id'"),
    _judgments("index is text", _J(**{**_PLACE, "sentence_index": "0"}), "wrong_type", "whole"),
    _judgments("index is true", _J(**{**_PLACE, "sentence_index": True}), "wrong_type", "true"),
    _judgments("negative index", _J(**{**_PLACE, "sentence_index": -1}), "out_of_range", "0 or"),
    _judgments("first instance by text", _J(kind="first_instance"), "missing_key", "run_id"),
    _judgments("prob above 1", _J(prob=1.5), "out_of_range", "from 0 to 1"),
    _judgments("prob is text", _J(prob="0.5"), "wrong_type", "a number"),
    _judgments("prob is true", _J(prob=True), "wrong_type", "found true"),
    _judgments("rationale is a list", _J(rationale=[]), "wrong_type", "expected text"),
    _judgments(
        "evaluation without topic", s.evaluation(report={"metadata": {}}), "missing_key", "topic"
    ),
    _judgments(
        "evaluation without type", s.evaluation({"provenance": None}), "missing_key", "type"
    ),
    _judgments(
        "evaluation with text for a verdict",
        s.evaluation({"judgment_type_id": "SENTENCE_ATTESTED", "response": {"is_attested": "yes"}}),
        "wrong_type",
        "true or false",
    ),
]

CASES = [*_BYTES, *_RUNS, *_REQUESTS, *_NUGGETS, *_DOCUMENTS, *_JUDGMENTS]
