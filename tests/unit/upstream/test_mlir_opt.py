"""Upstream's `mlir-opt` parses and verifies what we print of `llvm` and `nvvm`, in both syntaxes."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.backend.ptx.nvvm_forms import FORMS, module
from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.tools import mlir_tool_path, parse, to_text

EXTENSIONS = {
    r"nvvm\.mma\.sync.*mma_type<e\dm\d>": "upstream has no mma on 8, 6 and 4-bit floats",
    r"nvvm\.mma\.sp\.sync.*mma_type<e\dm\d>": "upstream wants half of the registers of A and B",
    r"nvvm\.mma\.sync.*m = 16.*\(f64, f64, f64\)": "upstream has no mma on f64 but m8n8k4",
    r"nvvm\.convert\..*ue5m3x2": "upstream does not know the type",
}
"""Forms that upstream lacks, each with the reason; other extensions are ops of their own."""

SEPARATOR = "// -----\n"
DIALECT_TESTS = sorted(
    path
    for dialect in ("llvm", "nvvm")
    for path in (REPOSITORY / "tests/filecheck/dialects" / dialect).glob("ops*.mlir")
)


def rejected(texts: list[str]) -> dict[str, str]:
    """The texts that `mlir-opt` does not take, with what it says of each."""
    command = [mlir_tool_path("mlir-opt"), "--split-input-file", "--allow-unregistered-dialect"]
    source = SEPARATOR.join(text + "\n" for text in texts)
    result = subprocess.run(
        [*command, "-o", "/dev/null"], input=source, capture_output=True, text=True, check=False
    )
    starts = [1]
    for text in texts:
        starts.append(starts[-1] + text.count("\n") + 2)
    found: dict[str, str] = {}
    for line, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", result.stderr, re.M):
        number = max(n for n, start in enumerate(starts) if start <= int(line))
        found.setdefault(texts[number], message)
    assert (result.returncode != 0) == bool(found), result.stderr
    return found


def test_forms_are_upstream():
    """In the custom and in the generic syntax."""
    parsed = {form.op: parse(module(form.op)) for form in FORMS}
    modules = {
        to_text(each, generic=generic): op
        for op, each in parsed.items()
        for generic in (False, True)
    }
    refused = rejected(list(modules))
    unexpected = {
        modules[text]: message
        for text, message in refused.items()
        if not any(re.search(pattern, modules[text]) for pattern in EXTENSIONS)
    }
    assert not unexpected


@pytest.mark.parametrize("pattern", EXTENSIONS)
def test_extensions_are_needed(pattern: str):
    forms = [to_text(parse(module(f.op))) for f in FORMS if re.search(pattern, f.op)]
    assert forms and rejected(forms)


@pytest.mark.parametrize("path", DIALECT_TESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_dialect_tests_are_upstream(path: Path):
    parsed = parse(path.read_text())
    assert not rejected([to_text(parsed), to_text(parsed, generic=True)])
