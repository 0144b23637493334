"""`tileir emulate`: arguments, tensor maps, clusters, modes, and errors with their place."""

import io
import json
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.cli.test_run import output
from tests.unit.emulator.instructions.test_calls import PRINTED
from tests.unit.emulator.kernels import HEADER
from tests.unit.emulator.test_dependent_launch import PAIR, WAIT
from tests.unit.emulator.waiting_ptx import later
from tileir_xdsl.cli.main import main

SCALE = f"""{HEADER}
.extern .shared .align 4 .b8 words[];
.visible .entry scale(.param .u64 x, .param .f32 factor) .maxntid 64
{{
  .reg .b64 %a; .reg .b32 %i, %n, %s; .reg .f32 %f, %v;
  mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mul.lo.u32 %i, %i, %n; mov.u32 %n, %tid.x;
  add.u32 %i, %i, %n; mov.u32 %s, words; mad.lo.u32 %s, %n, 4, %s;
  ld.param.u64 %a, [x]; ld.param.f32 %f, [factor]; mad.wide.u32 %a, %i, 4, %a;
  ld.global.f32 %v, [%a]; mul.rn.f32 %v, %v, %f; st.shared.f32 [%s], %v;
    st.global.f32 [%a], %v;
  ret;
}}
"""
ARGUMENTS = ["--grid", "2", "--block", "32", "--shared", "128"]
NUMBERS = ["--arg", "x:random:f32:64", "--arg", "1.5"]

# The second block of a cluster adds the row of a tensor that both get.
COPY = f"""{HEADER.replace("sm_90", "sm_90a")}
.visible .entry copy(.param .align 64 .b8 map[128], .param .u64 out) .reqntid 32
{{
  .shared .align 128 .b8 tile[64]; .shared .align 8 .b8 object[8];
  .reg .b64 %m, %o; .reg .b32 %i, %r, %s, %v; .reg .pred %first, %p; .reg .b16 %h;
  mov.u32 %i, %tid.x; mov.u32 %r, %cluster_ctarank; setp.eq.u32 %first, %i, 0;
  mov.u64 %m, map; cvta.param.u64 %m, %m; mov.b16 %h, 3;
  @%first mbarrier.init.shared::cta.b64 [object], 1;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 64;
  fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
  mov.u32 %v, tile; mad.lo.u32 %v, %r, 0, %v;
  setp.eq.and.u32 %p, %r, 0, %first; mov.u32 %s, object;
  @%p cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%v], [%m, {{16}}], [%s], %h;
LOOP: mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra LOOP;
  mov.u32 %v, tile; and.b32 %s, %i, 15; mad.lo.u32 %v, %s, 4, %v; ld.shared.u32 %v, [%v];
  mad.lo.u32 %i, %r, 32, %i; ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 4, %o;
  st.global.u32 [%o], %v;
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
}}
"""


@pytest.fixture
def scale(tmp_path: Path) -> str:
    file = tmp_path / "scale.ptx"
    file.write_text(SCALE)
    return str(file)


def test_arrays_are_shown_and_saved(scale: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    x = np.arange(64, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "out.npy"
    text = output(
        capsys, "emulate", scale, *ARGUMENTS, "--arg", f"x:{tmp_path / 'x.npy'}", "--arg", "2",
        "--save", f"x={out}",
    )  # fmt: skip
    assert text.startswith("scale: 2x1x1 blocks in ")
    assert text.endswith(" s (ptx)\nx: float32[64] = [0, 2, 4, ..., 122, 124, 126]\n")
    np.testing.assert_array_equal(np.load(out), 2 * x)


def test_text_of_the_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCALE.encode())))
    text = output(capsys, "emulate", "-", *ARGUMENTS, *NUMBERS, "--kernel", "scale")
    assert text.startswith("scale: ")


def test_kernels_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "print.ptx"
    file.write_text(PRINTED)
    text = output(capsys, "emulate", str(file), "--arg", "zeros:i32:32")
    assert text.startswith("0:   0.00 yes|4294967295 -2%\n1:   1.00 yes")


@pytest.mark.parametrize("mode", [[], ["--late"], ["--warp-seed", "3"], ["--races"]])
def test_tensor_maps_and_clusters(
    mode: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "copy.ptx"
    file.write_text(COPY)
    np.save(tmp_path / "x.npy", np.arange(40, dtype=np.int32))
    command = ["emulate", str(file), "--grid", "2", "--cluster", "2", "--tensor-map", "x=16"]
    command += ["--arg", f"x:{tmp_path / 'x.npy'}", "--arg", "out:zeros:i32:64", *mode]
    text = output(capsys, *command, "--save", f"out={tmp_path / 'out.npy'}")
    assert "x: int32[40]" in text
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.tile(np.arange(16, 32), 4))


