"""torch on the host: by a module of its shape here, and as it is with the tests marked `soak`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tileir_xdsl.frontends.interpreting import Interpreter
from tileir_xdsl.frontends.on_host import torch as on_host


class Device:
    def __init__(self, type_: str, index: int | None = None):
        self.type, self.index = type_, index


HALF = "f16"


class Base:
    """What `Tensor` inherits."""

    device, is_cuda, dtype, shape = Device("cpu"), False, HALF, (2, 2)


class Tensor(Base):
    def __init__(self, calls: tuple[object, ...] = ()):
        self.calls = calls

    def to(self, *arguments: object, **options: object) -> "Tensor":
        return Tensor((*self.calls, arguments, options))

    def clone(self) -> "Tensor":
        return Tensor((*self.calls, "clone"))

    def detach(self) -> "Tensor":
        return Tensor((*self.calls, "detach"))

    def new_zeros(self, *arguments: object, **options: object) -> "Tensor":
        return Tensor((arguments, options))

    def __dlpack__(self, **options: object) -> object:
        return self.calls, options

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def float(self) -> "Tensor":
        return Tensor((*self.calls, "float"))

    def double(self) -> "Tensor":
        return Tensor((*self.calls, "double"))

    def resize_(self, shape: object) -> "Tensor":
        self.calls = (*self.calls, shape)
        return self

    def copy_(self, other: "Tensor") -> "Tensor":
        self.calls = (*self.calls, other.calls)
        return self

    cuda = pin_memory = record_stream = get_device = cpu = to
    matmul = mm = bmm = __matmul__ = __rmatmul__ = to


class Generator:
    def __new__(cls, device: object = None) -> "Generator":
        made = super().__new__(cls)
        made.device = device
        return made

    device: object

    def manual_seed(self, number: int) -> None:
        self.device = number


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module that has what ours replaces, and is as before afterwards."""

    def function(*arguments: object, **options: object) -> Tensor:
        return Tensor((arguments, options))

    made: dict[str, Any] = {}
    names = ("cuda", "cuda.nvtx", "fft", "nn", "nn.attention", "utils._device")
    for path in ("torch", *(f"torch.{name}" for name in names)):
        made[path] = ModuleType(path)
        monkeypatch.setitem(sys.modules, path, made[path])
    root = made["torch"]
    root.cuda, root.fft = made["torch.cuda"], made["torch.fft"]
    made["torch.nn.attention"].sdpa_kernel = function
    root.utils = SimpleNamespace(_device=made["torch.utils._device"])
    tables = on_host.TAKE_DEVICE, on_host.DOTS, on_host.NORMS
    for path, names in (item for table in tables for item in table.items()):
        if path in made:
            vars(made[path]).update(dict.fromkeys(names, function))
    root.float16, root.bfloat16, root.float32 = HALF, "bf16", "f32"
    # A part that this version lacks.
    del root.range
    root.device, root.Tensor, root.Generator = Device, type("Tensor", (Tensor,), {}), Generator
    root.default_generator = Generator()
    made["torch.utils._device"].DeviceContext = type("DeviceContext", (), {"__init__": function})
    vars(root.cuda).update(dict.fromkeys([*on_host.ANSWERS, "Stream", "Event", "stream"], function))
    for name in ("current_stream", "manual_seed", "get_device_properties", "get_device_capability"):
        setattr(root.cuda, name, function)
    before = {path: dict(vars(module)) for path, module in made.items()}
    undo = on_host.install(Interpreter())
    yield root
    undo()
    assert before == {path: dict(vars(module)) for path, module in made.items()}
    assert root.Tensor.is_cuda is False and not hasattr(root, "range")


@pytest.mark.parametrize("device", ["cuda", "cuda:0", 0, Device("cuda"), "cpu"])
def test_functions_make_tensors_on_the_cpu(device: object, torch: Any):
    for made in (torch.zeros, torch.Tensor().new_zeros, torch.fft.fftfreq):
        assert made(4, device=device).calls == ((4,), {"device": "cpu"})


