"""Types without parameters."""

import pytest
from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tileir_xdsl.dialects.plain_type import PlainType
from tileir_xdsl.testing.tools import context

DIALECTS = ("cuda_tile", "nv_tileaa", "nv_tileas", "cute_nvgpu")


def names() -> list[str]:
    return [
        attribute.name
        for dialect in DIALECTS
        for attribute in context().get_dialect(dialect).attributes
        if issubclass(attribute, PlainType)
    ]


def test_all_types_without_parameters_are_plain():
    for dialect in DIALECTS:
        for attribute in context().get_dialect(dialect).attributes:
            if not issubclass(attribute, TypeAttribute):
                continue
            if issubclass(attribute, ParametrizedAttribute):
                has_parameters = bool(attribute.get_irdl_definition().parameters)
                assert has_parameters or issubclass(attribute, PlainType), attribute.name


def test_parameters_are_refused():
    assert sorted(names()) == sorted(each.name for each in PlainType.__subclasses__())
    for name in names():
        assert str(Parser(context(), f"!{name}").parse_attribute()) == f"!{name}"
        with pytest.raises(ParseError, match=f"'{name}' has no parameters"):
            Parser(context(), f"!{name}<f32>").parse_attribute()
