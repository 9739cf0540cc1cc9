"""Help, lists and explanations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from argue_eval import __version__, formats, measures
from argue_eval.cli.app import COMMANDS
from argue_eval.validation import tracks
from tests.cli.conftest import Command
from tests.tiny_track import read_lines, write_lines

pytestmark = pytest.mark.usefixtures("files")

SUMMARIES = {name: summary for group in COMMANDS.values() for name, (_, summary) in group.items()}
OF_STORE = ("info", "export", "import", "merge", "verify")
JUDGED = "--judgments assessors.judgments.jsonl --judge none"


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version_is_the_package_s(argue_eval: Command, option: str) -> None:
    assert argue_eval(option)[:2] == (0, f"argue-eval {__version__}\n")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("argue-eval sc", "score"),
        ("argue-eval store ", "verify"),
        ("argue-eval score --ju", "--judge"),
    ],
)
def test_shells_complete_commands_and_options(
    argue_eval: Command, monkeypatch: pytest.MonkeyPatch, line: str, offered: str
) -> None:
    for name, value in {
        "_ARGUE_EVAL_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }.items():
        monkeypatch.setenv(name, value)
    assert offered in argue_eval("x").out.splitlines()


@pytest.mark.parametrize("words", ["", "score", "store export"])
def test_help_may_be_asked_for_as_a_command(argue_eval: Command, words: str) -> None:
    assert argue_eval(f"help {words}") == argue_eval(f"{words} --help")


def test_help_lists_every_command_and_all_exit_codes(argue_eval: Command) -> None:
    ran = argue_eval("--help")
    assert ran.code == 0
    assert all(summary in ran.out for summary in SUMMARIES.values())
    told = " ".join(ran.out.split())
    assert "0 ok, 1 errors in the input, 2 wrong usage, 3 a file or" in told


@pytest.mark.parametrize("name", [*SUMMARIES, *(f"store {each}" for each in OF_STORE)])
def test_help_of_each_command_has_an_example(argue_eval: Command, name: str) -> None:
    ran = argue_eval(f"{name} -h")
    assert ran.code == 0
    assert f"Example: argue-eval {name} " in " ".join(ran.out.split())


def test_listed_measures_are_all_that_there_are(argue_eval: Command) -> None:
    listed = {line.split()[0] for line in argue_eval("list measures").out.splitlines()}
    for family in measures.load_families():
        assert {each.name for each in family.measures} < listed


@pytest.mark.parametrize("kind", ["runs", "nuggets", "requests", "documents", "judgments"])
def test_listed_formats_are_all_that_there_are(argue_eval: Command, kind: str) -> None:
    text = argue_eval("list formats").out
    block = text.split(f"{kind}\n")[1]
    found = (Path(formats.__file__).parent / kind).glob("[!_]*.py")
    names = sorted(path.stem for path in found)
    listed = [line.split()[0] for line in block.splitlines()[: len(names)]]
    assert listed == names


def test_lists_name_judges_protocols_and_tracks(argue_eval: Command) -> None:
    judges = argue_eval("list judges").out.splitlines()
    listed = [line.split()[0] for line in judges]
    assert listed[:6] == ["assessor", "lexical", "llm", "nli", "cascade", "none"]
    assert "  lytang/MiniCheck-Flan-T5-Large            predict: {document}{eos}{claim}" in judges
    protocols = argue_eval("list protocols").out.splitlines()
    assert [line.split()[0] for line in protocols] == measures.protocol_names()
    lines = argue_eval("list tracks").out.splitlines()
    heads = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert heads == [track.name for track in tracks.load_all()]


def test_listed_formats_tell_which_can_be_written(argue_eval: Command) -> None:
    ran = argue_eval("list formats")
    uses = dict(re.findall(r"^  (\S+) +(read, written|read|written)  ", ran.out, re.M))
    assert {uses[name] for name in ("rag", "ragtime26", "rag_tsv")} == {"read, written"}
    assert (uses["irds"], uses["trec_eval"]) == ("read", "written")
    assert "argue-eval convert SRC --to NAME" in ran.err


def test_listed_tracks_tell_how_their_runs_are_written(argue_eval: Command) -> None:
    ran = argue_eval("list tracks")
    block = " ".join(ran.out.split("rag26  ")[1].split("ragtime25")[0].split())
    parts = ["answer: cites", "[doc_id, …], at most 3 a sentence", "1024 words; requests: rag_tsv"]
    assert all(part in block for part in parts)
    assert "argue-eval explain track NAME" in ran.err
    table = "a line: topic_id Q0 doc_id rank score run_id, between white space"
    assert f"    {table}; requests: neuclir" in ran.out.split("ragtime26-retrieval")[1]
    rules = argue_eval("explain track ragtime26-retrieval").out
    assert f"  run         {table}" in rules
    assert "responses" not in rules


@pytest.mark.parametrize(
    "command",
    [
        "list tracks",
        *(f"explain {what}{each.name}" for each in tracks.load_all() for what in ("track ", "")),
    ],
)
def test_what_is_printed_of_tracks_is_lines_that_fit_a_terminal(
    argue_eval: Command, command: str
) -> None:
    lines = argue_eval(command).out.splitlines()
    assert all(len(line) <= 96 for line in lines if not line.endswith(")"))
    assert not [line for line in lines if "\\n" in line]
    if command != "list tracks":
        assert lines.index("errors") < lines.index("warnings")
        assert lines[lines.index("errors") - 1] == ""


@pytest.mark.parametrize("family", [each.name for each in measures.load_families()])
def test_every_measure_is_explained_in_all_its_parts(argue_eval: Command, family: str) -> None:
    for measure in measures.load_family(family).measures:
        text = argue_eval("explain", measure.name).out
        assert text.startswith(f"{measure.name} ({family})\n")
        for head in ("rewards", "numerator", "nothing to measure", "average", "example", "source"):
            line = next(line for line in text.splitlines() if line.strip().startswith(head))
            assert len(line.split(head)[1].strip()) > 0


def test_family_is_explained_measure_by_measure(argue_eval: Command) -> None:
    heads = [line for line in argue_eval("explain argue").out.splitlines() if line[:1] > " "]
    assert heads == [f"{each.name} (argue)" for each in measures.load_family("argue").measures]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("num_unjudged", "num_unjudged: the number of units with a question that has no judgment"),
        ("P_10", "P@10 (retrieval)"),
        ("ragtime26", "ragtime26: TREC 2026 RAGTIME, report generation"),
        ("docid_pattern", r"  rag26               error    document ids match shard_"),
        ("missing_topics", "  checked with --requests"),
        ("lexical", "lexical (judge): "),
        ("key-points", "key-points (protocol): "),
        ("no_attestation", "no_attestation: The nuggets name no documents"),
    ],
)
def test_whatever_is_printed_is_explained_by_its_name(
    argue_eval: Command, name: str, text: str
) -> None:
    ran = argue_eval(f"explain {name}")
    assert (ran.code, ran.err) == (0, "")
    assert text in ran.out


def _chart(argue_eval: Command, run: str, topic_id: str, index: int, more: str = JUDGED) -> str:
    ran = argue_eval(
        f"explain outcome {run}.jsonl nuggets.json --topic {topic_id} --sentence {index} {more}"
    )
    assert ran.code == 0
    return ran.out


@pytest.mark.parametrize(
    ("run", "topic_id", "index", "outcome", "path"),
    [
        ("alpha", "t1", 0, "4", ["negative assertion?  no", "require a citation?  no"]),
        ("alpha", "t1", 1, "3", ["d1 relevant?  yes", "n1 (When was the mill built?)"]),
        ("alpha", "t1", 2, "1", ["d2 relevant?  yes", "does d1 support it?  no"]),
        ("alpha", "t2", 2, "8", ["absence nugget n4 (What did the dam cost?) agree?  yes"]),
        ("alpha", "t3", 1, "5", ["first instance of its claim?  yes"]),
        ("beta", "t1", 0, "1", ["an answer that d2 attests?  no", "does d2 support it?  no"]),
        ("beta", "t2", 1, "unjudged", ["d4 relevant?  no", "does d3 support it?  unjudged"]),
    ],
)
def test_outcome_is_explained_along_its_branch_of_the_chart(
    argue_eval: Command, run: str, topic_id: str, index: int, outcome: str, path: list[str]
) -> None:
    text = _chart(argue_eval, run, topic_id, index)
    assert f"  outcome: {outcome}, " in text
    assert all(step in text for step in path)


def _rejudged(**changed: str) -> None:
    path = Path("assessors.judgments.jsonl")
    judgments = read_lines(path)
    for judgment in judgments:
        judgment["verdict"] = changed.get(judgment["kind"], judgment["verdict"])
    write_lines(path, judgments)


def test_outcomes_6_7_and_2_are_explained_too(argue_eval: Command) -> None:
    _rejudged(first_instance="no", agrees="no", answers="no", support="yes")
    assert "outcome: 6, " in _chart(argue_eval, "alpha", "t3", 1)
    assert "outcome: 7, " in _chart(argue_eval, "alpha", "t2", 2)
    assert "outcome: 2, " in _chart(argue_eval, "alpha", "t1", 1)


def test_nobody_s_judgments_leave_every_branch_open(argue_eval: Command) -> None:
    assert "unjudged, 1 or 2 or 3 possible" in _chart(argue_eval, "alpha", "t1", 1, "--judge none")
    assert "unjudged, 4 or 5 or 6 or 7 possible" in _chart(
        argue_eval, "alpha", "t1", 0, "--judge none"
    )


def test_answers_that_were_tried_are_named_where_none_is_given(argue_eval: Command) -> None:
    _rejudged(answers="no")
    assert "assessor:A1, tried n1 '1784'" in _chart(argue_eval, "alpha", "t1", 1)


def test_lexical_judge_gives_its_evidence(argue_eval: Command) -> None:
    text = _chart(argue_eval, "alpha", "t1", 2, "--collection documents.jsonl")
    assert "lexical@" in text
    assert "p=0." in text


def test_control_characters_of_the_input_are_shown_escaped(argue_eval: Command) -> None:
    for name, old, new in (
        ("alpha.jsonl", "The mill was", r"The mill \u001b[2J was"),
        ("nuggets.json", "When was the mill", r"When \u001b]0;x\u0007 was the mill"),
        ("assessors.judgments.jsonl", "The mill was", r"The mill \u001b[2J was"),
    ):
        Path(name).write_text(Path(name).read_text().replace(old, new))
    text = _chart(argue_eval, "alpha", "t1", 1)
    assert r"The mill \x1b[2J was built" in text
    assert r"When \x1b]0;x\x07 was the mill" in text
