"""Branches, loops and block arguments: no needless moves, and right values for random graphs."""

import random
import re
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue

from tests.unit.backend.ptx.harness import GPUS, Array, assemble, kernel, ptx, run
from tileir_xdsl.backend.ptx.control_flow import lower_edges
from tileir_xdsl.backend.ptx.instructions import Edge, Guard, Instruction, Line, MachineBlock
from tileir_xdsl.backend.ptx.registers import Component, RegisterClass
from tileir_xdsl.dialects.nvvm.special_registers import ThreadIdXOp
from tileir_xdsl.testing.tools import check, parse

ARGUMENTS = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32"

PROLOGUE = """%zero = llvm.mlir.constant(0 : i32) : i32
%one = llvm.mlir.constant(1 : i32) : i32
%tid = nvvm.read.ptx.sreg.tid.x : i32
%to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32"""


def body_of(text: str) -> list[str]:
    """The instructions and labels of a printed kernel."""
    lines = [line.strip() for line in text.splitlines()]
    return lines[lines.index("{") + 1 :]


ACCUMULATE = f"""{PROLOGUE}
%x = llvm.mlir.constant(1.0 : f32) : f32
llvm.br ^head(%zero, %x, %a : i32, f32, !llvm.ptr<1>)
^head(%i: i32, %acc: f32, %p: !llvm.ptr<1>):
%c = llvm.icmp "slt" %i, %n : i32
llvm.cond_br %c, ^body, ^exit
^body:
%e = llvm.load %p : !llvm.ptr<1> -> f32
%p1 = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
%f = llvm.load %p1 : !llvm.ptr<1> -> f32
%acc1 = llvm.fadd %acc, %e : f32
%acc2 = llvm.fadd %acc1, %f : f32
%i1 = llvm.add %i, %one : i32
%p2 = llvm.getelementptr %p[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
llvm.br ^head(%i1, %acc2, %p2 : i32, f32, !llvm.ptr<1>)
^exit:
llvm.store %acc, %to : f32, !llvm.ptr<1>
llvm.return"""


def test_loop_carried_values_keep_their_registers() -> None:
    text = ptx(kernel(ACCUMULATE, ARGUMENTS))
    check(
        text,
        """
// CHECK:      [[HEAD:\\$L[0-9]+]]:
// CHECK-NEXT: setp.lt.s32 [[C:%p[0-9]+]], [[I:%r[0-9]+]],
// CHECK-NEXT: @![[C]] bra [[EXIT:\\$L[0-9]+]];
// CHECK-NEXT: ld.global.f32 {{%f[0-9]+}}, {{\\[}}[[P:%rd[0-9]+]]{{\\]}};
// CHECK-NEXT: ld.global.f32 {{%f[0-9]+}}, {{\\[}}[[P]]+4{{\\]}};
// CHECK-NEXT: add.rn.f32 [[T:%f[0-9]+]], [[ACC:%f[0-9]+]],
// CHECK-NEXT: add.rn.f32 [[ACC]], [[T]],
// CHECK-NEXT: add.s32 [[I]], [[I]], 1;
// CHECK-NEXT: add.s64 [[P]], [[P]], 8;
// CHECK-NEXT: bra.uni [[HEAD]];
// CHECK-NEXT: [[EXIT]]:
""",
    )
    a, b = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run(kernel(ACCUMULATE, ARGUMENTS), [a, b, 7])
    np.testing.assert_array_equal(b, np.float32(1 + a[:14].sum()))


