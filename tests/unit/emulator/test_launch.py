"""Whole launches: arguments of all kinds, launch shapes, and their errors."""

import math
import warnings

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER, VECTOR_ADD
from tileir_xdsl import emulator
from tileir_xdsl.emulator.arguments import Argument


@pytest.mark.parametrize("size", [0, 1, 127, 128, 1000, 65536])
def test_vector_add_with_tail(size: int):
    generator = np.random.default_rng(size)
    a, b = generator.standard_normal((2, size), dtype=np.float32)
    c = np.zeros(size, np.float32)
    grid = (-(-size // 128), 1, 1)
    statistics = emulator.load(VECTOR_ADD).launch(None, grid, [a, b, c, size])
    np.testing.assert_array_equal(c, a + b)
    assert statistics.blocks == grid[0]
    assert statistics.threads_per_block == 128


def test_statistics_count_threads_and_groups():
    a = np.zeros(128, np.float32)
    module = emulator.load(VECTOR_ADD)
    whole = module.launch(None, (1, 1, 1), [a, a.copy(), a.copy(), 128])
    assert whole.instructions == 20
    assert whole.lane_instructions == 128 * 20
    assert whole.divergent_branches == 0
    part = module.launch(None, (1, 1, 1), [a, a.copy(), a.copy(), 100])
    assert part.divergent_branches == 1
    assert part.lane_instructions == 128 * 10 + 100 * 9 + 128


def test_arrays_are_written_back_after_a_fault():
    a, c = np.ones(256, np.float32), np.zeros(128, np.float32)
    with pytest.raises(emulator.EmulatorError, match="out-of-bounds 4-byte write"):
        emulator.load(VECTOR_ADD).launch(None, (2, 1, 1), [a, a, c, 256], resident_blocks=1)
    assert (c == 2).all()


def test_arrays_that_overlap_share_their_copy():
    buffer = np.arange(256, dtype=np.float32)
    emulator.load(VECTOR_ADD).launch(
        None, (1, 1, 1), [buffer[:128], buffer[64:192], buffer[128:], 128]
    )
    # c[0:64] is b[64:128]: each thread reads before it writes, and all threads run together.
    expected = np.arange(128, dtype=np.float32) + np.arange(64, 192, dtype=np.float32)
    np.testing.assert_array_equal(buffer[128:], expected)
    np.testing.assert_array_equal(buffer[:128], np.arange(128))


def test_addresses_do_not_depend_on_where_the_host_has_arrays():
    first, second = np.ones((2, 128), np.float32)
    said: set[str] = set()
    for a, c in ((first, second), (second, first)):
        with pytest.raises(emulator.MemoryFault, match="out-of-bounds 4-byte read") as caught:
            emulator.load(VECTOR_ADD).launch(None, (2, 1, 1), [a, np.ones(256, np.float32), c, 256])
        said.add(str(caught.value))
    assert len(said) == 1


def test_in_place():
    a = np.ones(128, np.float32)
    emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [a, a, a, 128])
    assert (a == 2).all()


def test_fortran_order_keeps_its_bytes():
    a = np.asfortranarray(np.arange(128, dtype=np.float32).reshape(8, 16))
    c = np.asfortranarray(np.zeros((8, 16), np.float32))
    emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [a, a, c, 128])
    np.testing.assert_array_equal(c, 2 * a)


def test_zero_dimensional_and_empty_arrays():
    a, c = np.array(1.5, np.float32), np.array(0, np.float32)
    emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [a, a, c, 1])
    assert c == 3
    empty = np.zeros(0, np.float32)
    emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [empty, empty, empty, 0])
    with pytest.raises(emulator.EmulatorError, match="argument 0 \\('a'\\), which has 0 bytes"):
        emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [empty, a, c, 1])


def test_read_only_arrays():
    a = np.ones(128, np.float32)
    a.flags.writeable = False
    c = np.zeros(128, np.float32)
    emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [a, a, c, 128])
    assert (c == 2).all()
    c[...] = 0
    c.flags.writeable = False
    with pytest.raises(
        emulator.EmulatorError, match="wrote to argument 2 \\('c'\\), which is read"
    ):
        emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [a, a, c, 128])


