"""`xdsl-opt -t ptx`: the module as PTX text."""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target as OutputTarget

from tileir_xdsl.backend.ptx.module import PTXParts, Trace, module_parts
from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.targets import PTXVersion, UnknownTargetError, get_target


def emit(
    module: ModuleOp,
    gpu: str | int | None = None,
    ptx_version: str | float | None = None,
    *,
    lineinfo: bool | None = None,
    trace: Trace | None = None,
) -> str:
    """The PTX text of a module of `llvm` and `nvvm` ops; arguments are those of `emit_parts`."""
    return emit_parts(module, gpu, ptx_version, lineinfo=lineinfo, trace=trace).text


def emit_parts(
    module: ModuleOp,
    gpu: str | int | None = None,
    ptx_version: str | float | None = None,
    *,
    lineinfo: bool | None = None,
    trace: Trace | None = None,
) -> PTXParts:
    """The PTX of a module of `llvm` and `nvvm` ops.

    `gpu` is a target such as "sm_90a"; without it the module's attribute `nv_tileaa.target_spec`
    decides, else "sm_90a". `ptx_version`, such as "8.6", defaults to the lowest version that the
    target and the instructions need. `lineinfo` enables `.loc` lines with the locations of the ops;
    by default the module's attribute `nv_tileaa.lineinfo` does. `trace` is called with every kernel
    that was printed.

    Raises `DiagnosticException` for an unknown target or version. It is also raised for the first
    op, type or attribute that PTX, the target or the version does not have.
    """
    if gpu is None:
        attribute = module.attributes.get(TARGET_ATTRIBUTE)
        gpu = attribute.data if isinstance(attribute, StringAttr) else DEFAULT_GPU
    try:
        target = get_target(gpu)
    except UnknownTargetError as error:
        raise DiagnosticException(str(error)) from error
    if lineinfo is None:
        lineinfo = LINE_INFO_ATTRIBUTE in module.attributes
    return module_parts(module, target, _version(ptx_version), lineinfo=lineinfo, trace=trace)


def _version(text: str | float | None) -> PTXVersion | None:
    if text is None:
        return None
    major, dot, minor = str(text).partition(".")
    if not (major.isdecimal() and (minor.isdecimal() or not dot)):
        raise DiagnosticException(f"expected a PTX version such as 8.6, got '{text}'")
    return int(major), int(minor or 0)


@dataclass(frozen=True)
class PTXTarget(OutputTarget):
    """Prints PTX: `xdsl-opt -t 'ptx{gpu=sm_90a ptx-version=8.6 lineinfo=true}'`.

    Without options the target is the one that the pipeline has set on the module. Source lines are
    printed if an attribute of the module requests them.
    """

    name = "ptx"
    gpu: str | int | None = None
    ptx_version: str | float | int | None = None
    lineinfo: bool | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(emit(module, self.gpu, self.ptx_version, lineinfo=self.lineinfo))
