"""The shape of a launch: grid, blocks, clusters and shared memory, checked against the kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.registers import Extent, Geometry
from tileir_xdsl.emulator.syntax import Kernel

_MAX_THREADS = 1024
_MAX_SHARED = 232_448
_MAX_LOCAL = 512 << 10
_MAX_CLUSTER = 16
_MAX_GRID = (2**31 - 1, 65_535, 65_535)


@dataclass(frozen=True)
class BlockNeeds:
    """Resources of a block: threads, registers per thread, bytes of shared memory.

    The number of registers is that of `.maxnreg`, or the most that hold values at once.
    """

    threads: int
    registers: int
    shared: int


@dataclass(frozen=True)
class LaunchShape:
    """The shape of a launch; None stands for the value that the kernel requires."""

    grid: Sequence[int]
    block: Sequence[int] | None = None
    cluster: Sequence[int] | None = None
    dynamic_shared: int = 0

    def geometry(self, kernel: Kernel) -> Geometry:
        """The geometry of a launch, with no resident blocks yet.

        Raises `EmulatorError` for a shape that the kernel or the hardware does not allow.
        """
        grid, block = _extent(self.grid, "grid"), _block_extent(kernel, self.block)
        cluster = _cluster_extent(kernel, self.cluster)
        if "blocksareclusters" in kernel.directives:
            grid = _blocks_of_clusters(kernel, grid, cluster)
        _check_grid(grid)
        _check_whole_clusters(grid, cluster)
        most = kernel.shared_size + self.dynamic_shared
        if self.dynamic_shared < 0 or most > _MAX_SHARED:
            raise EmulatorError(
                f"a block has at least 0 bytes of dynamic shared memory and at most {_MAX_SHARED} "
                "bytes of "
                f"shared memory, not {self.dynamic_shared} and {most}"
            )
        external = [v.offset for v in kernel.variables.values() if v.external]
        shared = max([kernel.shared_size, *external]) + self.dynamic_shared
        none = np.zeros((0, 3), np.int64)
        return Geometry(grid, block, none, self.dynamic_shared, shared, cluster)

    def check_self_contained(self, kernel: Kernel) -> None:
        """Raises `EmulatorError` for a kernel that needs more than a launch with a block of
        1x1x1.
        """
        _check_self_contained(kernel, self.block, self.cluster, self.dynamic_shared)


def _extent(extents: Sequence[int], what: str) -> Extent:
    if not 1 <= len(extents) <= 3 or any(extent < 0 for extent in extents):
        raise EmulatorError(
            f"a {what} must have one to three extents, none negative, not {tuple(extents)}"
        )
    x, y, z = (*extents, 1, 1)[:3]
    return int(x), int(y), int(z)


def _block_extent(kernel: Kernel, block: Sequence[int] | None) -> Extent:
    required = kernel.reqntid
    extent = required if block is None else _extent(block, "block")
    if extent is None:
        raise EmulatorError(
            f"kernel '{kernel.name}' has no .reqntid: set the shape of a block, "
            "by block= or by --block X,Y,Z of tileir emulate"
        )
    if required is not None and extent != required:
        raise EmulatorError(
            f"kernel '{kernel.name}' requires blocks of {required} threads, not {extent}"
        )
    threads = math.prod(extent)
    limit = min(_MAX_THREADS, math.prod(kernel.directives.get("maxntid", (_MAX_THREADS,))))
    if not 1 <= threads <= limit:
        raise EmulatorError(
            f"a block of kernel '{kernel.name}' has 1 to {limit} threads, not {threads}"
        )
    return extent


def _check_self_contained(
    kernel: Kernel,
    block: Sequence[int] | None,
    cluster: Sequence[int] | None,
    dynamic_shared: int,
) -> None:
    """Raises `EmulatorError` for a kernel that needs more than a launch with a block of 1x1x1."""
    if block is not None or cluster is not None or dynamic_shared:
        raise EmulatorError(
            "a self-contained launch cannot set a block or cluster shape, or dynamic shared memory"
        )
    needed = ("reqntid", "reqnctapercluster", "blocksareclusters")
    missing = [f".{directive}" for directive in needed if directive not in kernel.directives]
    if missing:
        raise EmulatorError(
            f"kernel '{kernel.name}' has no {', '.join(missing)}, "
            "which a launch with a block of 1x1x1 needs",
            line=kernel.line,
        )
    external = [name for name, variable in kernel.variables.items() if variable.external]
    if external:
        raise EmulatorError(
            f"kernel '{kernel.name}' is launched without dynamic shared memory, "
            f"which its variable '{external[0]}' needs",
            line=kernel.line,
        )


def _cluster_extent(kernel: Kernel, cluster: Sequence[int] | None) -> Extent | None:
    """The shape of a cluster; `None` for a launch without clusters."""
    required = kernel.directives.get("reqnctapercluster")
    extent = None if required is None else _extent(required, "cluster")
    if cluster is not None:
        given = _extent(cluster, "cluster")
        if extent not in (None, given):
            raise EmulatorError(
                f"kernel '{kernel.name}' requires clusters of {extent} blocks, not {given}"
            )
        extent = given
    if extent is None:
        return None
    size = math.prod(extent)
    limit = min([_MAX_CLUSTER, *kernel.directives.get("maxclusterrank", ())])
    if not 1 <= size <= limit:
        raise EmulatorError(f"a cluster has 1 to {limit} blocks, not {size}")
    return extent


def _blocks_of_clusters(kernel: Kernel, grid: Extent, cluster: Extent | None) -> Extent:
    """The grid in blocks of a launch that counts clusters (PTX ISA, `.blocksareclusters`)."""
    if cluster is None or kernel.reqntid is None:
        raise EmulatorError(
            f"kernel '{kernel.name}' has .blocksareclusters, which needs .reqntid and "
            ".reqnctapercluster"
        )
    x, y, z = (extent * blocks for extent, blocks in zip(grid, cluster, strict=True))
    return x, y, z


def _check_grid(grid: Extent) -> None:
    if any(extent > most for extent, most in zip(grid, _MAX_GRID, strict=True)):
        raise EmulatorError(f"a grid has at most {_MAX_GRID} blocks, not {grid}")


def check_variables(kernel: Kernel) -> None:
    """Raises `EmulatorError` for more shared or local variables than a block or thread can have."""
    local = kernel.local_size
    for what, owner, size, most in (
        ("shared", "block", kernel.shared_size, _MAX_SHARED),
        ("local", "thread", local, _MAX_LOCAL),
    ):
        if size > most:
            raise EmulatorError(
                f"kernel '{kernel.name}' has {size} bytes of {what} variables, "
                f"more than the {most} bytes that a {owner} can have",
                line=kernel.line,
            )


def _check_whole_clusters(grid: Extent, cluster: Extent | None) -> None:
    if cluster is not None and any(g % c for g, c in zip(grid, cluster, strict=True)):
        raise EmulatorError(f"a grid of {grid} blocks cannot be divided into clusters of {cluster}")
