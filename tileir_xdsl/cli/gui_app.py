"""xDSL's application, changed to show the diagnostic of a pass that fails, and to continue.

Without the change the application would end, because it runs the chosen passes again to list the
passes that can follow.
"""

import inspect
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.widgets import Tree
from xdsl.interactive.app import InputApp
from xdsl.interactive.passes import AvailablePass


class TileIRApp(InputApp):
    """The application, in which some pipelines may not fit the input."""

    # Otherwise searched for in the folder of this file.
    CSS_PATH: ClassVar = Path(inspect.getfile(InputApp)).with_name("app.tcss")

    def compute_available_pass_list(self) -> tuple[AvailablePass, ...]:
        """The passes that can follow: none after one that failed."""
        try:
            return super().compute_available_pass_list()
        # The output shows what went wrong: xDSL runs the passes again to know what can follow.
        except Exception:
            return ()

    @on(Tree.NodeExpanded, "#passes_tree")
    def expand_if_possible(self, event: Tree.NodeExpanded[Any]) -> None:
        """Lists the passes that can follow a pass of the tree, unless that pass fails."""
        event.prevent_default()
        try:
            super().expand_tree_node(event)
        except Exception as error:
            self.notify(str(error).partition("\n")[0] or type(error).__name__, severity="error")
