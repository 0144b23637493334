"""What is new in cuTile, `tileiras` or `ptxas` is supported, or listed with a reason."""

from dataclasses import replace

import pytest

from tests.installed.parts import NUMBERS, PARTS
from tests.installed.reasons import REASONS, listed
from tileir_xdsl.targets import TARGETS

KNOWN = {
    "operations": {"AddFOp", "MultimemStoreViewTkoOp", "AtomicRedViewTkoOp.inbounds"},
    "enumerations": {"SimpleType.F32", "_CompositeType.StridedView", "BytecodeVersion.V_13_5"},
    "versions of bytecode": {"13.1", "13.5"},
    "architectures of tileiras": {"sm_80", "sm_121"},
    "flags of tileiras": {"O", "gpu-name", "remarks=memory", "host-os=linux"},
    "architectures of ptxas": {"sm_90a", "sm_120f"},
    "flags of ptxas": {"gpu-name", "warn-on-spills"},
}
"""Of each part some names, which a change in how others show them must not hide."""


@pytest.mark.parametrize("name", PARTS)
def test_what_is_installed_is_supported_or_listed(name: str):
    missing, rows = PARTS[name].missing(), set(listed(name))
    assert missing - rows == set(), "new: support it, or give a reason in tests/installed"
    assert rows - missing == set(), "supported, or no longer there: remove it from the reasons"


def test_parts_have_reasons():
    assert REASONS.keys() <= PARTS.keys()


@pytest.mark.parametrize("name", PARTS)
def test_names_are_found(name: str):
    assert PARTS[name].theirs().keys() >= KNOWN[name]


@pytest.mark.parametrize("name", NUMBERS)
def test_enumerations_are_those_of_cutile(name: str):
    assert any(each.startswith(f"{name}.") for each in PARTS["enumerations"].theirs())


def test_what_we_lack_is_named():
    part = PARTS["architectures of tileiras"]
    assert replace(part, ours=TARGETS.keys() - {"sm_107"}).missing() == {"sm_107"}
    part = PARTS["operations"]
    lacking = {each for each in part.ours if each != (117, "inbounds", "13.5")}
    assert replace(part, ours=lacking).missing() - part.missing() == {"AtomicRedViewTkoOp.inbounds"}
