"""Attention for tests of its schedules: lengths of a problem, and forms of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.matrix_kernels import attention_case
from bench.sweep.attention import make
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.generate import text

RACES: dict[str, Any] = {"late": True, "races": True}


def lengths(longest: int) -> Sequence[tuple[int, int | None, bool]]:
    """Keys, of which the last step has fewer but for two lengths, the order of warps, and whether
    each query sees all of them or those before it."""
    return (
        *((16, None, True), (80, 1, False), (272, 2, True)),
        *((64, 3, True), (128, 4, False), (longest, 5, False)),
    )


def small_attention(folder: Path, *, causal: bool) -> KernelCase:
    """Attention of 128 queries, 64 keys and heads of 64, its text in a folder."""
    return _written(replace(attention_case(128, 64, 64, causal=causal), folder=folder))


def forms(keys_of_wide_heads: int) -> Sequence[dict[str, Any]]:
    """Grouped heads, other widths, and what else attention may do."""
    return (
        {"keys": 64, "head": 64, "group": 4, "causal": True},
        {"keys": 128, "head": 128, "group": 1, "causal": False},
        {"keys": keys_of_wide_heads, "head": 256, "group": 1, "causal": True},
        {
            **{"keys": 128, "head": 128, "group": 4, "causal": True},
            **{"log_sum_exp": True, "sinks": True},
        },
        {"keys": 64, "head": 32, "group": 1, "causal": False, "capped": True},
    )


OTHERS = dict.fromkeys(("capped", "paged", "log_sum_exp", "sinks"), False)


def attention_of(form: dict[str, Any], folder: Path) -> KernelCase:
    """Attention of 128 queries in a form, its text in a folder."""
    values = {"queries": 128, "type": "f16", **OTHERS, **form}
    return _written(replace(make(values).case, folder=folder))


def _written(case: KernelCase) -> KernelCase:
    case.text_path.write_text(text(case))
    return case
