"""Kernels that load and store one tile of an object of any size, and what integers say of them.

The objects are sparse arrays, of which a test and the kernel touch no more than a tile.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator.sparse_arrays import held_ranges
from tileir_xdsl.levels import CUDA_TILE, LLVM
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps

BITS = {"i8": 8, "f16": 16, "f32": 32, "i64": 64, "f64": 64}
"""Element types. Arrays hold their bits."""

MODES: tuple[Mapping[str, Any], ...] = ({"races": True}, {"late": True})


@dataclass(frozen=True)
class Tile:
    """A tile of an object: sizes, strides and steps count elements; `indices` are as written.

    Along `sparse` the index is a row of positions. Those of `sizes`, `strides` and `indices` that
    `dynamic` names are arguments of the kernel.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    extents: tuple[int, ...]
    indices: tuple[int | tuple[int, ...], ...]
    element: str = "i8"
    steps: tuple[int, ...] | None = None
    sparse: int | None = None
    index_type: str = "i32"
    size_type: str = "i64"
    dynamic: frozenset[str] = frozenset()
    padding: str = "zero"

    def offsets(self) -> Iterator[int | None]:
        """The offset of each element of the tile in row-major order; None outside."""
        steps = self.steps or self.extents
        axes: list[list[int]] = []
        for axis, index in enumerate(self.indices):
            width = 1 << int(self.index_type[1:])
            if isinstance(index, tuple):
                axes.append([position % width for position in index])
            else:
                step = 1 if self.sparse is not None else steps[axis]
                first = index % width * step
                axes.append([first + place for place in range(self.extents[axis])])
        for positions in itertools.product(*axes):
            inside = all(p < size for p, size in zip(positions, self.sizes, strict=True))
            offset = sum(p * stride for p, stride in zip(positions, self.strides, strict=True))
            yield offset if inside else None

    @property
    def span(self) -> int:
        """The elements from the first to the last of the object."""
        pairs = zip(self.sizes, self.strides, strict=True)
        return 1 + sum((size - 1) * stride for size, stride in pairs)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"u{BITS[self.element] // 8}")


def _number(name: str, value: int, type: str, is_dynamic: bool) -> tuple[str, str]:
    """The text that defines a scalar, and the parameter that it is."""
    if is_dynamic:
        return "", f"%{name}: tile<{type}>"
    return f"%{name} = constant <{type}: {value}> : tile<{type}>\n", ""


def kernel(tile: Tile) -> str:
    """Copies the tile of %far to %near, and the one tile of %source to the tile of %target."""
    rank, element = len(tile.extents), tile.element
    lines, parameters = list[str](), list[str]()

    def number(name: str, value: int, type: str, kind: str) -> str:
        text, parameter = _number(name, value, type, kind in tile.dynamic)
        lines.append(text)
        if parameter:
            parameters.append(parameter)
        return f"%{name}"

    extents = "x".join(map(str, tile.extents))
    shape, strides = ("?" if name in tile.dynamic else None for name in ("sizes", "strides"))
    sizes_text = "x".join(shape or str(size) for size in tile.sizes)
    strides_text = ", ".join(
        str(stride) if stride == 1 else strides or str(stride) for stride in tile.strides
    )
    object_type = f"tensor_view<{sizes_text}x{element}, strides=[{strides_text}]>"
    sizes = [
        number(f"n{axis}", size, tile.size_type, "sizes") if shape else str(size)
        for axis, size in enumerate(tile.sizes)
    ]
    outer = [
        number(f"s{axis}", stride, tile.size_type, "strides")
        if strides and stride != 1
        else str(stride)
        for axis, stride in enumerate(tile.strides)
    ]
    if strides:
        for axis, stride in enumerate(tile.strides):
            if stride != 1:
                lines.append(f"%t{axis} = assume div_by<16>, %s{axis} : tile<{tile.size_type}>\n")
        outer = [name.replace("%s", "%t") for name in outer]
    indices, types = list[str](), list[str]()
    for axis, index in enumerate(tile.indices):
        if isinstance(index, tuple):
            row = f"tile<{len(index)}x{tile.index_type}>"
            lines.append(f"%i{axis} = constant <{tile.index_type}: {list(index)}> : {row}\n")
            indices.append(f"%i{axis}")
            types.append(row)
        else:
            indices.append(number(f"i{axis}", index, tile.index_type, "indices"))
            types.append(f"tile<{tile.index_type}>")
    near = [math.prod(tile.extents[axis + 1 :]) for axis in range(rank)]
    near_object = f"tensor_view<{extents}x{element}, strides={near}>"
    near_view = f"partition_view<tile=({extents}), {near_object}>"

    def view(padding: str) -> str:
        if tile.sparse is not None:
            return (
                f"gather_scatter_view<tile=({extents}){padding}, {object_type}, "
                f"sparse_dim={tile.sparse}>"
            )
        if tile.steps is not None:
            return (
                f"strided_view<tile=({extents}), traversal_strides={list(tile.steps)}{padding}, "
                f"{object_type}>"
            )
        return f"partition_view<tile=({extents}){padding}, {object_type}>"

    padded, plain = view(f", padding_value = {tile.padding}"), view("")
    value, zeros = f"tile<{extents}x{element}>", ", ".join(["%zero"] * rank)
    shown = ", ".join(types if tile.sparse is not None else types[:1])
    place = ", ".join(indices)
    dynamic = (
        f"tile<{tile.size_type}> -> " if shape or (strides and set(tile.strides) != {1}) else ""
    )
    objects = "".join(
        f"""
      %{name}_p = assume div_by<16>, %{name} : tile<ptr<{element}>>
      %{name}_t = make_tensor_view %{name}_p, shape = [{", ".join(sizes)}], strides = [{", ".join(outer)}] : {dynamic}{object_type}
      %{name}_v = make_{type.partition("<")[0]} %{name}_t : {type}"""
        for name, type in (("far", padded), ("target", plain))
    )
    near_objects = "".join(
        f"""
      %{name}_t = make_tensor_view %{name}, shape = {list(tile.extents)}, strides = {near} : {near_object}
      %{name}_v = make_partition_view %{name}_t : {near_view}"""
        for name in ("near", "source")
    )
    pointers = [f"%{name}: tile<ptr<{element}>>" for name in ("far", "near", "source", "target")]
    return f"""cuda_tile.module @m {{ entry @k({", ".join((*pointers, *parameters))}) {{
      %zero = constant <i32: 0> : tile<i32>
      {"".join(lines)} {objects} {near_objects}
      %x, %xt = load_view_tko weak %far_v[{place}] : {padded}, {shown} -> {value}, token
      %xs = store_view_tko weak %x, %near_v[{zeros}] : {value}, {near_view}, tile<i32> -> token
      %y, %yt = load_view_tko weak %source_v[{zeros}] : {near_view}, tile<i32> -> {value}, token
      %ys = store_view_tko weak %y, %target_v[{place}] : {value}, {plain}, {shown} -> token
      return
    }} }}"""


