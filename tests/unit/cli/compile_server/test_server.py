"""The server: the same output and status as without it, and never in the way."""

import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from tests.unit.extensions.written import marking_ptx
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.compile_server import messages
from tileir_xdsl.cli.compile_server.address import PLACE, socket_path
from tileir_xdsl.cli.compile_server.client import SWITCH
from tileir_xdsl.cli.compile_server.connection import ask, connected, request

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")

CLIENT = "import sys; from tileir_xdsl.cli.compile_server.client import {0}; sys.exit({0}())"

Result = tuple[int, bytes, bytes]
T = TypeVar("T", bound=object)


def command(*words: str, program: str = "tileir", **options: object) -> Result:
    """Exit status, standard output and error of a command."""
    arguments = [sys.executable, "-c", CLIENT.format(program), *words]
    done = subprocess.run(arguments, capture_output=True, check=False, **options)  # pyright: ignore
    return done.returncode, done.stdout, done.stderr  # pyright: ignore


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose name leaves room for that of a socket."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    before = os.environ.get(PLACE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[PLACE] = folder
        yield Path(folder)
        ask({"command": "stop"})
    if before is None:
        del os.environ[PLACE]
    else:
        os.environ[PLACE] = before


@pytest.fixture
def server(place: Path) -> int:
    """The process of a server that runs."""
    status, _, error = command("server", "start")
    assert status == 0, error
    answer = ask({"command": "status"})
    assert answer is not None
    return answer["process"]


def without_server(*words: str, program: str = "tileir", **options: object) -> Result:
    environment = {**os.environ, SWITCH: "0"}
    return command(*words, program=program, env=environment, **options)


@pytest.fixture(scope="module")
def compiled() -> Result:
    """A kernel compiled without a server."""
    return without_server("compile", KERNEL)


def children_of(server: int) -> list[int]:
    """The processes that the server has for commands, without the one for the next."""
    while True:
        before = spare_of(server)
        children = [child.pid for child in psutil.Process(server).children()]
        if spare_of(server) == before:
            return [child for child in children if child != before]


def spare_of(server: int) -> int | None:
    """The process that waits for the next command."""
    answer = ask({"command": "status"})
    assert answer is not None and answer["process"] == server
    return answer["spare"]


def has_spare(server: int) -> int | None:
    """The process that waits for the next command, once it is ready."""
    spare = spare_of(server)
    if spare is None or not psutil.pid_exists(spare):
        return None
    # It sleeps when it waits, and not before.
    return spare if psutil.Process(spare).status() == psutil.STATUS_SLEEPING else None


