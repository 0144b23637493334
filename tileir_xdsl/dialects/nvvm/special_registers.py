"""Special registers: `nvvm.read.ptx.sreg.<register>`, named as upstream MLIR names them.

The PTX register is the op's name without its prefix, `nvvm.read.ptx.sreg.tid.x` reads `%tid.x`,
but for a dot where PTX has an underscore.
Source: PTX ISA, "Special Registers".
"""

import abc
import re

from xdsl.dialects.builtin import I32, I64, i32
from xdsl.ir import Attribute
from xdsl.irdl import opt_prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.llvm.attributes import ConstantRangeAttr
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requires
from tileir_xdsl.targets import Feature

PREFIX = "nvvm.read.ptx.sreg."

PTX_NAMES = {"warpsize": "WARP_SZ"}
"""Registers that PTX spells otherwise: the width of a warp is a constant there."""

_UNDERSCORED = re.compile(r"^(cluster|lanemask|globaltimer)\.")

_CLUSTER = Requires.feature(Feature.CLUSTERS)


class SpecialRegisterOp(NVVMOperation, abc.ABC):
    """Reads a special register: `nvvm.read.ptx.sreg.clock : i32`."""

    res = result_def(I32 | I64)

    def __init__(self, result_type: Attribute = i32):
        super().__init__(result_types=[result_type])

    @classmethod
    def register(cls) -> str:
        """The register's name in PTX, such as `%tid.x`."""
        name = cls.name.removeprefix(PREFIX)
        return PTX_NAMES.get(name) or "%" + _UNDERSCORED.sub(r"\1_", name)

    @classmethod
    def parse(cls, parser: Parser) -> "SpecialRegisterOp":
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class PureSpecialRegisterOp(SpecialRegisterOp, abc.ABC):
    """Reads a register that keeps its value while the thread runs."""

    traits = traits_def(Pure())


class RangedSpecialRegisterOp(PureSpecialRegisterOp, abc.ABC):
    """Reads a register whose range may be known: `... range <i32, 0, 128> : i32`."""

    range = opt_prop_def(ConstantRangeAttr)

    @classmethod
    def parse(cls, parser: Parser) -> "RangedSpecialRegisterOp":
        range = None
        if parser.parse_optional_keyword("range") is not None:
            range = ConstantRangeAttr.new(ConstantRangeAttr.parse_parameters(parser))
        op = super().parse(parser)
        assert isinstance(op, RangedSpecialRegisterOp)
        if range is not None:
            op.properties["range"] = range
        return op

    def print(self, printer: Printer) -> None:
        if self.range is not None:
            printer.print_string(" range ")
            self.range.print_parameters(printer)
        super().print(printer)


# Thread, block, grid and cluster indices and extents.


@irdl_op_definition
class ThreadIdXOp(RangedSpecialRegisterOp):
    """Index of the thread in its block, x."""

    name = "nvvm.read.ptx.sreg.tid.x"


@irdl_op_definition
class ThreadIdYOp(RangedSpecialRegisterOp):
    """Index of the thread in its block, y."""

    name = "nvvm.read.ptx.sreg.tid.y"


@irdl_op_definition
class ThreadIdZOp(RangedSpecialRegisterOp):
    """Index of the thread in its block, z."""

    name = "nvvm.read.ptx.sreg.tid.z"


@irdl_op_definition
class BlockDimXOp(RangedSpecialRegisterOp):
    """Threads of a block, x."""

    name = "nvvm.read.ptx.sreg.ntid.x"


@irdl_op_definition
class BlockDimYOp(RangedSpecialRegisterOp):
    """Threads of a block, y."""

    name = "nvvm.read.ptx.sreg.ntid.y"


@irdl_op_definition
class BlockDimZOp(RangedSpecialRegisterOp):
    """Threads of a block, z."""

    name = "nvvm.read.ptx.sreg.ntid.z"


@irdl_op_definition
class BlockIdXOp(RangedSpecialRegisterOp):
    """Index of the block in the grid, x."""

    name = "nvvm.read.ptx.sreg.ctaid.x"


