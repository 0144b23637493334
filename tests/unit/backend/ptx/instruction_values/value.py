"""What an instruction computes: a kernel around it, its operands, and a numpy statement."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.unit.emulator.instructions.cases import Array, same
from tileir_xdsl.emulator import Module, TensorMap

Arrays = Mapping[str, Array]
Meaning = Callable[[Arrays], Arrays]
"""From all arrays of a kernel by name to those that it changes; all others stay as they are."""

_STRUCT = re.compile(r"!llvm\.struct<\([^()]*\)>")

SHARED_BYTES = 32768
GLOBALS = f"""
llvm.mlir.global internal @smem() {{addr_space = 3 : i32, alignment = 1024 : i64}}
  : !llvm.array<{SHARED_BYTES} x i8>
llvm.mlir.global internal @object() {{addr_space = 3 : i32, alignment = 8 : i64}} : i64
llvm.mlir.global internal @other() {{addr_space = 3 : i32, alignment = 8 : i64}} : i64
"""
"""What the kernels share: a buffer, and two places for barrier objects or results."""

_DEFINITIONS: dict[str, str] = {
    "smem": "llvm.mlir.addressof @smem : !llvm.ptr<3>",
    "row": "llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, "
    "!llvm.array<16 x i8>",
    "object": "llvm.mlir.addressof @object : !llvm.ptr<3>",
    "other": "llvm.mlir.addressof @other : !llvm.ptr<3>",
    "smem7": "llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>",
    "object7": "llvm.addrspacecast %object : !llvm.ptr<3> to !llvm.ptr<7>",
    "rank": "nvvm.read.ptx.sreg.cluster.ctarank : i32",
    "block": "nvvm.read.ptx.sreg.ctaid.x : i32",
    "lane": "nvvm.read.ptx.sreg.laneid : i32",
    "warp": "nvvm.read.ptx.sreg.warpid : i32",
    "true": "llvm.mlir.constant(true) : i1",
    "all": "llvm.mlir.constant(-1 : i32) : i32",
    "first": 'llvm.icmp "eq" %tid, %c0_i32 : i32',
}
"""Values that `ops` may use, each by those before it; so are constants such as `%c7_i32`."""


@dataclass(frozen=True)
class Loaded:
    """What every thread loads from its row of an array: `%name`, or `%name0`, `%name1`, ..

    The array has a row for each thread.
    """

    type: str
    values: Array
    count: int = 1


@dataclass(frozen=True)
class Stored:
    """What every thread stores to its row of an array: `%name`, or results `%name#0`, .. of an op.

    A struct fills a row with its parts.
    """

    type: str
    before: Array
    count: int = 1


@dataclass(frozen=True)
class Value:
    """An instruction at work.

    `ops` run between loads and stores. `memory` are arrays by the name of the pointer to them,
    `maps` tensor maps by the name of their address. If `late`, asynchronous work is done as late as
    its waits allow. With `orders` every warp runs alone, in so many random orders. `unchecked` memory gets what no program can know.
    """

    ops: str
    meaning: Meaning
    loads: Mapping[str, Loaded] = field(default_factory=lambda: dict[str, Loaded]())
    stores: Mapping[str, Stored] = field(default_factory=lambda: dict[str, Stored]())
    memory: Arrays = field(default_factory=lambda: dict[str, Array]())
    maps: Mapping[str, TensorMap] = field(default_factory=lambda: dict[str, TensorMap]())
    threads: int = 32
    blocks: int = 1
    cluster: int = 1
    late: bool = False
    orders: int = 0
    unchecked: tuple[str, ...] = ()
    attributes: str = ""
    ulps: int = 0

    def function(self, name: str) -> str:
        """The kernel, as text of the `llvm` and `nvvm` dialects."""
        cluster = f"nvvm.cluster_dim = array<i32: {self.cluster}, 1, 1>, "
        attributes = [f"nvvm.kernel, {cluster if self.cluster > 1 else ''}"]
        attributes.append(f"{self.attributes}nvvm.reqntid = array<i32: {self.threads}>")
        lines = [
            f"llvm.func @{name}({', '.join(self._parameters())}) "
            f"attributes {{{''.join(attributes)}}} {{",
            "%tid = nvvm.read.ptx.sreg.tid.x : i32",
            *_definitions(self.ops),
            *self._index(),
        ]
        for operand, loaded in self.loads.items():
            count = loaded.count
            names = [operand] if count == 1 else [f"{operand}{i}" for i in range(count)]
            lines += _accesses(
                operand, loaded.type, names, self._row, "%{} = llvm.load {} : {} -> {}"
            )
        lines.append(self.ops)
        for result, stored in self.stores.items():
            count = stored.count
            names = [result] if count == 1 else [f"{result}#{i}" for i in range(count)]
            lines += _accesses(result, stored.type, names, self._row, "llvm.store %{}, {} : {}, {}")
        return "\n".join([*lines, "llvm.return", "}"])

    @property
    def _row(self) -> str:
        return "%tid" if self.blocks == 1 else "%index"

    def _index(self) -> list[str]:
        """The row of the thread in what is loaded and stored."""
        if self.blocks == 1:
            return []
        return [
            "%in_grid = nvvm.read.ptx.sreg.ctaid.x : i32",
            f"%threads = llvm.mlir.constant({self.threads} : i32) : i32",
            "%before_block = llvm.mul %in_grid, %threads : i32",
            "%index = llvm.add %before_block, %tid : i32",
        ]

    def _parameters(self) -> list[str]:
        pointers = [f"%p_{name}: !llvm.ptr<1>" for name in (*self.loads, *self.stores)]
        pointers += [f"%{name}: !llvm.ptr<1>" for name in self.memory]
        by_value = "llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant"
        return [*pointers, *(f"%{name}: !llvm.ptr {{{by_value}}}" for name in self.maps)]

    def check(self, module: Module, kernel: str) -> None:
        """Runs the kernel of a module and compares all that it may have changed."""
        for order in range(self.orders) if self.orders else (None,):
            self._check(module, kernel, order)

    def _check(self, module: Module, kernel: str, order: int | None) -> None:
        arrays = {
            **{name: loaded.values.copy() for name, loaded in self.loads.items()},
            **{name: stored.before.copy() for name, stored in self.stores.items()},
            **{name: array.copy() for name, array in self.memory.items()},
        }
        maps = {name: replace(m, array=m.array.copy()) for name, m in self.maps.items()}
        every = {**arrays, **{name: tensor_map.array for name, tensor_map in maps.items()}}
        before = {name: array.copy() for name, array in every.items()}
        with np.errstate(all="ignore"):
            expected = dict(self.meaning(before))
        assert expected.keys() <= every.keys()
        # Otherwise a kernel that does nothing would do.
        assert any((np.asarray(expected[name]) != before[name]).any() for name in expected)
        arguments = [*arrays.values(), *maps.values()]
        module.launch(kernel, (self.blocks, 1, 1), arguments, late=self.late, warp_seed=order)
        for name, found in every.items():
            if name in self.unchecked:
                continue
            wanted = np.asarray(expected.get(name, before[name])).astype(found.dtype)
            with np.errstate(all="ignore"):
                wrong = ~same(found, wanted.reshape(found.shape), self.ulps)
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise AssertionError(
                    f"{name}{list(at)} is {found[at]!r}, not {wanted.reshape(found.shape)[at]!r} "
                    f"({int(wrong.sum())} of {wrong.size} differ)"
                )


class NoValue(Value):
    """An instruction without a value, such as a fence, or a hint.

    What is checked instead: it runs, what threads hold across it stays, and memory is unchanged.
    """


def no_value(ops: str, **settings: Any) -> NoValue:
    """A kernel whose threads hold a number across `ops`."""
    threads = int(settings.get("threads", 32))
    held = np.arange(threads, dtype=np.int32) * 7 + 3
    return NoValue(
        f"{ops}\n%after = llvm.add %before, %c1_i32 : i32",
        lambda arrays: {"after": arrays["before"] + 1},
        loads={"before": Loaded("i32", held)},
        stores={"after": Stored("i32", np.zeros_like(held))},
        **settings,
    )


def arrive(copy: str, size: int) -> str:
    """One thread starts a copy of so many bytes that ends at `%object`; all wait for it."""
    return f"""llvm.cond_br %first, ^start, ^started
