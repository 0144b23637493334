"""What `tileir lint` finds in PTX, and that it finds nothing in correct kernels."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_generators import CASES
from tileir_xdsl.cli.main import main
from tileir_xdsl.emulator import EmulatorError, load
from tileir_xdsl.lint import Finding, assembler_findings, lint
from tileir_xdsl.lint.source_locations import SourceLocations
from tileir_xdsl.runtime import ptxas
from tileir_xdsl.testing.tools import ptxas_path


def kernel(body: str, directives: str = ".reqntid 384\n.maxnreg 168", declared: str = "") -> str:
    """A module with one kernel; its first line of `body` is line 15."""
    return f"""\
.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(
.param .align 64 .b8 a[128],
.param .align 64 .b8 b[128],
.param .u64 p
)
{directives}
{{
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<64>; {declared}
{body}
ret;
}}
"""


def messages(body: str, directives: str = ".reqntid 384\n.maxnreg 168", **boxes: int) -> list[str]:
    return [finding.message for finding in lint(kernel(body, directives), boxes)]


BARRIERS = {
    "bar.sync 0;\nbar.sync 1, 256;\nbar.arrive 2, 128;\nbar.sync 2, 128;": [],
    "bar.sync 16;": ["there is no barrier 16: ids are 0 to 15"],
    "bar.sync %r0, 128;": ["the barrier's id is in a register: all 16 barriers are reserved"],
    "bar.sync 1, 100;": ["100 threads are not whole warps"],
    "bar.sync 1, 512;": ["barrier 1 waits for 512 of 384 threads"],
    "bar.sync 1, 128;\nbar.sync 1, 256;": ["barrier 1 has 256 threads here and 128 at line 14"],
    "bar.sync 0;\nbar.sync 0, 128;": ["barrier 0 has 128 threads here and 384 at line 14"],
    "bar.arrive 3, 256;": ["nobody waits at barrier 3"],
    "bar.red.popc.u32 %r0, 1, 100, %p0;": ["100 threads are not whole warps"],
    "barrier.sync.aligned 17;": ["there is no barrier 17: ids are 0 to 15"],
    "bar.warp.sync 0xffffffff;\nbarrier.cluster.arrive.aligned;": [],
}


@pytest.mark.parametrize("body", BARRIERS)
def test_named_barriers(body: str):
    assert messages(body) == BARRIERS[body]


MALFORMED = {
    "bar.sync ;": "'bar.sync' takes the operands a{, b}, but has 0 operands",
    "bar.red.popc.u32 %r0;": "'bar.red.popc.u32' takes the operands d, a, c, but has 1 operands",
    "setmaxnreg.inc.sync.aligned.u32;": "takes the operands count, but has 0",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0];": "takes the operands a, count, but has 1",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], 1;": "but has 2",
    "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%r0];": "but has 1",
}


@pytest.mark.parametrize("body", MALFORMED)
def test_missing_operands_are_errors(body: str):
    with pytest.raises(EmulatorError) as caught:
        messages(body)
    assert MALFORMED[body] in caught.value.message and caught.value.line == 14


@pytest.mark.parametrize(
    "body",
    [
        "bar;",
        "barrier.odd 1, 2;",
        "mov.b32 %r1;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], %r1;",
        "mov.b32 %r1, %r2;\nmov.b32 %r2, %r1;\n"
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], %r1;",
        "st.async.mbarrier::complete_tx::bytes.b32 [%r0], %r1, [%r2];",
    ],
)
def test_nothing_is_said_of_what_is_not_known(body: str):
    assert messages(body) == []


def registers(release: int, take: int) -> str:
    return f"setmaxnreg.dec.sync.aligned.u32 {release};\nsetmaxnreg.inc.sync.aligned.u32 {take};"


def test_register_pool():
    assert messages(registers(40, 232)) == []
    assert messages(registers(40, 240)) == [
        "3 warpgroups ask for 520 registers per lane of a warpgroup, the block has 504"
    ]
    wrong = "{} registers are not a multiple of 8 from 24 to 256"
    assert messages(registers(41, 232)) == [wrong.format(41)]
    assert messages(registers(16, 232)) == [wrong.format(16)]
    assert messages(registers(40, 232), ".reqntid 384") == [
        "the registers of the block are not known: .maxnreg and .reqntid are needed"
    ]
    assert messages("setmaxnreg.dec.sync.aligned.u32 40;") == []


@pytest.mark.parametrize("limit", [161, 168])
@pytest.mark.parametrize("first", ["dec 40", "dec 96", "dec 176", "inc 160", "inc 176", "inc 248"])
@pytest.mark.parametrize("second", ["", "dec 168", "dec 240", "inc 240"])
def test_register_pools_as_they_are_run(limit: int, first: str, second: str):
    """Two warpgroups: the emulator runs what nothing is found of."""
    changes = [
        "setmaxnreg.{}.sync.aligned.u32 {};".format(*change.split()) if change else ""
        for change in (first, second)
    ]
    body = (
        "mov.u32 %r0, %tid.x;\nsetp.ge.u32 %p0, %r0, 128;\n@%p0 bra SECOND;\n{}\nret;\nSECOND:\n{}"
    )
    text = kernel(body.format(*changes), f".reqntid 256\n.maxnreg {limit}")
    text = re.sub(r"\.param .align.*\n", "", text)
    try:
        load(text).launch("k", (1, 1, 1), [np.zeros(1)])
    except EmulatorError:
        assert lint(text)
    else:
        assert lint(text) == []


COPIES = """mov.b64 %rd0, a;
cvta.param.u64 %rd1, %rd0;
mov.b64 %rd2, b;
cvta.param.u64 %rd3, %rd2;
mov.u32 %r0, smem;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0+64], {bytes};
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+1024], [%rd1, {{%r1, %r2}}], [%r0+64];
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+9216], [%rd3, {{%r1, %r2}}], [%r0+64];
"""


def test_transactions_of_boxes():
    assert messages(COPIES.format(bytes=12288), a=8192, b=4096) == []
    assert messages(COPIES.format(bytes=8192), a=8192, b=4096) == [
        "8192 bytes are expected, and 2 copies bring 12288"
    ]
    assert messages(COPIES.format(bytes=8192), a=8192) == []


def test_transactions_of_plain_copies():
    text = """mov.u32 %r0, smem;
    mov.b32 %r1, {bytes};
    ld.param.u64 %rd0, [p];
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], %r1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+128], [%rd0], 256, [%r0];"""
    assert messages(text.format(bytes=256)) == []
    assert messages(text.format(bytes=512)) == ["512 bytes are expected, and 1 copies bring 256"]


def test_findings_name_line_and_function():
    (finding,) = lint(kernel("bar.sync 16;"))
    assert finding == Finding("barrier", "there is no barrier 16: ids are 0 to 15", 14, "k")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CASES)
def test_correct_kernels(name: str):
    assert lint(CASES[name].ptx()) == []


SPILLING = "\n".join(
    [
        "ld.param.u64 %rd0, [p];",
        *(f"ld.volatile.global.f32 %f{n}, [%rd0+{4 * n}];" for n in range(60)),
        *(f"st.volatile.global.f32 [%rd0+{4 * n}], %f{n};" for n in range(60)),
    ]
)


def test_assembler_reports_spills():
    findings = assembler_findings(kernel(SPILLING, ".maxntid 1024\n.maxnreg 24"), "sm_90a")
    assert [finding.code for finding in findings] == ["spill"]
    assert findings[0].function == "k" and "bytes of registers are spilled" in findings[0].message


def test_assembler_rejects():
    (finding,) = assembler_findings(kernel("bar.sync 16;"), "sm_90a")
    assert (finding.code, finding.line) == ("ptxas", 14)


def test_assembler_remarks_on_wgmma():
    case = CASES["matmul"]
    assert assembler_findings(case.ptx(), case.gpu) == []
    text = case.ptx("a product is pending at the end")
    codes = {finding.code: finding for finding in assembler_findings(text, case.gpu)}
    assert set(codes) == {"C7514", "C7517"}
    assert codes["C7517"].line is not None and codes["C7517"].function == "matmul"


def test_ignored_setmaxnreg_is_remarked():
    findings = assembler_findings(kernel(registers(40, 232), ".reqntid 384"), "sm_90a")
    assert [finding.code for finding in findings] == ["C7508"]


def test_fatal_errors_of_the_assembler_have_a_line():
    (finding,) = assembler_findings(kernel(registers(240, 24)), "sm_90a")
    assert (finding.code, finding.line) == ("C7406", 14)


NOWHERE = {
    "undefined function": (
        ".extern .func f;\n.visible .entry k() { call f; ret; }",
        "Unresolved extern function 'f'",
    ),
    "shared memory": (
        ".shared .b8 x[300000];\n.visible .entry k() { .reg .b32 %r; ld.shared.u32 %r, [x]; "
        "st.shared.u32 [x + 4], %r; ret; }",
        "uses too much shared data",
    ),
}
"""Modules that the assembler rejects as wholes, and what it says."""


@pytest.mark.parametrize("name", NOWHERE)
def test_errors_of_the_assembler_without_a_line(name: str):
    body, message = NOWHERE[name]
    text = f".version 8.6\n.target sm_90a\n.address_size 64\n{body}\n"
    (finding,) = assembler_findings(text, "sm_90a")
    assert (finding.code, finding.line) == ("ptxas", None)
    assert message in finding.message


def test_source_locations():
    text = '.file 1 "kernel.py"\n.loc 1 12 5\nadd.s32 a, b, c;\nret;\n.loc 1 14 9\n'
    sources = SourceLocations.of(text)
    assert sources.find(3) == sources.find(4) == "kernel.py:12:5"
    assert sources.find(5) == "kernel.py:14:9"
    assert sources.find(1) is None and sources.find(None) is None


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "kernel.ptx"
    path.write_text(kernel("bar.sync 0;"))
    assert main(["lint", str(path)]) == 0
    assert capsys.readouterr().out == ""
    path.write_text(kernel("bar.sync 0;\nbar.sync 1, 512;"))
    assert main(["lint", str(path)]) == 1
    expected = f"{path}:15:1: warning: barrier 1 waits for 512 of 384 threads in 'k' [barrier]\n"
    assert capsys.readouterr().out == expected
    lines = path.read_text().splitlines()
    lines[2:2] = ['.file 1 "kernel.py"']
    lines.insert(15, ".loc 1 3 7")
    path.write_text("\n".join(lines))
    assert main(["lint", str(path)]) == 1
    assert "(from kernel.py:3:7) [barrier]" in capsys.readouterr().out


def test_command_on_what_is_no_ptx(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "kernel.ptx"
    path.write_text(kernel("this is no instruction"))
    assert main(["lint", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{path}:") and captured.err.count("\n") == 1
    assert main(["lint", str(tmp_path / "missing.ptx")]) == 1
    assert "error" in capsys.readouterr().err
    assert main_fails(["lint", str(path), "--box", "a"])


def main_fails(arguments: list[str]) -> bool:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return left.value.code == 1


def test_without_an_assembler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert ptxas_path()

    def missing() -> Path:
        raise ptxas.ToolNotFoundError("ptxas not found: install the package nvidia-cuda-nvcc")

    monkeypatch.setattr(ptxas, "ptxas_path", missing)
    path = tmp_path / "kernel.ptx"
    path.write_text(kernel("bar.sync 0;"))
    assert main(["lint", str(path)]) == 0
    assert "remark: the assembler's findings are missing" in capsys.readouterr().err
