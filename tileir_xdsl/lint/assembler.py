"""Findings of NVIDIA's assembler: warnings, remarks on `wgmma`, and spilled registers."""

import re

from tileir_xdsl.runtime.ptxas import AssemblyError, assemble

from .finding import Finding

_REMARK = re.compile(r"^ptxas info\s*: \((?P<code>C\d+)\) (?P<message>.*)$", re.MULTILINE)
_LOCATED = re.compile(
    r"^ptxas [^\n]*, line (?P<line>\d+); (?:error|warning|fatal)\s*: "
    r"(?:\((?P<code>C\d+)\) )?(?P<message>.*)$",
    re.MULTILINE,
)
_AROUND_LINE = re.compile(r"around line (\d+)")
_IN_FUNCTION = re.compile(r"\s*in (?:the )?function '([^']*)'")


def _remark(code: str, message: str) -> Finding:
    line, function = _AROUND_LINE.search(message), _IN_FUNCTION.search(message)
    return Finding(
        code,
        _IN_FUNCTION.sub("", message),
        int(line[1]) if line else None,
        function[1] if function else None,
    )


def assembler_findings(text: str, gpu: str) -> list[Finding]:
    """The errors of `ptxas -v`; without errors its warnings, numbered remarks and spills.

    Raises `ToolNotFoundError` if the assembler is not installed, and `AssemblyError` if it does not
    support the target.
    """
    try:
        assembly = assemble(text, gpu)
    except AssemblyError as error:
        if "for option 'gpu-name'" in str(error):
            raise
        return _located(str(error)) or [Finding("ptxas", str(error))]
    findings = _located(assembly.report)
    findings += [_remark(*match.groups()) for match in _REMARK.finditer(assembly.report)]
    for name, resources in assembly.kernels.items():
        if spilled := resources.spill_stores + resources.spill_loads:
            message = (
                f"{resources.spill_stores} bytes of registers are spilled and "
                f"{resources.spill_loads} loaded again ({spilled} in all)"
            )
            findings.append(Finding("spill", message, function=name))
    return findings


def _located(report: str) -> list[Finding]:
    return [
        Finding(match["code"] or "ptxas", match["message"], int(match["line"]))
        for match in _LOCATED.finditer(report)
    ]
