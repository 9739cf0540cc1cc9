"""One line that names everything which could change a number.

Two scores with the same signature, from the same judgments, are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from argue_eval import __version__
from argue_eval.records import (
    NUGGET_KINDS,
    SENTENCE_KINDS,
    Document,
    Judgment,
    Kind,
    ReportRequest,
    ScoringOptions,
    TopicNuggets,
)

_SEPARATOR = "|"


class Digest:
    """A running hash over records: equal content gives an equal digest, whatever the format."""

    def __init__(self) -> None:
        self._hash = sha256()

    def add(self, *parts: object) -> None:
        """Adds one record as its parts."""
        for part in parts:
            raw = str(part).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(raw))
            self._hash.update(raw)

    def __str__(self) -> str:
        return self._hash.hexdigest()[:8]


def of_nuggets(nuggets: Iterable[TopicNuggets]) -> str:
    """The digest of nuggets: their ids, texts, documents and importance."""
    digest = Digest()
    for topic in nuggets:
        digest.add("topic", topic.topic_id)
        for nugget in topic.nuggets:
            importance = nugget.importance.value if nugget.importance else ""
            digest.add(nugget.nugget_id, nugget.question, nugget.aggregator.value, importance)
            for answer in nugget.answers:
                digest.add(answer.answer, *answer.doc_ids)
    return str(digest)


def of_requests(requests: Iterable[ReportRequest]) -> str:
    """The digest of what judges see of the requests; ``none`` if there are none."""
    digest, is_empty = Digest(), True
    for request in requests:
        is_empty = False
        texts = (request.title, request.problem_statement, request.background)
        digest.add(request.topic_id, *texts, request.language)
    return "none" if is_empty else str(digest)


def of_judgments(judgments: Iterable[Judgment]) -> str:
    """The digest of judgments that do not come from a file."""
    digest = Digest()
    for judgment in judgments:
        digest.add(*judgment)
    return str(digest)


def add_document(digest: Digest, document: Document) -> None:
    """Adds a document of the collection."""
    digest.add(document.doc_id, document.title, document.text)


@dataclass(frozen=True, slots=True)
class Signature:
    """The parts of a signature; `str` puts them on one line.

    Attributes:
        judges: the signature of the judge for each kind that a judge answers.
        judgments: what the SHA-256 of each judgment file's unpacked content starts with (anyone
            can check it with ``sha256sum``), or ``none``.
        topics: digest of the topics that are averaged over, with their number.
        documents: where the judges' texts come from: a digest, ``irds:ID``, ``run`` or ``none``.
        requests: digest of the requests that judges see, or ``none``.
        points: digest of the key points that were extracted from responses; empty without.
    """

    protocol: str
    options: ScoringOptions
    nuggets: str
    topics: str
    judges: Mapping[Kind, str] = field(default_factory=dict)
    judgments: str = "none"
    documents: str = "none"
    requests: str = "none"
    points: str = ""

    def __str__(self) -> str:
        options = self.options
        is_argue = self.protocol == "argue"
        parts = [
            f"protocol:{self.protocol}" + (f"-{options.reading}" if is_argue else ""),
            *([] if is_argue else [f"reading:{options.reading}"]),
            f"citations:{options.citations}",
            f"attestation:{options.attestation}",
            *([f"covers:{options.covers}"] if options.covers == "report" else []),
            f"nuggets:{self.nuggets}",
            *([f"points:{self.points}"] if self.points else []),
            f"judgments:{self.judgments}",
            f"support:{self._judge((Kind.SUPPORT,))}",
            f"nugget:{self._judge(NUGGET_KINDS)}",
            f"sentence:{self._judge(SENTENCE_KINDS)}",
            f"documents:{self.documents}",
            f"requests:{self.requests}",
            "weights:"
            + "-".join(name + _shortest(value) for name, value in options.weights.items()),
            f"topics:{self.topics}",
            f"missing:{'left-out' if options.only_answered else 'zero'}",
            f"v:{__version__}",
        ]
        return _SEPARATOR.join("".join(part.split()).replace(_SEPARATOR, "/") for part in parts)

    def _judge(self, kinds: Sequence[Kind]) -> str:
        names = dict.fromkeys(self.judges.get(kind, "none") for kind in kinds)
        return "+".join(names)


def _shortest(value: float) -> str:
    """A number without loss, whole ones without a point."""
    return str(int(value)) if value == int(value) else repr(value)


def of_topics(topic_ids: Sequence[str]) -> str:
    """The number of topics and a digest of their ids."""
    digest = Digest()
    digest.add(*topic_ids)
    return f"{len(topic_ids)}/{digest}"
