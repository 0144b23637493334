// Starts `tileir lsp` for Tile IR, and runs passes on the file that is open.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  return vscode.workspace.getConfiguration("tileir");
}

async function start() {
  const command = settings().get("command");
  const args = ["lsp", "--gpu", settings().get("gpu")];
  client = new LanguageClient(
    "tileir",
    "CUDA Tile IR",
    { command, args },
    { documentSelector: [{ language: "tileir" }] },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `'${command} lsp' does not start: ${error.message}. Is tileir_xdsl[lsp] installed, ` +
        "and the setting tileir.command its command?",
    );
  }
}

async function restart() {
  if (client) {
    await client.stop().catch(() => undefined);
  }
  await start();
}

// What passes make of the file that is open, in a new document beside it.
async function run(passes, target) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "tileir") {
    vscode.window.showErrorMessage("No Tile IR is open.");
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const result = await client.sendRequest("workspace/executeCommand", {
    command: "tileir.runPasses",
    arguments: [uri, passes, target],
  });
  if (result.text === null) {
    vscode.window.showErrorMessage(result.message);
    return;
  }
  const language = target ? "plaintext" : "tileir";
  const document = await vscode.workspace.openTextDocument({ content: result.text, language });
  await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
}

function pipeline() {
  return `tileir-pipeline{gpu=${settings().get("gpu")}}`;
}

async function pickPasses() {
  const names = await client.sendRequest("workspace/executeCommand", {
    command: "tileir.listPasses",
    arguments: [],
  });
  const typed = "Several, or with options ...";
  const picked = await vscode.window.showQuickPick([pipeline(), ...names, typed]);
  const passes =
    picked === typed
      ? await vscode.window.showInputBox({ prompt: "As for xdsl-opt -p", value: pipeline() })
      : picked;
  if (passes) {
    await run(passes, "");
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("tileir.pickPasses", pickPasses),
    vscode.commands.registerCommand("tileir.pickPTX", () => run(pipeline(), "ptx")),
    vscode.commands.registerCommand("tileir.restart", restart),
  );
  await start();
}

async function deactivate() {
  if (client) {
    await client.stop();
  }
}

module.exports = { activate, deactivate };
