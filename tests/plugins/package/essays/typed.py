"""A type checker sees here that every plug-in has what its family asks for."""

from argue_eval.formats.plugins import (
    Detected,
    DocumentFormat,
    JudgmentFormat,
    NuggetFormat,
    RequestFormat,
    RunFormat,
    Selective,
    Writable,
)
from argue_eval.judges import JudgePlugin
from argue_eval.judges.clients import ClientPlugin
from argue_eval.measures import MeasureFamily
from argue_eval.measures.protocols import ProtocolPlugin
from argue_eval.records import Nugget, Report, ReportRequest, TopicNuggets
from argue_eval.report.findings import FindingsView
from argue_eval.report.tables import TableView
from essays import bars, checklists, clauses, codes, echo, marks, runs, sources, themes, words

PROTOCOL: ProtocolPlugin = clauses
MEASURES: MeasureFamily = clauses
JUDGE: JudgePlugin = words
CLIENT: ClientPlugin = echo
REQUESTS: RequestFormat = themes
NUGGETS: NuggetFormat = checklists
RUNS: RunFormat = runs
DOCUMENTS: DocumentFormat = sources
JUDGMENTS: JudgmentFormat = marks
FORMATS: tuple[Detected, ...] = (themes, checklists, runs, sources, marks)
TABLE: TableView = bars
FINDINGS: FindingsView = codes

WRITABLE_REQUESTS: Writable[ReportRequest] = themes
WRITABLE_NUGGETS: Writable[TopicNuggets] = checklists
WRITABLE_RUNS: Writable[Report] = runs
SELECTIVE: Selective[Nugget] = checklists
