"""The language server for Tile IR and the lower levels.

`parsing` reads a text despite its mistakes, and `analysis` stores the results. The other modules
answer requests from these results, in terms of offsets in the text. Only `server` depends on the
protocol, and imports pygls, of the extra `lsp`.
"""
