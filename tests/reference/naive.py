"""ARGUE and Auto-ARGUE scores once more, from the specification alone: slow, plain, separate.

Everything here is a string, a number, a dict, a list or a set, and nothing comes from the package.

A track is a dict: `nuggets` (topic_id to a list of nuggets as in a qrels file), `reports`
(topic_id to a list of (text, doc_ids)), and `yes`, the set of questions whose answer is yes. All
other questions are answered with no.
"""

from __future__ import annotations

import unicodedata
from typing import Any

Track = dict[str, Any]
Numbers = dict[str, float]
Options = dict[str, Any]


def attested(track: Track, topic: str, doc_id: str, options: Options) -> set[tuple[str, str]]:
    """The answers that a document may be cited for."""
    if (topic, "irrelevant", doc_id) in track["yes"]:
        return set()
    return {
        (nugget["nugget_id"], answer["answer"])
        for nugget in track["nuggets"][topic]
        for answer in nugget["answers"]
        if options["attestation"] == "any-document" or doc_id in answer["doc_ids"]
    }


def is_named(track: Track, doc_id: str) -> bool:
    """Whether some nugget names a document: nothing else is known of documents here."""
    return any(
        doc_id in answer["doc_ids"]
        for nuggets in track["nuggets"].values()
        for nugget in nuggets
        for answer in nugget["answers"]
    )


def given(track: Track, topic: str, text: str, doc_id: str, options: Options) -> set[Any]:
    """The answers that a sentence gives and the document attests."""
    return {
        pair
        for pair in attested(track, topic, doc_id, options)
        if (topic, "answers", text, *pair) in track["yes"]
    }


def citation_end(track: Track, topic: str, text: str, doc_id: str, options: Options) -> int:
    supported = (topic, "support", text, doc_id) in track["yes"]
    answers = given(track, topic, text, doc_id, options)
    if options["reading"] == "strict":
        if not supported:
            return 1
        return 3 if answers else 2
    if answers:
        return 3
    return 2 if supported else 1


def uncited_end(track: Track, topic: str, text: str, place: int) -> int:
    yes = track["yes"]
    if (topic, "negative", text) in yes:
        return 8 if agreeing(track, topic, text) else 7
    if (topic, "requires_citation", text) not in yes:
        return 4
    return 5 if (topic, "first_instance", place) in yes else 6


def agreeing(track: Track, topic: str, text: str) -> set[str]:
    return {
        nugget["nugget_id"]
        for nugget in track["nuggets"][topic]
        if not nugget["answers"] and (topic, "agrees", text, nugget["nugget_id"]) in track["yes"]
    }


def counted_ends(
    track: Track, topic: str, text: str, doc_ids: list[str], options: Options
) -> list[int]:
    """The ends of a sentence's citations; those rewarded for the same nugget are one."""
    ends = []
    clusters: list[set[str]] = []
    for doc_id in doc_ids:
        end = citation_end(track, topic, text, doc_id, options)
        if end != 3:
            ends.append(end)
            continue
        cluster = {nugget_id for nugget_id, _ in given(track, topic, text, doc_id, options)}
        apart = [each for each in clusters if not each & cluster]
        for each in clusters:
            if each & cluster:
                cluster = cluster | each
        clusters = [*apart, cluster]
    return ends + [3] * len(clusters)


def sentence_ends(track: Track, topic: str, place: int, options: Options) -> list[int]:
    """Where a sentence ends in the flowchart: once, or once for each citation that counts."""
    text, cited = track["reports"][topic][place]
    doc_ids = list(dict.fromkeys(cited))
    if not doc_ids:
        return [uncited_end(track, topic, text, place)]
    if options["citations"] in ("macro", "micro"):
        return counted_ends(track, topic, text, doc_ids, options)
    found = {citation_end(track, topic, text, each, options) for each in doc_ids}
    order = (1, 3, 2) if options["citations"] == "all" else (3, 2, 1)
    return [next(each for each in order if each in found)]


def argue(track: Track, topic: str, options: Options) -> Numbers:
    """The ARGUE counts of one topic."""
    numbers = {f"outcome_{number}": 0.0 for number in range(1, 9)}
    rewarded = penalised = 0.0
    for place in range(len(track["reports"].get(topic, []))):
        ends = sentence_ends(track, topic, place, options)
        for end in ends:
            numbers[f"outcome_{end}"] += 1
        good = float(sum(end in (3, 8) for end in ends))
        bad = float(sum(end in (1, 5, 7) for end in ends))
        if options["citations"] == "macro" and good + bad:
            good, bad = good / (good + bad), bad / (good + bad)
        rewarded += good
        penalised += bad
    return {**numbers, "rewarded": rewarded, "penalised": penalised}


