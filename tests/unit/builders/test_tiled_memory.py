"""A view and the access of one tile of it, built together."""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, TensorType, f16, i32
from xdsl.ir import BlockArgument

from tests.unit.builders.building import build
from tileir_xdsl.builders.tiled_memory import (
    TiledAccess,
    TileViewSpec,
    build_view_then_tiled_load,
    build_view_then_tiled_store,
)
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa import MemRefType, MemTokenType
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, PaddingValueAttr
from tileir_xdsl.dialects.nv_tileas import AtomAttr, TiledViewType
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.testing.tools import check

OBJECT = MemRefType([64, 64], f16, [64, 1])
VIEW = TiledViewType([16, 16], f16, Residency.GLOBAL)


def test_load_carries_order_bounds_padding_and_token():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        memref, i, x, token = args
        access = TiledAccess(
            coords=[i, x],
            offsets=[x, x],
            token=token,
            semantic=MemSemantic.ACQUIRE,
            scope=MemScope.GPU,
            atom=AtomAttr("ldg_128"),
            in_bounds=[True, False],
            padding_value=PaddingValueAttr(PaddingValue.ZERO),
        )
        build_view_then_tiled_load(builder, memref, TileViewSpec(VIEW, [i, i]), access)

    check(
        build([OBJECT, i32, IndexType(), MemTokenType()], body),
        """
        // CHECK: [[V:%.*]] = nv_tileas.view %a[%b, %b : i32, i32] : {{.*}} to !nv_tileas.tiled_view<16x16xf16, gmem>
        // CHECK-NEXT: [[I:%.*]] = arith.index_cast %b : i32 to index
        // CHECK-NEXT: tiled_load acquire gpu [[V]][[[I]], %c] offset[%c, %c] token = %d
        // CHECK-SAME: atom = #nv_tileas<atom ldg_128>, in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<zero>
        // CHECK-SAME: [index, index] -> tensor<16x16xf16>, !nv_tileaa.mem_token
        """,
    )


def test_missing_leading_coordinates_are_zero():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        memref, x, tile = args
        access = TiledAccess(coords=[x])
        build_view_then_tiled_store(builder, tile, memref, TileViewSpec(VIEW), access)

    check(
        build([OBJECT, IndexType(), TensorType(f16, [16, 16])], body),
        """
        // CHECK: [[V:%.*]] = nv_tileas.view %a : {{.*}} to !nv_tileas.tiled_view<16x16xf16, gmem>
        // CHECK-NEXT: [[Z:%.*]] = arith.constant 0 : index
        // CHECK-NEXT: tiled_store weak %c, [[V]][[[Z]], %b] : {{.*}}[index, index]
        """,
    )
