"""What every measure says where there is nothing to measure."""

from __future__ import annotations

import pytest

from argue_eval import measures
from argue_eval.evaluation.scoring import score
from argue_eval.records import Nugget, Report
from tests.making import TOPIC, Fact, evidence, nugget, report

FAMILIES = [
    family._replace(measures=tuple(each for each in family.measures if not each.is_graded))
    for family in measures.select(["all"])  # what no assessor graded is unjudged, not empty
]
EVERY = {measure.name for family in FAMILIES for measure in family.measures}

PRECISION = {"sentence_precision"}
RECALL = {"nugget_recall", "nugget_recall_weighted"}
ARGUE_F1 = {"argue_f1", "argue_f1_weighted"}
CITATION = {"citation_relevance", "citation_support"}
COVERAGE = {"nugget_coverage", "nugget_coverage_weighted"}
AUTO_F1 = {"f1", "f1_weighted"}
CLAIMS = {
    "all_score", "vital_score", "strict_all_score", "strict_vital_score", "kpr", "coverage",
    "joint_score", "rubric_score", "rubric_score_binary",
}  # fmt: skip
NONE_COVERED = {"kpp", "kpf", "citation_score", "citation_precision", "citation_recall"}
OF_CITED = {"weighted_precision", "hard_precision", "weighted_precision_all"}
SUPPORTED = OF_CITED | {"weighted_recall", "hard_recall", "weighted_recall_all"}
BULLETS = {"words_per_bullet"}
RETRIEVAL = {"P@5", "P@10", "R@10", "nDCG@10", "AP", "RR"}
CITING = {"citation_support_rate", "citation_contradict_rate"}
DRAGUN = {"supportive_score", "contradictory_score"}
NUGGETS = {
    "nuggets": 2.0,
    "nuggets_weighted": 4.0,
}
OF_SENTENCE = dict.fromkeys(
    SUPPORTED | {
        "citation_coverage", "citation_support_rate", "outcome_2", "sentences", "character_count",
        "citations", "response_words", "words_per_bullet", "supporting_citations",
        "citation_support", "sentence_support", "correctly_cited_sentences",
        "sentences_with_citations_or_requiring_citations",
    }, 1.0,
)  # fmt: skip
"""Of one cited sentence that its document supports."""

ASKED = [
    nugget("n1", ("a", ["D1"]), importance="vital"),
    nugget("c1", ("claim", []), question=None, importance="vital"),
]
UNCITED: list[Fact] = [
    ("negative", "u", "no"),
    ("requires_citation", "u", "no"),
    ("covers", "u", "no", "c1"),
    ("covers", "u", "no", "n1"),
]
IGNORED: list[Fact] = [("support", "s", "yes", "D1"), ("covers", "s", "no", "n8")]

CASES: list[
    tuple[str, list[Nugget], Report | None, list[Fact], set[str], dict[str, float]]
] = [
    # what is empty, nuggets, report, judged, undefined measures, measures that are not 0
    (
        "a report without sentences",
        ASKED, report(), [],
        PRECISION | ARGUE_F1 | CITATION | {"sentence_support"} | AUTO_F1
        | SUPPORTED | NONE_COVERED | BULLETS | CITING | {"citation_coverage"},
        NUGGETS,
    ),
    ("no report", ASKED, None, [], set(), NUGGETS),
    ("no report and no nuggets", [], None, [], set(), {}),
    (
        "a report without citations",
        ASKED, report(("u", [])), UNCITED,
        PRECISION | ARGUE_F1 | CITATION | {"sentence_support"} | AUTO_F1 | OF_CITED
        | NONE_COVERED | CITING,
        {
            **NUGGETS, "sentences": 1, "character_count": 1, "outcome_4": 1, "response_words": 1,
            "words_per_bullet": 1,
        },
    ),
    (
        "a topic without nuggets",
        [], report(("s", ["D1"])), IGNORED,
        PRECISION | RECALL | ARGUE_F1 | COVERAGE | AUTO_F1 | CLAIMS | RETRIEVAL | NONE_COVERED
        | DRAGUN,
        OF_SENTENCE,
    ),
    (
        "a topic without nuggets or sentences",
        [], report(), [],
        PRECISION | RECALL | ARGUE_F1 | CITATION | {"sentence_support"} | COVERAGE | AUTO_F1
        | CLAIMS | RETRIEVAL | SUPPORTED | NONE_COVERED | BULLETS | DRAGUN
        | CITING | {"citation_coverage"},
        {},
    ),
    (
        "nuggets that nobody could attest",
        [nugget("n9"), nugget("n8", ("a", []))], report(("s", ["D1"])), IGNORED,
        PRECISION | ARGUE_F1 | CLAIMS | RETRIEVAL | NONE_COVERED,
        {**OF_SENTENCE, "nuggets": 2, "nuggets_weighted": 2},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("nuggets", "written", "facts", "undefined", "values"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_empty_case(
    nuggets: list[Nugget],
    written: Report | None,
    facts: list[Fact],
    undefined: set[str],
    values: dict[str, float],
) -> None:
    assert undefined | values.keys() <= EVERY
    protocols = [each.replace("-", "_") for each in measures.protocol_names()]
    found = evidence(nuggets, written, facts, protocols=protocols)
    table = score("run", "", "", [found], FAMILIES)
    rows = {row.measure: row for row in table.rows if row.topic_id == TOPIC}
    assert rows.keys() == EVERY
    assert {name for name, row in rows.items() if row.is_undefined} == undefined
    assert {name: row.value for name, row in rows.items() if row.value} == values
    for name, row in rows.items():
        assert (row.value is None) == (name in undefined)
        assert row.lower == row.upper == (row.value or 0.0), name
        assert row.num_unjudged == 0
    assert table.counts["num_undefined"] == bool(undefined)
    for row in table.averages():
        # Only a ratio of sums can be undefined over all topics.
        assert row.value is not None or (row.is_undefined and row.measure.endswith("_micro"))


def test_no_topics_at_all_give_no_values() -> None:
    table = score("run", "", "", [], FAMILIES)
    assert table.rows == ()
    assert set(table.counts.values()) == {0}


def test_an_unjudged_okay_nugget_leaves_no_vital_one_unjudged() -> None:
    nuggets = [
        nugget("c1", ("claim", []), question=None, importance="vital"),
        nugget("c2", ("other", []), question=None, importance="okay"),
    ]
    found = evidence(nuggets, report(("u", [])), [("covers", "u", "yes", "c1")],
                     protocols=["nuggetizer"])  # fmt: skip
    table = score("run", "", "", [found], measures.select(["nuggetizer"]))
    units = {row.measure: (row.num_units, row.num_unjudged) for row in table.averages()}
    assert units == {
        "all_score": (2, 1), "strict_all_score": (2, 1),
        "vital_score": (1, 0), "strict_vital_score": (1, 0),
    }  # fmt: skip
