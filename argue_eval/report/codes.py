"""What the codes of findings mean, for ``argue-eval explain CODE``.

Codes of a track's rules are explained by the rules themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from argue_eval.validation import tracks

CODES = {
    "and_with_one_answer": "A nugget wants all of its answers, and it has one.",
    "answer_in_question": "The question of a nugget has its answer in it.",
    "answer_without_documents": "An answer names no document that attests it, and cannot count.",
    "bad_id": "An id has a line break, a tab or another character that is not printable.",
    "bad_rules": "The file of --rules is not TOML, or has an unknown key or a wrong value.",
    "bad_table": "A sheet as CSV is broken from some row on.",
    "bad_grade": "The grade of a document is no whole number, or too large.",
    "bad_value": "A value is none of the few that the key can have.",
    "bad_verdict": "The verdict of a judgment is none that its kind of question can have.",
    "blank_sentence": "The sentence that was judged has no text.",
    "blank_text": "A text is empty or has nothing but white space.",
    "broken_gzip": "The gzip data is damaged or cut off.",
    "broken_row": "A row of a table cannot be read.",
    "byte_order_mark": "The file starts with a byte order mark, which is no part of UTF-8 JSON.",
    "citation_alone": "segment: a citation is a paragraph of its own.",
    "citation_at_end": "segment: with --citations before, no sentence follows a citation.",
    "citation_at_start": "segment: a citation stands before the first sentence and is given to it.",
    "citation_index": "A citation's index points at no reference; indexes count from 0.",
    "citation_range": "A range such as [1-3] in a summary is not read as citations.",
    "citation_without_text": "segment: a citation has no sentence that it could belong to.",
    "claim_answers": "A claim has answers; a claim is its own answer.",
    "code_block": "segment: the text has a block of code, which is kept as one sentence.",
    "conflicting_verdicts": "A sheet has two verdicts of one assessor on one question.",
    "damaged_key": "The cell of a sheet that says what a row asks is missing or was changed.",
    "damaged_store": "The file of stored judgments is damaged.",
    "duplicate_answer": "A nugget has the same answer twice.",
    "duplicate_citation": "A sentence cites the same document twice; it counts once.",
    "duplicate_column": "Two columns of a table have the same name.",
    "duplicate_document": "Two documents have the same id.",
    "duplicate_key": "A JSON object has a key twice. Which of the values is meant is unclear.",
    "duplicate_label": "Two labels are about the same summary and insight, or document.",
    "duplicate_nugget": "Two nuggets of a topic have the same id.",
    "duplicate_question": "Nuggets of a topic have the same question and an answer in common.",
    "duplicate_report": "A run has two reports for a topic.",
    "duplicate_request": "Two requests have the same text.",
    "different_signatures": "compare: the scores were not made in the same way.",
    "different_topics": "compare: a run has no values for topics that others have.",
    "duplicate_run": "Two files have the same run.",
    "duplicate_topic": "A topic occurs twice, in one file or in two.",
    "empty_file": "The file is empty, or has nothing but white space.",
    "empty_id": "An id is empty.",
    "empty_report": "segment: the text has no sentences.",
    "empty_sheet": "Nobody filled the sheet in: no row has a verdict.",
    "empty_store": "Nothing was stored in the file yet.",
    "empty_topic": "A topic has no nuggets.",
    "encoding": "The file is not UTF-8.",
    "extra_topics": "The run has reports for topics that are not scored.",
    "files_left_out": "Files of a folder are not read, since they hold something else.",
    "gzip_bomb": "The gzip data unpacks to so much that no text can be in it.",
    "id_whitespace": "An id starts or ends with white space; ids are compared as they are.",
    "insights_differ": "The summaries of a haystack were labelled against other insights.",
    "is_directory": "A folder is named where a file is expected, or has no file of the kind.",
    "long_answer": "An answer is so long that hardly any report can give it.",
    "lossy": "convert: the format cannot hold this. --lossy writes the rest.",
    "merged_questions": "Two nuggets of a file that is keyed by question have the same question.",
    "missing_parts": "compare: a file has no numerators and denominators of a ratio of sums.",
    "missing_column": "A line of a table has fewer columns than expected.",
    "missing_importance": "Some nuggets have an importance and others have none.",
    "missing_key": "A key that is needed is missing.",
    "missing_measure": "compare: a run has no values of the measure.",
    "missing_problem_statement": "A request has no problem statement.",
    "missing_run_id": "A report names no run.",
    "missing_rows": "Rows of a sheet are not there any more.",
    "missing_team": "pool, reusability: the file of teams lacks a run.",
    "missing_text": "The store lacks a text that a judgment needs.",
    "near_duplicate_question": "Two nuggets of a topic ask nearly the same question.",
    "newer_store": "The store was written by a newer version of argue-eval.",
    "no_answers": "A question of a rubric has no short answers.",
    "no_attestation": "The nuggets name no documents, so no answer could count.",
    "no_citations": "segment: the text cites nothing.",
    "no_claim_nuggets": "The measures grade claims, and all nuggets are questions.",
    "no_common_topic": "Two files have no topic in common: they belong to different tracks.",
    "no_confidence": "--citation-order confidence: no citation of the run has a confidence.",
    "no_document_ids": "No answer names a document that attests it.",
    "no_information": "An answer says nothing, such as 'unknown'.",
    "no_judge": "meta-eval: there is no judge to compare with the assessors.",
    "no_judgments": "The file has no judgments.",
    "no_overlap": "meta-eval: both sides have no question, document or run in common.",
    "no_panel": "meta-eval: there are fewer than two judges to compare among themselves.",
    "no_references": "A citation is an index, and the report has no list of references.",
    "no_rubric": "The rubric is not at hand: every answer is a question of its own.",
    "no_scores": "The file has no scores.",
    "no_such_bullet": "A label names a bullet that the summary does not have.",
    "no_such_kind": "meta-eval: there are no judgments of this kind.",
    "no_summaries": "The haystack has no summaries.",
    "no_texts": "Only ids or judgments are known where texts are needed.",
    "no_topics": "The file has no topics.",
    "no_verdict": "A judgment has no verdict and is left out.",
    "not_a_store": "The file is no store of judgments.",
    "not_gzip": "The name ends in .gz, and the content is not gzip.",
    "not_json_lines": "The file has no JSON object on each line.",
    "nothing_left": "convert: nothing can be written in this format.",
    "null_byte": "The line has a null byte.",
    "open_rows": "Rows of a sheet have no verdict yet.",
    "orphan_place": "The store says where judgments come from that it does not have.",
    "orphan_text": "The store has a text that no judgment needs.",
    "other_collection": "Several documents that the nuggets name are not in the collection.",
    "out_of_range": "A number is too small or too large.",
    "part_of_answer": "An answer is part of another one, which names documents that it does not.",
    "placeholder_document_ids": "Document ids look like placeholders, or unlike those at hand.",
    "questions_not_compared": "The topic has too many questions to compare all of them.",
    "reference_differs": "segment: two references of one number name different documents.",
    "reference_line": "segment: a line of --references cannot be read.",
    "reference_unclear": "segment: which document a reference names is unclear.",
    "renamed_key": "ingest: a key has another meaning in the canonical format and is renamed.",
    "run_id_taken": "Two runs have the same id.",
    "run_together": "A line has several JSON objects.",
    "run_without_points": "--response-points: a run has no key points.",
    "same_answer": "Answers of a nugget differ only in case or punctuation.",
    "several_judges": "Two judges answer the same question; the first one is used.",
    "several_runs": "The file has several runs where one is expected.",
    "shared_question": "Nuggets of a topic have the same question and different answers.",
    "stale_files": "The folder of -o has files of runs that were not scored this time.",
    "stored_judgments": "Judgments that the run or nugget file holds are used.",
    "stray_quotes": "A name in the nuggets has quotes around it, and is read without them.",
    "table": "segment: the text has a table, whose rows become sentences.",
    "too_deep": "The JSON is nested too deeply.",
    "too_large": "A line or file is larger than any that is meant.",
    "too_many_errors": "There are more errors than are listed.",
    "topic_not_requested": "Topics have nuggets and no request; they are not scored.",
    "topic_without_nuggets": "Topics are requested and have no nuggets.",
    "topic_without_points": "--response-points: a topic has no key points.",
    "unjudged_values": "compare: missing judgments leave values open.",
    "unknown_aggregator": "A nugget's aggregator is neither OR nor AND.",
    "unknown_answer": "A judgment names an answer that no nugget has.",
    "unknown_batch_line": "--batch-in: a line is no reply to any call of the batch.",
    "unknown_format": "The file is of another kind, or in no known format.",
    "unknown_importance": "An importance is neither vital nor okay, and is read as none.",
    "unknown_insight": "A document names an insight that the haystack does not have.",
    "unknown_kind": "A judgment is of a kind that does not exist.",
    "unknown_nugget": "A judgment names a nugget that does not exist.",
    "unknown_run": "A file names a run that is not scored.",
    "unknown_topic": "A judgment names a topic that has no nuggets.",
    "unknown_version": "The file is of a version of the format that is not known.",
    "unread_citation": "segment: brackets look like a citation, and no reference has its number.",
    "unread_key": "A key is not read, though its name or content is that of one that is missing.",
    "unresolved_citation": "segment: a citation has a number that no reference has.",
    "unused_key": "A key is there that this kind of judgment does not have.",
    "unusual_id": "A topic id has characters that some tools cannot read.",
    "wrong_columns": "A line has another number of columns than expected.",
    "wrong_key": "A judgment in the store has a key that is not that of its texts.",
    "wrong_place": "A judgment in the store names no topic, or a place that is none.",
    "wrong_prices": "The file of --prices has an entry that is no price.",
    "wrong_prob": "A judgment in the store has a probability that is none.",
    "wrong_text": "A text in the store is not the one that its key names.",
    "wrong_type": "A value is of another type, such as a number in place of a text.",
    "wrong_value": "A judgment in the store has a reason, reply or time that is none.",
    "wrong_verdict": "A judgment in the store has a verdict that its kind cannot have.",
}
"""What is wrong, by the code of findings that no rule of a track gives."""


def names() -> list[str]:
    """All codes: those of rules first."""
    return [*tracks.RULES, *CODES]


def page(code: str) -> Iterator[str]:
    """Yield what a code means; for a rule, what must hold and how each track sets it."""
    if code in CODES:
        yield f"{code}: {CODES[code]}\n"
        return
    kind = tracks.RULES[code]
    says = kind.says.format(**{name: name.upper() for name in kind.values})
    yield f"{code}: {says}\n"
    if kind.needs:
        yield f"  checked with {kind.needs}\n"
    for track in tracks.load_all():
        rule = track.rule(code)
        if rule is not None and rule.severity is not None:
            line = f"  {track.name:<16} {rule.severity.value:<8} {rule if rule.values else ''}"
            yield f"{line.rstrip()}\n"
