"""Scripts of different habits, each of which ends with an assertion about its arrays."""

from collections.abc import Mapping
from pathlib import Path

HEAD = """import cuda.tile as ct
import numpy as np

x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
"""
DOUBLE = """
@ct.kernel
def double(x, out, t: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (t,)) * 2)
"""
CHECK = "assert (out == 2 * x).all()\n"

HABITS: Mapping[str, str] = {
    "arguments": HEAD
    + DOUBLE
    + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--tile", type=int, default=16)
tile = parser.parse_args().tile
ct.launch(0, (64 // tile,), double, (x, out, tile))
"""
    + CHECK,
    "main": HEAD
    + DOUBLE
    + """
def main():
    ct.launch(0, (4,), double, (x, out, 16))
    assert (out == 2 * x).all()

if __name__ == "__main__":
    main()
""",
    "several_launches": HEAD
    + DOUBLE
    + """
ct.launch(0, (4,), double, (x, out, 16))
ct.launch(0, (8,), double, (x, out, 8))
"""
    + CHECK,
    "tuning_loop": HEAD
    + DOUBLE
    + """
times = {}
for occupancy in (1, 2):
    for tile in (16, 32):
        ct.launch(0, (64 // tile,), double.replace_hints(occupancy=occupancy), (x, out, tile))
"""
    + CHECK,
    "closure": HEAD
    + """
def scaled(by):
    @ct.kernel
    def double(x, out):
        ct.store(out, (0,), ct.load(x, (0,), (64,)) * by)
    return double

ct.launch(0, (1,), scaled(2), (x, out))
"""
    + CHECK,
    "helper_module": HEAD
    + """
from helper_of_habits import double
ct.launch(0, (4,), double, (x, out, 16))
"""
    + CHECK,
    "class": HEAD
    + """
class Doubler:
    @ct.kernel
    def double(x, out, t: ct.Constant[int]):
        ct.store(out, (ct.bid(0),), ct.load(x, (ct.bid(0),), (t,)) * 2)

    def __call__(self, x, out):
        ct.launch(0, (4,), self.double, (x, out, 16))

Doubler()(x, out)
"""
    + CHECK,
    "generator": HEAD
    + """
def kernels():
    for factor in (1, 2):
        @ct.kernel
        def times(x, out, by: ct.Constant[float]):
            ct.store(out, (0,), ct.load(x, (0,), (64,)) * by)
        yield factor, times

for factor, times in kernels():
    ct.launch(0, (1,), times, (x, out, float(factor)))
"""
    + CHECK,
    "name_imported": HEAD
    + DOUBLE
    + """
from cuda.tile import launch
launch(0, (4,), double, (x, out, 16))
"""
    + CHECK,
    "configuration": HEAD
    + """
from dataclasses import dataclass

@dataclass(frozen=True)
class Config:
    tile: int = 16

CONFIG = Config()

@ct.kernel
def double(x, out):
    ct.store(out, (ct.bid(0),), ct.load(x, (ct.bid(0),), (CONFIG.tile,)) * 2)

ct.launch(0, (4,), double, (x, out))
"""
    + CHECK,
    "partial": HEAD
    + DOUBLE.replace("@ct.kernel", "")
    + """
from functools import partial
kernel = partial(ct.kernel, occupancy=2)(double)
partial(ct.launch, 0, (4,), kernel)((x, out, 16))
"""
    + CHECK,
    "decorator": HEAD
    + """
from functools import wraps

def launched(kernel):
    @wraps(kernel)
    def launch(grid, *arguments):
        ct.launch(0, grid, kernel, arguments)
    return launch

@launched"""
    + DOUBLE
    + """
double((4,), x, out, 16)
"""
    + CHECK,
    "context_manager": HEAD
    + DOUBLE
    + """
from contextlib import contextmanager

@contextmanager
def doubled():
    ct.launch(0, (4,), double, (x, out, 16))
    yield out

with doubled():
    assert (out == 2 * x).all()
""",
    "asyncio": HEAD
    + DOUBLE
    + """
import asyncio

async def half(i):
    await asyncio.sleep(0)
    ct.launch(0, (2,), double, (x[i:i + 32], out[i:i + 32], 16))

async def main():
    await asyncio.gather(half(0), half(32))
    await asyncio.to_thread(ct.launch, 0, (4,), double, (x, out, 16))

asyncio.run(main())
"""
    + CHECK,
    "thread_pool": HEAD
    + DOUBLE
    + """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda _: ct.launch(0, (4,), double, (x, out, 16)), range(4)))
"""
    + CHECK,
    "threads": HEAD
    + DOUBLE
    + """
from threading import Thread
halves = [Thread(target=ct.launch, args=(0, (2,), double, (x[i:i + 32], out[i:i + 32], 16)))
          for i in (0, 32)]
for half in halves: half.start()
for half in halves: half.join()
"""
    + CHECK,
}
"""By habit."""

POOL = (
    HEAD
    + DOUBLE
    + """
import multiprocessing

def doubled(way):
    ct.launch(0, (4,), double, (x, out, 16))
    return out

if __name__ == "__main__":
    for way in ("fork", "spawn"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            assert (pool.map(doubled, [way])[0] == 2 * x).all()
"""
)
"""A script whose launches are those of processes."""

PACKAGE: Mapping[str, str] = {
    "package/__init__.py": "",
    "package/factor.py": "FACTOR = 2\n",
    "package/kernels.py": "import cuda.tile as ct\nfrom .factor import FACTOR\n"
    + DOUBLE.replace("* 2", "* FACTOR"),
    "package/run.py": HEAD
    + "from .kernels import double\nct.launch(0, (4,), double, (x, out, 16))\n"
    + CHECK,
    "folder/__main__.py": HEAD + DOUBLE + "ct.launch(0, (4,), double, (x, out, 16))\n" + CHECK,
    "test_k.py": HEAD
    + DOUBLE
    + "def test_k():\n    ct.launch(0, (4,), double, (x, out, 16))\n    "
    + CHECK,
    "pool.py": POOL,
}
"""Files of a folder, by name: a package with relative imports, and what else Python runs."""

HELPER = "import cuda.tile as ct\n" + DOUBLE
"""The module `helper_of_habits`."""


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files by their names."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
