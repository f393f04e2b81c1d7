#!/usr/bin/python3
"""Makes the site: lays out the documents and the headers' pages as MkDocs wants them, runs it, and checks every link.

pages.py FOLDER writes FOLDER; what MkDocs reads lies beside it, in FOLDER-pages. Exit status: 0, 1 with a line for each fault,
or 77 if a tool is missing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

sys.dont_write_bytecode = True
SITE = Path(__file__).resolve().parent
ROOT = SITE.parents[1]
LEXERS = {"wgsl": "rust", "c++": "cpp", "gaps": "text", "": "text"}  # Pygments 2.14 has no WGSL; Rust's words are near


def missing_tools() -> list[str]:
    missing = [tool for tool in ("dot",) if shutil.which(tool) is None]
    for module in ("mkdocs", "material", "pymdownx", "clang.cindex"):
        try:
            __import__(module)
        except ImportError:
            missing.append(module)
    if "material" in missing and Path("/usr/share/mkdocs/themes/material").is_dir():
        missing.remove("material")  # Debian's isn't a module
    return missing


class Layout:
    """The pages as MkDocs reads them. They keep their paths in the tree, so that links between them stay as they are."""

    def __init__(self, folder: Path, reference: "Reference"):
        self.folder = folder
        self.reference = reference
        self.sources: set[str] = set()  # files that aren't pages, to which documents lead
        self.faults: list[str] = []

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def document(self, path: str) -> None:
        """A document of the tree: what GitHub renders otherwise than MkDocs is made the same."""
        out: list[str] = []
        fence: str | None = None
        block: list[str] = []
        in_list = False
        for line in text_of(path).splitlines():
            if fence is None and line.startswith("```"):
                fence, block = line.removeprefix("```"), []
            elif fence is not None and line == "```":
                out += self.block(path, fence, block)
                fence = None
            elif fence is not None:
                block.append(line)
            else:
                item = re.match(r"(- |\d+\. )", line)
                if item and not in_list and out and out[-1].strip():
                    out.append("")
                in_list = bool(item) or (in_list and (not line.strip() or line.startswith(" ")))
                if in_list and line.startswith(" "):  # Python-Markdown indents by 4 what belongs to an item
                    line = " " * (len(line) - len(line.lstrip())) + line
                is_code = line.startswith("    ") and not in_list
                out.append(line if is_code else self.prose(path, line))
        title = title_of(path).replace("`", "")
        self.write(path, f"---\ntitle: {json.dumps(title)}\n---\n" + "\n".join(out) + "\n")

    def block(self, path: str, fence: str, lines: list[str]) -> list[str]:
        language, _, title = fence.partition(" ")
        if language == "mermaid":
            try:
                from diagram import drawn

                return ['<div class="diagram">', drawn("\n".join(lines)), "</div>"]
            except ValueError as error:
                self.faults.append(f"{path}: {error}")
                return []
        opening = "```" + LEXERS.get(language, language) + (f' title="{title}"' if title else "")
        return [opening, *lines, "```"]

    def prose(self, path: str, line: str) -> str:
        """Labels that are a document's file name become its title; names of documents, headers and types become links."""
        line = re.sub(r"\[([^\]]*)\]\(([^)# ]+)(#[^) ]*)?\)", lambda m: self.link(path, m), line)
        up = "../" * path.count("/")
        parts = re.split(r"(!?\[[^\]]*\]\([^)]*\)|`[^`]*`)", line)
        if line.startswith("#"):
            return line
        for at, part in enumerate(parts):
            if part.strip("`") in documents() and part.startswith("`"):
                parts[at] = f"[{part}]({up}{part.strip('`')})"
            elif part.startswith("`"):
                parts[at] = self.reference.linked(part, up)
        return "".join(parts)

    def link(self, path: str, match: re.Match) -> str:
        label, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target:
            return match[0]
        target = re.sub(r"\.ipynb$", ".md", target)
        file = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if file.endswith(".md"):
            if not anchor and label in (target, file) and file in documents():
                label = title_of(file)
        elif (ROOT / file).is_file():
            if file not in self.reference.headers:
                self.sources.add(file)
            target += ".md"
        return f"[{label}]({target}{anchor})"

    def source(self, path: str) -> None:
        """A file of the tree that a document leads to, such as an example, on a page of its own."""
        language = {".wgsl": "rust", ".cpp": "cpp", ".hpp": "cpp", ".c": "c"}.get(Path(path).suffix, "text")
        self.write(f"{path}.md", f"# {path}\n\n````{language}\n{(ROOT / path).read_text()}\n````\n")

    def headers(self) -> str:
        """Writes the headers' pages and the list of them. Returns their part of the navigation."""
        navigation, rows = [], ["# Headers\n", INTRODUCTION]
        room = None
        for path, header in self.reference.headers.items():
            self.write(f"{path}.md", self.reference.page(header))
            folder = os.path.dirname(path)
            if folder != room:
                room = folder
                rows.append(f"\n## {room or 'What a program includes'}\n")
                navigation.append(f"      - {room or 'Includes'}:")
            rows.append(f"- [`{Path(path).name}`]({path}.md): {self.reference.prose(header.summary, '').strip()}")
            navigation.append(f"          - {Path(path).name}: {path}.md")
        self.write("headers.md", "\n".join(rows) + "\n")
        return "\n".join(["      - headers.md", *navigation]) + "\n"


