"""What ``score -o DIR`` writes for every run, and the leaderboard over runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import combining, normalize

from argue_eval.errors import (
    Finding,
    InputError,
    MissingResourceError,
    Severity,
    UsageError,
    count,
    shorten,
    some,
)
from argue_eval.formats.files import DIGESTS, ONE_RUN_A_FILE
from argue_eval.formats.jsonl import Source, atomic_writer, check_outputs, encode_lines
from argue_eval.formats.scores import DOCUMENTS, NUGGETS, REQUESTS, SCORED
from argue_eval.formats.writing import write_nuggets, write_requests, write_run
from argue_eval.measures import rankings
from argue_eval.records import (
    Document,
    Judgment,
    Nugget,
    ScoreTable,
    Topic,
    TopicNuggets,
)
from argue_eval.report.assessed import as_table
from argue_eval.report.leaderboard import as_tsv
from argue_eval.report.tables import load
from argue_eval.report.tables.json import as_object

if TYPE_CHECKING:
    from argue_eval.analysis.leaderboard import Leaderboard
    from argue_eval.analysis.results import Correction
    from argue_eval.analysis.systems import Scored

_FILES = {"trec_eval": "scores.txt", "auto_argue": "auto_argue.tsv"}
_QRELS = {"citations.qrels": False, "citations.flat.qrels": True}
JUDGMENTS = "judgments.jsonl"
ASSESSED = "assessed.tsv"
"""The scores that are corrected by people's assessments."""

MAX_DOCUMENT = 10_000
"""Of a longer document, so many characters are kept."""


