"""Ways to break a run: at least one for every rule, each in a place of its own."""

from __future__ import annotations

from tests.differential import changed_metadata, changed_rest, changed_sentences
from tests.differential.changes import Mutation
from tests.differential.runs import Form

MUTATIONS = [
    *changed_metadata.MUTATIONS,
    *changed_sentences.MUTATIONS,
    *changed_rest.MUTATIONS,
]
CORE = frozenset(
    {
        "team_id_blank", "run_id_long", "run_id_slash", "narrative_space", "run_id_differs",
        "team_id_differs", "type_missing", "run_desc_missing", "task_missing", "metadata_extra",
        "topic_id_empty", "topic_missing", "topic_new", "topic_twice",
        "sentences_renamed", "sentences_empty", "sentences_blank",
        "text_null", "text_empty", "text_html", "too_long_by_one",
        "cites_scores", "cites_doc_ids", "cites_indexes", "citations_missing", "citation_list",
        "citations_of_two_shapes", "index_too_high", "four_citations", "citation_twice",
        "score_text", "score_numeral", "doc_id_tail", "doc_id_head",
        "references_missing", "references_given", "reference_twice", "reference_uncited",
        "reference_undeclared", "references_101",
        "byte_order_mark", "cut_in_the_middle", "key_twice",
    }
)  # fmt: skip
"""At least one change for each rule: all pairs of these are compared, and some of the others."""


def mutations_of(form: Form) -> list[Mutation]:
    """Returns the mutations that a track's runs can have."""
    fitting = [each for each in MUTATIONS if each.fits is None or each.fits(form)]
    for key, value in form.metadata.items():
        fitting += changed_metadata.of_key(key, value)
    return fitting
