"""The command lines that are compared.

Paths name the folders of `inputs`. A case may have several commands, which run one after the other
in the same folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from benchmarks.unchanged.inputs import MISTAKES, REAL, broken_name
from tests.formats import broken_files


class Case(NamedTuple):
    """Commands, and the folders of inputs that they read."""

    name: str
    commands: tuple[str, ...]

    @property
    def folders(self) -> tuple[str, ...]:
        """Returns the folders of inputs that the commands name."""
        words = [word.split("=")[-1] for command in self.commands for word in command.split()]
        return tuple(sorted({word.split("/")[0] for word in words if "/" in word}))

    @property
    def needs_data(self) -> bool:
        """Returns whether the case reads data that is not in the repository."""
        return not set(self.folders).isdisjoint(REAL)


def all_cases() -> list[Case]:
    """Returns all cases. Their names are unique."""
    cases = [
        *_helps(),
        *_lists(),
        *_explanations(),
        *_example_scores(),
        *_protocol_scores(),
        *_other_scores(),
        *_scores_of_broken_input(),
        *_outcomes(),
        *_written_scores(),
        *_validations(),
        *_ingestions(),
        *_conversions(),
        *_segmentations(),
        *_comparisons(),
        *_summhay_tables(),
        *_judgings(),
        *_nuggets(),
        *_real_scores(),
    ]
    names = [case.name for case in cases]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"cases with the same name: {', '.join(twice)}")
    return cases


def _cases(name: str, commands: Sequence[str]) -> Iterator[Case]:
    """Yields a case per command, with the command in its name."""
    for command in commands:
        yield Case(f"{name}: {command}", (command,))


# --- what the program says about itself ----------------------------------------------------------

COMMANDS = (
    "score", "judge", "validate", "ingest", "convert", "segment", "curate", "curate extract",
    "curate dedupe", "curate filter", "summhay", "summhay table", "meta-eval", "store",
    "store info", "store export", "store import", "store merge", "store verify", "list", "explain",
)  # fmt: skip
MEASURES = (
    "sentence_precision", "nugget_recall", "nugget_recall_weighted", "argue_f1",
    "argue_f1_weighted", *(f"outcome_{number}" for number in range(1, 9)), "citation_relevance",
    "citation_support", "sentence_support", "nugget_coverage", "nugget_coverage_weighted", "f1",
    "f1_weighted", "sentences", "character_count",
    "sentences_with_citations_or_requiring_citations", "correctly_cited_sentences",
    "first_instance_sentences_missing_citation", "citations", "relevant_citations",
    "supporting_citations", "nuggets", "nuggets_weighted", "correct_nuggets",
    "correct_nuggets_weighted", "citation_relevance_micro", "citation_support_micro", "kpr", "kpp",
    "kpf", "response_words", "all_score", "vital_score", "strict_all_score", "strict_vital_score",
    "P@5", "R@10", "nDCG@10", "AP", "RR", "coverage", "citation_score", "joint_score",
    "citation_precision", "citation_recall", "words_per_bullet", "weighted_precision",
    "weighted_recall",
)  # fmt: skip
FAMILIES = (
    "argue", "auto_argue", "key_points", "nuggetizer", "retrieval", "summhay", "support", "all",
)  # fmt: skip
PROTOCOLS = ("argue", "key-points", "nuggetizer", "summhay", "support")
TRACKS = (
    "biogen24", "biogen25", "dragun25", "generic", "neuclir24", "rag24", "rag25", "rag26",
    "ragtime25", "ragtime26",
)  # fmt: skip
VIEWS = ("trec_eval", "ir_measures", "auto_argue", "json", "csv", "markdown", "lengths")


def _helps() -> Iterator[Case]:
    commands = ["", "--help", "-h", "--version", "nothing", "--nothing", "score --nothing"]
    commands += [f"{command} --help" for command in COMMANDS]
    commands += [*COMMANDS, "store nothing", "nuggets nothing", "summhay nothing"]
    yield from _cases("usage", commands)


def _lists() -> Iterator[Case]:
    whats = ("measures", "judges", "formats", "protocols", "tracks", "nothing", "measures judges")
    yield from _cases("list", [f"list {what}" for what in whats])


def _explanations() -> Iterator[Case]:
    commands = [f"explain {measure}" for measure in (*MEASURES, *FAMILIES)]
    commands += ["explain nDCG@1000", "explain alpha_nDCG@10", "explain nDCG@x", "explain nugget"]
    commands += [f"explain track {track}" for track in TRACKS]
    commands += ["explain track", "explain track ragtime", "explain outcome", "explain argue x"]
    yield from _cases("explain", commands)


# --- scores of the example track -----------------------------------------------------------------

BAD = "score runs/sparse.jsonl runs/miscited.jsonl qrels/example.json"
ALL = (
    "score runs/careful.jsonl runs/hallucinating.jsonl runs/miscited.jsonl runs/sparse.jsonl "
    "qrels/example.json"
)
REQUESTS = "--requests topics/example.jsonl"
DOCUMENTS = "--collection collection/example.jsonl"
FULL = "--judgments qrels/example.judgments.jsonl --judge none"
PART = "--judgments made/part.judgments.jsonl --judge none"
NONE = "--judge none"
PART_LEXICAL = f"--judgments made/part.judgments.jsonl {DOCUMENTS}"

OPTIONS = (
    "",
    "-q",
    "--reading argue",
    "--reading strict",
    *(f"--citations {name}" for name in ("all", "any", "macro", "micro")),
    "--attestation cited-document",
    "--attestation any-document",
    "--reading strict --citations micro --attestation any-document -q",
    "--only-answered",
    "--weights vital=3,okay=0.5",
    "--weights vital=1,okay=1,none=0 -q -m argue_f1_weighted",
    "--by language",
    "--by language -q -m argue --citations micro",
    "--allow-unjudged",
    "-m nDCG@10",
    "-m nDCG@10 -m P@3 -m AP -m RR -m R@100 -q",
    "-m nugget_recall -m sentence_precision",
    *(f"-m {family}" for family in FAMILIES),
)


def _example_scores() -> Iterator[Case]:
    """Yields the example track in full, in part and not judged, with every option and view."""
    judged = {"full": FULL, "part": PART, "none": NONE}
    for (how, judgments), option in product(judged.items(), OPTIONS):
        yield from _cases(how, [f"{BAD} {REQUESTS} {judgments} {option}"])
    for (how, judgments), view in product(judged.items(), VIEWS):
        yield from _cases(how, [f"{BAD} {REQUESTS} {judgments} --format {view}"])
        yield from _cases(how, [f"{BAD} {REQUESTS} {judgments} --format {view} -q -m all"])
    lexical = ["", "-q -m all", "--reading strict", "--citations macro", "-m auto_argue"]
    lexical += ["--format json -q", "--attestation any-document", "-m support", "-m nuggetizer"]
    yield from _cases("lexical", [f"{BAD} {DOCUMENTS} {REQUESTS} {each}" for each in lexical])
    yield from _cases("lexical", [f"{ALL} {DOCUMENTS} {REQUESTS} -q -m argue"])
    yield from _cases("lexical", [f"{ALL} -m argue", f"{BAD} {PART_LEXICAL} -q -m argue"])
    judges = ("--support-judge none", "--nugget-judge none", "--sentence-judge none")
    yield from _cases("lexical", [f"{BAD} {DOCUMENTS} {each}" for each in judges])
    yield from _cases(
        "all runs", [f"{ALL} {REQUESTS} {judgments}" for judgments in judged.values()]
    )
    yield from _cases("packed", [f"score made/careful.jsonl.gz qrels/example.json {FULL}"])
    yield from _cases("stdin", [f"score - qrels/example.json {FULL} < runs/careful.jsonl"])


def _protocol_scores() -> Iterator[Case]:
    """Yields every protocol on what it is for and on what it is not for."""
    key_points = "examples/key-points/responses.jsonl examples/key-points/key-points.json"
    asked = "--requests examples/key-points/questions.jsonl"
    judged = "--judgments examples/key-points/judgments.jsonl --judge none"
    haystack = "examples/summhay/harbour.json examples/summhay/harbour.json"
    for protocol in PROTOCOLS:
        both = f"--protocol {protocol}"
        commands = [
            f"{BAD} {FULL} {both}",
            f"{BAD} {NONE} {both} -q",
            f"{BAD} {DOCUMENTS} {both} -q",
            f"score {key_points} {both} {judged} {asked} -q",
            f"score {key_points} {both} {asked}",
            f"score {haystack} {both} -q",
            f"score {haystack} {both} --judge none",
            f"score {haystack} {both} --judgments none -q",
        ]
        commands += [f"{BAD} {FULL} {both} --format {view} -q" for view in VIEWS[3:]]
        commands += [f"{BAD} {FULL} {both} -m {family}" for family in FAMILIES]
        yield from _cases("protocol", commands)
    points = f"score {key_points} --protocol key-points {judged}"
    options = [
        f"{asked} --by domain",
        f"{asked} --by domain -q --format json",
        "--by nothing",
        "--covers sentence",
        "--covers report",
        "--covers nothing",
        "--only-answered -q",
        "--response-points examples/key-points/key-points.json",
        "--response-points examples/key-points/key-points.json -q -m kpp -m kpf",
        "--response-points runs/careful.jsonl",
        *(f"--format {view} -q" for view in VIEWS),
    ]
    yield from _cases("key points", [f"{points} {option}" for option in options])
    summhay = f"score {haystack} --protocol summhay"
    options = [*(f"--format {view} -q" for view in VIEWS), "--covers report --judgments none"]
    yield from _cases("summhay", [f"{summhay} {option}" for option in options])
    nuggetizer = f"{BAD} --protocol nuggetizer"
    options = ["--covers sentence", "--covers report", "--covers report --judge none"]
    yield from _cases("nuggetizer", [f"{nuggetizer} {option}" for option in options])
    for protocol in PROTOCOLS:
        claims = f"{BAD} --protocol {protocol}".replace("qrels/example.json", "made/claims.jsonl")
        yield from _cases("claims", [f"{claims} {DOCUMENTS} -q", f"{claims} --judge none"])
    claims = "--weights vital=3,okay=1 -m all --format json"
    yield from _cases("claims", [f"score runs/careful.jsonl made/claims.jsonl {claims}"])
    yield from _cases("claims", ["ingest qrels made/claims.jsonl -o out.json"])
    yield from _converted("made/claims.jsonl", NUGGET_FORMS)


TINY = "score tiny/alpha.jsonl tiny/beta.jsonl tiny/nuggets.json"
TINY_JUDGED = "--judgments tiny/assessors.judgments.jsonl --judge none"


def _other_scores() -> Iterator[Case]:
    """Yields scores of the tiny track, and usage that is wrong or that warns."""
    tiny = f"{TINY} {TINY_JUDGED}"
    options = [*OPTIONS, "--requests tiny/requests.jsonl -m nugget_recall"]
    options += [f"--format {view} -q" for view in VIEWS]
    yield from _cases("tiny", [f"{tiny} {option}" for option in options])
    for option in ("", "-q", "--judge none", "-m all", "--format json -q"):
        yield from _cases("tiny", [f"{TINY} --collection tiny/documents.jsonl {option}"])
    wrong = [
        "score tiny/nuggets.json tiny/alpha.jsonl",
        "score tiny/alpha.jsonl",
        "score tiny/alpha.jsonl tiny/alpha.jsonl tiny/nuggets.json --judge none",
        "score tiny/alpha.jsonl missing.json",
        "score missing.jsonl tiny/nuggets.json",
        "score tiny tiny/nuggets.json",
        "score - - < tiny/alpha.jsonl",
        "score made/empty.jsonl tiny/nuggets.json",
        "score tiny/alpha.jsonl made/empty.jsonl",
        f"{tiny} -m nothing",
        f"{tiny} -m nugget_recal",
        f"{tiny} -m nDCG",
        f"{tiny} --format nothing",
        f"{tiny} --reading strickt",
        f"{tiny} --citations some",
        f"{tiny} --attestation none",
        f"{tiny} --protocol nothing",
        f"{tiny} --weights vital",
        f"{tiny} --weights vital=x",
        f"{tiny} --weights vital=-1",
        f"{tiny} --weights vital=nan",
        f"{tiny} --weights huge=1",
        f"{tiny} --by nothing",
        f"{tiny} --covers sentence",
        f"{tiny} --response-points tiny/nuggets.json",
        f"{tiny} --requests made/other.requests.jsonl",
        f"{tiny} --requests missing.jsonl",
        f"{tiny} --collection missing.jsonl",
        f"{tiny} --collection irds:no/such",
        f"{tiny} --judgments missing.jsonl",
        f"{tiny} --judgments qrels/example.judgments.jsonl",
        f"{tiny} --store new.store",
        f"{tiny} --max-calls -1",
        f"{tiny} --max-calls 3",
        f"{tiny} --max-cost 1",
        f"{tiny} --prices made/prices.toml",
        f"{tiny} --repeat 0",
        f"{tiny} --timeout 0",
        f"{tiny} --concurrency 0",
        f"{tiny} --device tpu",
        f"{tiny} --executor nothing",
        f"{tiny} --prompting nothing",
        f"{tiny} --prompts nothing",
        f"{tiny} -o tiny/alpha.jsonl",
        f"{TINY} --judge nothing",
        f"{TINY} --judge llm",
        f"{TINY} --judge llm:",
        f"{TINY} --judge nli",
        f"{TINY} --judge assessor",
        f"{TINY} --support-judge nothing --nugget-judge other",
        f"{TINY} --judge lexical:x",
        f"{TINY} --store tiny/alpha.jsonl",
        f"{TINY} --device cpu",
        f"{TINY} --repeat 3",
    ]
    yield from _cases("wrong usage", wrong)
    other = [
        "score runs/careful.jsonl tiny/nuggets.json --judge none",
        "score tiny/alpha.jsonl qrels/example.json --judge none",
        f"score runs/careful.jsonl qrels/example.json {FULL} --requests made/other.requests.jsonl",
        f"score runs/careful.jsonl qrels/example.json {FULL} --collection tiny/documents.jsonl",
        f"score runs/careful.jsonl qrels/example.json {FULL} {DOCUMENTS} {DOCUMENTS}",
    ]
    yield from _cases("not one track", other)


def _scores_of_broken_input() -> Iterator[Case]:
    """Yields every kind of broken file, read by the commands that read such files."""
    score = "score tiny/alpha.jsonl tiny/nuggets.json"
    for number, broken in enumerate(broken_files.CASES):
        path = broken_name(number)
        commands = {
            "requests": [f"ingest requests {path}", f"{score} {TINY_JUDGED} --requests {path}"],
            "nuggets": [f"ingest qrels {path}", f"score tiny/alpha.jsonl {path} {TINY_JUDGED}"],
            "runs": [
                f"validate {path}",
                f"score {path} tiny/nuggets.json {TINY_JUDGED}",
                f"convert {path} --to canonical --kind runs",
            ],
            "documents": [f"{score} {TINY_JUDGED} --collection {path}"],
            "judgments": [
                f"{score} --judge none --judgments {path}",
                f"meta-eval {path} --truth tiny/assessors.judgments.jsonl",
            ],
        }[broken.kind]
        yield Case(f"broken {number}: {broken.name}", tuple(commands))


def _outcomes() -> Iterator[Case]:
    """Yields the outcomes of sentences: what led to them, in words."""
    options = {
        "full": FULL,
        "part": f"{PART} --citations macro",
        "strict": f"{FULL} --reading strict --citations any --attestation any-document",
        "none": NONE,
        "lexical": f"{DOCUMENTS} {REQUESTS}",
    }
    runs = ("careful", "hallucinating", "miscited", "sparse")
    for (how, option), run in product(options.items(), runs):
        explain = f"explain outcome runs/{run}.jsonl qrels/example.json {option}"
        topics = ("ex1", "ex2", "ex4") if how == "full" else ("ex1",)
        commands = [
            f"{explain} --topic {topic} --sentence {sentence}"
            for topic, sentence in product(topics, (0, 1, 2, 3, 5))
        ]
        yield Case(f"outcomes {how} {run}", tuple(commands))
    tiny = f"explain outcome tiny/alpha.jsonl tiny/nuggets.json {TINY_JUDGED}"
    places = [("t1", 0), ("t1", 1), ("t1", 2), ("t2", 0), ("t2", 1), ("t2", 2), ("t3", 1)]
    commands = [f"{tiny} --topic {topic} --sentence {number}" for topic, number in places]
    wrong = ["--topic t9 --sentence 0", "--topic t1 --sentence 99", "--topic t1", "--sentence 0"]
    yield Case("outcomes tiny", (*commands, *(f"{tiny} {each}" for each in wrong)))
    commands = [f"{tiny} --topic t1 --sentence 2 --citations {each}" for each in ("micro", "some")]
    yield Case("outcomes tiny, by citation", tuple(commands))


def _written_scores() -> Iterator[Case]:
    """Yields `score -o DIR`, and the scores of what it wrote."""
    options = {
        "full": FULL,
        "part": f"{PART} {REQUESTS} -q",
        "none": f"{NONE} --allow-unjudged -m all",
        "lexical": f"{DOCUMENTS} {REQUESTS} --by language",
        "strict": f"{FULL} --reading strict --citations micro --weights vital=3,okay=1 -m all",
        "answered": f"{FULL} --only-answered --format json",
    }
    for how, option in options.items():
        yield Case(f"written {how}", (f"{ALL} {option} -o out",))
    again = f"{BAD} --judgments out/sparse.judgments.jsonl --judgments out/miscited.judgments.jsonl"
    yield Case("written and scored again", (f"{BAD} {DOCUMENTS} -o out", f"{again} --judge none"))
    yield Case("written twice", (f"{BAD} {FULL} -o out", f"{BAD} {PART} -o out"))
    yield Case("written tiny", (f"{TINY} {TINY_JUDGED} -o out/deep -m all",))
    key_points = (
        "score examples/key-points/responses.jsonl examples/key-points/key-points.json "
        "--protocol key-points --judge none --judgments examples/key-points/judgments.jsonl"
    )
    yield Case("written key points", (f"{key_points} -o out",))
    haystack = "score examples/summhay/harbour.json examples/summhay/harbour.json"
    yield Case("written summhay", (f"{haystack} --protocol summhay -o out",))


# --- validate, ingest, convert, segment ----------------------------------------------------------


def _validations() -> Iterator[Case]:
    clean = ("runs/careful.jsonl", "runs/sparse.jsonl", "tiny/alpha.jsonl", "mistakes/none.jsonl")
    for run in clean:
        commands = [f"validate {run} --track {track}" for track in TRACKS]
        yield Case(f"validate {run}", (f"validate {run}", *commands))
        yield Case(f"validate {run}, JSON", tuple(f"{each} --json" for each in commands))
    for track in TRACKS:
        validate = f"validate mistakes/everything.jsonl --track {track}"
        commands = [validate, f"{validate} --all --strict", f"{validate} --json"]
        commands += [f"{validate} --format github", f"{validate} --all --segmentation"]
        yield Case(f"validate everything {track}", tuple(commands))
        rag = f"validate mistakes/rag.jsonl --track {track}"
        yield Case(f"validate rag {track}", (rag, f"{rag} --json"))
    for track in ("biogen24", "biogen25", "generic"):
        runs = " ".join(f"mistakes/{name}.json" for name in ("biogen", "biogen-1", "biogen-none"))
        biogen = f"validate {runs} --track {track}"
        alone = f"validate mistakes/biogen-1.json --track {track}"
        yield Case(f"validate biogen {track}", (biogen, f"{biogen} --json", alone))
    rag = "convert runs/careful.jsonl --to rag --lossy --requests topics/example.jsonl -o rag.jsonl"
    validate = "validate rag.jsonl --requests topics/example.jsonl --track"
    tracks = ("rag24", "rag25", "rag26")
    yield Case("validate narratives", (rag, *(f"{validate} {track}" for track in tracks)))
    texts = "--requests mistakes/requests.jsonl --collection mistakes/ids.txt"
    for name in MISTAKES:
        validate = f"validate mistakes/{name}.jsonl --track ragtime26"
        commands = [validate, f"{validate} {texts}", f"{validate} {texts} --json"]
        commands += [f"validate mistakes/{name}.jsonl", f"{validate} {texts} --format github"]
        yield Case(f"validate mistake {name}", tuple(commands))
    example = f"{REQUESTS} {DOCUMENTS}"
    runs = " ".join(f"runs/{name}.jsonl" for name in ("careful", "hallucinating", "sparse"))
    yield from _cases(
        "validate",
        [
            f"validate {runs} {example}",
            f"validate {runs} {example} --track generic --json",
            f"validate {runs} {example} --track generic --format github",
            f"validate {runs} {example} --segmentation --strict",
            f"validate {runs} --rules made/strict.toml {example}",
            "validate runs/sparse.jsonl --rules made/wrong.toml",
            "validate runs/sparse.jsonl --rules missing.toml",
            "validate runs/sparse.jsonl --track nothing",
            "validate runs/sparse.jsonl --format nothing",
            "validate runs/sparse.jsonl --requests missing.jsonl",
            "validate runs/sparse.jsonl --collection missing.jsonl",
            "validate runs/sparse.jsonl --collection made/ids.txt",
            "validate made/careful.jsonl.gz",
            "validate - < runs/sparse.jsonl",
            "validate - --track ragtime26 --json < mistakes/mistyped.jsonl",
            "validate missing.jsonl",
            "validate made/empty.jsonl",
            "validate made/blank.txt",
            "validate qrels/example.json",
            "validate topics/example.jsonl",
        ],
    )


def _ingestions() -> Iterator[Case]:
    requests = ("topics/example.jsonl", "tiny/requests.jsonl", "mistakes/requests.jsonl")
    for path in (*requests, "examples/key-points/questions.jsonl", "examples/summhay/harbour.json"):
        ingest = f"ingest requests {path}"
        commands = (ingest, f"{ingest} --json", f"{ingest} -o out.jsonl", f"{ingest} -o - --strict")
        yield Case(f"ingest requests {path}", commands)
    nuggets = ("qrels/example.json", "tiny/nuggets.json", "examples/key-points/key-points.json")
    for path in (*nuggets, "examples/summhay/harbour.json"):
        ingest = f"ingest qrels {path}"
        options = ["", " --json --all", " -o out.json", " --strict", f" {REQUESTS} {DOCUMENTS}"]
        options += [f" {REQUESTS} --collection made/ids.txt --all -o -"]
        yield Case(f"ingest qrels {path}", tuple(f"{ingest}{option}" for option in options))
    for form in ("auto_argue", "neuclir", "nuggetizer", "ragtime26"):
        convert = f"convert qrels/example.json --to {form} --lossy -o made.jsonl"
        ingest = "ingest qrels made.jsonl"
        commands = (convert, ingest, f"{ingest} --form {form} -o out.json", f"{ingest} --json")
        yield Case(f"ingest qrels, converted to {form}", commands)
    for form in ("dragun", "neuclir", "rag25", "rag_tsv"):
        convert = f"convert topics/example.jsonl --to {form} --lossy -o made.jsonl"
        ingest = "ingest requests made.jsonl"
        commands = (convert, ingest, f"{ingest} --form {form} -o out.jsonl", f"{ingest} --json")
        yield Case(f"ingest requests, converted to {form}", commands)
    yield from _cases(
        "ingest",
        [
            "ingest",
            "ingest nothing topics/example.jsonl",
            "ingest requests qrels/example.json",
            "ingest qrels topics/example.jsonl",
            "ingest qrels runs/careful.jsonl",
            "ingest qrels qrels/example.json --form nothing",
            "ingest qrels qrels/example.json --form neuclir",
            "ingest qrels qrels/example.json qrels/example.json",
            "ingest qrels qrels/example.json tiny/nuggets.json -o out.json",
            "ingest requests topics/example.jsonl topics/example.jsonl",
            "ingest requests - < topics/example.jsonl",
            "ingest requests missing.jsonl",
            "ingest requests topics/example.jsonl -o missing/out.jsonl",
            "ingest requests topics/example.jsonl -o out.jsonl.gz",
            "ingest requests made/empty.jsonl",
            "ingest qrels made/empty.jsonl",
            f"ingest requests topics/example.jsonl {REQUESTS}",
        ],
    )


RUN_FORMS = ("canonical", "neuclir", "rag")
NUGGET_FORMS = ("canonical", "auto_argue", "neuclir", "nuggetizer", "ragtime26")
REQUEST_FORMS = ("canonical", "dragun", "neuclir", "rag25", "rag_tsv")


def _converted(path: str, forms: Sequence[str]) -> Iterator[Case]:
    """Yields a file in every form, and back."""
    for form in forms:
        convert = f"convert {path} --to {form}"
        commands = (
            f"{convert} -o strict.out --all",
            f"{convert} -o strict.out --json",
            f"{convert} --lossy -o lossy.out",
            "convert lossy.out --to canonical --lossy -o back.out",
        )
        yield Case(f"convert {path} to {form}", commands)


def _conversions() -> Iterator[Case]:
    for path in ("runs/careful.jsonl", "tiny/alpha.jsonl", "mistakes/rag.jsonl"):
        yield from _converted(path, RUN_FORMS)
    yield from _converted("examples/summhay/harbour.json --kind runs", RUN_FORMS)
    for path in ("qrels/example.json", "tiny/nuggets.json", "examples/key-points/key-points.json"):
        yield from _converted(path, NUGGET_FORMS)
    yield from _converted("examples/summhay/harbour.json --kind nuggets", NUGGET_FORMS)
    for path in ("topics/example.jsonl", "tiny/requests.jsonl"):
        yield from _converted(path, REQUEST_FORMS)
    yield from _converted("examples/key-points/questions.jsonl", REQUEST_FORMS)
    yield from _cases(
        "convert",
        [
            "convert qrels/example.json --to auto_argue --lossy -o banks/",
            "convert qrels/example.json --to auto_argue --lossy",
            "convert runs/careful.jsonl --to rag --lossy --requests topics/example.jsonl -o out.gz",
            "convert runs/careful.jsonl --to rag --lossy",
            "convert runs/careful.jsonl --to nothing",
            "convert runs/careful.jsonl --to auto_argue",
            "convert runs/careful.jsonl --to rag --kind nuggets",
            "convert runs/careful.jsonl --to rag --kind nothing",
            "convert runs/careful.jsonl --to canonical --form rag",
            "convert runs/careful.jsonl --to canonical --form nothing",
            "convert - --to canonical < runs/sparse.jsonl",
            "convert missing.jsonl --to canonical",
            "convert made/empty.jsonl --to canonical",
            "convert collection/example.jsonl --to canonical",
            "convert examples/summhay/harbour.json --to canonical",
            "convert runs/careful.jsonl --to canonical -o missing/out.jsonl",
        ],
    )


def _segmentations() -> Iterator[Case]:
    names = ("ferry.md", "plain.txt", "zh.txt", "ru.txt", "fa.txt", "empty.md", "unresolved.md")
    for name in names:
        segment = f"segment texts/{name} --run-id r --team-id t"
        commands = (
            segment,
            f"{segment} -o run.jsonl",
            f"{segment} --citations before --no-headings",
            f"{segment} --references texts/references.json --topic t1",
        )
        yield Case(f"segment {name}", commands)
    both = "segment texts/ferry.md texts/plain.txt"
    yield from _cases(
        "segment",
        [
            f"{both} --references texts/by-topic.txt -o my.run.jsonl",
            f"{both} --references texts/references.txt --team-id t --run-id r",
            f"{both} --topic t1",
            f"{both} --language en",
            f"{both} --language nothing",
            f"{both} --citations between",
            f"{both} --references missing.txt",
            f"{both} --references runs/careful.jsonl",
            "segment missing.txt",
            "segment - --topic t1 --run-id r --team-id t < texts/plain.txt",
            "segment - < texts/plain.txt",
            "segment texts/zh.txt --language zh --run-id r",
        ],
    )


# --- meta-eval, summhay, judge, store, nuggets ---------------------------------------------------


def _comparisons() -> Iterator[Case]:
    truth = "--truth qrels/example.judgments.jsonl"
    made = f"{ALL} {DOCUMENTS} {REQUESTS} --allow-unjudged -o lexical"
    assessed = f"{ALL} {FULL} -o assessor"
    names = ("careful", "hallucinating", "miscited", "sparse")
    lexical = " ".join(f"lexical/{name}.judgments.jsonl" for name in names)
    runs = " ".join(f"--run runs/{name}.jsonl" for name in names)
    compare = f"meta-eval {lexical} {truth}"
    commands = [
        compare,
        f"{compare} {runs}",
        f"{compare} {runs} --format markdown",
        f"{compare} {runs} --json -o out.json",
        f"{compare} --resamples 0 --kind support --kind answers",
        f"{compare} --resamples 50 --judge lexical",
        f"{compare} --resamples 50 --judge nothing",
        f"{compare} --kind nothing",
        f"{compare} --truth-judge assessor:A1 --resamples 0",
        f"{compare} --format nothing",
        "meta-eval --scores lexical --truth-scores assessor -m argue_f1",
        "meta-eval --scores lexical --truth-scores assessor --resamples 20 --format markdown",
        "meta-eval --scores lexical/careful.scores.txt --truth-scores assessor -m nugget_recall",
        "meta-eval --scores lexical --truth-scores assessor -m argue_f1=nugget_recall --json",
        "meta-eval --scores lexical --truth-scores assessor -m nothing",
        f"{compare} {runs} --scores lexical --truth-scores assessor --resamples 20",
    ]
    yield Case("meta-eval", (made, assessed, *commands))
    part = "meta-eval made/part.judgments.jsonl qrels/example.judgments.jsonl"
    yield from _cases(
        "meta-eval",
        [
            part,
            f"{part} --truth tiny/assessors.judgments.jsonl",
            f"meta-eval tiny/assessors.judgments.jsonl {truth}",
            f"meta-eval made/empty.jsonl {truth}",
            f"meta-eval missing.jsonl {truth}",
            f"meta-eval runs/careful.jsonl {truth}",
            f"meta-eval - {truth} --resamples 0 < made/part.judgments.jsonl",
            "meta-eval examples/summhay/harbour.json --truth examples/summhay/harbour.json",
            "meta-eval --scores runs/careful.jsonl --truth-scores runs/careful.jsonl",
            "meta-eval made/part.judgments.jsonl --resamples -1",
        ],
    )

    made = f"{TINY} --collection tiny/documents.jsonl --allow-unjudged -o out"
    compare = f"meta-eval out/alpha.judgments.jsonl {truth} --resamples 10"
    commands = [made, compare, f"{compare} --run tiny/alpha.jsonl"]
    commands += [f"{compare.replace(truth, '--truth tiny/assessors.judgments.jsonl')}"]
    forms = ("scores.jsonl", "auto_argue.tsv", "scores.txt")
    scores = " ".join(f"--scores out/alpha.{each}" for each in forms)
    commands += [f"meta-eval {scores} --truth-scores out --resamples 10"]
    commands += ["meta-eval --scores out/leaderboard.tsv --truth-scores out --resamples 10"]
    yield Case("meta-eval, other topics and forms", tuple(commands))


def _summhay_tables() -> Iterator[Case]:
    table = "summhay table examples/summhay/harbour.json"
    options = ["", "--format markdown", "--format json", "--average topics", "--average insights"]
    options += ["--only-answered", "--judge none", "--judge none --allow-unjudged -o out.txt"]
    options += ["--judgments none", "--judgments none --judge none", "--format nothing"]
    options += ["--average nothing", "--store s.store --judgments none"]
    yield from _cases("summhay", [f"{table} {option}" for option in options])
    score = "score examples/summhay/harbour.json examples/summhay/harbour.json --protocol summhay"
    commands = [f"{score} --format json -o scored"]
    names = ("oracle", "random")
    commands += [f"summhay table scored/summary_subtopic_{name}_heron.scores.txt" for name in names]
    yield Case("summhay table of scores", tuple(commands))
    wrong = ["runs/careful.jsonl", "missing.json", "made/empty.jsonl", "- < runs/careful.jsonl"]
    yield from _cases("summhay", [f"summhay table {each}" for each in wrong])


def _judgings() -> Iterator[Case]:
    judge = f"judge runs/careful.jsonl runs/miscited.jsonl qrels/example.json {DOCUMENTS}"
    model = "--judge llm:test-model --concurrency 1"
    one = f"judge runs/sparse.jsonl qrels/example.json {DOCUMENTS}"
    yield from _cases(
        "judge",
        [
            f"{judge} --dry-run",
            f"{judge} --dry-run --json",
            f"{judge} --dry-run --protocol support",
            f"{judge} --dry-run --judge none",
            f"{judge} --dry-run -m nugget_recall --reading strict",
            f"{judge} --dry-run {model}",
            f"{judge} --dry-run {model} --prices made/prices.toml --json",
            f"{judge} --dry-run {model} --prompting single --repeat 3 --canary",
            f"{judge} --dry-run {model} --protocol nuggetizer",
            f"{judge} --dry-run {model} --shard 1/2",
            f"{judge} --shard 3/2",
            f"{judge} --store s.store",
            f"{judge} --store s.store --json {REQUESTS}",
            f"{judge} --batch-out calls.jsonl",
            f"{judge} --batch-out calls.jsonl {model} --store s.store",
            f"{judge} --batch-out calls.jsonl --dry-run {model}",
            f"{judge} --store runs/careful.jsonl",
            f"{judge} --probe 3",
            f"{judge} --max-cost 1 {model}",
        ],
    )
    score = f"score runs/sparse.jsonl qrels/example.json {DOCUMENTS}"
    points = "examples/key-points/key-points.json"
    for name, judges in {
        "lexical": "",
        "model": model,
        "single": f"{model} --prompting single",
    }.items():
        yield Case(
            f"judge {name}, then store and score",
            (
                f"{one} {judges} --store s.store",
                f"{one} {judges} --store s.store --dry-run",
                f"{one} {judges} --store s.store",
                f"{score} {judges} --store s.store -o out",
                "store verify s.store",
                "store info s.store --json",
                "store export s.store --judge lexical",
                "store export s.store --judge nothing",
                "store export s.store -o out.judgments.jsonl.gz",
                "score runs/sparse.jsonl qrels/example.json --judgments out.judgments.jsonl.gz "
                "--judge none",
            ),
        )
    for protocol in PROTOCOLS:
        answered = f"examples/key-points/responses.jsonl {points}"
        haystack = "examples/summhay/harbour.json examples/summhay/harbour.json --judgments none"
        asked = f"--protocol {protocol} --allow-unjudged {model} --store s.store -q"
        commands = [f"score {each} {asked}" for each in (answered, haystack)]
        claims = score.replace("qrels/example.json", "made/claims.jsonl")
        commands += [f"{each} {asked}" for each in (claims, score)]
        commands += [f"{score} {asked} --format json -m all"]
        yield Case(f"model, protocol {protocol}", tuple(commands))
    for name in ("nonsense", "empty", "refused", "missing", "locked"):
        failing = f"--support-judge llm:test-{name} --nugget-judge none --sentence-judge none"
        failing += " --concurrency 1 --store s.store"
        commands = [f"{one} {failing}", f"{score} {failing}", "store info s.store"]
        commands += [f"curate dedupe {points} --model test-{name} --concurrency 1 -o out.json"]
        yield Case(f"model that fails: {name}", tuple(commands))
    batch = f"{one} {model} --store s.store"
    commands = [f"{batch} --batch-out calls.jsonl", "answer-batch calls.jsonl replies.jsonl"]
    commands += [f"{batch} --batch-in replies.jsonl", f"{batch} --batch-out more.jsonl"]
    commands += [f"{batch} --batch-in runs/sparse.jsonl", f"{batch} --batch-in missing.jsonl"]
    yield Case("judge by batch files", tuple(commands))
    limited = f"{one} {model} --store s.store"
    yield Case(
        "judge until a limit", (f"{limited} --max-calls 1", f"{limited} --max-calls 2", limited)
    )
    parts = [f"{one} --store part{number}.store --shard {number}/2" for number in (1, 2)]
    merge = "store merge all.store part1.store part2.store"
    yield Case("store merge", (*parts, merge, merge, "store verify all.store"))
    texts = f"--qrels qrels/example.json {REQUESTS} {DOCUMENTS}"
    imported = "store import new.store qrels/example.judgments.jsonl"
    yield Case(
        "store import",
        (
            f"{imported} {texts} --run runs/careful.jsonl --run runs/sparse.jsonl",
            f"{imported} {texts}",
            f"{imported} --qrels qrels/example.json",
            "store verify new.store",
            "store info new.store",
        ),
    )
    yield Case("store import without texts", (imported, "store info new.store"))
    wrong = [
        "store info made/damaged.store",
        "store verify made/damaged.store",
        f"{score} --store made/damaged.store",
        "store info missing.store",
        "store info runs/careful.jsonl",
        "store export missing.store",
        "store verify made/empty.jsonl",
        "store verify missing.store",
        "store merge all.store missing.store",
        "store import new.store missing.jsonl",
        "store import new.store runs/careful.jsonl",
    ]
    yield from _cases("store", wrong)


def _nuggets() -> Iterator[Case]:
    points = "examples/key-points/key-points.json"
    extract = f"curate extract topics/example.jsonl {DOCUMENTS} --model test-model"
    yield from _cases(
        "nuggets",
        [
            f"curate dedupe {points} -o out.json",
            f"curate dedupe {points} -o -",
            "curate dedupe qrels/example.json -o out.json",
            "curate dedupe missing.json -o out.json",
            f"curate dedupe {points} --model test-model --dry-run -o out.json",
            f"{extract} --dry-run -o out.json",
            f"{extract} --dry-run --prices made/prices.toml -o out.json",
            f"{extract} --retrieved missing.run -o out.json",
            f"{extract} --concurrency 1 --retrieved made/retrieved.run --rounds 2 -o out.json",
            "curate extract topics/example.jsonl --model test-model -o out.json",
            "curate extract topics/example.jsonl --run runs/sparse.jsonl --model test-model "
            "--dry-run -o out.json",
            f"curate dedupe {points} --model test-model --concurrency 1 -o out.json",
            f"curate dedupe {points} --model test-model -o out.json --replies made/blank.txt",
            f"curate filter {points} --requests examples/key-points/questions.jsonl "
            "--model test-model --dry-run -o out.json",
            f"curate filter {points} --requests examples/key-points/questions.jsonl "
            "--model test-model --concurrency 1 -o out.json --left-out rest.json",
            f"curate filter {points} --model test-model -o out.json",
            f"curate filter {points} --requests topics/example.jsonl --model test-model "
            "--threshold 2 -o out.json",
        ],
    )
    found = (
        "curate extract examples/key-points/questions.jsonl "
        "--run examples/key-points/responses.jsonl --model test-model --concurrency 1 -o found.json"
    )
    scored = f"score examples/key-points/responses.jsonl {points} --protocol key-points"
    commands = [found, found, f"{scored} --response-points found.json -m kpp -m kpf -q -o out"]
    yield Case("nuggets of a run", tuple(commands))


# --- real data -----------------------------------------------------------------------------------


def _real_scores() -> Iterator[Case]:
    """Yields what needs the data that is not in the repository."""
    yield from _ragtime()
    yield from _kiddie()
    yield from _annotated()
    yield from _other_tracks()


def _ragtime() -> Iterator[Case]:
    run, other = "ragtime/T1_run_1.jsonl", "ragtime/T1_run_2.jsonl"
    bank = "ragtime/T3_run_1.jsonl"
    requests = "--requests ragtime/topics_small.jsonl"
    small = (
        "score ragtime/T1_run_1.small.jsonl ragtime/T1_run_2.small.jsonl "
        "ragtime/T3_run_1.small.jsonl"
    )
    options = ["", "-q -m all", "--judge none -q", "--reading strict --citations micro"]
    options += ["--attestation any-document -m argue", "--citations any --format json -q"]
    options += ["-m auto_argue --format auto_argue -q", f"{requests} -q", "-m nDCG@10 -m AP -q"]
    options += ["--protocol nuggetizer", "--protocol support", "--only-answered --weights vital=2"]
    yield from _cases("ragtime", [f"{small} {option}" for option in options])
    yield Case("ragtime written", (f"{small} -o out",))
    full = [
        f"score {run} {other} {bank} --judge none -m all --format csv",
        f"score {run} {bank} {requests} --judge none -q",
        f"score {run} {bank} -m nugget_recall",
        f"score {run} {other} {bank} {requests} -m argue -q",
        f"judge {run} {bank} --dry-run",
        f"judge {run} {bank} --judge llm:test-model --dry-run",
        "judge ragtime/T1_run_1.small.jsonl ragtime/T3_run_1.small.jsonl --judge llm:test-model "
        "--dry-run --attestation any-document --json",
        f"ingest qrels {bank} -o out.json --all",
        f"ingest qrels {bank} ragtime/T3_run_2.jsonl",
        f"ingest qrels {bank} {requests}",
        "ingest requests ragtime/topics_small.jsonl -o out.jsonl",
        f"validate {run} {other} --track ragtime26",
        f"validate {run} --track ragtime26 --segmentation --all",
        f"validate {run} --track ragtime26 {requests}",
        f"validate {run} {requests} --json",
        f"validate {bank}",
        "validate ragtime/large.jsonl --track ragtime26",
        "validate ragtime/large.jsonl --json",
        "validate ragtime/T2_run_1.txt",
    ]
    yield from _cases("ragtime", full)
    for track in TRACKS:
        yield Case(f"ragtime as {track}", (f"validate {run} --track {track}",))
    yield from _converted(run, RUN_FORMS)
    yield from _converted("ragtime/T3_run_1.small.jsonl", NUGGET_FORMS)
    yield from _converted("ragtime/topics_small.jsonl", REQUEST_FORMS)
    explain = "explain outcome ragtime/T1_run_1.small.jsonl ragtime/T3_run_1.small.jsonl"
    commands = [f"{explain} --topic 2000 --sentence {number}" for number in range(6)]
    yield Case("ragtime outcomes", tuple(commands))


def _kiddie() -> Iterator[Case]:
    runs = " ".join(f"kiddie/run{number}.jsonl" for number in range(1, 5))
    score = f"score {runs} kiddie/nuggets.json"
    requests = "--requests kiddie/kiddie-topics.jsonl"
    options = ["", f"{requests} -q -m argue", "-q -m all", "--judge none", "--reading strict"]
    options += ["--citations macro -m argue", "--format json -q", "--protocol support -q"]
    options += ["--protocol nuggetizer", f"{requests} -o out", "--format lengths -m all"]
    yield from _cases("kiddie", [f"{score} {option}" for option in options])
    validate = f"validate {runs}"
    options = ["", requests, f"{requests} --json", "--track ragtime25", "--segmentation --all"]
    yield from _cases("kiddie", [f"{validate} {option}" for option in options])
    yield from _converted("kiddie/run1.jsonl", RUN_FORMS)
    yield from _converted("kiddie/kiddie-topics.jsonl", REQUEST_FORMS)
    explain = f"explain outcome kiddie/run1.jsonl kiddie/nuggets.json {requests} --topic leaf"
    commands = [f"{explain} --sentence {number}" for number in range(5)]
    yield Case("kiddie outcomes", tuple(commands))
    judge = f"judge kiddie/run1.jsonl kiddie/nuggets.json {requests}"
    yield Case("kiddie judged", (f"{judge} --store s.store", "store verify s.store"))


def _annotated() -> Iterator[Case]:
    summaries, labels = "annotated/annotated_summaries.json", "annotated/evaluator_labels.json"
    score = f"score {summaries} {summaries} --protocol summhay"
    some = "score annotated/some.json annotated/some.json --protocol summhay"
    options = ["", "-q", "--format json -q", "--only-answered", "--format lengths -m all"]
    yield from _cases("annotated", [f"{score} {option}" for option in options])
    options = [
        "-o out -q",
        "--judgments none --allow-unjudged -q",
        "--judgments none --covers report",
    ]
    options += [f"--judgments {labels} --judge none -q", "--judgments none --judge none"]
    yield from _cases("annotated", [f"{some} {option}" for option in options])
    compare = f"meta-eval {labels} --truth {labels}"
    views = ["", "--format markdown", "--json", "--resamples 0 --judge prompted_gpt-4o"]
    yield from _cases("annotated", [f"{compare} {view}" for view in views])
    kept = f"{some} --judgments none --allow-unjudged --store lexical.store"
    compared = f"meta-eval lexical.store --truth {labels} --run annotated/some.json"
    yield Case("annotated, lexical and people", (kept, compared, "store verify lexical.store"))
    yield from _cases(
        "annotated",
        [
            f"ingest qrels {summaries} -o out.json",
            f"ingest requests {summaries}",
            f"convert {summaries} --to canonical --kind runs --lossy -o out.jsonl",
            f"convert {summaries} --to canonical --kind nuggets --lossy -o out.json",
            f"summhay table {summaries}",
            f"summhay table {summaries} --average topics --only-answered --format markdown",
            f"validate {summaries}",
        ],
    )


def _other_tracks() -> Iterator[Case]:
    dragun = (
        "tracks/dragun-organizers-starter-kit-task-2.jsonl.gz",
        "tracks/garag_rubric.jsonl.gz",
        "tracks/organizer-gpt-oss-t2.jsonl.gz",
    )
    for run in dragun:
        validate = f"validate {run}"
        options = ("", " --track dragun25", " --track dragun25 --json", " --track generic --strict")
        yield Case(f"tracks: validate {run}", tuple(f"{validate}{option}" for option in options))
        yield from _converted(run, ("rag",))
    rag25, rag26 = (
        "tracks/rag25-dev-nuggets.jsonl.gz",
        "tracks/research-rubrics-dev-rubrics.jsonl.gz",
    )
    for path in (rag25, rag26):
        yield from _cases("tracks", [f"ingest qrels {path}", f"ingest qrels {path} -o out.json"])
    yield from _converted(rag25, NUGGET_FORMS)
    topics = (
        "rag25-topics-dev.tsv",
        "research-rubrics-topics-dev.tsv",
        "trec_rag_2026_queries.tsv",
    )
    for name in topics:
        yield from _cases("tracks", [f"ingest requests tracks/{name} -o out.jsonl"])
        yield from _converted(f"tracks/{name}", ("canonical", "rag25"))
