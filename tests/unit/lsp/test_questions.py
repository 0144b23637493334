"""Documentation, definitions, uses, the outline and completion, in offsets of a text."""

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl import load
from tileir_xdsl.lsp import completion, hovers, navigation
from tileir_xdsl.lsp.analysis import Analysis, Symbol, analyse
from tileir_xdsl.lsp.source import Source
from tileir_xdsl.runtime.reader import new_context

CONTEXT = new_context()

TEXT = """\
#wide = #nv_tileas.layout<((4), 32, 4, 1), ((1), 4, 128, 0)>
!tile = !cuda_tile.tile<8xi32>
cuda_tile.module @m {
  global @g <i32: [1, 2]> : tile<2xi32>
  entry @first(%n: tile<i32>) {
    %c = constant <i32: 1> : tile<8xi32>
    %x:2 = get_index_space_shape
    %sum = addi %c, %c : tile<8xi32>
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%v = %sum) -> (tile<8xi32>) {
      %w = addi %v, %v : tile<8xi32>
      continue %w : tile<8xi32>
    }
    %p = get_global @g : tile<ptr<i32>>
    return
  }
  entry @second(%n: tile<i32>) {
    %c = negi %n : tile<i32>
    return
  }
}
"""


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(CONTEXT, Source(TEXT))


def at(marked: str) -> int:
    """The offset of `|` in a part of the text, which occurs in it once without the mark."""
    part = marked.replace("|", "")
    assert TEXT.count(part) == 1, marked
    return TEXT.index(part) + marked.index("|")


def hovered(analysis: Analysis, offset: int) -> str:
    found = hovers.hover(analysis, CONTEXT, offset)
    return "" if found is None else found[0]


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("addi %c|, %c", ["%c : tile<8xi32>", "Result of `cuda_tile.constant`; used 2 times."]),
        ("%w = addi |%v", ["%v : tile<8xi32>", "Argument 1 of `cuda_tile.for`; used 2 times."]),
        ("%sum = ad|di", ["**cuda_tile.addi**", "Section 8.8.3", "Operands: `lhs`, `rhs`"]),
        ("entry @fir|st", ["entry @first(%n: tile<i32>)", "every tile block of the grid runs it"]),
        ("get_global @|g", ["global @g <i32: [1, 2]>"]),
        ("#wi|de = ", ["As shape:stride of (register, lane, warp, block)"]),
        ("!ti|le = ", ["tile<8xi32>"]),
        ("(%n to %n, step %n) : ti|le<i32> iter", ["**cuda_tile.tile**, a type"]),
        ("#nv_tileas.lay|out", ["**nv_tileas.layout**, an attribute"]),
    ],
)
def test_hover(analysis: Analysis, place: str, parts: list[str]):
    text = hovered(analysis, at(place))
    assert all(part in text for part in parts), text


@pytest.mark.parametrize(
    "place", ["<i32: |[1, 2]", "(%n to %n, step %n) |:", "#nv_tileas.layout<(|("]
)
def test_nothing_to_say(analysis: Analysis, place: str):
    assert hovered(analysis, at(place)) == ""


@pytest.mark.parametrize(
    ("place", "definition", "count"),
    [
        ("addi %c|, %c", "|%c = constant", 3),
        ("negi |%n", "@second(|%n", 2),
        ("%w = addi %|v", "iter_values(|%v", 3),
        ("(%n to |%n, step", "@first(|%n", 4),
        ("get_global |@g", "  global |@g", 2),
        ("entry @sec|ond", "entry |@second", 1),
        ("|#wide = ", "|#wide = ", 1),
    ],
)
def test_definition_and_references(analysis: Analysis, place: str, definition: str, count: int):
    span = navigation.definition(analysis, at(place))
    assert span is not None and span[0] == at(definition)
    spans = navigation.references(analysis, at(place))
    assert len(spans) == count and spans == sorted(spans) and span in spans
    assert len({TEXT[slice(*span)] for span in spans}) == 1
    without = navigation.references(analysis, at(place), with_definition=False)
    assert without == [other for other in spans if other != span]


