"""The library: programs that are read, lowered, compiled, by threads and processes too."""

import gc
import io
import json
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import tileir_xdsl as tileir
from tileir_xdsl.runtime import ptxas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, generate

ADD = KERNELS["vector_add"].text_path
MATMUL = KERNELS["matmul_f16"].text_path


def test_names_of_the_package():
    assert {"compile", "load", "Options", "CompileError"} <= set(dir(tileir))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tileir.nothing  # pyright: ignore[reportAttributeAccessIssue]


def test_text_bytes_and_files_are_the_same_program(tmp_path: Path):
    text = ADD.read_text()
    expected = tileir.compile(text, "sm_90a").text
    assert ".target sm_90a" in expected
    bytecode = generate.bytecode(KERNELS["vector_add"], "13.3")
    binary = tmp_path / "a{b.tileirbc"
    binary.write_bytes(bytecode)
    sources = (text.encode(), ADD, str(ADD), bytecode, bytearray(bytecode), binary)
    for source in (*sources, tools.parse(text)):
        assert tileir.compile(source, "sm_90a").text == expected


def test_what_a_launch_needs():
    compiled = tileir.compile(KERNELS["matmul_f16"].text_path, "sm_90a")
    kernel = compiled.kernel()
    assert kernel is compiled.kernel("matmul_f16")
    assert str(kernel).startswith("matmul_f16(ptr<f16>, i32, i32, i32, i32, ptr<f16>, ")
    assert kernel.block is not None and f".reqntid {kernel.block[0]}, 1, 1" in compiled.text
    divisible = ADD.parent / "divisible" / "matmul_f16_warpgroup.mlir"
    kernel = tileir.compile(divisible, "sm_90a").kernel()
    assert kernel.dynamic_shared > 0
    assert [str(recipe.pointer) for recipe in kernel.tensor_maps][:2] == ["arg0", "arg5"]
    assert kernel.summary.endswith("tensor maps of arg0, arg5, arg10")


def test_levels_in_text():
    for level, op in {
        "cuda_tile": "load_view_tko",
        "nv_tileaa": "nv_tileaa.tiled_load",
        "nv_tileas": "nv_tileas.tiled_load",
        "llvm": "llvm.func",
    }.items():
        compiled = tileir.compile(ADD, "sm_80", emit=level)
        assert op in compiled.text and compiled.output == str(compiled) == compiled.text
        # The text of a level goes on from there to the same PTX.
        further = tileir.compile(compiled.text, "sm_80")
        assert further.text == tileir.compile(ADD, "sm_80").text


def test_machine_code():
    compiled = tileir.compile(ADD, "sm_90a", emit="cubin")
    assert isinstance(compiled.output, bytes) and compiled.output.startswith(b"\x7fELF")
    assert compiled.cubin is compiled.output and ".target sm_90a" in compiled.text
    assert compiled.resources["vector_add"].registers > 0
    # From PTX it is assembled when it is asked for.
    late = tileir.compile(ADD, "sm_90a")
    assert late.cubin == compiled.cubin and late.output == compiled.text
    with pytest.raises(
        tileir.CompileError, match="only an output of kind ptx can be assembled, but this is llvm"
    ):
        _ = tileir.compile(ADD, "sm_90a", emit="llvm").cubin


def test_pass_by_pass():
    program = tileir.load(MATMUL, "sm_90a", tileir.Options(stages=2))
    assert program.level == "cuda_tile" and program.passes[0] == "convert-cuda-tile-to-tileaa"
    pipelined = program.lower("tileas-materialize-async")
    assert pipelined.level == "nv_tileas" and program.level == "cuda_tile"
    assert pipelined.passes[0] == "tileas-generate-schedule"
    assert pipelined.lower().text == program.lower("ptx").text == program.compile().text
    seen: list[str] = []
    twice = program.lower("tileas-remove-dead-args", observe=lambda p, _: seen.append(p.name))
    assert seen[-1] == "tileas-remove-dead-args" and seen[-1] in twice.passes
    assert "tileas-remove-dead-args" not in twice.lower("tileas-remove-dead-args").passes


def test_a_module_of_the_caller_stays_as_it_was():
    module = tools.parse(ADD.read_text())
    before = str(module)
    program = tileir.load(module, "sm_90a")
    program.module.body.block.first_op.detach()  # pyright: ignore[reportOptionalMemberAccess]
    assert program.lower("nv_tileaa").kernels[0].name == "vector_add"
    assert str(module) == before


