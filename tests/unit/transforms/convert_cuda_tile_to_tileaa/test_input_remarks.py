"""Programs that the specification forbids are refused, or taken with a remark: as `tileiras` does.

Each row breaks one rule of the Tile IR specification, section 8. The verdict of `tileiras` on the
same bytecode decides; bytecode has no words for the rows without a verdict.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tests.tileiras_agreement.compilers import theirs
from tests.unit.road.agreement import assert_equal, kernel, run_at_both_levels
from tileir_xdsl import bytecode
from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS, decode, encode
from tileir_xdsl.dialects.cuda_tile.hints import ARCHITECTURES, HINTS
from tileir_xdsl.runtime.diagnostics import remarks_of
from tileir_xdsl.runtime.program import load
from tileir_xdsl.testing import tools

GPU = "sm_100a"

VALUES = """
  %f = constant <f32: 1.0> : tile<f32>
  %i = constant <i32: 1> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %minus = constant <i32: -1> : tile<i32>
  %many = constant <i32: 9> : tile<i32>
  %c = cmpi equal %n, %i, signed : tile<i32> -> tile<i1>
  %i8 = constant <i32: 1> : tile<8xi32>
  %f8 = constant <f32: 0.0> : tile<8xf32>
  %f24 = constant <f32: 1.0> : tile<2x4xf32>
