"""Neighbours of modules and of PTX: one thing is changed, the same one by the same seed."""

from collections import Counter

from tests.forms.neighbours import change, changed_ptx
from tileir_xdsl.testing.tools import parse, to_text
from tileir_xdsl.testing.zoo import zoo_text

TEXT = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %c = arith.constant 6 : i32
  %x = arith.addi %a, %c : i32
  %y = arith.subi %x, %b : i32
  %z = arith.muli %a, %b : i32
  func.return %y : i32
}
"""
PTX = """\
.visible .entry k(.param .u64 p)
{
\t.reg .b32 %r<3>;
\t@%p1 add.s32 %r1, %r2, 7;
\tsetp.lt.s32 %p1, %r1, %r2;
}"""


def neighbour(text: str, seed: int) -> str:
    module = parse(text)
    change(module, seed.to_bytes(2, "big"))
    return to_text(module, generic=True)


def test_a_seed_makes_the_same_change():
    assert [neighbour(TEXT, seed) for seed in range(20)] == [
        neighbour(TEXT, seed) for seed in range(20)
    ]


def test_each_kind_of_change_is_made():
    lines = Counter[str]()
    for seed in range(200):
        lines.update(set(neighbour(TEXT, seed).splitlines()))
    text = "\n".join(lines)
    for changed in (
        "<{value = 7 : i32}>",
        "<{value = 0 : i32}>",
        '"arith.addi"(%c, %a)',
        '"arith.subi"(%b, %x)',
        '"arith.subi"(%x, %a)',
    ):
        assert changed in text, text
    # An op that nothing uses is gone in some, and one op is there twice in others.
    assert {neighbour(TEXT, seed).count('"arith.') for seed in range(200)} >= {3, 4, 5}


def test_little_is_changed_in_a_kernel():
    text = zoo_text("vector_add")
    count = len(to_text(parse(text), generic=True).splitlines())
    for seed in range(10):
        assert abs(len(neighbour(text, seed).splitlines()) - count) <= 1


def test_one_instruction_of_ptx_is_changed():
    found: set[str] = set()
    for seed in range(300):
        changed = changed_ptx(PTX, seed.to_bytes(2, "big"))
        differ = [
            (old, new)
            for old, new in zip(PTX.split("\n"), changed.split("\n"), strict=True)
            if old != new
        ]
        assert len(differ) <= 1
        found.update(new for _, new in differ)
    assert {
        "",
        "\t@%p1 sub.s32 %r1, %r2, 7;",
        "\t@%p1 add.s64 %r1, %r2, 7;",
        "\t@%p1 add.s32 %r1, %r2, 8;",
        "\t@%p1 add.s32 %r1, %r1, 7;",
        "\t@!%p1 add.s32 %r1, %r2, 7;",
        "\tsetp.le.s32 %p1, %r1, %r2;",
    } <= found
