"""Loop nests: vectors of elements along the last dimension, with two versions of each nest.

One version is for tiles that lie inside of their arrays, with neighbours next to each other in
memory. The version for such tiles accesses plain vectors. The other version has masks, and any
strides. A test before the nest chooses a version.
"""

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.affine_maps import index_map
from tileir_xdsl.dialects import tilecpu

from .bodies import Version, WindowKey, loop_over, promised_dims
from .kernel import Kernel
from .reductions import emit_reductions, reductions_in
from .windows import ViewAccess, Window, check_window, is_whole, window_of


def emit_nest(kernel: Kernel, op: Operation) -> None:
    """Emits a nest, in two versions if it accesses arrays."""
    assert isinstance(op, tilecpu.NestOp)
    code = kernel.code
    windows: dict[WindowKey, Window] = {}
    whole: SSAValue | None = None
    for access in op.body.block.ops:
        if not isinstance(access, ViewAccess):
            continue
        key = (access.view, tuple(access.coords))
        code.location = access.location
        if key not in windows:
            windows[key] = window_of(kernel, access)
            check_window(kernel, access, windows[key])
        whole = code.both(whole, is_whole(code, windows[key], promised_dims(access)))
        whole = code.both(whole, _are_neighbours(kernel, op, access, windows[key]))
    code.location = op.location

    def write(is_whole: bool) -> list[SSAValue]:
        _emit_version(Version(kernel, op, windows, is_whole))
        return []

    if whole is None:
        write(True)
    else:
        code.if_(whole, lambda: write(True), lambda: write(False))


def _are_neighbours(
    kernel: Kernel, nest: tilecpu.NestOp, op: ViewAccess, window: Window
) -> SSAValue | None:
    """Emits a test whether the stride between lanes of an access is 1; None if no test is
    needed.
    """
    extents = nest.get_extents()
    if not extents or nest.lanes == 1:
        return None
    result: SSAValue | None = None
    at = index_map(op.index.data, extents)
    for dim, index in enumerate(at.results):
        stride = window.stride(dim)
        terms = index.along(len(extents) - 1)
        moves = any(term.divisor % nest.lanes for term in terms)
        if moves and not isinstance(stride, int):
            is_one = kernel.code.compare("eq", stride, kernel.code.integer(1))
            result = kernel.code.both(result, is_one)
    return result


def _emit_version(version: Version) -> None:
    nest = version.nest
    reductions = reductions_in(nest)
    if reductions:
        emit_reductions(version, reductions)
        return
    lanes = None if nest.lanes == 1 else nest.lanes
    loop_over(
        version,
        range(len(nest.get_extents())),
        lanes,
        lambda indices: _run(version, indices, lanes),
    )


def _run(version: Version, indices: Mapping[int, SSAValue], lanes: int | None) -> None:
    version.body([indices[dim] for dim in sorted(indices)], lanes)