INTRODUCTION = """\
`<muster/muster.hpp>` is for programs that run kernels, `<muster/backend_sdk.hpp>` for authors of backends,
`<muster/conformance.hpp>` for programs that check devices, `<muster/graph.hpp>` and `<muster/onnx.hpp>` for programs that run models.
What they include is installed, and listed here by room, which is
also the folder in the tree. The page of a header has its contract, then its declarations with their comments."""


def text_of(path: str) -> str:
    """A document's text; of a notebook, its cells, each with what it shows."""
    notebook = (ROOT / path).with_suffix(".ipynb")
    if not notebook.exists():
        return (ROOT / path).read_text()
    parts = []
    for cell in json.loads(notebook.read_text())["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```{'wgsl' if text.startswith('%%wgsl') else 'python'}\n{text}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "text/html" in data:
                parts.append(f'<div class="output">{"".join(data["text/html"]).replace(chr(10), " ")}</div>')
            else:
                parts.append(f"```text\n{''.join(data['text/plain']).rstrip()}\n```")
    return "\n\n".join(parts)


def title_of(path: str) -> str:
    for line in text_of(path).splitlines():
        if line.startswith("# "):
            return line.removeprefix("# ")
    return path


@cache
def documents() -> list[str]:
    in_docs = [p for suffix in ("md", "ipynb") for p in (ROOT / "docs").glob(f"*.{suffix}")]
    return ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{p.stem}.md" for p in in_docs)]


def not_in_navigation(configuration: str, documents: list[str]) -> list[str]:
    listed = set(re.findall(r"- (\S+\.md)$", configuration, flags=re.MULTILINE))
    here = "docs/site/mkdocs.yml"
    missing = [f"{d} isn't in the navigation.\nFix: add a line to {here}: - {d}" for d in documents if d not in listed]
    absent = sorted(listed - set(documents) - {"headers.md"})
    return missing + [f"{here} lists {d}, which isn't there." for d in absent]


def let_search_work_from_files(site: Path) -> None:
    """Browsers fetch nothing from file://, so the index of the search is also a script, which the pages then load."""
    index = (site / "search" / "search_index.json").read_text()
    (site / "search" / "search_index.js").write_text(f"var __search = {{index: Promise.resolve({json.dumps(json.loads(index))})}};\n")


def lay_out(pages: Path, configuration: str) -> list[str]:
    """Writes what MkDocs reads into `pages`. Returns its faults. Raises ValueError if the headers can't be read."""
    from reference import Reference, read_headers

    shutil.rmtree(pages, ignore_errors=True)
    headers = read_headers(ROOT, pages / "include")
    layout = Layout(pages / "docs", Reference(headers))
    for document in documents():
        layout.document(document)
    reference_navigation = layout.headers()
    for source in sorted(layout.sources):
        layout.source(source)
    shutil.copy(SITE / "style.css", pages / "docs")
    shutil.copytree(SITE / "theme", pages / "theme")
    (pages / "mkdocs.yml").write_text(configuration.replace("      - headers.md\n", reference_navigation))
    without = [f"{h.path} has no contract: a header begins with a comment." for h in headers.values() if not h.contract]
    return layout.faults + without + not_in_navigation(configuration, documents())


def build(site: Path) -> list[str]:
    """Builds the site. Returns its faults."""
    from links import broken_links

    pages = site.with_name(site.name + "-pages")
    try:
        faults = lay_out(pages, (SITE / "mkdocs.yml").read_text())
    except ValueError as error:
        return [str(error)]
    command = [sys.executable, "-m", "mkdocs", "build", "-f", pages / "mkdocs.yml", "-d", site]
    run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        return [*faults, run.stdout.strip()]
    for of_a_host in ("404.html", "sitemap.xml", "sitemap.xml.gz"):
        (site / of_a_host).unlink()
    let_search_work_from_files(site)
    return faults + broken_links(site)


def main() -> int:
    if missing := missing_tools():
        print(f"The site needs {', '.join(missing)}.\nFix: cmake/setup site, which installs what it needs on Debian")
        return 77
    site = Path(sys.argv[1]).resolve()
    faults = build(site)
    print("\n".join(faults) or f"{site}/index.html: {len(list(site.rglob('*.html')))} pages, every link leads somewhere")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