def test_swap_in_a_loop() -> None:
    body = f"""{PROLOGUE}
llvm.br ^head(%zero, %tid, %n : i32, i32, i32)
^head(%i: i32, %x: i32, %y: i32):
%i1 = llvm.add %i, %one : i32
%c = llvm.icmp "slt" %i1, %n : i32
llvm.cond_br %c, ^head(%i1, %y, %x : i32, i32, i32), ^exit
^exit:
llvm.store %x, %to : i32, !llvm.ptr<1>
llvm.return"""
    for n in (1, 2, 3, 4):
        b = np.zeros(64, np.int32)
        run(kernel(body, ARGUMENTS), [b.copy(), b, n])
        np.testing.assert_array_equal(b, np.arange(64) if n % 2 else n)
    assert sum("mov.b32" in line for line in body_of(ptx(kernel(body, ARGUMENTS)))) == 5


def test_value_used_after_it_was_carried_on() -> None:
    # The previous value leaves the loop: it cannot share the register of the next one.
    body = f"""{PROLOGUE}
llvm.br ^head(%zero, %tid : i32, i32)
^head(%i: i32, %x: i32):
%i1 = llvm.add %i, %one : i32
%x1 = llvm.add %x, %x : i32
%c = llvm.icmp "slt" %i1, %n : i32
llvm.cond_br %c, ^head(%i1, %x1 : i32, i32), ^exit(%x : i32)
^exit(%last: i32):
llvm.store %last, %to : i32, !llvm.ptr<1>
llvm.return"""
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 5])
    np.testing.assert_array_equal(b, np.arange(64) * 16)


def test_unused_block_arguments_and_dead_ops_vanish() -> None:
    body = f"""{PROLOGUE}
%dead = llvm.mul %tid, %tid : i32
llvm.br ^head(%zero, %dead : i32, i32)
^head(%i: i32, %unused: i32):
%i1 = llvm.add %i, %one : i32
%u1 = llvm.mul %unused, %tid : i32
%c = llvm.icmp "slt" %i1, %n : i32
llvm.cond_br %c, ^head(%i1, %u1 : i32, i32), ^exit
^exit:
llvm.store %i1, %to : i32, !llvm.ptr<1>
llvm.return"""
    assert "mul" not in ptx(kernel(body, ARGUMENTS))


def test_jump_back_keeps_its_condition() -> None:
    body = f"""{PROLOGUE}
llvm.br ^head(%zero, %tid : i32, i32)
^head(%i: i32, %before: i32):
%i1 = llvm.add %i, %one : i32
%next = llvm.add %before, %i1 : i32
%c = llvm.icmp "slt" %before, %n : i32
llvm.cond_br %c, ^head(%i1, %next : i32, i32), ^exit
^exit:
llvm.store %before, %to : i32, !llvm.ptr<1>
llvm.return"""
    lines = body_of(ptx(kernel(body, ARGUMENTS)))
    jump = next(number for number, line in enumerate(lines) if " bra $L1" in line)
    assert lines[jump - 1].startswith("@%p0 mov.b32") and lines[jump].startswith("@%p0 bra")
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 10])
    sums = np.arange(64)[:, None] + np.array([0, 1, 3, 6, 10])
    np.testing.assert_array_equal(b, [row[row >= 10][0] for row in sums])


def test_copies_of_both_edges_come_before_the_jump() -> None:
    # A loop that may not run at all: its values begin with five constants, one of which differs.
    arguments = ", ".join(f"%x{n}: i32" for n in range(6))
    results = ", ".join(f"%y{n}: i32" for n in range(6))
    types = ", ".join(["i32"] * 6)
    steps = "\n".join(f"%z{n} = llvm.add %x{n}, %tid : i32" for n in range(1, 6))
    sums = "\n".join(
        f"%s{n + 1} = llvm.add %s{n}, %y{n} : i32" if n else "%s1 = llvm.mul %y0, %one : i32"
        for n in range(6)
    )
    values = ", ".join(f"%z{n}" for n in range(1, 6))
    body = f"""{PROLOGUE}
%c = llvm.icmp "slt" %tid, %n : i32
llvm.cond_br %c, ^head(%zero, %one, %one, %zero, %one, %n : {types}),
  ^exit(%zero, %one, %one, %zero, %one, %tid : {types})
^head({arguments}):
%z0 = llvm.add %x0, %one : i32
{steps}
%again = llvm.icmp "slt" %z0, %n : i32
llvm.cond_br %again, ^head(%z0, {values} : {types}), ^exit(%z0, {values} : {types})
^exit({results}):
{sums}
llvm.store %s6, %to : i32, !llvm.ptr<1>
llvm.return"""
    lines = body_of(ptx(kernel(body, ARGUMENTS)))
    constants = [line for line in lines if re.match(r"mov\.b32 %r\d+, [01];", line)]
    assert len(constants) == 5
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 10])
    tid = np.arange(64)
    np.testing.assert_array_equal(b, np.where(tid < 10, 10 + 3 + 10 + 50 * tid, 3 + tid))


