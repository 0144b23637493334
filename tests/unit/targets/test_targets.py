"""The target table: lookups, limits, and ptxas' own opinion of targets, versions and features."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pytest import mark, raises

from tileir_xdsl.targets import (
    FEATURE_PTX_VERSIONS,
    TARGETS,
    CostWeights,
    Feature,
    PTXVersion,
    Target,
    UnknownTargetError,
    get_target,
)
from tileir_xdsl.testing.tools import ptxas_path

KNOWN_PTX_VERSIONS: tuple[PTXVersion, ...] = (
    *((7, minor) for minor in range(9)),
    *((8, minor) for minor in range(9)),
    *((9, minor) for minor in range(6)),
)

PROBES: dict[Feature, str] = {
    Feature.CP_ASYNC: "cp.async.cg.shared.global [%r0], [%rd0], 16;",
    Feature.LDMATRIX: "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r4];",
    Feature.MOVMATRIX: "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
    Feature.MBARRIER: "mbarrier.init.shared.b64 [%r0], 1;",
    Feature.WARP_REDUCTION: "redux.sync.add.s32 %r0, %r1, 0xffffffff;",
    Feature.FP8_CONVERSION: "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;",
    Feature.FP8_MMA: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
    "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
    Feature.STMATRIX: "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r0};",
    Feature.MBARRIER_TRY_WAIT: "mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;",
    Feature.CLUSTERS: "barrier.cluster.arrive.aligned;",
    Feature.DEPENDENT_GRIDS: "griddepcontrol.wait;",
    Feature.BF16_ARITHMETIC: "add.rn.bf16x2 %r0, %r1, %r2;",
    Feature.F64_MMA_LARGE: "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%d0,%d1,%d2,%d3}, "
    "{%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%d0,%d1,%d2,%d3}, {%d0,%d1,%d2,%d3};",
    Feature.BULK_COPY: "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r0], 16;",
    Feature.TMA: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r0], [%rd0, {%r1, %r2}], [%r3];",
    Feature.ELECT: "elect.sync %r0|%p0, 0xffffffff;",
    Feature.VECTOR_REDUCTION: "red.global.add.v4.f32 [%rd0], {%f0,%f1,%f2,%f3};",
    Feature.ATOMIC_128_BIT: "{.reg .b128 %q0; atom.global.exch.b128 %q0, [%rd0], %q0;}",
    Feature.TENSORMAP_FENCE: "fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;",
    Feature.TENSORMAP_REPLACE: "tensormap.replace.tile.global_address.global.b1024.b64 "
    "[%rd0], %rd1;",
    Feature.WGMMA: "wgmma.fence.sync.aligned;",
    Feature.SETMAXNREG: "setmaxnreg.inc.sync.aligned.u32 104;",
    Feature.PACKED_F32: "fma.rn.f32x2 %rd0, %rd1, %rd2, %rd3;",
    Feature.MAX_OF_THREE: "max.f32 %f0, %f1, %f2, %f3;",
    Feature.ACCESS_256_BIT: "ld.global.v8.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd0];",
    Feature.TMA_IM2COL_W: "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w"
    ".mbarrier::complete_tx::bytes [%r0], [%rd0, {%r0, %r0, %r0}], [%r0], {%h0, %h0};",
    Feature.TMA_GATHER: "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
    ".mbarrier::complete_tx::bytes [%r0], [%rd0, {%r1, %r2, %r5, %r6, %r7}], [%r3];",
    Feature.TMA_SCATTER: "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
    "[%rd0, {%r1, %r2, %r5, %r6, %r7}], [%r3];",
    Feature.CLUSTER_LAUNCH_CONTROL: "clusterlaunchcontrol.try_cancel.async.shared::cta"
    ".mbarrier::complete_tx::bytes.b128 [%r0], [%r1];",
    Feature.CLUSTER_LAUNCH_MULTICAST: "clusterlaunchcontrol.try_cancel.async.shared::cta"
    ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r0], [%r1];",
    Feature.BYTE_MATRIX_COPY: "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r4], {%r0};",
    Feature.NARROW_FLOAT_CONVERSION: "{.reg .b8 %b0; cvt.rn.satfinite.e2m1x2.f32 %b0, %f0, %f1;}",
    Feature.UE5M3_CONVERSION: "cvt.rn.satfinite.ue5m3x2.f32 %h0, %f0, %f1;",
    Feature.TCGEN05: "tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, %p0;",
    Feature.TCGEN05_INT8: "tcgen05.mma.cta_group::1.kind::i8 [%r0], %rd0, %rd1, %r1, %p0;",
    Feature.TCGEN05_SPARSE_4_BITS: "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale "
    "[%r0], %rd0, %rd1, [%r2], %r1, [%r3], [%r4], %p0;",
    Feature.FLOAT_WARP_REDUCTION: "redux.sync.max.f32 %f0, %f1, 0xffffffff;",
    Feature.STOCHASTIC_ROUNDING: "cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0,%f1,%f2,%f3}, %r1;",
    Feature.BLOCK_SCALED_MMA: "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale"
    ".scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
    "{%f0,%f1,%f2,%f3}, %r0, {%h0, %h1}, %r1, {%h0, %h1};",
}
"""One instruction per feature."""

REGISTERS = (
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; "
    ".reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .f64 %d<16>;"
)


def assemble(
    folder: Path, target: str, version: PTXVersion, features: Sequence[Feature] = ()
) -> set[Feature] | None:
    """Assembles one probe per line; the features rejected, or None when all is well."""
    header = [
        f".version {version[0]}.{version[1]}",
        f".target {target}",
        ".address_size 64",
        ".visible .entry k() .reqntid 128 {",
        REGISTERS,
    ]
    source = folder / "probe.ptx"
    lines = [*header, *(PROBES[feature] for feature in features), "ret; }"]
    source.write_text("\n".join(lines) + "\n")
    result = subprocess.run(
        [ptxas_path(), f"-arch={target}", str(source), "-o", str(folder / "probe.cubin")],
        capture_output=True,
        text=True,
    )
    if result.returncode == 0:
        return None
    numbers = {int(number) for number in re.findall(r"line (\d+); error", result.stderr)}
    first = len(header) + 1
    return {feature for line, feature in enumerate(features, first) if line in numbers}


@mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_ptxas_knows_the_target_from_its_minimum_version_on(target: Target, tmp_path: Path):
    assert assemble(tmp_path, target.name, target.minimum_ptx_version) is None
    assert assemble(tmp_path, target.name, target.default_ptx_version) is None
    before = KNOWN_PTX_VERSIONS.index(target.minimum_ptx_version) - 1
    if before >= 0:
        assert assemble(tmp_path, target.name, KNOWN_PTX_VERSIONS[before]) is not None


@mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_ptxas_accepts_exactly_the_features_of_the_target(target: Target, tmp_path: Path):
    rejected = assemble(tmp_path, target.name, KNOWN_PTX_VERSIONS[-1], list(PROBES))
    assert set(PROBES) - (rejected or set()) == target.features
    own = sorted(target.features, key=list(PROBES).index)
    assert assemble(tmp_path, target.name, target.ptx_version(own), own) is None


@mark.parametrize("feature", Feature, ids=lambda feature: feature.name)
def test_ptxas_needs_the_version_of_the_feature(feature: Feature, tmp_path: Path):
    target = min(
        (target for target in TARGETS.values() if feature in target.features),
        key=lambda target: target.minimum_ptx_version,
    )
    version = max(FEATURE_PTX_VERSIONS[feature], target.minimum_ptx_version)
    assert assemble(tmp_path, target.name, version, [feature]) is None
    before = KNOWN_PTX_VERSIONS[KNOWN_PTX_VERSIONS.index(version) - 1]
    if version > target.minimum_ptx_version:
        assert assemble(tmp_path, target.name, before, [feature]) == {feature}


@mark.parametrize("name", ["sm_90a", "90a"])
def test_names_with_a_suffix(name: str):
    assert get_target(name).name == "sm_90a"
    assert Feature.WGMMA in get_target(name).features


@mark.parametrize("name", ["sm_90", "90", 90])
def test_names_without_a_suffix(name: str | int):
    target = get_target(name)
    assert (target.name, target.compute_capability) == ("sm_90", 90)
    assert Feature.WGMMA not in target.features


@mark.parametrize("name", ["sm_999", "", "sm_", "90b", -1, 0, "SM_90", "sm_sm_90"])
def test_unknown_targets_are_one_clear_message(name: str | int):
    with raises(UnknownTargetError) as error:
        get_target(name)
    assert str(error.value) == (
        f"unknown target '{name}', expected one of sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, "
        "sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, sm_107, sm_107a, sm_107f, "
        "sm_110, sm_110a, sm_110f, sm_120, sm_120a, sm_120f, sm_121, sm_121a, sm_121f"
    )


def test_copies_to_clusters():
    able = {name for name, target in TARGETS.items() if target.copies_to_clusters}
    assert {"sm_90a", "sm_100a"} <= able and not {"sm_80", "sm_90", "sm_100", "sm_120a"} & able


def test_limits_and_weights_of_the_main_target():
    target = get_target("sm_90a")
    assert target.limits.shared_memory_per_block == 232448
    assert target.limits.static_shared_memory_per_block == 49152
    assert target.limits.max_warps_per_block == 32
    assert target.limits.registers_per_multiprocessor == 65536
    assert target.limits.max_registers_per_thread == 255
    assert target.limits.tensor_memory_columns == 0
    assert target.cost_weights == CostWeights(1, 4, 0.25)


@mark.parametrize(
    ("name", "kibibytes"),
    [("sm_80", 163), ("sm_86", 99), ("sm_89", 99), ("sm_100a", 227), ("sm_120a", 99)],
)
def test_shared_memory_per_block(name: str, kibibytes: int):
    assert get_target(name).limits.shared_memory_per_block == kibibytes * 1024


def test_tensor_memory_comes_with_tcgen05():
    for target in TARGETS.values():
        if Feature.TCGEN05 in target.features:
            assert target.limits.tensor_memory_columns == 512


def test_a_suffix_only_adds_features():
    for target in TARGETS.values():
        assert TARGETS[target.name.rstrip("af")].features <= target.features


def test_the_version_follows_the_features_used():
    assert get_target("sm_90a").ptx_version() == (8, 0)
    assert get_target("sm_90a").ptx_version([Feature.WGMMA, Feature.FP8_MMA]) == (8, 4)
    assert get_target("sm_120a").ptx_version([Feature.TMA]) == (8, 7)
