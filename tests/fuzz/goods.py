"""Good files, which are then damaged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.formats import samples
from tests.formats.test_any_input import GOOD as GOOD_INPUTS
from tests.fuzz.values import lines

Json = dict[str, Any]
_UUID = "00000001-1111-4222-8333-000000000001_1"
_SEGMENT = "msmarco_v2.1_doc_00_1#1_1"
_TEXT = "The old bridge was rebuilt in nine months."


def _report(key: str, cited: Any, metadata: Json | None, **rest: Any) -> Json:
    sentence = {"text": _TEXT, "citations": cited}
    report: Json = {key: [sentence, {"text": "So it is said.", "citations": type(cited)()}]}
    return {**({"metadata": metadata} if metadata else {}), **report, **rest}


_IDS = {"team_id": "team", "run_id": "run", "run_desc": "d", "type": "automatic"}
REPORTS: list[Json] = [
    _report("responses", {_UUID: 0.5}, {**_IDS, "topic_id": "2001"}, references=[_UUID]),
    _report("responses", [_SEGMENT], {**_IDS, "topic_id": _SEGMENT, "use_starter_kit": 0}),
    _report(
        "answer",
        [0],
        {**_IDS, "narrative_id": "rag2026-1", "narrative": "Why?"},
        references=["shard_1_2"],
    ),
    _report("answer", [0], None, topic_id="2024-1", run_id="r", topic="x", references=[_SEGMENT]),
    _report("sentences", [_UUID[:36]], None, request_id="401", run_id="r", collection_ids=["c"]),
    {"request_id": "401", "run_id": "r", "report": [[_TEXT, [_UUID[:36]]]]},
    {
        "team_id": "t",
        "run_name": "r",
        "contact_email": "e",
        "results": [{"topic_id": "1", "answer": f"{_TEXT} [123, 45]. More [6].", "references": []}],
    },
]
BANK = samples.qrels(
    samples.nugget(),
    samples.nugget(nugget_id="n2", question=None),
    samples.nugget(nugget_id="n3", question=None),
    samples.nugget(nugget_id="n4", answers=[]),
)
_POINTS = {
    "format": "argue-eval/nuggets/1",
    "topics": [{"topic_id": "t1", "run_id": "run", "nuggets": [samples.nugget(question=None)]}],
}
REQUESTS = [
    samples.request(limit=5),
    *(samples.request(topic_id=each, limit=60) for each in ("2001", "2002", "rag2026-1", "401")),
]
VALUES: dict[str, list[Any]] = {
    "runs": [samples.report(), *REPORTS, *GOOD_INPUTS["runs"]],
    "requests": [*GOOD_INPUTS["requests"], {"request_id": "t1", "problem_statement": "Why?"}],
    "nuggets": [BANK, *GOOD_INPUTS["nuggets"]],
    "documents": [{"id": "d1", "title": "x", "text": "It fell."}, *GOOD_INPUTS["documents"]],
    "judgments": [samples.judgment(judge="b", prob=0.5), *GOOD_INPUTS["judgments"]],
    "scores": [
        {"run_id": "run", "topic_id": "t1", "measure": "m", "value": 0.5, "lower": 0, "upper": 1},
        {"run_id": "run", "scores": [{"topic_id": "t1", "measure": "m", "value": 0.5}]},
        {
            "run_id": "run",
            "scores": [
                {"topic_id": "t1", "measure": "f1", "value": 0.5, "parts": [1, 2, 2, 4]},
                {"topic_id": "t2", "measure": "f1", "value": 1.0, "parts": [2, 2, 4, 4]},
                {"topic_id": "all", "measure": "f1_micro", "value": 0.75, "lower": 0.75},
            ],
        },
        {"runs": [{"run_id": each, "measures": {"m": {"value": 0.5}}} for each in ("run", "b")]},
    ],
    "points": [_POINTS],
    "summhay": [
        {
            "topic_id": "t1",
            "topic": "Exams",
            "subtopics": [
                {
                    "subtopic_id": "t1",
                    "subtopic": "calm",
                    "insights": [{"insight_id": "i", "insight": "Calm helps."}],
                    "summaries": {"summ_a": ["- Calm helps. [1]"], "summ_b": ["Calm [1]"]},
                }
            ],
            "documents": [{"document_id": "d1", "document_text": "x", "insights_included": ["i"]}],
        }
    ],
    "batches": [
        {
            "custom_id": "a",
            "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "{}"}}]}},
        }
    ],
}
"""Good values by kind of file, the plainest first."""

TEXTS: dict[str, list[bytes]] = {
    "requests": [b"t1\tWhich bridges?\nt2\tWhy?\n"],
    "scores": [
        b"m\tt1\t0.5\nm\tall\t0.5\n",
        b"run\tt1\tm\t0.5\nrun\tall\tm\t0.5\n",
        b"run_id,topic_id,measure,value\nrun,t1,m,0.5\nbeta,t1,m,0.25\n",
        b"run_id\tm\tm_lower\tm_upper\tm_rank\nrun\t0.5\t0.5\t0.5\t1\nbeta\t\t0.1\t0.4\t\n",
    ],
    "rules": [b'title = "x"\nsource = "y"\nrevision = 2026-01-01\n[rules]\nlength = "off"\n'],
    "prices": [b'["x"]\nprompt = 1\nreply = 2.5\n'],
    "retrieved": [b"t1 Q0 d1 1 0.5 tag\nt1 Q0 d2 2 0.25 tag\n", b"t1 0 d1 1\n"],
    "texts": [b"# Bridges\n\nIt fell [1]. Why?\n\n## References\n\n1. d1\n"],
    "references": [b"1 d1\n2 d2\nD12 ex-12\n", b'{"1": "d1", "2": "d2"}'],
}  # fmt: skip


def raws(kind: str) -> list[bytes]:
    """Good files of a kind: alone, together, on several lines, packed."""
    values = VALUES.get(kind, [])
    found = [*map(lines, values), *TEXTS.get(kind, [])]
    if values:
        found += [lines(*values), json.dumps(values[:2], indent=1).encode()]
        found.append(gzip.compress(lines(*values[:3]), mtime=0))
    return found


def write(folder: Path) -> None:
    """Writes the good files that are read beside a strange one."""
    beta = samples.report(metadata=samples.meta(run_id="beta"))
    for name, content in {
        "run.jsonl": lines(samples.report()),
        "beta.jsonl": lines(beta),
        "bank.json": lines(BANK),
        "requests.jsonl": lines(*REQUESTS),
        "documents.jsonl": lines(VALUES["documents"][0]),
        "judgments.jsonl": lines(samples.judgment(), samples.judgment(judge="b", prob=0.5)),
        "scores.csv": TEXTS["scores"][2],
        "text.md": TEXTS["texts"][0],
        "references.txt": TEXTS["references"][0],
    }.items():
        (folder / name).write_bytes(content)
