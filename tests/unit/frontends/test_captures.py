"""Variables that kernels read: a change is named by its variable, and anything else is silent."""

import linecache
import sys
import time
from collections.abc import Generator
from types import ModuleType
from typing import Any, cast

import pytest

from tileir_xdsl.frontends.captures import Captures

BEFORE = """
import enum
import functools
import math
from dataclasses import dataclass

import numpy as np
import settings_of_captures as settings

SCALE, SIZES, NESTED, TABLE = 2.0, [8, 16], (1, [2]), {"tile": 8, "other": 1}
FLAGS, WEIGHTS, WIDTH, ZERO = {1, 2}, np.arange(4.0), np.float32(2), 0.0
DTYPE = np.float32

class Config:
    TILE = 8
    other = 1

    def __init__(self):
        self.size = 4

    def area(self):
        return self.size * self.size

    @classmethod
    def make(cls):
        return cls.TILE

    @property
    def half(self):
        return self.size / 2

class Mode(enum.Enum):
    A = 1
    B = 2

@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2

CONFIG, POINT, MODE = Config(), Point(1), Mode.A

def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper

def inner(x):
    return x * SCALE

def outer(x, by=3, *, shift=1):
    return inner(x) * by + shift

@traced
def decorated(x):
    return x + 1

ACTIONS = {"add": outer}

def even(x):
    return odd(x - 1) if x else True

def odd(x):
    return even(x - 1) if x else False

def factory(width):
    def change(value):
        nonlocal width
        width = value
    def scaled(x):
        return x * width
    return scaled, change

closed, change_width = factory(2)
"""

CHANGES = [
    # What the kernel returns, what happens then, and which variable is named.
    ("x * SCALE", "SCALE = 3.0", "'SCALE', which kernel reads, has changed from 2.0 to 3.0"),
    ("x * SCALE", "SCALE = 2", "'SCALE', which kernel reads, has changed from 2.0 to 2"),
    ("x * ZERO", "ZERO = -0.0", "'ZERO', which"),
    ("x * SCALE", "del SCALE", "'SCALE', which kernel reads, has vanished"),
    ("x * SCALE", "SCALE = ZERO", "has changed from 2.0 to 0.0"),
    ("sum(SIZES)", "SIZES.append(1)", "'SIZES', which kernel reads, has changed inside to [8, 1"),
    ("SIZES[1]", "SIZES[1] = 4", "'SIZES[1]', which"),
    ("SIZES[1]", "SIZES = [8, 4]", "'SIZES[1]', which kernel reads, has changed from 16 to 4"),
    ("NESTED", "NESTED[1].append(3)", "'NESTED', which kernel reads, has changed inside"),
    ("TABLE['tile']", "TABLE['tile'] = 4", "'TABLE[\"tile\"]', which"),
    ("TABLE[x]", "TABLE['new'] = 4", "'TABLE', which"),
    ("TABLE.get('tile')", "TABLE['tile'] = 4", "'TABLE', which"),
    ("x in FLAGS", "FLAGS.add(3)", "'FLAGS', which"),
    ("WEIGHTS[x]", "WEIGHTS[1] = 7", "'WEIGHTS', which"),
    ("WEIGHTS.shape", "WEIGHTS = np.arange(5)", "'WEIGHTS.shape', which"),
    ("x * WIDTH", "WIDTH = np.float32(3)", "'WIDTH', which"),
    ("x.astype(DTYPE)", "DTYPE = np.float16", "'DTYPE', which"),
    ("settings.TILE", "settings.TILE = 4", "'settings.TILE', which kernel reads, has changed fro"),
    ("(m := settings) and m.TILE", "settings.TILE = 4", "'settings.TILE', which"),
    ("getattr(settings, 'TILE')", "settings.TILE = 4", "'settings.TILE', which"),
    ("settings.sub.DEPTH", "settings.sub.DEPTH = 4", "'settings.sub.DEPTH', which"),
    ("math.pi * x", "math.pi = 3", "'math.pi', which"),
    ("Config.TILE", "Config.TILE = 4", "'Config.TILE', which"),
    ("Config.make()", "Config.TILE = 4", "'Config', which"),
    ("CONFIG.TILE", "Config.TILE = 4", "'CONFIG.TILE', which"),
    ("CONFIG.size", "CONFIG.size = 5", "'CONFIG.size', which"),
    ("CONFIG.area()", "CONFIG.size = 5", "'CONFIG', which"),
    ("CONFIG.half", "CONFIG.size = 5", "'CONFIG.half', which"),
    ("CONFIG.area()", "Config.area = lambda self: 1", "'CONFIG', which"),
    ("Mode(x)", "class Mode(enum.Enum): A = 2", "'Mode', which"),
    ("Mode.A.value", "class Mode(enum.Enum): A = 2", "'Mode.A', which"),
    ("MODE is Mode.B", "MODE = Mode.B", "'MODE', which"),
    ("POINT.x", "POINT = Point(2)", "'POINT.x', which"),
    ("Point(1).y", "@dataclass(frozen=True)\nclass Point:\n  x: int\n  y: int = 3", "'Point', w"),
    ("inner(x)", "def inner(x): return x + SCALE", "'inner', which kernel reads, has changed sin"),
    ("inner(x)", "SCALE = 3.0", "'SCALE', which inner in kernel reads, has changed from 2.0 to"),
    ("outer(x)", "def inner(x): return x", "'inner', which outer in kernel reads, has"),
    ("outer(x)", "SCALE = 3.0", "'SCALE', which inner in kernel reads"),
    ("outer(x)", "outer.__defaults__ = (4,)", "the default arguments of 'outer'"),
    ("outer(x)", "outer.__kwdefaults__ = {'shift': 2}", "the default keyword arguments of 'outer'"),
    ("outer(x)", "outer.__kwdefaults__['shift'] = 2", "the default keyword arguments of 'outer'"),
    ("outer(x)", "outer.__code__ = inner.__code__", "'outer', which"),
    ("decorated(x)", "@traced\ndef decorated(x): return x + 2", "'decorated', which"),
    ("ACTIONS['add'](x)", "SCALE = 3.0", "'SCALE', which inner in kernel reads"),
    ("ACTIONS[x](x)", "ACTIONS['add'] = inner", "'ACTIONS', which"),
    ("[inner(i) * SCALE for i in x]", "SCALE = 3.0", "'SCALE', which kernel reads"),
    ("(lambda y: y * SCALE)(x)", "SCALE = 3.0", "'SCALE', which kernel reads"),
    ("even(x)", "def odd(x): return x", "'odd', which even in kernel reads"),
    ("max(x, 1)", "max = min", "'max', which"),
    ("closed(x)", "change_width(3)", "'width', which scaled in kernel reads, has changed from 2"),
]

