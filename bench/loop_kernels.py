"""The kernels whose steady-state loops `bench.loops` counts, and their rivals in Triton.

Each is a point of `bench.sweep`, with the dots of one iteration of its innermost loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import triton.language as tl

from bench import rows, triton_gradients, triton_kernels
from bench.framework.steady_loops import Work
from bench.sweep.kinds import WITH_EIGHT_BIT_FLOATS, Values
from bench.sweep.plan import point_of
from tests.triton_compiler import TritonKernel, compile_triton

Dot = tuple[int, int, int]
"""Rows, columns and the depth of the sum."""

CAPABILITIES = {"sm_80": 80, "sm_90a": 90, "sm_100a": 100, "sm_120a": 120}
"""The targets, and what Triton calls them."""

CONFIGURATIONS = tuple((warps, stages) for warps in (4, 8) for stages in (2, 3, 4))
"""The warps and stages of which Triton's best is taken."""

STEP_BITS = 256
"""Bits along K of one `tcgen05.mma` (PTX ISA, "tcgen05.mma": shapes)."""
MOST_ROWS, MOST_COLUMNS = 128, 256

TYPE_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "i8": 8, "e4m3": 8}
TRITON_TYPES = {"f16": "fp16", "bf16": "bf16", "tf32": "fp32", "f32": "fp32", "i8": "i8",
                "e4m3": "fp8e4nv"}  # fmt: skip
SUMS = {"i8": tl.int32}
RESULTS = {"i8": "i32", "e4m3": "fp16"}
LOOPS_OF_ELEMENTS = 32
"""Elements of a unit of work without dots: one for each lane of a warp."""


@dataclass(frozen=True)
class LoopKernel:
    """A kernel of the table: its family, and its point of the sweep."""

    family: str
    point: str
    triton: Callable[[str, int, int], TritonKernel] | None = None
    """Triton's kernel of the same problem for a target, warps and stages."""

    @property
    def values(self) -> Values:
        return point_of(self.point).values

    @property
    def kind(self) -> str:
        return point_of(self.point).kind

    def is_of(self, gpu: str) -> bool:
        """Whether a target has the types."""
        types = (self.values.get("type"), self.values.get("weights"))
        return "e4m3" not in types or gpu in WITH_EIGHT_BIT_FLOATS

    @property
    def work(self) -> Work | None:
        """The work of an iteration; `None` for kernels without dots."""
        dots = _DOTS[self.kind](self.values) if self.kind in _DOTS else ()
        if not dots:
            return None
        bits = TYPE_BITS[str(self.values.get("type", "bf16"))]
        return Work(
            sum(m * n * k for m, n, k in dots), sum(_tensor_mmas(dot, bits) for dot in dots)
        )


