"""What a pack has of a unit: a file, and what the manifest says of its kernels."""

from pathlib import Path

import numpy as np
import pytest

from bench.pack.devices import DEVICES
from bench.pack.items import Unit
from bench.pack.packing import kernels_of_ptx, pack_unit
from bench.pack.runner.memory import read_packed
from bench.pack.runner.results import PackError

PTX = """.version 9.0
.target sm_90a
.extern .shared .align 16 .b8 buffer[];
.shared .align 16 .b8 common[4096];
.visible .entry plain(.param .u64 out, .param .u32 n, .param .align 64 .b8 map[128])
.reqntid 128
{ .shared .align 16 .b8 mine[1024]; mov.u32 %r, common; }
.visible .entry cluster(.param .u64 out)
.reqntid 64, 2
.reqnctapercluster 4, 1, 1
{ ret; }
.visible .entry large(.param .u64 out)
.reqntid 32
.reqnctapercluster 16
{ .shared .align 16 .b8 mine[65536]; }
.visible .entry counted(.param .u64 out)
.reqntid 128
.reqnctapercluster 2
.blocksareclusters
{ ret; }
"""


def test_kernels_are_known_by_their_ptx() -> None:
    found = kernels_of_ptx(PTX)
    assert list(found) == ["plain", "cluster", "large", "counted"]
    assert found["plain"]["parameters"] == ((0, 8), (8, 4), (64, 128))
    assert found["plain"]["static_shared"] == 4096 + 1024
    assert found["cluster"]["block"] == (64, 2, 1)
    assert found["cluster"]["cluster"] == (4, 1, 1)
    assert found["counted"]["grid_counts_clusters"]


@pytest.mark.parametrize("ptx", [False, True])
def test_a_file_has_the_ptx_only_where_it_is_asked_for(tmp_path: Path, ptx: bool) -> None:
    unit = Unit(DEVICES["sm_90a"], cubins={"ours": b"\x7fELF", "theirs": b"2"}, ptx={"ours": PTX})
    key = unit.store("inputs", np.arange(4, dtype=np.int16))
    made = pack_unit(unit, ptx=ptx)
    (tmp_path / "unit.xz").write_bytes(made.file)
    found = read_packed(tmp_path / "unit.xz")
    text = found.pop("ours.ptx", None)
    assert text == (PTX.encode() if ptx else None)
    arrays = np.arange(4, dtype=np.int16).tobytes()
    assert found == {"ours.cubin": b"\x7fELF", "theirs.cubin": b"2", key: arrays}
    assert made.modules["theirs"] == {}
    assert "plain" in made.modules["ours"]


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "unit.xz"
    path.write_bytes(pack_unit(Unit(DEVICES["sm_90a"], cubins={"ours": b"1"})).file[:-9])
    with pytest.raises(PackError, match=r"unit\.xz: "):
        read_packed(path)
    with pytest.raises(PackError, match=r"other\.xz: "):
        read_packed(tmp_path / "other.xz")
