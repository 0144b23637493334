"""The server over sockets: what it refuses, what it sends, and compilations that it has made."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.unit.report.page.samples import report
from tileir_xdsl import samples
from tileir_xdsl.cli.main import main
from tileir_xdsl.view.server import ViewServer, viewing

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ViewServer]:
    folder = tmp_path_factory.mktemp("parent") / "folder"
    folder.mkdir()
    (folder.parent / "secret.mlir").write_text("secret")
    (folder / "saxpy.mlir").write_text(samples.path("saxpy").read_text())
    (folder / "bad <b>.mlir").write_text("cuda_tile.module @m { entry @f() { oops } }")
    (folder / "old.report.json").write_text(json.dumps(report()))
    (folder / "broken.report.json").write_text("{")
    (folder / "newer.report.json").write_text(json.dumps(report(version=2)))
    (folder / "link.mlir").symlink_to(folder.parent / "secret.mlir")
    with viewing(folder, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: ViewServer,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    token: str | None = None,
    **headers: str,
) -> tuple[HTTPResponse, bytes]:
    """The answer to a request, and its contents."""
    connection = HTTPConnection("127.0.0.1", server.guard.port, timeout=60)
    connection.request(
        method, f"/{server.guard.token if token is None else token}/{path}", body, headers
    )
    answer = connection.getresponse()
    contents = answer.read()
    connection.close()
    return answer, contents


def status(server: ViewServer, path: str, **request: Any) -> int:
    return ask(server, path, **request)[0].status


def test_pages(server: ViewServer):
    for path, type in {"": "html", "index.js": "javascript", "view.css": "css"}.items():
        answer, contents = ask(server, path)
        assert answer.status == 200
        assert answer.headers["Content-Type"] == f"text/{type}; charset=utf-8"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert len(contents) == int(answer.headers["Content-Length"])


def test_only_the_loopback_is_listened_to(server: ViewServer):
    assert server.server_address[0] == "127.0.0.1"


def test_refusals(server: ViewServer):
    assert status(server, "", token="x" * 32) == 403
    assert status(server, "", Host="evil.example") == 403
    assert status(server, "", Origin="http://evil.example") == 403
    assert status(server, "", method="OPTIONS") == 405
    assert status(server, "", method="DELETE") == 405
    assert status(server, "", body=b"x") == 400
    answer, _ = ask(server, "", method="PUT", body=b"x")
    assert answer.headers["Allow"] == "GET, POST"


@pytest.mark.parametrize(
    "path",
    [
        "report/../../secret.mlir",
        "report/..%2f..%2fsecret.mlir",
        "report/%2e%2e%2fsecret.mlir",
        "report/../secret.mlir",
        "../secret.mlir",
        "report//etc/passwd",
        "report/%2Fetc%2Fpasswd",
        "report/link.mlir",
        "report/saxpy.mlir%00",
        "report/",
        "report",
        "force/saxpy.mlir",
        "static/index.html",
        "%2e%2e/secret.mlir",
    ],
)
def test_no_path_leads_elsewhere(server: ViewServer, path: str):
    answer, contents = ask(server, path)
    assert answer.status == 404
    assert b"secret" not in contents


@pytest.mark.parametrize(
    ("name", "body", "headers", "expected"),
    [
        ("saxpy.mlir", b'{"force": 1}', JSON, 400),
        ("saxpy.mlir", b'{"force": [1]}', JSON, 400),
        ("saxpy.mlir", b"[]", JSON, 400),
        ("saxpy.mlir", b"{", JSON, 400),
        ("saxpy.mlir", b"[" * 60000, JSON, 400),
        ("saxpy.mlir", json.dumps({"force": ["x" * 501]}).encode(), JSON, 400),
        ("saxpy.mlir", b'{"force": []}', {"Content-Type": "text/plain"}, 415),
        ("saxpy.mlir", b"x" * 70000, JSON, 413),
        ("old.report.json", b'{"force": []}', JSON, 409),
        ("missing.mlir", b'{"force": []}', JSON, 404),
    ],
)
def test_bodies(server: ViewServer, name: str, body: bytes, headers: dict[str, str], expected: int):
    assert status(server, f"force/{name}", method="POST", body=body, **headers) == expected


def test_reports_made_before(server: ViewServer):
    answer, contents = ask(server, "report/old.report.json")
    assert answer.status == 200
    assert b'id="live"' in contents
    for name, message in {
        "broken": b"not JSON",
        "newer": b"expected a report of version 1",
    }.items():
        answer, contents = ask(server, f"report/{name}.report.json")
        assert answer.status == 422
        assert message in contents


def entry_of(server: ViewServer, name: str) -> dict[str, Any]:
    return json.loads(ask(server, "changes")[1])["entries"][name]


def settled(server: ViewServer, name: str) -> dict[str, Any]:
    """The entry of a kernel when its compilation has come to an end."""
    since = ""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        changes = json.loads(ask(server, f"changes?since={since}")[1])
        entry, since = changes["entries"][name], changes["revision"]
        if entry["status"] != "compiling":
            return entry
    raise AssertionError(f"{name} is still compiled")


def test_a_kernel_with_a_choice_that_there_is_not(server: ViewServer):
    _, contents = ask(server, "report/saxpy.mlir")
    assert b"Being compiled" in contents
    assert settled(server, "saxpy.mlir")["status"] == "done"
    _, contents = ask(server, "report/saxpy.mlir")
    assert b'class="state state-done">done' in contents

    body = json.dumps({"force": ["cse{force=#1=x}"]}).encode()
    assert status(server, "force/saxpy.mlir", method="POST", body=body, **JSON) == 200
    entry = settled(server, "saxpy.mlir")
    assert entry["status"] == "failed"
    assert entry["forced"] == ["cse{force=#1=x}"]
    assert "there is no pass 'cse' with choices to force" in entry["message"]
    # A page of the folder lists kernels and reports apart by their kind.
    assert set(entry) == {"kind", "revision", "status", "forced", "message"}
    assert entry["kind"] == "kernel"
    assert set(entry_of(server, "old.report.json")) == {"kind", "revision"}
    assert entry_of(server, "old.report.json")["kind"] == "report"
    _, contents = ask(server, "report/saxpy.mlir")
    assert b"with choices to force" in contents and b'class="state state-done">done' in contents


def test_a_kernel_that_does_not_compile(server: ViewServer):
    path = "report/bad%20%3Cb%3E.mlir"
    assert b"bad &lt;b&gt;.mlir" in ask(server, path)[1]
    entry = settled(server, "bad <b>.mlir")
    assert (entry["status"], entry["message"]) == ("failed", None)
    assert b'role="alert"' in ask(server, path)[1]


def test_a_file_that_changes(tmp_path: Path):
    with viewing(tmp_path, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            since = json.loads(ask(server, "changes")[1])["revision"]
            (tmp_path / "a.mlir").write_text("oops")
            changes = json.loads(ask(server, f"changes?since={since}")[1])
            assert list(changes["entries"]) == ["a.mlir"]
            ask(server, "report/a.mlir")
            first = settled(server, "a.mlir")
            (tmp_path / "a.mlir").write_text("oops again")
            json.loads(ask(server, f"changes?since={server.site.revisions.last}")[1])
            assert settled(server, "a.mlir")["revision"] != first["revision"]
            (tmp_path / "a.mlir").unlink()
            changes = json.loads(ask(server, f"changes?since={server.site.revisions.last}")[1])
            assert changes["entries"] == {}
            assert status(server, "report/a.mlir") == 404
        finally:
            server.shutdown()
            thread.join()


def test_ctrl_c_ends_quietly(tmp_path: Path):
    command = [sys.executable, "-m", "tileir_xdsl.cli.main", "view", str(tmp_path)]
    for ending in (signal.SIGINT, signal.SIGTERM):
        # Where the tests run in the background, they have been told to ignore it.
        heard = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
        with subprocess.Popen(
            command, stdout=-1, stderr=-1, text=True, preexec_fn=heard
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            assert process.stdout.readline().startswith("http://127.0.0.1:")
            process.send_signal(ending)
            assert process.wait(60) == 0
            assert process.stderr.read() == ""


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["view", str(tmp_path), "--port", str(port)]) == 1
    error = capsys.readouterr().err
    assert error == f"127.0.0.1:{port}: error: Address already in use\n"


@pytest.mark.parametrize("port", ["-1", "65536", "x", "٣"])
def test_no_port(port: str, tmp_path: Path):
    with pytest.raises(SystemExit):
        main(["view", str(tmp_path), f"--port={port}"])


def test_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["view", str(tmp_path / "missing")]) == 1
    assert (
        capsys.readouterr().err
        == f"{tmp_path}/missing: error: expected a folder or a Python file\n"
    )
