"""Bulk copies of ranges and boxes: what arrives where, and what is wrong with a use of them."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.kernels import HOPPER_HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.emulator.tensor_maps import Descriptor, Swizzle, swizzled


def kernel(body: str, parameters: str = "") -> str:
    """A warp whose lane 0 runs the body; `%s` is a buffer, `%m` a barrier that expects one arrival.

    The array parameters `in` and `out` are in `%i` and `%o`. After the body all lanes wait until
    the first phase is complete, and copy the buffer to `out` where the body ends in `// dump`.
    """
    dump = """
  mov.u32 %x, %tid.x;
$DUMP:
  shl.b32 %y, %x, 2; add.u32 %y, %y, %s; ld.shared.b32 %z, [%y];
  mad.wide.u32 %a, %x, 4, %o; st.global.b32 [%a], %z;
  add.u32 %x, %x, 32; setp.lt.u32 %p, %x, 4096; @%p bra $DUMP;"""
    return f"""{HOPPER_HEADER}
.visible .entry k(.param .u64 in, .param .u64 out{parameters}) .reqntid 32
{{
  .shared .align 1024 .b8 buffer[16384]; .shared .align 8 .b64 object;
  .reg .b64 %i, %o, %a, %t, %policy; .reg .b32 %s, %m, %x, %y, %z; .reg .pred %first, %p;
  ld.param.u64 %i, [in]; ld.param.u64 %o, [out];
  mov.u32 %s, buffer; mov.u32 %m, object; mov.u32 %x, %tid.x; setp.eq.u32 %first, %x, 0;
  createpolicy.fractional.L2::evict_first.b64 %policy;
  @!%first bra $WAIT;
  mbarrier.init.shared::cta.b64 [%m], 1;
  fence.mbarrier_init.release.cluster;
{body}
  mbarrier.arrive.shared::cta.b64 _, [%m];
$WAIT:
  bar.warp.sync 0xffffffff;
$AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0;
  @!%p bra $AGAIN;
{dump if "// dump" in body else ""}
  ret;
}}
"""


MAP = ", .param .align 64 .b8 map[128]"
ADDRESS = "mov.b64 %t, map; cvta.param.u64 %t, %t;"
EXPECT = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%m], {};"
COMMIT = "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"


def run(body: str, *args: emulator.Argument, parameters: str = "") -> None:
    module = emulator.load(kernel(body, parameters))
    module.launch("k", (1, 1, 1), list(args), step_limit=50_000)


# Ranges

LOADS = (
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%i], 4096, [%m];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
    " [%s], [%i], 4096, [%m], %policy;",
)
STORES = (
    "cp.async.bulk.global.shared::cta.bulk_group [%o], [%s], 4096;",
    "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%o], [%s], 4096, %policy;",
)
THERE_AND_BACK = [
    f"{EXPECT.format(4096)} {load} {store} {COMMIT} cp.async.bulk.wait_group 0;"
    for load, store in zip(LOADS, STORES, strict=True)
]


@pytest.mark.parametrize("body", THERE_AND_BACK)
def test_ranges(body: str):
    data = np.random.default_rng(1).integers(0, 256, 4096).astype(np.uint8)
    out = np.zeros_like(data)
    run(body, data, out)
    np.testing.assert_array_equal(out, data)


WITHIN_SHARED = (
    f"{EXPECT.format(64)} {EXPECT.format(128)}"
    "cp.async.bulk.prefetch.L2.global [%i], 128;"
    "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%i], 128, %policy;"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%i], 128, [%m];"
    "add.u32 %x, %s, 256;"
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%x], [%s+64], 64, [%m];"
    f"cp.async.bulk.global.shared::cta.bulk_group [%o], [%x], 64; {COMMIT}"
)


def test_a_copy_within_shared_memory():
    data = np.arange(32, dtype=np.uint32)
    out = np.zeros(16, np.uint32)
    run(WITHIN_SHARED, data, out)
    np.testing.assert_array_equal(out, data[16:])


def reduction(operation: str, type_: str, size: int) -> str:
    """Applies `in` to `out` element by element."""
    noftz = ".noftz" if type_ in ("f16", "bf16") and operation == "add" else ""
    return (
        f"{EXPECT.format(size)} cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        f" [%s], [%i], {size}, [%m]; cp.reduce.async.bulk.global.shared::cta.bulk_group."
        f"{operation}{noftz}.{type_} [%o], [%s], {size}; {COMMIT}"
    )


def _incremented(old: np.ndarray, data: np.ndarray) -> np.ndarray:
    """What `inc` makes: one more, and zero after the operand (PTX ISA, "atom")."""
    return np.where(old >= data, 0, old + 1)


REDUCTIONS: tuple[
    tuple[str, str, Callable[[np.ndarray, np.ndarray], np.ndarray], np.dtype], ...
] = (
    ("add", "u32", np.add, np.dtype(np.uint32)),
    ("add", "f32", np.add, np.dtype(np.float32)),
    ("add", "f64", np.add, np.dtype(np.float64)),
    ("add", "f16", np.add, np.dtype(np.float16)),
    ("add", "bf16", np.add, np.dtype(ml_dtypes.bfloat16)),
    ("min", "s32", np.minimum, np.dtype(np.int32)),
    ("max", "u64", np.maximum, np.dtype(np.uint64)),
    ("max", "f16", np.maximum, np.dtype(np.float16)),
    ("min", "bf16", np.minimum, np.dtype(ml_dtypes.bfloat16)),
    ("and", "b32", np.bitwise_and, np.dtype(np.uint32)),
    ("or", "b64", np.bitwise_or, np.dtype(np.uint64)),
    ("xor", "b32", np.bitwise_xor, np.dtype(np.uint32)),
    ("inc", "u32", _incremented, np.dtype(np.uint32)),
)


@pytest.mark.parametrize(("operation", "type_", "update", "dtype"), REDUCTIONS)
def test_reductions_of_ranges(
    operation: str,
    type_: str,
    update: Callable[[np.ndarray, np.ndarray], np.ndarray],
    dtype: np.dtype,
):
    rng = np.random.default_rng(2)
    data, old = (rng.integers(0, 100, 64).astype(dtype) for _ in range(2))
    out = old.copy()
    run(reduction(operation, type_, data.nbytes), data, out)
    np.testing.assert_array_equal(out, update(old, data).astype(dtype))


# Boxes


def box_load(rank: int, size: int, coordinates: tuple[int, ...]) -> str:
    """Loads one box through `map`, and dumps the buffer."""
    numbers = ", ".join(str(c) for c in coordinates[::-1])
    return (
        f"{ADDRESS} {EXPECT.format(size)} cp.async.bulk.tensor.{rank}d.shared::cluster.global"
        f".mbarrier::complete_tx::bytes [%s], [%t, {{{numbers}}}], [%m]; // dump"
    )


def box_store(rank: int, coordinates: tuple[int, ...], operation: str = "") -> str:
    """Copies the first bytes of `in` to the buffer, and from there to one box of `map`."""
    numbers = ", ".join(str(c) for c in coordinates[::-1])
    opcode, middle = "cp.async", ""
    if operation:
        opcode, middle = "cp.reduce.async", f".{operation}"
    return (
        f"{ADDRESS} {EXPECT.format(16384)} cp.async.bulk.shared::cluster.global"
        ".mbarrier::complete_tx::bytes [%s], [%i], 16384, [%m];"
        f"{opcode}.bulk.tensor.{rank}d.global.shared::cta{middle}.tile.bulk_group"
        f" [%t, {{{numbers}}}], [%s]; {COMMIT}"
    )


SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...], type], ...] = (
    ((96,), (64,), np.float32),
    ((20, 48), (8, 32), np.float32),
    ((20, 64), (8, 16), np.float16),
    ((5, 6, 32), (2, 3, 16), np.uint8),
    ((3, 4, 5, 8), (2, 2, 2, 8), np.uint16),
    ((2, 3, 2, 3, 4), (1, 2, 2, 2, 4), np.float64),
)
RANKS = [box_load(len(shape), 16, (0,) * len(shape)) for shape, _, _ in SHAPES]


def padded_box(array: Array, box: tuple[int, ...], start: tuple[int, ...], fill: float) -> Array:
    """The part of an array that a box covers, `fill` where it is outside."""
    found = np.full(box, fill, array.dtype)
    for position in np.ndindex(*box):
        place = tuple(s + p for s, p in zip(start, position, strict=True))
        if all(0 <= c < extent for c, extent in zip(place, array.shape, strict=True)):
            found[position] = array[place]
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("shape", "box", "dtype"), SHAPES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_boxes(shape: tuple[int, ...], box: tuple[int, ...], dtype: type, data: st.DataObject):
    start = tuple(data.draw(st.integers(-b, extent)) for b, extent in zip(box, shape, strict=True))
    rng = np.random.default_rng(3)
    array = rng.integers(1, 200, shape).astype(dtype)
    out = np.zeros(4096, np.uint32)
    size = int(np.prod(box)) * array.itemsize
    load = box_load(array.ndim, size, start)
    run(load, out, out, TensorMap(array, box), parameters=MAP)
    loaded = out.view(dtype)[: int(np.prod(box))].reshape(box)
    np.testing.assert_array_equal(loaded, padded_box(array, box, start, 0))
    tile = rng.integers(1, 200, 16384 // array.itemsize).astype(dtype)
    expected, stored = array.copy(), array.copy()
    for place in np.ndindex(*shape):
        offset = tuple(p - s for p, s in zip(place, start, strict=True))
        if all(0 <= o < b for o, b in zip(offset, box, strict=True)):
            expected[place] = tile[np.ravel_multi_index(offset, box)]
    run(box_store(array.ndim, start), tile, out, TensorMap(stored, box), parameters=MAP)
    np.testing.assert_array_equal(stored, expected)


@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_swizzled_boxes(swizzle: Swizzle):
    """Chunks of 16 bytes change places within the rows of 8 rows, as the tables of CUTLASS say."""
    columns = (swizzle or 32) // 2
    array = np.arange(64 * columns, dtype=np.float16).reshape(64, columns)
    out = np.zeros(4096, np.uint32)
    tensor_map = TensorMap(array, (32, columns), swizzle)
    run(box_load(2, 32 * columns * 2, (16, 0)), out, out, tensor_map, parameters=MAP)
    found = out.view(np.float16)[: 32 * columns]
    expected = np.zeros_like(found)
    rows = {0: 1, 32: 4, 64: 2, 128: 1}[swizzle]
    for row in range(32):
        for chunk in range(columns // 8):
            to = chunk ^ ((row // rows) % (columns // 8)) if swizzle else chunk
            place = row * columns + to * 8
            expected[place : place + 8] = array[16 + row, chunk * 8 : chunk * 8 + 8]
    np.testing.assert_array_equal(found, expected)


def test_swizzling_is_its_own_inverse():
    addresses = np.arange(4096)
    for span in (0, 32, 64, 128):
        assert (swizzled(swizzled(addresses, span), span) == addresses).all()


def test_steps_and_nan():
    array = np.arange(60 * 64, dtype=np.float32).reshape(60, 64)
    out = np.zeros(4096, np.uint32)
    # Of the 7 rows of the box every second one; the step of the fastest dimension is ignored.
    tensor_map = TensorMap(array, (7, 16), element_strides=(2, 3), fills_with_nan=True)
    run(box_load(2, 256, (56, 60)), out, out, tensor_map, parameters=MAP)
    found = out.view(np.float32)[:64].reshape(4, 16)
    assert (found[:2, :4] == array[56::2, 60:]).all()
    assert np.isnan(found[2:]).all() and np.isnan(found[:, 4:]).all()


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_every_float_type_has_nan(dtype: type):
    """Also one that numpy itself does not know."""
    array, out = np.ones((2, 16), dtype), np.zeros(4096, np.uint32)
    size = 4 * 16 * array.itemsize
    tensor_map = TensorMap(array, (4, 16), fills_with_nan=True)
    run(box_load(2, size, (0, 0)), out, out, tensor_map, parameters=MAP)
    found = out.view(np.uint8)[:size].view(dtype).reshape(4, 16).astype(np.float32)
    assert (found[:2] == 1).all() and np.isnan(found[2:]).all()


TENSOR_REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")


@pytest.mark.parametrize("operation", TENSOR_REDUCTIONS)
def test_reductions_of_boxes(operation: str):
    rng = np.random.default_rng(4)
    array, tile = (rng.integers(0, 50, n).astype(np.uint32) for n in (8 * 8, 4096))
    array = array.reshape(8, 8)
    old, new = array[6:, 4:].copy(), tile[:16].reshape(4, 4)[:2, :4]
    expected = {
        "add": old + new,
        "min": np.minimum(old, new),
        "max": np.maximum(old, new),
        "inc": np.where(old >= new, 0, old + 1),
        "dec": np.where((old == 0) | (old > new), new, old - 1),
        "and": old & new,
        "or": old | new,
        "xor": old ^ new,
    }[operation]
    body = box_store(2, (6, 4), operation)
    run(body, tile, np.zeros(4, np.uint32), TensorMap(array, (4, 4)), parameters=MAP)
    np.testing.assert_array_equal(array[6:, 4:], expected)


# A map that the kernel makes itself, in shared memory, and publishes in `out`.
MADE_ON_THE_DEVICE = f"""
  mov.u32 %x, 0;
