"""Conversions, and what belongs to no family."""

from .form import Form

SATURATING = "{rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}"

MISCELLANEOUS = (
    Form(
        f"%0 = nvvm.convert.f32x2.to.f8x2 %f, %f {SATURATING} : i16 (f8E4M3FN)",
        "cvt.rn.satfinite.e4m3x2.f32",
        "sm_89",
        "sm_86",
    ),
    Form(
        "%0 = nvvm.convert.f16x2.to.f8x2 %v {relu = true} : vector<2xf16> -> i16 (f8E5M2)",
        "cvt.rn.satfinite.relu.e5m2x2.f16x2",
        "sm_89",
        "sm_86",
    ),
    Form(
        "%0 = nvvm.convert.f8x2.to.f16x2 %b : vector<2xi8> (f8E5M2) -> vector<2xf16>",
        "cvt.rn.f16x2.e5m2x2",
        "sm_89",
        "sm_86",
    ),
    Form(
        "%0 = nvvm.convert.f8x2.to.bf16x2 %b : vector<2xi8> (f8E8M0FNU) -> vector<2xbf16>",
        "cvt.rn.bf16x2.ue8m0x2",
        "sm_100a",
        "sm_100",
    ),
    Form(
        "%0 = nvvm.convert.f32x2.to.ue5m3x2 %f, %f : vector<2xi8>",
        "cvt.rn.satfinite.ue5m3x2.f32",
        "sm_107a",
        "sm_107",
    ),
    Form(
        "%0 = nvvm.convert.ue5m3x2.to.bf16x2 %b : vector<2xi8> -> vector<2xbf16>",
        "cvt.rn.bf16x2.ue5m3x2",
        "sm_107f",
        "sm_107",
    ),
    Form(
        "%0 = nvvm.convert.f32x2.to.f4x2 %f, %f : i8 (f4E2M1FN)",
        "cvt.rn.satfinite.e2m1x2.f32",
        "sm_100a",
        "sm_100",
    ),
    Form(
        "%8 = llvm.trunc %i : i32 to i8\n"
        "%0 = nvvm.convert.f4x2.to.f16x2 %8 {relu = true} : i8 (f4E2M1FN) -> vector<2xf16>",
        "cvt.rn.relu.f16x2.e2m1x2",
        "sm_120a",
        "sm_120",
    ),
    Form(
        "nvvm.setmaxregister increase 232",
        "setmaxnreg.inc.sync.aligned.u32 232;",
        "sm_90a",
        "sm_90",
    ),
    Form("nvvm.setmaxregister decrease 40", "setmaxnreg.dec.sync.aligned.u32 40;", "sm_90a"),
    Form("nvvm.griddepcontrol wait", "griddepcontrol.wait;", "sm_90", "sm_89"),
    Form("nvvm.griddepcontrol launch_dependents", "griddepcontrol.launch_dependents;", "sm_90"),
    Form("nvvm.nanosleep %i", "nanosleep.u32"),
    Form("nvvm.exit", "exit;"),
    Form("%0 = nvvm.rcp.approx.ftz.f %f : f32", "rcp.approx.ftz.f32"),
    Form(
        '%0 = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32',
        "ex2.approx.ftz.f32",
    ),
    Form(
        'nvvm.inline_ptx "prefetch.global.L1 [{$r0}];" ro(%g : !llvm.ptr<1>), predicate = %q',
        "@%p0 prefetch.global.L1",
    ),
)
