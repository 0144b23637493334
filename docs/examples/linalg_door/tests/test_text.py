"""The kernels as text, by FileCheck."""

from programs import SOFTMAX, convert, elementwise, matmul, reduction

from tileir_xdsl.testing import check


def test_elementwise():
    """The row is loaded at the second index, and broadcast along the first one."""
    body = ["%s = arith.addf %a0, %a1 : f32", "%r = arith.maximumf %s, %a0 : f32"]
    text = elementwise(body, ["tensor<?x37xf32>", "tensor<37xf32>"], "f32", "tensor<?x37xf32>")
    checks = """
    // CHECK: entry @f(%[[X:[0-9]+]]: tile<ptr<f32>>, %[[M:[0-9]+]]: tile<i32>
    // CHECK: %[[I:.*]], %[[J:.*]], %{{.*}} = cuda_tile.get_tile_block_id
    // CHECK-NEXT: make_tensor_view %[[X]], shape = [%[[M]], 37]
    // CHECK-NEXT: %[[TILES:.*]] = cuda_tile.make_partition_view {{.*}}padding_value = zero
    // CHECK-NEXT: %[[A:.*]], %{{.*}} = cuda_tile.load_view_tko weak %[[TILES]][%[[I]], %[[J]]]
    // CHECK: %[[ROW:.*]], %{{.*}} = cuda_tile.load_view_tko weak %{{.*}}[%[[J]]]
    // CHECK-NEXT: %[[THIN:.*]] = cuda_tile.reshape %[[ROW]] {{.*}} -> tile<1x16xf32>
    // CHECK-NEXT: %[[B:.*]] = cuda_tile.broadcast %[[THIN]]
    // CHECK-NEXT: %[[S:.*]] = cuda_tile.addf %[[A]], %[[B]]
    // CHECK-NEXT: %[[R:.*]] = cuda_tile.maxf %[[S]], %[[A]] propagate_nan
    // CHECK: store_view_tko weak %[[R]], %{{.*}}[%[[I]], %[[J]]]
    // CHECK-NEXT: cuda_tile.return
    // CHECK-NOT: tensor.
    """
    check(str(convert(text)), checks)


def test_matmul():
    """`C` is what the accumulator starts from; loads of zeros need no mask."""
    checks = """
    // CHECK: %[[I:.*]], %[[J:.*]], %{{.*}} = cuda_tile.get_tile_block_id
    // CHECK: %[[C:.*]], %{{.*}} = cuda_tile.load_view_tko weak %{{.*}}[%[[I]], %[[J]]]
    // CHECK: cuda_tile.for %[[K:.*]] in ({{.*}}) : {{.*}} iter_values(%[[ACC:.*]] = %[[C]])
    // CHECK: %[[A:.*]], %{{.*}} = cuda_tile.load_view_tko weak %{{.*}}[%[[I]], %[[K]]]
    // CHECK: %[[B:.*]], %{{.*}} = cuda_tile.load_view_tko weak %{{.*}}[%[[K]], %[[J]]]
    // CHECK-NEXT: %[[NEXT:.*]] = cuda_tile.mmaf %[[A]], %[[B]], %[[ACC]]
    // CHECK-NEXT: continue %[[NEXT]]
    // CHECK-NOT: select
    """
    check(str(convert(matmul("f16"))), checks)


def test_reduction():
    """Columns past the end are the neutral value, and a fill is what is added at the end."""
    checks = """
    // CHECK: %[[N:.*]] = cuda_tile.constant <i32: 37>
    // CHECK: %[[ZERO:.*]] = cuda_tile.constant <f32: -0.000000e+00> : tile<16x16xf32>
    // CHECK: cuda_tile.for %[[K:.*]] in ({{.*}}) : {{.*}} iter_values(%[[SUM:.*]] = %[[ZERO]])
    // CHECK: %[[X:.*]], %{{.*}} = cuda_tile.load_view_tko weak %{{.*}}[%{{.*}}, %[[K]]]
    // CHECK: cmpi less_than %{{.*}}, %{{.*}}, unsigned
    // CHECK: %[[IN:.*]] = cuda_tile.select %{{.*}}, %[[X]], %[[ZERO]]
    // CHECK-NEXT: %[[NEXT:.*]] = cuda_tile.addf %[[SUM]], %[[IN]]
    // CHECK-NEXT: continue %[[NEXT]]
    // CHECK: %[[ALL:.*]] = cuda_tile.reduce %{{.*}} dim=1 identities=[-0.000000e+00 : f32]
    // CHECK: %[[START:.*]] = cuda_tile.constant <f32: 5.000000e-01>
    // CHECK-NEXT: addf %[[START]], %[[ALL]]
    """
    check(str(convert(reduction("arith.addf", "f32", (21, 37), 1, "0.5"))), checks)


def test_what_several_ops_load_is_loaded_once():
    text = str(convert(SOFTMAX))
    # In the loop of the maximum, in that of the sum, and for the result.
    assert text.count("load_view_tko") == 3
    assert text.count("cuda_tile.exp") == 2


def test_each_function_is_a_kernel_and_other_modules_stay():
    text = matmul("f32")
    checks = """
    // CHECK: cuda_tile.module @mine
    // CHECK: entry @e()
    // CHECK: cuda_tile.module @kernels
    // CHECK: entry @f(
    // CHECK: entry @g(
    """
    mine = "cuda_tile.module @mine { entry @e() { return } }"
    check(str(convert(text + text.replace("@f(", "@g(") + mine)), checks)
    assert "@kernels" not in str(convert(mine))
