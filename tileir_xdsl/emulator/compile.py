"""Compiles basic blocks to Python functions over numpy arrays.

Each block is compiled on its first run, once for groups whose threads are all active and once with
a mask. The result is `function(group, v, m)`: `v` are the register views of the group's rectangle,
`m` is the mask (see `BlockBuilder`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE, KernelNames
from tileir_xdsl.emulator.postponement import can_wait, needs_of
from tileir_xdsl.emulator.program import Barrier, BasicBlock, Branch, IndexedBranch
from tileir_xdsl.emulator.races.sites import Sites, granules
from tileir_xdsl.emulator.races.uses import mma_registers, register_uses
from tileir_xdsl.emulator.syntax import Instruction, Kernel, Operand, Register
from tileir_xdsl.emulator.types import TYPES, Array, ScalarType
from tileir_xdsl.emulator.waits import Waits, find_waits

CompiledBlock = Callable[[Any, list[Array], Any], None]
CompiledSource = Callable[[Any, list[Array]], Array]
_WORD = TYPES["u32"]
# File name of generated code; a traceback through it tells which instruction failed.
SOURCE_NAME = "<compiled PTX>"


@lru_cache(maxsize=4096)
def _code(source: str) -> CodeType:
    """The code of a generated function, cached for kernels that share blocks."""
    return compile(source, SOURCE_NAME, "exec")


@dataclass
class CompiledKernel:
    """The names and generated functions of a kernel, independent of any launch."""

    names: KernelNames
    blocks: tuple[BasicBlock, ...]
    functions: dict[tuple[int, bool, bool, bool], CompiledBlock] = field(
        default_factory=dict[tuple[int, bool, bool, bool], CompiledBlock]
    )
    origins: dict[CompiledBlock, list[Instruction]] = field(
        default_factory=dict[CompiledBlock, list[Instruction]]
    )

    @property
    def kernel(self) -> Kernel:
        return self.names.kernel

    def function(
        self, index: int, *, masked: bool, checked: bool = False, puts_off: bool = False
    ) -> CompiledBlock:
        """The function of a basic block. If `checked`, it reports its accesses to the race
        detector. If it `puts_off` accesses, they may take effect late.

        Raises `EmulatorError` for operands that an instruction does not accept.
        """
        found = self.functions.get((index, masked, checked, puts_off))
        if found is None:
            builder = BlockBuilder(self.names, masked=masked, checked=checked, puts_off=puts_off)
            steps = self.blocks[index].steps
            matches = [step.match for step in steps]
            uses = register_uses(matches, self.sites.mma_registers) if checked else {}
            for position, step in enumerate(steps):
                builder.step(
                    step.match,
                    step.semantics.emit,
                    uses.get(position, ()),
                    needs=needs_of(step.match.instruction) if puts_off else None,
                    can_wait=puts_off and can_wait(self.blocks, index, position),
                )
            terminator = self.blocks[index].terminator
            if isinstance(terminator, Branch):
                self.names.slot(terminator.guard.register, PREDICATE)
            found = self._compile(builder.lines, f"block_{index}_{int(masked)}")
            self.functions[index, masked, checked, puts_off] = found
            self.origins[found] = builder.origins
        return found

    def check(self) -> None:
        """Compiles all blocks, and the operands of their terminators.

        Raises `EmulatorError` for operands that an instruction does not accept.
        """
        for index, block in enumerate(self.blocks):
            self.function(index, masked=False)
            match block.terminator:
                case Barrier(match):
                    count = match.immediate("b")
                    if count is not None and count % WARP_SIZE:
                        raise match.fail(
                            f"the thread count of a barrier must be a multiple of {WARP_SIZE}"
                        )
                    for name, type_ in (("a", _WORD), ("b", _WORD), ("c", PREDICATE)):
                        if name in match.operands:
                            self.operand_reader(match, match.operands[name], type_)
                    if "d" in match.operands:
                        type_ = _WORD if match["reduce"] == "popc" else PREDICATE
                        self.destination_slot(match, match.operands["d"], type_)
                case IndexedBranch(instruction, operand):
                    self.operand_reader(Match(instruction, {}, {}), operand, _WORD)
                case _:
                    pass

    @cached_property
    def waits(self) -> Waits:
        """The loops of the kernel that may wait for other blocks."""
        return find_waits(self.blocks)

    @cached_property
    def sites(self) -> Sites:
        """Facts about the kernel that the race detector needs."""
        return Sites(self.names.sites, granules(self._matches()), mma_registers(self._matches()))

    def _matches(self) -> Iterator[Match]:
        return (step.match for block in self.blocks for step in block.steps)

    def operand_reader(self, match: Match, operand: Operand, type_: ScalarType) -> CompiledSource:
        """A function `(group, v)` that returns an operand of a terminator as an array."""
        builder = BlockBuilder(self.names, masked=False)
        builder.match = match
        expression = builder.source(operand, type_)
        return eval(f"lambda group, v: {expression}", self.names.namespace)

    def destination_slot(self, match: Match, operand: Operand, type_: ScalarType) -> int | None:
        """The slot that receives the result of a terminator; `None` for `_`."""
        builder = BlockBuilder(self.names, masked=False)
        builder.match = match
        if builder.destination(operand, type_) is None or not isinstance(operand, Register):
            return None
        return self.names.slot(operand.name, type_)

    def _compile(self, lines: Sequence[str], name: str) -> CompiledBlock:
        body = "".join(f"    {line}\n" for line in lines) or "    pass\n"
        source = f"def {name}(group, v, m):\n{body}"
        exec(_code(source), self.names.namespace)
        return self.names.namespace.pop(name)
