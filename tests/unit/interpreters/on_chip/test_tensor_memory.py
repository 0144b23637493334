"""Columns of tensor memory that two accumulators have in turn, in different warpgroups."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import FenceSide
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_insert_barriers import TileASInsertBarriersPass

# Of the first accumulator the second warpgroup has columns 32 to 63, of the next one 16 to 31.
KERNEL = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %out: tile<ptr<f32>>)
      optimization_hints=<sm_100 = {num_worker_warps_per_cta = 8}> {
    %zero = constant <i32: 0> : tile<i32>
    %c = constant <f32: 2.0> : tile<128x64xf32>
    %d = constant <f32: 3.0> : tile<128x32xf32>
    %view = make_tensor_view %a, shape = [128, 64], strides = [64, 1]
      : tensor_view<128x64xf16, strides=[64,1]>
    %x = make_partition_view %view
      : partition_view<tile=(128x64), tensor_view<128x64xf16, strides=[64,1]>>
    %y = make_partition_view %view
      : partition_view<tile=(64x64), tensor_view<128x64xf16, strides=[64,1]>>
    %z = make_partition_view %view
      : partition_view<tile=(64x32), tensor_view<128x64xf16, strides=[64,1]>>
    %left, %t0 = load_view_tko weak %x[%zero, %zero]
      : partition_view<tile=(128x64), tensor_view<128x64xf16, strides=[64,1]>>, tile<i32>
      -> tile<128x64xf16>, token
    %wide, %t1 = load_view_tko weak %y[%zero, %zero]
      : partition_view<tile=(64x64), tensor_view<128x64xf16, strides=[64,1]>>, tile<i32>
      -> tile<64x64xf16>, token
    %narrow, %t2 = load_view_tko weak %z[%zero, %zero]
      : partition_view<tile=(64x32), tensor_view<128x64xf16, strides=[64,1]>>, tile<i32>
      -> tile<64x32xf16>, token
    %first = mmaf %left, %wide, %c : tile<128x64xf16>, tile<64x64xf16>, tile<128x64xf32>
    %sums = reduce %first dim=1 identities=[0.0 : f32] : tile<128x64xf32> -> tile<128xf32>
      (%l: tile<f32>, %r: tile<f32>) {
      %s = addf %l, %r : tile<f32>
      yield %s : tile<f32>
    }
    %second = mmaf %left, %narrow, %d : tile<128x64xf16>, tile<64x32xf16>, tile<128x32xf32>
    %rows = reshape %sums : tile<128xf32> -> tile<128x1xf32>
    %all = broadcast %rows : tile<128x1xf32> -> tile<128x32xf32>
    %sum = addf %second, %all : tile<128x32xf32>
    %to = make_tensor_view %out, shape = [128, 32], strides = [32, 1]
      : tensor_view<128x32xf32, strides=[32,1]>
    %o = make_partition_view %to
      : partition_view<tile=(128x32), tensor_view<128x32xf32, strides=[32,1]>>
    %t3 = store_view_tko weak %sum, %o[%zero, %zero]
      : tile<128x32xf32>, partition_view<tile=(128x32), tensor_view<128x32xf32, strides=[32,1]>>,
        tile<i32> -> token
    return
  }
}
"""
NO_BARRIER = "no barrier is between them"
NO_FENCE = "no fence_tmem before and after a barrier is between them"


def compiled() -> ModuleOp:
    """The kernel after `tileas-insert-barriers`."""
    module, context = tools.parse(KERNEL), tools.context()
    for step in steps("sm_100a"):
        step.module_pass.apply(context, module)
        if isinstance(step.module_pass, TileASInsertBarriersPass):
            break
    return module


def inserted(module: ModuleOp) -> list[Operation]:
    """The barrier and the fences before the second dot."""
    second = [op for op in module.walk() if isinstance(op, nv_tileas.AsyncDotOp)][1]
    found: list[Operation] = []
    before = second.prev_op
    while isinstance(before, nv_tileas.BarrierOp | nv_tileas.FenceTmemOp):
        found.insert(0, before)
        before = before.prev_op
    return found


def arguments() -> list[np.ndarray]:
    return [(np.arange(128 * 64) % 5).astype(np.float16), np.zeros((128, 32), np.float32)]


def races(module: ModuleOp) -> list[OnChipRace]:
    found: list[OnChipRace] = []
    launch(module, "k", (1, 1, 1), arguments(), listeners=(OnChipRaces(found.append),))
    return found