def correct_nuggets(track: Track, topic: str, options: Options) -> list[dict[str, Any]]:
    credited: set[tuple[str, str]] = set()
    for place, (text, doc_ids) in enumerate(track["reports"].get(topic, [])):
        for doc_id in doc_ids:
            if citation_end(track, topic, text, doc_id, options) == 3:
                credited |= given(track, topic, text, doc_id, options)
        if not doc_ids and uncited_end(track, topic, text, place) == 8:
            credited |= {(nugget_id, "") for nugget_id in agreeing(track, topic, text)}
    right = []
    for nugget in track["nuggets"][topic]:
        wanted = {(nugget["nugget_id"], each["answer"]) for each in nugget["answers"]}
        wanted = wanted or {(nugget["nugget_id"], "")}
        if nugget["aggregator"] == "AND" and wanted <= credited:
            right.append(nugget)
        if nugget["aggregator"] == "OR" and wanted & credited:
            right.append(nugget)
    return right


def weight(nuggets: list[dict[str, Any]], options: Options) -> float:
    weights: dict[str, float] = options["weights"]
    return sum(weights[nugget["importance"] or "none"] for nugget in nuggets)


def auto_argue(track: Track, topic: str, options: Options) -> Numbers:
    """The Auto-ARGUE counts of one topic."""
    sentences = track["reports"].get(topic, [])
    pairs = [(text, doc_id) for text, cited in sentences for doc_id in dict.fromkeys(cited)]
    lacking = sum(
        not doc_ids and uncited_end(track, topic, text, place) == 5
        for place, (text, doc_ids) in enumerate(sentences)
    )
    right = correct_nuggets(track, topic, {**options, "reading": "argue"})
    return {
        "sentences": len(sentences),
        "character_count": sum(len(unicodedata.normalize("NFKC", text)) for text, _ in sentences),
        "sentences_with_citations_or_requiring_citations": lacking
        + sum(bool(doc_ids) for _, doc_ids in sentences),
        "correctly_cited_sentences": sum(
            bool(doc_ids)
            and all((topic, "support", text, doc_id) in track["yes"] for doc_id in doc_ids)
            for text, doc_ids in sentences
        ),
        "first_instance_sentences_missing_citation": lacking,
        "citations": len(pairs),
        "relevant_citations": sum(
            bool(attested(track, topic, doc_id, options)) and is_named(track, doc_id)
            for _, doc_id in pairs
        ),
        "supporting_citations": sum(
            (topic, "support", text, doc_id) in track["yes"] for text, doc_id in pairs
        ),
        "nuggets": len(track["nuggets"][topic]),
        "nuggets_weighted": weight(track["nuggets"][topic], options),
        "correct_nuggets": len(right),
        "correct_nuggets_weighted": weight(right, options),
    }


def divide(above: float, below: float) -> float:
    """0 where there is nothing to divide by: that is what an undefined topic counts as."""
    return above / below if below else 0.0


def f1_of(first: float, second: float) -> float:
    return divide(2 * first * second, first + second)


def ratios(counts: Numbers) -> Numbers:
    """Auto-ARGUE's ratios from its counts: those of a topic, or sums over topics."""
    support = divide(
        counts["correctly_cited_sentences"],
        counts["sentences_with_citations_or_requiring_citations"],
    )
    coverage = divide(counts["correct_nuggets"], counts["nuggets"])
    weighted = divide(counts["correct_nuggets_weighted"], counts["nuggets_weighted"])
    return {
        "citation_relevance": divide(counts["relevant_citations"], counts["citations"]),
        "citation_support": divide(counts["supporting_citations"], counts["citations"]),
        "sentence_support": support,
        "nugget_coverage": coverage,
        "nugget_coverage_weighted": weighted,
        "f1": f1_of(support, coverage),
        "f1_weighted": f1_of(support, weighted),
    }


def topic_scores(track: Track, topic: str, options: Options) -> Numbers:
    counts = argue(track, topic, options)
    right = correct_nuggets(track, topic, options)
    nuggets = track["nuggets"][topic]
    precision = divide(counts["rewarded"], counts["rewarded"] + counts["penalised"])
    recall = divide(len(right), len(nuggets))
    weighted = divide(weight(right, options), weight(nuggets, options))
    published = auto_argue(track, topic, options)
    return {
        "sentence_precision": precision,
        "nugget_recall": recall,
        "nugget_recall_weighted": weighted,
        "argue_f1": f1_of(precision, recall),
        "argue_f1_weighted": f1_of(precision, weighted),
        **{name: value for name, value in counts.items() if name.startswith("outcome_")},
        **published,
        **ratios(published),
    }


def all_scores(track: Track, topics: list[str], options: Options) -> Numbers:
    """The rows of topic `all`."""
    if not topics:
        return {}
    by_topic = [topic_scores(track, topic, options) for topic in topics]
    result: Numbers = {}
    sums = {name: sum(each[name] for each in by_topic) for name in by_topic[0]}
    published = ratios(auto_argue(track, topics[0], options))
    lengths = sorted(each["character_count"] for each in by_topic)
    half = len(lengths) // 2
    for name, total in sums.items():
        mean = total / len(topics)
        if name in published:
            result[f"{name}_macro"] = mean
        elif name == "character_count":
            result["character_count_max"] = lengths[-1]
            result["character_count_median"] = (lengths[half] + lengths[~half]) / 2
        elif name.startswith(("sentence_precision", "nugget_recall", "argue_f1")):
            result[name] = mean
        else:
            result[name] = total
    return {**result, **{f"{name}_micro": value for name, value in ratios(sums).items()}}