def test_small_branch_is_predicated() -> None:
    body = f"""{PROLOGUE}
%c = llvm.icmp "slt" %tid, %n : i32
llvm.cond_br %c, ^then, ^join
^then:
llvm.store %tid, %to : i32, !llvm.ptr<1>
llvm.br ^join
^join:
llvm.return"""
    text = ptx(kernel(body, ARGUMENTS))
    assert "bra" not in text and "@%p0 st.global.b32 [%rd1], %r1;" in text
    b = np.full(64, -1, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 10])
    np.testing.assert_array_equal(b, np.where(np.arange(64) < 10, np.arange(64), -1))


def test_small_branch_with_a_result_is_predicated() -> None:
    body = f"""{PROLOGUE}
%c = llvm.icmp "slt" %tid, %n : i32
llvm.cond_br %c, ^then, ^join(%n : i32)
^then:
%x = llvm.add %tid, %one : i32
llvm.br ^join(%x : i32)
^join(%r: i32):
llvm.store %r, %to : i32, !llvm.ptr<1>
llvm.return"""
    assert "bra" not in ptx(kernel(body, ARGUMENTS))
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 10])
    np.testing.assert_array_equal(b, np.where(np.arange(64) < 10, np.arange(64) + 1, 10))


def test_side_block_that_changes_its_own_condition_is_not_predicated() -> None:
    # The loop-carried predicate is its own guard: a later instruction must not see it changed.
    body = f"""{PROLOGUE}
%c63 = llvm.mlir.constant(3 : i32) : i32
%start = llvm.icmp "slt" %tid, %n : i32
llvm.br ^head(%zero, %start, %tid : i32, i1, i32)
^head(%i: i32, %p: i1, %x: i32):
%i1 = llvm.add %i, %one : i32
llvm.cond_br %p, ^side, ^next(%p, %x : i1, i32)
^side:
%q = llvm.icmp "slt" %i1, %c63 : i32
%y = llvm.add %x, %i1 : i32
llvm.br ^next(%q, %y : i1, i32)
^next(%r: i1, %z: i32):
%more = llvm.icmp "slt" %i1, %n : i32
llvm.cond_br %more, ^head(%i1, %r, %z : i32, i1, i32), ^exit
^exit:
llvm.store %z, %to : i32, !llvm.ptr<1>
llvm.return"""
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 10])
    tid = np.arange(64)
    np.testing.assert_array_equal(b, np.where(tid < 10, tid + 6, tid))


@pytest.mark.parametrize("order", ["%more, %i1, %y", "%i1, %more, %y", "%i1, %y, %more"])
def test_a_loop_that_carries_its_own_condition(order: str) -> None:
    """The last iteration changes the condition by which it carries on, and all else as well."""
    types = ", ".join("i1" if name == "%more" else "i32" for name in order.split(", "))
    first = order.replace("%more", "%true").replace("%i1", "%zero").replace("%y", "%tid")
    names = order.replace("%more", "%go: i1").replace("%i1", "%i: i32").replace("%y", "%x: i32")
    body = f"""{PROLOGUE}
%true = llvm.icmp "sge" %tid, %zero : i32
llvm.br ^loop({first} : {types})
^loop({names}):
%i1 = llvm.add %i, %one : i32
%y = llvm.mul %x, %i1 : i32
%more = llvm.icmp "slt" %i1, %n : i32
llvm.cond_br %go, ^loop({order} : {types}), ^exit
^exit:
%r = llvm.add %y, %i : i32
llvm.store %r, %to : i32, !llvm.ptr<1>
llvm.return"""
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 4])
    # Four iterations that go on, and one that does not.
    np.testing.assert_array_equal(b, np.arange(64) * 120 + 4)


