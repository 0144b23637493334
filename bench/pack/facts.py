"""Group a, driver facts: what a driver does with launches that the compiler and others rely on.

Each fact is a kernel and the launch that is asked about; whatever the driver answers is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.pack.devices import PackDevice
from bench.pack.items import Item, Output, Program, Unit, UnitSpec, checked_item
from tests.unit.emulator.instructions.test_bulk_copy import device_kernel
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu_launching import DeviceArgument
from tileir_xdsl.runtime.ptxas import assemble

MODULE = "facts"
THREADS = 128
LARGE_PARAMETER = 8192

HEADER = ".version 9.0\n.target {target}\n.address_size 64\n"

_COUNT = """
{{
  .reg .b64 %o; .reg .b32 %t, %b, %n, %i, %x; .reg .pred %p;
  {declare}
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x;
  {work}
  mad.lo.u32 %i, %b, %n, %t;
  mad.wide.u32 %o, %i, 4, %o;
  mov.u32 %x, {value};
  add.u32 %x, %x, 1;
  st.global.b32 [%o], %x;
  ret;
}}
"""


def counting(
    name: str,
    directives: str = "",
    *,
    declare: str = "",
    work: str = "",
    value: str = "%b",
    parameters: str = "",
) -> str:
    """A kernel whose every thread stores a number, plus one, where its own number says."""
    body = _COUNT.format(declare=declare, work=work, value=value)
    return f".visible .entry {name}(.param .u64 out{parameters})\n{directives}\n{body}"


def with_shared(name: str, size: int) -> str:
    """A kernel with so many bytes of static shared memory, the last of which it uses."""
    return counting(
        name,
        f".reqntid {THREADS}",
        declare=f".shared .align 16 .b8 buffer[{size}];",
        work=f"st.shared.u32 [buffer+{size - 4}], 5; bar.sync 0; "
        f"ld.shared.u32 %t, [buffer+{size - 4}]; mov.u32 %t, %tid.x;",
    )


def with_cluster(name: str, blocks: int, directives: str = "", *, required: bool = True) -> str:
    """A kernel whose blocks store the number of the next block of the cluster, read from there."""
    shape = f".reqnctapercluster {blocks}, 1, 1\n" if required else ""
    return counting(
        name,
        f".reqntid {THREADS}\n{shape}{directives}",
        declare=".shared .align 16 .b32 mine; .reg .b32 %r, %a, %v;",
        work=f"""mov.u32 %r, %cluster_ctarank; st.shared.u32 [mine], %b;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  add.u32 %r, %r, 1; rem.u32 %r, %r, {blocks};
  mov.u32 %a, mine; mapa.shared::cluster.u32 %a, %a, %r;
  ld.shared::cluster.u32 %v, [%a];
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;""",
        value="%v",
    )


@dataclass(frozen=True)
class Fact:
    """A launch, and what the threads store if it runs as the question has it."""

    question: str
    kernel: str
    ptx: str
    expected: Array
    grid: int = 2
    block: int = THREADS
    shared: int = 0
    opt_in: bool = True
    cluster: int = 1
    asks_cluster: bool = False
    """Whether the launch asks for the clusters, and not the kernel."""
    arguments: tuple[DeviceArgument, ...] = ()


def _numbers(blocks: int, cluster: int = 1) -> Array:
    """What a counting kernel stores: of each block its own number, or that of the next one."""
    block = np.arange(blocks)
    following = block // cluster * cluster + (block + 1) % cluster
    return np.repeat(following if cluster > 1 else block, THREADS).astype(np.uint32) + 1


def facts(shared_limit: int) -> Sequence[Fact]:
    """All questions, of a GPU whose blocks have so much shared memory at most."""
    plain = f".reqntid {THREADS}"
    static = (48 * 1024 + 16, 64 * 1024, shared_limit)
    dynamic = "ld.param.u64 %o, [out]; st.shared.u32 [buffer], %t; bar.sync 0;"
    single = "a block of 1x1x1 of a kernel with .reqntid"
    found = [
        Fact("a block of .reqntid threads", "k_plain", counting("k_plain", plain), _numbers(2)),
        Fact(single, "k_single", counting("k_single", plain), _numbers(2), block=1),
        *(
            Fact(
                f"{size} bytes of static shared memory",
                f"k_static_{size}",
                with_shared(f"k_static_{size}", size),
                _numbers(2),
            )
            for size in static
        ),
        *(
            Fact(
                f"{size} bytes of dynamic shared memory {'with' if opt_in else 'without'} opt-in",
                f"k_dynamic_{size}_{int(opt_in)}",
                counting(f"k_dynamic_{size}_{int(opt_in)}", plain, work=dynamic),
                _numbers(2),
                shared=size,
                opt_in=opt_in,
            )
            for size, opt_in in ((48 * 1024, False), (64 * 1024, False), (shared_limit, True))
        ),
        Fact(
            f"{LARGE_PARAMETER} bytes of parameters",
            "k_parameters",
            counting(
                "k_parameters",
                plain,
                parameters=f", .param .align 8 .b8 large[{LARGE_PARAMETER}]",
                work=f"ld.param.u32 %b, [large+{LARGE_PARAMETER - 4}]; mov.u32 %b, %ctaid.x;",
            ),
            _numbers(2),
        ),
    ]
    for blocks in (2, 4, 8, 16):
        name = f"k_cluster_{blocks}"
        found.append(
            Fact(
                f"clusters of {blocks} blocks, the grid counts blocks",
                name,
                with_cluster(name, blocks),
                _numbers(2 * blocks, blocks),
                grid=2 * blocks,
                cluster=blocks,
            )
        )
    name = "k_asked_cluster"
    found.append(
        Fact(
            "clusters of 4 blocks that the launch asks for",
            name,
            with_cluster(name, 4, required=False),
            _numbers(8, 4),
            grid=8,
            cluster=4,
            asks_cluster=True,
        )
    )
    for blocks in (2, 4):
        for block in (THREADS, 1):
            name = f"k_clusters_{blocks}_{block}"
            shape = "1x1x1" if block == 1 else ".reqntid"
            found.append(
                Fact(
                    f".blocksareclusters, clusters of {blocks} blocks, a block of {shape}",
                    name,
                    with_cluster(name, blocks, ".blocksareclusters"),
                    _numbers(2 * blocks, blocks),
                    grid=2,
                    block=block,
                    cluster=blocks,
                )
            )
        name = f"k_odd_{blocks}"
        found.append(
            Fact(
                f"clusters of {blocks} blocks of a grid that they do not divide",
                name,
                with_cluster(name, blocks),
                _numbers(blocks + 1, blocks),
                grid=blocks + 1,
                cluster=blocks,
            )
        )
    return found


def _with_buffer(ptx: str) -> str:
    """Kernels with the external buffer that dynamic shared memory is found by."""
    return f".extern .shared .align 16 .b8 buffer[];\n{ptx}"


def make(device: PackDevice) -> Unit:
    """All facts; each has a module, as a driver may refuse one when it is loaded."""
    unit, header = Unit(device), HEADER.format(target=device.target)
    for number, fact in enumerate(facts(device.shared_bytes)):
        module = f"{MODULE}_{number}"
        external = "[buffer]" in fact.ptx and "buffer[" not in fact.ptx.replace("[buffer]", "")
        unit.ptx[module] = header + (_with_buffer(fact.ptx) if external else fact.ptx)
        out = np.zeros(fact.expected.shape, np.uint32)
        arguments: list[DeviceArgument | bytes] = [out]
        if "large[" in fact.ptx:
            arguments.append(bytes(LARGE_PARAMETER))
        block = (fact.block, 1, 1)
        program = Program(module, fact.kernel, block, fact.shared, fact.cluster)
        unit.items.append(_item(unit, fact.question, program, fact, out, arguments))
    _add_made_map(unit)
    for module, ptx in unit.ptx.items():
        unit.cubins[module] = assemble(ptx, device.target).cubin
    return unit


def _item(
    unit: Unit,
    question: str,
    program: Program,
    fact: Fact,
    out: Array,
    arguments: Sequence[DeviceArgument | bytes],
) -> Item:
    item = checked_item(
        unit,
        MODULE,
        program,
        (fact.grid, 1, 1),
        arguments,
        [Output(out, fact.expected)],
        id=f"a/{fact.kernel}",
        group="a",
        title=question,
    )
    item["kind"] = "fact"
    item["launch"]["opt_in"] = fact.opt_in and fact.shared > 0
    if fact.asks_cluster:
        item["launch"]["asks_cluster"] = True
    return item


def _add_made_map(unit: Unit) -> None:
    """The tensor map that a kernel makes, publishes and uses."""
    module = f"{MODULE}_map"
    array, out = np.arange(256, dtype=np.float32).reshape(8, 32), np.zeros(96, np.float32)
    tile = out[32:]
    _, _, kernel = device_kernel().partition(".address_size 64\n")
    unit.ptx[module] = HEADER.format(target=unit.device.target) + kernel
    item = checked_item(
        unit,
        MODULE,
        Program(module, "k", (32, 1, 1)),
        (1, 1, 1),
        [array, out],
        [],
        id="a/made_map",
        group="a",
        title="a tensor map that a kernel makes by tensormap.replace and then loads by",
    )
    # The first 128 bytes of the output are the map, which is opaque.
    described = dict(item["arrays"][1], offset=128, shape=list(tile.shape))
    item["arrays"].append(described)
    expected = np.ascontiguousarray(array[2:6, 8:24]).ravel()
    item["outputs"] = [{"array": 2, "expected": unit.store(MODULE, expected), "error": 0.0}]
    item["kind"] = "fact"
    unit.items.append(item)


def units(_device: PackDevice) -> list[UnitSpec]:
    """The unit of this group."""
    return [UnitSpec("a", make)]
