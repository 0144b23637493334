"""Torch's operations, on a torch that has few of them."""

from types import SimpleNamespace
from typing import Any

from bench.pack.runner.competitors import OPERATIONS, keep_result, operations
from bench.pack.runner.memory import Placed


class Tensor(SimpleNamespace):
    """An address, and what was done with it."""

    def data_ptr(self) -> int:
        return self.address

    def t(self) -> "Tensor":
        return Tensor(address=self.address, dtype=self.dtype, turned=True)

    def contiguous(self) -> "Tensor":
        return self


class Remembering:
    """A driver that only copies."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def call(self, *arguments: Any) -> None:
        self.calls.append(arguments)


def torch_of(**functions: Any) -> Any:
    addresses = iter(range(1000, 9000, 1000))

    def empty(shape: tuple[int, ...], dtype: str, device: str) -> Tensor:
        assert device == "cuda"
        return Tensor(address=next(addresses), shape=shape, dtype=dtype, turned=False)

    types = {name: name for name in ("bfloat16", "float32", "float8_e4m3fn", "int8", "int32")}
    cuda = SimpleNamespace(synchronize=lambda: None)
    backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)))
    return SimpleNamespace(empty=empty, cuda=cuda, backends=backends, **types, **functions)


def seen_by(_who: str) -> None:
    """Nobody watches."""


def matmul_item(dtype: str) -> tuple[dict[str, Any], list[Placed]]:
    placed = [Placed(address, dtype, (4, 4), (16, 4)) for address in (1, 2, 3)]
    return {"reference": "matmul", "settings": {"transposed": True}}, placed


def test_torch_gets_copies_and_the_operand_as_it_is_stored() -> None:
    seen: list[Any] = []

    def matmul(a: Tensor, b: Tensor, out: Tensor) -> Tensor:
        seen.append((a.address, b.turned))
        return out

    api: Any = Remembering()
    item, placed = matmul_item("float32")
    found, lacking = operations(torch_of(matmul=matmul), api, item, placed, frozenset(), seen_by)
    assert lacking == {}
    assert [call[2] for call in api.calls] == [1, 2, 3]
    assert all(call[3] == 64 for call in api.calls)
    result = found["cuBLAS"]()
    assert seen == [(1000, True), (1000, True)]
    keep_result(api, result, placed[2])
    assert api.calls[-1] == ("cuMemcpyDtoD_v2", 3, 3000, 64)


def test_what_a_version_lacks_is_named() -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("self.size(0)  needs to be\ngreater than 16")

    api: Any = Remembering()
    item, placed = matmul_item("int8")
    found, lacking = operations(torch_of(_int_mm=refuse), api, item, placed, frozenset(), seen_by)
    assert found == {}
    assert lacking == {"cuBLAS": "self.size(0) needs to be greater than 16"}
    item, placed = matmul_item("float32")
    _, lacking = operations(torch_of(), api, item, placed, frozenset(), seen_by)
    assert "matmul" in lacking["cuBLAS"]


def test_every_kind_of_problem_has_a_meaning() -> None:
    assert {"matmul", "attention", "softmax", "layer_norm", "copy"} <= OPERATIONS.keys()