def scalars(tile: Tile) -> list[Any]:
    """The arguments behind the four arrays."""

    def integer(value: int, type: str) -> Any:
        bits = int(type[1:])
        return np.array(value % (1 << bits), f"u{bits // 8}").view(f"i{bits // 8}")[()]

    found: list[Any] = []
    if "sizes" in tile.dynamic:
        found += [integer(size, tile.size_type) for size in tile.sizes]
    if "strides" in tile.dynamic:
        found += [integer(stride, tile.size_type) for stride in tile.strides if stride != 1]
    if "indices" in tile.dynamic:
        dense = [index for index in tile.indices if not isinstance(index, tuple)]
        found += [integer(index, tile.index_type) for index in dense]
    return found


@dataclass
class Arrays:
    """The arrays of one run, and what has to be in them afterwards."""

    tile: Tile

    def __post_init__(self) -> None:
        tile = self.tile
        count = math.prod(tile.extents)
        # None is zero, which is what the rest of the arrays holds.
        self.values = (np.arange(count) % 251 + 1).astype(tile.dtype)
        self.far, self.target = (emulator.sparse_array((tile.span,), tile.dtype) for _ in range(2))
        self.near, self.source = np.full(count, 77, tile.dtype), self.values[::-1].copy()
        self.wanted = np.zeros(count, tile.dtype)
        for place, offset in enumerate(tile.offsets()):
            if offset is not None:
                self.far[offset] = self.values[place]
        for place, offset in enumerate(tile.offsets()):
            if offset is not None:
                self.wanted[place] = self.far[offset]

    @property
    def arguments(self) -> list[NDArray[Any]]:
        return [self.far, self.near, self.source, self.target]

    def check(self, what: str) -> None:
        """Compares with plain integer arithmetic."""
        np.testing.assert_array_equal(self.near, self.wanted, err_msg=what)
        stored: dict[int, set[int]] = {}
        for place, offset in enumerate(self.tile.offsets()):
            if offset is not None:
                stored.setdefault(offset, set()).add(int(self.source[place]))
        found = nonzero(self.target)
        assert found.keys() == stored.keys(), f"{what}: stores elsewhere"
        assert all(found[offset] in stored[offset] for offset in stored), what


def nonzero(array: NDArray[Any]) -> dict[int, int]:
    """The elements of a sparse array that are not zero, by their number."""
    found: dict[int, int] = {}
    for part in held_ranges(array.view(np.uint8)):
        elements = array[part.start // array.itemsize : -(-part.stop // array.itemsize)]
        for place in np.flatnonzero(elements):
            found[part.start // array.itemsize + int(place)] = int(elements[place])
    return found


def compiled_at(text: str, gpu: str) -> Iterator[tuple[str, Any]]:
    """The kernel at each level of the road: its name, and the module."""
    module, context = tools.parse(text), tools.context()
    yield CUDA_TILE.name, module
    road = steps(gpu)
    for step, after in itertools.zip_longest(road, road[1:]):
        step.module_pass.apply(context, module)
        if after is None or after.level is not step.level:
            yield step.level.name, module


def check_everywhere(tile: Tile, gpus: Sequence[str], expected: str = "") -> None:
    """Runs a tile's kernel at every level and as PTX; `expected` stands in the PTX."""
    text = kernel(tile)
    for gpu in gpus:
        module = None
        for level, module in compiled_at(text, gpu):
            if level != LLVM.name:
                arrays = Arrays(tile)
                interpreters.launch(module, "k", (1, 1, 1), [*arrays.arguments, *scalars(tile)])
                arrays.check(f"{level} for {gpu}\n{text}")
        assert module is not None
        ptx = emit(module, gpu)
        assert expected in ptx
        for mode in MODES if "cp.async" in ptx else MODES[:1]:
            arrays = Arrays(tile)
            values = with_tensor_maps(module, "k", [*arrays.arguments, *scalars(tile)])
            shared = dynamic_shared_memory(module, "k")
            emulator.load(ptx).launch("k", (1, 1, 1), values, dynamic_shared=shared, **mode)
            arrays.check(f"PTX for {gpu}, {mode}\n{text}\n{ptx}")
