"""Launches of compiled kernels: arguments, threads, faults, and what stops them."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from tests.unit.runtime.cpu.kernels import ASSERTION, FOREVER, LANES, SCALE, SCRATCH, loaded
from tileir_xdsl.runtime.cpu import launching
from tileir_xdsl.runtime.cpu.launching import merged, packed
from tileir_xdsl.runtime.cpu.workers import Work
from tileir_xdsl.runtime.errors import InputError, MemoryFaultError

BLOCKS = 37


def values(count: int = BLOCKS * LANES) -> np.ndarray:
    return np.arange(count, dtype=np.float32)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_all_blocks_run_once(threads: int | None) -> None:
    array = values()
    loaded(SCALE).launch((BLOCKS, 1, 1), packed([array, np.float32(3)]), threads=threads)
    assert array.tolist() == (3 * values()).tolist()


@pytest.mark.parametrize(
    ("decided", "threads", "expected"), [(3, 1, 3), (64, 1, BLOCKS // 8), (3, 2, 2), (0, 1, 1)]
)
def test_a_thread_takes_as_many_blocks_as_decided_or_fewer(
    decided: int, threads: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = loaded(SCALE, f"tilecpu.blocks_per_task = {decided} : i64,")
    run, tasks = kernel.code.run, list[int]()

    def seen(*arguments: int) -> None:
        tasks.append(arguments[-1])
        run(*arguments)

    monkeypatch.setattr(kernel.code, "run", seen)
    array = values()
    kernel.launch((BLOCKS, 1, 1), packed([array, np.float32(3)]), threads=threads)
    assert tasks == [expected] * threads
    assert array.tolist() == (3 * values()).tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_every_thread_has_scratch_memory(threads: int) -> None:
    array = values()
    loaded(SCRATCH).launch((BLOCKS, 1, 1), packed([array, np.float32(0)]), threads=threads)
    assert array.tolist() == (2 * values()).tolist()


def test_an_access_outside_of_arrays_names_the_line() -> None:
    array, guard = values(), values()
    with pytest.raises(MemoryFaultError) as caught:
        loaded(SCALE).launch((BLOCKS + 1, 1, 1), packed([array[: BLOCKS * LANES], np.float32(1)]))
    size = BLOCKS * LANES * 4
    assert str(caught.value) == (
        f"k.py:3:4: error: 'store' in tile block ({BLOCKS}, 0, 0): accesses byte {size} of an "
        f"array of {size} bytes"
    )
    assert guard.tolist() == values().tolist()


def test_a_kernel_runs_again_after_a_fault() -> None:
    kernel, array = loaded(SCALE), values()
    with pytest.raises(MemoryFaultError):
        kernel.launch((BLOCKS + 1, 1, 1), packed([array, np.float32(1)]))
    kernel.launch((BLOCKS, 1, 1), packed([array, np.float32(2)]))
    assert array.tolist() == (2 * values()).tolist()


def test_a_failed_assertion() -> None:
    with pytest.raises(InputError, match=r"in tile block \(0, 0, 0\): assertion failed: all are"):
        loaded(ASSERTION).launch((1, 1, 1), packed([values(), np.float32(1)]))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit(threads: int) -> None:
    started = time.perf_counter()
    with pytest.raises(InputError, match=r"k\.mlir: error: the kernel has not ended within 0.2 s"):
        loaded(FOREVER).launch((2, 1, 1), packed([values(), np.float32(1)]), 0.2, threads)
    assert time.perf_counter() - started < 30


def test_an_interrupt_stops_a_launch() -> None:
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    with pytest.raises(KeyboardInterrupt):
        loaded(FOREVER).launch((1, 1, 1), packed([values(), np.float32(1)]))
    timer.join()
    assert signal.set_wakeup_fd(before) == before


def test_a_thread_that_is_not_the_main_one_launches() -> None:
    array, kernel = values(), loaded(SCALE)
    thread = threading.Thread(
        target=lambda: kernel.launch((BLOCKS, 1, 1), packed([array, np.float32(3)]))
    )
    thread.start()
    thread.join()
    assert array.tolist() == (3 * values()).tolist()


def test_a_serial_kernel_runs_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a thread was woken")

    monkeypatch.setattr(launching, "run_on_threads", refuse)
    array = np.ones(1 << 20, np.float32)
    kernel = loaded(SCALE, "tilecpu.serial,")
    kernel.launch((array.size // LANES, 1, 1), packed([array, np.float32(3)]))
    assert (array == 3).all()


def test_a_small_launch_wakes_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a thread was woken")

    monkeypatch.setattr(launching, "run_on_threads", refuse)
    monkeypatch.setattr(launching, "processors", lambda: 8)
    array = values()
    loaded(SCALE).launch((BLOCKS, 1, 1), packed([array, np.float32(3)]))


def test_a_large_launch_wakes_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    run_on_threads = launching.run_on_threads

    def note(count: int, work: Work) -> None:
        counts.append(count)
        run_on_threads(count, work)

    monkeypatch.setattr(launching, "run_on_threads", note)
    monkeypatch.setattr(launching, "processors", lambda: 3)
    array = np.ones(1 << 20, np.float32)
    loaded(SCALE).launch((array.size // LANES, 1, 1), packed([array, np.float32(3)]))
    assert counts == [3]
    assert (array == 3).all()


def test_a_fault_ends_all_threads() -> None:
    array = np.ones(1 << 16, np.float32)
    with pytest.raises(MemoryFaultError):
        loaded(SCALE).launch((1 << 30, 1, 1), packed([array, np.float32(1)]), threads=4)


def test_no_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(launching, "_arenas", launching.Arenas())
    monkeypatch.setattr(launching.np, "empty", refuse)
    with pytest.raises(InputError, match=r"^cpu: error: no memory for 64 bytes of tiles a thread"):
        loaded(SCRATCH).launch((1, 1, 1), packed([values(), np.float32(1)]))


def test_ranges_of_arrays() -> None:
    assert merged([(8, 12), (0, 4), (2, 6), (12, 16)]) == [0, 6, 8, 12, 12, 16]


def test_numbers_have_their_bits() -> None:
    given = [np.float32(1), np.int8(-1), np.float64(-0.0), np.uint64(2**64 - 1), np.bool_(True)]
    assert packed(given).slots == [0x3F800000, 255, -(2**63), -1, 1]


def test_a_list_of_arrays_is_a_table_of_addresses() -> None:
    arrays = (values(8), values(16))
    arguments = packed([arrays])
    *_, table = arguments.kept
    assert arguments.slots == [table.ctypes.data]
    assert table[0, 0] == arrays[0].ctypes.data and table[1, 0] == arrays[1].ctypes.data
    assert len(arguments.ranges) == 6
