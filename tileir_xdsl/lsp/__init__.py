"""The language server: what editors ask about Tile IR and what it is lowered to.

`parsing` reads a text with all its mistakes, and `analysis` keeps the results. The other modules
answer questions about them in offsets of the text. Only `server` knows the protocol, and imports
pygls, of the extra `lsp`.
"""
