"""A hook of the site: links to files of the repository that are not pages become the names of these files.

The pages are read in two places. Beside the code, a link such as ``../recipes/mathqa.toml`` leads to the file; on the
site there is no such address. A link to a file that does not exist is a warning, which ends a strict build.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
log = logging.getLogger("mkdocs.hooks.repository_links")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """The page with its links out of the folder of pages replaced."""
    docs = Path(config["docs_dir"]).resolve()
    root = docs.parent
    folder = (docs / page.file.src_uri).parent

    def named(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if "://" in target:
            return match[0]
        path = (folder / target).resolve()
        if path.is_relative_to(docs) and path.suffix != ".py":
            return match[0]
        if not path.exists() or not path.is_relative_to(root):
            log.warning("%s links to %s, which does not exist", page.file.src_uri, target)
            return match[0]
        name = path.relative_to(root).as_posix()
        return text if name in text else f"{text} (`{name}`)"

    return _LINK.sub(named, markdown)