"""
VIEW = "partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>"


def program(body: str, before: str = "", hints: str = "") -> str:
    """A module whose kernel has the body, from the line after `%f24` on."""
    return (
        f"cuda_tile.module @m {{ {before}\nentry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {hints} {{"
        f"{VALUES}{body}\nreturn\n}} }}"
    )


def combination(name: str, body: str) -> str:
    """A reduction or a scan along the last dimension of `%f24`."""
    order, result = ("", "2xf32") if name == "reduce" else ("reverse=false ", "2x4xf32")
    return (
        f"%r = {name} %f24 dim=1 {order}identities=[0.0 : f32] : tile<2x4xf32> -> tile<{result}> "
        f"(%x: tile<f32>, %y: tile<f32>) {{\n{body}\n%s = addf %x, %y : tile<f32>\n"
        "yield %s : tile<f32> }"
    )


@dataclass(frozen=True)
class Violation:
    """A program that breaks a rule, and what is said of it; the verdict is that of `tileiras`."""

    name: str
    text: str
    said: str
    is_taken: bool
    has_verdict: bool = True
    is_slow: bool = False


def loops() -> Iterator[Violation]:
    """Returns in loops, and steps that are not positive (sections 8.5.4, 8.5.6, 8.5.7)."""
    leave = "if %c { return }"
    around = {
        "for": "for %k in (%zero to %many, step %i) : tile<i32> { BODY\ncontinue }",
        "loop": "loop { BODY\nbreak }",
    }
    for depth in (1, 2):
        for names in itertools.product(around, repeat=depth):
            body = leave
            for number, name in enumerate(names):
                body = around[name].replace("BODY", body).replace("%k ", f"%k{number} ")
            # `tileiras` refuses returns in a `for`; which loop it is does not matter here.
            yield Violation(
                f"return in {' in '.join(names)}",
                program(body),
                rf"'cuda_tile.return' must not leave a 'cuda_tile.{names[0]}'",
                is_taken=True,
                has_verdict="for" not in names,
            )
    for step in ("zero", "minus"):
        store = "%s = store_ptr_tko weak %p, %f : tile<ptr<f32>>, tile<f32> -> token"
        yield Violation(
            f"step {step}",
            program(f"for %k in (%i to %n, step %{step}) : tile<i32> {{ {store}\ncontinue }}"),
            r"'step' of 'cuda_tile.for' must be positive, got (0|-1)",
            is_taken=True,
        )


def bodies() -> Iterator[Violation]:
    """Bodies of reductions and scans (sections 8.3.19 and 8.3.21)."""
    inner = {
        "constant": "%z = constant <f32: 0.0> : tile<4xf32>",
        "iota": "%z = iota : tile<4xi32>",
        "reshape": "%z = reshape %x : tile<f32> -> tile<1x1xf32>",
    }
    for name, (op, text) in itertools.product(("reduce", "scan"), inner.items()):
        said = rf"body of 'cuda_tile.{name}' must have tiles of rank 0 only, but 'cuda_tile.{op}'"
        yield Violation(f"{op} in {name}", program(combination(name, text)), said, is_taken=True)
    nested = combination("reduce", "").replace("%r", "%q").replace("%s", "%t")
    nested = nested.replace("%x", "%u").replace("%y", "%v")
    yield Violation(
        "reduce in reduce",
        program(combination("reduce", nested)),
        "body of 'cuda_tile.reduce' must have tiles of rank 0 only, but 'cuda_tile.reduce'",
        is_taken=True,
    )
    two = ", ".join(["tile<8xf32>"] * 2)
    yield Violation(
        "scan of two",
        program(
            f"%r, %q = scan %f8, %f8 dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : {two} "
            f"-> {two} (%x: tile<f32>, %y: tile<f32>, %u: tile<f32>, %v: tile<f32>) {{\n"
            "yield %x, %u : tile<f32>, tile<f32> }"
        ),
        "'cuda_tile.scan' must have one operand, got 2",
        is_taken=True,
    )


def assumptions() -> Iterator[Violation]:
    """Predicates about groups of no elements (section 8.12.1), and indices beyond a tile."""
    for divisor, along in itertools.product((1, 4), (0, 1)):
        yield Violation(
            f"every 0 of {divisor} along {along}",
            program(f"%r = assume div_by<{divisor}, every 0 along {along}>, %f24 : tile<2x4xf32>")
            .replace("%f24 : tile<2x4xf32>", "%i24 : tile<2x4xi32>")
            .replace("%r = assume", "%i24 = constant <i32: 4> : tile<2x4xi32>\n%r = assume"),
            "'every' of 'div_by' must be positive, got 0",
            is_taken=True,
        )
    yield Violation(
        "same_elements of 0",
        program("%r = assume same_elements<[0]>, %i8 : tile<8xi32>"),
        "a value of 'same_elements' must be positive, got 0",
        is_taken=True,
    )
    yield Violation(
        "empty same_elements",
        program("%r = assume same_elements<[]>, %i : tile<i32>"),
        "'same_elements' without a value states nothing",
        is_taken=True,
    )
    for index, said in (
        ("many", "value 9 may be out of bounds (max valid index: 1)"),
        ("minus", "has negative value -1, which may cause undefined behavior"),
    ):
        yield Violation(
            f"extract {index}",
            program(f"%r = extract %f24[%zero, %{index}] : tile<2x4xf32> -> tile<2x2xf32>"),
            re.escape(f"extract index 1 {said}"),
            is_taken=True,
        )


def items() -> Iterator[Violation]:
    """What is in a module, and where (sections 8.3.6, 8.3.11 and 8.3.15)."""
    variable = "global @g <f32: 1.0> : tile<4xf32>"
    in_module = r"op expects parent op 'cuda_tile.module'"
    for name, text, said in (
        ("global", program(variable), f"'cuda_tile.global' {in_module}"),
        ("global in if", program(f"if %c {{ {variable} }}"), f"'cuda_tile.global' {in_module}"),
        ("entry", program("entry @e() { return }"), f"'cuda_tile.entry' {in_module}"),
        ("module", program("cuda_tile.module @n { }"), "op expects parent op 'builtin.module'"),
        ("in module", program("", before="cuda_tile.module @n { }"), "expects parent op"),
        ("op", program("", before="%t = make_token : token"), "only function and global ops are"),
    ):
        yield Violation(f"{name} within", text, said, is_taken=False, has_verdict=False)
    for alignment in (3, 24, (1 << 10) + 1, (1 << 29) + 1, 1 << 31, 1 << 40):
        is_taken = alignment < 1 << 30
        yield Violation(
            f"alignment {alignment}",
            program("", before=f"global @g alignment = {alignment} <f32: 1.0> : tile<4xf32>"),
            f"'alignment' must be (a power of two, got|at most 1073741824 bytes, but got) {alignment}",
            is_taken=is_taken,
            # `tileiras` fills memory up to the alignment: at 1 << 31, 8 GB in half a minute.
            is_slow=1 << 20 < alignment <= 1 << 31,
        )
    yield Violation(
        "argument attribute",
        program("").replace("%n: tile<i32>", "%n: tile<i32> {a.b = 1 : i32}"),
        "'arg_attrs' is not supported: 'a.b' is ignored",
        is_taken=True,
        has_verdict=False,
    )


def hints() -> Iterator[Violation]:
    """Hints that an op or an architecture has not, and values that a hint has not."""
    views = (
        f"%v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>\n"
        f"%w = make_partition_view %v : {VIEW}\n"
    )
    forms = {
        "entry": program("", hints="optimization_hints=<HINTS>"),
        "load_ptr_tko": program(
            "%t, %k = load_ptr_tko weak %p optimization_hints = <HINTS> : tile<ptr<f32>> -> "
            "tile<f32>, token"
        ),
        "store_ptr_tko": program(
            "%k = store_ptr_tko weak %p, %f optimization_hints = <HINTS> : tile<ptr<f32>>, "
            "tile<f32> -> token"
        ),
        "load_view_tko": program(
            f"{views}%t, %k = load_view_tko weak %w[%n] optimization_hints = <HINTS> : {VIEW}, "
            "tile<i32> -> tile<8xf32>, token"
        ),
        "store_view_tko": program(
            f"{views}%k = store_view_tko weak %f8, %w[%n] optimization_hints = <HINTS> : "
            f"tile<8xf32>, {VIEW}, tile<i32> -> token"
        ),
    }
    assert {f"cuda_tile.{name}" for name in forms} == set(HINTS)
    for name, text in forms.items():
        known = HINTS[f"cuda_tile.{name}"]
        given = {f"sm_100 = {{{key} = {value}}}": key for key in known for value in (0, 33, '"x"')}
        given |= {f"sm_100 = {{{key} = 7 : i64}}": key for key in known if known[key].boolean}
        given |= {"sm_100 = {warps = 4}": "warps", "sm_100a = {occupancy = 2}": "sm_100a"}
        for hint, key in given.items():
            said = rf"{key}( is not known hint for current Operation)?: the hint is ignored"
            yield Violation(f"{name} {hint}", text.replace("HINTS", hint), said, is_taken=True)


VIOLATIONS = [*loops(), *bodies(), *assumptions(), *items(), *hints()]


def remarked(module: ModuleOp, gpu: str = "sm_100a") -> list[str]:
    """What is remarked on a module on the way to `nv_tileaa`."""
    tools.run_passes(module, f"convert-cuda-tile-to-tileaa{{compute-capability={gpu}}}")
    return [remark.message for remark in remarks_of(module, "m.mlir")]


@pytest.mark.parametrize("row", VIOLATIONS, ids=lambda row: row.name)
def test_violation(row: Violation):
    if row.is_taken:
        assert any(re.search(row.said, each) for each in remarked(tools.parse(row.text)))
        return
    with pytest.raises(VerifyException, match=row.said):
        tools.parse(row.text)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.name, marks=pytest.mark.soak if row.is_slow else ())
        for row in VIOLATIONS
        if row.has_verdict and "sm_100" not in row.name
    ],
)
def test_verdict(row: Violation):
    module = tools.parse(row.text, verify=False)
    assert theirs(bytecode.write(module, "13.5"), GPU).is_accepted is row.is_taken


def test_place_of_a_remark(tmp_path: Path):
    path = tmp_path / "k.mlir"
    path.write_text(program("%r = assume same_elements<[]>, %i : tile<i32>"))
    (remark,) = load(path, gpu=GPU).compile().remarks
    line = 1 + path.read_text()[: path.read_text().index("%r = assume")].count("\n")
    assert (remark.file, remark.line, remark.column) == (str(path), line, 1)
    assert remark.function == "k" and remark.name == "RemarkInputOutsideSpecification"


def test_insertion_beyond_a_tile():
    text = "%r = insert %f24, %w[%many, %zero] : tile<2x4xf32>, tile<4x4xf32>"
    text = f"%w = constant <f32: 0.0> : tile<4x4xf32>\n{text}"
    (message,) = remarked(tools.parse(program(text)))
    assert message == "insert index 0 value 9 may be out of bounds (max valid index: 1)"


def test_valid_programs_have_no_remarks():
    hint = "optimization_hints=<sm_100 = {occupancy = 2, num_worker_warps_per_cta = 8}>"
    for architecture in ARCHITECTURES:
        text = program("%r = assume same_elements<[1]>, %i8 : tile<8xi32>", hints=hint)
        assert remarked(tools.parse(text.replace("sm_100", architecture))) == []
    assert (
        remarked(tools.parse(program("%r = assume div_by<4, every 1 along 0>, %i8 : tile<8xi32>")))
        == []
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("source", FORMATS)
def test_rounding_of_exact_conversions(source: str):
    """A mode other than nearest_even is remarked where all values of the source are exact."""
    width = FORMATS[source].width
    step = max(1, (1 << width) // 4096)
    values = {decode(bits, FORMATS[source]) for bits in range(0, 1 << width, step)}
    # The values with the most digits and the least exponents decide.
    values |= {decode(bits, FORMATS[source]) for bits in range(1, min(4096, 1 << width))}
    for result, layout in FORMATS.items():
        if result == source:
            continue
        exact = all(
            np.isnan(value) or np.isinf(value) or decode(encode(value, layout), layout) == value
            for value in values
        )
        for mode in ("zero", "positive_inf"):
            value = f"%a = constant <{source}: 0x{1:X}> : tile<8x{source}>"
            conversion = f"%r = ftof %a rounding<{mode}> : tile<8x{source}> -> tile<8x{result}>"
            try:
                module = tools.parse(program(f"{value}\n{conversion}"))
            except VerifyException:
                continue
            said = [f"'rounding_mode' must be nearest_even, got {mode}: the conversion is exact"]
            # The only target that has all formats.
            assert remarked(module, "sm_107a") == (said if exact else []), (result, mode)


RETURNS = """
%nine = constant <i32: 9> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%given, %loaded = load_ptr_tko weak %p0 : tile<ptr<i32>> -> tile<i32>, token
for %k in (%zero to %nine, step %one) : tile<i32> {
  %stored = store_ptr_tko weak %p1, %k : tile<ptr<i32>>, tile<i32> -> token
  loop {
    %is_given = cmpi equal %k, %given, signed : tile<i32> -> tile<i1>
    if %is_given { return }
    break
  }
  continue
}
%last = store_ptr_tko weak %p1, %nine : tile<ptr<i32>>, tile<i32> -> token
"""


@pytest.mark.parametrize(("given", "wanted"), [(0, 0), (5, 5), (20, 9)])
def test_returns_from_loops(given: int, wanted: int):
    arguments = [np.array([given], np.int32), np.zeros(1, np.int32)]
    first, last = run_at_both_levels(kernel(RETURNS, ["i32", "i32"]), arguments)
    assert_equal(first, last)
    assert last[1] == wanted


@pytest.mark.parametrize(("given", "wanted"), [(0, 7), (1, 3), (4, 3)])
def test_a_loop_that_ends_in_a_return(given: int, wanted: int):
    """The kernel goes on only after a loop without an iteration."""
    body = """
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %seven = constant <i32: 7> : tile<i32>
    %given, %loaded = load_ptr_tko weak %p0 : tile<ptr<i32>> -> tile<i32>, token
    %sum = for %k in (%zero to %given, step %one) : tile<i32> iter_values(%v = %one) -> (tile<i32>) {
      %stored = store_ptr_tko weak %p1, %three : tile<ptr<i32>>, tile<i32> -> token
      return
    }
    %last = store_ptr_tko weak %p1, %seven : tile<ptr<i32>>, tile<i32> -> token
    """
    arguments = [np.array([given], np.int32), np.zeros(1, np.int32)]
    first, last = run_at_both_levels(kernel(body, ["i32", "i32"]), arguments)
    assert_equal(first, last)
    assert last[1] == wanted


def test_groups_of_no_elements_state_nothing():
    """Neither level takes what an empty group says for a fact."""
    body = """
    %i = iota : tile<8xi32>
    %d = assume div_by<4, every 0 along 0>, %i : tile<8xi32>
    %s = assume same_elements<[0]>, %d : tile<8xi32>
    %r = reshape %p0 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %r : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %o = offset %b, %s : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %t = store_ptr_tko weak %o, %s : tile<8xptr<i32>>, tile<8xi32> -> token
    """
    first, last = run_at_both_levels(kernel(body, ["i32"]), [np.zeros(8, np.int32)])
    assert_equal(first, last)
    assert (last[0] == np.arange(8)).all()
