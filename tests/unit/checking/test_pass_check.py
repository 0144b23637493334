"""Wrong passes are found and named, with the op; right passes and senseless inputs are not."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tests.unit.checking import ordered_kernels
from tileir_xdsl.checking.pass_check import PassCheck
from tileir_xdsl.checking.tileir_pipeline import CheckedTileIRPipelinePass
from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.options import Options
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms import pipeline_road
from tileir_xdsl.transforms.pipeline_road import Step, steps

DOUBLE = """
cuda_tile.module @m {
  entry @double(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %view = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %x, %t = load_view_tko weak %tiles[%i] : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %y = addf %x, %x : tile<16xf32>
    %z = addf %y, %x : tile<16xf32>
    %u = store_view_tko weak %z, %tiles[%i] token = %t : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  }
}
"""


def _replace(op: Operation, new_op: Operation) -> None:
    new_op.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(new_op, op)
    for old, new in zip(op.results, new_op.results, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _second(module: ModuleOp, kind: type[Operation]) -> Operation:
    return [op for op in module.walk() if isinstance(op, kind)][1]


def subtract(module: ModuleOp) -> None:
    """Makes a difference of the second sum of `cuda_tile`."""
    op = _second(module, cuda_tile.AddFOp)
    _replace(op, cuda_tile.SubFOp(op.operands[0], op.operands[1]))


def subtract_at_the_end(module: ModuleOp) -> None:
    """Makes a difference of the second sum of `llvm`."""
    op = _second(module, llvm.FAddOp)
    _replace(op, llvm.FSubOp(op.operands[0], op.operands[1]))


def use_too_early(module: ModuleOp) -> None:
    """Moves the second sum to the end of its block, after the store."""
    op = next(op for op in module.walk() if op.name == "nv_tileaa.tiled_store")
    assert op.parent is not None and op.prev_op is not None
    moved = op.prev_op
    moved.detach()
    op.parent.insert_op_after(moved, op)


def forget_the_store(module: ModuleOp) -> None:
    """Erases the store."""
    op = next(op for op in module.walk() if isinstance(op, cuda_tile.StoreViewTkoOp))
    op.detach()
    op.erase()


def store_the_tile_that_was_loaded(module: ModuleOp) -> None:
    """Gives the store another operand."""
    op = next(op for op in module.walk() if isinstance(op, cuda_tile.StoreViewTkoOp))
    load = next(op for op in module.walk() if isinstance(op, cuda_tile.LoadViewTkoOp))
    op.operands[0] = load.results[0]


def keep(_module: ModuleOp) -> None:
    """Changes nothing."""


@dataclass(frozen=True)
class Planted(ModulePass):
    """A pass that does what a function does."""

    name = "planted"

    change: Callable[[ModuleOp], None] = keep

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.change(op)


def test_a_pass_that_changes_a_value_is_named_with_the_op():
    check = PassCheck(tools.parse(DOUBLE))
    check.run("kept", keep)
    with pytest.raises(PassFailedException) as raised:
        check.run("planted", subtract)
    message = str(raised.value)
    assert message.startswith(
        "check: pass 'planted' changes what kernel 'double' computes: argument 0: 48 of "
    )
    assert "; the first op with another value is 'cuda_tile.addf' op at " in message
    assert message.endswith("%z = cuda_tile.addf %y, %x  : tile<16xf32>")


@pytest.mark.parametrize("change", [forget_the_store, store_the_tile_that_was_loaded])
def test_a_pass_that_changes_what_is_stored_is_named(change: Callable[[ModuleOp], None]):
    with pytest.raises(PassFailedException, match="'planted' changes what kernel 'double'") as e:
        PassCheck(tools.parse(DOUBLE)).run("planted", change)
    names_store = "the first op with another value is 'cuda_tile.store_view_tko'" in str(e.value)
    assert names_store == (change is store_the_tile_that_was_loaded)


@pytest.mark.parametrize(
    ("after", "change", "message"),
    [
        (
            "convert-cuda-tile-to-tileaa",
            use_too_early,
            r"check: pass 'planted' leaves invalid IR: 'nv_tileaa.tiled_store' op at .* uses "
            "operand #1 at a place that its definition does not dominate",
        ),
        (
            "convert-tileas-to-llvm",
            subtract_at_the_end,
            "check: pass 'planted' changes what kernel 'double' computes: argument 0: ",
        ),
    ],
)
def test_the_pipeline_checks_every_pass(
    monkeypatch: pytest.MonkeyPatch, after: str, change: Callable[[ModuleOp], None], message: str
):
    def with_planted(gpu: str, options: Options) -> list[Step]:
        found: list[Step] = []
        for step in steps(gpu, options):
            found.append(step)
            if step.module_pass.name == after:
                found.append(Step(Planted.name, step.level, lambda: Planted(change)))
        return found

    monkeypatch.setattr(pipeline_road, "steps", with_planted)
    module = tools.parse(DOUBLE)
    with pytest.raises(PassFailedException, match=message):
        CheckedTileIRPipelinePass(check=True).apply(tools.context(), module)
    if change is subtract_at_the_end:
        CheckedTileIRPipelinePass().apply(tools.context(), tools.parse(DOUBLE))


BUFFER = "tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>"
ROWS = "tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>"
COLUMNS = "tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>"
SHARED = f"""
nv_tileaa.func @shared(%n: i32) attributes {{nv_tileas.synchronized,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %x = arith.constant dense<1.0> : {ROWS}
  %a = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>}}
    : {BUFFER}
  %w = nv_tileas.copy %x into %a : {ROWS} into {BUFFER} -> {BUFFER}
  nv_tileas.barrier agent
  %r = nv_tileas.convert_layout %w : {BUFFER} -> {COLUMNS}
  nv_tileaa.return
}}
"""


def test_a_pass_that_loses_a_barrier_is_named():
    def lose(module: ModuleOp) -> None:
        next(op for op in module.walk() if isinstance(op, nv_tileas.BarrierOp)).detach()

    check = PassCheck(tools.parse(SHARED))
    check.run("kept", keep)
    with pytest.raises(PassFailedException) as raised:
        check.run("planted", lose)
    assert str(raised.value).startswith(
        "check: pass 'planted' leaves a race in kernel 'shared': #2 nv_tileas.copy %w writes and "
        "#3 nv_tileas.convert_layout %r reads bytes 0 to 511 of shared memory"
    )


def test_a_right_pipeline_passes(capsys: pytest.CaptureFixture[str]):
    module = tools.run_passes(tools.parse(DOUBLE), "tileir-pipeline{check=true}")
    assert any(isinstance(op, llvm.FuncOp) for op in module.walk())
    assert capsys.readouterr().err == ""


def test_a_pass_that_leaves_what_cannot_run_is_named():
    def ask_for_more(module: ModuleOp) -> None:
        op = next(op for op in module.walk() if isinstance(op, nv_tileaa.MakeMemRefOp))
        shift = nv_tileaa.AddPtrOp(op.operands[0], op.operands[1])
        assert op.parent is not None
        op.parent.insert_op_before(shift, op)
        op.operands[0] = shift.results[0]

    check = PassCheck(tools.run_passes(tools.parse(DOUBLE), "convert-cuda-tile-to-tileaa"))
    with pytest.raises(PassFailedException, match=r"'planted' .* the kernel stops with: .* bytes"):
        check.run("planted", ask_for_more)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            """
            %far = constant <i32: 1000000000> : tile<i32>
            %q = offset %p, %far : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %u = store_ptr_tko weak %q, %n : tile<ptr<i32>>, tile<i32> -> token
            """,
            "'cuda_tile.store_ptr_tko' in tile block",
        ),
        (
            """
            %zero = subi %n, %n : tile<i32>
            %y = divi %n, %zero signed : tile<i32>
            %u = store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token
            """,
            "undefined behaviour: is divided by zero",
        ),
        (
            """
            %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
            %u = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
            """,
            "nothing orders them",
        ),
    ],
)
def test_programs_without_one_meaning_are_left_out_with_a_remark(
    body: str, reason: str, capsys: pytest.CaptureFixture[str]
):
    parameters = "%p: tile<ptr<i32>>, %n: tile<i32>, %s: tile<i32>"
    text = f"cuda_tile.module @m {{ entry @k({parameters}) {{ {body} }} }}"
    check = PassCheck(tools.parse(text))
    error = capsys.readouterr().err
    assert error.startswith("remark: check: kernel 'k' is not compared, as no generated input")
    assert reason in error
    check.run("planted", keep)


def test_all_kernels_of_a_module_are_checked():
    other = DOUBLE.replace("@double", "@triple").replace("@m", "@n")
    module = tools.parse(DOUBLE + other)

    def subtract_in_the_last(module: ModuleOp) -> None:
        op = [op for op in module.walk() if isinstance(op, cuda_tile.AddFOp)][-1]
        _replace(op, cuda_tile.SubFOp(op.operands[0], op.operands[1]))

    with pytest.raises(PassFailedException, match="changes what kernel 'triple' computes"):
        PassCheck(module).run("planted", subtract_in_the_last)


@pytest.mark.parametrize("name", ["relaxed lost update", "lock that is left after some tries"])
def test_no_pass_is_to_blame_for_the_order_of_tile_blocks(
    name: str, capsys: pytest.CaptureFixture[str]
):
    """The emulator runs blocks in another order, which decides what these leave."""
    module = tools.parse(ordered_kernels.kernel(ordered_kernels.DEPENDENT[name]))
    CheckedTileIRPipelinePass(gpu="sm_90a", check=True).apply(tools.context(), module)
    remarks = capsys.readouterr().err.splitlines()
    assert len(remarks) == 2
    assert all("as its own result depends on the order of its tile blocks: " in r for r in remarks)