def test_generator(torch: Any):
    """It stays a type, as annotations need it."""
    assert isinstance(torch.Generator("cuda"), torch.Generator) and torch.Generator | None
    assert torch.Generator(device="cuda").device == "cpu"
    torch.cuda.manual_seed(7)
    assert torch.default_generator.device == 7


@pytest.mark.parametrize(
    ("arguments", "options"),
    [(("cuda",), {}), ((0,), {}), ((Device("cuda"),), {}), ((), {"device": "cuda"})],
)
def test_tensors_move_by_a_copy(arguments: Any, options: dict[str, object], torch: Any):
    (given, named) = torch.Tensor().to(*arguments, **options).calls
    assert [*given, named.get("device", "cpu")] == ["cpu"] * (len(given) + 1)
    assert named["copy"] is True


def test_tensors(torch: Any):
    tensor = torch.Tensor()
    assert tensor.is_cuda and (tensor.device.type, tensor.device.index) == ("cuda", 0)
    assert tensor.to("a type of numbers").calls != tensor.to(torch).calls == ((torch,), {})
    assert tensor.cuda(0).calls == tensor.cpu().calls == ("clone",)
    assert tensor.pin_memory() is tensor and tensor.get_device() == 0
    assert tensor.__dlpack_device__() == (1, 0)
    assert tensor.__dlpack__(max_version=(1, 1)) == (("detach",), {"max_version": (1, 1)})


def test_sums_of_dots_are_in_f64(torch: Any):
    half = torch.Tensor()
    double = (("double",),)
    (first, second), _ = torch.matmul(half, half).calls[:2]
    assert (first.calls, second.calls) == double * 2
    assert torch.matmul(half, half).calls[2:] == ((HALF,), {})
    (subscripts, operands), *_ = torch.einsum("mk,kn", [half, half]).calls
    assert subscripts == "mk,kn" and tuple(each.calls for each in operands) == double * 2
    assert (half @ half).calls[0] == "double"


def test_a_dot_writes_to_its_output(torch: Any):
    half, out = torch.Tensor(), torch.Tensor()
    assert torch.matmul(half, other=half, out=out) is out
    shape, (_, named) = out.calls
    assert shape == (2, 2) and named["other"].calls == ("double",)


def test_norms_of_16_bits_are_in_f32(torch: Any):
    half = torch.Tensor()
    for norm in (torch.layer_norm, torch.group_norm, torch.rms_norm):
        (first, _, weight), options, *rounded = norm(half, (4,), half, bias=None).calls
        assert (first.calls, weight.calls) == (("float",), ("float",))
        assert options == {"bias": None} and rounded == [(HALF,), {}]
    half.dtype = "f64"
    assert torch.layer_norm(half).calls[0] == (half,)


def test_attention_is_of_the_cpu(torch: Any):
    attention = import_module("torch.nn.attention")
    with attention.sdpa_kernel("cudnn"), attention.sdpa_kernel(["flash", "math"]):
        assert torch.cuda.is_available()


def test_device(torch: Any, monkeypatch: pytest.MonkeyPatch):
    cuda = torch.cuda
    assert cuda.is_available() and cuda.device_count() == 1 and cuda.synchronize("cuda") is None
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    with cuda.stream(cuda.Stream()):
        start.record(cuda.current_stream())
        end.record()
    assert start.elapsed_time(end) >= 0 and cuda.current_stream().cuda_stream == 0
    assert cuda.get_device_capability() == (9, 0)
    monkeypatch.setenv("TILEIR_GPU", "sm_100a")
    assert cuda.get_device_capability("cuda:0") == (10, 0)
    assert cuda.get_device_properties(0).multi_processor_count == 148


SCRIPT = Path(__file__).with_name("script_with_torch.py")


@pytest.mark.soak
@pytest.mark.parametrize("level", ["cuda_tile", "ptx"])
def test_with_torch_itself(level: str):
    command = [sys.executable, "-m", "tileir_xdsl.cli.main", "python", str(SCRIPT)]
    environment = {**os.environ, "TILEIR_LEVEL": level, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "128" in done.stdout
