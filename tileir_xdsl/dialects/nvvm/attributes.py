"""Enumerations of the `nvvm` ops, spelled as upstream MLIR spells them."""

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class ShuffleKind(StrEnum):
    """How `shfl.sync` picks the source lane."""

    BUTTERFLY = "bfly"
    UP = "up"
    DOWN = "down"
    INDEX = "idx"


@irdl_attr_definition
class ShuffleKindAttr(EnumAttribute[ShuffleKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.shfl_kind"


class VoteKind(StrEnum):
    """What `vote.sync` computes."""

    ANY = "any"
    ALL = "all"
    BALLOT = "ballot"
    UNIFORM = "uni"


@irdl_attr_definition
class VoteKindAttr(EnumAttribute[VoteKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.vote_sync_kind"


class MatchKind(StrEnum):
    """What `match.sync` computes."""

    ANY = "any"
    ALL = "all"


@irdl_attr_definition
class MatchKindAttr(EnumAttribute[MatchKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.match_sync_kind"


class ReduxKind(StrEnum):
    """The reduction of `redux.sync`; `max` and `min` are signed."""

    ADD = "add"
    AND = "and"
    MAX = "max"
    MIN = "min"
    OR = "or"
    UMAX = "umax"
    UMIN = "umin"
    XOR = "xor"
    FMIN = "fmin"
    FMAX = "fmax"


@irdl_attr_definition
class ReduxKindAttr(EnumAttribute[ReduxKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.redux_kind"


class BarrierReduction(StrEnum):
    """The reduction that a barrier carries."""

    AND = "and"
    OR = "or"
    POPC = "popc"


@irdl_attr_definition
class BarrierReductionAttr(EnumAttribute[BarrierReduction]):
    """`#nvvm.reduction<and>`."""

    name = "nvvm.reduction"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> BarrierReduction:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(BarrierReduction)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)
