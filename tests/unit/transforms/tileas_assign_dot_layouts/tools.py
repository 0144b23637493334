"""Kernels with some of their text replaced, as far down the road as a pass."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.transforms.pipeline_road import steps


def changed(case: KernelCase, *changes: tuple[str, str]) -> str:
    """The text of a kernel with some of it replaced."""
    program = case.text_path.read_text("utf-8")
    for before, after in changes:
        assert before in program
        program = program.replace(before, after)
    return program


def after(name: str, program: str, gpu: str) -> ModuleOp:
    """A kernel after the first run of a pass."""
    module = tools.parse(program)
    for step in steps(gpu):
        step.module_pass.apply(Context(), module)
        if step.name == name:
            break
    module.verify()
    return module


def atoms(module: ModuleOp) -> list[str]:
    """The atoms of the asynchronous copies."""
    kinds = (nv_tileas.AsyncLoadOp, nv_tileas.AsyncTiledLoadOp)
    copies = (op for op in module.walk() if isinstance(op, kinds))
    return [op.atom.copy_atom.name for op in copies if op.atom and op.atom.copy_atom]
