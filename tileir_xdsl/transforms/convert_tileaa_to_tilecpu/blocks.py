"""Converts the ops of a block in the order of their groups."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.traits import IsTerminator

from tileir_xdsl.analysis.iteration_space.index_maps import squeezed
from tileir_xdsl.analysis.iteration_space.tile_ops import Kind, is_token, kind_of, space_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.tilecpu.decisions import group_of, vector_of
from tileir_xdsl.dialects.tilecpu.types import BufferType
from tileir_xdsl.rewriting import look_up

from .nests import NestBody, TileValues, needs_buffer

BEFORE_ALL = -1


def first_element(rank: int) -> AffineMap:
    """A map of no indices to the first element of a buffer."""
    return AffineMap(0, 0, tuple(AffineConstantExpr(0) for _ in range(rank)))


WholeOps = Mapping[type[Operation], Callable[["BlockConversion", Operation], None]]
"""The conversion functions of ops on whole tiles."""


class BlockConversion:
    """Converts one block, and appends the new ops to another block."""

    def __init__(
        self,
        function: nv_tileaa.FuncOp,
        source: Block,
        target: Block,
        values: TileValues,
        homes: Mapping[SSAValue, SSAValue] | None = None,
        whole_ops: WholeOps | None = None,
    ):
        self.function, self.source, self.target, self.values = function, source, target, values
        self.homes = homes or {}
        """The buffers that must hold certain tiles, such as those that a loop carries."""
        self.whole_ops = whole_ops or {}
        self._places: dict[Operation, int] = {}

    def add(self, op: Operation, source: Operation) -> None:
        """Appends an op with the location of `source`."""
        op.location = source.location
        self.target.add_op(op)

    def alloc(self, tile: SSAValue, source: Operation) -> SSAValue:
        """Allocates a buffer for a tile or a scalar."""
        alloc = tilecpu.AllocOp(BufferType.of_tile(tile.type))
        alloc.buffer.name_hint = tile.name_hint
        self.add(alloc, source)
        return alloc.buffer

    def convert(self) -> None:
        """Converts all ops except the terminator."""
        steps: list[tuple[int, int, int, Callable[[], None]]] = []
        groups: dict[int, list[Operation]] = {}
        for number, op in enumerate(self.source.ops):
            group = group_of(op)
            if op.has_trait(IsTerminator):
                continue
            if group is not None:
                groups.setdefault(group, []).append(op)
            elif kind_of(op) is Kind.SCALAR:
                steps.append((self._place(op), 1, number, self._scalar_step(op)))
            elif kind_of(op) in (Kind.STORES, Kind.WHOLE):
                fail(op, f"'{op.name}' op has no group: run tilecpu-group before")
        steps += [(group, 0, 0, self._group_step(group, ops)) for group, ops in groups.items()]
        for _, _, _, step in sorted(steps, key=lambda step: step[:3]):
            step()

    def _place(self, op: Operation) -> int:
        """The last group on which a scalar op depends."""
        found = self._places.get(op)
        if found is None:
            found = self._places[op] = max(map(self._place_of, op.operands), default=BEFORE_ALL)
        return found

    def _place_of(self, value: SSAValue) -> int:
        op = value.owner
        if not isinstance(op, Operation) or op.parent is not self.source or is_token(value):
            return BEFORE_ALL
        group = group_of(op)
        return self._place(op) if group is None else group

    def _scalar_step(self, op: Operation) -> Callable[[], None]:
        return lambda: self._convert_scalar(op)

    def _group_step(self, group: int, ops: Sequence[Operation]) -> Callable[[], None]:
        return lambda: self._convert_group(group, ops)

    def _convert_scalar(self, op: Operation) -> None:
        if isinstance(op, nv_tileaa.ExtractOp):
            buffer = self.values.buffers[op.source]
            self.values.scalars[op.result] = self.read_scalar(buffer, op)
            return
        if op.results and all(is_token(result) for result in op.results):
            return
        copy = type(op).create(
            operands=[self.values.scalar(value) for value in op.operands],
            result_types=list(op.result_types),
            properties=op.properties,
            attributes=op.attributes,
        )
        self.add(copy, op)
        for old, new in zip(op.results, copy.results, strict=True):
            new.name_hint = old.name_hint
            self.values.scalars[old] = new

    def read_scalar(self, buffer: SSAValue, source: Operation) -> SSAValue:
        """Reads the only element of a buffer."""
        assert isinstance(buffer.type, BufferType)
        read = tilecpu.ReadOp(buffer, first_element(len(buffer.type.shape)))
        self.add(read, source)
        return read.element

    def _convert_group(self, group: int, ops: Sequence[Operation]) -> None:
        convert = look_up(self.whole_ops, ops[0])
        if len(ops) == 1 and convert is not None and kind_of(ops[0]) is Kind.WHOLE:
            convert(self, ops[0])
            return
        if any(kind_of(op) is Kind.WHOLE for op in ops):
            fail(ops[0], f"'{ops[0].name}' op is not supported on a CPU")
        self._convert_nest(group, ops)

    def _convert_nest(self, group: int, ops: Sequence[Operation]) -> None:
        extents = squeezed(space_of(ops[0]))
        for op in ops:
            if squeezed(space_of(op)) != extents:
                fail(
                    op,
                    f"expects all ops of group {group} to have the shape "
                    f"{list(extents)} apart from extents of 1",
                )
        lanes = vector_of(self.function, group)
        innermost = extents[-1] if extents else 1
        if lanes < 1 or innermost % lanes:
            fail(
                ops[0],
                f"expects a vector width that divides {innermost}, the innermost "
                f"extent, but got {lanes}",
            )
        outputs: dict[SSAValue, SSAValue] = {
            result: self.output(result, op)
            for op in ops
            for result in op.results
            if self._has_buffer(result, op, group)
        }
        nest = tilecpu.NestOp(extents, lanes)
        body = NestBody(nest, group, self.values)
        for op in ops:
            body.write(op, outputs)
        self.add(nest, ops[-1])
        for result, buffer in outputs.items():
            if isinstance(result.type, TensorType):
                self.values.buffers[result] = buffer
            else:
                owner = result.owner
                assert isinstance(owner, Operation)
                self.values.scalars[result] = self.read_scalar(buffer, owner)

    def _has_buffer(self, result: SSAValue, op: Operation, group: int) -> bool:
        if is_token(result):
            return False
        # The result of a reduction is complete only after the nest.
        return kind_of(op) is Kind.REDUCES or needs_buffer(result, group, self.source)

    def output(self, result: SSAValue, op: Operation) -> SSAValue:
        """The buffer for a result: a prescribed one, or a new one."""
        return self.homes.get(result) or self.alloc(result, op)
