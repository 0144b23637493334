"""Dataclasses that are made on first use behave as those that Python makes at once."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, ClassVar

import pytest

import tileir_xdsl
from tests.unit.tools import REPOSITORY
from tileir_xdsl.lazy_dataclasses import dataclass, made_on_use

Decorator = Callable[..., Any]

BOTH = pytest.mark.parametrize("decorator", [dataclass, dataclasses.dataclass], ids=["on use", ""])


def point(decorator: Decorator, **options: Any) -> Any:
    """A class with two fields, one of which has a default."""

    @decorator(**options)
    class Point:
        x: int
        y: int = 2
        LIMIT: ClassVar[int] = 5

    return Point


@BOTH
def test_members(decorator: Decorator):
    made = point(decorator, frozen=True)
    assert repr(made(1)).endswith("Point(x=1, y=2)")
    made = point(decorator, frozen=True)
    assert [f.name for f in dataclasses.fields(made)] == ["x", "y"]
    made = point(decorator, frozen=True)
    assert made(1) == made(1, 2) != made(1, 3) and hash(made(1)) == hash(made(1, 2))
    assert dataclasses.replace(made(1), y=4) == made(1, 4)
    assert copy.deepcopy(made(3)) == made(3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made(1).x = 2
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        made()


@BOTH
def test_before_anything_else(decorator: Decorator):
    assert dataclasses.is_dataclass(point(decorator))
    assert point(decorator).__match_args__ == ("x", "y")
    assert point(decorator).y == 2 and point(decorator).LIMIT == 5
    match point(decorator)(1, 7):
        case point_ if point_.y == 7:
            pass
        case _:
            raise AssertionError


@BOTH
def test_hashes(decorator: Decorator):
    assert not issubclass(point(decorator), Hashable)
    with pytest.raises(TypeError, match="unhashable type"):
        hash(point(decorator)(1))
    assert hash(point(decorator, eq=False)(1)) is not None
    assert issubclass(point(decorator, unsafe_hash=True), Hashable)
    assert hash(point(decorator, unsafe_hash=True)(1)) == hash((1, 2))

    @decorator(frozen=True)
    class Own:
        x: int

        def __hash__(self) -> int:
            return 17

        def __repr__(self) -> str:
            return "own"

    assert hash(Own(1)) == 17 and repr(Own(1)) == "own"


@BOTH
def test_order(decorator: Decorator):
    made = point(decorator, order=True)
    assert sorted([made(2), made(1, 3), made(1)]) == [made(1), made(1, 3), made(2)]


@BOTH
def test_bases(decorator: Decorator):
    made = point(decorator, frozen=True)

    @decorator(frozen=True)
    class Derived(made):
        z: int = 3

    class Plain(point(decorator)):
        def __init__(self) -> None:
            super().__init__(8)

    assert dataclasses.astuple(Derived(1)) == (1, 2, 3)
    assert Derived(1) != made(1)
    assert Plain().x == 8 and Plain() == Plain()
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):
        decorator(type("Thawed", (made,), {"__annotations__": {"z": int}}))("a")


@BOTH
def test_what_field_returns(decorator: Decorator):
    @decorator
    class Listed:
        names: list[str] = dataclasses.field(default_factory=list)

    assert Listed().names == [] and Listed().names is not Listed().names
    assert not hasattr(Listed, "names")


@dataclass(frozen=True)
class Pickled:
    """At the top level, where pickle finds it."""

    x: int


def test_pickle():
    assert pickle.loads(pickle.dumps(Pickled(4))) == Pickled(4)


def test_within_and_after():
    with made_on_use():
        assert dataclasses.dataclass is dataclass
    assert dataclasses.dataclass is not dataclass


KERNELS = {
    "vector_add": "sm_80",
    "divisible/matmul_f16_warpgroup": "sm_90a",
    "softmax_f32": "sm_100a",
}


@pytest.mark.parametrize("kernel, gpu", KERNELS.items(), ids=lambda value: str(value))
def test_the_command_compiles_as_the_library_does(kernel: str, gpu: str, tmp_path: Path):
    source, target = REPOSITORY / "tests" / "kernels" / f"{kernel}.mlir", tmp_path / "out.ptx"
    program = "import sys; from tileir_xdsl.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = ["compile", str(source), "--gpu", gpu, "-o", str(target)]
    subprocess.run([sys.executable, "-c", program, *words], check=True)
    assert target.read_text() == tileir_xdsl.compile(source, gpu).text
