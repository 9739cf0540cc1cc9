"""What a plug-in gives is checked where it comes in, and the error names the plug-in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval import formats
from argue_eval.cli import app
from argue_eval.formats.checking import Check
from argue_eval.formats.jsonl import Source
from argue_eval.formats.plugins import load
from tests.documented import ROOT
from tests.plugins.conftest import PACKAGE, Installed
from tests.plugins.files import write

READ: dict[str, Callable[..., Any]] = {
    "themes": ae.read_topics,
    "checklists": ae.read_nuggets,
    "runs": ae.read_runs,
    "sources": ae.read_documents,
    "marks": ae.read_judgments,
}
FILES = {"runs": "ann"}
KINDS = {
    "themes": "requests", "checklists": "nuggets", "sources": "documents", "marks": "judgments"
}  # fmt: skip


@pytest.fixture
def changed(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Installs a module of the package with a part of it changed, under a name of its own."""

    def install_changed(module: str, old: str, new: str, *families: str) -> str:
        text = (PACKAGE / "essays" / f"{module}.py").read_text("utf-8")
        assert old in text
        monkeypatch.chdir(tmp_path)
        write(tmp_path)
        text = text.replace(old, new, 1).replace('PROTOCOL = "clauses"', 'PROTOCOL = "NAME"')
        return installed(text, *families)

    return install_changed


ANY = "(values, check, *_, **__):\n    "


@pytest.mark.parametrize(
    ("module", "old", "new", "message"),
    [
        ("runs", "def read", f"def read{ANY}return None\n\ndef _", ": read: expected an iterator"),
        ("runs", "def read", f"def read{ANY}yield None\n\ndef _", ": read: expected Report, found"),
        ("runs", "def read", f"def read{ANY}yield 1 / 0\n\ndef _", " failed: line 13 of other.*: "),
        ("runs", "yield Report(", "yield dict(", ": read: expected Report, found {'topic_id'"),
        ("runs", ", check: Check)", ")", r" failed: TypeError: read\(\) takes 1"),
        ("runs", 'fields.identifier("theme")', "None", "Report.topic_id: expected text, found No"),
        ("runs", "line=check.here()", "line='1'", "Report.line: expected a whole number or None"),
        ("runs", "line=check.here()", "metadata=[]", "Report.metadata: expected a dict, found li"),
        ("runs", "line=check.here()", "references=''", "Report.references: expected a tuple or "),
        ("runs", "line=check.here()", "team_id=None", "Report.team_id: expected text, found None"),
        ("runs", 'fields.text("text")', "b'x'", "Sentence.text: expected text, found bytes"),
        ("runs", "Citation(doc_id=each)", "each", "Sentence.citations: expected Citation records"),
        ("runs", "(doc_id=each)", "(each, '1')", "Citation.score: expected a number or None, fou"),
        ("runs", '(("theme", "author", "essay"),)', '"essay"',
         "SHAPES: expected a tuple or a list"),
        ("runs", '(("theme", "author", "essay"),)', '("theme",)', "expected tuples of keys, such"),
        ("runs", "SHAPES", "START = None\nSHAPES", ": START: expected text, found None"),
        ("themes", "(topic_id=topic_id", "(None, limit='9'", "ReportRequest.topic_id: expected te"),
        ("themes", "(topic_id=", "(limit='9', topic_id=", "ReportRequest.limit: expected a whole "),
        ("checklists", '=item.identifiers("sources")', "='s1'", "Answer.doc_ids: expected a tuple"),
        ("checklists", "=None,", "=None, importance='vital',",
         "expected Importance or None, found"),
        ("checklists", "tuple(nuggets)", "None", "TopicNuggets.nuggets: expected Nugget records"),
        ("sources", 'fields.text("body")', "b'x'", "Document.text: expected text, found bytes"),
        ("sources", "wanted: Collection[str] | None = None", "", r": TypeError: read\(\) got an u"),
        ("marks", "Kind.SUPPORT", "'support'", "Judgment.kind: expected Kind, found str"),
        ("marks", "_VERDICTS[mark]", "'yes'", "Judgment.verdict: expected Verdict, found str"),
        ("marks", '"marker"', "None", "Judgment.judge: expected text, found NoneType"),
        ("marks", '"marker"', '"m", prob="1"', "Judgment.prob: expected a number or None, found s"),
    ],
)  # fmt: skip
def test_a_format_yields_records_or_is_named(
    module: str, old: str, new: str, message: str, changed: Callable[..., str]
) -> None:
    name = changed(module, old, new, family := f"formats.{KINDS.get(module, module)}")
    plugin = f"^the plug-in '{name}' of argue_eval.{family}"
    with pytest.raises(ae.UsageError, match=f"{plugin}.*{message}.*; mend or uninstall its pack"):
        READ[module](f"{FILES.get(module, module)}.jsonl", name)