$ZERO:
  add.u32 %y, %s, %x; st.shared.b32 [%y], 0; add.u32 %x, %x, 4;
  setp.lt.u32 %p, %x, 128; @%p bra $ZERO;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%s], %i;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%s], 1;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%s], 0, 16;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%s], 1, 4;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%s], 0, 32;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%s], 1, 8;
  mov.b64 %a, 128;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%s], 0, %a;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%s], 0, 1;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%s], 1, 1;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%s], 7;
  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%s], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%s], 0;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%s], 0;
  mbarrier.arrive.shared::cta.b64 _, [%m];
  mbarrier.inval.shared::cta.b64 [%m];
  mbarrier.init.shared::cta.b64 [%m], 1;
$TOGETHER:
  bar.warp.sync 0xffffffff;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%o], [%s],128;
  fence.proxy.tensormap::generic.release.gpu;
  fence.proxy.tensormap::generic.acquire.gpu [%o], 128;
  @!%first bra $WAIT;
  prefetch.tensormap [%o];
  cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%o, {{8, 2}}];
  {EXPECT.format(256)}
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
      [%s], [%o, {{8, 2}}], [%m], %policy;
  fence.proxy.async;
  add.u64 %o, %o, 128;
  cp.async.bulk.global.shared::cta.bulk_group [%o], [%s], 256; {COMMIT}
