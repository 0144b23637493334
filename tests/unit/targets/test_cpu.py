"""The processors as data."""

import pytest

from tileir_xdsl.targets import UnknownTargetError
from tileir_xdsl.targets.cpu import CPU_NAMES, CPU_TARGETS, cpu_target, is_cpu, missing

V3, V4, ARM = (CPU_TARGETS[f"cpu-{name}"] for name in ("x86-64-v3", "x86-64-v4", "aarch64"))


@pytest.mark.parametrize(
    ("architecture", "features", "found"),
    [
        ("x86_64", V3.required, V3),
        ("x86_64", V4.required, V4),
        ("x86_64", V4.required - {"avx512vl"}, V3),
        ("aarch64", {"neon"}, ARM),
    ],
)
def test_this_machine_is_the_most_able_processor_that_it_is(
    architecture: str, features: frozenset[str], found: object
) -> None:
    assert cpu_target("cpu", architecture, features) is found
    assert cpu_target("cpu-native", architecture, features) is found


def test_a_machine_may_be_none_of_them() -> None:
    with pytest.raises(UnknownTargetError, match=r"no CPU target fits this processor \(riscv64\)"):
        cpu_target("cpu", "riscv64", ())


def test_another_processor_is_a_target_as_well() -> None:
    assert cpu_target("cpu-aarch64", "x86_64", ()) is ARM
    assert missing(ARM, "x86_64", V4.required) == ["aarch64"]
    assert missing(V3, "x86_64", V3.required - {"fma", "avx2"}) == ["avx2", "fma"]


def test_unknown_names() -> None:
    with pytest.raises(UnknownTargetError, match="unknown target 'cpu-x86', expected one of cpu, "):
        cpu_target("cpu-x86", "x86_64", ())


def test_names_of_processors() -> None:
    assert all(map(is_cpu, CPU_NAMES))
    assert not any(map(is_cpu, (None, "sm_90a", "cpus")))
