"""A part that an op lacks, or that is wrong, is a message with the op and the part."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.passes import ModulePass

from tests.unit.interpreters.nv_tileaa.evaluation import program
from tileir_xdsl import emulator, joining
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.extension_parts import EmulatedInstruction, ExtensionDialect, OpParts
from tileir_xdsl.extensions.extension import Extension, PlacedPass
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.options import OptionError
from tileir_xdsl.runtime.errors import CodeError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_text

from .written import DIALECT, GPU, LHS, PARTS, RHS, AddOp, emulated, extension, known, module

TILES = ("nv_tileaa", "nv_tileas")


def parts(**given: object) -> OpParts:
    """The parts of the op, some of them others."""
    fields = {name: getattr(PARTS, name) for name in ("meaning", "ptx", "emulator")} | given
    return OpParts(AddOp, **fields)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("given", "levels", "expected"),
    [
        (parts(), (*TILES, "llvm"), ()),
        (parts(meaning=None), (*TILES, "llvm"), ("'mine.add' has no meaning",)),
        (parts(ptx=""), (*TILES, "llvm"), ("'mine.add' has no PTX form (ptx)",)),
        (
            parts(emulator=(), ptx="add.sat.u64  d, lhs, rhs"),
            (*TILES, "llvm"),
            ("'mine.add' has no form in the emulator of add.sat.u64 (emulator)",),
        ),
        (parts(), TILES, ("'mine.add' has no lowering from nv_tileas",)),
        (parts(), ("cuda_tile",), ("'mine.add' has no lowering from cuda_tile",)),
        (parts(), ("cuda_tile", *TILES, "llvm"), ()),
    ],
)
def test_are_listed(given: OpParts, levels: tuple[str, ...], expected: tuple[str, ...]):
    assert joining.missing_parts(extension(given, levels=levels)) == expected


def test_an_op_without_any_is_listed():
    assert joining.missing_parts(extension()) == ("'mine.add' has no parts (OpParts)",)


def test_of_a_meaning_is_said_where_it_is_executed():
    with (
        known(extension(parts(meaning=None))),
        pytest.raises(
            InterpreterError,
            match=r"k.mlir:\d+:\d+: 'mine.add' in tile block .* extension 'mine' defines no meaning",
        ),
    ):
        launch(module(), "k", (1, 1, 1), [LHS, RHS, np.zeros_like(LHS)])


def _wide(_op: object, lhs: Array, _rhs: Array) -> Array:
    return lhs.astype(np.int64)


def _short(_op: object, lhs: Array, _rhs: Array) -> Array:
    return lhs[:8]


def _failing(_op: object, lhs: Array, rhs: Array) -> Array:
    return lhs @ rhs[:3]


@pytest.mark.parametrize(
    ("meaning", "message"),
    [
        (_wide, r"returns int64\[256\], expected int32\[256\]"),
        (_short, r"returns int32\[8\], expected int32\[256\]"),
        (_failing, "the function meaning of the op fails: "),
    ],
)
def test_a_meaning_of_other_values_is_refused(meaning: object, message: str):
    with known(extension(parts(meaning=meaning))), pytest.raises(InterpreterError, match=message):
        launch(module(), "k", (1, 1, 1), [LHS, RHS, np.zeros_like(LHS)])


@pytest.mark.parametrize(
    ("given", "levels", "message"),
    [
        (parts(), TILES, "'mine.add' op cannot be converted to llvm: extension 'mine' gives it no"),
        (parts(ptx=""), (*TILES, "llvm"), "'mine.add' has no PTX form"),
    ],
)
def test_of_the_road_is_said_where_it_ends(given: OpParts, levels: tuple[str, ...], message: str):
    with known(extension(given, levels=levels)), pytest.raises(CodeError, match=message):
        lower(new_context(), module(), "ptx", gpu=GPU, file="k.mlir")


def test_of_the_emulator_is_said_where_it_loads():
    instruction = EmulatedInstruction("add.sat.u64 d, a, b", "u64 <- u64, u64", emulated)
    with known(extension(parts(ptx="add.sat.u64  d, lhs, rhs"))):
        ptx = lower(new_context(), module(), "ptx", gpu=GPU, file="k.mlir").ptx
        assert ptx is not None
        with pytest.raises(EmulatorError, match=r"unknown instruction 'add\.sat\.u64'"):
            emulator.load(ptx)
    with known(extension(parts(ptx="add.sat.u64  d, lhs, rhs", emulator=(instruction,)))):
        emulator.load(ptx)
    # It goes with the extension.
    with pytest.raises(EmulatorError, match=r"unknown instruction 'add\.sat\.u64'"):
        emulator.load(ptx)


@irdl_op_definition
class BareOp(IRDLOperation):
    """An op that does not say what it does with memory."""

    name: ClassVar[str] = "mine.bare"
    x = operand_def(i32)
    result = result_def(i32)


BARE = ExtensionDialect(Dialect("mine", [BareOp]), TILES)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Extension("mine", ops=(PARTS,)), "op 'mine.add' is of no dialect of the extension"),
        (
            Extension("mine", dialects=(BARE,), ops=(OpParts(BareOp),)),
            "op 'mine.bare' does not say what it does with memory",
        ),
        (
            extension(parts(levels=("cuda_tile",))),
            "is at level cuda_tile, where its dialect is not",
        ),
        (
            extension(parts(ptx="add  d, lhs, %%")),
            "PTX form of op 'mine.add': '%%' does not describe an operand of an instruction",
        ),
        (extension(parts(ptx="add  d, lhs, third")), "names 'third', which it lacks"),
        (
            extension(parts(ptx="addd.u32  d, lhs, rhs")),
            "PTX form of op 'mine.add': there is no instruction 'addd', did you mean 'add",
        ),
        (extension(parts(lowering={"llvm2": int})), "has a lowering from llvm2, where it is not"),
        (
            extension(
                parts(emulator=(EmulatedInstruction("add.sat.s32 d, a, b", "s32 <- s32", abs),))
            ),
            "the emulator has",
        ),
        (
            Extension("mine", dialects=(replace(DIALECT, dialect=Dialect("arith", [])),)),
            "there is a dialect 'arith' already",
        ),
    ],
)
def test_wrong_parts_are_refused_at_loading(given: Extension, message: str):
    with pytest.raises(OptionError, match=message):
        joining.register(given)


def test_two_extensions_have_no_dialect_of_one_name():
    with known(extension(PARTS)):
        with pytest.raises(OptionError, match="dialect 'mine' is one of extension 'mine'"):
            joining.register(extension(PARTS, name="yours"))
        # Nothing of the other is known.
        assert "mine.add" in str(module())


def test_registering_again_replaces():
    with known(extension(parts(meaning=None))):
        joining.register(extension(PARTS))
        launch(module(), "k", (1, 1, 1), [LHS, RHS, np.zeros_like(LHS)])


def test_an_op_of_no_extension_is_as_before():
    text = program("%out0 = mine.add %in0, %in0 : tensor<256xi32>", [], [])
    with pytest.raises(CodeError, match=r"mine\.add"):
        read_text(new_context(), text, "k.mlir")


@pytest.mark.parametrize(
    ("op", "hint"),
    [
        ("arith.selct", ", did you mean 'arith.select'?"),
        ("nv_tileas.convert_layuot", ", did you mean 'nv_tileas.convert_layout'?"),
        ("mine.ad", ", did you mean 'mine.add'?"),
        ("other.op", ""),
    ],
)
def test_a_pass_for_an_op_that_is_not_there(op: str, hint: str):
    class Never(ModulePass):
        name = "never"

    placed = PlacedPass(Never, level="nv_tileas", after="tileas-slicing", ops=frozenset({op}))
    with pytest.raises(OptionError) as raised:
        joining.register(replace(extension(PARTS), passes=(placed,)))
    assert str(raised.value).endswith(f"pass 'never' is for '{op}', which is not an op{hint}")


def test_a_pass_for_ops_of_all_dialects():
    class Never(ModulePass):
        name = "never"

    ops = frozenset({"arith.select", "scf.for", "nv_tileaa.load", "tile.select", "mine.add"})
    placed = PlacedPass(Never, level="nv_tileas", after="tileas-slicing", ops=ops)
    assert joining.register(replace(extension(PARTS), passes=(placed,))).passes[0] is placed


def test_an_instruction_of_the_emulator_s_part_is_known():
    newer = EmulatedInstruction("addd.u32 d, a, b", "u32 <- u32, u32", np.add)
    with known(extension(parts(ptx="addd.u32  d, lhs, rhs", emulator=(newer,)))) as found:
        assert not joining.missing_parts(found)
