"""Items that run a kernel once and compare what it computes."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from bench.pack.runner.device import Device, DeviceLost, view_of
from bench.pack.runner.driver import DriverError
from bench.pack.runner.formats import (
    Array,
    as_doubles,
    as_stored,
    bits_of_array,
    differs,
    is_float,
    storage_of,
)
from bench.pack.runner.memory import Filled, Pack, Placed, pattern_of
from bench.pack.runner.references import DERIVED

KEPT_BYTES = 12_000
"""Compressed bits of a wrong result that go into the results file."""

SHOWN, SHOWN_OUTCOMES = 4, 32


@contextmanager
def arrays_on(
    device: Device, pack: Pack, item: dict[str, Any], seed: int
) -> Generator[tuple[list[Placed], list[Filled | None], list[tuple[int, int]]]]:
    """The arrays of an item on a device, their fillings, and the address and bytes of regions."""
    regions: list[tuple[int, int]] = []
    filled = filled_with(item, np.random.default_rng(seed))
    fillings = {a["region"]: f for a, f in zip(item["arrays"], filled, strict=True) if f}
    try:
        for number, region in enumerate(item["regions"]):
            size = region["bytes"]
            regions.append((device.allocate(size), size))
            if "data" in region:
                device.upload(regions[-1][0], pack.stored(region["data"]).view(np.uint8))
            elif number in fillings:
                _repeat(device, regions[-1][0], fillings[number].pattern, size)
        placed: list[Placed] = []
        for array in item["arrays"]:
            address = regions[array["region"]][0] + array["offset"]
            shape, strides = tuple(array["shape"]), tuple(array["strides"])
            placed.append(Placed(address, array["dtype"], shape, strides))
        yield placed, filled, regions
    finally:
        release(device, [address for address, _ in regions])


def filled_with(item: dict[str, Any], random: np.random.Generator) -> list[Filled | None]:
    """What arrays are filled with, first those that others are derived from."""
    fills = [region.get("fill") for region in item["regions"]]
    patterns = [fill and pattern_of(fill, random) for fill in fills]

    def filled() -> list[Filled | None]:
        found: list[Filled | None] = []
        for array in item["arrays"]:
            pattern, shape = patterns[array["region"]], tuple(array["shape"])
            found.append(None if pattern is None else Filled(pattern, array["dtype"], shape))
        return found

    for number, fill in enumerate(fills):
        if fill and "derived" in fill:
            values = DERIVED[fill["derived"]](filled(), item["settings"])
            patterns[number] = as_stored(values, fill["dtype"])
    return filled()


def _repeat(device: Device, address: int, pattern: Array, size: int) -> None:
    """Fills memory with a pattern: the host sends it once, copies on the device do the rest."""
    if not pattern.any():
        device.fill(address, 0, size)
        return
    done = min(pattern.nbytes, size)
    device.upload(address, pattern.view(np.uint8)[:done])
    while done < size:
        device.copy(address + done, address, min(done, size - done))
        done += min(done, size - done)


def release(device: Device, addresses: Sequence[int]) -> None:
    """Gives memory back, unless a fault has taken the device with it."""
    try:
        for address in addresses:
            device.free(address)
    except DriverError:
        # The context is lost: what ended the item says why.
        return


def run_launch(device: Device, pack: Pack, item: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Runs the kernel of an item, and compares its outputs."""
    with arrays_on(device, pack, item, 0) as (placed, _, regions):
        device.prepare(item["launch"], placed)()
        device.wait(timeout)
        if not device.computes:
            return {"status": "dry"}
        copies: dict[int, Array] = {}
        found: list[dict[str, Any]] = []
        for output in item["outputs"]:
            array = item["arrays"][output["array"]]
            region = array["region"]
            if region not in copies:
                copies[region] = np.zeros(regions[region][1], np.uint8)
                device.download(regions[region][0], copies[region])
            got = view_of(placed[output["array"]], copies[region], regions[region][0])
            found += _difference(pack, output, array["dtype"], np.ascontiguousarray(got))
    if not found:
        return {"status": "right"}
    near = all(each["near"] for each in found)
    return {"status": "near" if near else "wrong", "outputs": found}


