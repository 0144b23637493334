"""Writes remarks as `tileiras` does: for a terminal, or as one YAML document per remark."""

from collections.abc import Iterator, Sequence

from tileir_xdsl.cli.tileir_as.command_line import KINDS, CommandLine
from tileir_xdsl.runtime.optimization_remarks import OptimizationRemark

CATEGORY_NAMES = {"memory": "Memory", "tensorcore": "Tensor-core", "resources": "Resources"}
YAML_KINDS = {
    "passed": "Passed",
    "missed": "Missed",
    "failed": "Failure",
    "analysis": "Analysis",
}


def wanted(remarks: Sequence[OptimizationRemark], flags: CommandLine) -> list[OptimizationRemark]:
    """The remarks that the flags ask for, `--remarks-KIND` before `--remarks`."""
    chosen = {kind: flags.last(f"remarks-{kind}", flags.last("remarks", "none")) for kind in KINDS}
    return [r for r in remarks if chosen[r.kind] in ("all", r.category)]


def command_line_text(remarks: Sequence[OptimizationRemark]) -> str:
    """Remarks by function and category, as shown on a terminal."""
    lines: list[str] = []
    for function in dict.fromkeys(remark.function for remark in remarks):
        lines += [f"in function: {function}:", ""]
        for category, name in CATEGORY_NAMES.items():
            shown = [r for r in remarks if r.function == function and r.category == category]
            if shown:
                lines.append(f"  category: {name}")
                lines += [line for remark in shown for line in _lines(remark)]
                lines.append("")
    return "".join(f"{line}\n" for line in lines)


def _lines(remark: OptimizationRemark) -> Iterator[str]:
    yield f"    remark[{remark.kind}]: {remark.message}"
    file, line, column = _place(remark)
    yield f'      --> "{file}":{line}:{column}' if remark.location else "      --> loc(unknown)"
    yield "       |"
    yield f"       = name: {remark.name}"
    yield from (f"       = note: {name} = {value}" for name, value in remark.facts)
    if remark.reason:
        yield f"       = reason: {remark.reason}"
    yield ""


def yaml_text(remarks: Sequence[OptimizationRemark]) -> str:
    """One YAML document per remark; remarks are numbered from 1."""
    return "".join(_document(remark, number) for number, remark in enumerate(remarks, 1))


def _document(remark: OptimizationRemark, number: int) -> str:
    file, line, column = _place(remark)
    arguments = [
        ("RemarkId", str(number)),
        ("Remark", _scalar(remark.message)),
        *((name, _scalar(value)) for name, value in remark.facts),
    ]
    if remark.reason:
        arguments.append(("Reason", _scalar(remark.reason)))
    width = max(len(name) for name, _ in arguments) + 2
    facts = "".join(f"  - {name + ':':<{width}}{value}\n" for name, value in arguments)
    return (
        f"--- !{YAML_KINDS[remark.kind]}\n"
        f"Pass:            {CATEGORY_NAMES[remark.category]}\n"
        f"Name:            {remark.name}\n"
        f"DebugLoc:        {{ File: {_quoted(file)}, Line: {line}, Column: {column} }}\n"
        f"Function:        {_scalar(remark.function)}\n"
        f"Args:\n{facts}...\n"
    )


def _place(remark: OptimizationRemark) -> tuple[str, str, str]:
    if not remark.location:
        return "<unknown file>", "0", "0"
    file, line, column = remark.location.rsplit(":", 2)
    return file, line, column


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _scalar(text: str) -> str:
    """Text as a YAML scalar, quoted only if it contains characters special to YAML."""
    plain = text[:1].isalpha() and not any(mark in text for mark in (": ", " #", "\n", "'", '"'))
    return text if plain else _quoted(text)