class Folder:
    """A folder of results. Every file appears under its name only when it is complete.

    File names come from run ids, made harmless; two that would be equal are numbered. The folder
    is made when the first run is written.

    Raises:
        UsageError: the path cannot be a folder.
    """

    def __init__(
        self, path: str, inputs: Sequence[str | None] = (), *, is_cleaned: bool = False
    ) -> None:
        """Opens a folder.

        Args:
            inputs: files that are read, and neither replaced nor removed.
            is_cleaned: files of runs that earlier commands wrote, and that are not written again,
                are removed at the end.
        """
        self._is_cleaned = is_cleaned
        self._path = Path(path)
        self._inputs = inputs
        if not path:
            raise UsageError("-o: expected a folder, found an empty name")
        if self._path.exists() and not self._path.is_dir():
            raise UsageError(f"-o: expected a folder, but {path} is a file")
        self._stems: list[str] = []
        self._written: set[str] = set()
        self._earlier = self._recorded()
        self._earlier_assessed = self._earlier.pop(ASSESSED, "")

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self._record()

    def name_files(self, run_ids: Sequence[str], files: Sequence[str] = ()) -> None:
        """Give every run a file name of its own, in their order.

        Args:
            files: where each run was read from.

        Raises:
            InputError: two runs have one id: what is read back later could not tell them apart.
            UsageError: one of them, or one that is to be removed, is read.
        """
        run_id, number = Counter(run_ids).most_common(1)[0] if run_ids else ("", 1)
        if number > 1:
            names = [file for each, file in zip(run_ids, files, strict=False) if each == run_id]
            message = f"{number:,} runs have the id {shorten(run_id)}: {some(names)}"
            raise InputError(Finding("run_id_taken", message.rstrip(": "), ONE_RUN_A_FILE))
        self._stems = file_stems(run_ids)
        of_runs = (f"{stem}.{suffix}" for stem in self._stems for suffix in _SUFFIXES)
        options = dict.fromkeys(self._earlier if self._is_cleaned else (), "--clean")
        options |= dict.fromkeys((*of_runs, *_OF_ALL, ASSESSED), "-o")
        outputs = [(option, self._path / name) for name, option in options.items()]
        check_outputs(outputs, self._inputs)

    def write_run(self, number: int, scores: Scored, given: Mapping[str, Any]) -> set[str]:
        """Write the files of one run, given its place among the runs; maybe in another process.

        Args:
            given: the inputs and options, for ``.meta.json``.

        Returns:
            The documents that the run cites.

        Raises:
            InputError: its files are there, and are those of another run.
        """
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise MissingResourceError(f"{self._path}: cannot be made: {exc.strerror}") from exc
        table, evidence, stem = scores.table, scores.evidence, self._stems[number]
        if not self._is_cleaned:
            _check_same(self._path / f"{stem}.meta.json", table)
        for view, suffix in _FILES.items():
            module = load(view)
            with atomic_writer(self._path / f"{stem}.{suffix}") as stream:
                stream.write(module.HEADER)
                stream.writelines(module.render(table, per_topic=True))
        answered_by: dict[str, Counter[str]] = {}
        for suffix, objects in (
            ("scores.jsonl", map(as_object, table.rows)),
            ("outcomes.jsonl", scores.outcome_records()),
            ("nuggets.jsonl", scores.nugget_records()),
            (JUDGMENTS, _counted(scores.used_judgments(), answered_by)),
        ):
            self._write_lines(f"{stem}.{suffix}", objects)
        reports = (each.report for each in evidence if each.report is not None)
        write_run(
            (
                each._replace(documents={key: _cut(one) for key, one in each.documents.items()})
                for each in reports
                if each.has_text
            ),
            self._path / f"{stem}.reports.jsonl",
        )
        cited: set[str] = set()
        with atomic_writer(self._path / f"{stem}.citations.run") as stream:
            for topic in evidence:
                doc_ids = rankings.ranking(topic.report, topic.options.citation_order)
                cited.update(doc_ids)
                stream.writelines(rankings.run_lines(table.run_id, topic.topic_id, doc_ids))
        self._write_lines(f"{stem}.meta.json", [_meta(scores, given, answered_by)])
        return cited

    def add_run(self, number: int) -> None:
        """Take note that the files of a run were written."""
        self._written.update(f"{self._stems[number]}.{suffix}" for suffix in _SUFFIXES)

    def finish(
        self,
        board: Leaderboard,
        topics: Sequence[Topic],
        cited: Collection[str] = (),
        correction: Correction | None = None,
    ) -> list[Finding]:
        """Write what is about all runs; return a warning if files of other runs remain.

        Args:
            cited: the documents that the runs cite.
            correction: by people's assessments. Without one, that of an earlier command is removed.
        """
        with atomic_writer(self._path / "leaderboard.tsv") as stream:
            stream.writelines(as_tsv(board))
        self.write_qrels(topics)
        self._write_scored(topics, cited)
        self._written.update(_OF_ALL)
        self._write_assessed(correction)
        remaining = [name for name in self._earlier if name not in self._written]
        hint = "add --clean to remove them"
        if self._is_cleaned:
            for name in remaining:
                if self._digest(name) == self._earlier[name]:
                    (self._path / name).unlink()
                    del self._earlier[name]
            remaining = [name for name in remaining if name in self._earlier]
            hint = "they were changed since they were written: delete them if you do not need them"
        self._record()
        if not remaining:
            return []
        runs = dict.fromkeys(name.removesuffix(f".{_suffix(name)}") for name in remaining)
        message = (
            f"{count(len(remaining), 'file')} of earlier commands remain, of runs that the "
            f"leaderboard does not have: {some(list(runs))}"
        )
        place = str(self._path)
        return [Finding("stale_files", message, hint, place, severity=Severity.WARNING)]

    def write_qrels(self, topics: Iterable[Topic]) -> None:
        """Write the qrels of the citation runs, with nuggets as subtopics and without.

        The latter are for trec_eval, which takes a document once per topic.
        """
        relevant = {topic.topic_id: rankings.subtopics(topic.nuggets) for topic in topics}
        for name, is_flat in _QRELS.items():
            with atomic_writer(self._path / name) as stream:
                for topic_id, pairs in relevant.items():
                    flat = [("0", doc_id) for doc_id in dict.fromkeys(each[1] for each in pairs)]
                    stream.writelines(rankings.qrels_lines(topic_id, flat if is_flat else pairs))

    def _write_scored(self, topics: Sequence[Topic], cited: Collection[str]) -> None:
        """Write the requests, the nuggets and the documents that the runs cite."""
        requests = (each.request for each in topics if each.request is not None)
        write_requests(requests, self._path / REQUESTS)
        nuggets = (
            TopicNuggets(each.topic_id, tuple(filter(_has_texts, each.nuggets))) for each in topics
        )
        write_nuggets(nuggets, self._path / NUGGETS)
        at_hand = topics[0].documents if topics else {}
        found = (_cut(at_hand[doc_id]) for doc_id in sorted(cited) if doc_id in at_hand)
        keys = ("doc_id", "title", "text", "language")
        objects = ({**dict(zip(keys, each, strict=False)), **each.extra} for each in found)
        self._write_lines(DOCUMENTS, objects)

    def _write_assessed(self, correction: Correction | None) -> None:
        if correction is None:
            if self._earlier_assessed and self._earlier_assessed == self._digest(ASSESSED):
                (self._path / ASSESSED).unlink()
            return
        with atomic_writer(self._path / ASSESSED) as stream:
            stream.writelines(as_table(correction, "\t"))
        self._written.add(ASSESSED)

    def _record(self) -> None:
        """Write down which files in the folder are from here."""
        if not self._written:
            return
        digests = {**self._earlier, **{name: self._digest(name) for name in self._written}}
        with atomic_writer(self._path / DIGESTS) as stream:
            stream.writelines(f"{digests[name]}  {name}\n" for name in sorted(digests))

    def _recorded(self) -> dict[str, str]:
        """The files of runs that earlier commands wrote and that are still there."""
        try:
            lines = (self._path / DIGESTS).read_text("utf-8").splitlines()
        except (OSError, ValueError):
            return {}
        found = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        return {
            name: digest
            for name, digest in found.items()
            if ((_suffix(name) and name == Path(name).name) or name == ASSESSED)
            and (self._path / name).is_file()
        }

    def _digest(self, name: str) -> str:
        path = self._path / name
        return "" if path.is_symlink() else Source(str(path)).digest()

    def _write_lines(self, name: str, objects: Iterable[dict[str, Any]]) -> None:
        with atomic_writer(self._path / name) as stream:
            stream.writelines(encode_lines(objects))


