"""The language server: what editors ask about Tile IR and what it is lowered to.

`parsing` reads a text with all its mistakes, `analysis` keeps what is known of it, and the other
modules answer questions about that in offsets of the text. Only `server` knows the protocol, and
imports pygls, of the extra `lsp`.
"""
