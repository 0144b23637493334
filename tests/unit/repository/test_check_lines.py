"""What a check line of `tests/filecheck` may hold: no fixed SSA numbers, no line that never runs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

FOLDER = REPOSITORY / "tests" / "filecheck"

FIXED_NUMBERS: dict[str, str] = {}
"""Files, from `FOLDER`, whose check lines may name SSA values by number, with the reason."""

DIRECTIVES = re.compile(r"(-(DAG|NEXT|SAME|NOT|LABEL|EMPTY|COUNT-\d+))?(\{LITERAL\})?")
CHECK_LINE = re.compile(r"\s*// ?(?P<prefix>[A-Z][A-Z0-9_]*)(?P<rest>[-{A-Z0-9}]*):(?P<text>.*)")
PREFIX_OPTION = re.compile(r"--check-prefix[= ](\S+)")
PARTS = "%check-parts"
ORDERED = re.compile(
    r"\b(sub|div|rem|shl|shr|fma|pow|fpow|atan2|cat|cmp|select|clamp)\w*( [a-z_]+,?)* "
    r"(%?\[\[\w+\]\]|%[\w\[\]]+), \3(?!\w)"
)
"""An op whose first two operands have an order, but are the same value."""
# What a name is not part of: strings, and what FileCheck matches as an expression or a variable.
NO_NAMES = re.compile(r'"[^"]*"|\{\{.*?\}\}|\[\[.*?\]\]')


def errors(text: str) -> Iterator[tuple[int, str]]:
    """The number of each wrong check line in the text of a test, counted from one, and what is
    wrong with it."""
    runs = [line for line in text.splitlines() if line.startswith("// RUN:")]
    prefixes = {name for run in runs for name in PREFIX_OPTION.findall(run)}
    if any(("filecheck" in run and "--check-prefix" not in run) or PARTS in run for run in runs):
        prefixes.add("CHECK")
    for number, line in enumerate(runs, 1):
        if {"--split-input-file", "--verify-diagnostics"} <= {*line.split()} and PARTS not in line:
            yield number, f"one failure may satisfy the check lines of two parts: use {PARTS}"
    for number, line in enumerate(text.splitlines(), 1):
        match = CHECK_LINE.match(line)
        if match is None or match["prefix"] == "RUN":
            continue
        if match["prefix"] not in prefixes:
            yield number, f"no RUN line checks {match['prefix']}"
        elif DIRECTIVES.fullmatch(match["rest"]) is None:
            yield number, f"FileCheck has no directive {match['rest']}"
        elif name := re.search(r"%\d+", NO_NAMES.sub("", match["text"])):
            yield number, f"{name.group()} is a number of the printer: bind it, `%[[NAME:.*]]`"
        elif same := ORDERED.search(match["text"]):
            yield number, f"`{same.group()}` reads the same where operands are swapped"


@pytest.mark.parametrize("folder", sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
def test_check_lines_bind_values(folder: str):
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: {error}"
        for path in sorted((FOLDER / folder).rglob("*.mlir"))
        if str(path.relative_to(FOLDER)) not in FIXED_NUMBERS
        for number, error in errors(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_files_with_fixed_numbers_exist():
    assert not [file for file in FIXED_NUMBERS if not Path(FOLDER, file).exists()]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("// CHECK-NEXT: %0 = arith.addi %a, %b", "%0 is a number of the printer"),
        ("  // CHECK: foo %x, %12 :", "%12 is a number of the printer"),
        ("// CHECK-NEXT-NOT: foo", "FileCheck has no directive -NEXT-NOT"),
        ("// CHEKC: foo", "no RUN line checks CHEKC"),
        ('// CHECK: %[[X:.*]] = foo %{{[0-9]+}} "of %0", %x', None),
        ("// SM80-COUNT-2: ld.global.f32 %f0, [%rd1];", None),
        ("// CHECK-DAG{LITERAL}: [[1, 2]]", None),
        ("%0 = foo // not a check line: %0", None),
        ("// CHECK: %r = arith.cmpi slt, %a, %a : i32", "`cmpi slt, %a, %a` reads the same"),
        ("// CHECK: nv_tileaa.fma %[[A]], %[[A]], %c", "`fma %[[A]], %[[A]]` reads the same"),
        ("// CHECK: arith.subi %a, %ab : i32", None),
        ("// RUN: a %s --split-input-file --verify-diagnostics | filecheck %s", "one failure may"),
    ],
)
def test_errors_of_a_line(line: str, error: str | None):
    runs = "// RUN: a %s | filecheck %s\n// RUN: b %s | filecheck %s --check-prefix=SM80\n"
    found = [message for _, message in errors(runs + line)]
    assert [message[: len(error or "")] for message in found] == ([error] if error else [])