def within_a_minute(found: Callable[[], T | None]) -> T:
    """What `found` returns once it is something."""
    end = time.monotonic() + 60
    while not (result := found()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return result


def process_of_client(
    server: int, stdout: int | None = None, stderr: int | None = None
) -> tuple[subprocess.Popen[bytes], int]:
    """A client whose command waits for input, and the server's process that executes it."""
    # One that has answered may not have ended yet.
    within_a_minute(lambda: not children_of(server))
    arguments = [sys.executable, "-c", CLIENT.format("tileir"), "compile", "-"]
    client = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        # Where the tests run in the background, they have been told to ignore it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    (process,) = within_a_minute(lambda: children_of(server))
    # The second thread watches the client; it runs once the client knows that the command does.
    within_a_minute(lambda: psutil.Process(process).num_threads() > 1)
    return client, process


COMMANDS = [
    ("compile", KERNEL, "--gpu", "sm_80", "--emit", "nv_tileas"),
    ("compile", KERNEL, "-v"),
    ("compile", KERNEL, "--warps", "3"),
    ("compile", "missing.mlir"),
    ("compile", "--nonsense"),
    ("compile",),
    ("fmt", KERNEL),
    ("asm", KERNEL, "-o", "/dev/stdout"),
    ("lint", KERNEL),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_same_as_without_it(words: tuple[str, ...], server: int, tmp_path: Path):
    assert command(*words, cwd=tmp_path) == without_server(*words, cwd=tmp_path)


def test_standard_input_folder_environment_and_mask(server: int, tmp_path: Path):
    source = Path(KERNEL).read_bytes()
    expected = without_server("compile", "-", input=source)
    assert command("compile", "-", input=source) == expected
    assert expected[0] == 0
    kernel = tmp_path / "kernel.mlir"
    kernel.write_bytes(source)
    assert command("compile", "kernel.mlir", "-o", "out.ptx", cwd=tmp_path, umask=0o077) == (
        0,
        b"",
        b"",
    )
    assert (tmp_path / "out.ptx").stat().st_mode & 0o777 == 0o600
    refused = command("compile", KERNEL, env={**os.environ, "COLUMNS": "60"})
    assert refused[0] == 0


def test_tileir_as(server: int, tmp_path: Path):
    bytecode = tmp_path / "kernel.tileirbc"
    assert command("asm", KERNEL, "-o", str(bytecode))[0] == 0
    words = (str(bytecode), "--gpu-name", "sm_90", "-o")
    results = [
        run(*words, str(tmp_path / name), program="tileir_as")
        for run, name in ((command, "one"), (without_server, "two"))
    ]
    assert results[0] == results[1] == (0, b"", b"")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert command("--nonsense", program="tileir_as") == without_server(
        "--nonsense", program="tileir_as"
    )


def test_the_client_imports_nothing_of_the_compiler(server: int):
    script = CLIENT.format("tileir").replace("sys.exit(tileir())", "tileir()") + (
        "; print(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "compile", KERNEL], capture_output=True, text=True
    )
    assert done.stdout.startswith(".version")
    ours = {name for name in eval(done.stderr) if name.startswith(("tileir_xdsl", "xdsl", "numpy"))}
    prefix = "tileir_xdsl.cli.compile_server"
    assert ours == {
        "tileir_xdsl",
        "tileir_xdsl.cli",
        "tileir_xdsl.on_use",
        prefix,
        *(f"{prefix}.{name}" for name in ("address", "client", "connection", "messages")),
    }


def test_many_at_once(server: int, compiled: Result):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(command, ["compile"] * 8, [KERNEL] * 8))
    assert results == [compiled] * 8


def test_a_command_that_reads_for_long_holds_up_nobody(server: int):
    waiting, _ = process_of_client(server, stdout=subprocess.PIPE)
    assert command("compile", KERNEL)[0] == 0
    output, _ = waiting.communicate(Path(KERNEL).read_bytes())
    assert waiting.returncode == 0 and output.startswith(b".version")


def test_the_process_forked_before_is_used_once(server: int, compiled: Result):
    first = within_a_minute(lambda: has_spare(server))
    waiting, process = process_of_client(server, stdout=subprocess.PIPE)
    assert process == first
    second = within_a_minute(lambda: has_spare(server))
    assert second != first
    assert waiting.communicate(Path(KERNEL).read_bytes())[0] == compiled[1]
    assert command("compile", KERNEL) == compiled


def test_a_spare_process_that_is_killed_is_replaced(server: int):
    spare = within_a_minute(lambda: has_spare(server))
    os.kill(spare, signal.SIGKILL)
    assert command("compile", KERNEL)[0] == 0
    assert within_a_minute(lambda: has_spare(server)) != spare


def test_interrupt(server: int):
    waiting, _ = process_of_client(server, stderr=subprocess.PIPE)
    waiting.send_signal(signal.SIGINT)
    # Its input stays open: it is not the end of that which ends it.
    waiting.wait(60)
    _, error = waiting.communicate()
    assert (waiting.returncode, error) == (130, b"tileir: error: interrupted\n")


def test_a_killed_process_is_one_message(server: int):
    waiting, process = process_of_client(server, stderr=subprocess.PIPE)
    os.kill(process, signal.SIGKILL)
    waiting.wait(60)
    _, error = waiting.communicate()
    assert (waiting.returncode, error) == (
        1,
        b"tileir: error: the server's process has ended early\n",
    )
    assert command("compile", KERNEL)[0] == 0


def test_a_client_that_goes_takes_its_process_along(server: int):
    waiting, _ = process_of_client(server)
    waiting.kill()
    waiting.communicate()
    within_a_minute(lambda: not children_of(server))


@pytest.mark.parametrize("sent", [b"", b"x", b"\xff" * 8, b"\x02" + bytes(7) + b"[]", bytes(40)])
def test_nonsense_on_the_socket_harms_nobody(sent: bytes, server: int):
    with connected() as connection:
        assert connection is not None
        connection.sendall(sent)
    for message in ({"command": "status"}, {}):
        answer = ask(message)
        assert answer is not None and answer["process"] == server


def test_a_client_that_goes_before_its_command_begins_sees_nothing(server: int):
    reading, writing = os.pipe()
    with connected() as connection, open(os.devnull, "rb") as nothing:
        assert connection is not None
        messages.send(connection, request("tileir", ["compile", KERNEL]))
        assert messages.receive(connection) == {"accepts": True}
        socket.send_fds(connection, [b"s"], [nothing.fileno(), writing, writing])
    os.close(writing)
    with open(reading, "rb") as shown:
        assert shown.read() == b""


def test_a_killed_server_leaves_no_trace(server: int, compiled: Result):
    spare = within_a_minute(lambda: has_spare(server))
    os.kill(server, signal.SIGKILL)
    within_a_minute(lambda: not psutil.pid_exists(spare))
    assert socket_path().exists()
    assert command("compile", KERNEL) == compiled
    assert command("server", "status") == (1, b"no server runs\n", b"")
    assert command("server", "start")[0] == 0
    assert command("compile", KERNEL) == compiled


def test_start_and_stop_twice(server: int):
    assert command("server", "start") == (0, f"process {server} serves\n".encode(), b"")
    assert command("server", "status") == (0, f"process {server} serves\n".encode(), b"")
    assert command("server", "stop") == (0, b"stopped\n", b"")
    assert command("server", "stop") == (0, b"no server runs\n", b"")
    assert not socket_path().exists()


def wait_for_server(runs: bool) -> None:
    within_a_minute(lambda: (ask({"command": "status"}) is not None) == runs)


def test_auto_starts_one(place: Path, compiled: Result):
    ask({"command": "stop"})
    wait_for_server(False)
    environment = {**os.environ, SWITCH: "auto"}
    assert command("compile", KERNEL, env=environment) == compiled
    wait_for_server(True)
    assert command("compile", KERNEL, env=environment) == compiled


def test_a_server_that_nobody_asks_ends(short_path: Path):
    environment = {**os.environ, PLACE: str(short_path), "TILEIR_SERVER_IDLE": "1"}
    assert command("server", "start", env=environment)[0] == 0
    within_a_minute(lambda: not list(short_path.rglob("*.socket")))


def test_a_name_that_is_too_long_for_a_socket(tmp_path: Path, compiled: Result):
    folder = tmp_path / ("a" * 100)
    environment = {**os.environ, PLACE: str(folder)}
    status, _, error = command("server", "start", env=environment)
    assert status == 1 and error.endswith(
        b"error: is longer than the name of a socket may be, set TILEIR_SERVER_DIR\n"
    )
    assert command("compile", KERNEL, env=environment) == compiled


def another_user(_connection: socket.socket) -> messages.Peer:
    return messages.Peer(os.getpid(), os.getuid() + 1)


def test_other_users_cannot_listen_in(short_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(PLACE, str(short_path))
    folder = socket_path().parent
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path()))
        listener.listen()
        with connected() as connection:
            assert connection is not None
        folder.chmod(0o755)
        with connected() as connection:
            assert connection is None
        folder.chmod(0o700)
        monkeypatch.setattr(messages, "peer", another_user)
        with connected() as connection:
            assert connection is None


