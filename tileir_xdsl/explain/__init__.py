"""Reports of what a pass decided and why: plain data, written as text or as JSON."""

from .labels import OperationLabels
from .report import Report, ReportValue, write_report, write_text

__all__ = ["OperationLabels", "Report", "ReportValue", "write_report", "write_text"]