_SUFFIXES = (
    *_FILES.values(),
    *("scores.jsonl", "outcomes.jsonl", "nuggets.jsonl", JUDGMENTS, "reports.jsonl"),
    *("citations.run", "meta.json"),
)
_OF_ALL = ("leaderboard.tsv", *_QRELS, *SCORED)


def _check_same(path: Path, table: ScoreTable) -> None:
    """Refuses to replace the files of another run, or of another team's run of this id."""
    try:
        earlier = json.loads(path.read_bytes())
        run_id, team_id = earlier["run_id"], earlier["team_id"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # there are none, or nobody knows whose they are
    if run_id != table.run_id or (team_id and table.team_id and team_id != table.team_id):
        message = f"it is of the run {shorten(run_id)} of the team {shorten(team_id)}"
        hint = "give every run an id of its own, or score into another folder; --clean replaces all"
        raise InputError(Finding("run_id_taken", message, hint, str(path)))


def _suffix(name: str) -> str:
    """What follows the run in the name of a file of a run; nothing for other files."""
    return next((each for each in _SUFFIXES if name.endswith(f".{each}")), "")


def file_stem(run_id: str) -> str:
    """Make a file name for a run: letters, digits, ``.``, ``_`` and ``-`` only.

    >>> file_stem("../../etc/passwd"), file_stem("Ré 2"), file_stem("")
    ('etc_passwd', 'Re_2', 'run')
    """
    plain = "".join(char for char in normalize("NFKD", run_id) if not combining(char))
    return re.sub(r"[^A-Za-z0-9._-]+", "_", plain).strip("._-")[:100] or "run"


def file_stems(names: Iterable[str]) -> list[str]:
    """Make a file name for each run or topic: each once, whatever the case."""
    found: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for base in map(file_stem, names):
        stem = base
        while stem.lower() in found:
            numbers[base.lower()] += 1
            stem = f"{base}-{numbers[base.lower()] + 1}"
        found[stem.lower()] = stem
    return list(found.values())


def _counted(
    judgments: Iterable[Judgment], answered_by: dict[str, Counter[str]]
) -> Iterator[dict[str, Any]]:
    """Yields judgments as objects, and counts them by kind and judge on the way."""
    for each in judgments:
        answered_by.setdefault(each.kind.value, Counter())[each.judge] += 1
        yield judgment_object(each)


def _meta(
    scores: Scored, given: Mapping[str, Any], answered_by: Mapping[str, Counter[str]]
) -> dict[str, Any]:
    """Make the content of a run's ``.meta.json``."""
    table = scores.table
    return {
        "argue_eval": table.signature.rpartition("v:")[2],
        "run_id": table.run_id,
        "team_id": table.team_id,
        **given,
        "judges": dict(scores.judges),
        **table.counts,
        "missing_topics": list(table.missing_topics),
        **(
            {"groups": {label: list(each) for label, each in table.groups.items()}}
            if table.groups
            else {}
        ),
        "unjudged": [
            {"kind": kind, "judge": judge, "reason": reason, "questions": number}
            for (kind, judge, reason), number in scores.open_reasons.most_common()
        ],
        "answered_by": answered_by,
        "signature": table.signature,
    }


def _has_texts(nugget: Nugget) -> bool:
    """Whether the texts of a nugget are known, and not its id alone."""
    return all(answer.answer.strip() for answer in nugget.answers)


def _cut(document: Document) -> Document:
    """Cut a document to what is kept of it, and say so under the key ``num_characters``."""
    whole = document.extra["num_characters"] if document.is_cut else len(document.text)
    text = document.text[:MAX_DOCUMENT]
    more = {"num_characters": whole} if whole > len(text) else {}
    return document._replace(text=text, extra=more)


def judgment_object(judgment: Judgment) -> dict[str, Any]:
    """Write a judgment as one line of a canonical judgments file."""
    has_place = judgment.sentence is None and judgment.run_id
    keys = {
        "topic_id": judgment.topic_id,
        "kind": judgment.kind.value,
        "sentence": judgment.sentence,
        "run_id": judgment.run_id if has_place else None,
        "sentence_index": judgment.sentence_index if has_place else None,
        "doc_id": judgment.doc_id or None,
        "nugget_id": judgment.nugget_id or None,
        "answer": judgment.answer or None,
        "verdict": judgment.verdict.value,
        "judge": judgment.judge,
        "prob": judgment.prob,
        "rationale": judgment.rationale or None,
    }
    return {name: value for name, value in keys.items() if value is not None}