def run(module: ModuleOp) -> np.ndarray:
    """What the PTX leaves, with races looked for."""
    lowered = tools.run_passes(module, tools.TO_LLVM)
    given = arguments()
    emulator.load(emit(lowered, "sm_100a")).launch("k", (1, 1, 1), given, races=True, late=True)
    return given[1]


def test_the_two_are_ordered():
    module = compiled()
    before, barrier, after = inserted(module)
    assert isinstance(before, nv_tileas.FenceTmemOp) and before.side.data is FenceSide.BEFORE
    assert isinstance(barrier, nv_tileas.BarrierOp)
    assert isinstance(after, nv_tileas.FenceTmemOp) and after.side.data is FenceSide.AFTER
    assert races(module) == []
    a = arguments()[0].astype(np.float32).reshape(128, 64)
    sums = (a @ a[:64] + 2).sum(axis=1, keepdims=True)
    assert (run(module) == a @ a[:64, :32] + 3 + sums).all()


# The reduction has a barrier of its own, without fences.
@pytest.mark.parametrize(
    ("number", "missing"), [(0, NO_FENCE), (2, NO_FENCE)], ids=["before", "after"]
)
def test_a_fence_is_missing(number: int, missing: str):
    module = compiled()
    inserted(module)[number].detach()
    (race,) = races(module)
    assert isinstance(race.first, nv_tileas.FutureWaitOp)
    assert isinstance(race.second, nv_tileas.AsyncDotOp)
    assert "future_wait %first reads" in str(race)
    assert "async.dot %second writes columns 0 to 31 of tensor memory" in str(race)
    assert race.missing == missing
    with pytest.raises(EmulatorError, match="race: this write of tensor memory and the read"):
        run(module)


def test_all_are_missing():
    module = compiled()
    for op in inserted(module):
        op.detach()
    assert [race.missing for race in races(module)] == [NO_FENCE]
    with pytest.raises(EmulatorError, match=r"a tcgen05\.fence::before_thread_sync is missing"):
        run(module)


TILES = {
    64: "(32, 32, (4, 2), 1), (1, 64, (2048, 32), 0)",
    32: "(16, 32, (4, 2), 1), (1, 32, (1024, 16), 0)",
}


def copies(width: int, start: int, name: str) -> str:
    """A store of a tile to tensor memory, and a load of it."""
    tile = f"tensor<128x{width}xf32, #nv_tileas.layout<{TILES[width]}>>"
    memory = f"tensor<128x{width}xf32, #nv_tileas.memory<tmem>>"
    where = f"#nv_tileas.allocation<offset = {start}, size = {width}>"
    return f"""
  %{name} = arith.constant dense<0.0> : {tile}
  %{name}0 = nv_tileas.alloc_tensor {{nv_tileas.tmem = {where}}} : {memory}
  %{name}1 = nv_tileas.copy %{name} into %{name}0 {{atom = #nv_tileas<atom tmem_store_32x32b_x16>}}
    : {tile} into {memory} -> {memory}
  %{name}2 = nv_tileas.copy %{name}1 {{atom = #nv_tileas<atom tmem_load_32x32b_x16>}}
    : {memory} -> {tile}
"""


def copied(body: str) -> list[OnChipRace]:
    """The races of a kernel of eight warps."""
    text = f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_100a"}} {{
nv_tileaa.func @k(%a: !nv_tileaa.ptr<f16>, %b: !nv_tileaa.ptr<f32>) attributes {{
    nv_tileas.synchronized, nv_tileas.smem_bytes = 1024 : i32,
    nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 64 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>}} {{
  {body}
  nv_tileaa.return
}}
}}
"""
    return races(tools.parse(text))


@pytest.mark.parametrize(
    ("second", "missing"),
    [
        (copies(64, 0, "y"), []),
        # Columns 16 to 31 are of the first warpgroup in both, and 32 to 47 of the second.
        (copies(32, 16, "y"), []),
        (copies(32, 0, "y"), [NO_BARRIER]),
        (f"nv_tileas.barrier agent\n{copies(32, 0, 'y')}", [NO_FENCE]),
        (
            "nv_tileas.fence_tmem before\nnv_tileas.barrier agent\nnv_tileas.fence_tmem after\n"
            + copies(32, 0, "y"),
            [],
        ),
    ],
)
def test_which_warps_have_a_column(second: str, missing: list[str]):
    found = copied(copies(64, 0, "x") + second)
    of_reads = [race for race in found if not race.first_writes and race.second_writes]
    assert [race.missing for race in of_reads] == missing
    assert bool(found) == bool(missing)
