"""cuBLAS, cuDNN and others through torch, where it is installed: on copies of the same arrays."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
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


def operations(
    torch: Any,
    api: Api,
    item: dict[str, Any],
    placed: Sequence[Placed],
    without: frozenset[str],
    report: Callable[[str], None],
) -> tuple[dict[str, Operation], dict[str, str]]:
    """What torch has for a problem, each run once, and why it lacks the others."""
    tensors: list[Any] = []
    for array in placed:
        dtype = getattr(torch, TORCH_TYPES[array.dtype], None)
        if dtype is None:
            return {}, {"torch": f"torch has no {array.dtype}"}
        tensors.append(torch.empty(array.shape, dtype=dtype, device="cuda"))
        api.call("cuMemcpyDtoD_v2", tensors[-1].data_ptr(), array.address, array.bytes)
    found: dict[str, Operation] = {}
    lacking: dict[str, str] = {}
    for who, prepare in OPERATIONS.get(item["reference"], {}).items():
        if who in without:
            continue
        report(who)
        try:
            operation = prepare(torch, tensors, item["settings"])
            operation()
            torch.cuda.synchronize()
            found[who] = operation
        except TORCH_ERRORS as error:
            lacking[who] = " ".join(str(error).split())[:200]
    return found, lacking


def keep_result(api: Api, result: Any, output: Placed) -> None:
    """Copies what an operation returned to our output array, where it is checked."""
    kept = result.contiguous()
    api.call("cuMemcpyDtoD_v2", output.address, kept.data_ptr(), output.bytes)
