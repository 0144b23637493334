"""Whatever the front end can emit occurs in a kernel of the zoo."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, generate
from tileir_xdsl.testing.kernels.written import WRITTEN

OTHER_SPELLINGS = {
    "fpowf": "another spelling of pow",
    "token.join": "another spelling of join_tokens",
}
"""Operations that only text has: it is read as another operation."""

NEVER_EMITTED = {
    **OTHER_SPELLINGS,
    "alloca": "the front end has no local arrays",
    "experimental$func": "functions are inlined",
    "get_tensor_shape": "sizes of arrays are parameters",
    "memory_fence_alias_tko": "not used by the front end",
    "mulhii": "the front end has no upper half of a product",
    "multimem_load_reduce_view_tko": "not used by the front end",
    "multimem_reduce_view_tko": "not used by the front end",
    "multimem_store_view_tko": "not used by the front end",
    "ptr_to_int": "addresses are not numbers to the front end",
    "ptr_to_ptr": "pointers keep their type",
    "testing$func": "for tests of NVIDIA's tools",
}
"""Operations of the dialect that no kernel of cuTile can have, and why."""

OTHER_VERSIONS = (("checked_print", "13.1"),)
"""Texts that have more operations than those checked in: printing was ordered by a lock."""

ELEMENT_TYPES = [
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "f16",
    "bf16",
    "tf32",
    "f32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f4E2M1FN",
    "ptr<f32>",
]

SYNTAX = (
    *(f"tile<(\\d+x)*{re.escape(t)}>" for t in ELEMENT_TYPES),
    *(f"rounding<{m}>" for m in ("zero", "negative_inf", "positive_inf", "approx", "full")),
    r"ftof .*rounding<nearest_away>",
    r"sqrt %\w+ +flush_to_zero",
    r"maxf .* propagate_nan",
    r"mmaf .* fast_acc",
    *(f"divi .* signed rounding<{m}>" for m in ("negative_inf", "positive_inf")),
    *(f"mmai .* {a} {b} :" for a, b in (("signed", "signed"), ("signed", "unsigned"))),
    *(f"{op} .* {s}" for op in ("remi", "shri", "mini") for s in ("signed", "unsigned")),
    *(
        f"cmpi {p} .*{s}"
        for p in ("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal")
        for s in (" signed", "unsigned")
    ),
    *(f"cmpi {p}" for p in ("equal", "not_equal")),
    *(f"cmpf {p} ordered" for p in ("equal", "less_than", "greater_than_or_equal")),
    r"cmpf not_equal unordered",
    *(f"load_view_tko {o}" for o in ("weak", "relaxed tl_blk", "relaxed sys", "acquire device")),
    *(f"store_view_tko {o}" for o in ("weak", "relaxed tl_blk", "release sys", "release device")),
    *(f"atomic_rmw_tko {o}" for o in ("relaxed", "acquire", "release", "acq_rel")),
    *(
        f"atomic_rmw_tko .*, {m},"
        for m in ("and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg")
    ),
    *(f"atomic_red_view_tko .*, {m}," for m in ("and", "or", "xor", "add", "addf", "umax")),
    *(f"padding_value = {v}," for v in ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")),
    r"partition_view<.*dim_map=\[1, 0\]>",
    r"strided_view<.*traversal_strides=",
    r"gather_scatter_view<.*sparse_dim=0>",
    r"inbounds = \[",
    r"tensor_view<\?x64xf16, strides=\[\?,1\]>",
    r"tensor_view<\?x\?xi32, strides=\[\?,\?\]>",
    r"scan .* reverse=true",
    r"reduce %[\w#]+, %[\w#]+ dim=",
    r"assume div_by<16>",
    r"assume bounded<0, \?>",
    r"default = \{allow_tma = false\}",
    r"default = \{latency = 10\}",
    r"num_cta_in_cga = 2, occupancy = 8",
    r"num_worker_warps_per_cta = 8",
    r"loop iter_values\(.*tile<ptr<i32>>",
)


@cache
def texts() -> str:
    """The checked-in texts of all kernels."""
    return "".join(case.text_path.read_text() for case in KERNELS.values())


def _operations(text: str) -> set[str]:
    return {op.name.removeprefix("cuda_tile.") for op in tools.parse(text).walk()}


def test_every_operation_occurs() -> None:
    occurring = {
        name for case in KERNELS.values() for name in _operations(case.text_path.read_text())
    }
    for name, version in OTHER_VERSIONS:
        occurring |= _operations(generate.text(KERNELS[name], version))
    dialect = {op.name.removeprefix("cuda_tile.") for op in CudaTile.operations}
    assert NEVER_EMITTED.keys() <= dialect
    assert occurring - {"builtin.module"} == dialect - NEVER_EMITTED.keys()


def test_what_the_front_end_lacks_is_written_as_text() -> None:
    written = [case.text_path.read_text() for case in WRITTEN.values()]
    # Another spelling is not in what is parsed.
    text = "".join(written)
    spelled = {name for name in OTHER_SPELLINGS if re.search(rf"= {re.escape(name)} ", text)}
    occurring = spelled.union(*map(_operations, written))
    assert NEVER_EMITTED.keys() <= occurring


@pytest.mark.parametrize("pattern", SYNTAX)
def test_every_modifier_occurs(pattern: str) -> None:
    assert re.search(pattern, texts())
