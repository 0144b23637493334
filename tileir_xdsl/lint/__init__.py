"""Static checks of PTX text, which do not run the kernel."""

from collections.abc import Callable, Iterator, Mapping

from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.syntax import Kernel

from .assembler import assembler_findings
from .finding import Finding
from .named_barriers import named_barrier_findings
from .register_pool import register_pool_findings
from .transactions import transaction_findings

__all__ = ["Finding", "assembler_findings", "lint"]

_CHECKS: tuple[Callable[[Kernel], Iterator[Finding]], ...] = (
    named_barrier_findings,
    register_pool_findings,
)


def lint(text: str, box_bytes: Mapping[str, int] | None = None) -> list[Finding]:
    """The findings of the checks in PTX text, in the order of its lines.

    `box_bytes` maps a parameter that holds a tensor map to the bytes of one of its boxes. Without
    `box_bytes`, the bytes of tensor copies are not checked.

    Raises `EmulatorError` for text that is not PTX.
    """
    boxes = box_bytes or {}
    findings: list[Finding] = []
    for kernel in parse_module(text).kernels.values():
        for check in _CHECKS:
            findings += check(kernel)
        findings += transaction_findings(kernel, boxes)
    return sorted(findings, key=lambda finding: finding.line or 0)
