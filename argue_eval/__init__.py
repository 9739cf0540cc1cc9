"""argue-eval: TREC-style evaluation of cited, machine-generated reports.

The names below are the stable Python interface; see docs/python.md. Each is imported when it is
first used, so that ``import argue_eval`` stays cheap.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # as type checkers know it, without an import

if TYPE_CHECKING:
    from argue_eval.analysis.agreement import meta_eval
    from argue_eval.analysis.assessment import correct
    from argue_eval.analysis.comparing import ComparisonOptions, SystemComparison, compare
    from argue_eval.analysis.leaderboard import Leaderboard, leaderboard
    from argue_eval.analysis.pooling import Pool, PoolOptions, pool
    from argue_eval.analysis.results import Correction, MetaEvaluation
    from argue_eval.analysis.reusability import Reusability, reusability
    from argue_eval.analysis.sampling import Sample, SampleOptions, sample
    from argue_eval.curation.collecting import Collected, collect
    from argue_eval.curation.interface import diff_nuggets, make_questions, merge_nuggets
    from argue_eval.curation.questions.records import QuestionOptions, Questions
    from argue_eval.errors import (
        ArgueEvalError,
        Finding,
        InputError,
        MissingResourceError,
        Severity,
        UsageError,
    )
    from argue_eval.evaluation.contrasting import contrast
    from argue_eval.evaluation.interface import judge, score
    from argue_eval.evaluation.pairs import JudgedPairs, judge_pairs
    from argue_eval.evaluation.probes import Contrast
    from argue_eval.evaluation.reopening import read_scores
    from argue_eval.evaluation.results import RunScores, Scores
    from argue_eval.formats import (
        read_documents,
        read_judgments,
        read_nuggets,
        read_runs,
        read_topics,
        write_nuggets,
        write_run,
    )
    from argue_eval.judges import Judge, Settings, Workload
    from argue_eval.records import (
        Aggregator,
        Answer,
        Citation,
        Document,
        Importance,
        Judgment,
        Kind,
        MeasureValue,
        Nugget,
        Question,
        Reply,
        Report,
        ReportRequest,
        Run,
        Sentence,
        TopicNuggets,
        Verdict,
    )
    from argue_eval.report.interface import report
    from argue_eval.validation import validate
else:
    _NAMES = {
        "argue_eval.analysis.assessment": "correct",
        "argue_eval.analysis.comparing": "ComparisonOptions SystemComparison compare",
        "argue_eval.analysis.leaderboard": "Leaderboard leaderboard",
        "argue_eval.analysis.agreement": "meta_eval",
        "argue_eval.analysis.pooling": "Pool PoolOptions pool",
        "argue_eval.analysis.reusability": "Reusability reusability",
        "argue_eval.analysis.sampling": "Sample SampleOptions sample",
        "argue_eval.analysis.results": "Correction MetaEvaluation",
        "argue_eval.curation.collecting": "Collected collect",
        "argue_eval.curation.interface": "diff_nuggets make_questions merge_nuggets",
        "argue_eval.curation.questions.records": "QuestionOptions Questions",
        "argue_eval.errors": (
            "ArgueEvalError Finding InputError MissingResourceError Severity UsageError"
        ),
        "argue_eval.evaluation.contrasting": "contrast",
        "argue_eval.evaluation.interface": "judge score",
        "argue_eval.evaluation.pairs": "JudgedPairs judge_pairs",
        "argue_eval.evaluation.probes": "Contrast",
        "argue_eval.evaluation.reopening": "read_scores",
        "argue_eval.evaluation.results": "RunScores Scores",
        "argue_eval.formats": (
            "read_documents read_judgments read_nuggets read_runs read_topics write_nuggets "
            "write_run "
        ),
        "argue_eval.judges": "Judge Settings Workload",
        "argue_eval.records": (
            "Aggregator Answer Citation Document Importance Judgment Kind MeasureValue Nugget "
            "Question Reply Report ReportRequest Run Sentence TopicNuggets Verdict "
        ),
        "argue_eval.report.interface": "report",
        "argue_eval.validation": "validate",
    }

    def __getattr__(name):
        from importlib import import_module

        for home, names in _NAMES.items():
            if name in names.split():
                return getattr(import_module(home), name)
        raise AttributeError(f"module 'argue_eval' has no attribute {name!r}")

    def __dir__():
        return __all__


__all__ = [
    "Aggregator",
    "Answer",
    "ArgueEvalError",
    "Citation",
    "Collected",
    "ComparisonOptions",
    "Contrast",
    "Correction",
    "Document",
    "Finding",
    "Importance",
    "InputError",
    "Judge",
    "JudgedPairs",
    "Judgment",
    "Kind",
    "Leaderboard",
    "MeasureValue",
    "MetaEvaluation",
    "MissingResourceError",
    "Nugget",
    "Pool",
    "PoolOptions",
    "Question",
    "QuestionOptions",
    "Questions",
    "Reply",
    "Report",
    "ReportRequest",
    "Reusability",
    "Run",
    "RunScores",
    "Sample",
    "SampleOptions",
    "Scores",
    "Sentence",
    "Settings",
    "Severity",
    "SystemComparison",
    "TopicNuggets",
    "UsageError",
    "Verdict",
    "Workload",
    "__version__",
    "collect",
    "compare",
    "contrast",
    "correct",
    "diff_nuggets",
    "judge",
    "judge_pairs",
    "leaderboard",
    "make_questions",
    "merge_nuggets",
    "meta_eval",
    "pool",
    "read_documents",
    "read_judgments",
    "read_nuggets",
    "read_runs",
    "read_scores",
    "read_topics",
    "report",
    "reusability",
    "sample",
    "score",
    "validate",
    "write_nuggets",
    "write_run",
]