"""


def device_kernel() -> str:
    """All lanes meet again where the map is published."""
    return kernel(MADE_ON_THE_DEVICE).replace("@!%first bra $WAIT;", "@!%first bra $TOGETHER;", 1)


def test_a_map_made_on_the_device():
    array = np.arange(256, dtype=np.float32).reshape(8, 32)
    out = np.zeros(96, np.float32)
    emulator.load(device_kernel()).launch("k", (1, 1, 1), [array, out])
    np.testing.assert_array_equal(out[32:].reshape(4, 16), array[2:6, 8:24])


ACQUIRED = "fence.proxy.tensormap::generic.acquire.gpu [%o], 128;"
UNPUBLISHED: dict[str, tuple[str, str, str]] = {
    "nobody acquires it": (ACQUIRED, "", "no fence.proxy.tensormap of the block acquires it"),
    "acquired too early": (
        "$TOGETHER:",
        f"$TOGETHER: {ACQUIRED}",
        "no fence.proxy.tensormap of the block acquires it",
    ),
    "nobody releases it": (
        ACQUIRED,
        f"tensormap.replace.tile.rank.global.b1024.b32 [%o], 1; {ACQUIRED}",
        "no fence.proxy.tensormap releases it",
    ),
    "stores": (
        ACQUIRED,
        f"{ACQUIRED} mov.b64 %a, 5; st.global.b64 [%o+120], %a;",
        "was changed by other accesses",
    ),
}


@pytest.mark.parametrize("name", UNPUBLISHED)
def test_a_map_that_is_not_published(name: str):
    before, after, message = UNPUBLISHED[name]
    text = device_kernel().replace(before, after)
    if name == "acquired too early":
        first, last = text.rsplit(ACQUIRED, 1)
        text = first + last
    arrays = [np.zeros((8, 32), np.float32), np.zeros(96, np.float32)]
    with pytest.raises(emulator.EmulatorError, match=message):
        emulator.load(text).launch("k", (1, 1, 1), arrays)


# Two warps, each of which publishes a map that has no fields, and uses that of the other one.
EXCHANGED = f"""{HOPPER_HEADER}
.visible .entry k(.param .u64 out) .reqntid 64
{{
  .shared .align 128 .b8 maps[256];
  .reg .b64 %o, %a; .reg .b32 %s, %x, %y; .reg .pred %first;
  ld.param.u64 %o, [out]; mov.u32 %s, maps; mov.u32 %x, %tid.x;
  shl.b32 %y, %x, 2; add.u32 %y, %y, %s; st.shared.b32 [%y], 0;
  and.b32 %y, %x, 31; setp.eq.u32 %first, %y, 0;
  shr.u32 %x, %x, 5; shl.b32 %x, %x, 7; add.u32 %y, %s, %x; cvt.u64.u32 %a, %x; add.u64 %a, %a, %o;
  bar.warp.sync 0xffffffff;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%a], [%y], 128;
  BEFORE
  xor.b32 %x, %x, 128; cvt.u64.u32 %a, %x; add.u64 %a, %a, %o;
  fence.proxy.tensormap::generic.acquire.gpu [%a], 128;
  AFTER
  @!%first bra $END;
  cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%a, {{0, 0}}];