def test_a_report_of_a_class_of_its_own_is_taken(changed: Callable[..., str]) -> None:
    own = "class Own(Report):\n    later: 'Unknown'\n\n\n"
    name = changed(
        "runs", "def read", f"{own}def read{ANY}yield Own('t', 'r')\n\ndef _", "formats.runs"
    )
    (run,) = ae.read_runs("ann.jsonl", name)
    assert run.reports[0].topic_id == "t"


LOSSY = """
IS_TEXT = True


def read(values, check):
    for line in values:
        topic_id, text = line.split("=")
        yield Report(topic_id=topic_id, run_id="x", sentences=(Sentence(text),))


def encode(report):
    return f"{report.topic_id}={report.text}"
"""


def test_what_a_format_of_text_loses_is_listed(
    changed: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = changed("runs", '(("theme", "author", "essay"),)', "()", "formats.runs")
    file = Path(f"{name}.py")
    file.write_text(file.read_text("utf-8") + LOSSY, "utf-8")
    sentences = (ae.Sentence("A.", (ae.Citation("d"),)), ae.Sentence("B."))
    ae.write_run([ae.Report("t", "r", sentences)], "run.jsonl")
    assert app.run(["convert", "run.jsonl", "--to", name]) == 1
    told = capsys.readouterr().err
    for each in (
        "the run_id 'r' becomes 'x'",
        "2 sentences become 1",
        "the text 'A.' becomes 'A. B.'",
        "1 citation lost: d",
    ):
        assert each in told
    Path("lines.txt").write_text("t=A.\nt2=B.\n", "utf-8")
    assert app.run(["convert", "lines.txt", "--form", name, "--to", "canonical"]) == 0
    assert capsys.readouterr().out.count('"run_id":"x"') == 2


ASSESSED = "from argue_eval.formats.plugins import Assessed\n\ndef read_assessed"


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (f"{ASSESSED}{ANY}yield 5", "read_assessed: expected Assessed, found 5"),
        (f"{ASSESSED}{ANY}yield Assessed(5)", "Assessed.judgment: expected Judgment, found int"),
        (f"{ASSESSED}{ANY}yield Assessed(Judgment(Kind.SUPPORT, 't', Verdict.YES, 'me'), '1')",
         "Assessed.probability: expected a number or None, found str"),
    ],
)  # fmt: skip
def test_assessments_of_a_format_are_checked(
    new: str, message: str, changed: Callable[..., str]
) -> None:
    name = changed("marks", "SHAPES", f"{new}\n\nSHAPES", "formats.judgments")
    found: Any = load("judgments", name)
    with pytest.raises(ae.UsageError, match=f"^the plug-in '{name}' of .*{message}"):
        list(found.read_assessed([], Check(Source("votes.jsonl"))))


@pytest.mark.parametrize("how", ["told", "not told"])
def test_a_topic_that_occurs_twice_is_told_once(how: str, changed: Callable[..., str]) -> None:
    told = "check.new_topic(topic_id, fields.path)\n"
    name = changed("themes", told, told if how == "told" else "\n", "formats.requests")
    places: dict[str, str] = {}
    assert len(formats.read_topics("themes.jsonl", name, places=places)) == 2
    assert places == {"mill": "themes.jsonl:1", "dam": "themes.jsonl:2"}
    with pytest.raises(ae.InputError) as raised:
        ae.read_topics(["themes.jsonl", "themes.jsonl"], name)
    found = [(each.code, each.line, each.topic_id) for each in raised.value.findings]
    assert found == [("duplicate_topic", 1, "mill"), ("duplicate_topic", 2, "dam")]