@irdl_op_definition
class BlockIdYOp(RangedSpecialRegisterOp):
    """Index of the block in the grid, y."""

    name = "nvvm.read.ptx.sreg.ctaid.y"


@irdl_op_definition
class BlockIdZOp(RangedSpecialRegisterOp):
    """Index of the block in the grid, z."""

    name = "nvvm.read.ptx.sreg.ctaid.z"


@irdl_op_definition
class GridDimXOp(RangedSpecialRegisterOp):
    """Blocks of the grid, x."""

    name = "nvvm.read.ptx.sreg.nctaid.x"


@irdl_op_definition
class GridDimYOp(RangedSpecialRegisterOp):
    """Blocks of the grid, y."""

    name = "nvvm.read.ptx.sreg.nctaid.y"


@irdl_op_definition
class GridDimZOp(RangedSpecialRegisterOp):
    """Blocks of the grid, z."""

    name = "nvvm.read.ptx.sreg.nctaid.z"


@irdl_op_definition
class ClusterIdXOp(RangedSpecialRegisterOp):
    """Index of the cluster in the grid, x."""

    name = "nvvm.read.ptx.sreg.clusterid.x"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterIdYOp(RangedSpecialRegisterOp):
    """Index of the cluster in the grid, y."""

    name = "nvvm.read.ptx.sreg.clusterid.y"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterIdZOp(RangedSpecialRegisterOp):
    """Index of the cluster in the grid, z."""

    name = "nvvm.read.ptx.sreg.clusterid.z"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterDimXOp(RangedSpecialRegisterOp):
    """Clusters of the grid, x."""

    name = "nvvm.read.ptx.sreg.nclusterid.x"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterDimYOp(RangedSpecialRegisterOp):
    """Clusters of the grid, y."""

    name = "nvvm.read.ptx.sreg.nclusterid.y"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterDimZOp(RangedSpecialRegisterOp):
    """Clusters of the grid, z."""

    name = "nvvm.read.ptx.sreg.nclusterid.z"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class BlockInClusterIdXOp(RangedSpecialRegisterOp):
    """Index of the block in its cluster, x."""

    name = "nvvm.read.ptx.sreg.cluster.ctaid.x"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class BlockInClusterIdYOp(RangedSpecialRegisterOp):
    """Index of the block in its cluster, y."""

    name = "nvvm.read.ptx.sreg.cluster.ctaid.y"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class BlockInClusterIdZOp(RangedSpecialRegisterOp):
    """Index of the block in its cluster, z."""

    name = "nvvm.read.ptx.sreg.cluster.ctaid.z"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterDimBlocksXOp(RangedSpecialRegisterOp):
    """Blocks of a cluster, x."""

    name = "nvvm.read.ptx.sreg.cluster.nctaid.x"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterDimBlocksYOp(RangedSpecialRegisterOp):
    """Blocks of a cluster, y."""

    name = "nvvm.read.ptx.sreg.cluster.nctaid.y"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterDimBlocksZOp(RangedSpecialRegisterOp):
    """Blocks of a cluster, z."""

    name = "nvvm.read.ptx.sreg.cluster.nctaid.z"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterRankOp(RangedSpecialRegisterOp):
    """Rank of the block in its cluster."""

    name = "nvvm.read.ptx.sreg.cluster.ctarank"
    traits = traits_def(_CLUSTER)


@irdl_op_definition
class ClusterSizeOp(RangedSpecialRegisterOp):
    """Number of blocks in a cluster."""

    name = "nvvm.read.ptx.sreg.cluster.nctarank"
    traits = traits_def(_CLUSTER)


# Lanes, warps, multiprocessors.


@irdl_op_definition
class LaneIdOp(RangedSpecialRegisterOp):
    """Lane of the thread in its warp."""

    name = "nvvm.read.ptx.sreg.laneid"


@irdl_op_definition
class WarpSizeOp(RangedSpecialRegisterOp):
    """Lanes of a warp: 32."""

    name = "nvvm.read.ptx.sreg.warpsize"