def test_swizzled_boxes_have_a_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "copy.ptx"
    file.write_text(COPY)
    arguments = ["--cluster", "1", "--arg", "x:zeros:i32:64", "--arg", "zeros:i32:64"]
    line = error_line(capsys, "emulate", str(file), *arguments, "--tensor-map", "x=64,128")
    assert line == f"{file}: error: tensor map: a row of the box has more than 128 bytes"


def test_faults_have_a_place(scale: str, capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "emulate", scale, *ARGUMENTS, "--arg", "x:zeros:f32:40", "--arg", "1")
    number = SCALE[: SCALE.index("ld.global")].count("\n") + 1
    assert line.startswith(f"{scale}:{number}:3: error: out-of-bounds 4-byte read at global")
    assert line.endswith("in 'ld.global.f32 %v, [%a]' (block (1, 0, 0), warp 0, lane 8)")


ERRORS: dict[str, tuple[list[str], str]] = {
    "kernel": (
        ["--kernel", "k"],
        "{file}: error: the module has no kernel 'k'; its kernels: scale",
    ),
    "count": (["--arg", "1"], "{file}: error: kernel 'scale' takes 2 arguments, not 3"),
    "grid": (["--grid", "0,x"], "--grid 0,x: error: expected X, X,Y or X,Y,Z"),
    "block": (["--block", "1,2,3,4"], "--block 1,2,3,4: error: expected X, X,Y or X,Y,Z"),
    "threads": (["--block", "65"], "{file}: error: a block of kernel 'scale' has 1 to 64 threads"),
    "cluster": (["--cluster", "3"], "{file}: error: a grid of (2, 1, 1) blocks cannot be divided"),
    "resident": (
        ["--resident-blocks", "0"],
        "{file}: error: expected at least 1 resident block, not 0",
    ),
    "limit": (["--step-limit", "0"], "--step-limit 0: error: expected a positive number"),
    "map": (["--tensor-map", "x"], "--tensor-map x: error: expected NAME=BOX[,SWIZZLE], such as"),
    "no array": (
        ["--tensor-map", "y=16"],
        "--tensor-map y=16: error: there is no array argument called 'y'",
    ),
    "swizzle": (
        ["--tensor-map", "x=16,48"],
        "--tensor-map x=16,48: error: expected a swizzle in bytes, one of 0, 32, 64, 128",
    ),
    "size": (
        ["--tensor-map", "x=16"],
        "{file}: error: argument 0 ('x') has 8 bytes, but a tensor map",
    ),
    "save": (["--save", "y=f.npy"], "--save y=f.npy: error: there is no array argument called 'y'"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name: str, scale: str, capsys: pytest.CaptureFixture[str]):
    options, expected = ERRORS[name]
    line = error_line(capsys, "emulate", scale, *ARGUMENTS, *NUMBERS, *options)
    assert line.startswith(expected.format(file=scale))


RACE = (
    SCALE.replace("[%a], %v;\n", "[%a], %v;\n  st.global.f32 [%b], %v;\n")
    .replace("ld.param.f32", "mov.u64 %b, %a; ld.param.f32")
    .replace(".reg .b64 %a;", ".reg .b64 %a, %b;")
)


def test_races(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "race.ptx"
    file.write_text(RACE)
    arguments = ["emulate", str(file), *ARGUMENTS, *NUMBERS]
    output(capsys, *arguments)
    line = error_line(capsys, *arguments, "--races")
    number = RACE[: RACE.index("st.global.f32 [%b]")].count("\n") + 1
    assert line.startswith(f"{file}:{number}:3: error: ")
    assert "race" in line


def test_step_limit(scale: str, capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "emulate", scale, *ARGUMENTS, *NUMBERS, "--step-limit", "3")
    number = SCALE[: SCALE.index("mov.u32")].count("\n") + 1
    assert line.startswith(f"{scale}:{number}:3: error: the step limit of 3 instructions is")


TEXTS = {
    SCALE.replace("mul.rn", "mull.rn"): ("mull.rn", "unknown instruction 'mull.rn.f32' in"),
    SCALE.replace("%s, words", "%s, word"): ("add.u32", "undeclared name 'word'"),
    SCALE.replace(".version", ".vers"): (".vers", "unknown directive '.vers'"),
}


@pytest.mark.parametrize("text", TEXTS, ids=[marker for marker, _ in TEXTS.values()])
def test_error_in_the_text(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    marker, message = TEXTS[text]
    file = tmp_path / "k.ptx"
    file.write_text(text)
    line = error_line(capsys, "emulate", str(file), *ARGUMENTS, *NUMBERS)
    before = text[: text.index(marker)]
    number = before.count("\n") + 1
    column = 3 if number > 3 else 1
    assert line.startswith(f"{file}:{number}:{column}: error: {message}")


def test_missing_file(capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "emulate", "missing.ptx")
    assert line == "missing.ptx: error: No such file or directory"


def test_reduced_types(scale: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = output(capsys, "emulate", scale, *ARGUMENTS, "--arg", "zeros:bf16:128", "--arg", "1")
    assert f"argument 0: {np.dtype(ml_dtypes.bfloat16).name}[128]" in text


def waiting_file(tmp_path: Path) -> str:
    """Every block but the last one waits for the next one."""
    file = tmp_path / "waiting.ptx"
    file.write_text(later("load"))
    return str(file)


WAITING_ARGUMENTS = ["--grid", "4", "--arg", "zeros:i32:5", "--arg", "out:zeros:i32:4"]


def test_resident_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = waiting_file(tmp_path)
    # 32 blocks of 64 threads on each of 132 multiprocessors.
    assert "(ptx, up to 4224 resident blocks)" in output(
        capsys, "emulate", file, *WAITING_ARGUMENTS
    )
    text = output(capsys, "emulate", file, *WAITING_ARGUMENTS, "--resident-blocks", "4", "--json")
    assert json.loads(text)["resident_blocks"] == 4
    line = error_line(capsys, "emulate", file, *WAITING_ARGUMENTS, "--resident-blocks", "3")
    assert "1 block has not started: more than 3 resident blocks would help" in line


def test_timeout(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "endless.ptx"
    file.write_text(later("load", "add.u32 %tries, %tries, 1;"))
    arguments = [*WAITING_ARGUMENTS, "--resident-blocks", "3", "--timeout", "0.1"]
    line = error_line(capsys, "emulate", str(file), *arguments)
    assert "the time limit of 0.1 s is reached" in line


PAIR_ARGUMENTS = [
    "--kernel", "first", "--grid", "3", "--arg", "x:zeros:i32:192", "--dependent", "second",
    "--dependent-arg", "weight:random:i32:192", "--dependent-arg", "x",
    "--dependent-arg", "out:zeros:i32:192",
]  # fmt: skip
"""The second kernel multiplies its weights by what the first one stores."""


def test_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, names = tmp_path / "pair.ptx", ("x", "weight", "out")
    file.write_text(PAIR)
    saves = [f"--save={name}={tmp_path / name}.npy" for name in names]
    text = output(capsys, "emulate", str(file), *PAIR_ARGUMENTS, *saves, "--races")
    x, weight, out = (np.load(tmp_path / f"{name}.npy") for name in names)
    np.testing.assert_array_equal(x, 3 * np.arange(192))
    np.testing.assert_array_equal(out, x[np.arange(192) ^ 1] * weight)
    assert text.count("x: int32[192]") == 1 and "second: 3x1x1 blocks, dependent\n" in text
    data = json.loads(output(capsys, "emulate", str(file), *PAIR_ARGUMENTS, "--json"))
    assert [array["name"] for array in data["dependent"]["arrays"]] == ["weight", "x", "out"]
    # A grid of its own.
    text = output(capsys, "emulate", str(file), *PAIR_ARGUMENTS, "--dependent-grid", "2")
    assert "second: 2x1x1 blocks, dependent\n" in text
    file.write_text(PAIR.replace(WAIT, ""))
    line = error_line(capsys, "emulate", str(file), *PAIR_ARGUMENTS, "--races")
    assert "no griddepcontrol.wait of 'second' waits for 'first'" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dependent", "third"], "the module has no kernel 'third'; its kernels: first, second"),
        (["--dependent-arg", "x:zeros:i32:1"], "the first kernel has an array called 'x'"),
        (["--dependent-arg", "7"], "kernel 'second' takes 3 arguments, not 4"),
        (["--dependent-arg", "y"], "--dependent-arg y: error: expected a number, FILE.npy"),
        (["--dependent-tensor-map", "y=8"], "there is no array argument called 'y'"),
        (["--dependent-grid", "0"], "--dependent-grid 0: error: expected extents of at least 1"),
        (["--dependent-block", "a"], "--dependent-block a: error: expected X, X,Y or X,Y,Z"),
    ],
)
def test_errors_of_pairs(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "pair.ptx"
    file.write_text(PAIR)
    assert message in error_line(capsys, "emulate", str(file), *PAIR_ARGUMENTS, *arguments)


@pytest.mark.parametrize(
    ("option", "value"),
    [("grid", "2"), ("block", "2"), ("shared", "0"), ("arg", "2"), ("tensor-map", "x=2")],
)
def test_options_of_a_dependent_alone(
    option: str, value: str, scale: str, capsys: pytest.CaptureFixture[str]
):
    line = error_line(capsys, "emulate", scale, f"--dependent-{option}", value)
    assert line == f"--dependent-{option}: error: expected --dependent NAME, too"


def test_a_kernel_without_a_shape_of_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The option that gives it is named, and takes it."""
    file = tmp_path / "k.ptx"
    file.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    assert main(["emulate", str(file)]) == 1
    assert "set the shape of a block, by block= or by --block X,Y,Z" in capsys.readouterr().err
    assert main(["emulate", str(file), "--block", "32"]) == 0
