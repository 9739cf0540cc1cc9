"""Whatever a store holds, its export is read, is imported, and scores the same."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import argue_eval as ae
from argue_eval import formats
from argue_eval.cli import app
from argue_eval.judges import Workload
from argue_eval.judgments import verifying
from argue_eval.records import GRADED_KINDS, Kind, Question, Reply, Verdict

_TEXTS = st.sampled_from(
    ["", " ", "\t\n", "It burned.", " It burned.", "Cafe\u0301", "Caf\u00e9", "[1]", "\U0001f600"]
) | st.text(max_size=8)
_IDS = ["d1", "d 2", "d\u00e9", "d3#1", "{4}"]
_ANSWERS = ["1784", "cafe\u0301", "caf\u00e9", '"', "\U0001f600"]


class HashJudge:
    """Answers as a digest of the texts says, and fails sometimes."""

    signature = "hash@1"
    kinds = frozenset(Kind)
    joint: frozenset[Kind] = frozenset()

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        for index, question in enumerate(questions):
            # As in files of judgments, white space around a sentence and its form don't matter.
            texts = (question.text.strip(), question.claim, question.nugget_question)
            line = unicodedata.normalize("NFC", f"{question.kind} {texts} {question.earlier}")
            number = sha256(line.encode("utf-8", "surrogatepass")).digest()[0]
            choices = [Verdict.YES, Verdict.NO, Verdict.YES, Verdict.PARTIAL]
            verdict = choices[number % (4 if question.kind in GRADED_KINDS else 3)]
            if number % 13 == 0:
                yield Reply(index, reason="refused")
            else:
                yield Reply(index, verdict, number / 255, "why\n" * (number % 3))

    def workload(self, questions: Sequence[Question]) -> Workload:
        return Workload()


class NoJudge(HashJudge):
    """Fails on whatever the store does not know."""

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        return (Reply(index, reason="refused") for index, _ in enumerate(questions))


@st.composite
def reports(draw: st.DrawFn) -> ae.Report:
    sentences = [
        ae.Sentence(
            text, tuple(map(ae.Citation, draw(st.lists(st.sampled_from(_IDS), max_size=2))))
        )
        for text in draw(st.lists(_TEXTS, min_size=1, max_size=5))
    ]
    return ae.Report("t 1", "r", tuple(sentences))


def _nuggets(protocol: str) -> list[ae.TopicNuggets]:
    answers = [ae.Answer(text, tuple(_IDS[:3])) for text in _ANSWERS]
    question = "When?" if protocol == "argue" else None
    nuggets = [ae.Nugget(f"n {i}", question, (each,)) for i, each in enumerate(answers)]
    absent = [ae.Nugget("absent", "Why?")] if question else []
    return [ae.TopicNuggets("t 1", (*nuggets, *absent))]


@settings(max_examples=40, deadline=None)
@given(
    report=reports(),
    protocol=st.sampled_from(["argue", "key-points", "summhay"]),
    covers=st.sampled_from(["sentence", "report"]),
)
def test_exported_judgments_are_read_imported_and_score_the_same(
    report: ae.Report, protocol: str, covers: str
) -> None:
    nuggets = _nuggets(protocol)
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = [str(folder / each) for each in ("1.store", "1.jsonl", "2.store")]
        store, exported, imported = files
        with folder.joinpath("run").open("w", encoding="utf-8") as stream:
            formats.write_run([report], stream)
        with folder.joinpath("nuggets").open("w", encoding="utf-8") as stream:
            ae.write_nuggets(nuggets, stream)
        documents = [json.dumps({"doc_id": each, "text": each}) for each in _IDS]
        (folder / "documents").write_text("\n".join(documents))

        def rows(
            judge: str | ae.Judge, *, judgments: Sequence[str] = (), store: str | None = None
        ) -> object:
            scores = ae.score(
                str(folder / "run"), str(folder / "nuggets"), collection=str(folder / "documents"),
                protocol=protocol, judge=judge, covers=covers if protocol == "key-points" else "",
                judgments=judgments, store=store,
            )  # fmt: skip
            return scores["r"].table.rows

        scored = rows(HashJudge(), store=store)
        if app.run(["store", "export", store, "-o", exported]) == 1:
            assert verifying.info(store).num_judgments == 0
            assert not Path(exported).exists()
            return
        assert rows("none", judgments=[exported]) == scored
        assert rows("none", judgments=[store]) == scored
        texts = ["--qrels", str(folder / "nuggets"), "--collection", str(folder / "documents")]
        texts += ["--run", str(folder / "run")]
        for source in (exported, store):
            assert app.run(["store", "import", imported, source, *texts]) == 0
            assert rows(NoJudge(), store=imported) == scored
            Path(imported).unlink()
