"""Conversions between layouts of registers."""

from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas

from .patterns import LowerOp, Patterns
from .values import ThreadProgram


class LowerConvertLayout(LowerOp[nv_tileas.ConvertLayoutOp]):
    """A conversion inside each thread renames registers."""

    def lower(self, op: nv_tileas.ConvertLayoutOp, program: ThreadProgram) -> None:
        source, result = layout_of(op, op.source), layout_of(op, op.result)
        assert source is not None and result is not None
        if source.thread_bases() != result.thread_bases():
            fail(op, f"'{op.name}' op between threads is not supported")
        where = {element: number for number, element in enumerate(source.register_elements())}
        elements = result.register_elements()
        if not set(elements) <= set(where):
            fail(op, f"'{op.name}' op between threads is not supported")
        registers = program.registers[op.source]
        program.registers[op.result] = tuple(registers[where[element]] for element in elements)


PATTERNS: Patterns = {nv_tileas.ConvertLayoutOp: LowerConvertLayout}
