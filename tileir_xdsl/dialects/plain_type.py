"""Types without parameters."""

from collections.abc import Sequence

from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.parser import AttrParser


class PlainType(ParametrizedAttribute, TypeAttribute):
    """A type without parameters: `<..>` after its name is a parse error."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        # xDSL would read any, and raise ValueError for what the class has no room for.
        position = parser.pos
        if parser.parse_optional_punctuation("<") is not None:
            parser.raise_error(f"'{cls.name}' has no parameters", position)
        return ()
