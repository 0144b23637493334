"""Diagnostics on a machine without LLVM, or without the features of a target."""

from collections.abc import Iterator

import pytest

from tileir_xdsl.runtime.cpu import host
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.targets.cpu import CPU_TARGETS


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    known = (host.has_llvm, host.llvm, host.resolved)
    for function in known:
        function.cache_clear()
    yield
    for function in known:
        function.cache_clear()


def test_llvm_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise ImportError

    monkeypatch.setattr(host, "import_module", refuse)
    for kept in (host.has_llvm, host.llvm, host.machine, host.resolved):
        monkeypatch.setattr(host, kept.__name__, kept.__wrapped__)
    assert not host.has_llvm()
    assert host.why_not_here("cpu") == "needs llvmlite: install the extra `cpu`"
    with pytest.raises(
        InputError,
        match=r"^cpu: error: needs llvmlite: install the extra `cpu`, or use the interpreter",
    ):
        host.resolved("cpu")


def test_a_processor_that_lacks_features(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "cpu-x86-64-v4"
    features = CPU_TARGETS[name].required - {"avx512f", "avx512bw"}
    monkeypatch.setattr(host, "machine", lambda: ("x86_64", features))
    expected = "this processor lacks avx512bw, avx512f, which cpu-x86-64-v4 has"
    assert host.why_not_here(name) == expected


def test_an_unknown_name() -> None:
    with pytest.raises(InputError, match=r"^--gpu: error: unknown target 'cpu-486', expected one"):
        host.resolved("cpu-486")


def test_this_machine_is_one_of_them() -> None:
    assert host.has_llvm()
    assert host.why_not_here("cpu") is None
