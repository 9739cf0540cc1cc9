"""The sets of keys by which items of the built-in formats are detected, beside each other.

They are here, and not in the formats themselves, so that none is imported to detect another. Tables
and data sets are detected in other ways.
"""

from __future__ import annotations

from typing import NamedTuple

_TABLE = """
runs      canonical           metadata responses, responses
runs      biogen              run_name results, results.topic_id results.answer
runs      biogen_assessments  question_id machine_generated_answers
runs      dragun              topic_id run_tag answer_id
runs      neuclir             request_id sentences, request_id report, sentences
runs      nuggetizer          qid run_id answer_text nuggets
runs      rag                 answer references, metadata answer, answer
runs      rag_support         run_id sentences.sentenceID, narrative_id run_id sentences
runs      rag_support         topic_id narrative_id run_id sentences
runs      rubrics             qid criteria.verdict, qid run_id criteria.verdict
runs      summhay             subtopics, subtopic_id summary_key summary
runs      summhay             subtopic_id summkey summary
nuggets   canonical           format topics, topics, topic_id nuggets.answers
nuggets   auto_argue          query_id nugget_bank, query_id claim_bank
nuggets   auto_argue          format_version nugget_bank
nuggets   biogen_assessments  question_id machine_generated_answers
nuggets   dragun              topic_id rubrics, topic_id rubrics.question_id rubrics.short_answers
nuggets   dragun              topic_id run_tag answer_id
nuggets   flat                topic_id question answer, topic_id nugget_id answer
nuggets   flat                topic_id question answer doc_ids, topic_id nugget_id question answer
nuggets   neuclir             query_id items, query_id questions, request_id questions
nuggets   neuclir             request_id items, topic_id questions
nuggets   nuggetizer          qid nuggets, qid query nuggets
nuggets   rag_support         run_id sentences.sentenceID, narrative_id run_id sentences
nuggets   rag_support         topic_id narrative_id run_id sentences
nuggets   ragtime26           metadata.topic_id nugget_bank
nuggets   rubrics             qid rubrics, qid rubrics.criterion, qid criteria
nuggets   summhay             topic_id subtopics documents, subtopics
nuggets   summhay             subtopic_id summary_key reference_insights
nuggets   summhay             subtopic_id summkey reference_insights
judgments canonical           topic_id kind verdict judge, kind verdict
judgments auto_argue          report.metadata judgments, report judgments
judgments auto_argue          report.metadata sentence_judgments, metadata sentence_judgments
judgments auto_argue          sentence_judgments
judgments biogen_assessments  question_id machine_generated_answers
judgments dragun              topic_id run_tag answer_id, topic_id run_tag answer_id annotation
judgments dragun              topic_id run_tag answer_id auto_assessment
judgments nuggetizer          qid run_id nuggets.assignment
judgments rag_support         run_id sentences.sentenceID, narrative_id run_id sentences
judgments rag_support         topic_id narrative_id run_id sentences
judgments rubrics             qid criteria.verdict, qid run_id criteria.verdict
judgments sheet               topic_id kind verdict judge row
judgments summhay             subtopics
judgments summhay_labels      subtopic_id summary_key annotation, subtopic_id summkey annotation
requests  canonical           topic_id problem_statement, topic_id title
requests  biogen              topic_id question narrative, topic_id question, topics.question
requests  dragun              docid title
requests  neuclir             request_id problem_statement
requests  neuclir             topic_id collection_id problem_statement, request_id background
requests  neuclir             request_id title
requests  rag25               id title, id narrative
requests  summhay             topic_id subtopics documents, subtopics
documents jsonl               doc_id text, doc_id segment, doc_id contents, doc_id body, id text
documents jsonl               id segment, id contents, id body, docno text, docno segment
documents jsonl               docno contents, docno body, docid text, docid segment
documents jsonl               docid contents, docid body
documents summhay             subtopics documents
"""
"""Kind of file, name of format, and its sets of keys; a format may have several rows."""


class Candidate(NamedTuple):
    """One set of keys by which a format is detected; a path has several, and goes through the first
    element of a list.
    """

    num_keys: int
    shape: tuple[str, ...]
    kind: str
    name: str


BUILT_IN: dict[str, list[Candidate]] = {}
"""The candidates of each kind of file, those of the canonical format first."""

for _row in _TABLE.strip().splitlines():
    _kind, _name, _sets = _row.split(maxsplit=2)
    for _keys in _sets.split(","):
        _num_keys = len(_keys.replace(".", " ").split())
        _found = Candidate(_num_keys, tuple(_keys.split()), _kind, _name)
        BUILT_IN.setdefault(_kind, []).append(_found)
