"""Good files, which are then damaged."""

from __future__ import annotations

import gzip
import json
from typing import Any

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
RUNS: list[bytes] = [
    *(lines(report) for report in REPORTS),
    lines(REPORTS[0], {**REPORTS[0], "metadata": {**_IDS, "topic_id": "2002"}}, REPORTS[0]),
    json.dumps(REPORTS[:2], indent=1).encode(),
    gzip.compress(lines(*REPORTS), mtime=0),
]
REQUESTS = lines(
    *(
        {"request_id": topic_id, "title": "Why?", "problem_statement": "Why?", "limit": 60}
        for topic_id in ("2001", "2002", "rag2026-1", "401")
    )
)
INPUTS: dict[str, list[Any]] = {
    kind: GOOD_INPUTS[kind] for kind in ("requests", "nuggets", "runs", "documents", "judgments")
}
RAW_INPUTS: dict[str, list[bytes]] = {
    kind: [
        *(lines(value) for value in values),
        lines(*values),
        json.dumps(values[0], indent=1).encode(),
        gzip.compress(lines(*values), mtime=0),
    ]
    for kind, values in INPUTS.items()
}
RAW_INPUTS["requests"].append(b"t1\tWhich bridges?\nt2\tWhy?\n")
