"""Writes FileCheck tests of the road, pass by pass, on real kernels: `python -m tests.pipeline_checks`.

Each file of `tests/filecheck/pipelines/road` is a kernel, with a RUN line for each target that
prints the program after every pass of `tileir-pipeline`. Of what a pass has changed the file has
the first line of every op, with the values bound that these lines define. What it has to say is
read where it is written: a change of a file is a change of the road, to be looked at.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.unit.tools import REPOSITORY

FOLDER = REPOSITORY / "tests" / "filecheck" / "pipelines" / "road"
KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"
ALL = ("sm_80", "sm_90a", "sm_100a")


@dataclass(frozen=True)
class RoadCheck:
    """A kernel, and how it is compiled for each of some targets."""

    kernel: str
    """A path in `tileir_xdsl/testing/kernels`, without its ending."""
    gpus: Sequence[str] = ALL
    options: str = ""


CHECKS: dict[str, RoadCheck] = {
    "matmul_pipelined": RoadCheck("divisible/matmul_f16"),
    "matmul_specialized": RoadCheck("divisible/matmul_f16_warpgroup"),
    "matmul_persistent": RoadCheck("divisible/persistent_matmul_warpgroup"),
    "matmul_clustered": RoadCheck("divisible/matmul_f16_warpgroup", ALL[1:], " ctas=2"),
    "attention": RoadCheck("divisible/attention_warpgroup"),
    "reduction": RoadCheck("softmax_f32"),
    "gather": RoadCheck("divisible/gather_rows"),
    "stencil": RoadCheck("heat_step"),
}
"""By the name of the file."""

JOBS = 3
"""Commands at once."""
MOST_LINES = 10
"""Of one pass."""
MOST_CHARACTERS = 170
"""Of a line; what is left of it must begin as the check does."""

HEADING = re.compile(r"IR after (?P<name>[\w-]+):")
VALUE = re.compile(r"%(\w+)")
FUNCTION = re.compile(r"(?P<name>nv_tileaa\.func @\w+\().*(?P<attributes>\) attributes \{.*)")
DIALECTS = ("nv_tileaa.", "nv_tileas.", "nvvm.", "scf.", "tile.")

LEFT_OUT = ("nvvm.read.ptx.sreg.",)
"""Ops that say nothing of the road."""


def sections(printed: str) -> Iterator[tuple[str, list[str]]]:
    """The names of passes, each with the lines of the program after it."""
    name, lines = "", list[str]()
    for line in printed.splitlines():
        if heading := HEADING.fullmatch(line):
            if name:
                yield name, lines
            name, lines = heading["name"], []
        elif line.strip():
            lines.append(line.strip())
    yield name, lines


def op_of(line: str) -> str:
    """The name of the op of a line; empty where it is none of the dialects of the road."""
    text = line.split(" = ", 1)[1] if line.startswith("%") and " = " in line else line
    name = text.split(" ", 1)[0]
    return name if name.startswith(DIALECTS) and not name.startswith(LEFT_OUT) else ""


def anonymous(line: str) -> str:
    """A line without the names of values."""
    return VALUE.sub("%", line)


def chosen(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The first new line of each op, as far as there is room, in the order of the program."""
    known = Counter(map(anonymous, before))
    seen: set[str] = set()
    found: list[str] = []
    for line in after:
        if known[anonymous(line)]:
            known[anonymous(line)] -= 1
            continue
        name = op_of(line)
        if name and name not in seen and len(found) < MOST_LINES:
            seen.add(name)
            found.append(line)
    return found


def check_text(line: str, bound: dict[str, str]) -> str:
    """A line as FileCheck matches it; values that it defines are bound for later lines."""
    if function := FUNCTION.match(line):
        return f"{function['name']}{{{{.*}}}}{function['attributes'][:MOST_CHARACTERS]}"
    results, equals, rest = line.partition(" = ") if line.startswith("%") else ("", "", line)
    rest = re.split(r"\[\[|\{\{", rest[:MOST_CHARACTERS])[0]
    if len(rest) == MOST_CHARACTERS:
        # A name that is cut would be bound to its beginning.
        rest = rest.rsplit(" ", 1)[0]

    def bind(match: re.Match[str]) -> str:
        if match[1] in bound:
            return f"%[[{bound[match[1]]}]]"
        bound[match[1]] = f"V{len(bound)}"
        return rf"%[[{bound[match[1]]}:\w+]]"

    return (VALUE.sub(bind, results) + equals + VALUE.sub(bind, rest)).rstrip()


def pipeline(check: RoadCheck, gpu: str) -> str:
    """The pass of the road with its options."""
    return f"tileir-pipeline{{gpu={gpu}{check.options}}}"


def prefix_of(gpu: str) -> str:
    """The prefix of the check lines of a target."""
    return gpu.replace("_", "").upper()


def run_line(check: RoadCheck, gpu: str) -> str:
    """How lit runs the road of a kernel for a target."""
    return (
        f"// RUN: xdsl-opt %S/../../../../tileir_xdsl/testing/kernels/{check.kernel}.mlir -p '{pipeline(check, gpu)}' "
        f"--print-between-passes | filecheck %s --check-prefix={prefix_of(gpu)}"
    )


def printed_by(check: RoadCheck, gpu: str) -> str:
    """What the command of a RUN line prints."""
    command = ["xdsl-opt", str(KERNELS / f"{check.kernel}.mlir"), "-p", pipeline(check, gpu)]
    done = subprocess.run(
        [*command, "--print-between-passes"], capture_output=True, text=True, check=True
    )
    return done.stdout


def check_lines(check: RoadCheck, gpu: str) -> Iterator[str]:
    """The checks of what each pass makes of a kernel; a pass that changes nothing has none."""
    prefix, before = prefix_of(gpu), list[str]()
    for name, lines in sections(printed_by(check, gpu)):
        yield f"// {prefix}-LABEL: IR after {name}:"
        bound: dict[str, str] = {}
        for line in chosen(before, lines):
            yield f"// {prefix}: {check_text(line, bound)}"
        before = lines


def text_of(name: str) -> str:
    """The text of a file."""
    check = CHECKS[name]
    parts = [
        "// Written by `python -m tests.pipeline_checks`: what each pass makes of a real kernel.",
        *(run_line(check, gpu) for gpu in check.gpus),
    ]
    for gpu in check.gpus:
        parts += ["", *check_lines(check, gpu)]
    return "\n".join([*parts, ""])


def main(names: Sequence[str]) -> None:
    """Writes the files of some names, or of all."""
    FOLDER.mkdir(exist_ok=True)
    chosen_names = list(names or CHECKS)
    with ThreadPoolExecutor(JOBS) as pool:
        for name, text in zip(chosen_names, pool.map(text_of, chosen_names), strict=True):
            (FOLDER / f"{name}.mlir").write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
