"""Small programs on whole tiles, at the first level and as PTX in the emulator, without races."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.observation import same_values
from tileir_xdsl.runtime import arrays
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

Array = NDArray[np.generic]

# An array of f32 is one of f32: a tf32 is stored as one, too.
DTYPES = {element: dtype for element, dtype in arrays.DTYPES.items() if element != "tf32"}
"""The arrays that hold the elements of a type."""

ELEMENTS = {dtype: element for element, dtype in DTYPES.items()}
"""The element type of an array."""

Type = tuple[str, tuple[int, ...]]
"""The element type and the shape of a tile."""


def shaped(shape: Sequence[int], element: str) -> str:
    """A tile type: `tile<2x4xf32>`."""
    return f"tile<{'x'.join(map(str, (*shape, element)))}>"


def _view(number: int, element: str, shape: Sequence[int]) -> tuple[str, str]:
    """A view of the array %p<number> as one tile, and its type."""
    strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    extents = "x".join(map(str, shape))
    tensor = f"tensor_view<{extents}x{element}, strides={strides}>"
    type = f"partition_view<tile=({extents}), {tensor}>"
    text = f"""
    %t{number} = make_tensor_view %p{number}, shape = {list(shape)}, strides = {strides} : {tensor}
    %v{number} = make_partition_view %t{number} : {type}
    """
    return text, type


def _load(number: int, element: str, shape: Sequence[int]) -> str:
    """Loads the tile %x<number>."""
    extents = shape or (1,)
    view, type = _view(number, element, extents)
    tile, index = shaped(extents, element), ", ".join(["%zero"] * len(extents))
    name = f"%x{number}" if shape else f"%one_x{number}"
    reshape = "" if shape else f"%x{number} = reshape {name} : {tile} -> tile<{element}>"
    return f"""{view}
    {name}, %l{number} = load_view_tko weak %v{number}[{index}] : {type}, tile<i32> -> {tile}, token
    {reshape}
    """


def _store(number: int, result: int, element: str, shape: Sequence[int]) -> str:
    """Stores the tile %y<result>."""
    extents = shape or (1,)
    view, type = _view(number, element, extents)
    tile, index = shaped(extents, element), ", ".join(["%zero"] * len(extents))
    name = f"%y{result}" if shape else f"%one_y{result}"
    reshape = "" if shape else f"{name} = reshape %y{result} : tile<{element}> -> {tile}"
    return f"""{reshape}{view}
    %s{number} = store_view_tko weak {name}, %v{number}[{index}] : {tile}, {type}, tile<i32> -> token
    """


def run_at_both_levels(
    text: str, arguments: Sequence[Array], gpu: str = "sm_100a"
) -> tuple[list[Array], list[Array]]:
    """What the kernel @k leaves in its arrays at the first level, and as PTX in race mode."""
    first, last = ([argument.copy() for argument in arguments] for _ in range(2))
    module = tools.parse(text)
    interpreters.launch(module, "k", (1, 1, 1), first)
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}")
    shared = dynamic_shared_memory(module, "k")
    loaded = emulator.load(emit(module, gpu))
    values = with_tensor_maps(module, "k", last)
    loaded.launch("k", (1, 1, 1), values, dynamic_shared=shared, races=True)
    return first, last


def assert_equal(first: Sequence[Array], last: Sequence[Array]) -> None:
    """Checks that arrays have the same bits; a NaN is a NaN."""
    for wanted, got in zip(first, last, strict=True):
        assert same_values(got, wanted), f"PTX: {got}\nfirst level: {wanted}"


def kernel(body: str, elements: Sequence[str]) -> str:
    """A kernel with a pointer %p<n> for each element type, and %zero."""
    parameters = ", ".join(f"%p{n}: tile<ptr<{e}>>" for n, e in enumerate(elements))
    zero = "%zero = constant <i32: 0> : tile<i32>"
    return f"cuda_tile.module @m {{ entry @k({parameters}) {{ {zero} {body} return }} }}"


def whole_tiles(body: str, inputs: Sequence[Array], outputs: Sequence[Type]) -> str:
    """A kernel that loads %x0, %x1..., runs `body` and stores %y0, %y1..."""
    elements = [ELEMENTS[array.dtype] for array in inputs]
    loads = [_load(n, elements[n], array.shape) for n, array in enumerate(inputs)]
    stores = [
        _store(len(inputs) + n, n, element, shape) for n, (element, shape) in enumerate(outputs)
    ]
    return kernel("".join((*loads, body, *stores)), [*elements, *(e for e, _ in outputs)])


def evaluate(
    body: str, inputs: Sequence[Array], outputs: Sequence[Type], gpu: str = "sm_100a"
) -> list[Array]:
    """What `body` computes as %y0, %y1... from %x0, %x1..., the same at both levels."""
    text = whole_tiles(body, inputs, outputs)
    results = [np.zeros(math.prod(shape), DTYPES[element]) for element, shape in outputs]
    first, last = run_at_both_levels(text, [*(array.ravel() for array in inputs), *results], gpu)
    assert_equal(first, last)
    found = first[len(inputs) :]
    return [array.reshape(shape) for array, (_, shape) in zip(found, outputs, strict=True)]
