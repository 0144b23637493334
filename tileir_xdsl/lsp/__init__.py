"""The language server for Tile IR and the lower levels.

`parsing` reads a text with all its mistakes, and `analysis` keeps the results. The other modules
answer questions about them in offsets of the text. Only `server` knows the protocol, and imports
pygls, of the extra `lsp`.
"""
