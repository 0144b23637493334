"""Gives torch a CUDA device in the host's memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from tileir_xdsl.frontends.interface import Handler
from tileir_xdsl.frontends.on_host.device import Event, Guard, Stream, capability, properties
from tileir_xdsl.frontends.patching import patched

TAKE_DEVICE: Mapping[str, tuple[str, ...]] = {
    "torch": (
        *("arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty"),
        *("empty_like", "empty_permuted", "empty_strided", "eye", "full", "full_like"),
        *("hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "normal"),
        *("ones", "ones_like", "rand", "rand_like", "randint", "randint_like", "randn"),
        *("randn_like", "randperm", "range", "scalar_tensor", "sparse_coo_tensor"),
        *("sparse_csr_tensor", "tensor", "tril_indices", "triu_indices", "zeros", "zeros_like"),
        *("load", "set_default_device", "Generator"),
    ),
    "torch.fft": ("fftfreq", "rfftfreq"),
    "torch.Tensor": ("new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"),
    "torch.utils._device.DeviceContext": ("__init__",),
}
"""The functions with a device among their arguments, by module or class."""

ANSWERS: Mapping[str, object] = {
    **dict.fromkeys(("is_available", "is_initialized", "is_bf16_supported"), True),
    **dict.fromkeys(("current_device", "memory_allocated", "memory_reserved"), 0),
    **dict.fromkeys(("max_memory_allocated", "max_memory_reserved"), 0),
    **dict.fromkeys(("init", "synchronize", "set_device", "set_stream", "empty_cache"), None),
    **dict.fromkeys(("reset_peak_memory_stats", "ipc_collect"), None),
    "device_count": 1,
}
"""The constant results of functions of `torch.cuda`."""

DOTS: Mapping[str, tuple[str, ...]] = {
    "torch": ("matmul", "mm", "bmm", "einsum"),
    "torch.Tensor": ("matmul", "mm", "bmm", "__matmul__", "__rmatmul__"),
}
"""The functions that multiply matrices, by module or class."""

NORMS: Mapping[str, tuple[str, ...]] = {"torch": ("layer_norm", "group_norm", "rms_norm")}
"""The functions that normalize without running statistics; `nn.functional` calls them."""

_TF32_DROPPED = 13
"""The number of bits by which a tf32 is shorter than an f32."""


def install(_handler: Handler) -> Callable[[], None]:
    """Puts all tensors on one CUDA device in host memory; returns a function that undoes this.

    `cuda`, `cpu`, and `to` with a device, copy a tensor, as between two memories.
    """
    torch: Any = import_module("torch")
    undos = [
        patched(owner, {n: _on_host(torch, getattr(owner, n)) for n in names if hasattr(owner, n)})
        for owner, names in ((_at(path), names) for path, names in TAKE_DEVICE.items())
    ]
    undos += [
        patched(owner, {n: made(torch, getattr(owner, n)) for n in names if hasattr(owner, n)})
        for table, made in ((DOTS, _dot), (NORMS, _norm))
        for owner, names in ((_at(path), names) for path, names in table.items())
    ]
    undos += [
        patched(torch.Tensor, _tensor(torch)),
        patched(torch.cuda, _cuda(torch)),
        patched(import_module("torch.cuda.nvtx"), dict.fromkeys(_RANGES, _answer(None))),
        # The CPU has none of the implementations of attention that a script may choose.
        patched(import_module("torch.nn.attention"), {"sdpa_kernel": _answer(nullcontext())}),
    ]

    def undo() -> None:
        for each in reversed(undos):
            each()

    return undo


_RANGES = ("range_push", "range_pop", "range_start", "range_end", "mark")


def _at(path: str) -> Any:
    package, *names = path.split(".")
    found = import_module(package)
    for number, name in enumerate(names):
        if not hasattr(found, name):
            import_module(".".join([package, *names[: number + 1]]))
        found = getattr(found, name)
    return found


def _answer(value: object) -> Callable[..., object]:
    return lambda *_, **__: value


def _is_cuda(torch: Any, value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and value.partition(":")[0] == "cuda"


def _on_host(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function: the CPU replaces every CUDA device among its arguments."""

    def host(value: Any) -> Any:
        return "cpu" if _is_cuda(torch, value) else value

    if isinstance(function, type):
        # Annotations name it as a type.
        made = {"__new__": _on_host(torch, function.__new__)}
        return type(function.__name__, (function,), made)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if isinstance(options.get("device"), int):
            options["device"] = "cpu"
        given = {name: host(value) for name, value in options.items()}
        return function(*map(host, arguments), **given)

    return call