@irdl_op_definition
class WarpIdOp(RangedSpecialRegisterOp):
    """Warp of the thread in its block; may change while the thread runs."""

    name = "nvvm.read.ptx.sreg.warpid"


@irdl_op_definition
class WarpDimOp(RangedSpecialRegisterOp):
    """Largest number of warps in a block."""

    name = "nvvm.read.ptx.sreg.nwarpid"


@irdl_op_definition
class SmIdOp(RangedSpecialRegisterOp):
    """Multiprocessor the thread runs on; may change while it runs."""

    name = "nvvm.read.ptx.sreg.smid"


@irdl_op_definition
class SmDimOp(RangedSpecialRegisterOp):
    """Largest number of multiprocessors."""

    name = "nvvm.read.ptx.sreg.nsmid"


@irdl_op_definition
class GridIdOp(RangedSpecialRegisterOp):
    """Identifier of the grid within its context."""

    name = "nvvm.read.ptx.sreg.gridid"


# Lane masks.


@irdl_op_definition
class LaneMaskEqOp(PureSpecialRegisterOp):
    """Mask of the own lane."""

    name = "nvvm.read.ptx.sreg.lanemask.eq"


@irdl_op_definition
class LaneMaskLeOp(PureSpecialRegisterOp):
    """Mask of the lanes up to the own."""

    name = "nvvm.read.ptx.sreg.lanemask.le"


@irdl_op_definition
class LaneMaskLtOp(PureSpecialRegisterOp):
    """Mask of the lanes below the own."""

    name = "nvvm.read.ptx.sreg.lanemask.lt"


@irdl_op_definition
class LaneMaskGeOp(PureSpecialRegisterOp):
    """Mask of the lanes from the own up."""

    name = "nvvm.read.ptx.sreg.lanemask.ge"


@irdl_op_definition
class LaneMaskGtOp(PureSpecialRegisterOp):
    """Mask of the lanes above the own."""

    name = "nvvm.read.ptx.sreg.lanemask.gt"


# Clocks: two reads may differ, so these are not pure.


@irdl_op_definition
class ClockOp(SpecialRegisterOp):
    """Cycle counter, 32 bits."""

    name = "nvvm.read.ptx.sreg.clock"


@irdl_op_definition
class Clock64Op(SpecialRegisterOp):
    """Cycle counter, 64 bits."""

    name = "nvvm.read.ptx.sreg.clock64"


@irdl_op_definition
class GlobalTimerOp(SpecialRegisterOp):
    """Nanosecond timer, 64 bits."""

    name = "nvvm.read.ptx.sreg.globaltimer"


@irdl_op_definition
class GlobalTimerLoOp(SpecialRegisterOp):
    """Low half of the nanosecond timer."""

    name = "nvvm.read.ptx.sreg.globaltimer.lo"


SPECIAL_REGISTERS = (
    ThreadIdXOp,
    ThreadIdYOp,
    ThreadIdZOp,
    BlockDimXOp,
    BlockDimYOp,
    BlockDimZOp,
    BlockIdXOp,
    BlockIdYOp,
    BlockIdZOp,
    GridDimXOp,
    GridDimYOp,
    GridDimZOp,
    ClusterIdXOp,
    ClusterIdYOp,
    ClusterIdZOp,
    ClusterDimXOp,
    ClusterDimYOp,
    ClusterDimZOp,
    BlockInClusterIdXOp,
    BlockInClusterIdYOp,
    BlockInClusterIdZOp,
    ClusterDimBlocksXOp,
    ClusterDimBlocksYOp,
    ClusterDimBlocksZOp,
    ClusterRankOp,
    ClusterSizeOp,
    LaneIdOp,
    WarpSizeOp,
    WarpIdOp,
    WarpDimOp,
    SmIdOp,
    SmDimOp,
    GridIdOp,
    LaneMaskEqOp,
    LaneMaskLeOp,
    LaneMaskLtOp,
    LaneMaskGeOp,
    LaneMaskGtOp,
    ClockOp,
    Clock64Op,
    GlobalTimerOp,
    GlobalTimerLoOp,
)
