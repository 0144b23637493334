"""Torch's operations, on a torch that has few of them."""

from collections.abc import Generator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from bench.pack.runner.competitors import (
    OPERATIONS,
    first_result,
    keep_results,
    operations,
    torch_captured,
)
from bench.pack.runner.memory import Placed
from bench.pack.runner.references import REFERENCES


class Tensor(SimpleNamespace):
    """An address, and what was done with it."""

    def data_ptr(self) -> int:
        return self.address

    def view(self, form: Any) -> "Tensor":
        field = "shape" if isinstance(form, tuple) else "dtype"
        return Tensor(**{**vars(self), field: form})

    def t(self) -> "Tensor":
        return Tensor(**{**vars(self), "turned": True})

    def contiguous(self) -> "Tensor":
        return self


class Remembering:
    """A driver that only copies."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def call(self, *arguments: Any) -> None:
        self.calls.append(arguments)


@contextmanager
def within(*_: Any, **_named: Any) -> Generator[None]:
    """A stream, or the capture of one."""
    yield


def as_tensor(memory: Any, device: str) -> Tensor:
    assert device == "cuda"
    described = memory.__cuda_array_interface__
    assert described["typestr"] == "|u1"
    assert described["version"] == 3
    address, is_read_only = described["data"]
    assert not is_read_only
    return Tensor(address=address, shape=described["shape"], dtype="uint8", turned=False)


def torch_of(**functions: Any) -> Any:
    types = {name: name for name in ("bfloat16", "float32", "float8_e4m3fn", "int8", "int32")}
    graph = SimpleNamespace(replay=lambda: None)
    cuda = SimpleNamespace(
        synchronize=lambda: None,
        Stream=lambda: "stream",
        stream=within,
        CUDAGraph=lambda: graph,
        graph=within,
    )
    backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)))
    return Torch(as_tensor=as_tensor, cuda=cuda, backends=backends, **types, **functions)


class Torch:
    """A module of these names."""

    def __init__(self, **names: Any) -> None:
        vars(self).update(names)


def seen_by(_who: str) -> None:
    """Nobody watches."""


def matmul_item(dtype: str) -> tuple[dict[str, Any], list[list[Placed]]]:
    copies = [
        [Placed(address + shift, dtype, (4, 4), (16, 4)) for address in (100, 200, 300)]
        for shift in (0, 1000)
    ]
    return {"reference": "matmul", "inputs": 3, "settings": {"transposed": True}}, copies


def test_torch_takes_each_copy_where_it_is() -> None:
    seen: list[Any] = []

    def matmul(a: Tensor, b: Tensor, out: Tensor) -> Tensor:
        seen.append((a.address, b.turned, a.shape, a.dtype))
        return out

    api: Any = Remembering()
    item, copies = matmul_item("float32")
    torch = torch_of(matmul=matmul)
    found, lacking = operations(torch, item, copies, frozenset(), seen_by)
    assert lacking == {}
    (starts,) = found.values()
    results = [first_result(torch, start) for start in starts]
    every = (True, (4, 4), "float32")
    assert seen == [(100, *every), (100, *every), (1100, *every)]
    # What is in its place is not copied; what is elsewhere is.
    keep_results(api, results[0], copies[0][2:])
    assert api.calls == []
    keep_results(api, results[1], copies[0][2:])
    assert api.calls == [("cuMemcpyDtoD_v2", 300, 1300, 64)]


def test_a_graph_holds_all_starts() -> None:
    calls: list[int] = []
    with torch_captured(torch_of(), [lambda: calls.append(1), lambda: calls.append(2)]) as replay:
        replay()
    assert calls == [1, 2]


def test_those_that_failed_before_are_left_alone() -> None:
    item, copies = matmul_item("float32")
    assert operations(torch_of(), item, copies, frozenset(["cuBLAS"]), seen_by) == ({}, {})


def test_what_a_version_lacks_is_named() -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("self.size(0)  needs to be\ngreater than 16")

    item, copies = matmul_item("int8")
    found, lacking = operations(torch_of(_int_mm=refuse), item, copies, frozenset(), seen_by)
    assert found == {}
    assert lacking == {"cuBLAS": "self.size(0) needs to be greater than 16"}
    item, copies = matmul_item("float32")
    _, lacking = operations(torch_of(), item, copies, frozenset(), seen_by)
    assert "matmul" in lacking["cuBLAS"]


def test_every_kind_of_problem_has_a_meaning() -> None:
    assert OPERATIONS.keys() <= REFERENCES.keys()
    assert REFERENCES.keys() - OPERATIONS.keys() == {"rope"}