def _dot(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function: sums in f64, rounded once; operands as tf32 if the script allows.

    Scripts compare kernels with the wrapped function, and the interpreter also sums in f64. A sum
    in f32 depends on its order, visibly if terms cancel.
    """

    def operand(value: Any) -> Any:
        if value.dtype in (torch.float16, torch.bfloat16):
            return value.double()
        if value.dtype is not torch.float32:
            return value
        if torch.get_float32_matmul_precision() == "highest":
            return value.double()
        bits = value.detach().contiguous().view(torch.int32)
        # To nearest, ties to even, as `ftof` rounds to tf32.
        bits = bits + (bits >> _TF32_DROPPED & 1) + ((1 << _TF32_DROPPED - 1) - 1)
        rounded = (bits >> _TF32_DROPPED << _TF32_DROPPED).view(torch.float32)
        # An exact sum, so that gradients go through.
        return (value + (rounded - value).detach()).double()

    return _widened(torch, function, operand)


def _norm(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function: computes 16-bit floats in f32 as a GPU does; a CPU would use 16 bits."""

    def operand(value: Any) -> Any:
        return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value

    return _widened(torch, function, operand)


def _widened(
    torch: Any, function: Callable[..., Any], operand: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Wraps a function: applies `operand` to tensors; the result has the first one's type."""

    def wide(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [wide(each) for each in value]
        return operand(value) if isinstance(value, torch.Tensor) else value

    @functools.wraps(function)
    def call(*arguments: Any, out: Any = None, **options: Any) -> Any:
        result = function(*map(wide, arguments), **{n: wide(v) for n, v in options.items()})
        if out is not None:
            return out.resize_(result.shape).copy_(result)
        values = [*arguments, *options.values()]
        flat = [each for v in values for each in (v if isinstance(v, list | tuple) else [v])]
        dtype = next((each.dtype for each in flat if isinstance(each, torch.Tensor)), result.dtype)
        return result.to(dtype)

    return call


def _tensor(torch: Any) -> Mapping[str, object]:
    tensor = torch.Tensor
    move = _on_host(torch, tensor.to)

    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        if arguments and type(arguments[0]) is int:
            arguments = ("cpu", *arguments[1:])
        named = [*arguments[:1], *options.values()]
        if any(isinstance(value, str | torch.device) or type(value) is int for value in named):
            options = {"copy": True, **options}
        return move(self, *arguments, **options)

    def to_dlpack(self: Any, **options: Any) -> object:
        # A kernel takes the memory of a tensor, whether or not it wants a gradient.
        return exported(self.detach(), **options)

    def copy(self: Any, *_: object, **__: object) -> Any:
        return self.clone()

    def same(self: Any, *_: object, **__: object) -> Any:
        return self

    exported = tensor.__dlpack__
    return {
        "device": property(_answer(torch.device("cuda", 0))),
        "is_cuda": property(_answer(True)),
        "get_device": _answer(0),
        "to": to,
        **dict.fromkeys(("cuda", "cpu"), copy),
        "pin_memory": same,
        "record_stream": _answer(None),
        "__dlpack__": to_dlpack,
        # `kDLCPU` of DLPack.
        "__dlpack_device__": _answer((1, 0)),
    }


def _cuda(torch: Any) -> Mapping[str, object]:
    functions: dict[str, Callable[..., object]] = {
        "get_device_properties": lambda *_: properties(),
        "get_device_name": lambda *_: properties().name,
        "get_device_capability": capability,
        "mem_get_info": lambda *_: (properties().total_memory,) * 2,
    }
    return {
        **{name: _answer(value) for name, value in ANSWERS.items()},
        **functions,
        **dict.fromkeys(("Stream", "ExternalStream"), Stream),
        **dict.fromkeys(("current_stream", "default_stream"), _answer(Stream())),
        **dict.fromkeys(("device", "stream"), Guard),
        # `torch.manual_seed` calls the second one.
        **dict.fromkeys(("manual_seed", "manual_seed_all"), torch.default_generator.manual_seed),
        "Event": Event,
    }
