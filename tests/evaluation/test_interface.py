"""The Python interface: the example of its design, its types, and judges that a caller made."""

from __future__ import annotations

import dataclasses
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import argue_eval as ae
from tests import tiny_track
from tests.documented import ROOT

EXAMPLE = """\
import argue_eval as ae

topics = ae.read_topics("topics/example.jsonl")
nuggets = ae.read_nuggets("qrels/example.json")
runs = ae.read_runs("runs/*.jsonl")
for finding in ae.validate(runs[0], track="ragtime26", topics=topics):
    print(finding)
known = ae.read_judgments("qrels/example.judgments.jsonl")
judgments = ae.judge(runs, nuggets, support="lexical", known=known, store="judgments.store")
scores = ae.score(runs, nuggets, topics=topics, judgments=judgments, measures=["argue", "nDCG@10"])
print(scores["careful"]["nugget_recall"])          # value, lower, upper; float() of it is the value
print(scores["careful"].explain("ex1", sentence=3))
scores.to_dataframe(per_topic=True)
"""
"""What a researcher types from memory, with a judge that works offline."""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example in an empty folder with the example track."""
    for each in ("topics", "qrels", "runs"):
        (tmp_path / each).symlink_to(ROOT / each)
    file = tmp_path / "example.py"
    file.write_text(EXAMPLE, encoding="utf-8")
    return file


def test_the_example_runs(example: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, example.name]
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        command, capture_output=True, text=True, env=env, cwd=example.parent, check=True
    )
    lines = done.stdout.rstrip().splitlines()
    assert lines[0].startswith("runs/careful.jsonl:1: ")
    assert "0.8393" in lines
    assert lines[-1] == "  credited: nugget ex1-n2, answer '311 passengers'"


def test_the_example_has_no_expression_of_type_any(example: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    options = ("--strict", "--disallow-any-expr", "--follow-imports=silent")
    command = [sys.executable, "-m", "mypy", *options, str(example)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


class AlwaysJudge:
    """Says the same to every question, and counts them."""

    kinds = frozenset(ae.Kind)
    joint: frozenset[ae.Kind] = frozenset()

    def __init__(self, verdict: ae.Verdict) -> None:
        self.signature = f"always-{verdict.value}@1"
        self.num_asked = 0
        self._verdict = verdict

    def answer(self, questions: Sequence[ae.Question]) -> Iterator[ae.Reply]:
        self.num_asked += len(questions)
        return iter(
            [ae.Reply(index=index, verdict=self._verdict) for index in range(len(questions))]
        )

    def workload(self, questions: Sequence[ae.Question]) -> ae.Workload:
        return ae.Workload()


def test_a_judge_that_the_caller_made_answers_what_it_is_asked(tmp_path: Path) -> None:
    files = tiny_track.write(tmp_path)
    says_yes, says_no = AlwaysJudge(ae.Verdict.YES), AlwaysJudge(ae.Verdict.NO)
    scores = ae.score(files.alpha, files.qrels, judge=says_no, nugget=says_yes)
    assert float(scores["alpha"]["nugget_recall", "t1"]) == 1.0
    assert scores["alpha"].judges["answers"] == "always-yes@1"
    assert "|support:always-no@1|nugget:always-yes@1|" in scores["alpha"].signature
    assert says_yes.num_asked > 0


def test_what_a_judge_of_the_caller_answers_is_stored_and_not_asked_again(tmp_path: Path) -> None:
    files, store = tiny_track.write(tmp_path), str(tmp_path / "answers.store")
    first, second = AlwaysJudge(ae.Verdict.YES), AlwaysJudge(ae.Verdict.YES)
    judgments = ae.judge(files.alpha, files.qrels, judge=first, store=store)
    assert judgments == ae.judge(files.alpha, files.qrels, judge=second, store=store)
    assert (first.num_asked > 0, second.num_asked) == (True, 0)


# --- what people get wrong first ---------------------------------------------------------------

RUN, NUGGETS = ROOT / "runs/careful.jsonl", ROOT / "qrels/example.json"
PEOPLE = ROOT / "qrels/example.judgments.jsonl"
TOPICS = ROOT / "topics/example.jsonl"


def scored(runs: Any = RUN, nuggets: Any = NUGGETS, **options: Any) -> ae.Scores:
    return ae.score(runs, nuggets, **{"judge": "none", **options})


def _own(**changed: Any) -> Any:
    has = {"signature": "own@1", "kinds": frozenset(ae.Kind), "joint": frozenset(), "answer": print}
    return type("Own", (), {**has, **changed})()


untyped: Any = ae
"""The interface without its types, as people call it who do not check them."""


def untyped_scores() -> Any:
    return scored()["careful"]


def test_the_names_of_the_interface_are_listed_for_completion() -> None:
    assert dir(ae) == sorted(ae.__all__)


def test_files_may_be_paths_or_text_alone_or_listed() -> None:
    values = {
        str(scored(runs, nuggets)["careful"]["citation_support_micro"])
        for runs, nuggets in [(RUN, NUGGETS), ([RUN], str(NUGGETS)), (str(RUN), NUGGETS)]
    }
    assert len(values) == 1
    assert ae.validate(RUN, topics=TOPICS) == ae.validate(str(RUN), topics=str(TOPICS))


def test_the_scores_of_a_run_are_a_mapping_of_its_averages() -> None:
    scores = scored(measures="argue_f1,nugget_recall", judgments=PEOPLE)["careful"]
    assert dict(scores) == {row.measure: row for row in scores.table.averages()}
    assert ("argue_f1" in scores, "nDCG" in scores, len(scores)) == (True, False, 2)
    assert -scores["argue_f1"] == -float(scores["argue_f1"])


def test_a_folder_of_scores_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ae.MissingResourceError, match="none: no such folder"):
        ae.read_scores(tmp_path / "none")


def test_a_changed_copy_of_a_run_is_not_the_file_that_it_came_from(tmp_path: Path) -> None:
    (run,) = ae.read_runs(RUN)
    changed = dataclasses.replace(run, reports=run.reports[1:])
    assert (run.source, changed.source) == (str(RUN), None)
    assert [each.code for each in ae.validate(changed, topics=TOPICS)] == ["missing_topics"]
    assert pickle.loads(pickle.dumps(run)) == run


def test_settings_travel_to_other_processes() -> None:
    settings = ae.Settings(timeout=3.0)
    assert pickle.loads(pickle.dumps(settings)).timeout == 3.0


def test_files_may_be_what_a_path_finds() -> None:
    assert len(ae.read_runs((ROOT / "runs").glob("*.jsonl"))) == 4


NUGGET: Any = ae.Nugget("n1", "When?", (ae.Answer("1784", ("d1",)),))


def _run(report: Any) -> ae.Run:
    return ae.Run("r", (report,))


def _sentence(citations: Any) -> ae.Sentence:
    return ae.Sentence("x", citations)


def _bank(nugget: Any) -> ae.TopicNuggets:
    return ae.TopicNuggets("ex1", (nugget,))


def _report(sentence: Any) -> ae.Report:
    return ae.Report("ex1", "r", (sentence,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"citations": "most"}, "unknown citations 'most'. Choices: all, any, macro, micro"),
        ({"judged_only": "no"}, "judged_only: expected True or False, found 'no'"),
        ({"reading": "Strict"}, "unknown reading 'Strict'. Did you mean 'strict'?"),
        ({"attestation": "any"}, "unknown attestation 'any'"),
        ({"covers": "reports"}, "unknown covers 'reports'. Did you mean 'report'?"),
        ({"weights": {"vitl": 2}}, "unknown importance in weights 'vitl'. Did you mean 'vital'?"),
        ({"weights": {"vital": -1}}, "weights: expected 0 or more for 'vital', found -1"),
        ({"weights": {"vital": "2"}}, "weights: expected 0 or more for 'vital', found '2'"),
        ({"weights": "vital=2"}, "weights: expected numbers by importance, {'vital': 2}, found"),
        ({"measures": 5}, "measures: expected a name or names, found int"),
        ({"by": [None]}, "by: expected a name or names, found NoneType"),
        ({"settings": {"timeout": 3}}, "settings: expected Settings, found dict"),
        ({"nugget": ae.Judge}, "judge: expected a name, such as none, or a Judge, found"),
        ({"topics": {"ex1": TOPICS}}, "topics: expected a file or ReportRequest records, found"),
        ({"collection": {"d1": "x"}}, "collection: expected a file or Document records, found"),
        ({"runs": b"runs"}, "runs: expected a file or Run records, found bytes"),
        ({"runs": ae.read_runs(RUN)[0]["ex1"]}, "runs: expected a file or Run records, found"),
        ({"runs": RUN.read_text("utf-8")}, "expected the name of a file, found a text: '{"),
        ({"measures": "nugget_recal"}, "unknown measure 'nugget_recal'. Did you mean 'nugget_"),
        ({"protocol": "key_points"}, "unknown protocol 'key_points'. Did you mean 'key-points'?"),
        ({"judge": _own(signature="my judge|1")}, "without white space and bars, such as 'mine@1'"),
        ({"judge": _own(signature="lexical")}, "expected a signature of its own"),
        ({"judge": _own(kinds=["support"])}, "kinds: expected a frozenset of Kind, found a list"),
        ({"judge": _own(joint=None)}, "judge 'own@1': joint: expected a frozenset of Kind, found"),
        ({"judge": _own(answer=None)}, "judge 'own@1': it has no method answer"),
        ({"support": 1}, "judge: expected a name, such as none, or a Judge, found int"),
        ({"runs": []}, "runs: expected a file or Run records, found nothing"),
        ({"runs": 5}, "runs: expected a file or Run records, found int"),
        ({"runs": _run({})}, "Run.reports: expected Report records, found dict"),
        ({"runs": _run(_report("It burned."))}, "Report.sentences: expected Sentence rec"),
        ({"runs": _run(_report(_sentence(("d1",))))}, "Sentence.citations: expected Citation rec"),
        ({"runs": _run(_report(_sentence(None)))}, "expected Citation records, found NoneType"),
        ({"nuggets": [_bank("Q?")]}, "TopicNuggets.nuggets: expected Nugget records, found str"),
        ({"nuggets": [_bank(NUGGET._replace(answers=(untyped.Answer("a", "d1"),)))]},
         "Answer.doc_ids: expected a tuple of ids, found str"),
        ({"nuggets": [_bank(NUGGET._replace(importance="vital"))]},
         "Nugget.importance: expected Importance or None, found str"),
        ({"nuggets": [_bank(NUGGET._replace(aggregator="AND"))]},
         "Nugget.aggregator: expected Aggregator, found str"),
        ({"runs": _run(ae.Report("ex1", "r", (untyped.Sentence(None),)))},
         "Sentence.text: expected text, found NoneType"),
        ({"runs": _run(untyped.Report(1, "r"))}, "Report.topic_id: expected text, found int"),
        ({"runs": _run(_report(_sentence([untyped.Citation(7)])))},
         "Citation.doc_id: expected text, found int"),
        ({"runs": _run(_report(ae.Sentence("Snow \ud83d fell.")))},
         "Sentence.text: half of a surrogate pair (\\ud800 to \\udfff) is no character, near 'S"),
        ({"nuggets": [_bank(NUGGET._replace(answers=(ae.Answer("a", ("d\udfff",)),)))]},
         "Answer.doc_ids: half of a surrogate pair"),
        ({"judgments": [untyped.Judgment(ae.Kind.SUPPORT, "ex1", "yes", "me")]},
         "Judgment.verdict: expected Verdict, found str"),
        ({"collection": [untyped.Document("d1", text=b"x")]}, "Document.text: expected text"),
        ({"topics": []}, "topics: expected a file or ReportRequest records, found nothing"),
        ({"runs": ae.read_nuggets(NUGGETS)}, "runs: expected a file or Run records, found Topic"),
        ({"nuggets": ae.read_runs(RUN)}, "nuggets: expected a file or TopicNuggets records"),
        ({"collection": [1]}, "collection: expected a file or Document records, found int"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_what_is_meant(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ae.UsageError) as caught:
        scored(**options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("runs", "nuggets", "code"),
    [
        ((), [ae.TopicNuggets("ex1", (NUGGET,)), ae.TopicNuggets("ex1")], "duplicate_topic"),
        ((), [NUGGETS, ae.TopicNuggets("ex1", (NUGGET,))], "duplicate_topic"),
        ((), [ae.TopicNuggets("ex1", (NUGGET, NUGGET))], "duplicate_nugget"),
        ((), [ae.TopicNuggets("ex1", (NUGGET._replace(question=None, answers=()),))],
         "claim_answers"),
        ([ae.Run("r", 2 * (ae.Report("ex1", "r"),))], [NUGGETS], "duplicate_topic"),
        ([ae.Run("variant", (ae.Report("ex1", "r"),))], [NUGGETS], "run_id_differs"),
    ],
)  # fmt: skip
def test_of_two_records_for_one_thing_none_is_dropped_in_silence(
    runs: list[ae.Run], nuggets: Any, code: str
) -> None:
    with pytest.raises(ae.InputError) as caught:
        scored(runs or RUN, nuggets)
    assert caught.value.findings[0].code == code
    assert caught.value.findings[0].hint


def test_a_folder_a_pattern_and_a_list_are_their_files_for_all_that_read_them() -> None:
    folder, pattern = ROOT / "runs", str(ROOT / "runs/*.jsonl")
    listed = sorted(folder.glob("*.jsonl"))
    for given in (folder, pattern, listed):
        assert list(scored(given)) == [path.stem for path in listed]
        assert [run.run_id for run in ae.read_runs(given)] == [path.stem for path in listed]
        found = ae.validate(given, topics=[TOPICS], collection=ROOT / "collection")
        assert [(each.code, Path(each.file).name) for each in found] == [
            ("missing_topics", "sparse.jsonl")
        ]
    assert ae.validate(ae.read_runs(folder)) == ae.validate(folder)


def test_files_and_records_may_be_mixed() -> None:
    runs = ae.read_runs(ROOT / "runs/careful.jsonl")
    judged = ROOT / "qrels/example.judgments.jsonl"
    given = ae.read_judgments(judged)
    mixed = scored([*runs, ROOT / "runs/sparse.jsonl"], [NUGGETS], judgments=[*given[:9], judged])
    assert list(mixed) == ["careful", "sparse"]
    assert mixed["careful"]["nugget_recall"].num_unjudged == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: untyped.compare({"a": 0.5, "b": 0.1}), "found dict of float"),
        (lambda: untyped.leaderboard(untyped_scores()), "read_scores returned or files, found Run"),
        (lambda: untyped.compare(scored(ROOT / "runs"), options={"test": "t"}),
         "expected ComparisonOptions, f"),
        (lambda: untyped.sample(scored(), 5, options={}), "options: expected SampleOptions, found"),
        (lambda: untyped.pool(RUN, options={}), "options: expected PoolOptions, found dict"),
        (lambda: untyped.correct(scored(), None), "assessed: expected a file or Judgment records"),
        (lambda: untyped.diff_nuggets(NUGGETS, None), "nuggets: expected a file or TopicNuggets"),
        (lambda: untyped.write_run(None, "x"), "expected Report records, found NoneType"),
        (lambda: untyped.write_run([_report(_sentence(("d1",)))], io.StringIO()),
         "Sentence.citations: expected Citation records, found str"),
        (lambda: untyped.write_run([ae.Report("t", "r", extra={"a": {1}.pop})], io.StringIO()),
         "Report records cannot be written: Encoding objects of type builtin"),
        (lambda: scored(store=3), "store: expected a file, found int"),
        (lambda: scored(protocol=["argue"]), "unknown protocol ['argue']. Choices: argue,"),
        (lambda: scored(reading=None), "unknown reading None. Choices: argue, strict"),
        (lambda: untyped.report(scored(), None), "output: expected a file, found NoneType"),
        (lambda: untyped.read_scores(None), "folder: expected a file, found NoneType"),
        (lambda: untyped.contrast(3),
         "judge: expected a name, such as none, or a Judge, found int"),
        (lambda: untyped.ComparisonOptions(num_resamples="x"), "--resamples: expected a number"),
        (lambda: untyped.ComparisonOptions(level="x"), "--level: expected a number between 0"),
        (lambda: untyped.PoolOptions(depth="x"), "--depth: expected 1 or more, found 'x'"),
        (lambda: untyped.pool(RUN).write(None), "path: expected a file, found NoneType"),
        (lambda: untyped.meta_eval(PEOPLE, PEOPLE, top="x"), "--top: expected a number from 2"),
        (lambda: untyped.read_runs(5), "files: expected a file, found int"),
        (lambda: untyped.read_nuggets(io.StringIO()), "files: expected a file, found StringIO"),
        (lambda: untyped.read_topics(TOPICS.read_text("utf-8")),
         "expected the name of a file, found a"),
        (lambda: untyped.validate(None), "runs: expected a file or Run records, found NoneType"),
        (lambda: untyped.validate(RUN, track=26),
         "track: expected a name, such as ragtime26, found 26"),
        (lambda: untyped.validate(RUN, "RAGTIME26"), "Did you mean 'ragtime26'?"),
        (lambda: untyped.validate(RUN, topics=ae.read_nuggets(NUGGETS)),
         "topics: expected a file or"),
        (lambda: untyped.write_run("x", ae.read_runs(RUN)[0]),
         "expected records, then a file or stream"),
        (lambda: untyped.write_nuggets(ae.read_runs(RUN), io.StringIO()),
         "expected TopicNuggets records"),
        (lambda: untyped.Settings(device="gpu"), "unknown device 'gpu'. Choices: auto, cpu, cuda"),
        (lambda: untyped.Settings(timeout=0),
         "timeout: expected a number from 0.1 to 86,400, found"),
        (lambda: untyped.Settings(timeout=float("inf")),
         "timeout: expected a number from 0.1 to 86,400"),
        (lambda: untyped.Settings(repeat=1.5), "repeat: expected a whole number from 1 to 99"),
        (lambda: untyped_scores().explain("ex1", "2"), "sentence: expected 0 to 9, found '2'"),
        (lambda: untyped_scores().explain("ex1", 99), "sentence: expected 0 to 9, found 99; it is"),
        (lambda: untyped_scores().explain("ex9", 0), "unknown topic 'ex9'. Choices: ex1, ex2"),
        (lambda: list(untyped_scores().outcome_records("ex9")), "unknown topic 'ex9'"),
        (lambda: untyped.merge_nuggets([NUGGETS]), "banks: expected names and banks, such as"),
        (lambda: untyped.compare(scored(), ["argue_f1"]), "measure: expected a name, found list"),
    ],
)  # fmt: skip
def test_a_mistake_in_any_call_is_a_usage_error(call: Any, message: str) -> None:
    with pytest.raises(ae.UsageError) as caught:
        call()
    assert message in str(caught.value)


def test_none_is_as_if_nothing_was_given() -> None:
    given = dict.fromkeys(("topics", "collection", "judgments", "measures", "by", "covers"))
    rows = scored(**given, weights=None, settings=None)["careful"].table.rows
    assert rows == scored()["careful"].table.rows


def test_documents_may_be_cited_by_records_too() -> None:
    documents = ae.read_documents(ROOT / "collection")
    assert ae.validate(RUN, collection=documents) == ae.validate(
        RUN, collection=ROOT / "collection"
    )
    found = ae.validate(RUN, collection=documents[:1])
    assert {each.code for each in found} == {"unknown_document"}


def test_what_is_written_to_a_file_is_what_is_written_to_a_stream(tmp_path: Path) -> None:
    run, nuggets = ae.read_runs(RUN)[0], ae.read_nuggets(NUGGETS)
    texts = io.StringIO(), io.StringIO()
    ae.write_run(run.reports, texts[0])
    ae.write_nuggets(nuggets, texts[1])
    ae.write_run(run, tmp_path / "run.jsonl")
    ae.write_nuggets(nuggets, str(tmp_path / "nuggets.json"))
    files = (tmp_path / "run.jsonl", tmp_path / "nuggets.json")
    assert [each.read_text("utf-8") for each in files] == [each.getvalue() for each in texts]
    assert ae.read_nuggets(tmp_path / "nuggets.json") == nuggets


def test_numbers_of_numpy_are_written_as_those_of_python() -> None:
    texts = []
    for rank, score in ((7, 0.5), (np.int64(7), np.float32(0.5))):
        stream = io.StringIO()
        cited = [ae.Citation("d1", score)]
        ae.write_run([_report(_sentence(cited))._replace(extra={"rank": rank})], stream)
        texts.append(stream.getvalue())
    assert texts[0] == texts[1]


def test_an_unknown_run_or_measure_of_the_scores_is_told_with_those_there_are() -> None:
    scores = scored(measures=["nugget_recall"])
    with pytest.raises(KeyError, match="Did you mean 'careful'"):
        scores["carefull"]
    with pytest.raises(KeyError, match="its measures: nugget_recall"):
        scores["careful"]["recall"]
    with pytest.raises(KeyError, match="no report for topic 'ex9'; topics: ex1, ex2"):
        ae.read_runs(RUN)[0]["ex9"]
    with pytest.raises(KeyError, match="no topic 'ex9'; topics: ex1, ex2, ex3, ex4, ex5, all"):
        scores["careful"]["nugget_recall", "ex9"]
    with pytest.raises(KeyError, match=r"scores\['careful'\]\[MEASURE\]"):
        scores["careful", "nugget_recall"]  # type: ignore[index]
    with pytest.raises(KeyError, match=r"expected \[MEASURE\] or \[MEASURE, TOPIC\], found 0"):
        untyped_scores()[0]
    with pytest.raises(KeyError, match="unknown run '0'"):
        scores[0]  # type: ignore[index]
    assert repr(scores) == "<Scores of careful>"
    assert repr(scores["careful"]) == "<RunScores of careful: 1 average>"


def test_a_value_is_a_number_wherever_one_is_wanted() -> None:
    careful = ae.score(RUN, NUGGETS, judgments=PEOPLE, judge="none")["careful"]
    recall, f1 = careful["nugget_recall"], careful["argue_f1"]
    value, other = float(recall), float(f1)
    assert value < other  # the names of the measures have the other order
    assert (recall < f1, recall <= f1, recall > f1, recall >= f1) == (True, True, False, False)
    assert (recall < 0.5, recall > 0.5) == (False, True)
    assert (f"{recall:.2f}", f"{recall}", round(recall, 3)) == ("0.84", "0.8393", round(value, 3))
    assert (recall + f1, sum([recall, f1]), f1 - recall) == (value + other,) * 2 + (other - value,)
    assert (1 - recall, 2 * recall, recall * f1, recall / 2) == pytest.approx(
        (1 - value, 2 * value, value * other, value / 2)
    )
    assert np.mean([recall, f1]) == pytest.approx((value + other) / 2)
    topics = sorted(["ex1", "ex2", "ex3"], key=lambda topic_id: careful["argue_f1", topic_id])
    assert topics == sorted(topics, key=lambda topic_id: float(careful["argue_f1", topic_id]))


def test_an_open_value_is_no_number() -> None:
    recall = ae.score(RUN, NUGGETS, judge="none")["careful"]["nugget_recall"]
    assert f"{recall}" == str(recall) == f"[{recall.lower:.4f}, {recall.upper:.4f}]"
    uses: list[Callable[[], object]] = [
        lambda: float(recall),
        lambda: round(recall),
        lambda: sum([recall]),
        lambda: recall > 0,
        lambda: f"{recall:.2f}",
    ]
    for use in uses:
        with pytest.raises(ValueError, match="nugget_recall of all is unjudged; see lower"):
            use()


def test_scores_that_were_pickled_explain_and_score_as_before() -> None:
    scores = scored(measures=["argue", "nDCG@10", "nugget_coverage_macro"])
    again = pickle.loads(pickle.dumps(scores))
    assert again["careful"].table == scores["careful"].table
    assert again["careful"].explain("ex1", 3) == scores["careful"].explain("ex1", 3)
    topic = ae.read_nuggets(NUGGETS)[0]
    fewer = {topic.topic_id: topic.nuggets[:1]}
    table = scores["careful"].rescored(fewer)
    assert again["careful"].rescored(fewer).rows == table.rows
    assert pickle.loads(pickle.dumps(table)) == table


def test_results_are_rows_and_data_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    runs = ae.read_runs(ROOT / "runs/*.jsonl")
    people = ae.read_judgments(PEOPLE)
    scores = ae.score(runs, NUGGETS, judgments=people, judge="none")
    board = ae.leaderboard(scores, ["argue_f1", "nugget_recall"])
    compared = ae.compare(scores, "argue_f1")
    machine = ae.judge(runs, NUGGETS, judge="lexical")
    agreement = ae.meta_eval(machine, people)
    corrected = ae.correct(ae.score(runs, NUGGETS, judgments=machine, judge="none"), people)
    first = next(iter(board.rows()))
    assert (first["run_id"], first["measure"], first["rank"]) == ("careful", "argue_f1", 1)
    assert first["value"] == scores["careful"]["argue_f1"].value
    assert [row["run_id"] for row in compared.rows()] == list(compared.run_ids)
    assert len(list(compared.rows(of_pairs=True))) == compared.num_pairs == 6
    kappas = [row["value"] for row in agreement.rows() if row["figure"] == "kappa"]
    assert kappas == [each.figure("kappa").value for each in agreement.agreements if each.figures]
    assert {row["run_id"] for row in corrected.rows()} == set(scores)
    for result in (board, compared, agreement, corrected):
        pandas.testing.assert_frame_equal(result.to_dataframe(), pandas.DataFrame(result.rows()))
    assert repr(agreement).startswith("<MetaEvaluation of ")
    assert repr(corrected).endswith(" by assessor:A1>")
