"""The lexical judge beside people on support: six sources, each judged by a model of the others.

``python -m benchmarks.support --write`` draws the figure of docs/trust.md anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from argue_eval.judges.lexical.judge import create
from argue_eval.records import Kind
from benchmarks import calibrate, labels
from benchmarks.calibrate import Bag, Bools, Floats, balanced_accuracy, logit, sure_accuracy
from benchmarks.measuring import REPOSITORY, is_at_hand, print_table, print_title, verdict

GAIN, AIM, LOSS, WICE_ACROSS_ARTICLES = 0.02, 0.05, 0.01, 0.84

BEFORE = {
    "wice": (0.832, 0.739),
    "qags": (0.660, 0.523),
    "begin_wow": (0.933, 0.800),
    "begin_tc": (0.880, 0.823),
    "begin_cmu": (0.940, 0.895),
    "healthver": (0.542, 0.507),
}
"""ROC AUC and balanced accuracy of version 2, which was fitted to wice alone (across articles)."""

PICTURE = REPOSITORY / "docs" / "pictures" / "sure.svg"
SHARES = tuple(each / 20 for each in range(2, 21))


class Said(NamedTuple):
    """What people and a judge say about the claims of a source.

    Attributes:
        is_yes: people say that the document supports the claim in full.
        is_short: the judge may be sure of the document, which is not long.
        prob: the judge's probability of that; `least`: from which it says yes.
        groups: the articles or documents, which are resampled, as numbers.
    """

    is_yes: Bools
    prob: Floats
    least: Floats
    groups: Floats
    is_short: Bools

    def auc(self) -> float:
        """How often a yes is more probable than another claim."""
        return roc_auc(self.is_yes, self.prob)

    def balanced(self) -> float:
        """The balanced accuracy of the verdicts."""
        return balanced_accuracy(self.is_yes, self.prob >= self.least)

    def surest(self, share: float) -> tuple[float, float]:
        """On this share of the claims, those farthest from the threshold: the share of verdicts
        that are right, and the balanced accuracy.
        """
        distance = np.abs(logit(self.prob) - logit(self.least))
        at = np.argsort(-distance, kind="stable")[: round(share * len(distance))]
        truth, said = self.is_yes[at], self.prob[at] >= self.least[at]
        return float((truth == said).mean()), balanced_accuracy(truth, said)

    def interval(self, measure: Callable[[Said], float]) -> tuple[float, float]:
        """The 95 percent interval over groups drawn with replacement."""
        return calibrate.interval(
            self.groups, lambda at: measure(Said(*(column[at] for column in self))), seed=20261122
        )


def roc_auc(is_yes: Bools, prob: Floats) -> float:
    """How often a yes is more probable than another claim; ties count half.

    >>> roc_auc(np.array([True, False, False, True]), np.array([0.9, 0.5, 0.5, 0.5]))
    0.75
    """
    yes, rest = prob[is_yes], prob[~is_yes]
    if not len(yes) or not len(rest):
        return float("nan")
    wins = (yes[:, None] > rest).sum() + 0.5 * (yes[:, None] == rest).sum()
    return float(wins / (len(yes) * len(rest)))


def said_by_others(rows: Sequence[Bag], keys: Sequence[str | int]) -> Mapping[str, Said]:
    """What models that were fitted to all claims with other keys say, by source."""
    prob, least = calibrate.cross_validated(rows, keys)
    sources = np.array([bag.source for bag in rows])
    is_yes = np.array([bag.score == 1 for bag in rows])
    _, groups = np.unique([bag.group for bag in rows], return_inverse=True)
    columns = (is_yes, prob, least, groups, np.array([bag.is_short for bag in rows]))
    return {
        str(source): Said(*(column[sources == source] for column in columns))
        for source in dict.fromkeys(sources)
    }


def main() -> None:
    """Measures and prints."""
    if not is_at_hand("support"):
        return
    names, rows = calibrate.bags(Kind.SUPPORT, labels.support())
    others = said_by_others(rows, [bag.source for bag in rows])
    articles = said_by_others(rows, [bag.fold for bag in rows])
    print_title("support: lexical with people; a model of the other sources, and of other articles")
    _print_agreement(names, rows, others, articles)
    print_title("support: what --sure leaves, a model of other articles and one of other sources")
    _print_sure(articles, others)
    if "--write" in sys.argv[1:]:
        PICTURE.write_text(drawn(articles), encoding="utf-8")


def _print_agreement(
    names: Sequence[str],
    rows: Sequence[Bag],
    others: Mapping[str, Said],
    articles: Mapping[str, Said],
) -> None:
    """Prints ROC AUC and balanced accuracy by source, and whether they are what is wanted."""
    best, single = _best_feature(names, rows)
    table = []
    for source, said in others.items():
        figures = [said.auc(), articles[source].auc(), said.balanced(), articles[source].balanced()]
        intervals = [said.interval(Said.auc), said.interval(Said.balanced)]
        table.append((source, single[source], figures, intervals))
    shown = []
    for source, alone, figures, intervals in table:
        (low, high), (least, most) = intervals
        before, balanced = BEFORE[source]
        shown.append(
            [
                f"{source} ({len(others[source].prob):,})",
                *(f"{each:.3f}" for each in (before, alone, figures[0])),
                f"{low:.3f} to {high:.3f}",
                f"{figures[1]:.3f}",
                f"{balanced:.3f}",
                f"{figures[2]:.3f}",
                f"{least:.3f} to {most:.3f}",
                f"{figures[3]:.3f}",
            ]
        )
    before, balanced = np.mean(list(BEFORE.values()), axis=0)
    means = np.mean([figures for _, _, figures, _ in table], axis=0)
    alone = float(np.mean(list(single.values())))
    first = [f"{each:.3f}" for each in (before, alone, means[0])]
    second = ["", f"{means[1]:.3f}", f"{balanced:.3f}", f"{means[2]:.3f}", "", f"{means[3]:.3f}"]
    shown.append(["mean", *first, *second])
    head = ["source (claims)", "AUC: version 2", f"{best} alone", "others", "95 %", "articles"]
    print_table([*head, "bal. acc.: version 2", "others", "95 %", "articles"], shown)
    worst = min(figures[0] - BEFORE[source][0] for source, _, figures, _ in table)
    across = articles["wice"].auc()
    print(f"\nmean AUC {means[0] - before:+.3f}: wanted {GAIN}", verdict(means[0] - before >= GAIN))
    print(f"aim {AIM}", verdict(means[0] - before >= AIM))
    print(f"worst source {worst:+.3f}: wanted {-LOSS}", verdict(worst >= -LOSS))
    wanted = f"wice across articles {across:.3f}: wanted {WICE_ACROSS_ARTICLES}"
    print(wanted, verdict(across >= WICE_ACROSS_ARTICLES))


def _best_feature(names: Sequence[str], rows: Sequence[Bag]) -> tuple[str, Mapping[str, float]]:
    """The feature with the highest mean AUC, and its AUC by source."""
    sources = list(dict.fromkeys(bag.source for bag in rows))
    found = {}
    for at, name in enumerate(names):
        values = np.array([bag.features[0, at] for bag in rows])
        aucs = [roc_auc(*each) for each in calibrate.by_source(rows, values)]
        found[name] = aucs if np.mean(aucs) >= 0.5 else [1 - auc for auc in aucs]
    best = max(found, key=lambda name: np.mean(found[name]))
    return best, dict(zip(sources, found[best], strict=True))


def _print_sure(articles: Mapping[str, Said], others: Mapping[str, Said]) -> None:
    limits = create().sure[Kind.SUPPORT]
    shown = []
    for source in articles:
        row = [source]
        for said in (articles[source], others[source]):
            prob = np.where(said.is_short, said.prob, np.nan)
            share, balanced = sure_accuracy(said.is_yes, prob, limits)
            is_no, is_yes = prob <= limits[0], prob >= limits[1]
            right = (is_yes == said.is_yes)[is_no | is_yes]
            counts = [f"{np.mean(is_no):.2f}", f"{np.mean(is_yes):.2f}"]
            met = "" if share < 0.1 else verdict(balanced >= calibrate.SURE_NO)
            row += [
                *counts,
                f"{right.mean() if len(right) else np.nan:.3f}",
                f"{balanced:.3f}",
                met,
            ]
        shown.append(row)
    head = ["no", "yes", "right", "bal. acc.", f">= {calibrate.SURE_NO}"]
    print_table(["source", *head, *head], shown)
    print(f"\nno up to {limits[0]}, yes from {limits[1]}; 'no' and 'yes': shares of all claims")
    shown = [
        [source, *("{:.2f} / {:.2f}".format(*said.surest(share)) for share in SHARES[::2])]
        for source, said in articles.items()
    ]
    print()
    print_table(["right / bal. acc. of the surest", *map(str, SHARES[::2])], shown)


_COLOURS = ("#1b6ca8", "#c8553d", "#2e8b57", "#8e6bbf", "#b8860b", "#666666")
_LEFT, _TOP, _WIDTH, _HEIGHT, _LEAST = 60, 20, 480, 280, 0.6


def drawn(said: Mapping[str, Said]) -> str:
    """A figure: agreement by the share of a source's claims that is answered, as SVG."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 360" font-family="sans-serif" '
        'font-size="13"><rect width="700" height="360" fill="white"/>'
    ]
    for tenth in range(6, 11):
        x, y = _place(0.0, tenth / 10)
        parts.append(f'<path d="M{x} {y}h{_WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{tenth / 10}</text>')
    for tenth in range(0, 11, 2):
        x, y = _place(tenth / 10, _LEAST)
        parts.append(f'<text x="{x}" y="{y + 20}" text-anchor="middle">{tenth / 10}</text>')
    x, y = _place(0.5, _LEAST)
    parts.append(
        f'<text x="{x}" y="{y + 45}" text-anchor="middle">share of the claims answered, '
        "the surest first</text>"
    )
    x, y = 15, _TOP + _HEIGHT // 2
    parts.append(
        f'<text transform="translate({x} {y}) rotate(-90)" text-anchor="middle">'
        "share of right verdicts</text>"
    )
    for number, (source, each) in enumerate(said.items()):
        found = [(share, each.surest(share)[0]) for share in SHARES]
        points = " ".join("{},{}".format(*_place(*at)) for at in found)
        colour, y = _COLOURS[number], _TOP + 20 + 24 * number
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<path d="M560 {y}h24" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="592" y="{y + 4}">{source}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _place(share: float, accuracy: float) -> tuple[float, float]:
    x = _LEFT + share * _WIDTH
    return round(x, 1), round(_TOP + (1 - accuracy) / (1 - _LEAST) * _HEIGHT, 1)


if __name__ == "__main__":
    main()
