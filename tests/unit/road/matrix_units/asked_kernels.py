"""Kernels whose entry has a hint, or an attribute by which something is asked for."""

from dataclasses import replace
from pathlib import Path

from xdsl.dialects.builtin import StringAttr

from tests.unit.road.zoo import Lowered, lower
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.case import KernelCase
from tileir_xdsl.testing.kernels.generate import text


def lowered_as_asked(
    case: KernelCase, folder: Path, gpu: str, asked: str = "", hint: str = ""
) -> tuple[KernelCase, Lowered]:
    """A kernel in a folder of its own that asks for something, `attribute = value`, and its PTX."""
    case = replace(case, folder=folder)
    program = text(case).replace("default = {}", f"default = {{{hint}}}")
    case.text_path.write_text(program)
    module = tools.parse(program)
    if asked:
        (entry,) = (op for op in module.walk() if op.name == "cuda_tile.entry")
        attribute, value = asked.split(" = ")
        entry.attributes[attribute] = StringAttr(value)
    return case, lower(module, gpu)
