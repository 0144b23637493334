"""Random programs on tiles compute the same in slices, along whatever dimension they are sliced."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import interpreters
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slice_and_fuse.budget import budget
from tileir_xdsl.transforms.tileas_slice_and_fuse.chains import insert_slices
from tileir_xdsl.transforms.tileas_slice_and_fuse.choice import Slicing, slicings
from tileir_xdsl.transforms.tileas_slice_and_fuse.rewrite import Part, slice_group

SHAPES = ((8, 16), (16, 8))
TYPES = {shape: f"tile<{shape[0]}x{shape[1]}xi32>" for shape in SHAPES}
OPERATIONS = ("addi", "muli", "xori", "maxi")


def _view(name: str, pointer: str, shape: tuple[int, int]) -> str:
    tensor = f"tensor_view<{shape[0]}x{shape[1]}xi32, strides=[{shape[1]},1]>"
    return f"""
    %{name}t = make_tensor_view %{pointer}, shape = {list(shape)}, strides = [{shape[1]}, 1] : {tensor}
    %{name} = make_partition_view %{name}t : {_partition(shape)}
    """


def _partition(shape: tuple[int, int]) -> str:
    tensor = f"tensor_view<{shape[0]}x{shape[1]}xi32, strides=[{shape[1]},1]>"
    return f"partition_view<tile=({shape[0]}x{shape[1]}), {tensor}>"


def program(seed: int) -> str:
    """Loads, some ten ops that may depend on each other, and two stores ordered by tokens."""
    choice, lines = random.Random(seed), list[str]()
    tiles: dict[tuple[int, int], list[str]] = {shape: [] for shape in SHAPES}
    tokens = ["%start"]
    lines.append("%start = make_token : token")
    for number, shape in enumerate(SHAPES):
        lines.append(_view(f"v{number}", f"p{number}", shape))
        lines.append(_view(f"w{number}", f"p{number + 2}", shape))
        lines.append(
            f"%x{number}, %k{number} = load_view_tko weak %v{number}[%zero, %zero] token = %start : "
            f"{_partition(shape)}, tile<i32> -> {TYPES[shape]}, token"
        )
        tiles[shape].append(f"%x{number}")
        tokens.append(f"%k{number}")
    for number in range(choice.randrange(3, 12)):
        shape = choice.choice(SHAPES)
        type, name = TYPES[shape], f"%y{number}"
        value = choice.choice(tiles[shape])
        match choice.randrange(8):
            case 0 | 1 | 2:
                op, other = choice.choice(OPERATIONS), choice.choice(tiles[shape])
                signed = " signed" if op == "maxi" else ""
                lines.append(f"{name} = {op} {value}, {other}{signed} : {type}")
            case 3:
                turned = (shape[1], shape[0])
                lines.append(f"{name} = permute {value} [1, 0] : {type} -> {TYPES[turned]}")
                shape = turned
            case 4 | 5:
                axis = choice.randrange(2)
                left = shape[1 - axis]
                kept = (shape[0], 1) if axis else (1, shape[1])
                small = f"tile<{kept[0]}x{kept[1]}xi32>"
                lines.append(
                    f"{name}r = reduce {value} dim={axis} identities=[0 : i32] : {type} -> "
                    f"tile<{left}xi32> (%a{number}: tile<i32>, %b{number}: tile<i32>) {{"
                    f" %c{number} = addi %a{number}, %b{number} : tile<i32>"
                    f" yield %c{number} : tile<i32> }}"
                )
                lines.append(f"{name}s = reshape {name}r : tile<{left}xi32> -> {small}")
                lines.append(f"{name} = broadcast {name}s : {small} -> {type}")
            case 6:
                axis, reverse = choice.randrange(2), choice.choice(("true", "false"))
                lines.append(
                    f"{name} = scan {value} dim={axis} reverse={reverse} identities=[0 : i32] : "
                    f"{type} -> {type} (%a{number}: tile<i32>, %b{number}: tile<i32>) {{"
                    f" %c{number} = addi %a{number}, %b{number} : tile<i32>"
                    f" yield %c{number} : tile<i32> }}"
                )
            case _:
                body = f"%i{number} = addi %q{number}, {value} : {type}"
                lines.append(
                    f"{name} = for %n{number} in (%zero to %three, step %one) : tile<i32> "
                    f"iter_values(%q{number} = {value}) -> ({type}) {{ {body} "
                    f"continue %i{number} : {type} }}"
                )
        tiles[shape].append(name)
    for number, shape in enumerate(SHAPES):
        view = choice.choice((f"%w{number}", f"%w{number}", f"%v{number}"))
        token = choice.choice((tokens[0], *tokens[number + 1 : number + 2]))
        if view == f"%v{number}":
            # In place: the store has to follow the load.
            token = f"%k{number}"
        lines.append(
            f"%t{number} = store_view_tko weak {tiles[shape][-1]}, {view}[%zero, %zero] "
            f"token = {token} : {TYPES[shape]}, {_partition(shape)}, tile<i32> -> token"
        )
    pointers = ", ".join(f"%p{n}: tile<ptr<i32>>" for n in range(4))
    constants = "".join(
        f"%{name} = constant <i32: {n}> : tile<i32>\n"
        for n, name in ((0, "zero"), (1, "one"), (3, "three"))
    )
    body = constants + "\n".join(lines)
    return f"cuda_tile.module @m {{ entry @k({pointers}) {{ {body} return }} }}"


def at_tileaa(text: str) -> ModuleOp:
    return tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa,canonicalize")


def ways(module: ModuleOp, count: int) -> list[Slicing]:
    """All ways to slice the kernel of a module."""
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    target = get_target("sm_90a")
    found = slicings(function, target, budget(function, target), count)
    return [way for way in found if isinstance(way, Slicing)]


def results(module: ModuleOp) -> list[np.ndarray]:
    """What a program leaves in its four arrays."""
    numbers = np.random.default_rng(1)
    arrays = [numbers.integers(-9, 9, 128).astype(np.int32) for _ in range(4)]
    interpreters.launch(module, "k", (1, 1, 1), arrays)
    return arrays


def agree(seed: int) -> list[int]:
    """Checks one program in slices along each dimension; returns the loops of each.

    As the slices are computed, as they are inserted into whole tiles, and after the folds, which
    leave none of these.
    """
    text, loops = program(seed), list[int]()
    wanted = results(at_tileaa(text))
    for number in range(len(ways(at_tileaa(text), 4))):
        module = at_tileaa(text)
        parts: dict[scf.ForOp, Sequence[Part]] = {}
        made = slice_group(ways(module, 4)[number].phases, 4, parts)
        loops.append(len(made))
        assert set(parts) == set(made)
        check(module, wanted, f"seed {seed}, way {number}:\n{text}")
        insert_slices(module, parts)
        assert any(isinstance(op, nv_tileaa.InsertSliceOp) for op in module.walk())
        check(module, wanted, f"seed {seed}, way {number}, inserted:\n{text}")
        tools.run_passes(module, "convert-tileaa-to-tileas,tileas-canonicalize")
        check(module, wanted, f"seed {seed}, way {number}, folded:\n{text}")
        assert not [op.name for op in module.walk() if isinstance(op, WHOLE)], text
    return loops


WHOLE = (nv_tileas.AllocTensorOp, nv_tileas.ExtractSliceOp, nv_tileas.InsertSliceOp)


def check(module: ModuleOp, wanted: Sequence[np.ndarray], label: str) -> None:
    """Checks that a module is valid, and computes what is wanted."""
    module.verify()
    for first, found in zip(wanted, results(module), strict=True):
        np.testing.assert_array_equal(found, first, label)


IN_ONE_LOOP = (0, 1, 2, 3)
IN_TWO_LOOPS = (24, 44, 57, 64)
"""Programs of which some dimension needs the whole of a sum before the rest."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", (*IN_ONE_LOOP, *IN_TWO_LOOPS))
def test_random_programs(seed: int):
    loops = agree(seed)
    assert loops and (2 in loops) == (seed in IN_TWO_LOOPS)
