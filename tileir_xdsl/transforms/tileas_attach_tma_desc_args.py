"""`tileas-attach-tma-desc-args`: tensor maps become kernel arguments, which the launch makes.

    nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %m: i32, %s: i32) {
      ..
      %d = nv_tileas.make_tiled_tma_desc %v[%c128, %c64] {.., tmaIdx = 0 : i32} : ..
    // becomes
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %m: i32, %s: i32,
                      %d: !nv_tileas.tma_desc {grid_constant})
        attributes {nv_tileas.num-host-tmas = 1 : i32, nv_tileas.num-device-tmas = 0 : i32,
                    nv_tileas.tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, ..>]}

The new arguments follow all others, in the order of `tmaIdx`. Each tensor map has a recipe, by
which the launch computes it from other arguments. Source: the TileAS notes on TMA,
"AttachTMADescArgs".

A launch by ABI `tile` makes no tensor maps. With that ABI, one op at the start of the kernel makes
them:

    %d = nv_tileas.make_device_tma_descs %p, %m, %s {slots = 3072 : i32, tensor_maps = [..]} : ..

and `nv_tileas.num-device-tmas` counts them. The number of slots for tensor maps is the largest
number of the kernel's thread blocks that any GPU can run at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i32,
)
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tileir_xdsl.analysis.access.tma_access import viewed_object
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout, swizzle_mode
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP, block_warps
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.launch_attributes import TENSOR_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode, SwizzleMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import (
    LaunchValue,
    TensorMapAttr,
    TensorMapRecipe,
    tensor_map_recipes,
)
from tileir_xdsl.dialects.nv_tileas.tiled_memory import viewed_tile
from tileir_xdsl.dialects.nv_tileas.tma import TmaTransferOp
from tileir_xdsl.dialects.nv_tileas.types import layout_of
from tileir_xdsl.dialects.resource_attributes import DEVICE_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_around
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.abi import MOST_MULTIPROCESSORS
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

HOST_COUNT = "nv_tileas.num-host-tmas"
DEVICE_COUNT = "nv_tileas.num-device-tmas"
"""The kernel attributes that count the tensor maps made by the launch and by the kernel."""

GRID_CONSTANT = "grid_constant"
"""The attribute of an argument that all tile blocks read directly from parameter memory."""


@dataclass(frozen=True)
class TileASAttachTMADescArgsPass(FunctionPass):
    """Makes tensor maps arguments of their kernels."""

    name = "tileas-attach-tma-desc-args"

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        for function in functions_in(scopes):
            if function.body.blocks and (plan := plan_tensor_maps(function)) is not None:
                execute(plan)


@dataclass(frozen=True)
class TensorMapPlan:
    """The tensor maps of a function that become arguments, and the recipes of all its arguments."""

    function: nv_tileaa.FuncOp
    made: tuple[nv_tileas.MakeTiledTmaDescOp, ...]
    """The tensor maps that become arguments, in the order of the arguments."""
    recipes: tuple[TensorMapRecipe, ...]
    """The recipes of existing tensor-map arguments, then of the new ones."""
    slots: int = 0
    """The slots for tensor maps that thread blocks make; 0 if the launch makes them."""


def plan_tensor_maps(function: nv_tileaa.FuncOp) -> TensorMapPlan | None:
    """The plan for the tensor maps of one function; None if it makes none.

    Raises:
        PassFailedException: a launch cannot make one of them, or numbers do not fit.
    """
    ops = ops_in(function)
    made = [op for op in ops if isinstance(op, nv_tileas.MakeTiledTmaDescOp)]
    transfers = [op for op in ops if isinstance(op, TmaTransferOp)]
    known = tensor_map_recipes(function)
    if not made:
        _check_transfers(function, transfers, len(known))
        return None
    # Other functions are called from device code, where no launch makes tensor maps.
    if function.kernel_spec is None:
        fail(
            function,
            "expects make_tiled_tma_desc only in kernels: calls of other functions pass no tensor "
            "maps",
        )
    target = target_around(function)
    # The ABI 'tile' has only the arguments of the Tile IR kernel, which any launcher knows.
    by_kernel = target is not None and target.is_self_contained
    if by_kernel and DEVICE_MAPS_ATTRIBUTE not in function.attributes:
        fail(made[0], f"'{made[0].name}' op expects a tensor map, but ABI 'tile' passes none")
    # The launch finds tensor maps by number, so the arguments follow the numbers.
    made = _in_order(made, len(known))
    recipes = [*known, *(recipe_of(op) for op in made)]
    _check_transfers(function, transfers, len(recipes), attached=True)
    slots = resident_blocks(function, target) if target is not None and by_kernel else 0
    return TensorMapPlan(function, tuple(made), tuple(recipes), slots)


def resident_blocks(function: nv_tileaa.FuncOp, target: Target) -> int:
    """A bound on the thread blocks of a kernel that a GPU runs at once, by the number of
    threads.
    """
    limits, threads = target.limits, block_warps(function) * THREADS_PER_WARP
    blocks = min(
        limits.max_threads_per_multiprocessor // threads, limits.max_blocks_per_multiprocessor
    )
    return MOST_MULTIPROCESSORS * max(1, blocks)


def execute(plan: TensorMapPlan) -> None:
    """Replaces the tensor maps by arguments, or by the results of an op that makes them."""
    if plan.slots:
        maps = MakeMaps(plan)
        DispatchWalker({nv_tileas.MakeTiledTmaDescOp: maps}).rewrite(plan.function)
        DispatchWalker({nv_tileaa.FuncOp: CountMaps(len(plan.recipes))}).rewrite(plan.function)
    else:
        maps = AddArguments(plan)
        DispatchWalker({nv_tileaa.FuncOp: maps}).rewrite(plan.function)
    DispatchWalker({nv_tileas.MakeTiledTmaDescOp: UseInstead(maps.added)}).rewrite(plan.function)


@dataclass
class AddArguments(RewritePattern):
    """Adds an argument to a kernel for each of its tensor maps: the signature changes."""

    plan: TensorMapPlan
    added: dict[Operation, SSAValue] = field(default_factory=dict[Operation, SSAValue])
    """The argument that replaces each op."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        if op is not self.plan.function:
            return
        block, recipes = op.body.block, self.plan.recipes
        attributes = list(op.arg_attrs or (DictionaryAttr({}) for _ in block.args))
        for made in self.plan.made:
            argument = rewriter.insert_block_argument(
                block, len(block.args), nv_tileas.TmaDescType()
            )
            argument.name_hint = made.result.name_hint or "tma"
            argument.location = made.location
            # A tensor map has to be in .const, .param or .global (PTX ISA, cp.async.bulk.tensor).
            attributes.append(DictionaryAttr({GRID_CONSTANT: UnitAttr()}))
            self.added[made] = argument
        op.arg_attrs = ArrayAttr(attributes)
        op.function_type = FunctionType.from_lists(block.arg_types, op.function_type.outputs.data)
        op.attributes[HOST_COUNT] = IntegerAttr(len(recipes), i32)
        # The kernel never makes a tensor map itself; the reference states both counts.
        op.attributes[DEVICE_COUNT] = IntegerAttr(0, i32)
        op.attributes[TENSOR_MAPS_ATTRIBUTE] = ArrayAttr(TensorMapAttr(r) for r in recipes)
        rewriter.notify_op_modified(op)


