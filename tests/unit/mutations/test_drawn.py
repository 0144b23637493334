"""Faults drawn by a seed: what may change in a source, and which files have their turn."""

from pathlib import Path

import pytest

from tests.mutations import __main__ as command
from tests.mutations.drawn import draw, fault_of, room_of
from tests.mutations.edits import Edit, edits
from tests.mutations.fault import read


def changed(text: str, *kinds: str) -> list[str]:
    """A text after each edit of it, of some kinds if any are named."""
    return [
        text[: edit.start] + edit.new + text[edit.end :]
        for edit in edits(text)
        if not kinds or edit.kind in kinds
    ]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = (a) is not (b)", ["x = (a) is (b)"]),
        ("x = a << b", ["x = a >> b"]),
        ("x += y", ["x -= y", "pass"]),
        ("x = 'ä' + str(y)", []),
        ("x: A = B | None", []),
        ("x = not (a, b)", ["x = (a, b)"]),
        ("x = -a", ["x = a"]),
        ("x = 'ä', 3", ["x = 'ä', 2", "x = 'ä', 4"]),
        ("x = True", ["x = False"]),
        ("x = a if (b) else (c)", ["x = (c) if (b) else a"]),
        ("x = min(a, b)", ["x = max(a, b)"]),
        ("x = f(a, (b), *c)", ["x = f((b), a, *c)"]),
        ("x = f(a, a)", []),
        ("x = f(a.b, c[d])", ["x = f(c[d], a.b)"]),
        ("x = f('a', b)", []),
        ("x = isinstance(a, B | C)", ["x = isinstance(a, B)", "x = isinstance(a, C)"]),
        ("x = [a for a in b if (a)]", ["x = [a for a in b]"]),
        ("f(a)", ["pass"]),
        ("if a:\n    return b", ["if a:\n    pass"]),
        ("if a:\n    raise B(3)", ["if a:\n    pass"]),
        ("return b", []),
    ],
)
def test_each_kind_of_edit(text: str, results: list[str]):
    assert sorted(changed(text)) == sorted(results)


def test_conditions_are_joined_otherwise_and_dropped():
    assert changed("x = a and (b or c)", "and for or") == [
        "x = a or (b or c)",
        "x = a and (b and c)",
    ]
    dropped = changed("x = a and (b or c)", "dropped condition")
    assert sorted(dropped) == ["x = (b or c)", "x = a", "x = a and (b)", "x = a and (c)"]


def test_rows_of_tables_are_exchanged_and_dropped():
    text = "X = {a: 'b', c: (d)}"
    assert changed(text, "swapped entries") == []
    assert changed("X = {a: (b), c: d.e}", "swapped entries") == ["X = {a: d.e, c: (b)}"]
    assert not changed("X = {**a, b: c, **d}")
    assert changed(text, "dropped entry") == ["X = {c: (d)}", "X = {a: 'b'}"]
    assert changed("X = (a, b, c)") == ["X = (b, c)", "X = (a, c)", "X = (a, b)"]
    # A function that returns two values would return one.
    assert not changed("x = f((a, b, c))") and not changed("x, y, z = a, b, c")


def test_alternatives_of_a_pattern_are_dropped():
    text = "match x:\n    case {}:\n        y"
    results = changed(text.format("A() | B() | C()"), "dropped case")
    patterns = ["B() | C()", "A() | C()", "A() | B()"]
    assert sorted(results) == sorted(map(text.format, patterns))


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Literal[1]) -> Literal[2]: ...",
        "@cache(maxsize=3)\ndef f(): ...",
        "assert x == 3",
        "x = f'{3}'",
        "from x import y",
        "__all__ = ['a', 'b', 'c']",
        "if TYPE_CHECKING:\n    f(3)",
        "if __name__ == '__main__':\n    f(3)",
        "x = zip(a, strict=True)",
    ],
)
def test_what_computes_nothing_is_left_alone(text: str):
    assert not edits(text)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("a = 1\nb = 2\n", "2"),
        ("a = 1\nb = 1\n", "b = 1"),
        ("b = 1\nc\nb = 1", "c\nb = 1"),
        ("b = 1\nc\nb = 1\nc\nb = 1", "c\nb = 1\nc\nb = 1"),
        ("1" * 5, "1" * 5),
    ],
)
def test_a_row_has_a_text_that_occurs_once(text: str, old: str):
    at = max(text.rfind("1"), text.rfind("2"))
    fault = fault_of("f.py", text, Edit("off by one", at, at + 1, "7"))
    assert fault.old == old and text.count(old) == 1
    assert fault.planted_in(text) == text[:at] + "7" + text[at + 1 :]


SOURCES = {
    "a/x/one.py": "A = 1 < B\n",
    "a/x/two.py": "A = B + C\n",
    "a/x/deep/three.py": "A = B - C\n",
    "b/four.py": "A = B and C\n",
    "five.py": "from .b import four\n",
    "six.py": "A = -0\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A package of a few files in three rooms and one without."""
    for name, text in SOURCES.items():
        file = tmp_path / "tileir_xdsl" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_each_room_has_its_turn(root: Path):
    faults = draw(9, 0, root=root)
    assert sorted(fault.file for fault in faults) == sorted(
        f"tileir_xdsl/{name}" for name in SOURCES if name != "five.py"
    )
    for seed in range(10):
        rooms = [room_of(fault.file) for fault in draw(3, seed, root=root)]
        assert sorted(rooms) == ["", "a/x", "b"]


def test_a_seed_draws_the_same_again(root: Path):
    draws = [tuple(draw(2, seed, root=root)) for seed in range(10)]
    assert draws == [tuple(draw(2, seed, root=root)) for seed in range(10)]
    assert len(set(draws)) > 1


def test_the_same_byte_code_is_not_drawn(root: Path):
    assert draw(9, 0, "six", root=root)
    assert not draw(9, 0, "six", "wrong sign", root)


def test_the_command_writes_a_table_that_applies(tmp_path: Path):
    table = tmp_path / "drawn.jsonl"
    assert command.main(["--draw", str(table), "--seed", "3", "--count", "20"]) == 0
    faults = read(table)
    assert len({fault.file for fault in faults}) == 20
    for fault in faults:
        text = Path(fault.file).read_text("utf-8")
        compile(fault.planted_in(text), fault.file, "exec")
