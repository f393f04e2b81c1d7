"""The check of a finished site: every link leads to a file of the site, to its anchor if it names one, and nothing that a page
shows comes from elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.parts: list[str] = []  # what the browser loads to show the page
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") != "canonical" and "href" in values:
            self.parts.append(values["href"])
        elif "src" in values:
            self.parts.append(values["src"])


def broken_links(site: Path) -> list[str]:
    """A sentence for each fault."""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        here = path.relative_to(site)
        for link in page.links + page.parts:
            target = urlsplit(link)
            if target.scheme or target.netloc:
                if link in page.parts and target.scheme != "data":
                    faults.append(f"{here} loads {link}, which isn't part of the site.")
                continue
            file = (path.parent / unquote(target.path)).resolve() if target.path else path
            if file.is_dir():
                file = file / "index.html"
            if not file.is_file():
                faults.append(f"{here}: there is no {link}.")
            elif target.fragment and file in pages and unquote(target.fragment) not in pages[file].anchors:
                faults.append(f"{here}: {target.path or here} has no heading #{target.fragment}.")
    return faults