def test_arrival_at_an_mbarrier_is_predicated() -> None:
    body = f"""{PROLOGUE}
%barrier = llvm.inttoptr %zero : i32 to !llvm.ptr<3>
%c = llvm.icmp "slt" %tid, %n : i32
llvm.cond_br %c, ^then, ^join
^then:
nvvm.mbarrier.arrive %barrier : !llvm.ptr<3>
llvm.br ^join
^join:
llvm.return"""
    text = ptx(kernel(body, ARGUMENTS))
    assert "bra" not in text and "@%p0 mbarrier.arrive.shared::cta.b64 _" in text


def test_collectives_are_not_predicated() -> None:
    body = f"""{PROLOGUE}
%c = llvm.icmp "slt" %n, %one : i32
llvm.cond_br %c, ^then, ^join
^then:
nvvm.barrier
llvm.br ^join
^join:
llvm.return"""
    check(ptx(kernel(body, ARGUMENTS)), "// CHECK: bra $L\n// CHECK-NEXT: bar.sync 0;")


def test_negated_condition_and_constant_condition() -> None:
    body = f"""{PROLOGUE}
%true = llvm.mlir.constant(true) : i1
%c = llvm.icmp "slt" %tid, %n : i32
%d = llvm.xor %c, %true : i1
llvm.cond_br %d, ^then, ^join
^then:
llvm.store %tid, %to : i32, !llvm.ptr<1>
llvm.br ^join
^join:
llvm.cond_br %true, ^end, ^never
^never:
llvm.store %n, %to : i32, !llvm.ptr<1>
llvm.br ^end
^end:
llvm.return"""
    text = ptx(kernel(body, ARGUMENTS))
    assert "@!%p0 st.global.b32" in text and text.count("st.global") == 1 and "not.pred" not in text


@pytest.mark.parametrize("flips", ["", "1", "11", "0", "10", "01", "101"])
@pytest.mark.parametrize("base", ["%true", "%false", "%c"])
def test_conditions_that_are_flipped_with_constants(base: str, flips: str) -> None:
    """By the right operand of `xor`, which is all ones or changes nothing."""
    lines = [
        f"%f{n} = llvm.xor {f'%f{n - 1}' if n else base}, %{'true' if bit == '1' else 'false'} : i1"
        for n, bit in enumerate(flips)
    ]
    condition = f"%f{len(flips) - 1}" if flips else base
    body = f"""{PROLOGUE}
%true = llvm.mlir.constant(true) : i1
%false = llvm.mlir.constant(false) : i1
%c = llvm.icmp "slt" %tid, %n : i32
{chr(10).join(lines)}
llvm.cond_br {condition}, ^then, ^else
^then:
llvm.store %one, %to : i32, !llvm.ptr<1>
llvm.return
^else:
llvm.store %n, %to : i32, !llvm.ptr<1>
llvm.return"""
    found = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [found, found, 20])
    holds = {"%true": np.ones(64, bool), "%false": np.zeros(64, bool), "%c": np.arange(64) < 20}
    expected = np.where(holds[base] ^ (flips.count("1") % 2 == 1), 1, 20)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("taken", [False, True])
