"""Builds the documentation as a site: `python -m docs.site [FOLDER]`, in `build/site` if left out.

Every warning of mkdocs is an error: a page without a place, a link or an anchor that leads nowhere.
So is a site that is large, or that loads anything from elsewhere. What is asked of the network is
nothing.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from docs.site import searching
from docs.site.checking import problems_of
from docs.site.moved import moved, redirects
from docs.site.staging import CONFIGURATION, REPOSITORY, stage

PAGES = REPOSITORY / "build" / "site_pages"
SITE = REPOSITORY / "build" / "site"


def drop_unused(site: Path) -> None:
    """Removes what the theme brings and no page loads: source maps, and stemmers of languages."""
    scripts = site / "assets" / "javascripts"
    shutil.rmtree(scripts / "lunr", ignore_errors=True)
    for path in site.rglob("*.map"):
        path.unlink()


def add_redirects(site: Path) -> None:
    """Writes a page that leads on where each page was that moved."""
    for name, text in redirects(moved()).items():
        (site / "docs" / name).write_text(text, encoding="utf-8")


def main() -> int:
    """Puts the pages together, builds, and checks what came out."""
    site = Path(sys.argv[1]).resolve() if sys.argv[1:] else SITE
    configuration = stage(PAGES)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    command += ["--config-file", str(configuration), "--site-dir", str(site)]
    # The theme speaks of its successor at every build.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command,
        env=environment,
        check=False,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    status = done.returncode
    said = [line for line in done.stdout.splitlines() if not line.startswith("INFO ")]
    print(*said, sep="\n", end="\n" if said else "", file=sys.stderr)
    if status == 0:
        drop_unused(site)
        add_redirects(site)
    problems = (
        [*problems_of(site), *searching.problems(searching.built(site))]
        if done.returncode == 0
        else []
    )
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    if status == 0 and not problems:
        print(f"{CONFIGURATION.stem}: {len(list(site.rglob('*.html')))} pages in {site}")
    return 1 if status or problems else 0


if __name__ == "__main__":
    sys.exit(main())