SCALARS = f"""{HEADER}
.visible .entry k(.param .u64 out, .param .u8 a, .param .s16 b, .param .f32 c, .param .f64 d,
                  .param .b32 e, .param .align 8 .b8 f[12], .param .s64 g)
{{
  .reg .b64 %o, %x; .reg .b32 %r; .reg .f32 %f; .reg .f64 %d; .reg .b16 %h; .reg .b64 %p;
  ld.param.u64 %o, [out];
  ld.param.u8 %r, [a];
  st.global.u32 [%o], %r;
  ld.param.s16 %r, [b];
  st.global.u32 [%o+4], %r;
  ld.param.f32 %f, [c];
  st.global.f32 [%o+8], %f;
  ld.param.b32 %r, [e];
  st.global.b32 [%o+12], %r;
  ld.param.f64 %d, [d];
  st.global.f64 [%o+16], %d;
  ld.param.b32 %r, [f+8];
  st.global.b32 [%o+24], %r;
  mov.b64 %p, f;
  cvta.param.u64 %p, %p;
  ld.b32 %r, [%p+4];
  st.global.b32 [%o+28], %r;
  ld.param.b64 %x, [g];
  st.global.b64 [%o+32], %x;
  ret;
}}
"""


def launch_scalars(*scalars: Argument) -> bytes:
    out = np.zeros(10, np.uint32)
    emulator.load(SCALARS).launch(None, (1, 1, 1), [out, *scalars], block=(1, 1, 1))
    return out.tobytes()


def test_scalars():
    array = np.array([1, 2, 3], np.uint32)
    got = launch_scalars(200, -2, 1.5, 2.5, np.float32(0.25), array.tobytes(), -(2**63))
    expected = np.array([200], np.uint32).tobytes() + np.array([-2], np.int32).tobytes()
    expected += np.array([1.5, 0.25], np.float32).tobytes() + np.array([2.5]).tobytes()
    expected += array[2:].tobytes() + array[1:2].tobytes() + np.array([-(2**63)]).tobytes()
    assert got == expected
    numpy_scalars = launch_scalars(
        np.uint8(200),
        np.int16(-2),
        np.float32(1.5),
        np.float64(2.5),
        0x3E800000,
        array,
        np.int64(-(2**63)),
    )
    assert numpy_scalars == expected


_GOOD: list[Argument] = [1, 1, 1.0, 1.0, 1, bytes(12), 1]


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (0, 256, "argument 1 ('a') has type .u8, which cannot hold 256"),
        (0, -129, "argument 1 ('a') has type .u8, which cannot hold -129"),
        (4, 1 << 32, "argument 5 ('e') has type .b32, which cannot hold 4294967296"),
        (1, 32768, "argument 2 ('b') has type .s16, which cannot hold 32768"),
        (1, -32769, "argument 2 ('b') has type .s16, which cannot hold -32769"),
        (1, 1.0, "argument 2 ('b') has type .s16, but the argument has type float"),
        (0, np.int32(1), "argument 1 ('a') has type .u8, but the argument has type int32"),
        (2, np.int32(1), "argument 3 ('c') has type .f32, but the argument has type int32"),
        (2, np.float64(1), "argument 3 ('c') has type .f32, but the argument has type float64"),
        (4, 1.0, "argument 5 ('e') has type .b32, but the argument has type float"),
        (4, np.float16(1), "argument 5 ('e') has type .b32, but the argument has type float16"),
        (5, bytes(11), "argument 6 ('f') has 12 bytes, but the argument has 11"),
        (5, 7, "argument 6 ('f') has 12 bytes, but the argument has type int"),
        (6, b"12345678", "argument 7 ('g') has type .s64, but the argument has type bytes"),
        (2, np.zeros(3), "argument 3 ('c') has type .f32, which cannot receive an array"),
    ],
)  # fmt: skip
def test_scalars_that_do_not_fit(index: int, value: Argument, message: str):
    args = [*_GOOD]
    args[index] = value
    with pytest.raises(emulator.EmulatorError) as caught:
        launch_scalars(*args)
    assert str(caught.value) == message


def test_bfloat16_array():
    """Element types mean nothing to the emulator: bytes go in and out."""
    values = np.arange(256).astype(ml_dtypes.bfloat16)
    result = np.zeros(128, np.float32)
    emulator.load(VECTOR_ADD).launch(None, (1, 1, 1), [values, values, result, 128])
    np.testing.assert_array_equal(result, 2 * values.view(np.float32))


