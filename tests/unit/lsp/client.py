"""A client that speaks the language server protocol with `tileir lsp` over its standard streams."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

MOST_SECONDS = 300
"""How long a server may run."""

URI = "file:///nowhere/kernel.mlir"


class Client:
    """A server in a process of its own, and what it has sent without being asked."""

    def __init__(self, *arguments: str):
        command = [sys.executable, "-P", "-m", "tileir_xdsl.cli.main", "lsp", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        # A server that does not answer fails the test.
        self.watch = threading.Timer(MOST_SECONDS, self.process.kill)
        self.watch.start()
        self.notified: list[Mapping[str, Any]] = []
        self._number = 0
        self._version = 0

    def send_bytes(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def receive(self) -> Mapping[str, Any]:
        """The next message, of any kind; fails where the server has ended."""
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the server has ended"
        return json.loads(self.process.stdout.read(length))

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def answer(self, method: str, params: Any) -> Mapping[str, Any]:
        """The whole answer to a request: it has `result` or `error`."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        while (message := self.receive()).get("id") != self._number or "method" in message:
            self._keep(message)
        return message

    def _keep(self, message: Mapping[str, Any]) -> None:
        self.notified.append(message)
        if message.get("method") == "window/showDocument":
            self.send({"id": message["id"], "result": {"success": True}})

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        answer = self.answer(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def wait_for(self, method: str) -> Any:
        """The parameters of the next notification of this name."""
        while (message := self.receive()).get("method") != method:
            self._keep(message)
        return message["params"]

    def initialize(self, **capabilities: Any) -> Mapping[str, Any]:
        result = self.ask("initialize", processId=None, rootUri=None, capabilities=capabilities)
        self.notify("initialized")
        return result

    def open(self, text: str, uri: str = URI) -> list[Any]:
        """Opens a document; its diagnostics."""
        document = {"uri": uri, "languageId": "tileir", "version": 1, "text": text}
        self._version = 1
        self.notify("textDocument/didOpen", textDocument=document)
        return self.wait_for("textDocument/publishDiagnostics")["diagnostics"]

    def change(self, text: str, uri: str = URI) -> list[Any]:
        """Puts another text in place of that of a document; its diagnostics."""
        self._version += 1
        document = {"uri": uri, "version": self._version}
        self.notify(
            "textDocument/didChange", textDocument=document, contentChanges=[{"text": text}]
        )
        return self.wait_for("textDocument/publishDiagnostics")["diagnostics"]

    def at(self, method: str, line: int, character: int, **further: Any) -> Any:
        """The result of a request of `textDocument/` about a position, counted from 0."""
        position = {"line": line, "character": character}
        document = {"uri": URI}
        return self.ask(
            f"textDocument/{method}", textDocument=document, position=position, **further
        )

    def end(self) -> str:
        """Shuts the server down; what it wrote on its standard error stream."""
        self.ask("shutdown")
        self.notify("exit")
        _, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return errors.decode()


@contextmanager
def served(*arguments: str) -> Generator[Client]:
    """A client of a new server, which is ended at the end in any case."""
    client = Client(*arguments)
    try:
        yield client
    finally:
        client.watch.cancel()
        client.process.kill()
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        client.process.wait()
