"""The language server on pygls: it answers requests by calling the other modules.

A separate thread analyses texts, so that the protocol's thread receives changes while a large text
is read. Each version of a text is read once.
"""

from __future__ import annotations

import asyncio
import logging
import re
import tempfile
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from tileir_xdsl.lsp import completion, hovers, navigation
from tileir_xdsl.lsp.analysis import Analysis, Symbol, analyse
from tileir_xdsl.lsp.parsing import Problem
from tileir_xdsl.lsp.running import Outcome, run_passes, steps_for
from tileir_xdsl.lsp.source import UTF_16, Source, Span
from tileir_xdsl.runtime.reader import new_context
from tileir_xdsl.universe import PASSES

SOURCE = "tileir"
"""The `source` of diagnostics in the protocol."""

SECONDS_UNTIL_READ = 0.03
"""The seconds without a change after which a text is checked."""

RUN, OPEN, LIST = "tileir.runPasses", "tileir.openResult", "tileir.listPasses"
"""The commands: run passes and return the text, or show it; the names of all passes."""

FURTHER_PASSES = ("canonicalize", "cse", "dce")
"""Passes of xDSL that are of use on the road."""

_LOG = logging.getLogger(__name__)
_SUGGESTED = re.compile(r"'?([\w.$\-]+)'? is not registered, did you mean '([^']+)'\?")

T = TypeVar("T")


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol, extended to answer requests with invalid parameters."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(number := data.get("id"), int | str):
                self._send_response(number, error=error.to_response_error())
            raise