def test_blocks():
    text = "llvm.func @f() {\n  llvm.br ^end\n^end:\n  llvm.return\n}\n"
    analysis = analyse(CONTEXT, Source(text))
    assert analysis.problems == ()
    use, definition = text.index("^"), text.rindex("^")
    assert navigation.definition(analysis, use + 1) == (definition, definition + 4)
    assert len(navigation.references(analysis, definition)) == 2
    assert hovered(analysis, use) == "Block with 0 arguments."


def test_a_symbol_of_two_modules():
    module = "cuda_tile.module @%s {\n  global @g <i32: 1> : tile<i32>\n  entry @k() {\n"
    module += "    %%p = get_global @g : tile<ptr<i32>>\n    return\n  }\n}\n"
    text = module % "a" + module % "b"
    analysis = analyse(CONTEXT, Source(text))
    use = text.rindex("@g")
    span = navigation.definition(analysis, use)
    assert span is not None and span[0] == text.index("@g", text.index("@b"))
    assert len(navigation.references(analysis, use)) == 2


def test_outline(analysis: Analysis):
    def names(symbols: tuple[Symbol, ...]) -> list[object]:
        return [(symbol.name, names(symbol.inner)) for symbol in symbols]

    expected = [("m", [("g", []), ("first", []), ("second", [])])]
    assert names(analysis.symbols) == expected
    for symbol in analysis.all_symbols():
        assert TEXT[slice(*symbol.name_span)] == f"@{symbol.name}"
        assert TEXT[slice(*symbol.span)].endswith(("}", "tile<2xi32>"))


@pytest.mark.parametrize(
    ("place", "some", "none"),
    [
        ("    %sum = ad|di", {"addi", "addf"}, {"muli"}),
        ("    |return\n  }\n  entry", {"addi", "constant"}, {"arith.addi"}),
        ("negi |%n", set[str](), {"negi"}),
        ("negi %|n", {"%n"}, {"%sum", "%w", "%c"}),
        ("addi %c, %|c", {"%c", "%n"}, {"%w", "%r", "%v"}),
        ("%w = addi %v, %|v", {"%v", "%i", "%sum", "%n"}, {"%r", "%p"}),
        ("get_global @|g", {"@g", "@first"}, {"addi"}),
    ],
)
def test_completion(analysis: Analysis, place: str, some: set[str], none: set[str]):
    labels = {item.label for item in completion.complete(analysis, CONTEXT, at(place))}
    assert some <= labels and not none & labels


def test_completion_of_another_dialect():
    text = "%0 = nv_tileas.conv"
    analysis = analyse(CONTEXT, Source(text))
    items = completion.complete(analysis, CONTEXT, len(text))
    assert [item.label for item in items] == ["nv_tileas.convert_layout"]
    assert text[slice(*items[0].replaced)] == "nv_tileas.conv" and items[0].documentation


def test_layouts_in_words():
    """Of a real kernel: its accumulator is in registers, its operands are in shared memory."""
    kernel = REPOSITORY / "tileir_xdsl/testing/kernels/divisible/matmul_f16_warpgroup.mlir"
    lowered = load(str(kernel), "sm_90a").lower("tileas-assign-load-store-layouts").text
    analysis = analyse(CONTEXT, Source(lowered))
    texts = {
        hovered(analysis, name.span[0])
        for name in analysis.records.names.values()
        if name.is_definition
    }
    registers = "A tile of 64x64 over 4 warps of 32 lanes, 32 registers each."
    swizzled = "In shared memory, as shape:stride of the dimensions"
    assert any(swizzled in text for text in texts), texts
    swizzled = "bits 4 to 6 are combined by exclusive or with bits 7 to 9"
    assert any(registers in text for text in texts), texts
    assert any(swizzled in text for text in texts), texts