UNCHANGED = [
    ("x * SCALE", "SCALE = 4.0 / 2"),
    ("x * SCALE * float('nan')", "OTHER = 1"),
    ("TABLE['tile']", "TABLE['other'] = 4"),
    ("SIZES", "SIZES = [8, 16]"),
    ("WEIGHTS", "WEIGHTS = np.arange(4.0)"),
    ("Config.TILE", "Config.other = 4"),
    ("CONFIG.half", "CONFIG.other = 4"),
    ("settings.TILE", "settings.other = 4"),
    ("outer(x) + decorated(x) + even(x) + Config.make() + Point(1).y + CONFIG.area()", BEFORE),
    ("ACTIONS[x](x) * closed(x)", BEFORE),
    ("inner(x)", "\n\n\ndef inner(x):\n    # Moved.\n    return x * SCALE"),
    ("(lambda SCALE: SCALE)(x)", "SCALE = 3.0"),
]


@pytest.fixture
def space() -> Generator[dict[str, Any]]:
    """The namespace of a module of the user, with a module of settings that it imports."""
    name = "settings_of_captures"
    settings: Any = ModuleType(name)
    settings.TILE, settings.other, sub = 8, 1, cast(Any, ModuleType(f"{name}.sub"))
    sub.DEPTH, settings.sub = 2, sub
    sys.modules[name] = settings
    module: Any = ModuleType("module_of_captures")
    sys.modules["module_of_captures"] = module
    exec(BEFORE, module.__dict__)
    pi = module.math.pi
    yield module.__dict__
    module.math.pi = pi
    del sys.modules[name], sys.modules["module_of_captures"]


def captures(space: dict[str, Any], expression: str) -> Captures:
    text = f"def kernel(x):\n    return {expression}\n"
    linecache.cache["kernel.py"] = (len(text), None, text.splitlines(True), "kernel.py")
    exec(compile(text, "kernel.py", "exec"), space)
    return Captures(space["kernel"])


@pytest.mark.parametrize(("expression", "change", "message"), CHANGES)
def test_changed(space: dict[str, Any], expression: str, change: str, message: str):
    found = captures(space, expression)
    assert found.change() is None
    exec(change, space)
    changed = found.change()
    assert changed is not None and message in changed.message
    # It stays changed.
    assert found.change() == changed


@pytest.mark.parametrize(("expression", "change"), UNCHANGED)
def test_unchanged(space: dict[str, Any], expression: str, change: str):
    found = captures(space, expression)
    exec(change, space)
    assert found.change() is None
    # What took the place of equal objects is observed from then on.
    assert all(read.is_as_before() for read in found._reads.values())  # pyright: ignore


def test_place_of_a_read(space: dict[str, Any]):
    found = captures(space, "x + 1 * SCALE")
    space["SCALE"] = 5
    changed = found.change()
    assert changed is not None and changed.location == "kernel.py:2:20"


def test_restored(space: dict[str, Any]):
    """A value that is as it was again is not a change."""
    found = captures(space, "x * SCALE + SIZES[0]")
    space["SCALE"] = 3.0
    assert found.change() is not None
    space["SCALE"] = 2.0
    assert found.change() is None


def test_unchanged_variables_cost_little(space: dict[str, Any]):
    """A launch compares twenty variables in microseconds, next to its hundreds."""
    expression = " + ".join(f"V{number}" for number in range(20))
    space |= {f"V{number}": float(number) for number in range(20)}
    found = captures(space, expression)
    times: list[float] = []
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(10):
            found.change()
        times.append((time.perf_counter() - start) / 10)
    assert min(times) < 50e-6