def _difference(pack: Pack, output: dict[str, Any], dtype: str, got: Array) -> list[dict[str, Any]]:
    """How an output differs from what is expected, if it does."""
    expected = pack.stored(output["expected"]).view(storage_of(dtype)).reshape(got.shape)
    error = output["error"]
    if isinstance(error, str):
        error = pack.stored(error).view(np.float32).reshape(got.shape)
    wrong = differs(got, expected, dtype, error)
    if not wrong.any():
        return []
    places = np.argwhere(wrong)[:SHOWN]
    bits, wanted = bits_of_array(got), bits_of_array(expected)
    shown = [
        {
            "at": [int(i) for i in place],
            "got": hex(int(bits[tuple(place)])),
            "expected": hex(int(wanted[tuple(place)])),
        }
        for place in places
    ]
    packed = zlib.compress(np.ascontiguousarray(got).tobytes())
    kept = base64.b64encode(packed).decode() if len(packed) <= KEPT_BYTES else None
    found = {
        "array": output["array"],
        "dtype": dtype,
        "wrong": int(wrong.sum()),
        "of": int(wrong.size),
        "first": shown,
        "bits": kept,
        **_distance(as_doubles(got, dtype), as_doubles(expected, dtype)),
    }
    allowed = output.get("allowed", 0.0)
    measure = found["worst_ulps"] = _worst_ulps(got, expected, dtype)
    if "magnitude" in output:
        size = as_doubles(pack.stored(output["magnitude"]).view(storage_of(dtype)), dtype)
        measure = _worst(got, expected, dtype, size.reshape(got.shape))
        found["worst_of_magnitude"] = measure
    found["near"] = found["special"] == 0 and measure <= allowed
    return [found]


def _distance(got: Array, expected: Array) -> dict[str, Any]:
    both = np.isfinite(got) & np.isfinite(expected)
    with np.errstate(all="ignore"):
        off = np.abs(got - expected)[both]
        relative = off / np.maximum(np.abs(expected[both]), 1e-300)
    return {
        "worst": float(off.max(initial=0)),
        "worst_relative": float(relative.max(initial=0)),
        "special": int((np.isfinite(got) != np.isfinite(expected)).sum()),
    }


def _worst_ulps(got: Array, expected: Array, dtype: str) -> float:
    """How many numbers of the format lie between a result and what is expected, at most."""
    if not is_float(dtype):
        return float(np.abs(as_doubles(got, dtype) - as_doubles(expected, dtype)).max(initial=0))
    a, b = (_ordered(each) for each in (got, expected))
    finite = np.isfinite(as_doubles(got, dtype)) & np.isfinite(as_doubles(expected, dtype))
    return float(np.abs(a - b)[finite].max(initial=0))


def _ordered(values: Array) -> Array:
    """Floats as doubles that are one apart for neighbours; approximate for 64 bits."""
    bits = bits_of_array(values)
    sign = bits >> (8 * bits.itemsize - 1) != 0
    size = (bits & ~np.array(1 << (8 * bits.itemsize - 1), bits.dtype)).astype(np.float64)
    return np.where(sign, -size, size)


def _worst(got: Array, expected: Array, dtype: str, size: Array) -> float:
    """The largest error in parts of the sum of the magnitudes of what is added."""
    a, b = as_doubles(got, dtype), as_doubles(expected, dtype)
    usable = np.isfinite(a) & np.isfinite(b) & np.isfinite(size) & (size > 0)
    return float((np.abs(a - b)[usable] / size[usable]).max(initial=0))


ANSWERS = {
    "right": "runs as expected",
    "near": "runs, with other results",
    "wrong": "runs, with other results",
    "dry": "accepted",
}