^start:
nvvm.mbarrier.init %object, %c1_i32 : !llvm.ptr<3>, i32
nvvm.fence.mbarrier.init
nvvm.mbarrier.arrive.expect_tx %object, %c{size}_i32 : !llvm.ptr<3>, i32
{copy}
llvm.br ^started
^started:
nvvm.barrier
nvvm.mbarrier.try_wait.parity %object, %c0_i32, %c1000_i32 : !llvm.ptr<3>, i32, i32
"""


HINT = "%hint = llvm.mlir.constant(1369094286720630784 : i64) : i64\n"
"""A cache policy: what is copied is evicted first."""


def arrive_in_both(copy: str, size: int) -> str:
    """The first of two blocks starts a copy to `%both` of them, which each of them waits for."""
    return f"""%both = llvm.mlir.constant(3 : i16) : i16
llvm.cond_br %first, ^start, ^started
^start:
nvvm.mbarrier.init %object, %c1_i32 : !llvm.ptr<3>, i32
nvvm.fence.mbarrier.init
nvvm.mbarrier.arrive.expect_tx %object, %c{size}_i32 : !llvm.ptr<3>, i32
llvm.br ^started
^started:
nvvm.cluster.arrive
nvvm.cluster.wait
%leading = llvm.icmp "eq" %rank, %c0_i32 : i32
%copies = llvm.and %leading, %first : i1
llvm.cond_br %copies, ^copy, ^copied
^copy:
{copy}
llvm.br ^copied
^copied:
nvvm.mbarrier.try_wait.parity %object, %c0_i32, %c1000_i32 : !llvm.ptr<3>, i32, i32
"""


def fetch(size: int, source: str = "image") -> str:
    """Copies bytes of `%source` to the beginning of the buffer, before all threads go on."""
    return arrive(
        f"nvvm.cp.async.bulk.shared.cluster.global %smem7, %{source}, %object, %c{size}_i32\n"
        "  : !llvm.ptr<7>, !llvm.ptr<1>",
        size,
    )


def module_of(values: Sequence[Value]) -> str:
    """One module with a kernel `k0`, `k1`, .. for each value; structs, which may be long, named."""
    text = "\n".join(value.function(f"k{i}") for i, value in enumerate(values))
    structs = sorted(set(_STRUCT.findall(text)))
    names = {struct: f"!struct{i}" for i, struct in enumerate(structs)}
    aliases = "".join(f"{name} = {struct}\n" for struct, name in names.items())
    return aliases + GLOBALS + _STRUCT.sub(lambda found: names[found.group()], text)


def _definitions(ops: str) -> list[str]:
    """The definitions of what some ops use."""
    needed = set(re.findall(r"%([A-Za-z]\w*)", ops))
    for name in reversed(_DEFINITIONS):
        if name in needed:
            needed |= set(re.findall(r"%([A-Za-z]\w*)", _DEFINITIONS[name]))
    constants = sorted(int(n[1:-4]) for n in needed if re.fullmatch(r"c\d+_i32", n))
    lines = [f"%c{value}_i32 = llvm.mlir.constant({value} : i32) : i32" for value in constants]
    defined = set(re.findall(r"%([A-Za-z]\w*)(?::\d+)? =", ops))
    names = [name for name in _DEFINITIONS if name in needed - defined]
    return lines + [f"%{name} = {_DEFINITIONS[name]}" for name in names]


def _accesses(argument: str, type_: str, names: Sequence[str], row: str, access: str) -> list[str]:
    """A load or store of each name, from a row of an argument."""
    pointer = "!llvm.ptr<1>"
    element = type_ if len(names) == 1 else f"!llvm.array<{len(names)} x {type_}>"
    lines = [
        f"%q_{argument} = llvm.getelementptr %p_{argument}[{row}] "
        f": ({pointer}, i32) -> {pointer}, {element}"
    ]
    for index, name in enumerate(names):
        place = f"%q_{argument}_{index}"
        lines.append(
            f"{place} = llvm.getelementptr %q_{argument}[{index}] "
            f": ({pointer}) -> {pointer}, {type_}"
        )
        types = (pointer, type_) if access.startswith("%") else (type_, pointer)
        lines.append(access.format(name, place, *types))
    return lines
