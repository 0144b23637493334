"""`python -m tileir_xdsl.cli.tileir_as`."""

import sys

from tileir_xdsl.cli.tileir_as.main import main

sys.exit(main())
