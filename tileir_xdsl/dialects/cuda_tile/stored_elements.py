"""Converts the bytes of constants to NumPy arrays; NumPy is imported only for this."""

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS, decode

NUMPY_DTYPES: dict[str, np.dtype[np.generic]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "tf32": np.dtype(np.float32),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
    "f4E2M1FN": np.dtype(ml_dtypes.float4_e2m1fn),
    "fnv8E5M3FNU": np.dtype(np.float32),
}
"""The numpy type that holds an element type; tf32 and fnv8E5M3FNU are held in float32."""

E5M3_NUMBERS = np.array([decode(code, FORMATS["fnv8E5M3FNU"]) for code in range(256)], np.float32)
"""The number that each fnv8E5M3FNU bit pattern encodes, in ascending order; NaN is last."""


def elements_of(name: str, data: bytes) -> npt.NDArray[np.generic]:
    """Decodes little-endian bytes as elements of the type `name`; i1 becomes bool."""
    if name == "tf32":
        triples = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.uint32)
        bits = triples @ np.array([1, 1 << 8, 1 << 16], np.uint32)
        return (bits << np.uint32(13)).view(np.float32)
    if name == "fnv8E5M3FNU":
        return E5M3_NUMBERS[np.frombuffer(data, np.uint8)]
    if name == "i1":
        return np.frombuffer(data, np.uint8) != 0
    return np.frombuffer(data, NUMPY_DTYPES[name])