def test_a_server_that_hangs_is_left_alone(
    short_path: Path, compiled: Result, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PLACE, str(short_path))
    socket_path().parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path()))
        listener.listen()
        assert command("compile", KERNEL) == compiled


def test_another_version_is_asked_nothing(server: int, monkeypatch: pytest.MonkeyPatch):
    here = socket_path()
    monkeypatch.setattr(sys, "prefix", "/elsewhere")
    assert socket_path() != here
    assert ask({"command": "status"}) is None


def told(data: bytes, seconds: float) -> None:
    """A client sends bytes one by one, so many seconds apart, until nobody listens."""
    with connected() as connection:
        assert connection is not None
        for byte in data:
            try:
                connection.sendall(bytes([byte]))
            except OSError:
                return
            time.sleep(seconds)


def test_json_of_any_depth(server: int):
    text = b"[" * 100_000
    with connected() as connection:
        assert connection is not None
        connection.sendall(struct.pack("<Q", len(text)) + text)
        assert connection.recv(1) == b""
    assert ask({"command": "status"}) is not None


def test_a_client_that_sends_byte_by_byte_is_not_waited_for(server: int):
    """All of a message must come in the time in which a byte of it may come."""
    with ThreadPoolExecutor(1) as executor:
        slow = executor.submit(told, struct.pack("<Q", 8) + b"12345678", 3.0)
        time.sleep(0.5)
        started = time.monotonic()
        answer = within_a_minute(lambda: answered({"command": "status"}))
        assert answer["process"] == server and time.monotonic() - started < 15
        slow.result()


def answered(message: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return ask(message)
    except TimeoutError:
        return None


def test_a_server_that_is_stopped_is_left_alone(server: int, compiled: Result):
    os.kill(server, signal.SIGSTOP)
    try:
        started = time.monotonic()
        expected = f"process {server} is stopped, and goes on after kill -CONT {server}\n"
        for action in ("status", "stop", "start"):
            status, _, error = command("server", action)
            assert status == 1 and error.decode().endswith(f".socket: error: {expected}")
        assert command("compile", KERNEL) == compiled
        assert time.monotonic() - started < 30
    finally:
        os.kill(server, signal.SIGCONT)
    assert command("server", "status")[0] == 0


@pytest.mark.parametrize("action", ["start", "status", "stop"])
def test_a_folder_that_others_may_read(
    action: str, short_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PLACE, str(short_path))
    folder = socket_path().parent
    folder.mkdir()
    folder.chmod(0o755)
    message = "expected a folder that belongs to this user and that no other user can open"
    started = time.monotonic()
    assert command("server", action) == (1, b"", f"{folder}: error: {message}\n".encode())
    assert time.monotonic() - started < 20


@pytest.mark.usefixtures("server")
def test_an_edited_extension_is_compiled_with(tmp_path: Path):
    for mark in (2, 3):
        status, output, error = command("compile", KERNEL, "--with", marking_ptx(tmp_path, mark))
        assert (status, error) == (0, b"")
        assert f".minnctapersm {mark}".encode() in output