class TileIRServer(LanguageServer):
    """A language server with the texts that are open in an editor."""

    def __init__(self, version: str, gpu: str):
        super().__init__("tileir", version, protocol_cls=AnsweringProtocol)
        self.gpu = gpu
        self.context = new_context()
        self._reader: Executor = ThreadPoolExecutor(1, "reader")
        self._read: dict[str, tuple[Source, asyncio.Future[Analysis]]] = {}
        self._announcing: dict[str, asyncio.Task[None]] = {}
        self._results: tempfile.TemporaryDirectory[str] | None = None
        self._opened = 0

    def source_of(self, uri: str) -> Source | None:
        """The text of a document in the editor, otherwise in its file; None without a file."""
        try:
            text = self.workspace.get_text_document(uri).source
        except (OSError, ValueError):
            return None
        encoding = self.server_capabilities.position_encoding
        return Source(text, encoding or UTF_16)

    async def analysis_of(self, uri: str) -> Analysis | None:
        """The analysis of the present text of a document; None if the document cannot be read."""
        source = self.source_of(uri)
        if source is None:
            return None
        known = self._read.get(uri)
        if known is None or known[0] != source:
            loop = asyncio.get_running_loop()
            future = loop.run_in_executor(self._reader, analyse, self.context, source)
            known = self._read[uri] = source, future
        # Not the reading itself is to end when a request is cancelled.
        return await asyncio.shield(known[1])

    async def ask(self, question: Callable[..., T], *arguments: Any) -> T:
        """Answers a question that uses the dialects, in the thread that reads texts."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, question, *arguments)

    def announce_soon(self, uri: str) -> None:
        """Publishes the mistakes of a document soon, unless it changes again."""
        if (task := self._announcing.pop(uri, None)) is not None:
            task.cancel()
        self._announcing[uri] = asyncio.get_running_loop().create_task(self._announce(uri))

    async def _announce(self, uri: str) -> None:
        await asyncio.sleep(SECONDS_UNTIL_READ)
        document = self.workspace.get_text_document(uri)
        version = document.version
        try:
            analysis = await self.analysis_of(uri)
            found = [] if analysis is None else _diagnostics(analysis)
        except Exception:
            # A defect of the compiler must not take the editor's other help away.
            _LOG.exception("cannot read %s", uri)
            message = "the text cannot be read: see the log of the language server"
            found = [types.Diagnostic(_first_line(), message, types.DiagnosticSeverity.Error)]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, version=version)
        )

    def forget(self, uri: str) -> None:
        """Drops the analysis and the diagnostics of a closed document."""
        if (task := self._announcing.pop(uri, None)) is not None:
            task.cancel()
        self._read.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def result_file(self, uri: str, suffix: str) -> Path:
        """A new file for the result of passes on a document; it is deleted when the server ends."""
        if self._results is None:
            self._results = tempfile.TemporaryDirectory(
                prefix="tileir-", ignore_cleanup_errors=True
            )
        self._opened += 1
        stem = re.sub(r"[^\w.\-]", "_", Path(uri).stem) or "result"
        return Path(self._results.name) / f"{stem}.{self._opened}.{suffix}"

    def end(self) -> None:
        """Deletes the files that the server has written."""
        if self._results is not None:
            self._results.cleanup()


def _first_line() -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(0, 1))


def _range(source: Source, span: Span) -> types.Range:
    start, end = (types.Position(*source.position(offset)) for offset in span)
    return types.Range(start, end)


def _offset(source: Source, position: types.Position) -> int:
    return source.offset(position.line, position.character)


def _diagnostics(analysis: Analysis) -> list[types.Diagnostic]:
    return [_diagnostic(analysis.source, problem) for problem in analysis.problems]


def _diagnostic(source: Source, problem: Problem) -> types.Diagnostic:
    severity = types.DiagnosticSeverity.Error
    message = " ".join(problem.message.split())
    return types.Diagnostic(_range(source, problem.span), message, severity, source=SOURCE)


def _symbol(source: Source, symbol: Symbol) -> types.DocumentSymbol:
    is_module = symbol.op.name.endswith("module")
    is_function = bool(symbol.op.regions)
    kind = types.SymbolKind.Function if is_function else types.SymbolKind.Variable
    return types.DocumentSymbol(
        symbol.name or "module",
        types.SymbolKind.Module if is_module else kind,
        _range(source, symbol.span),
        _range(source, symbol.name_span),
        symbol.op.name,
        children=[_symbol(source, inner) for inner in symbol.inner],
    )


async def _opened(server: TileIRServer, params: types.DidOpenTextDocumentParams) -> None:
    server.announce_soon(params.text_document.uri)


async def _changed(server: TileIRServer, params: types.DidChangeTextDocumentParams) -> None:
    server.announce_soon(params.text_document.uri)


async def _closed(server: TileIRServer, params: types.DidCloseTextDocumentParams) -> None:
    server.forget(params.text_document.uri)


async def _hover(server: TileIRServer, params: types.HoverParams) -> types.Hover | None:
    analysis = await server.analysis_of(params.text_document.uri)
    if analysis is None:
        return None
    offset = _offset(analysis.source, params.position)
    found = await server.ask(hovers.hover, analysis, server.context, offset)
    if found is None:
        return None
    text, span = found
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, _range(analysis.source, span))


async def _definition(
    server: TileIRServer, params: types.DefinitionParams
) -> types.Location | None:
    uri = params.text_document.uri
    if (analysis := await server.analysis_of(uri)) is None:
        return None
    offset = _offset(analysis.source, params.position)
    span = await server.ask(navigation.definition, analysis, offset)
    return None if span is None else types.Location(uri, _range(analysis.source, span))


async def _references(server: TileIRServer, params: types.ReferenceParams) -> list[types.Location]:
    uri = params.text_document.uri
    if (analysis := await server.analysis_of(uri)) is None:
        return []
    offset = _offset(analysis.source, params.position)
    declared = params.context.include_declaration
    spans = await server.ask(navigation.references, analysis, offset, declared)
    return [types.Location(uri, _range(analysis.source, span)) for span in spans]


async def _highlight(
    server: TileIRServer, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    if (analysis := await server.analysis_of(params.text_document.uri)) is None:
        return []
    offset = _offset(analysis.source, params.position)
    spans = await server.ask(navigation.references, analysis, offset)
    return [types.DocumentHighlight(_range(analysis.source, span)) for span in spans]


async def _outline(
    server: TileIRServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol]:
    if (analysis := await server.analysis_of(params.text_document.uri)) is None:
        return []
    symbols = await server.ask(lambda: analysis.symbols)
    return [_symbol(analysis.source, symbol) for symbol in symbols]


_ITEM_KINDS = {
    completion.Kind.OPERATION: types.CompletionItemKind.Function,
    completion.Kind.VALUE: types.CompletionItemKind.Variable,
    completion.Kind.SYMBOL: types.CompletionItemKind.Reference,
}


async def _complete(
    server: TileIRServer, params: types.CompletionParams
) -> list[types.CompletionItem]:
    if (analysis := await server.analysis_of(params.text_document.uri)) is None:
        return []
    offset = _offset(analysis.source, params.position)
    items = await server.ask(completion.complete, analysis, server.context, offset)
    return [
        types.CompletionItem(
            item.label,
            kind=_ITEM_KINDS[item.kind],
            detail=item.detail,
            documentation=item.documentation or None,
            # Operations in the order of the road, values with the last one first.
            sort_text=f"{number:05}",
            text_edit=types.TextEdit(_range(analysis.source, item.replaced), item.label),
        )
        for number, item in enumerate(items)
    ]


async def _actions(server: TileIRServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri
    analysis = await server.analysis_of(uri)
    if analysis is None:
        return []
    actions = _fixes(analysis, uri, params.context.diagnostics)
    for step in steps_for(analysis.level, server.gpu):
        command = types.Command(step.title, OPEN, arguments=[uri, step.passes, step.target])
        kind = types.CodeActionKind.Source
        actions.append(types.CodeAction(step.title, kind=kind, command=command))
    return actions


def _fixes(
    analysis: Analysis, uri: str, diagnostics: list[types.Diagnostic] | Any
) -> list[types.CodeAction]:
    """Fixes that replace unknown op names by similar known names."""
    actions: list[types.CodeAction] = []
    source = analysis.source
    for diagnostic in diagnostics:
        if (match := _SUGGESTED.search(diagnostic.message)) is None:
            continue
        wrong, meant = match.groups()
        start = source.text.find(wrong, _offset(source, diagnostic.range.start))
        if start < 0:
            continue
        edit = types.TextEdit(_range(source, (start, start + len(wrong))), meant)
        actions.append(
            types.CodeAction(
                f"Change to '{meant}'",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=types.WorkspaceEdit(changes={uri: [edit]}),
                is_preferred=True,
            )
        )
    return actions


async def _run(server: TileIRServer, uri: str, passes: str, target: str) -> dict[str, Any]:
    outcome = await _outcome(server, uri, passes, target)
    return {"text": outcome.text, "message": outcome.message}


async def _outcome(server: TileIRServer, uri: str, passes: str, target: str) -> Outcome:
    source = server.source_of(uri)
    if source is None:
        return Outcome(None, f"{uri} cannot be read")
    return await run_passes(source.text, passes, target)


async def _open(server: TileIRServer, uri: str, passes: str, target: str) -> str | None:
    outcome = await _outcome(server, uri, passes, target)
    if outcome.text is None:
        message = types.ShowMessageParams(types.MessageType.Error, outcome.message or "")
        server.window_show_message(message)
        return None
    file = server.result_file(uri, target or "mlir")
    file.write_text(outcome.text, encoding="utf-8")
    window = server.client_capabilities.window
    if window is not None and window.show_document is not None:
        await server.window_show_document_async(types.ShowDocumentParams(file.as_uri()))
    return file.as_uri()


async def _list(_server: TileIRServer) -> list[str]:
    return [*PASSES, *FURTHER_PASSES]


_COMPLETIONS = types.CompletionOptions(trigger_characters=[".", "%", "@"])
_ACTIONS = types.CodeActionOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.Source])

_FEATURES: tuple[tuple[str, Any, Any], ...] = (
    (types.TEXT_DOCUMENT_DID_OPEN, _opened, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, _changed, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, _closed, None),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (types.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, _references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlight, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _outline, None),
    (types.TEXT_DOCUMENT_COMPLETION, _complete, _COMPLETIONS),
    (types.TEXT_DOCUMENT_CODE_ACTION, _actions, _ACTIONS),
)

_COMMANDS = ((RUN, _run), (OPEN, _open), (LIST, _list))


def new_server(version: str, gpu: str) -> TileIRServer:
    """A new server; `gpu` is the target for which its pipelines compile."""
    server = TileIRServer(version, gpu)
    for name, answer, options in _FEATURES:
        server.feature(name, options)(answer)
    for name, answer in _COMMANDS:
        server.command(name)(answer)
    return server
