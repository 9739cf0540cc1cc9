"""The sets of keys by which items of the built-in formats are detected, beside each other.

They are here, and not in the formats themselves, so that none is imported to detect another.
"""

from __future__ import annotations

Shapes = tuple[tuple[str, ...], ...]

_DRAGUN = ("topic_id", "run_tag", "answer_id")
_BIOGEN = (("question_id", "machine_generated_answers"),)
_SUPPORT = (
    ("run_id", "sentences.sentenceID"),
    ("narrative_id", "run_id", "sentences"),
    ("topic_id", "narrative_id", "run_id", "sentences"),
)
_RUBRICS = (("qid", "criteria.verdict"), ("qid", "run_id", "criteria.verdict"))
_SUMMARY = ("subtopic_id", "summary_key")
_SUMMKEY = ("subtopic_id", "summkey")

BUILT_IN: dict[str, dict[str, Shapes]] = {
    "runs": {
        "biogen": (("run_name", "results"), ("results.topic_id", "results.answer")),
        "biogen_assessments": _BIOGEN,
        "canonical": (("metadata", "responses"), ("responses",)),
        "dragun": (_DRAGUN,),
        "neuclir": (("request_id", "sentences"), ("request_id", "report"), ("sentences",)),
        "nuggetizer": (("qid", "run_id", "answer_text", "nuggets"),),
        "rag": (("answer", "references"), ("metadata", "answer"), ("answer",)),
        "rag_support": _SUPPORT,
        "rubrics": _RUBRICS,
        "summhay": (("subtopics",), (*_SUMMARY, "summary"), (*_SUMMKEY, "summary")),
    },
    "nuggets": {
        "auto_argue": (
            ("query_id", "nugget_bank"),
            ("query_id", "claim_bank"),
            ("format_version", "nugget_bank"),
        ),
        "biogen_assessments": _BIOGEN,
        "canonical": (("format", "topics"), ("topics",), ("topic_id", "nuggets.answers")),
        "dragun": (
            ("topic_id", "rubrics"),
            ("topic_id", "rubrics.question_id", "rubrics.short_answers"),
            _DRAGUN,
        ),
        "flat": (("topic_id", "question", "answer"), ("topic_id", "nugget_id", "answer")),
        "neuclir": (
            ("query_id", "items"),
            ("query_id", "questions"),
            ("request_id", "questions"),
            ("request_id", "items"),
            ("topic_id", "questions"),
        ),
        "nuggetizer": (("qid", "nuggets"), ("qid", "query", "nuggets")),
        "rag_support": _SUPPORT,
        "ragtime26": (("metadata.topic_id", "nugget_bank"),),
        "rubrics": (("qid", "rubrics"), ("qid", "rubrics.criterion"), ("qid", "criteria")),
        "summhay": (
            ("topic_id", "subtopics", "documents"),
            ("subtopics",),
            (*_SUMMARY, "reference_insights"),
            (*_SUMMKEY, "reference_insights"),
        ),
    },
    "judgments": {
        "auto_argue": (
            ("report.metadata", "judgments"),
            ("report", "judgments"),
            ("report.metadata", "sentence_judgments"),
            ("metadata", "sentence_judgments"),
            ("sentence_judgments",),
        ),
        "biogen_assessments": _BIOGEN,
        "canonical": (("topic_id", "kind", "verdict", "judge"), ("kind", "verdict")),
        "dragun": (_DRAGUN, (*_DRAGUN, "annotation"), (*_DRAGUN, "auto_assessment")),
        "nuggetizer": (("qid", "run_id", "nuggets.assignment"),),
        "rag_support": _SUPPORT,
        "rubrics": _RUBRICS,
        "sheet": (("topic_id", "kind", "verdict", "judge", "row"),),
        "sheet_csv": (),
        "summhay": (("subtopics",),),
        "summhay_labels": ((*_SUMMARY, "annotation"), (*_SUMMKEY, "annotation")),
    },
    "requests": {
        "biogen": (
            ("topic_id", "question", "narrative"),
            ("topic_id", "question"),
            ("topics.question",),
        ),
        "canonical": (("topic_id", "problem_statement"), ("topic_id", "title")),
        "dragun": (("docid", "title"),),
        "neuclir": (
            ("request_id", "problem_statement"),
            ("topic_id", "collection_id", "problem_statement"),
            ("request_id", "background"),
            ("request_id", "title"),
        ),
        "rag25": (("id", "title"), ("id", "narrative")),
        "rag_tsv": (),
        "summhay": (("topic_id", "subtopics", "documents"), ("subtopics",)),
    },
    "documents": {
        "irds": (),
        "jsonl": tuple(
            (doc_id, text)
            for doc_id in ("doc_id", "id", "docno", "docid")
            for text in ("text", "segment", "contents", "body")
        ),
        "summhay": (("subtopics", "documents"),),
    },
}
"""By kind of file and name of format."""
