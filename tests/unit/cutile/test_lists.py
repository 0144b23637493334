"""Lists of arrays as arguments: at every level, in commands, and on a GPU."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cuda.tile as ct
import numpy as np
import pytest

import tileir_xdsl as tileir
from tests.dlpack import on_cuda
from tests.unit.runtime.test_gpu import Bindings
from tests.unit.runtime.test_gpu import gpu as opened
from tileir_xdsl import cutile
from tileir_xdsl.cli.main import main
from tileir_xdsl.cutile import gpu as gpu_module
from tileir_xdsl.cutile.signatures import arguments_of
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.testing.kernels.case import kernel


@kernel
def add_up(xs: Any, out: Any) -> None:
    total = ct.zeros((16,), dtype=ct.float32)
    for n in range(len(xs)):
        total = total + ct.load(xs[n], (0,), (16,))
    ct.store(out, index=(0,), tile=total)


@kernel
def fill(xs: Any, by: Any) -> None:
    ct.store(xs[ct.bid(0)], index=(0, 0), tile=ct.full((4, 8), ct.bid(0) + by, ct.float32))


def vectors(count: int) -> list[Any]:
    return [np.arange(16, dtype=np.float32) * n for n in range(1, count + 1)]


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "nv_tileas", "ptx"])
def test_read_and_written(level: str):
    """Members have sizes and strides of their own, and may share memory with each other."""
    out = np.zeros(16, np.float32)
    cutile.launch(1, add_up, (vectors(3), out), level=level, gpu="sm_80")
    assert (out == np.arange(16) * 6).all()
    whole = np.zeros((8, 24), np.float32)
    members = [whole[:3, 1:6], whole[4:, 8:16], whole[4:, 16:20].T]
    cutile.launch(3, fill, (members, 5), level=level, gpu="sm_80")
    assert [set(each.flat) for each in members] == [{5.0}, {6.0}, {7.0}]
    assert np.count_nonzero(whole) == 15 + 32 + 16


def constraint(arguments: Sequence[object]) -> Any:
    return arguments_of(add_up, arguments).signature.parameters


def test_what_holds_for_all():
    """The compiler counts on what all members have in common."""
    whole = np.zeros(256, np.float32)
    listed, out = constraint(([whole[:16], whole[64:96:2]], np.zeros(16, np.float32)))
    assert listed.element.stride_constant == (None,) and listed.element.shape_divisible_by == (16,)
    assert not (listed.elements_may_alias or listed.element.alias_groups or out.alias_groups)
    listed, out = constraint(([whole[:20], whole[16:32]], whole[128:144]))
    assert listed.element.stride_constant == (1,) and listed.element.shape_divisible_by == (4,)
    assert listed.elements_may_alias and not (listed.element.alias_groups or out.alias_groups)
    listed, out = constraint(([whole[:16], whole[32:48]], whole[40:56]))
    assert not listed.elements_may_alias
    assert listed.element.alias_groups == out.alias_groups != ()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([], "xs: error: expected a list of at least one array, got an empty list"),
        ([1], r"xs\[0\]: error: expected an array, "),
        (
            [np.zeros(16, np.float32), np.zeros((4, 4), np.float32)],
            r"xs\[1\]: error: expected an array of float32 and rank 1 as at xs\[0\], got float32 and",
        ),
        (
            [np.zeros(16, np.float32), np.zeros(16, np.float16)],
            r"xs\[1\]: error: .*, got float16 and rank 1",
        ),
        ([np.zeros(16, np.float32), np.zeros(16, np.float32)[::-1]], r"xs\[1\]: .*negative stride"),
    ],
)
def test_refused(members: list[Any], message: str):
    with pytest.raises(tileir.CompileError, match=message):
        cutile.launch(1, add_up, (members, np.zeros(16, np.float32)))


@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_faults_name_the_member(level: str):
    members = [np.zeros((4, 8), np.float32) for _ in range(2)]
    members[1].flags.writeable = False
    with pytest.raises(tileir.CompileError, match=r"argument xs\[1\].*read-only"):
        cutile.launch(2, fill, (members, 5), level=level)


def test_copies():
    """Copies of members share memory as they do."""
    whole = np.arange(8.0)
    listed, other, number = copies([(whole[:4], whole[2:]), whole, 7])
    assert isinstance(listed, tuple) and isinstance(other, np.ndarray) and number == 7
    listed[0][3] = 50
    assert other[3] == listed[1][1] == 50 and whole[3] == 3


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(
        "import cuda.tile as ct, numpy as np\n"
        "@ct.kernel\n"
        "def fill(xs):\n"
        "    ct.store(xs[ct.bid(0)], (0,), ct.full((4,), ct.bid(0), ct.float32))\n"
        "ct.launch(0, (2,), fill, ([np.zeros(4, np.float32), np.zeros(4, np.float32)],))\n"
    )
    assert main(["run", "k.py", "--level", "ptx"]) == 0
    assert "[1]: float32[4] = [1, 1, 1, 1]" in capsys.readouterr().out
    assert main(["check", "k.py"]) == 0
    assert "ptx" in capsys.readouterr().out


def test_on_a_gpu(monkeypatch: pytest.MonkeyPatch):
    """The list is on the device once, however often it is launched with."""
    seen: list[bytes] = []

    def run(bindings: Bindings, parameters: list[bytes]) -> None:
        seen[:] = parameters

    bindings = Bindings((8, 4, 8, 4, 4), run)
    device = opened(bindings)
    monkeypatch.setattr(gpu_module, "_opened", lambda number: device)  # pyright: ignore
    one, two, out = (on_cuda(each, 0x10000 * n) for n, each in enumerate(vectors(3), 1))
    for _ in range(2):
        cutile.launch(1, add_up, ([one, two], out), gpu="sm_90a", stream=5)
    address = int.from_bytes(seen[0], "little")
    assert int.from_bytes(seen[1], "little") == 2 and int.from_bytes(seen[2], "little") == 0x30000
    # One allocation, of which the next would begin 256 bytes on.
    assert bindings.top == address + 256
    listed = bindings.memory[address : address + 48].view(np.int64)
    assert listed.tolist() == [0x10000, 16, 1, 0x20000, 16, 1]