def test_loop_behind_a_constant_condition(taken: bool) -> None:
    body = f"""{PROLOGUE}
%taken = llvm.mlir.constant({str(taken).lower()}) : i1
llvm.cond_br %taken, ^before(%tid : i32), ^after(%tid : i32)
^before(%x: i32):
llvm.br ^loop(%zero, %x : i32, i32)
^loop(%i: i32, %y: i32):
%y1 = llvm.add %y, %n : i32
%i1 = llvm.add %i, %one : i32
%more = llvm.icmp "slt" %i1, %n : i32
llvm.cond_br %more, ^loop(%i1, %y1 : i32, i32), ^after(%y1 : i32)
^after(%z: i32):
llvm.store %z, %to : i32, !llvm.ptr<1>
llvm.return"""
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 5])
    np.testing.assert_array_equal(b, np.arange(64) + 25 * taken)
    # Nothing jumps to the loop, so it is not written.
    assert ("bra" in ptx(kernel(body, ARGUMENTS))) == taken


def test_blocks_in_any_order() -> None:
    body = f"""{PROLOGUE}
llvm.br ^second
^third:
llvm.store %y, %to : i32, !llvm.ptr<1>
llvm.return
^second:
%y = llvm.add %tid, %n : i32
llvm.br ^third
^unreachable:
llvm.br ^third"""
    b = np.zeros(64, np.int32)
    run(kernel(body, ARGUMENTS), [b.copy(), b, 5])
    np.testing.assert_array_equal(b, np.arange(64) + 5)
    assert "bra" not in ptx(kernel(body, ARGUMENTS))


@pytest.mark.parametrize("gpu", GPUS)
def test_ptxas_accepts(gpu: str) -> None:
    assemble(ptx(kernel(ACCUMULATE, ARGUMENTS), gpu), gpu)


# Random control flow graphs against an evaluation of the ops.


def random_graph(seed: int) -> str:
    """A kernel with loops that are not nested in any order, and with many block arguments."""
    generator = random.Random(seed)
    count, width = generator.randint(2, 5), generator.randint(1, 5)
    names = [f"v{n}" for n in range(width)]
    types = ", ".join(["i32"] * (width + 1))
    lines = [PROLOGUE, "%k1 = llvm.mlir.constant(3 : i32) : i32"]
    shared = ["%tid", "%n", "%one", "%k1"]

    def arguments(values: Sequence[str], fuel: str) -> str:
        picked = [generator.choice(values) for _ in range(width)]
        return f"({fuel}, {', '.join(picked)} : {types})"

    def ops(prefix: str, values: list[str]) -> list[str]:
        result = list(values)
        for n in range(generator.randint(0, 4)):
            name = f"%{prefix}x{n}"
            op = generator.choice(("llvm.add", "llvm.sub", "llvm.mul", "llvm.xor", "llvm.and"))
            lines.append(
                f"{name} = {op} {generator.choice(result)}, {generator.choice(result)} : i32"
            )
            result.append(name)
        return result

    entry = ops("e", shared)
    lines.append("%fuel = llvm.mlir.constant(12 : i32) : i32")
    lines.append(f"llvm.br ^b{generator.randrange(count)}{arguments(entry, '%fuel')}")
    for block in range(count):
        parameters = [f"%b{block}f", *(f"%b{block}{name}" for name in names)]
        declared = ", ".join(f"{name}: i32" for name in parameters)
        lines.append(f"^b{block}({declared}):")
        values = ops(f"b{block}", [*parameters[1:], *generator.sample(entry, 2)])
        lines += [
            f"%b{block}g = llvm.sub %b{block}f, %one : i32",
            f'%b{block}c = llvm.icmp "sgt" %b{block}g, %zero : i32',
            f"llvm.cond_br %b{block}c, ^m{block}, ^exit{arguments(values, f'%b{block}g')}",
            f"^m{block}:",
        ]
        inner = ops(f"m{block}", values)
        lines += [
            f"%m{block}a = llvm.and {generator.choice(inner)}, %k1 : i32",
            f'%m{block}c = llvm.icmp "ult" %m{block}a, %one : i32',
            f"llvm.cond_br %m{block}c, "
            f"^b{generator.randrange(count)}{arguments(inner, f'%b{block}g')}, "
            f"^b{generator.randrange(count)}{arguments(inner, f'%b{block}g')}",
        ]
    declared = ", ".join(f"%r{name}: i32" for name in ("f", *names))
    lines.append(f"^exit({declared}):")
    total = "%rf"
    for name in names:
        lines.append(f"%s{name} = llvm.mul {total}, %k1 : i32")
        lines.append(f"%t{name} = llvm.add %s{name}, %r{name} : i32")
        total = f"%t{name}"
    lines += [f"llvm.store {total}, %to : i32, !llvm.ptr<1>", "llvm.return"]
    return kernel("\n".join(lines), ARGUMENTS)


