"""Verifying by signatures finds what xDSL's verifier finds."""

import random
from collections.abc import Callable, Sequence

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, f32, i1, i32, i64
from xdsl.ir import Block, ErasedSSAValue, Operation
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.verification import verify_module

NAMES = ("vector_add", "softmax_online", "atomic_updates_i32", "matmul_f16", "attention")
WRONG_TYPES = (i1, i32, i64, f32, llvm.LLVMPointerType())


def lowered(name: str) -> ModuleOp:
    context, module = tools.context(), tools.parse(KERNELS[name].text_path.read_text())
    for module_pass in passes("sm_90a"):
        module_pass.apply(context, module)
    return module


def is_valid(verify: Callable[[ModuleOp], None], module: ModuleOp) -> bool:
    try:
        verify(module)
    except (VerifyException, DiagnosticException, ValueError):
        return False
    return True


def said(verify: Callable[[ModuleOp], None], module: ModuleOp) -> str:
    """The words with which a module is refused."""
    with pytest.raises((VerifyException, DiagnosticException, ValueError)) as raised:
        verify(module)
    return str(raised.value)


def retype_result(op: Operation, rng: random.Random) -> None:
    """Gives a result another type, which its users may not take either."""
    if op.results:
        Rewriter.replace_value_with_new_type(rng.choice(op.results), rng.choice(WRONG_TYPES))


def drop_property(op: Operation, rng: random.Random) -> None:
    if op.properties:
        del op.properties[rng.choice(list(op.properties))]


def add_property(op: Operation, rng: random.Random) -> None:
    op.properties["unknown"] = StringAttr("value")


def change_property(op: Operation, rng: random.Random) -> None:
    if op.properties:
        op.properties[rng.choice(list(op.properties))] = IntegerAttr(rng.randrange(99), i64)


def swap_operand(op: Operation, rng: random.Random) -> None:
    """Uses another value of the function."""
    block = op.parent
    values = [result for other in block.ops for result in other.results] if block else []
    if op.operands and values:
        op.operands[rng.randrange(len(op.operands))] = rng.choice(values)


def drop_operand(op: Operation, rng: random.Random) -> None:
    op.operands = list(op.operands)[1:]


def move_terminator(op: Operation, rng: random.Random) -> None:
    block = op.parent
    if block is not None and block.last_op is not None and block.last_op is not op:
        last = block.last_op
        last.detach()
        block.insert_op_before(last, op)


def branch_elsewhere(end: Operation) -> None:
    """Goes on at a block of no region."""
    end.successors[0] = Block()


def erase_operand(end: Operation) -> None:
    end.operands[0] = ErasedSSAValue(end.operands[0].type, end.operands[0])


def end_early(end: Operation) -> None:
    end.detach()


def spoil(end: Operation) -> None:
    end.properties["unknown"] = StringAttr("value")


def empty_block(op: Operation, rng: random.Random) -> None:
    for other in reversed(list(op.parent.ops) if op.parent is not None else []):
        other.detach()


BREAKS: Sequence[Callable[[Operation, random.Random], None]] = (
    retype_result,
    drop_property,
    add_property,
    change_property,
    swap_operand,
    drop_operand,
    move_terminator,
    empty_block,
)


ROUNDS = [
    *((name, 4) for name in NAMES[:3]),
    *(pytest.param(name, 16, marks=pytest.mark.soak) for name in NAMES),
]
"""How often each break is tried on each kernel: the small ones in `make test`, all in `make soak`."""


@pytest.mark.parametrize(("name", "rounds"), ROUNDS)
def test_what_xdsl_refuses_is_refused(name: str, rounds: int):
    module = lowered(name)
    # Every signature of the module has been accepted from here on.
    verify_module(module)
    rng, refused = random.Random(name), 0
    for number in range(rounds * len(BREAKS)):
        broken = module.clone()
        ops = [op for op in broken.walk() if not op.regions]
        BREAKS[number % len(BREAKS)](rng.choice(ops), rng)
        expected = is_valid(ModuleOp.verify, broken)
        refused += not expected
        assert is_valid(verify_module, broken) == expected, BREAKS[number % len(BREAKS)].__name__
    assert refused > rounds * len(BREAKS) // 3


@pytest.mark.parametrize("change", [branch_elsewhere, erase_operand, end_early, spoil])
def test_ends_of_blocks(change: Callable[[Operation], None]):
    module = tools.parse(
        "llvm.func @f(%a: i32) {\nllvm.br ^next(%a : i32)\n^next(%b: i32):\n"
        "%c = llvm.add %b, %b : i32\nllvm.br ^next(%c : i32)\n}"
    )
    verify_module(module)
    *_, end = (op for op in module.walk() if op.successors)
    change(end)
    expected = said(ModuleOp.verify, module)
    assert expected and said(verify_module, module) == expected


def test_a_signature_is_accepted_for_one_target_only():
    fence = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}"
    module = tools.parse(f"llvm.func @f() {{ {fence} llvm.return }}")
    verdicts: list[bool] = []
    for gpu in ("sm_90a", "sm_80", "sm_90a"):
        module.attributes[TARGET_ATTRIBUTE] = StringAttr(gpu)
        verdicts.append(is_valid(verify_module, module))
        assert is_valid(ModuleOp.verify, module) == verdicts[-1]
    assert verdicts == [True, False, True]