@dataclass
class MakeMaps(RewritePattern):
    """Inserts the op that makes all tensor maps at the start of the kernel, at the location of the
    first.
    """

    plan: TensorMapPlan
    added: dict[Operation, SSAValue] = field(default_factory=dict[Operation, SSAValue])
    """The result that replaces each op."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nv_tileas.MakeTiledTmaDescOp, rewriter: PatternRewriter
    ) -> None:
        if op is not self.plan.made[0]:
            return
        block = self.plan.function.body.block
        make = nv_tileas.MakeDeviceTmaDescsOp(block.args, self.plan.recipes, self.plan.slots)
        make.location = op.location
        rewriter.insert(make, InsertPoint.at_start(block))
        for made, result in zip(self.plan.made, make.descriptors, strict=True):
            result.name_hint = made.result.name_hint or "tma"
            self.added[made] = result


@dataclass(frozen=True)
class CountMaps(RewritePattern):
    """Sets the attributes that count the tensor maps made by the launch (0) and by the kernel."""

    count: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        op.attributes[HOST_COUNT] = IntegerAttr(0, i32)
        op.attributes[DEVICE_COUNT] = IntegerAttr(self.count, i32)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class UseInstead(RewritePattern):
    """Replaces a tensor map by another value, and erases the ops that only it needed."""

    instead: Mapping[Operation, SSAValue]

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nv_tileas.MakeTiledTmaDescOp, rewriter: PatternRewriter
    ) -> None:
        rewriter.replace_all_uses_with(op.result, self.instead[op])
        _erase_unused(op, rewriter)


def _in_order(
    made: Sequence[nv_tileas.MakeTiledTmaDescOp], first: int
) -> list[nv_tileas.MakeTiledTmaDescOp]:
    """The tensor maps in the order of `tmaIdx`, whose numbers continue those of existing
    arguments.
    """
    numbered: dict[int, nv_tileas.MakeTiledTmaDescOp] = {}
    for op in made:
        # Numbers are dealt before this pass: without one, nothing says which argument it is.
        if op.tma_index is None:
            fail(op, "not find tmaIdx.")
        number = op.tma_index.value.data
        # A gap would be an argument that no launch can fill.
        if not first <= number < first + len(made):
            fail(op, "tmaIdx exceed tmaHostNum.")
        if number in numbered:
            fail(op, f"expects a unique tmaIdx, but {number} is that of another descriptor")
        numbered[number] = op
    return [numbered[number] for number in sorted(numbered)]


def _check_transfers(
    function: nv_tileaa.FuncOp,
    transfers: Iterable[TmaTransferOp],
    count: int,
    *,
    attached: bool = False,
) -> None:
    """Checks that every copy names an existing tensor map."""
    has_counts = attached or {HOST_COUNT, DEVICE_COUNT} <= function.attributes.keys()
    for op in transfers:
        if not has_counts:
            fail(op, "funcOp lack tmaDeviceNum and tmaHostNum attr")
        if op.tma_index is not None and op.tma_index.value.data >= count:
            fail(op, "tmaIdx exceed tmaHostNum.")
        # The first operand of every copy is its tensor map.
        if isinstance(tensor_map := op.operands[0].owner, nv_tileas.MakeTiledTmaDescOp):
            _check_transfer(op, tensor_map)


def _check_transfer(op: TmaTransferOp, tensor_map: nv_tileas.MakeTiledTmaDescOp) -> None:
    """Checks that a copy and its tensor map agree on the number and on the swizzle."""
    if op.tma_index is not None and op.tma_index != tensor_map.tma_index:
        fail(op, f"'{op.name}' op expects the tmaIdx of its tensor map, {tensor_map.tma_index}")
    swizzle = SwizzleMode.NONE if tensor_map.swizzle_mode is None else tensor_map.swizzle_mode.data
    tile = next(value.type for value in op.operands if is_shared(value.type))
    expected = swizzle_mode(shared_layout(op, tile))
    if layout_of(tile) is not None and swizzle is not expected:
        message = f"expects swizzle_mode {expected.value}, as its copies have it, but got"
        fail(tensor_map, f"'{tensor_map.name}' op {message} {swizzle.value}")


def recipe_of(op: nv_tileas.MakeTiledTmaDescOp) -> TensorMapRecipe:
    """The recipe by which a launch makes a tensor map.

    Raises:
        PassFailedException: it depends on more than arguments and constants.
    """
    viewed = viewed_object(op.view)
    # The driver makes tensor maps before the launch, from values that the host has.
    if viewed is None or viewed.pointer is None or viewed.fastest is None:
        _not_by_launch(op)
    outside = OutOfBoundsMode.ZERO if op.oob_mode is None else op.oob_mode.data
    # The driver offers two fills: zero, or NaN for floating-point elements.
    if outside is OutOfBoundsMode.CONSTANT:
        fail(op, "expects padding of zero or NaN for a tensor map, but got another constant")
    return TensorMapRecipe(
        tuple(_extent(op, dim) for dim in op.box_dims),
        viewed_tile(op.view.type).element,
        viewed.pointer,
        tuple(_known(op, value) for value in viewed.sizes),
        tuple(_known(op, value) for value in viewed.strides),
        SwizzleMode.NONE if op.swizzle_mode is None else op.swizzle_mode.data,
        outside,
    )


def _not_by_launch(op: Operation) -> NoReturn:
    fail(op, "expects a descriptor to depend on kernel arguments and constants alone")


def _known(op: Operation, value: LaunchValue | None) -> LaunchValue:
    return _not_by_launch(op) if value is None else value


def _extent(op: Operation, value: SSAValue) -> int:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        fail(op, "expects box dims that are integer constants of arith.constant")
    return owner.value.value.data


def _erase_unused(op: Operation, rewriter: PatternRewriter) -> None:
    """Erases an op, and the ops that compute its operands if they become unused."""
    before = [value.owner for value in dict.fromkeys(op.operands)]
    rewriter.erase(op)
    for owner in before:
        # Views and constants of the map would otherwise stay until the next canonicalization.
        if isinstance(owner, Operation) and is_trivially_dead(owner):
            _erase_unused(owner, rewriter)
