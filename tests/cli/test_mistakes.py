"""Users' mistakes: a message that helps, the right exit code, nothing on stdout."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.formats.broken_files import CASES, Case
from tests.tiny_track import Files

pytestmark = pytest.mark.usefixtures("files")

USAGE = {
    "score": "RUN... QRELS",
    "score alpha.jsonl": "at least one run file, and the nugget qrels last",
    "scor": "No such command 'scor'. Did you mean 'score'?",
    "-- --no-such": "No such command '--no-such'. Commands: ",
    "eval alpha.jsonl nuggets.json": "Did you mean 'score'?",
    "alpha.jsonl nuggets.json": "To score runs: argue-eval score RUN... QRELS...",
    "measures": "Did you mean 'list measures'?",
    "version": "Did you mean '--version'?",
    "store inf": "Did you mean 'info'?",
    "summhay out": "Commands: table",
    "score --no-such": "No such option: --no-such.",
    "score alpha.jsonl nuggets.json --topics requests.jsonl": "Did you mean '--requests'?",
    "score alpha.jsonl nuggets.json --judgements x": "Did you mean '--judgments'?",
    "score alpha.jsonl nuggets.json --request x": "Did you mean '--requests'?",
    "score alpha.jsonl nuggets.json --json": "Did you mean '--format json'?",
    "score alpha.jsonl --qrels nuggets.json": "The nuggets are named last, without an option",
    "score alpha.jsonl nuggets.json -c": "Topics without a report count as 0",
    "validate alpha.jsonl -o x": "Did you mean '--json > FILE'?",
    "judge alpha.jsonl nuggets.json -o x": "Did you mean '--store'?",
    "ingest nuggets nuggets.json": "Did you mean 'ingest qrels'?",
    "ingest Topics requests.jsonl": "Did you mean 'ingest requests'?",
    "ingest nuggets.json": "Did you mean 'ingest qrels nuggets.json'?",
    "ingest requests.jsonl -o x": "Did you mean 'ingest requests requests.jsonl'?",
    "ingest qrels": "name the files that hold them: ingest qrels SRC...",
    "segment alpha.jsonl --language english": "expected a code such as en or zh, found 'english'",
    "judge alpha.jsonl nuggets.json --judge none": "--judge none asks nobody: name one",
    "validate alpha.jsonl --rules ragtime26": "give it with --track",
    "validate alpha.jsonl --track own.toml": "give it with --rules",
    "list nuggets": "unknown list 'nuggets'. Choices: ",
    "convert alpha.jsonl x.jsonl --to rag": "Name the file to write with -o",
    "convert alpha.jsonl --to rag --from canonical": "Did you mean '--form'?",
    "score alpha.jsonl nuggets.json -m nugget_recal": "Did you mean 'nugget_recall'?",
    "score alpha.jsonl nuggets.json --format trec": "Did you mean 'trec_eval'?",
    "score alpha.jsonl nuggets.json -m gm_map": "unknown measure 'gm_map'",
    "score alpha.jsonl nuggets.json -m map,nugget_recal": "Did you mean 'nugget_recall'?",
    "score alpha.jsonl nuggets.json -m nugget_recall@5": "'nugget_recall' takes no cutoff",
    "score alpha.jsonl nuggets.json -m f1_micro[domain=law]": "name 'f1_micro', without a group",
    "score alpha.jsonl nuggets.json --weights vital:2": "expected NAME=NUMBER, such as vital=2",
    "score alpha.jsonl nuggets.json --track rag26": "by argue-eval validate RUN --track NAME",
    "score alpha.jsonl nuggets.json -m ,": "unknown measure ','",
    "score alpha.jsonl nuggets.json --judge lexicl": "Did you mean 'lexical'?",
    "score alpha.jsonl nuggets.json --judge LEXICAL": "Did you mean 'lexical'?",
    "score alpha.jsonl nuggets.json --judge gpt-4o": "Did you mean 'llm:gpt-4o'?",
    "score alpha.jsonl nuggets.json --judge openai/gpt-4o": "Did you mean 'llm:gpt-4o'?",
    "score alpha.jsonl nuggets.json --judge hf:phi": "Did you mean 'llm:hf:phi'?",
    "score alpha.jsonl nuggets.json --judge assessor": "--judgments FILE",
    "validate alpha.jsonl --track RAGTIME26": "Did you mean 'ragtime26'?",
    "explain track RAGTIME26": "Did you mean 'ragtime26'?",
    "explain RAGTIME26": "Did you mean 'ragtime26'?",
    "explain recall": "Did you mean 'nugget_recall', 'nugget_recall_weighted' or 'citation_recall'",
    "explain docid_patern": "Did you mean 'docid_pattern'?",
    "score alpha.jsonl nuggets.json --judge lexical:x": "takes no model",
    "score alpha.jsonl nuggets.json --support-judge wise:x": "cascade, lexical, llm, nli, none",
    "score alpha.jsonl nuggets.json --support-judge nli": "needs a model: nli:MODEL",
    "score alpha.jsonl nuggets.json --judge none:x": "takes no model",
    "score alpha.jsonl nuggets.json --reading lax": "Choices: argue, strict",
    "score alpha.jsonl nuggets.json --citations some": "Choices: all, any, macro, micro",
    "score alpha.jsonl nuggets.json --attestation any": "Choices: any-document, cited-document",
    "score alpha.jsonl nuggets.json --protocol argu": "Did you mean 'argue'?",
    "score alpha.jsonl nuggets.json --weights vitl=2": "Did you mean 'vital'?",
    "score alpha.jsonl nuggets.json --weights vital": "expected vital=NUMBER, 0 or more",
    "score alpha.jsonl nuggets.json --weights vital=-1": "expected vital=NUMBER, 0 or more",
    "score alpha.jsonl nuggets.json --weights vital=nan": "expected vital=NUMBER, 0 or more",
    "score alpha.jsonl nuggets.json -o alpha.jsonl": "expected a folder, but alpha.jsonl is a file",
    "list": "measures, judges, clients, formats, protocols or tracks",
    "list measure": "Did you mean 'measures'?",
    "explain nugget_recal": "Did you mean 'nugget_recall'?",
    "explain argue_f1 alpha.jsonl": "takes no files",
    "explain outcome alpha.jsonl nuggets.json": "needs --topic ID and --sentence N",
    "explain outcome --topic t1 --sentence 1": "at least one run file",
    "explain outcome alpha.jsonl beta.jsonl nuggets.json --topic t1 --sentence 0": "takes one run",
    "explain outcome alpha.jsonl nuggets.json --topic t7 --sentence 0": "unknown topic 't7'. C",
    "explain outcome beta.jsonl nuggets.json --topic t3 --sentence 0": "no report for topic 't3'",
    "explain outcome beta.jsonl nuggets.json --topic t2 --sentence 2": "expected 0 to 1, found 2",
    "score alpha.jsonl nuggets.json --judge none --judge lexical": "--judge takes one value, and",
    "validate alpha.jsonl --requests a --requests b": "--requests takes one value, and is given 2",
    "curate sheet nuggets.json -o x.html --assessor A --assessor B": "--assessor takes one value",
    "curate sheet nuggets.json -o x.json": "x.json: what is written is a page: name it FILE.html",
    "report . -o report.txt": "report.txt: what is written is a page: name it FILE.html",
    "ingest qrels nuggets.json -o bank.csv": "bank.csv: what is written is JSON: name it FILE.json",
    "curate merge nuggets.json nuggets.json -o b.XLSX": "b.XLSX: what is written is JSON",
}

_OPTIONS = {
    "score alpha.jsonl nuggets.json": {
        "--store x.store --judge none": "store export",
        "--clean": "--clean is about the folder of -o DIR",
    },
    "meta-eval --contrast": {
        "lexical a.jsonl": "leave out JUDGMENTS",
        "lexical --truth a.jsonl --top 3": "leave out --truth, --top",
        "lexical --run a.jsonl --resamples 5": "leave out --run, --resamples",
        "lexical --calibrate x.toml": "leave out --calibrate",
        "lexical --repeat 3": "--repeat is for judges llm:MODEL",
        "lexical --format csv": "csv",
        "nobody": "unknown judge 'nobody'",
        "none": "the judge 'none' answers none",
        "lexical --pairs a.jsonl": "leave out --pairs",
        "lexical --judge lexical": "leave out --judge",
        "lexical --store x -o x": "x",
    },
    "meta-eval --pairs alpha.jsonl": {
        "beta.jsonl": "--pairs has the truth with it",
        "--inter-assessor": "--pairs has the truth with it",
        "--judge lexicl": "Did you mean 'lexical'?",
        "--judge nli": "needs a model",
        "--kind opinion": "opinion",
        "--repeat 5": "--repeat is for judges llm:MODEL",
        "--calibrate alpha.jsonl": "which is read",
        "--calibrate -": "would both be on stdout: give -o FILE",
    },
    "meta-eval x.jsonl": {
        "--store s.store": "--store applies to judges that are asked",
        "--device cuda": "--device applies to judges that are asked",
        "--calibration c.json": "--calibration applies to judges that are asked",
        "--dry-run": "--dry-run applies to judges that are asked",
        "--repeat 3": "name --pairs FILE or --contrast JUDGE",
    },
    "": dict.fromkeys(
        (
            "score - -",
            "score - nuggets.json --judgments -",
            "score alpha.jsonl - --collection -",
            "explain outcome - nuggets.json --requests - --topic t1 --sentence 0",
        ),
        "argue-eval: only one input can be standard input (-)",
    ),
}
USAGE |= {f"{command} {options}".strip(): told for command, rows in _OPTIONS.items()
          for options, told in rows.items()}  # fmt: skip


@pytest.mark.parametrize("command", USAGE)
def test_wrong_usage_exits_2_and_says_what_would_be_right(
    argue_eval: Command, command: str
) -> None:
    before = sorted(Path().iterdir())
    ran = argue_eval(command)
    assert ran.code == 2
    assert USAGE[command] in " ".join(ran.err.split())
    assert ran.out == ""
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["score", "", "nuggets.json"], "RUN... QRELS..."),
        (["score", "alpha.jsonl", "nuggets.json", "--store", ""], "--store"),
        (["score", "alpha.jsonl", "nuggets.json", "-m", "argue", "-m", ""], "--measure"),
        (["validate", "alpha.jsonl", "--requests="], "--requests"),
    ],
)
def test_an_empty_text_is_not_taken_for_nothing(
    argue_eval: Command, words: list[str], name: str
) -> None:
    ran = argue_eval(*words)
    message = f"argue-eval: {name}: expected a value, found an empty text; is a variable not set?"
    assert (ran.code, ran.err.strip()) == (2, message)


_WRONG = re.compile(
    r"(?:unknown [^']+|No such command|has the name|first, found) '([^']+)'"
    r"|No such option: ([\w-]+)"
)
_MEANT = re.compile(r"Did you mean '([^']+)'")
_FOLLOWED = [
    command
    for command, told in USAGE.items()
    # Not what a shell must read, and what would look for a model on the network.
    if "Did you mean" in told and ">" not in told and "hf:" not in told
]


@pytest.mark.parametrize("command", _FOLLOWED)
def test_what_is_suggested_is_no_mistake(argue_eval: Command, command: str) -> None:
    told = " ".join(argue_eval(command).err.split())
    wrong, meant = _WRONG.search(told), _MEANT.search(told)
    assert wrong is not None
    assert meant is not None
    word = re.escape(wrong[1] or wrong[2])
    followed = re.sub(rf"(ingest )?(?<![\w-]){word}(?![\w-])", meant[1], command, count=1)
    assert followed != command
    ran = argue_eval(followed)
    assert ran.code != 2 or followed in ("score", "store info")  # which show their help
    assert "Did you mean" not in ran.err


_OTHER = "error [unknown_format] expected"
REFUSED = [
    ("score nope.jsonl nuggets.json", 3, "nope.jsonl: no such file"),
    ("score alpha.jsonl nope.json", 3, "nope.json: no such file"),
    ("score alpha.jsonl nuggets.json --requests nope", 3, "nope: no such file"),
    ("score alpha.jsonl nuggets.json --collection nope", 3, "nope: no such file"),
    ("score alpha.jsonl nuggets.json --judgments nope", 3, "nope: no such file"),
    ("score alpha.jsonl nuggets.json --collection irds:nope", 3, "has no data set 'nope'"),
    ("score alpha.jsonl nuggets.json -o alpha.jsonl/x", 3, "alpha.jsonl/x: cannot be made"),
    ("meta-eval --contrast nli:./nowhere", 3, "no such folder"),
    ("meta-eval --pairs none.jsonl", 3, "none.jsonl: no such file"),
    ("score nuggets.json alpha.jsonl", 1, f"alpha.jsonl:1: {_OTHER} nuggets, found a run"),
    ("score nuggets.json alpha.jsonl", 1, "fix: where runs and nuggets are named, the runs come f"),
    ("score nuggets.json nuggets.json", 1, f"nuggets.json:1: {_OTHER} a run, found nuggets"),
    (
        "score requests.jsonl nuggets.json",
        1,
        f"requests.jsonl:1: {_OTHER} a run, found report requests",
    ),
    (
        "score alpha.jsonl documents.jsonl",
        1,
        f"documents.jsonl:1: {_OTHER} nuggets, found documents",
    ),
    (
        "score alpha.jsonl nuggets.json --requests nuggets.json",
        1,
        f"nuggets.json:1: {_OTHER} report requests, found nuggets",
    ),
    (
        "score alpha.jsonl nuggets.json --judgments alpha.jsonl",
        1,
        f"alpha.jsonl:1: {_OTHER} judgments, found a run",
    ),
    ("ingest requests nuggets.json", 1, "argue-eval ingest qrels nuggets.json -o"),
    ("ingest qrels requests.jsonl", 1, "argue-eval ingest requests requests.jsonl -o"),
    ("ingest qrels nuggets.json --collection alpha.jsonl", 1, "with 'doc_id', found a run"),
    ("validate alpha.jsonl --collection nuggets.json", 1, "with 'doc_id', found nuggets"),
    ("segment alpha.jsonl", 1, "expected a text, found a run"),
    ("summhay table alpha.jsonl", 1, "expected scores, found a run"),
    ("score alpha.jsonl requests.jsonl", 1, "name report requests with --requests"),
    ("score alpha.jsonl documents.jsonl", 1, "name documents with --collection"),
    ("score alpha.jsonl assessors.judgments.jsonl", 1, "argue-eval score RUN QRELS --judgments"),
    (
        "meta-eval alpha.jsonl --truth assessors.judgments.jsonl",
        1,
        "expected judgments, found a run",
    ),
]


@pytest.mark.parametrize(("command", "code", "message"), REFUSED)
def test_missing_and_mixed_up_files_are_named_with_the_place_where_they_belong(
    argue_eval: Command, command: str, code: int, message: str
) -> None:
    ran = argue_eval(command)
    assert ran.code == code
    assert ran.out == "" or command.startswith(("ingest", "validate"))
    assert message in ran.err + ran.out


@pytest.fixture
def folders(files: Files) -> None:
    """The tiny track in folders, its nuggets in two banks; and an empty folder."""
    for name in ("runs", "banks", "docs", "mixed", "empty"):
        Path(name).mkdir()
    for folder in ("runs", "mixed"):
        for run in (files.alpha, files.beta):
            shutil.copy(run, folder)
    shutil.copy(files.collection, "docs")
    shutil.copy(files.qrels, "mixed")
    Path("mixed/README").write_text("what this is", encoding="utf-8")
    Path("mixed/.hidden.json").write_text("{", encoding="utf-8")
    bank = json.loads(Path(files.qrels).read_text("utf-8"))
    for number, topics in enumerate((bank["topics"][:2], bank["topics"][2:])):
        Path(f"banks/{number}.json").write_text(json.dumps({**bank, "topics": topics}), "utf-8")


WHOLE = "score alpha.jsonl beta.jsonl nuggets.json"


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize(
    ("given", "same_as", "told"),
    [
        ("score alpha.jsonl beta.jsonl banks/0.json banks/1.json", WHOLE, ""),
        ("score runs banks/", WHOLE, ""),
        ("score runs banks/1.json banks/0.json", WHOLE, ""),
        ("score runs/*.jsonl banks/*.json", WHOLE, ""),
        ("score mixed banks", WHOLE, "mixed: warning [files_left_out] expected files with a run; "
         "left out README (no known format), nuggets.json (nuggets)"),
        ("score runs mixed", WHOLE, "left out README (no known format), alpha.jsonl (a run), "),
        (f"{WHOLE} --collection docs", f"{WHOLE} --collection documents.jsonl", ""),
        (f"{WHOLE} --collection doc*.jsonl", f"{WHOLE} --collection documents.jsonl", ""),
        (f"{WHOLE} --judgments mixed", "", "expected judgments, found a folder with README (no "),
        (f"{WHOLE} --requests runs", "", "expected report requests, found a folder with alpha."),
        (f"{WHOLE} --collection empty", "", "expected documents, found a folder with no files"),
        ("score empty nuggets.json", "", "expected a run, found a folder with no files"),
        ("score alpha.jsonl empty", "", "expected nuggets, found a folder with no files"),
        ("score nope/*.jsonl nuggets.json", "", "nope/*.jsonl: no file fits this pattern"),
        ("score runs banks mixed/nuggets.json", "", "the topic 't1' occurs again; it was first "
         "at banks/0.json:1\n    fix: name one of the two files only, or take the topic out"),
        ("convert runs --to rag", "", "found one with runs: name one file at a time"),
        ("score banks/0.json banks/1.json", "", "the runs come first"),
    ],
)  # fmt: skip
def test_folders_and_several_banks_are_their_files(
    argue_eval: Command, given: str, same_as: str, told: str
) -> None:
    ran = argue_eval(given)
    assert told in ran.err
    assert (ran.code in (0, 4)) == bool(same_as)
    if same_as:
        assert ran.out == argue_eval(same_as).out


@pytest.mark.usefixtures("folders")
def test_a_broken_run_in_a_folder_is_never_left_out(argue_eval: Command) -> None:
    Path("runs/c.jsonl").write_text('{"topic": "t1", "text": "…"}\n', encoding="utf-8")
    Path("runs/topics").write_bytes(Path("requests.jsonl").read_bytes().replace(b"\n", b" "))
    for command in ("score runs nuggets.json", "validate runs"):
        ran = argue_eval(command)
        assert (ran.code, "runs/c.jsonl" in ran.err + ran.out) == (1, True)
        assert "left out topics (report requests)" in ran.err or command.startswith("score")


def test_run_of_another_track_is_refused(argue_eval: Command) -> None:
    text = Path("beta.jsonl").read_text()
    for topic_id in ("t1", "t2"):
        text = text.replace(f'"{topic_id}"', f'"x{topic_id}"')
    Path("beta.jsonl").write_text(text)
    ran = argue_eval("score alpha.jsonl beta.jsonl nuggets.json")
    assert (ran.code, ran.out) == (1, "")
    assert "beta.jsonl: error [no_common_topic] no topic of the run (xt1, xt2)" in ran.err


def test_requests_of_another_track_are_refused(argue_eval: Command) -> None:
    Path("other.jsonl").write_text('{"topic_id": "7", "title": "a", "problem_statement": "b"}\n')
    ran = argue_eval("score alpha.jsonl nuggets.json --requests other.jsonl")
    assert (ran.code, ran.out) == (1, "")
    assert "[no_common_topic] no topic of the requests (7) has nuggets (t1, t2, t3)" in ran.err


def test_nuggets_without_documents_are_never_scored_as_0_in_silence(argue_eval: Command) -> None:
    text = Path("nuggets.json").read_text()
    for doc_id in ("d1", "d2", "d3", "d4"):
        text = text.replace(f'["{doc_id}"]', "[]")
    Path("nuggets.json").write_text(text)
    ran = argue_eval("score alpha.jsonl nuggets.json -m nugget_recall")
    assert (ran.code, ran.out) == (1, "")
    assert "--attestation any-document" in ran.err
    judged = "--judgments assessors.judgments.jsonl --judge none"
    lifted = argue_eval(
        f"score alpha.jsonl nuggets.json {judged} -m nugget_recall --attestation any-document"
    )
    assert (lifted.code, lifted.value("nugget_recall")) == (0, "1.0000")


def test_what_is_left_undone_is_said_with_what_would_help(argue_eval: Command) -> None:
    ran = argue_eval("curate dedupe nuggets.json -o x.json")
    assert (ran.code, "no nugget is a claim" in ran.err) == (0, True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_broken_input_gives_its_code_and_no_output(
    argue_eval: Command, case: Case, tmp_path: Path
) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    path = case.write(folder)
    places = {
        "runs": [path, "alpha.jsonl", "nuggets.json"],
        "nuggets": ["alpha.jsonl", path],
        "requests": ["alpha.jsonl", "nuggets.json", "--requests", path],
        "documents": ["alpha.jsonl", "nuggets.json", "--collection", path],
        "judgments": ["alpha.jsonl", "nuggets.json", "--judgments", path],
    }
    ran = argue_eval("score", *places[case.kind], "-o", "out")
    assert (ran.code, ran.out) == (case.exit_code, "")
    if case.code:
        assert f"[{case.code}]" in ran.err
        assert path in ran.err or case.exit_code == 3
        assert case.line is None or f":{case.line}: error" in ran.err
    assert not Path("out").exists()


_BANK = {
    "metadata": {"team_id": "x", "run_id": "r", "topic_id": "1"},
    "nugget_bank": [{"question": 5, "answers": []}] * 1_500,
}


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ("no team\n" * 1_500, "reusability out --teams many"),
        (
            '{"format": "argue-eval/nugget-edits/1", "kind": 5}\n' * 1_500,
            "curate collect many --bank nuggets.json -o x.json",
        ),
        (json.dumps(_BANK) + "\n", "validate many --track ragtime26-nuggets"),
        (json.dumps(_BANK) + "\n", "ingest qrels many -o x.json"),
        ('{"metadata": {}, "responses": []}\n' * 1_500, "score many nuggets.json"),
        (
            '{"kind": "support", "verdict": "yes"}\n' * 1_500,
            "score alpha.jsonl nuggets.json --judgments many",
        ),
        ("run_id,topic_id,measure,value\n" + "a,b,c,d\n" * 1_500, "compare many"),
        ('{"claim": 5}\n' * 1_500, "meta-eval --pairs many --judge lexical"),
    ],
)
def test_more_than_a_thousand_errors_are_told_as_such(
    argue_eval: Command, content: str, command: str
) -> None:
    argue_eval("score alpha.jsonl beta.jsonl nuggets.json --judge none -o out")
    Path("many").write_text(content, encoding="utf-8")
    ran = argue_eval(f"{command} --all")
    assert ran.code == 1, ran.err
    assert "more than 1,000 errors; the rest of the " in ran.out + ran.err
