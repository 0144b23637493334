"""Plans the slicing of one loop, or fails with the reason why it is impossible.

    scf.for %i = %c0 to %c10 step %c1 iter_args(%acc = %init) -> (T) {..} {sliceCount = 4 : i32}
    ->
    the ranges 0..3, 3..6, 6..8 and 8..10, each after the first starting %acc from the result of
    the one before

If the division has a remainder, the first ranges get one more iteration each.
"""

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, SSAValue

from tileir_xdsl.analysis.values.carried_values import carried_values_that_matter
from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.transforms.tileas_slicing.affine_index import affine_index
from tileir_xdsl.walking import ops_in

from . import diagnostics
from .operands import tiled_operands
from .partition import Range, slice_ranges
from .plan import LoopPlan, Start
from .supported import COPIES, Callees, has_concrete_atom, is_supported

ATTRIBUTE = "sliceCount"

TRAVERSED = (
    AgentLikeOpInterface,
    func.FuncOp,
    nv_tileaa.FuncOp,
    ConsumeOp,
    ProduceOp,
    scf.ForOp,
)
"""The ops whose block arguments may be initial values of a sliced loop."""


def plan_loop(loop: scf.ForOp, callees: Callees, returned: frozenset[SSAValue]) -> LoopPlan:
    """The plan of a loop; `returned` are the values that functions return.

    Raises:
        PassFailedException: the loop cannot be sliced.
    """
    space = _constant_space(loop)
    count = _slice_count(loop, loop.attributes[ATTRIBUTE], space)
    if not _is_lower_bound(loop.lb):
        fail(loop, diagnostics.LOWER_BOUND)
    if not all(_is_initial_value(value, returned) for value in loop.iter_args):
        fail(loop, diagnostics.INITIAL_VALUE)
    for op in ops_in(loop.body):
        if not is_supported(op, callees):
            fail(loop, diagnostics.OPERATION)
        if isinstance(op, COPIES) and not has_concrete_atom(op):
            fail(loop, diagnostics.COPY_ATOM)
    return LoopPlan(
        count,
        None if space is None else slice_ranges(space, count),
        tuple(
            Start.PREVIOUS_SLICE if matters else Start.INITIAL_VALUE
            for matters in carried_values_that_matter(loop)
        ),
        tiled_operands(loop),
    )


def _constant_space(loop: scf.ForOp) -> Range | None:
    """The iteration space, if its bounds are constant."""
    lower, upper, step = (constant_index(value) for value in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or step is None:
        return None
    return Range(lower, upper, step)


def _slice_count(loop: scf.ForOp, attribute: Attribute, space: Range | None) -> int:
    """The number of slices, which must not exceed a known number of iterations, except for 1."""
    if not isinstance(attribute, IntegerAttr) or (count := attribute.value.data) < 1:
        fail(loop, diagnostics.COUNT)
    # More slices than iterations would leave empty loops.
    if space is not None and (space.step < 1 or count > max(1, space.trips)):
        fail(loop, diagnostics.COUNT)
    return count


def _is_lower_bound(value: SSAValue) -> bool:
    """Whether a lower bound is constant, or affine in induction variables of outer loops."""
    return affine_index(value) is not None


def _is_initial_value(value: SSAValue, returned: frozenset[SSAValue]) -> bool:
    """Whether a value can be the initial value of each slice, and is not returned."""
    # Slices in between would each have to give it, too.
    if value in returned:
        return False
    owner = value.owner
    return not isinstance(owner, Block) or isinstance(owner.parent_op(), TRAVERSED)