def _tensor_mmas(dot: Dot, bits: int) -> int:
    """How many `tcgen05.mma` a dot takes."""
    m, n, k = dot
    return -(-m // MOST_ROWS) * -(-n // MOST_COLUMNS) * max(1, k * bits // STEP_BITS)


def _numbers(values: Values, *names: str) -> list[int]:
    return [int(values[name]) for name in names]


def _matmul(values: Values) -> list[Dot]:
    m, n, k = _numbers(values, "m", "n", "k")
    return [(m, n, k)]


def _experts(values: Values) -> list[Dot]:
    tokens, n, k = _numbers(values, "tokens", "n", "k")
    return [(tokens, n, k)]


def _convolution(values: Values) -> list[Dot]:
    pixels, outputs, inputs = _numbers(values, "pixels", "outputs", "inputs")
    return [(pixels, outputs, inputs)]


def _attention(values: Values) -> list[Dot]:
    queries, keys, depth = _numbers(values, "queries", "keys", "head")
    return [(queries, keys, depth), (queries, depth, keys)]


def _backward(values: Values) -> list[Dot]:
    queries, keys, depth = _numbers(values, "queries", "keys", "head")
    if values["of"] == "keys":
        return 2 * [(keys, queries, depth)] + 2 * [(keys, depth, queries)]
    return 2 * [(queries, keys, depth)] + [(queries, depth, keys)]


_DOTS: Mapping[str, Callable[[Values], Sequence[Dot]]] = {
    "matmul": _matmul,
    "spelling": _matmul,
    "dequantised": _matmul,
    "experts": _experts,
    "convolution": _convolution,
    "attention": _attention,
    "attention_backward": _backward,
}


def _tensor(type_: str, *extents: int) -> str:
    return f"tensordesc<{type_}[{', '.join(map(str, extents))}]>"


def triton_matmul(
    tile: Dot, type_: str, transposed: bool, gpu: str, warps: int, stages: int
) -> TritonKernel:
    """Triton's matmul by tensor descriptors."""
    (m, n, k), element = tile, TRITON_TYPES[type_]
    result = RESULTS.get(type_, element)
    signature = {
        "a": _tensor(element, m, k),
        "b": _tensor(element, *((n, k) if transposed else (k, n))),
        "c": _tensor(result, m, n),
        "k": "i32",
    }
    constants: dict[str, Any] = {"M": m, "N": n, "STEP": k, "TRANSPOSED": transposed, "GROUP": 1}
    constants["SUMS"] = SUMS.get(type_, tl.float32)
    return compile_triton(
        triton_kernels.matmul, signature, constants, capability=CAPABILITIES[gpu],
        warps=warps, stages=stages,
    )  # fmt: skip


def triton_grouped(tile: Dot, gpu: str, warps: int, stages: int) -> TritonKernel:
    """Triton's matmul with the weights of an expert."""
    m, n, k = tile
    signature = {
        "a": _tensor("bf16", m, k),
        "b": _tensor("bf16", 1, k, n),
        "experts": "*i32",
        "c": _tensor("bf16", m, n),
        "k": "i32",
    }
    constants = {"M": m, "N": n, "STEP": k, "GROUP": 1}
    return compile_triton(
        triton_kernels.grouped_matmul, signature, constants, capability=CAPABILITIES[gpu],
        warps=warps, stages=stages,
    )  # fmt: skip


def triton_attention(shape: Dot, causal: bool, gpu: str, warps: int, stages: int) -> TritonKernel:
    """Triton's attention of any length."""
    queries, keys, depth = shape
    own, read = (_tensor("bf16", 1, extent, depth) for extent in (queries, keys))
    signature = {"q": own, "k": read, "v": read, "out": own, "length": "i32", "scale": "fp32"}
    constants = {"ROWS": queries, "KEYS": keys, "D": depth, "CAUSAL": causal}
    return compile_triton(
        triton_kernels.ragged_attention, signature, constants, capability=CAPABILITIES[gpu],
        warps=warps, stages=stages,
    )  # fmt: skip


def triton_backward(
    of_keys: bool, shape: Dot, causal: bool, gpu: str, warps: int, stages: int
) -> TritonKernel:
    """Triton's gradients of keys and values, or of queries."""
    queries, keys, depth = shape
    rows_of, keys_of = (_tensor("bf16", extent, depth) for extent in (queries, keys))
    signature = {"q": rows_of, "k": keys_of, "v": keys_of, "d_out": rows_of}
    signature |= {"log": "*fp32", "delta": "*fp32"}
    signature |= {"d_k": keys_of, "d_v": keys_of} if of_keys else {"d_q": rows_of}
    signature |= {"length": "i32", "scale": "fp32"}
    constants = {"ROWS": queries, "KEYS": keys, "D": depth, "CAUSAL": causal}
    function = triton_gradients.key_gradients if of_keys else triton_gradients.query_gradients
    return compile_triton(
        function, signature, constants, capability=CAPABILITIES[gpu], warps=warps, stages=stages
    )


def triton_row(name: str, width: int, gpu: str, warps: int, stages: int) -> TritonKernel:
    """Triton's kernel of a row of f32."""
    (row,) = (row for row in rows.ROWS if row.case.name == name)
    return compile_triton(
        row.triton, row.signature, {"SIZE": width}, capability=CAPABILITIES[gpu],
        warps=warps, stages=stages, multiples=row.multiples,
    )  # fmt: skip


def _gemm(
    tile: Dot, type_: str, *, a: int = 0, b: int = 0, form: str = "plain", epilogue: str = "plain"
) -> LoopKernel:
    m, n, k = tile
    rival = None
    if form == "grouped":
        rival = partial(triton_grouped, tile)
    elif form == "plain" and not a and type_ in TRITON_TYPES and type_ != "f32":
        rival = partial(triton_matmul, tile, type_, bool(b))
    if epilogue != "plain" or (form == "grouped" and (b or type_ != "bf16")):
        rival = None
    return LoopKernel(
        "GEMM" if form == "plain" else f"GEMM, {form}",
        f"matmul m={m} n={n} k={k} type={type_} a_transposed={a} b_transposed={b} form={form} "
        f"epilogue={epilogue} ctas=1",
        rival,
    )


def _spelled(operand: str, spelling: str) -> LoopKernel:
    name = f"spelling operand={operand} spelling={spelling} type=bf16 m=128 n=128 k=64"
    is_transposed = operand == "b" and spelling in ("order", "strides", "halves", "heads_order")
    tile = (128, 128, 64)
    rival = partial(triton_matmul, tile, "bf16", True) if is_transposed else None
    return LoopKernel("GEMM, spellings", name, rival)


def _weights(weights: str, form: str, transposed: int) -> LoopKernel:
    shape = f"m=128 n=128 k=64 weights={weights} form={form} transposed={transposed}"
    return LoopKernel("GEMM, dequantised", f"dequantised {shape}")


def _forward(
    queries: int, keys: int, head: int, *, causal: int = 0, group: int = 1, **flags: int
) -> LoopKernel:
    others = {name: flags.get(name, 0) for name in ("capped", "paged", "log_sum_exp", "sinks")}
    named = " ".join(f"{name}={value}" for name, value in others.items())
    rival = None
    if not any(others.values()):
        rival = partial(triton_attention, (queries, keys, head), bool(causal))
    return LoopKernel(
        "attention",
        f"attention queries={queries} keys={keys} head={head} type=bf16 causal={causal} "
        f"group={group} {named}",
        rival,
    )


def _gradients(of: str, queries: int, keys: int, head: int, causal: int = 0) -> LoopKernel:
    return LoopKernel(
        "attention, backward",
        f"attention_backward of={of} queries={queries} keys={keys} head={head} type=bf16 "
        f"causal={causal} group=1 capped=0 scores_transposed=0",
        partial(triton_backward, of == "keys", (queries, keys, head), bool(causal)),
    )


def _row(op: str, width: int, type_: str = "f32", triton: str = "") -> LoopKernel:
    return LoopKernel(
        "rows",
        f"row op={op} width={width} rows=1 type={type_} partial=0",
        partial(triton_row, triton, width) if triton else None,
    )


KERNELS: Mapping[str, LoopKernel] = {
    "gemm bf16 128x128x64": _gemm((128, 128, 64), "bf16"),
    "gemm f16 128x256x64": _gemm((128, 256, 64), "f16"),
    "gemm bf16 64x64x32": _gemm((64, 64, 32), "bf16"),
    "gemm bf16, B transposed": _gemm((128, 128, 64), "bf16", b=1),
    "gemm bf16, A transposed": _gemm((128, 128, 64), "bf16", a=1),
    "gemm bf16, both transposed": _gemm((128, 128, 64), "bf16", a=1, b=1),
    "gemm bf16, alpha and beta": _gemm((128, 128, 64), "bf16", epilogue="alpha_beta"),
    "gemm tf32 128x128x32": _gemm((128, 128, 32), "tf32"),
    "gemm tf32, B transposed": _gemm((128, 128, 32), "tf32", b=1),
    "gemm f32 64x64x32": _gemm((64, 64, 32), "f32"),
    "gemm f64 64x64x16": _gemm((64, 64, 16), "f64"),
    "gemm i8 128x128x128": _gemm((128, 128, 128), "i8"),
    "gemm i8, B transposed": _gemm((128, 128, 128), "i8", b=1),
    "gemm e4m3 128x128x128": _gemm((128, 128, 128), "e4m3"),
    "gemm e4m3, B transposed": _gemm((128, 128, 128), "e4m3", b=1),
    "gemm persistent": _gemm((128, 128, 64), "bf16", form="persistent"),
    "gemm persistent, B transposed": _gemm((128, 128, 64), "bf16", b=1, form="persistent"),
    "gemm grouped": _gemm((128, 128, 64), "bf16", form="grouped"),
    "gemm grouped, B transposed": _gemm((128, 128, 64), "bf16", b=1, form="grouped"),
    "gathered experts": LoopKernel(
        "GEMM, grouped", "experts tokens=128 n=128 k=64 type=bf16 form=blocks transposed=0 gated=1"
    ),
    "B by order": _spelled("b", "order"),
    "B by strides": _spelled("b", "strides"),
    "B by halves": _spelled("b", "halves"),
    "B of heads by order": _spelled("b", "heads_order"),
    "B of heads by permute": _spelled("b", "heads_permute"),
    "B of a batch": _spelled("b", "batch"),
    "A by order": _spelled("a", "order"),
    "A of a batch by order": _spelled("a", "batch_order"),
    "weights i8": _weights("i8", "plain", 0),
    "weights i8, transposed": _weights("i8", "plain", 1),
    "weights i8, scaled": _weights("i8", "scaled", 0),
    "weights e4m3": _weights("e4m3", "plain", 0),
    "weights e4m3, scaled": _weights("e4m3", "scaled", 1),
    "weights f16, masked": _weights("f16", "masked", 0),
    "attention 128x128x64": _forward(128, 128, 64),
    "attention 128x128x128": _forward(128, 128, 128),
    "attention 64x64x256": _forward(64, 64, 256),
    "attention 128x64x128, causal": _forward(128, 64, 128, causal=1),
    "attention, sinks": _forward(128, 128, 64, sinks=1),
    "attention, capped": _forward(128, 64, 128, capped=1),
    "attention, paged": _forward(128, 128, 128, paged=1),
    "attention, grouped, paged, causal": _forward(64, 128, 128, causal=1, group=4, paged=1),
    "gradients of keys 64": _gradients("keys", 64, 128, 64),
    "gradients of keys 128": _gradients("keys", 64, 64, 128),
    "gradients of queries 64": _gradients("queries", 128, 64, 64),
    "gradients of queries 128": _gradients("queries", 64, 64, 128),
    "gradients of keys, causal": _gradients("keys", 64, 64, 64, 1),
    "convolution": LoopKernel(
        "convolution",
        "convolution dimensions=2 pixels=128 inputs=64 outputs=128 type=bf16 transposed=0",
    ),
    "convolution, volume": LoopKernel(
        "convolution",
        "convolution dimensions=3 pixels=64 inputs=32 outputs=64 type=f16 transposed=0",
    ),
    "softmax 1024": _row("softmax", 1024, triton="row_of_softmax"),
    "softmax 4096 bf16": _row("softmax", 4096, "bf16"),
    "layer norm 1024": _row("layer_norm", 1024, triton="row_of_layer_norm"),
    "rms norm 4096 bf16": _row("rms_norm", 4096, "bf16"),
    "row sum 4096": _row("sum", 4096),
    "argmax 1024": _row("argmax", 1024),
    "cross entropy 4096": _row("cross_entropy", 4096),
    "scan 1024": LoopKernel("scans", "scan op=sum width=1024 others=1 type=f32 axis=0 reverse=0"),
    "scan of rows 256": LoopKernel(
        "scans", "scan op=linear width=256 others=4 type=f32 axis=1 reverse=0"
    ),
    "stencil": LoopKernel("gathers", "stencil depth=1 height=8 width=64 type=f32 points=seven"),
    "butterfly": LoopKernel("gathers", "butterfly rows=4 points=256 type=f32 radix_steps=two"),
}
"""By their names."""