def test_options_are_seen_in_the_ir():
    options = tileir.Options(warps=16, ctas=1, occupancy=3)
    text = tileir.load(ADD, "sm_90a", options).lower("nv_tileaa").text
    assert "kernel_spec<num_warps = 16, num_ctas = 1, occupancy = 3>" in text
    product = ADD.parent / "divisible" / "matmul_f16_warpgroup.mlir"
    staged = tileir.load(product, "sm_90a", tileir.Options(stages=2, strategy="unspecialize"))
    text = staged.lower("nv_tileas").text
    assert "numStages = 2" in text and "agent_switch" not in text
    assert "agent_switch" in tileir.compile(product, "sm_90a", emit="nv_tileas").text
    plain = tileir.load(product, "sm_90a", tileir.Options(opt_level=0))
    assert "create_pipeline" not in plain.lower("nv_tileas").text
    self_contained = tileir.compile(product, "sm_90a", options=tileir.Options(abi="tile"))
    assert not self_contained.kernel().tensor_maps and not self_contained.kernel().dynamic_shared
    assert ".loc" in tileir.compile(ADD, "sm_90a", options=tileir.Options(lineinfo=True)).text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"warps": 3}, "warps=3: expected a power of two"),
        ({"warps": True}, "warps=True: expected a power of two"),
        ({"stages": 0}, "stages=0: expected a number from 1 on"),
        ({"opt_level": 4}, "opt_level=4: expected a number from 0 to 3"),
        ({"strategy": "none"}, "strategy=none: expected unspecialize or warp-specialize"),
        ({"lineinfo": 1}, "lineinfo=1: expected true or false"),
        ({"opt_level": None}, "opt_level=None: expected a number from 0 to 3"),
        ({"opt_level": 0, "stages": 2}, "stages=2: there are no pipelines at opt_level=0"),
        (
            {"opt_level": 0, "ctas": 2},
            "ctas=2: tile blocks are not divided among CTAs at opt_level=0",
        ),
        ({"abi": "tiles"}, "abi=tiles: unknown ABI 'tiles', expected 'native' or 'tile'"),
        ({"wraps": 4}, "wraps=4: unknown option, expected opt_level, warps, "),
    ],
)
def test_options_that_there_are_not(options: dict[str, int | str], message: str):
    with pytest.raises(ValueError, match=f"^{message}"):
        tileir.Options.from_mapping(options)


@pytest.mark.parametrize(
    ("gpu", "options", "message"),
    [
        ("sm_90a", {"warps": 64}, "warps=64: error: a thread block has at most 32 warps"),
        ("sm_80", {"ctas": 2}, "ctas=2: error: a cluster of sm_80 has at most 1 thread blocks"),
        (
            "sm_80",
            {"strategy": "warp-specialize"},
            "strategy=warp-specialize: error: warps of sm_80 cannot hand registers to others",
        ),
        ("sm_90a", {"ctas": 2}, "ctas=2: error: kernel 'vector_add' cannot be divided among CTAs"),
    ],
)
def test_options_that_cannot_be_had(gpu: str, options: dict[str, int | str], message: str):
    with pytest.raises(tileir.CompileError) as raised:
        tileir.compile(ADD, gpu, options=tileir.Options.from_mapping(options))
    assert str(raised.value) == message


def test_options_that_come_too_late():
    lowered = tileir.load(ADD, "sm_90a").lower("nv_tileaa").text
    assert tileir.compile(lowered, options=tileir.Options(stages=2)).gpu == "sm_90a"
    with pytest.raises(
        tileir.CompileError,
        match="warps=8: error: must be set earlier: the program is already at level nv_til",
    ):
        tileir.load(lowered, options=tileir.Options(warps=8))
    with pytest.raises(tileir.CompileError, match="the program is for sm_90a, not sm_80"):
        tileir.load(lowered, "sm_80")


def test_options_as_json():
    options = tileir.Options(warps=8, strategy="unspecialize", lineinfo=True)
    assert tileir.Options.from_json(options.to_json()) == options
    assert json.loads(tileir.Options().to_json()) == {}
    assert str(options) == "warps=8, strategy=unspecialize, lineinfo=True"
    assert options.replaced(warps=None) == tileir.Options(strategy="unspecialize", lineinfo=True)
    with pytest.raises(ValueError, match="expected a JSON object"):
        tileir.Options.from_json("[]")


def test_an_error_tells_where():
    text = ADD.read_text().replace("= addf ", "= addg ", 1)
    with pytest.raises(tileir.CompileError) as raised:
        tileir.compile(text, "sm_90a")
    error = raised.value
    line = next(n for n, content in enumerate(text.splitlines(), 1) if "addg" in content)
    assert (error.file, error.line) == ("<text>", line) and error.column
    assert error.message == "Operation addg is not registered, did you mean 'addi'?"
    assert str(error) == f"<text>:{line}:{error.column}: error: {error.message}"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.notes) == (str(error), error.line, error.notes)


