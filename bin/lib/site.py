"""What bin/docs adds to MkDocs: the pages at the top of the repository, and links that hold both there and in the site."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")


def on_files(files, config):
    root = Path(config.config_file_path).parent
    for source, target in TOP.items():
        files.append(File.generated(config, target, content=(root / source).read_text("utf-8")))
    # The Javadoc is put there after the site was built.
    files.append(File.generated(config, "javadoc/index.html", content="<!doctype html>"))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links are relative to the repository's files: here they become relative to the site's."""
    target = page.file.src_uri
    source = next((top for top, its in TOP.items() if its == target), "docs/" + target)

    def link(match):
        image, text, to, anchor = match.groups()
        if not to or re.match(r"[a-z]+:", to):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), to))
        if path in TOP:
            path = TOP[path]
        elif path.startswith("docs/") and path != "docs/requirements.txt":
            path = path[len("docs/") :]
        else:
            return text  # a file of the repository that the site does not have
        to = posixpath.relpath(path, posixpath.dirname(target) or ".")
        return f"{image}[{text}]({to}{anchor or ''})"

    return LINK.sub(link, markdown)
