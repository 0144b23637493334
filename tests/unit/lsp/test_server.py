"""`tileir lsp` in a process of its own, asked by a client that speaks the protocol."""

import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.passes import PASSES

from .client import URI, Client, served

KERNEL = (REPOSITORY / "tileir_xdsl/testing/kernels/vector_add.mlir").read_text()
LINES = KERNEL.split("\n")
NOWHERE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """One server for all tests of this file, which has to outlive all that they send.

    It has the document open: a worker may begin with any of these tests.
    """
    with served("--stdio") as client:
        result = client.initialize(window={"showDocument": {"support": True}})
        assert result["serverInfo"]["name"] == "tileir"
        assert client.open(KERNEL) == []
        yield client
        # pygls logs what is no message; no text is one that the reader fails on.
        assert "cannot read" not in client.end()


def line_of(part: str) -> int:
    return next(number for number, line in enumerate(LINES) if part in line)


def actions(client: Client, diagnostics: list[object]) -> list[dict[str, object]]:
    return client.ask(
        "textDocument/codeAction",
        textDocument={"uri": URI},
        range=NOWHERE,
        context={"diagnostics": diagnostics},
    )


def test_diagnostics_follow_the_text(client: Client):
    number = line_of("addf")
    diagnostics = client.change(KERNEL.replace("addf", "adf"))
    assert [d["range"]["start"]["line"] for d in diagnostics] == [number]
    assert "did you mean 'addf'" in diagnostics[0]["message"]
    fix = actions(client, diagnostics)[0]
    assert fix["title"] == "Change to 'addf'"
    (edit,) = fix["edit"]["changes"][URI]  # pyright: ignore[reportIndexIssue]
    start, end = edit["range"]["start"], edit["range"]["end"]
    changed = LINES[number].replace("addf", "adf")
    assert changed[start["character"] : end["character"]] == "adf" and edit["newText"] == "addf"
    assert client.change(KERNEL) == []


def test_changes_of_a_part(client: Client):
    client.change(KERNEL)
    number = line_of("addf")
    at = LINES[number].index("addf") + 3
    position = {"line": number, "character": at}
    changes = [{"range": {"start": position, "end": position}, "text": "x"}]
    client.notify(
        "textDocument/didChange",
        textDocument={"uri": URI, "version": 99},
        contentChanges=changes,
    )
    published = client.wait_for("textDocument/publishDiagnostics")
    assert published["version"] == 99 and "addxf" in published["diagnostics"][0]["message"]
    client.change(KERNEL)


def test_questions(client: Client):
    client.change(KERNEL)
    number = line_of("addf")
    hover = client.at("hover", number, LINES[number].index("addf") + 1)
    assert "**cuda_tile.addf**" in hover["contents"]["value"]
    used = LINES[number].index("%", LINES[number].index("addf"))
    value = LINES[number][used:].split(",")[0]
    definition = client.at("definition", number, used + 1)
    place = definition["range"]["start"]
    assert LINES[place["line"]][place["character"] :].startswith(value)
    uses = client.at("references", number, used + 1, context={"includeDeclaration": True})
    assert len(uses) >= 2 and definition in uses
    assert len(client.at("documentHighlight", number, used + 1)) == len(uses)
    outline = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    assert [inner["name"] for inner in outline[0]["children"]] == ["vector_add"]
    items = client.at("completion", number, LINES[number].index("addf") + 3)
    assert {"addf", "addi"} <= {item["label"] for item in items}


def test_passes(client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    client.change(KERNEL)
    command = "workspace/executeCommand"
    names = client.ask(command, command="tileir.listPasses", arguments=[])
    assert set(PASSES) < set(names)
    passes = "convert-cuda-tile-to-tileaa"
    result = client.ask(command, command="tileir.runPasses", arguments=[URI, passes, ""])
    file = tmp_path / "kernel.mlir"
    file.write_text(KERNEL)
    assert main(["opt", str(file), "-p", passes]) == 0
    assert result == {"text": capsys.readouterr().out, "message": None}
    wrong = client.ask(command, command="tileir.runPasses", arguments=[URI, "no-pass", ""])
    assert wrong["text"] is None and "there is no pass 'no-pass'" in wrong["message"]
    ptx = next(a for a in actions(client, []) if a["title"] == "Compile to PTX for sm_90a")
    shown = client.ask(command, **ptx["command"])  # pyright: ignore[reportCallIssue]
    assert ".entry vector_add" in Path(unquote(urlparse(shown).path)).read_text()
    requested = [m for m in client.notified if m["method"] == "window/showDocument"]
    assert requested[-1]["params"]["uri"] == shown


@pytest.mark.parametrize(
    "content",
    [
        b"nonsense\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{{{",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: -5\r\n\r\n",
        b"\r\n\r\n\0\0\0\r\n",
        b"Content-Length: 17\r\n\r\n" + b'{"jsonrpc":"2.0"}',
    ],
)
def test_messages_that_are_none(client: Client, content: bytes):
    client.send_bytes(content)
    assert client.change(KERNEL) == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {}),
        ("textDocument/hover", {"textDocument": {"uri": 5}, "position": "here"}),
        ("textDocument/nothing", {}),
        ("workspace/executeCommand", {"command": "tileir.nothing"}),
        ("workspace/executeCommand", {"command": "tileir.runPasses", "arguments": []}),
        ("workspace/executeCommand", {"command": "tileir.runPasses", "arguments": [1, {}]}),
    ],
)
def test_requests_that_cannot_be_answered(client: Client, method: str, params: object):
    assert client.answer(method, params)["error"]["message"]
    assert client.change(KERNEL) == []


@pytest.mark.parametrize("uri", ["file:///nowhere/else.mlir", "untitled:x", "nonsense", "\0"])
def test_documents_that_there_are_not(client: Client, uri: str):
    position = {"line": 0, "character": 0}
    assert client.ask("textDocument/hover", textDocument={"uri": uri}, position=position) is None
    assert client.ask("textDocument/documentSymbol", textDocument={"uri": uri}) == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "text",
    ["\0\0", "\ud800", "(" * 5000, '"' * 999, "%0 = ", "x" * 100_000, "entry @k() {" * 2000],
    ids=["zero", "surrogate", "open", "quotes", "begun", "long", "nested"],
)
def test_texts_that_are_none(client: Client, text: str):
    assert client.change(text) != []
    assert client.at("hover", 0, 1) is None or text == "%0 = "
    assert client.at("hover", 7, 999) is None
    client.at("completion", 0, 3)
    assert client.change(KERNEL) == []


def test_end_of_input_ends_the_server():
    with served() as client:
        client.initialize()
        client.process.communicate()
        assert client.process.returncode == 0


def test_bytes_as_units():
    with served() as client:
        result = client.initialize(general={"positionEncodings": ["utf-8"]})
        assert result["capabilities"]["positionEncoding"] == "utf-8"
        (diagnostic,) = client.open('#a = "\u20ac" foo')
        start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
        assert (start["character"], end["character"]) == (11, 14)


def test_without_pygls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.delitem(sys.modules, "tileir_xdsl.lsp.server", raising=False)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 1
    expected = "lsp: error: needs the package lsprotocol: pip install 'tileir_xdsl[lsp]'\n"
    assert capsys.readouterr().err == expected


def test_a_wrong_target(capsys: pytest.CaptureFixture[str]):
    assert main(["lsp", "--gpu", "sm_9a"]) == 1
    assert "did you mean 'sm_90a'?" in capsys.readouterr().err
