"""cuBLAS, cuDNN and others through torch, where it is installed: on copies of the same arrays."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from bench.pack.runner.driver import Api
from bench.pack.runner.memory import Placed

TORCH_TYPES = {
    "bfloat16": "bfloat16",
    "float16": "float16",
    "float32": "float32",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e8m0fnu": "float8_e8m0fnu",
    "uint8": "uint8",
    "int8": "int8",
    "int32": "int32",
}

Operation = Callable[[], Any]


def _torch_matmul(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Operation:
    a, b, c = tensors
    torch.backends.cuda.matmul.allow_tf32 = True
    if a.dtype == torch.float8_e4m3fn:
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b.t(), one, one, out_dtype=c.dtype, use_fast_accum=True)
    right = b.t() if settings["transposed"] else b
    if a.dtype == torch.int8:
        return lambda: torch._int_mm(a, right)
    return lambda: torch.matmul(a, right, out=c)


def _torch_scaled_matmul(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Operation:
    a, a_scales, b, b_scales, c = tensors
    if not settings["ordered"]:
        raise NotImplementedError("cuBLAS takes scales in the order of the hardware")
    if settings["packed"]:
        a, b = (each.view(torch.float4_e2m1fn_x2) for each in (a, b))
    return lambda: torch._scaled_mm(a, b.t(), a_scales, b_scales, out_dtype=c.dtype)


def _attention_by(backend: str) -> Callable[[Any, Sequence[Any], dict[str, Any]], Operation]:
    def prepare(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Operation:
        q, k, v = (each.unsqueeze(0) for each in tensors[:3])
        attention = importlib.import_module("torch.nn.attention")
        chosen = getattr(attention.SDPBackend, backend)
        function = torch.nn.functional.scaled_dot_product_attention

        def run() -> Any:
            with attention.sdpa_kernel(chosen):
                return function(q, k, v, is_causal=settings["causal"]).squeeze(0)

        return run

    return prepare


def _backward_by(backend: str) -> Callable[[Any, Sequence[Any], dict[str, Any]], Operation]:
    def prepare(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Operation:
        inputs = [each.unsqueeze(0).detach().requires_grad_() for each in tensors[:3]]
        gradient = tensors[4].unsqueeze(0)
        attention = importlib.import_module("torch.nn.attention")
        function = torch.nn.functional.scaled_dot_product_attention
        with attention.sdpa_kernel(getattr(attention.SDPBackend, backend)):
            out = function(*inputs, is_causal=settings["causal"])

        def run() -> Any:
            found = torch.autograd.grad(out, inputs, gradient, retain_graph=True)
            return tuple(each.squeeze(0) for each in found)

        return run

    return prepare


def _ends(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Any:
    """The row after the last one of each expert, whose tiles come in order."""
    _, matrices, experts, _ = tensors
    tiles = torch.bincount(experts, minlength=matrices.shape[0])
    return (tiles.cumsum(0) * settings["rows"]).int()


def _torch_grouped(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Operation:
    a, b, *_ = tensors
    ends = _ends(torch, tensors, settings)
    return lambda: torch._grouped_mm(a, b, offs=ends)


def _torch_by_expert(torch: Any, tensors: Sequence[Any], settings: dict[str, Any]) -> Operation:
    a, b, _, c = tensors
    ends = _ends(torch, tensors, settings).tolist()

    def run() -> Any:
        for expert, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if start < end:
                torch.mm(a[start:end], b[expert], out=c[start:end])
        return c

    return run


def _torch_layer_norm(torch: Any, tensors: Sequence[Any], _settings: dict[str, Any]) -> Operation:
    x, weight, bias = tensors[:3]
    function = torch.nn.functional.layer_norm
    return lambda: function(x, (x.shape[1],), weight, bias, 1e-5)


def _torch_cross_entropy(
    torch: Any, tensors: Sequence[Any], _settings: dict[str, Any]
) -> Operation:
    x, labels = tensors[0], tensors[1].long()
    return lambda: torch.nn.functional.cross_entropy(x, labels, reduction="none")


OPERATIONS: dict[str, dict[str, Callable[[Any, Sequence[Any], dict[str, Any]], Operation]]] = {
    "matmul": {"cuBLAS": _torch_matmul},
    "scaled_matmul": {"cuBLAS": _torch_scaled_matmul},
    "attention": {
        "cuDNN": _attention_by("CUDNN_ATTENTION"),
        "FlashAttention in torch": _attention_by("FLASH_ATTENTION"),
    },
    "attention_backward": {
        "cuDNN": _backward_by("CUDNN_ATTENTION"),
        "FlashAttention in torch": _backward_by("FLASH_ATTENTION"),
    },
    "grouped_matmul": {"torch": _torch_grouped, "cuBLAS by expert": _torch_by_expert},
    "softmax": {"torch": lambda torch, t, _: lambda: torch.softmax(t[0], 1, out=t[-1])},
    "layer_norm": {"torch": _torch_layer_norm},
    "cross_entropy": {"torch": _torch_cross_entropy},
    "row_sum": {"torch": lambda torch, t, _: lambda: torch.sum(t[0], 1, out=t[-1])},
    "transpose": {"torch": lambda torch, t, _: lambda: t[-1].copy_(t[0].t())},
    "gather": {"torch": lambda torch, t, _: lambda: torch.index_select(t[0], 0, t[1], out=t[-1])},
    "copy": {"torch": lambda torch, t, _: lambda: t[-1].copy_(t[0])},
}
"""By reference, then by name."""


def find_torch() -> Any:
    """torch, if it is there and sees the device; else why not, as text."""
    if importlib.util.find_spec("torch") is None:
        return "torch is not installed"
    try:
        torch = importlib.import_module("torch")
    except (ImportError, OSError, RuntimeError) as error:
        return f"torch cannot be imported: {error}"
    return torch if torch.cuda.is_available() else "torch sees no GPU"


TORCH_ERRORS = (RuntimeError, ImportError, AttributeError, NotImplementedError, TypeError)
"""What a version of torch says that lacks an operation, or has it for other types."""


@dataclass(frozen=True)
class Bytes:
    """Memory of the driver, as torch takes it (CUDA array interface, version 3)."""

    address: int
    size: int

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": (self.size,),
            "typestr": "|u1",
            "data": (self.address, False),
            "version": 3,
        }


def _tensor(torch: Any, array: Placed) -> Any:
    """An array as a tensor, at the same place; raises AttributeError for a type torch lacks."""
    dtype = getattr(torch, TORCH_TYPES[array.dtype])
    plain = torch.as_tensor(Bytes(array.address, array.bytes), device="cuda")
    return plain.view(dtype).view(array.shape)


@cache
def _stream(torch: Any) -> Any:
    """The stream that operations are captured on: the default one cannot be."""
    return torch.cuda.Stream()


def operations(
    torch: Any,
    item: dict[str, Any],
    copies: Sequence[Sequence[Placed]],
    without: frozenset[str],
    report: Callable[[str], None],
) -> tuple[dict[str, list[Operation]], dict[str, str]]:
    """What torch has for a problem, on each copy of its arrays, and why it lacks the others."""
    found: dict[str, list[Operation]] = {}
    lacking: dict[str, str] = {}
    for who, prepare in OPERATIONS.get(item["reference"], {}).items():
        if who in without:
            continue
        report(who)
        try:
            with torch.cuda.stream(_stream(torch)):
                made: list[Operation] = []
                for placed in copies:
                    tensors = [_tensor(torch, array) for array in placed[: item["inputs"]]]
                    made.append(prepare(torch, tensors, item["settings"]))
                made[0]()
            torch.cuda.synchronize()
            found[who] = made
        except TORCH_ERRORS as error:
            lacking[who] = " ".join(str(error).split())[:200]
    return found, lacking


def first_result(torch: Any, operation: Operation) -> Any:
    """What an operation returns, when it is there."""
    with torch.cuda.stream(_stream(torch)):
        result = operation()
    torch.cuda.synchronize()
    return result


def keep_results(api: Api, results: Any, outputs: Sequence[Placed]) -> None:
    """Copies what an operation returned, a tensor or several, to where it is checked."""
    several = results if isinstance(results, tuple) else (results,)
    for result, output in zip(several, outputs, strict=True):
        kept = result.contiguous()
        if kept.data_ptr() != output.address:
            api.call("cuMemcpyDtoD_v2", output.address, kept.data_ptr(), output.bytes)


@contextmanager
def torch_captured(torch: Any, starts: Sequence[Operation]) -> Generator[Callable[[], None]]:
    """A graph of operations, whose results all stay: none of them is written over in the cache."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=_stream(torch)):
        kept = [start() for start in starts]
    yield graph.replay
    del kept
