"""The shape of clusters, and which blocks they are made of."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator.registers import Geometry

REGISTERS = (
    "ctaid.x",
    "ctaid.y",
    "clusterid.x",
    "clusterid.y",
    "cluster_ctaid.x",
    "cluster_ctaid.y",
    "cluster_ctarank",
    "nclusterid.x",
    "cluster_nctaid.y",
    "cluster_nctarank",
)


def kernel(directives: str = "") -> str:
    """Every block stores its special registers, and whether it has a cluster, in its row."""
    stores = "".join(
        f"mov.u32 %x, %{name}; st.global.u32 [%o+{4 * index}], %x;\n"
        for index, name in enumerate(REGISTERS)
    )
    return f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 32 {directives}
{{
  .reg .b64 %o; .reg .b32 %x, %y; .reg .pred %p;
  mov.u32 %x, %ctaid.x; mov.u32 %y, %nctaid.x; mov.u32 %y, %ctaid.y; mad.lo.u32 %x, %y, 6, %x;
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %x, 44, %o;
  {stores}
  mov.pred %p, %is_explicit_cluster; selp.u32 %x, 1, 0, %p; st.global.u32 [%o+40], %x;
  ret;
}}
"""


def registers(text: str, cluster: tuple[int, ...] | None) -> list[dict[str, int]]:
    out = np.zeros((24, 11), np.uint32)
    emulator.load(text).launch("k", (6, 4, 1), [out], cluster=cluster)
    names = (*REGISTERS, "explicit")
    return [dict(zip(names, (int(x) for x in row), strict=True)) for row in out]


@pytest.mark.parametrize(
    ("directives", "cluster"), [("", (3, 2, 1)), (".reqnctapercluster 3, 2", None)]
)
def test_special_registers(directives: str, cluster: tuple[int, ...] | None):
    for index, found in enumerate(registers(kernel(directives), cluster)):
        y, x = divmod(index, 6)
        expected = (x, y, x // 3, y // 2, x % 3, y % 2, x % 3 + y % 2 * 3, 2, 2, 6, 1)
        assert tuple(found.values()) == expected


@pytest.mark.parametrize("cluster", [(2, 2, 2), (1, 2, 4), (2, 1, 3), (3, 2, 1)])
def test_ranks_of_the_blocks_of_a_cluster(cluster: tuple[int, int, int]):
    """Blocks are counted with x fastest and z slowest (PTX ISA, "%cluster_ctarank")."""
    x, y, z = cluster
    blocks = np.array(list(np.ndindex(2 * z, y, x)))[:, ::-1]
    geometry = Geometry((x, y, 2 * z), (32, 1, 1), blocks, cluster=cluster)
    assert geometry.ranks[:, 0].tolist() == 2 * list(range(x * y * z))


def test_blocks_without_clusters():
    for index, found in enumerate(registers(kernel(), None)):
        y, x = divmod(index, 6)
        assert tuple(found.values()) == (x, y, x, y, 0, 0, 0, 6, 1, 1, 0)


@pytest.mark.parametrize(
    ("directives", "grid", "cluster", "message"),
    [
        (
            "",
            (6, 4),
            (4, 1),
            "a grid of (6, 4, 1) blocks cannot be divided into clusters of (4, 1, 1)",
        ),
        ("", (32, 1), (32, 1), "a cluster has 1 to 16 blocks, not 32"),
        ("", (4, 1), (0, 1), "a cluster has 1 to 16 blocks, not 0"),
        (".maxclusterrank 4", (8, 1), (8,), "a cluster has 1 to 4 blocks, not 8"),
        (
            ".reqnctapercluster 2, 1, 1",
            (4, 1),
            (4, 1),
            "kernel 'k' requires clusters of (2, 1, 1) blocks, not (4, 1, 1)",
        ),
    ],
)
def test_shapes_that_cannot_be(
    directives: str, grid: tuple[int, ...], cluster: tuple[int, ...], message: str
):
    with pytest.raises(emulator.EmulatorError) as raised:
        emulator.load(kernel(directives)).launch("k", grid, [np.zeros(1)], cluster=cluster)
    assert str(raised.value) == message


def test_a_grid_of_clusters():
    text = kernel(".reqntid 32 .reqnctapercluster 3, 2 .blocksareclusters")
    out = np.zeros((24, 11), np.uint32)
    emulator.load(text).launch("k", (2, 2, 1), [out])
    for found, expected in zip(out, registers(kernel(), (3, 2, 1)), strict=True):
        assert found.tolist() == list(expected.values())


def test_a_grid_of_clusters_needs_their_shape():
    with pytest.raises(emulator.EmulatorError) as raised:
        emulator.load(kernel(".blocksareclusters")).launch("k", (1,), [np.zeros(1)], block=(32,))
    message = "kernel 'k' has .blocksareclusters, which needs .reqntid and .reqnctapercluster"
    assert str(raised.value) == message


GUARDED_ADDRESS = f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 32 .reqnctapercluster 2
{{
  .shared .align 4 .b32 word;
  .reg .b64 %o; .reg .b32 %i, %x, %y; .reg .pred %p;
  mov.u32 %i, %tid.x; mov.u32 %x, word; mov.u32 %y, 7; setp.lt.u32 %p, %i, 2;
  @%p mapa.shared::cluster.u32 %y, %x, %i;
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 4, %o; st.global.u32 [%o], %y;
  ret;
}}
"""


def test_addresses_in_other_blocks_under_a_guard():
    out = np.zeros(32, np.uint32)
    emulator.load(GUARDED_ADDRESS).launch("k", (2, 1, 1), [out])
    assert len(set(out[:2])) == 2
    assert (out[2:] == 7).all()
    with pytest.raises(
        emulator.EmulatorError, match="a cluster of 2 blocks has no block of rank 2"
    ):
        text = GUARDED_ADDRESS.replace("%i, 2;", "%i, 3;")
        emulator.load(text).launch("k", (2, 1, 1), [out])
