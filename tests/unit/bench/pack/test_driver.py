"""Both ways to the driver, on drivers that only remember."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from bench.pack.runner.driver import BindingsApi, CtypesApi, DriverError, MapFields

FIELDS = MapFields(7, 4096, (64, 8), (256,), (32, 4), (1, 1), 3, nan=True)
PIXELS = MapFields(
    7, 4096, (8, 9, 9, 2), (32, 288, 2592), (8, 64), (1, 1, 1, 1), 0, False, ((-1, -1), (0, 1))
)


def ctypes_api(**functions: Any) -> CtypesApi:
    api = object.__new__(CtypesApi)
    api.library = SimpleNamespace(**functions)  # pyright: ignore[reportAttributeAccessIssue]
    return api


def bindings_api(**functions: Any) -> BindingsApi:
    api = object.__new__(BindingsApi)
    api.bindings = SimpleNamespace(**functions)
    return api


def test_ctypes_passes_typed_values_and_reads_results() -> None:
    seen: list[Any] = []

    def allocate(result: Any, size: Any) -> int:
        seen.append((type(size), size.value))
        result._obj.value = 12345
        return 0

    def parameter(function: Any, index: Any, offset: Any, size: Any) -> int:
        offset._obj.value, size._obj.value = 8, function.value + index.value
        return 0

    api = ctypes_api(cuMemAlloc_v2=allocate, cuFuncGetParamInfo=parameter)
    assert api.call("cuMemAlloc_v2", 1 << 33) == 12345
    assert seen == [(ctypes.c_size_t, 1 << 33)]
    assert api.call("cuFuncGetParamInfo", 40, 2) == [8, 42]


def test_a_status_is_an_error_with_its_name() -> None:
    def refuse(*_: object) -> int:
        return 222

    def refuse_too(*_: object) -> tuple[int]:
        return (222,)

    wanted = "cuInit: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
    for api in (ctypes_api(cuInit=refuse), bindings_api(cuInit=refuse_too)):
        with pytest.raises(DriverError, match=wanted):
            api.call("cuInit", 0)
        with pytest.raises(DriverError, match="cuFuncGetParamInfo: CUDA_ERROR_NOT_FOUND"):
            api.call("cuFuncGetParamInfo", 1, 0)


def test_bindings_get_enumerations() -> None:
    class Attribute(int):
        pass

    def attribute(which: object, device: object) -> tuple[int, int]:
        assert isinstance(which, Attribute)
        return 0, int(which) + 1

    api = bindings_api(cuDeviceGetAttribute=attribute, CUdevice_attribute=Attribute)
    assert api.call("cuDeviceGetAttribute", 75, 0) == 76


@pytest.mark.parametrize("fields", [FIELDS, PIXELS], ids=["tiled", "im2col"])
def test_maps_are_encoded_the_same_way(fields: MapFields) -> None:
    """Both pass the same numbers, in the order of the driver."""
    plain: list[Any] = []

    def by_ctypes(space: Any, *arguments: Any) -> int:
        assert space.value % 64 == 0
        ctypes.memset(space.value, 7, 128)
        for each in arguments:
            is_list = isinstance(each, ctypes.Array)
            plain.append(list(each) if is_list else getattr(each, "value", each))
        return 0

    def by_bindings(*arguments: Any) -> tuple[int, Any]:
        assert [list(map(int, a)) if isinstance(a, list) else int(a) for a in arguments] == plain
        words = [int.from_bytes(bytes([7] * 8), "little")] * 16
        return 0, SimpleNamespace(opaque=words)

    names = ("DataType", "Interleave", "Swizzle", "L2promotion", "FloatOOBfill")
    types: dict[str, Any] = {f"CUtensorMap{name}": int for name in names}
    types |= {"cuuint32_t": int, "cuuint64_t": int}
    encoded = ctypes_api(**{fields.function: by_ctypes}).encode_map(fields)
    assert encoded == bytes([7] * 128)
    assert bindings_api(**{fields.function: by_bindings}, **types).encode_map(fields) == encoded