STEP = "return ClauseOutcome(clause=unit, is_supported=None if needs else False, needs=needs)"
NUGGETS = [ae.TopicNuggets("t", (ae.Nugget("1", None, (ae.Answer("c"),)),))]
REPORT = ae.Report("t", "r", (ae.Sentence("A claim.", (ae.Citation("d"),)),))
UNITS = "        asking = Asking(self.topic, report)\n"


def _scored(protocol: str) -> ae.RunScores:
    return ae.score(ae.Run("r", (REPORT,)), NUGGETS, protocol=protocol, judge="none")["r"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("PROTOCOL_CLASS = Clauses", "PROTOCOL_CLASS = None", "a class that is derived from Repo"),
        ("PROTOCOL_CLASS = Clauses", "PROTOCOL_CLASS = Clause", "a class that is derived from Re"),
        ("    def units", "    grades_each_nugget = True\n\n    def units",
         "step: expected Grade, "),
        ("\n\n    def units", "\n    options = 5\n\n    def units",
         "options: expected a frozenset"),
        (UNITS, f"{UNITS}        return None\n", "units: expected a list, found None"),
        (f"{UNITS}        return", f"{UNITS}        yield from", "units: expected a list, found <"),
        (UNITS, "        1 / 0\n", r" failed: line \d+ of .*: ZeroDivisionError"),
        (STEP, "return None", "step: expected an outcome with needs, found None"),
        (STEP, "return ClauseOutcome(unit, None, None)", "the needs of an outcome: expected a tu"),
        (STEP, "return ClauseOutcome(unit, None, ('?',))", "expected Question, found '?'"),
        ("(Kind.SUPPORT, doc", "('support', doc", "Question.kind: expected Kind, found str"),
        ("doc_id=doc_id, ans", "doc_id=None, ans", "Question.doc_id: expected text, found NoneT"),
        ("unit: Clause, known: Known", "unit", r" failed: TypeError: Clauses.step\(\) takes 2"),
        ("            yield {", "            yield 5, {", "records: expected a dict, found "),
        ('"clause": ', '"path": ', "records: the key 'path' is one of the protocol argue, whose"),
        ('"clause": ', '"nugget_id": 5, "x": ', "records: nugget_id: expected text, found 5"),
        ("PROTOCOL_CLASS", "Clauses.__init__ = lambda self: None\nPROTOCOL_CLASS", ": TypeError: "),
    ],
)  # fmt: skip
def test_a_protocol_gives_units_and_outcomes_or_is_named(
    old: str, new: str, message: str, changed: Callable[..., str]
) -> None:
    name = changed("clauses", old, new, "protocols", "measures")
    with pytest.raises(ae.UsageError, match=f"^the plug-in '{name}' of argue_eval.p.*{message}"):
        list(_scored(name).outcome_records())


