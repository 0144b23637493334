"""Kernels as basic blocks."""

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.program import (
    Barrier,
    BasicBlock,
    Branch,
    Exit,
    IndexedBranch,
    Jump,
    Trap,
    build_program,
)
from tileir_xdsl.emulator.syntax import Guard


def program(body: str) -> tuple[BasicBlock, ...]:
    declarations = ".reg .pred %p<4>; .reg .b32 %r<9>;"
    text = f"{HEADER}.visible .entry k() {{ {declarations}\n{body}\n}}"
    return build_program(parse_module(text).kernels["k"], FORM_TABLE)


def opcodes(block: BasicBlock) -> list[str]:
    return [step.match.instruction.opcode for step in block.steps]


def test_branches_split_blocks():
    entry, loop, end = program(
        "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@!%p1 bra L;\nret;"
    )
    assert opcodes(entry) == ["mov"]
    assert entry.terminator == Jump(1)
    assert opcodes(loop) == ["add", "setp"]
    assert loop.terminator == Branch(Guard("%p1", negated=True), 1, 2)
    assert isinstance(end.terminator, Exit)
    # Falling through is no instruction, a branch is one.
    assert [block.size for block in (entry, loop, end)] == [1, 3, 1]
    assert [block.line for block in (entry, loop, end)] == [6, 7, 10]


def test_guarded_terminators_become_branches():
    entry, trap, barrier, synchronise, rest = program(
        "@%p1 trap;\n@!%p2 bar.sync 0;\nmov.u32 %r1, 0;\nexit;"
    )
    assert entry.terminator == Branch(Guard("%p1", negated=True), 2, 1)
    assert isinstance(trap.terminator, Trap)
    assert barrier.terminator == Branch(Guard("%p2", negated=False), 4, 3)
    assert isinstance(synchronise.terminator, Barrier)
    assert synchronise.terminator.following == 4
    assert opcodes(rest) == ["mov"]


def test_indexed_branch():
    blocks = program("T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: ret;\nB: ret;")
    branch = next(b.terminator for b in blocks if isinstance(b.terminator, IndexedBranch))
    targets = [blocks[target] for target in branch.targets]
    assert [target.line for target in targets] == [8, 9]


def test_collectives_start_a_block_once_per_member_mask():
    first, second, third = program(
        "mov.u32 %r1, 0;\n"
        "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nadd.u32 %r1, %r1, %r2;\n"
        "shfl.sync.bfly.b32 %r2, %r1, 2, 31, -1;\n"
        "vote.sync.ballot.b32 %r3, %p1, %r4;\nret;"
    )
    assert first.convergence is None
    assert second.convergence is not None
    assert opcodes(second) == ["shfl", "add", "shfl"]
    assert opcodes(third) == ["vote"]


def test_a_member_mask_that_changes_starts_a_block():
    blocks = program(
        "vote.sync.ballot.b32 %r3, %p1, %r4;\nvote.sync.ballot.b32 %r5, %p1, %r4;\n"
        "mov.u32 %r4, 3;\nvote.sync.ballot.b32 %r3, %p1, %r4;\nret;"
    )
    assert [opcodes(block) for block in blocks] == [["vote", "vote", "mov"], ["vote"]]


def test_blocks_that_look_at_memory_others_write():
    blocks = program("ld.volatile.global.u32 %r1, [0];\nL: ld.global.u32 %r1, [0];\nret;")
    assert [block.may_wait for block in blocks] == [True, False]


def test_a_kernel_without_ret_ends_with_its_text():
    (block,) = program("mov.u32 %r1, 0;")
    assert isinstance(block.terminator, Exit)
    assert block.size == 1
