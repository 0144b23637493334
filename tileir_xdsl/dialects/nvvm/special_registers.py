"""Special registers: `nvvm.read.ptx.sreg.<register>`, named as upstream MLIR names them.

The op's name without its prefix is the PTX register, as in `nvvm.read.ptx.sreg.tid.x` for `%tid.x`.
Some dots in names of ops replace underscores in names of PTX.
Source: PTX ISA, "Special Registers".
"""

import abc
import re
from collections.abc import Mapping, Sequence
from types import new_class

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
"""Registers with another name in PTX, where the warp size is a constant."""

_UNDERSCORED = re.compile(r"^(cluster|lanemask|globaltimer)\.")


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
    """Reads a register with an optional range of values, `... range <i32, 0, 128> : i32`."""

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


class ClusterRegisterOp(RangedSpecialRegisterOp, abc.ABC):
    """Reads a register of the cluster."""

    traits = traits_def(Requires.feature(Feature.CLUSTERS))


def _of_axes(rows: Mapping[str, str]) -> Mapping[str, str]:
    """The registers of each axis, with descriptions of their values."""
    return {f"{name}.{axis}": f"{text}, {axis}." for name, text in rows.items() for axis in "xyz"}


_REGISTERS: Sequence[tuple[type[SpecialRegisterOp], Mapping[str, str]]] = (
    (
        RangedSpecialRegisterOp,
        _of_axes(
            {
                "tid": "Index of the thread in its block",
                "ntid": "Threads of a block",
                "ctaid": "Index of the block in the grid",
                "nctaid": "Blocks of the grid",
            }
        ),
    ),
    (
        ClusterRegisterOp,
        _of_axes(
            {
                "clusterid": "Index of the cluster in the grid",
                "nclusterid": "Clusters of the grid",
                "cluster.ctaid": "Index of the block in its cluster",
                "cluster.nctaid": "Blocks of a cluster",
            }
        ),
    ),
    (
        ClusterRegisterOp,
        {
            "cluster.ctarank": "Rank of the block in its cluster.",
            "cluster.nctarank": "Number of blocks in a cluster.",
        },
    ),
    (
        RangedSpecialRegisterOp,
        {
            "laneid": "Lane of the thread in its warp.",
            "warpsize": "Lanes of a warp: 32.",
            "warpid": "Warp of the thread in its block; may change while the thread runs.",
            "nwarpid": "Largest number of warps in a block.",
            "smid": "Multiprocessor the thread runs on; may change while it runs.",
            "nsmid": "Largest number of multiprocessors.",
            "gridid": "Identifier of the grid within its context.",
        },
    ),
    (
        PureSpecialRegisterOp,
        {
            "lanemask.eq": "Mask of the own lane.",
            "lanemask.le": "Mask of the lanes up to the own.",
            "lanemask.lt": "Mask of the lanes below the own.",
            "lanemask.ge": "Mask of the lanes from the own up.",
            "lanemask.gt": "Mask of the lanes above the own.",
        },
    ),
    # Two reads of a clock may differ, so these are not pure.
    (
        SpecialRegisterOp,
        {
            "clock": "Cycle counter, 32 bits.",
            "clock64": "Cycle counter, 64 bits.",
            "globaltimer": "Nanosecond timer, 64 bits.",
            "globaltimer.lo": "Low half of the nanosecond timer.",
        },
    ),
)


def _define(base: type[SpecialRegisterOp], register: str, text: str) -> type[SpecialRegisterOp]:
    members = {"name": PREFIX + register, "__doc__": text, "__module__": __name__}
    words = register.replace(".", " ").title().replace(" ", "")
    return irdl_op_definition(new_class(f"{words}Op", (base,), {}, lambda own: own.update(members)))


SPECIAL_REGISTERS: Mapping[str, type[SpecialRegisterOp]] = {
    register: _define(base, register, text)
    for base, rows in _REGISTERS
    for register, text in rows.items()
}
"""The op that reads each register."""

BlockIdXOp, BlockIdYOp, BlockIdZOp = (SPECIAL_REGISTERS[f"ctaid.{axis}"] for axis in "xyz")
ClusterDimXOp = SPECIAL_REGISTERS["nclusterid.x"]
ClusterIdXOp = SPECIAL_REGISTERS["clusterid.x"]
ClusterRankOp = SPECIAL_REGISTERS["cluster.ctarank"]
Clock64Op = SPECIAL_REGISTERS["clock64"]
GlobalTimerOp = SPECIAL_REGISTERS["globaltimer"]
GridDimXOp, GridDimYOp, GridDimZOp = (SPECIAL_REGISTERS[f"nctaid.{axis}"] for axis in "xyz")
ThreadIdXOp = SPECIAL_REGISTERS["tid.x"]
