"""The inputs that are damaged: kernels of the zoo and the lit tests, and what they are lowered to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from tests.unit.tools import REPOSITORY
from tileir_xdsl import bytecode
from tileir_xdsl.testing import tools

_KERNELS = (
    *("vector_add", "transpose", "histogram", "linear_recurrence", "gather_rows", "argmax_rows"),
    *("nested_branches", "print_formats", "matmul_f16", "collatz"),
)
"""Views, permutations, atomics, scans, indexed accesses, branches, loops and MMAs."""
_VERSIONS = ("13.3", "13.4", "13.5")
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_ITEM = re.compile(r"^\S[^\n]*\{\n(?:[ \n][^\n]*\n?)*?\}\n?", re.MULTILINE)
_LARGEST = 6000
"""Characters; what is longer is read too slowly to be damaged often."""
TO_TILEAA = "convert-cuda-tile-to-tileaa"
TO_TILEAS = f"{TO_TILEAA},convert-tileaa-to-tileas,tileas-assign-load-store-layouts"


@cache
def kernels() -> Sequence[str]:
    """Programs of the zoo as text."""
    folder = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"
    return [_COMMENT.sub("", (folder / f"{name}.mlir").read_text("utf-8")) for name in _KERNELS]


@cache
def bytecode_files() -> Sequence[bytes]:
    """The same programs as bytecode, of several versions."""
    return [
        bytecode.write(tools.parse(text), _VERSIONS[number % len(_VERSIONS)])
        for number, text in enumerate(kernels())
    ]


def _lit_texts(dialect: str) -> list[str]:
    """Every part and every function of the lit tests of a dialect."""
    found: list[str] = []
    for file in sorted((REPOSITORY / "tests/filecheck/dialects" / dialect).glob("*.mlir")):
        for part in file.read_text("utf-8").split("// -----"):
            text = _COMMENT.sub("", part)
            found += _ITEM.findall(text) or [text]
    return [text for text in found if 0 < len(text) < _LARGEST]


def _lowered(passes: str) -> list[str]:
    return [tools.to_text(tools.run_passes(tools.parse(text), passes)) for text in kernels()[:4]]


@cache
def texts(dialect: str) -> Sequence[str]:
    """Texts of a dialect."""
    match dialect:
        case "cuda_tile":
            return [*_lit_texts(dialect), *kernels()[:2]]
        case "nv_tileaa":
            return [*_lit_texts(dialect), *_lowered(TO_TILEAA)]
        case "nv_tileas":
            return [*_lit_texts(dialect), *_lowered(TO_TILEAS)]
        case _:
            return [*_lit_texts("llvm"), *_lit_texts("nvvm"), *_lit_texts("arith")]


LAYOUTS = (
    "#nv_tileas.layout<(128, 64), (64, 1), swizzle<3, 4, 3>>",
    "#nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>",
    "#nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>",
    "#nv_tileas.layout<(64, 32), (32, 1), swizzle<2, 4, 3>, elem=f16>",
    "#nv_tileas.layout<8, 1, elem=i1>",
    "tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>",
    "tensor<64x32xf16, #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 256), (2, 32), 512, 0)>>",
)
"""Attributes and types with layouts."""
OPTIONS = (
    '{"opt_level": 3, "warps": 8, "stages": 3, "strategy": "warp-specialize"}',
    '{"ctas": 2, "occupancy": 1, "lineinfo": true, "abi": "tile"}',
    '{"dynamic_persistent": true, "device_tensor_maps": false, "abi": "native"}',
    '{"opt_level": 0, "warps": null}',
)
"""Options in JSON, as a file of options has them."""
PIPELINES = (
    "tileir-pipeline{gpu=sm_90a opt-level=3 num-warps=8 stages=2}",
    "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas",
    "convert-cuda-tile-to-tileaa{gpu=sm_80},tileas-plan-cta,tileas-slice-and-fuse",
    "tileas-materialize-convert-layout{reg2reg-vec-size=2 atom=ldsm}",
    "tileas-plan-cta{force=kernel=1x2},tileas-select-lowering{force=kernel#1=shift}",
)
"""Pipelines as after `xdsl-opt -p`."""
ARGUMENTS = (
    *("zeros:f32:8x8", "a:random:bf16:16", "x:zeros:i1:3", "7", "-1.5", "0x10", "b:missing.npy"),
    *("random:f8E4M3FN:4x2x2", "a:1e3", "zeros:i64:1"),
)
"""Arguments of kernels on the command line."""
GRIDS = ("1", "2,3", "4, 5, 6")
"""Grids on the command line."""
COMMANDS = (
    "compile FILE -o - --gpu sm_90a --warps 4 --stages 2",
    "compile FILE -o - --level nv_tileas --opt-level 2 --strategy warp-specialize",
    "run FILE --arg=random:f32:100 --arg=random:f32:100 --arg=zeros:f32:100 --level cuda_tile",
    "fmt FILE",
    "asm FILE -o - --version 13.1",
    "lint PTX --box a=1,2",
    "emulate PTX --grid 1 --block 128 --warp-seed 3",
    "opt FILE -p canonicalize",
    "sample vector_add",
    "completion bash",
)
"""Command lines; FILE and PTX stand for files that are fine."""