def run_fact(device: Device, pack: Pack, item: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Asks the driver whether it launches a kernel, and what then runs; any answer is an answer."""
    try:
        result = run_launch(device, pack, item, timeout)
    except DriverError as error:
        return {"status": "answered", "answer": f"refused: {error}"}
    except DeviceLost as lost:
        raise DeviceLost("answered", f"{lost.status}: {lost}") from lost
    return {**result, "status": "answered", "answer": ANSWERS[result["status"]]}


def run_reading(
    device: Device,
    pack: Pack,
    item: dict[str, Any],
    timeout: float,
    without: frozenset[str],
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Runs one op by both compilers, and records the bits of each; nothing they do is wrong.

    `report` gets the name of a compiler before its kernel runs; those of `without` have failed.
    """
    found: dict[str, list[str]] = {}
    refused: dict[str, str] = {}
    for who, launch in item["launches"].items():
        if who in without:
            continue
        report(who)
        try:
            found[who] = _read(device, pack, item, launch, timeout)
        except DriverError as error:
            refused[who] = str(error)
    status = "answered" if device.computes and found else "refused" if refused else "dry"
    result: dict[str, Any] = {"status": status, "bits": found, "questions": item["questions"]}
    if refused:
        result["detail"] = "; ".join(f"{who}: {why}" for who, why in refused.items())
    if len(found) < 2:
        return {**result, "answer": f"by {', '.join(found) or 'none'} alone"}
    differing = sum(a != b for a, b in zip(*found.values(), strict=True))
    answer = f"differ in {differing} of {len(item['questions'])}" if differing else "same"
    return {**result, "answer": answer}


def _read(
    device: Device, pack: Pack, item: dict[str, Any], launch: dict[str, Any], timeout: float
) -> list[str]:
    """The bits of the output after a launch, in hexadecimal."""
    with arrays_on(device, pack, item, 0) as (placed, _, regions):
        device.prepare(launch, placed)()
        device.wait(timeout)
        output = item["output"]
        address, size = regions[item["arrays"][output]["region"]]
        data = np.zeros(size, np.uint8)
        device.download(address, data)
        return [hex(int(bits)) for bits in bits_of_array(view_of(placed[output], data, address))]


# Litmus tests.

FEW_ROUNDS = 4
"""Repetitions where no GPU runs them."""


def run_litmus(device: Device, pack: Pack, item: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Repeats a litmus test, and counts its outcomes, and those that the memory model forbids."""
    groups, rounds = (item["groups"], item["rounds"]) if device.has_clock else (1, FEW_ROUNDS)
    count, names = groups * rounds, item["names"]
    sizes = (item["bytes"] * count, 4 * len(names) * count, 4 * item["counters"] * count)
    addresses = [device.allocate(size) for size in sizes]
    try:
        for address, size in zip(addresses, sizes, strict=True):
            device.fill(address, 0, size)
        placed = [
            Placed(address, "uint32", (size // 4,), (4,))
            for address, size in zip(addresses, sizes, strict=True)
        ]
        arguments = [*({"array": i} for i in range(3)), number_argument(rounds)]
        grid = [groups * item["launch"]["grid"][0], 1, 1]
        device.prepare({**item["launch"], "grid": grid, "arguments": arguments}, placed)()
        device.wait(timeout)
        results = np.zeros((count, len(names)), np.uint32)
        device.download(addresses[1], results)
        if item["words"]:
            memory = np.zeros((count, item["bytes"] // 4), np.uint32)
            device.download(addresses[0], memory)
            for name, offset in item["words"].items():
                results[:, names.index(name)] = memory[:, offset // 4]
    finally:
        release(device, addresses)
    if not device.computes:
        return {"status": "dry"}
    return _counted(item, results)


def number_argument(value: int) -> dict[str, Any]:
    """A number of 32 bits as launches have it."""
    return {"bytes": value.to_bytes(4, "little").hex(), "dtype": "uint32"}


def _counted(item: dict[str, Any], results: Array) -> dict[str, Any]:
    # A number for each outcome: rows themselves take ten times as long to sort.
    codes = np.zeros(len(results), np.int64)
    for column in results.T:
        values, places = np.unique(column, return_inverse=True)
        codes = codes * len(values) + places
    _, rows, counts = np.unique(codes, return_index=True, return_counts=True)
    outcomes = results[rows]
    seen = {tuple(map(int, o)): int(n) for o, n in zip(outcomes, counts, strict=True)}
    allowed = {tuple(each) for each in item["allowed"]}
    forbidden = sum(n for outcome, n in seen.items() if outcome not in allowed)
    shown = sorted(seen.items(), key=lambda each: (each[0] in allowed, -each[1]))[:SHOWN_OUTCOMES]
    return {
        "status": "wrong" if forbidden else "right",
        "repetitions": len(results),
        "forbidden": forbidden,
        "names": item["names"],
        "outcomes": [[*outcome, n] for outcome, n in shown],
        "not_seen": len(allowed - seen.keys()),
    }


# Approximations: the error against doubles, over all floats.


def _reciprocal(x: Array) -> Array:
    return 1 / x


def _reciprocal_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


EXACT: dict[str, Callable[[Array], Array]] = {
    "ex2": np.exp2,
    "tanh": np.tanh,
    "rcp": _reciprocal,
    "rsqrt": _reciprocal_root,
    "sqrt": np.sqrt,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
}

SMALLEST_NORMAL = 2.0**-126
SLICE_POINTS = 1 << 12


def run_approximation(
    device: Device, pack: Pack, item: dict[str, Any], timeout: float
) -> dict[str, Any]:
    """The largest errors of an approximation on floats that are spread over all bit patterns."""
    points = item["points"] if device.has_clock else SLICE_POINTS
    step = (1 << 32) // points
    bits = (np.arange(points, dtype=np.uint64) * step + step // 3).astype(np.uint32)
    inputs, outputs = device.allocate(4 * points), device.allocate(4 * points)
    try:
        device.upload(inputs, bits)
        placed = [Placed(at, "float32", (points,), (4,)) for at in (inputs, outputs)]
        launch = {**item["launch"], "grid": [points // item["launch"]["block"][0], 1, 1]}
        device.prepare(launch, placed)()
        device.wait(timeout)
        got = np.zeros(points, np.float32)
        device.download(outputs, got)
    finally:
        release(device, [inputs, outputs])
    if not device.computes:
        return {"status": "dry"}
    ranges = [_range_error(item["function"], bits.view(np.float32), got, r) for r in item["ranges"]]
    within = all(each["error"] <= each["bound"] for each in ranges)
    return {"status": "right" if within else "wrong", "points": points, "ranges": ranges}


def _range_error(function: str, x: Array, got: Array, limits: dict[str, Any]) -> dict[str, Any]:
    """The largest error on inputs from `low` to `high`, as `measure` says."""
    with np.errstate(all="ignore"):
        exact = EXACT[function](x.astype(np.float64))
        inside = (np.abs(x) >= SMALLEST_NORMAL) & (x >= limits["low"]) & (x <= limits["high"])
        largest = float(np.finfo(np.float32).max)
        inside &= (np.abs(exact) >= SMALLEST_NORMAL) & (np.abs(exact) < largest)
        off = np.abs(got.astype(np.float64) - exact)[inside]
        size = np.abs(exact[inside])
        scale = {
            "absolute": np.ones_like(size),
            "relative": size,
            "ulp": 2.0 ** (np.floor(np.log2(size)) - 23),
        }[limits["measure"]]
        errors = off / scale
    rounded = int((got[inside] == exact[inside].astype(np.float32)).sum())
    worst = int(np.argmax(errors)) if errors.size else 0
    return {
        **limits,
        "tested": int(inside.sum()),
        "error": float("inf") if np.isnan(errors).any() else float(errors.max(initial=0)),
        "at": float(x[inside][worst]) if errors.size else 0.0,
        "correctly_rounded": rounded,
    }
