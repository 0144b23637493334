"""Reports of a pass's decisions and their reasons: plain data, written as text or JSON."""

from .forced import forced_ops
from .labels import OperationLabels
from .report import (
    COLLECTED,
    Report,
    ReportValue,
    collecting_reports,
    write_report,
    write_text,
)

__all__ = [
    "COLLECTED",
    "OperationLabels",
    "Report",
    "ReportValue",
    "collecting_reports",
    "forced_ops",
    "write_report",
    "write_text",
]
