"""Reports of what a pass decided and why: plain data, written as text or as JSON."""

from .forced import forced_ops
from .labels import OperationLabels
from .report import Report, ReportValue, write_report, write_text

__all__ = ["OperationLabels", "Report", "ReportValue", "forced_ops", "write_report", "write_text"]