def evaluated(function: llvm.FuncOp, tid: int, n: int) -> int:
    """What the only store of a function stores, by evaluating its ops one by one."""
    values: dict[SSAValue, int] = {}
    block: Block | None = function.body.blocks.first
    assert block is not None
    values[block.args[2]] = n
    stored = 0
    while block is not None:
        following: Block | None = None
        for op in block.ops:
            if isinstance(op, llvm.StoreOp):
                stored = values[op.value]
            elif isinstance(op, llvm.BrOp):
                following = _enter(values, op.successor, op.arguments)
            elif isinstance(op, llvm.CondBrOp):
                if values[op.cond]:
                    following = _enter(values, op.then_block, op.then_arguments)
                else:
                    following = _enter(values, op.else_block, op.else_arguments)
            elif op.results and not isinstance(op, llvm.GEPOp):
                values[op.results[0]] = _evaluate(op, values, tid)
        block = following
    return stored


def _enter(values: dict[SSAValue, int], block: Block, arguments: Sequence[SSAValue]) -> Block:
    passed = [values[argument] for argument in arguments]
    values.update(zip(block.args, passed, strict=True))
    return block


def _evaluate(op: Operation, values: dict[SSAValue, int], tid: int) -> int:
    def signed(value: int) -> int:
        return (value + (1 << 31)) % (1 << 32) - (1 << 31)

    match op:
        case ThreadIdXOp():
            return tid
        case llvm.ConstantOp():
            constant = op.value
            assert hasattr(constant, "value")
            return int(constant.value.data)  # pyright: ignore
        case llvm.ICmpOp():
            a, b = values[op.lhs], values[op.rhs]
            unsigned = llvm.ICmpPredicateFlag.from_int(op.predicate.value.data) == "ult"
            return int(a % (1 << 32) < b % (1 << 32)) if unsigned else int(a > b)
        case _:
            a, b = (values[operand] for operand in op.operands)
            results = {
                "llvm.add": a + b,
                "llvm.sub": a - b,
                "llvm.mul": a * b,
                "llvm.xor": a ^ b,
                "llvm.and": a & b,
            }
            return signed(results[op.name])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(60))
def test_random_graph(seed: int) -> None:
    text = random_graph(seed)
    function = parse(text).body.block.first_op
    assert isinstance(function, llvm.FuncOp)
    result: Array = np.zeros(64, np.int32)
    run(text, [result.copy(), result, 77])
    threads = (0, 1, 2, 3, 17, 40, 63)
    expected = [evaluated(function, tid, 77) for tid in threads]
    np.testing.assert_array_equal(result[list(threads)], np.array(expected, np.int64))