def test_notes_name_the_op():
    with pytest.raises(tileir.CompileError) as raised:
        tileir.compile(KERNELS["matmul_f8"].text_path, "sm_80")
    error = raised.value
    assert error.line is not None and any("op at" in note for note in error.notes)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            b"\x7fTileIR\x00\x0d\x03",
            "<bytecode>: error: unexpected end of data (header, offset 10)",
        ),
        (b"\x7fELF\x02\x01\x01\x00", "<bytecode>: error: the file is neither Tile IR byte"),
        (b"entry \xff", "<bytecode>: error: the file is not UTF-8 text"),
        ("nowhere.mlir", "nowhere.mlir: error: No such file or directory"),
        ("", "<text>:1:1: error: "),
        ("module {\n", "<text>:"),
    ],
)
def test_sources_that_are_none(source: str | bytes, message: str):
    with pytest.raises(tileir.CompileError) as raised:
        tileir.compile(source, "sm_90a")
    assert str(raised.value).startswith(message) and "\n" not in str(raised.value)


def test_requests_that_make_no_sense():
    with pytest.raises(tileir.CompileError, match="'gfx90a'"):
        tileir.compile(ADD, "gfx90a")
    with pytest.raises(tileir.CompileError, match="emit=sass: error: expected cuda_tile, nv_tile"):
        tileir.compile(ADD, "sm_90a", emit="sass")
    with pytest.raises(tileir.CompileError, match="source: error: expected text, bytes or a path"):
        tileir.load(3)  # pyright: ignore[reportArgumentType]
    program = tileir.load(ADD, "sm_90a").lower("nv_tileas")
    with pytest.raises(tileir.CompileError, match="the program is at level nv_tileas, below nv_t"):
        program.lower("nv_tileaa")
    with pytest.raises(
        tileir.CompileError, match="canonicalize: error: is neither a level nor a remaining pass"
    ):
        program.lower("canonicalize")
    with pytest.raises(tileir.CompileError, match="there is no kernel 'k' in 'vector_add'"):
        program.compile().kernel("k")


def test_shown_in_short():
    program = tileir.load(ADD, "sm_90a")
    assert repr(program).startswith(f"<tileir.Program {ADD}: cuda_tile for sm_90a, ")
    compiled = program.compile()
    assert f"{ADD}: ptx for sm_90a, " in repr(compiled) and "128 threads" in repr(compiled)
    page = compiled._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "ptr&lt;f32&gt;" in page and "more lines" in page
    assert "load_view_tko" in program._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_saved_whole(tmp_path: Path):
    compiled = tileir.compile(ADD, "sm_90a")
    compiled.save(tmp_path / "a.ptx")
    assert (tmp_path / "a.ptx").read_text() == compiled.text
    with pytest.raises(tileir.CompileError, match="No such file or directory"):
        compiled.save(tmp_path / "none" / "a.ptx")


def test_ptxas_is_looked_for_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    compiled = tileir.compile(ADD, "sm_90a")
    real = tools.ptxas_path()
    monkeypatch.setattr(ptxas.importlib.util, "find_spec", dict[str, None]().get)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    with pytest.raises(tileir.CompileError) as raised:
        _ = compiled.cubin
    assert raised.value.message == (
        "ptxas not found: install the package nvidia-cuda-nvcc, or put ptxas on PATH or into the "
        "folder bin of CUDA_HOME"
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ptxas").symlink_to(real)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert ptxas.ptxas_path() == tmp_path / "bin" / "ptxas"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CUDA_HOME")
    assert ptxas.ptxas_path() == tmp_path / "bin" / "ptxas"


def test_ptxas_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    broken = tmp_path / "ptxas"
    broken.write_text("#!/bin/sh\necho 'ptxas fatal: no way' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(ptxas, "ptxas_path", lambda: broken)
    with pytest.raises(tileir.CompileError, match=r"vector_add\.mlir: error: ptxas fatal: no way"):
        tileir.compile(ADD, "sm_90a", emit="cubin")


NAMES = ("vector_add", "softmax_f32", "matmul_f16", "rms_norm")


def compiled_text(name: str) -> str:
    return tileir.compile(KERNELS[name].text_path, "sm_90a").text


def test_threads_share_programs():
    expected = [compiled_text(name) for name in NAMES]
    threshold = gc.get_threshold()
    programs = [tileir.load(KERNELS[name].text_path, "sm_90a") for name in NAMES] * 2
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(tileir.Program.compile, programs))
    assert [compiled.text for compiled in results] == expected * 2
    assert gc.get_threshold() == threshold


def test_processes_send_what_is_compiled():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        compiled = pool.submit(tileir.compile, str(ADD), "sm_90a").result()
        failed = pool.submit(tileir.compile, "nowhere.mlir", "sm_90a").exception()
    assert compiled == tileir.compile(str(ADD), "sm_90a")
    assert isinstance(failed, tileir.CompileError)
    assert failed.message == "No such file or directory"


def test_pickled_whole():
    compiled = tileir.compile(ADD.parent / "divisible" / "matmul_f16_warpgroup.mlir", "sm_90a")
    stream = io.BytesIO()
    pickle.dump(compiled, stream)
    assert pickle.loads(stream.getvalue()) == compiled
