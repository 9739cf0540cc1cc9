"""A track of three topics and two runs, small enough to be scored by hand.

Topic `t1` has every outcome that is easy to reach and two nuggets, `t2` an absence nugget and an
AND nugget, `t3` one nugget. Run `beta` has no report for `t3`, and a question in it is unjudged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Json = Mapping[str, Any]

MILL, FIRE, DAM, FISH = "d1", "d2", "d3", "d4"

_TEXTS = {
    MILL: ("The mill", "The old mill at Harrow was built in 1784 by the brothers Lund."),
    FIRE: ("The fire", "A fire burned the mill at Harrow down in 1902. Nobody was hurt."),
    DAM: ("The dam", "The dam at Vell holds 40 million cubic metres. It opened in 1961."),
    FISH: ("The fish", "Trout returned to the river above Vell once a fish ladder was built."),
}


def _nugget(nugget_id: str, question: str, *answers: tuple[str, str], **other: str) -> Json:
    return {
        "nugget_id": nugget_id,
        "question": question,
        "aggregator": other.get("aggregator", "OR"),
        "importance": other.get("importance"),
        "answers": [{"answer": answer, "doc_ids": [doc_id]} for answer, doc_id in answers],
    }


NUGGETS: Json = {
    "format": "argue-eval/nuggets/1",
    "topics": [
        {
            "topic_id": "t1",
            "nuggets": [
                _nugget("n1", "When was the mill built?", ("1784", MILL), importance="vital"),
                _nugget("n2", "When did the mill burn?", ("1902", FIRE), importance="okay"),
            ],
        },
        {
            "topic_id": "t2",
            "nuggets": [
                _nugget(
                    "n3",
                    "How large is the dam, and when did it open?",
                    ("40 million cubic metres", DAM),
                    ("1961", DAM),
                    aggregator="AND",
                    importance="vital",
                ),
                _nugget("n4", "What did the dam cost?"),
            ],
        },
        {"topic_id": "t3", "nuggets": [_nugget("n5", "What came back?", ("trout", FISH))]},
    ],
}

REQUESTS: list[Json] = [
    {"topic_id": "t1", "title": "The mill", "problem_statement": "Tell the mill's history."},
    {"topic_id": "t2", "title": "The dam", "problem_statement": "Describe the dam and its cost."},
    {"topic_id": "t3", "title": "The fish", "problem_statement": "Tell how the fish returned."},
]

OPENING = "This report tells what became of the mill."
BUILT = "The mill was built in 1784."
BURNED = "It burned down in 1902, and two people died."
SIZE = "The dam holds 40 million cubic metres."
OPENED = "The dam opened in 1961."
COST = "What the dam cost is not known."
TROUT = "Trout came back."
RIVER = "The river is popular with anglers."
LADDER = "A fish ladder was built above Vell."


def _report(run_id: str, topic_id: str, *sentences: tuple[str, list[str]]) -> Json:
    return {
        "metadata": {"team_id": f"team {run_id}", "run_id": run_id, "topic_id": topic_id},
        "responses": [{"text": text, "citations": doc_ids} for text, doc_ids in sentences],
    }


ALPHA: list[Json] = [
    _report("alpha", "t1", (OPENING, []), (BUILT, [MILL]), (BURNED, [FIRE, MILL])),
    _report("alpha", "t2", (SIZE, [DAM]), (OPENED, [DAM]), (COST, [])),
    _report("alpha", "t3", (TROUT, [FISH]), (RIVER, [])),
]
BETA: list[Json] = [
    _report("beta", "t1", (BUILT, [FIRE]), (BURNED, [])),
    _report("beta", "t2", (SIZE, [DAM]), (LADDER, [FISH, DAM])),
]


def _judgment(topic_id: str, kind: str, sentence: str, verdict: str, **target: Any) -> Json:
    judge = {"verdict": verdict, "judge": "assessor:A1"}
    return {"topic_id": topic_id, "kind": kind, "sentence": sentence, **target, **judge}


def _placed(topic_id: str, run_id: str, index: int, verdict: str) -> Json:
    place = {"run_id": run_id, "sentence_index": index}
    judge = {"verdict": verdict, "judge": "assessor:A1"}
    return {"topic_id": topic_id, "kind": "first_instance", **place, **judge}


def _uncited(topic_id: str, sentence: str, required: str) -> list[Json]:
    return [
        _judgment(topic_id, "negative", sentence, "no"),
        _judgment(topic_id, "requires_citation", sentence, required),
    ]


JUDGMENTS: list[Json] = [
    *_uncited("t1", OPENING, "no"),
    _judgment("t1", "answers", BUILT, "yes", nugget_id="n1", answer="1784"),
    _judgment("t1", "answers", BUILT, "no", nugget_id="n2", answer="1902"),
    _judgment("t1", "support", BUILT, "yes", doc_id=MILL),
    _judgment("t1", "support", BUILT, "no", doc_id=FIRE),
    _judgment("t1", "answers", BURNED, "no", nugget_id="n1", answer="1784"),
    _judgment("t1", "answers", BURNED, "yes", nugget_id="n2", answer="1902"),
    _judgment("t1", "support", BURNED, "no", doc_id=FIRE),
    _judgment("t1", "support", BURNED, "no", doc_id=MILL),
    *_uncited("t1", BURNED, "yes"),
    _placed("t1", "beta", 1, "yes"),
    _judgment("t2", "answers", SIZE, "yes", nugget_id="n3", answer="40 million cubic metres"),
    _judgment("t2", "answers", SIZE, "no", nugget_id="n3", answer="1961"),
    _judgment("t2", "support", SIZE, "yes", doc_id=DAM),
    _judgment("t2", "answers", OPENED, "no", nugget_id="n3", answer="40 million cubic metres"),
    _judgment("t2", "answers", OPENED, "yes", nugget_id="n3", answer="1961"),
    _judgment("t2", "support", OPENED, "yes", doc_id=DAM),
    _judgment("t2", "negative", COST, "yes"),
    _judgment("t2", "agrees", COST, "yes", nugget_id="n4"),
    _judgment("t2", "answers", LADDER, "no", nugget_id="n3", answer="40 million cubic metres"),
    _judgment("t2", "answers", LADDER, "no", nugget_id="n3", answer="1961"),
    _judgment("t2", "support", LADDER, "yes", doc_id=FISH),
    _judgment("t3", "answers", TROUT, "yes", nugget_id="n5", answer="trout"),
    _judgment("t3", "support", TROUT, "yes", doc_id=FISH),
    *_uncited("t3", RIVER, "yes"),
    _placed("t3", "alpha", 1, "yes"),
]
"""All that the two runs need, but for whether `d3` supports `LADDER` in run `beta`."""


class Files(NamedTuple):
    """The track's files, by what they are."""

    alpha: str
    beta: str
    qrels: str
    requests: str
    collection: str
    judgments: str


def lines(objects: Iterable[Json]) -> str:
    """JSON lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def read_lines(path: str | Path) -> list[Any]:
    """The values of a file of JSON lines."""
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def write_lines(path: str | Path, objects: Iterable[Json]) -> str:
    """Writes a file of JSON lines; returns its path."""
    Path(path).write_text(lines(objects), "utf-8")
    return str(path)


def write(folder: Path) -> Files:
    """Writes the track; returns its files' paths."""
    documents = [
        {"doc_id": doc_id, "title": title, "text": text} for doc_id, (title, text) in _TEXTS.items()
    ]
    contents = {
        "alpha.jsonl": lines(ALPHA),
        "beta.jsonl": lines(BETA),
        "nuggets.json": json.dumps(NUGGETS),
        "requests.jsonl": lines(REQUESTS),
        "documents.jsonl": lines(documents),
        "assessors.judgments.jsonl": lines(JUDGMENTS),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return Files(*(str(folder / name) for name in contents))