def _left(blocks: Sequence[MachineBlock], merged: dict[int, int], start: Sequence[int]) -> object:
    """Which block without successors is reached, and what the first registers hold there."""
    values, number = dict(enumerate(start)), 0

    def read(source: Component) -> int:
        assert isinstance(source, int)
        return values[merged.get(source, source)]

    def holds(guard: Guard | None) -> bool:
        return guard is None or bool(read(guard.predicate)) != guard.negated

    def run(lines: Sequence[Line]) -> None:
        for line in lines:
            assert isinstance(line, Instruction)
            destination, source = line.operands
            assert isinstance(destination, int) and isinstance(source, int)
            if holds(line.guard):
                values[destination] = read(source)

    while (edge := blocks[number].fallthrough) is not None:
        run(blocks[number].lines)
        taken = [branch for guard, branch in blocks[number].branches if holds(guard)]
        if taken:
            edge = taken[0]
        else:
            run(blocks[number].tail)
        values |= {destination: read(source) for destination, source in edge.copies}
        number = edge.target
    return number, [values[register] for register in range(len(start))]


def test_edges_of_random_blocks_copy_what_they_did() -> None:
    """Copies and guards share few predicates, of which coalescing has merged some."""
    rng = random.Random(7)
    # Registers 4 to 7 are other names of the first four.
    merged = {register: register - 4 for register in range(4, 8)}
    for _ in range(400):
        common = {rng.randrange(4): rng.randrange(4)} if rng.random() < 0.7 else {}
        edges: list[Edge] = []
        for target in range(1, rng.choice((3, 3, 4))):
            own = {rng.randrange(4): rng.randrange(4) for _ in range(rng.randrange(4))}
            edges.append(Edge(target, list((own | common).items())))
        *taken, otherwise = edges
        guards = [Guard(rng.randrange(8), rng.random() < 0.5) for _ in taken]
        block = MachineBlock(branches=list(zip(guards, taken, strict=True)), fallthrough=otherwise)
        graph = [block, *(MachineBlock() for _ in edges)]
        # The guards of a switch exclude each other.
        starts = [
            start
            for start in product((0, 1), repeat=4)
            if sum(bool(start[g.predicate % 4]) != g.negated for g in guards) <= 1
        ]
        wanted = [_left(graph, merged, start) for start in starts]
        lowered = lower_edges(graph, [RegisterClass.PREDICATE] * 8, merged)
        assert [_left(lowered, merged, start) for start in starts] == wanted


SHARED_GUARD = f"""{PROLOGUE}
%x = llvm.icmp "slt" %tid, %n : i32
llvm.br ^head(%x, %tid : i1, i32)
^head(%flag: i1, %i: i32):
%f = llvm.select %flag, %one, %zero : i1, i32
%bit = llvm.and %i, %one : i32
%even = llvm.icmp "eq" %bit, %zero : i32
%stop = llvm.icmp "sgt" %i, %n : i32
llvm.cond_br %stop, ^exit, ^more
^more:
%half = llvm.and %i, %n : i32
%low = llvm.icmp "eq" %half, %zero : i32
%next = llvm.add %i, %one : i32
llvm.cond_br %low, ^keep, ^drop
^keep:
llvm.br ^head(%even, %next : i1, i32)
^drop:
llvm.cond_br %even, ^near(%x : i1), ^far(%x : i1)
^near(%p: i1):
llvm.br ^head(%p, %next : i1, i32)
^far(%q: i1):
%end = llvm.add %i, %n : i32
llvm.br ^head(%q, %end : i1, i32)
^exit:
%k = llvm.shl %i, %one : i32
%s = llvm.or %k, %f : i32
llvm.store %s, %to : i32, !llvm.ptr<1>
llvm.return"""


def test_a_copy_of_all_edges_spares_the_guard_it_shares_a_register_with() -> None:
    def expected(tid: int, n: int) -> int:
        flag, i = tid < n, tid
        while i <= n:
            even = i % 2 == 0
            flag = even if i & n == 0 else tid < n
            i += n if i & n and not even else 1
        return 2 * i + flag

    b = np.zeros(64, np.int32)
    run(kernel(SHARED_GUARD, ARGUMENTS), [b, b, 6])
    assert b[:16].tolist() == [expected(tid, 6) for tid in range(16)]