def test_records_name_their_run_and_topic_whatever_a_protocol_yields(
    changed: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    ids = """                "run_id": report.run_id,
                "topic_id": report.topic_id,
"""
    of_nuggets = """    def nugget_records(self, report, concluded):
        yield {"nugget_id": "1", "is_correct": True, "credited": [(0, "")]}

    def units"""
    name = changed("clauses", ids, "", "protocols", "measures")
    file = Path(f"{name}.py")
    file.write_text(file.read_text("utf-8").replace("    def units", of_nuggets, 1), "utf-8")
    ae.write_run([REPORT], "run.jsonl")
    ae.write_nuggets(NUGGETS, "nuggets.json")
    files = ["run.jsonl", "nuggets.json", "--protocol", name, "--judge", "none"]
    assert app.run(["score", *files, "-o", "out", "--report"]) == 4
    assert "no sentence" not in Path("out/report.html").read_text("utf-8").partition("<script")[0]
    assert app.run(["show", *files]) == 0
    assert "● c: answered in sentence 1" in capsys.readouterr().out
    assert app.run(["explain", "outcome", *files, "--topic", "t", "--sentence", "0"]) == 0
    assert capsys.readouterr().out.startswith("run r, topic t, sentence 0\n  clause: 'A claim.'")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('return f"{model}@1"', "return None", "identity: expected text, found None"),
        ('return f"{model}@1"', "return ''", "identity: expected what names the model"),
        ("return EchoClient(model)", "return None", "create: .* it has no method complete"),
        ("return EchoClient(model)", "return 1 / 0", r" failed: line \d+ of .*: ZeroDivisionErr"),
        ("self, requests: Sequence[Request]", "self", "failed: TypeError: too many positional"),
        ("concurrency = 1", "concurrency = '1'", "concurrency: expected a whole number, found '1'"),
        ("batch_size = 8", "batch_size = 0", "batch_size: expected 1 or more, found 0"),
        ("def close", "def closes", "it has no method close"),
        ("for request in requests", "for request in ()", "expected 8 results, one per request"),
        ("[self._reply(request) for", "['yes' for", "complete: expected Completion or Failed or"),
        ("Completion(text)", "Completion(None)", "Completion.text: expected text, found None"),
        ("Completion(text)", "Completion(text, None)", "Completion.finish_reason: expected text"),
    ],
)
def test_a_client_gives_results_or_is_named(
    old: str, new: str, message: str, changed: Callable[..., str]
) -> None:
    name = changed("echo", old, new, "clients")
    with pytest.raises(ae.UsageError, match=f"^the plug-in '{name}' of argue_eval.cl.*{message}"):
        ae.score(
            ROOT / "runs/sparse.jsonl", ROOT / "qrels/example.json", judge=f"llm:{name}:yes",
            topics=ROOT / "topics/example.jsonl", collection=ROOT / "collection/example.jsonl",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("module", "old", "new", "message"),
    [
        ("bars", 'HEADER = ""', "HEADER = None", ": HEADER: expected text, found None"),
        ("bars", "    for row", "    yield b'x'\n    for row",
         ": render: expected text, found b'x'"),
        ("bars", "    for row", "    1 / 0\n    for row", " failed: line 16 of {}: ZeroDivisionE"),
        ("bars", "table: ScoreTable, per_topic: bool", "", " failed: TypeError: render() takes 0 "),
        ("codes", "    for code", "    yield 5\n    for code", ": render: expected text, found 5"),
    ],
)  # fmt: skip
def test_a_view_yields_text_or_is_named(
    module: str,
    old: str,
    new: str,
    message: str,
    changed: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    family = {"bars": "outputs", "codes": "outputs.findings"}[module]
    name = changed(module, old, new, family)
    run, qrels = str(ROOT / "runs/sparse.jsonl"), str(ROOT / "qrels/example.json")
    words = ["validate", run] if module == "codes" else ["score", run, qrels, "--judge", "none"]
    assert app.run([*words, "--format", name]) == 2
    plugin = f"argue-eval: the plug-in '{name}' of argue_eval.{family}"
    assert f"{plugin}{message.format(name)}" in capsys.readouterr().err


def test_a_defect_of_our_own_is_not_put_down_to_a_plug_in(
    changed: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = changed("codes", "", "", "outputs.findings")
    monkeypatch.setattr("argue_eval.validation.runs.check_runs", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        app.run(["validate", str(ROOT / "runs/sparse.jsonl"), "--format", name])
    assert "plug-in" not in capsys.readouterr().err


def test_what_a_judge_fails_at_elsewhere_is_put_down_to_its_line(
    changed: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = changed("words", "Workload()\n", "1 / 0 if questions else Workload()\n", "judges")
    files = [str(ROOT / "runs/sparse.jsonl"), str(ROOT / "qrels/example.json")]
    assert app.run(["judge", *files, "--judge", name, "--dry-run"]) == 2
    assert f"argue-eval: a plug-in failed: line 36 of {name}: Zero" in capsys.readouterr().err
