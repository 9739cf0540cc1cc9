"""One line that names everything which could change a number.

Two scores with the same signature, from the same judgments, are equal to the last bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from argue_eval import __version__
from argue_eval.records import (
    NUGGET_KINDS,
    SENTENCE_KINDS,
    Kind,
    ReportRequest,
    ScoringOptions,
    TopicNuggets,
)

_SEPARATOR = "|"
_KINDS = {"support": (Kind.SUPPORT,), "nugget": NUGGET_KINDS, "sentence": SENTENCE_KINDS}


@dataclass(slots=True, eq=False)
class Digest:
    """A running hash over records: equal content gives an equal digest, whatever the format."""

    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def add(self, *parts: object) -> None:
        """Adds one record as its parts."""
        for part in parts:
            raw = str(part).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(raw))
            self._hash.update(raw)

    def __str__(self) -> str:
        return self._hash.hexdigest()[:8]


def of_nuggets(nuggets: Iterable[TopicNuggets]) -> str:
    """The digest of a set of nuggets: their ids, texts, documents, importance and weights."""
    digest = Digest()
    for topic in nuggets:
        digest.add("topic", topic.topic_id)
        for nugget in topic.nuggets:
            importance = nugget.importance.value if nugget.importance else ""
            digest.add(nugget.nugget_id, nugget.question, nugget.aggregator.value, importance)
            if nugget.weight is not None or nugget.group:
                digest.add("weight", nugget.weight, nugget.group)
            for answer in nugget.answers:
                digest.add(answer.answer, *answer.doc_ids)
    return str(digest)


def of_requests(requests: Sequence[ReportRequest]) -> str:
    """The digest of what judges see of the requests; ``none`` if there are none."""
    digest = Digest()
    for request in requests:
        texts = (request.title, request.problem_statement, request.background)
        digest.add(request.topic_id, *texts, request.language)
    return str(digest) if requests else "none"


@dataclass(frozen=True, slots=True)
class Signature:
    """All that could change a number, but for the topics that are averaged over.

    Attributes:
        judges: the signature of the judge for each kind that a judge answers.
        judgments: what the SHA-256 of each judgment file's unpacked content starts with (anyone
            can check it with ``sha256sum``), or ``none``.
        documents: where the judges' texts come from: a digest, ``irds:ID``, ``run`` or ``none``.
        requests: digest of the requests that judges see, or ``none``.
        points: digest of the key points that were extracted from responses; empty without.
    """

    protocol: str
    options: ScoringOptions
    nuggets: str
    judges: Mapping[Kind, str] = field(default_factory=dict)
    judgments: str = "none"
    documents: str = "none"
    requests: str = "none"
    points: str = ""

    def line(self, topic_ids: Sequence[str]) -> str:
        """The signature of the scores of a run, with the number of its topics and their digest."""
        options = self.options
        is_argue = self.protocol == "argue"
        judges = {
            name: dict.fromkeys(self.judges.get(kind, "none") for kind in kinds)
            for name, kinds in _KINDS.items()
        }
        topics = Digest()
        topics.add(*topic_ids)
        weights = [
            name + (str(int(value)) if value == int(value) else repr(value))
            for name, value in options.weights.items()
        ]
        parts = [
            f"protocol:{self.protocol}" + (f"-{options.reading}" if is_argue else ""),
            *([] if is_argue else [f"reading:{options.reading}"]),
            f"citations:{options.citations}",
            f"attestation:{options.attestation}",
            *([f"covers:{options.covers}"] if options.covers == "report" else []),
            f"nuggets:{self.nuggets}",
            *([f"points:{self.points}"] if self.points else []),
            f"judgments:{self.judgments}",
            *[f"{name}:{'+'.join(found)}" for name, found in judges.items()],
            f"documents:{self.documents}",
            f"requests:{self.requests}",
            f"weights:{'-'.join(weights)}",
            f"topics:{len(topic_ids)}/{topics}",
            f"missing:{'left-out' if options.only_answered else 'zero'}",
            *(["unjudged:left-out"] if options.judged_only else []),
            *(["citation-order:confidence"] if options.citation_order != "first" else []),
            f"v:{__version__}",
        ]
        return _SEPARATOR.join("".join(part.split()).replace(_SEPARATOR, "/") for part in parts)