$END:
  ret;
}}
"""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("bar.sync 0;", "", "an extent is zero"),
        ("", "bar.sync 0;", "no fence.proxy.tensormap of the block acquires it"),
    ],
)
def test_a_map_is_published_by_its_warp(before: str, after: str, message: str):
    """Another warp acquires it after a barrier, although both publish theirs at once."""
    module = emulator.load(EXCHANGED.replace("BEFORE", before).replace("AFTER", after))
    with pytest.raises(emulator.EmulatorError, match=message):
        module.launch("k", (1, 1, 1), [np.zeros(64, np.uint32)], races=True)


FAULTS: dict[str, tuple[str, str]] = {
    "an odd size": (THERE_AND_BACK[0].replace("4096", "40"), "a multiple of 16 bytes, not 40"),
    "misaligned": (
        THERE_AND_BACK[0].replace("[%s]", "[%s+8]"),
        "misaligned 16-byte write at shared address",
    ),
    "past the array": (
        THERE_AND_BACK[0].replace("[%i], 4096", "[%i+4096], 32"),
        "out-of-bounds 16-byte read at global address",
    ),
    "over the end of the array": (
        THERE_AND_BACK[0].replace("[%i], 4096", "[%i+16], 4096"),
        "out-of-bounds 16-byte read at global address",
    ),
    "no map": (
        box_load(2, 64, (0, 0)).replace(
            "mov.b64 %t, map; cvta.param.u64 %t, %t;", "mov.b64 %t, %i;"
        ),
        "these bytes are not a tensor map",
    ),
    "another rank": (
        box_load(3, 64, (0, 0, 0)),
        "the tensor map has 2 dimensions, but the coordinates are for 3",
    ),
    "a misaligned box": (
        box_load(2, 64, (0, 0)).replace("[%s]", "[%s+64]"),
        "a box in shared memory must begin at a multiple of 128 bytes",
    ),
    "a box past the end": (
        box_load(2, 64, (0, 0)).replace("[%s]", "[%s+16384]"),
        "a box of 1024 bytes at shared address",
    ),
    "a wrong count": (
        box_load(2, 1008, (0, 0)),
        "deadlock: waits for ever for the mbarrier at shared address",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    body, message = FAULTS[name]
    array = np.ones((16, 32), np.float32)
    data, out = np.full(1024, 0x01010101, np.uint32), np.zeros(4096, np.uint32)
    module = emulator.load(kernel(body, MAP))
    with pytest.raises(emulator.EmulatorError) as raised:
        module.launch("k", (1, 1, 1), [data, out, TensorMap(array, (8, 32))], step_limit=50_000)
    assert message in raised.value.message


BAD_MAPS: dict[str, tuple[TensorMap, str]] = {
    "no box": (
        TensorMap(np.ones((4, 4), np.float32), (4,)),
        "2 box extents and an element stride per dimension, not 2, 1 and 2",
    ),
    "a large box": (TensorMap(np.ones((4, 512), np.float32), (1, 512)), "1 to 256 elements"),
    "a narrow box": (TensorMap(np.ones((4, 16), np.float16), (4, 4)), "multiple of 16 bytes"),
    "a wide box": (TensorMap(np.ones((4, 64), np.float32), (4, 32), 64), "more than 64 bytes"),
    "an odd stride": (TensorMap(np.ones((4, 9), np.float16), (4, 8)), "a stride is not a multiple"),
    "no dense axis": (
        TensorMap(np.ones((8, 8), np.float32).T, (4, 4)),
        "is not contiguous along its last axis",
    ),
    "strange elements": (TensorMap(np.ones((8, 8), np.complex64), (4, 4)), "of type complex64"),
    "a wide step": (
        TensorMap(np.ones((8, 8), np.float32), (4, 4), element_strides=(9, 1)),
        "an element stride is 1 to 8",
    ),
    "a long row": (
        TensorMap(emulator.sparse_array((2, 1 << 32), np.uint8), (2, 16)),
        "an extent has more than 32 bits",
    ),
    "rows far apart": (
        TensorMap(as_strided(np.ones(8, np.float32), (1, 8), (1 << 40, 4)), (1, 4)),
        "a stride has more than 40 bits",
    ),
    "nothing": (TensorMap(np.ones((0, 8), np.float32), (4, 4)), "an extent of the array"),
}


@pytest.mark.parametrize("name", BAD_MAPS)
def test_bad_map(name: str):
    tensor_map, message = BAD_MAPS[name]
    out = np.zeros(4096, np.uint32)
    with pytest.raises(emulator.EmulatorError, match=message):
        run(box_load(2, 64, (0, 0)), out, out, tensor_map, parameters=MAP)


LARGEST_MAPS: dict[str, TensorMap] = {
    "box": TensorMap(np.ones((256, 4), np.float32), (256, 4)),
    "row of a box": TensorMap(np.ones((4, 256), np.uint8), (4, 256)),
    "row of a swizzled box": TensorMap(np.ones((4, 32), np.float32), (4, 16), 64),
    "step": TensorMap(np.ones((8, 8), np.float32), (4, 4), element_strides=(8, 1)),
    "extent": TensorMap(emulator.sparse_array((2, (1 << 32) - 16), np.uint8), (2, 16)),
    "stride": TensorMap(as_strided(np.ones(8, np.float32), (1, 8), ((1 << 40) - 16, 4)), (1, 4)),
    "rank": TensorMap(np.ones((1, 1, 1, 1, 8), np.float32), (1, 1, 1, 1, 8)),
    "number of pixels": TensorMap(np.ones((2, 8, 8), np.float32), (1024, 8), corners=((0,), (0,))),
}
"""Maps with the largest numbers that the CUDA driver API allows (cuTensorMapEncode..)."""


@pytest.mark.parametrize("name", LARGEST_MAPS)
def test_largest_map(name: str):
    tensor_map = LARGEST_MAPS[name]
    assert Descriptor.decode(tensor_map.encode(16)).box == tensor_map.box[::-1]


def test_a_map_needs_its_parameter():
    out = np.zeros(4, np.uint32)
    tensor_map = TensorMap(np.ones((4, 4), np.float32), (4, 4))
    with pytest.raises(emulator.EmulatorError, match="has 8 bytes, but a tensor map needs 128"):
        run(THERE_AND_BACK[0], out, tensor_map)


def built_kernels() -> list[str]:
    """Every kernel of these tests, for ptxas."""
    ranges = [kernel(body) for body in (*THERE_AND_BACK, WITHIN_SHARED)]
    ranges += [kernel(reduction(op, type_, 64)) for op, type_, _, _ in REDUCTIONS]
    boxes = [*RANKS, *(box_store(rank, (0,) * rank) for rank in range(1, 6))]
    boxes += [box_store(2, (0, 0), operation) for operation in TENSOR_REDUCTIONS]
    return [*ranges, *(kernel(body, MAP) for body in boxes), device_kernel()]
