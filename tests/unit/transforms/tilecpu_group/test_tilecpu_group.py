"""Which ops share a nest, and the decisions that are written, forced and kept."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileaa_to_tilecpu.programs import PROGRAMS, Program
from tests.unit.transforms.convert_tileaa_to_tilecpu.test_execution import parsed
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.tilecpu.decisions import GROUPS, group_of, vector_of
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tilecpu_group import TileCPUGroupPass
from tileir_xdsl.walking import ops_in

VIEW = "!nv_tileaa.tiled_view<64xf32, !nv_tileaa.memref<?xf32, strides = [1]>>"
MEMREF = "!nv_tileaa.memref<?xf32, strides = [1]>"


def grouped(module: ModuleOp, **options: str) -> nv_tileaa.FuncOp:
    TileCPUGroupPass(**options).apply(tools.context(), module)
    return next(op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp))


def groups(function: nv_tileaa.FuncOp, *names: str) -> list[int | None]:
    return [group_of(op) for op in ops_in(function) if op.name.partition(".")[2] in names]


def test_an_elementwise_program_is_one_nest():
    function = grouped(parsed(PROGRAMS["add"]))
    assert groups(function, "tiled_load", "addf", "tiled_store") == [0, 0, 0, 0]
    assert vector_of(function, 0) == 16


def test_a_reduction_ends_a_nest():
    function = grouped(parsed(PROGRAMS["centered"]))
    assert groups(function, "tiled_load", "reduce") == [0, 0]
    assert groups(function, "subf", "tiled_store") == [1, 1]
    assert groups(function, "broadcast", "expand_dims") == [None, None]


@pytest.mark.parametrize(
    ("gpu", "lanes"), [("cpu-x86-64-v4", 16), ("cpu-x86-64-v3", 8), ("cpu-aarch64", 4)]
)
def test_vectors_are_as_wide_as_those_of_the_target(gpu: str, lanes: int):
    assert vector_of(grouped(parsed(PROGRAMS["add"]), gpu=gpu), 0) == lanes


def test_a_body_that_keeps_the_order_of_elements_takes_them_one_by_one():
    assert vector_of(grouped(parsed(PROGRAMS["place of the greatest"])), 0) == 1
    assert vector_of(grouped(parsed(PROGRAMS["last of columns"])), 0) == 8


def accesses(second: str, token: str) -> ModuleOp:
    """A load of tile 0, and a store of `second` tile after `token`."""
    return tools.parse(
        f"""builtin.module {{
        nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
          %zero = arith.constant 0 : i32
          %one = arith.constant 1 : i32
          %start = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
          %m = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> {MEMREF}
          %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 64>, dimGroups = [[0 : i64]]}} : {MEMREF} -> {VIEW}
          %x, %read = nv_tileaa.tiled_load weak %v[%zero] token = %start : {VIEW}[i32] -> tensor<64xf32>, !nv_tileaa.mem_token
          %t = nv_tileaa.tiled_store weak %x, %v[%{second}] token = %{token} : tensor<64xf32>, {VIEW}[i32] -> !nv_tileaa.mem_token
          nv_tileaa.return
        }}
        }}"""
    )


@pytest.mark.parametrize(
    ("second", "token", "together"),
    [("zero", "read", True), ("one", "start", True), ("one", "read", False)],
)
def test_a_store_joins_a_load_that_it_follows_only_at_the_same_tile(
    second: str, token: str, together: bool
):
    first, last = groups(grouped(accesses(second, token)), "tiled_load", "tiled_store")
    assert (first == last) == together


def test_a_vector_width_can_be_forced():
    module = parsed(PROGRAMS["add"])
    function = next(op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp))
    number = [op.name for op in ops_in(function)[1:]].index("nv_tileaa.addf")
    assert vector_of(grouped(module, force=f"#{number}=4"), 0) == 4
    message = "expected vector to be one of 16, 8, 4, 2, 1 in force, but got '5'"
    with pytest.raises(PassFailedException, match=message):
        grouped(parsed(PROGRAMS["add"]), force=f"#{number}=5")


def test_an_op_can_begin_a_nest_by_force():
    body = "%out0 = nv_tileaa.addf %in0, %in0 : T\n%out1 = nv_tileaa.mulf %in0, %in0 : T"
    case = Program(("64xf32",), ("64xf32",) * 2, body.replace("T", "tensor<64xf32>"))
    function = grouped(parsed(case))
    stores = [n for n, op in enumerate(ops_in(function)[1:]) if op.name.endswith("_store")]
    assert groups(function, "tiled_store") == [0, 0]
    function = grouped(parsed(case), force=f"#{stores[1]}=new/8")
    assert groups(function, "tiled_store") == [0, 1]
    assert [vector_of(function, group) for group in (0, 1)] == [16, 8]


def test_an_op_without_a_choice_cannot_be_forced():
    message = "force names #0 .*, which has no choice, expected one of #"
    with pytest.raises(PassFailedException, match=message):
        grouped(parsed(PROGRAMS["add"]), force="#0=4")


def test_decisions_that_are_there_are_kept():
    module = parsed(PROGRAMS["add"])
    before = grouped(module, gpu="cpu-x86-64-v3").attributes[GROUPS]
    assert grouped(module).attributes[GROUPS] == before


def test_an_unknown_target_is_named():
    with pytest.raises(PassFailedException, match="expected gpu to be one of cpu"):
        grouped(parsed(PROGRAMS["add"]), gpu="sm_90")