@pytest.mark.parametrize(
    ("kernel", "grid", "count", "options", "message"),
    [
        ("none", (1,), 4, {}, "the module has no kernel 'none'; its kernels: add"),
        (None, (1,), 3, {}, "kernel 'add' takes 4 arguments, not 3"),
        (None, (-1,), 4, {}, "a grid must have one to three extents, none negative, not (-1,)"),
        (None, (1, 1, 1, 1), 4, {}, "a grid must have one to three extents, none negative, not (1, 1, 1, 1)"),
        (None, (1,), 4, {"block": (64,)},
         "kernel 'add' requires blocks of (128, 1, 1) threads, not (64, 1, 1)"),
        (None, (1,), 4, {"dynamic_shared": 1 << 20},
         "a block has at least 0 bytes of dynamic shared memory and at most 232448 bytes of shared memory, not 1048576 and 1048576"),
    ],
)  # fmt: skip
def test_launches_that_do_not_fit(
    kernel: str | None, grid: tuple[int, ...], count: int, options: dict[str, int], message: str
):
    a = np.zeros(4, np.float32)
    args: list[Argument] = [a, a.copy(), a.copy(), 4]
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(VECTOR_ADD).launch(kernel, grid, args[:count], **options)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == message


def test_block_shape_must_be_known():
    module = emulator.load(SCALARS)
    with pytest.raises(emulator.EmulatorError, match=r"no \.reqntid: .* --block X,Y,Z"):
        module.launch(None, (1, 1, 1), [np.zeros(10), *_GOOD])
    with pytest.raises(emulator.EmulatorError, match="has 1 to 1024 threads, not 2048"):
        module.launch(None, (1, 1, 1), [np.zeros(10), *_GOOD], block=(1024, 2, 1))


def test_kernel_must_be_named_when_there_are_several():
    module = emulator.load(HEADER + ".entry a() { ret; }\n.entry b() { ret; }")
    module.launch("b", (1, 1, 1), [], block=(1, 1, 1))
    with pytest.raises(emulator.EmulatorError, match="not have exactly one kernel, but: a, b"):
        module.launch(None, (1, 1, 1), [], block=(1, 1, 1))


def test_arrays_with_gaps_and_reversed_ones():
    whole = np.arange(16, dtype=np.float32)
    reverse, gaps, total = whole[15:11:-1], whole[::4], np.zeros(4, np.float32)
    text = f"""{HEADER}
.visible .entry k(.param .u64 reverse, .param .u64 gaps, .param .u64 total) .reqntid 1
{{
  .reg .b64 %a<3>; .reg .f32 %f<4>;
  ld.param.u64 %a0, [reverse];
  ld.param.u64 %a1, [gaps];
  ld.param.u64 %a2, [total];
  ld.global.f32 %f0, [%a0+-4];
  ld.global.f32 %f1, [%a1+16];
  add.rn.f32 %f2, %f0, %f1;
  st.global.f32 [%a2], %f2;
  st.global.f32 [%a1+32], %f2;
  ret;
}}
"""
    emulator.load(text).launch("k", (1, 1, 1), [reverse, gaps, total])
    assert total[0] == 18
    assert whole.tolist() == [*range(8), 18, *range(9, 16)]


def test_module_variables_begin_anew_in_each_launch():
    text = f"""{HEADER}
.global .u32 counter = 5;
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .reg .b64 %o; .reg .b32 %r;
  atom.global.add.u32 %r, [counter], 1;
  ld.param.u64 %o, [out];
  st.global.u32 [%o], %r;
  ret;
}}
"""
    module = emulator.load(text)
    for _ in range(2):
        out = np.zeros(1, np.uint32)
        module.launch(None, (1, 1, 1), [out])
        assert out[0] == 5 + 31


def test_numpy_state_is_left_alone():
    """Overflow inside a kernel warns nobody, and the caller's error handling stays as it was."""
    text = f"""{HEADER}
.visible .entry k(.param .u64 out, .param .f32 x) .reqntid 32
{{
  .reg .b64 %o; .reg .f32 %x;
  ld.param.u64 %o, [out];
  ld.param.f32 %x, [x];
  mul.rn.f32 %x, %x, %x;
  st.global.f32 [%o], %x;
  ret;
}}
"""
    out = np.zeros(1, np.float32)
    with np.errstate(over="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        emulator.load(text).launch(None, (1, 1, 1), [out, np.float32(1e30)])
        assert np.geterr()["over"] == "raise"
    assert math.isinf(out[0])
