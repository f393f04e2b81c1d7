"""Flowcharts of Mermaid as SVG, drawn by Graphviz when the site is built, so that its pages need no script and no network.

Understood are `flowchart DIRECTION`, `subgraph NAME[LABEL]` ... `end`, `direction`, and chains of `A --> B[LABEL]`.
"""

import re
import subprocess


def drawn(text: str) -> str:
    """Returns the SVG. Raises ValueError, which names the line, for any other line."""
    lines = [line.strip() for line in text.strip().splitlines()]
    direction = re.fullmatch(r"flowchart (BT|TB|LR|RL)", lines[0])
    if not direction:
        raise ValueError(f'The site draws flowcharts of Mermaid only, not "{lines[0]}".')
    clusters: list[str] = []
    clusters_of = {name for line in lines if (match := re.match(r"subgraph (\w+)", line)) for name in [match[1]]}
    out = [
        f"digraph {{ rankdir={direction[1]}; compound=true; bgcolor=transparent; ranksep=0.25; nodesep=0.25;",
        'node [shape=box style=rounded fontname="sans-serif" fontsize=11 height=0.3 margin="0.12,0.04"];',
        'graph [fontname="sans-serif" fontsize=12 style=rounded]; edge [arrowsize=0.6];',
    ]
    for line in lines[1:]:
        if match := re.fullmatch(r"subgraph (\w+)(?:\[(.*)\])?", line):
            clusters.append(match[1])
            out.append(f'subgraph cluster_{match[1]} {{ label="{match[2] or match[1]}"; {anchor_of(match[1])} [shape=point style=invis];')
        elif line == "end" and clusters:
            clusters.pop()
            out.append("}")
        elif re.fullmatch(r"direction (BT|TB|LR|RL)|", line):
            continue  # Graphviz has one direction for all
        elif re.fullmatch(r"[\w\[\] :./>+,-]+", line):
            out += chain(line, clusters_of)
        else:
            raise ValueError(f'The site can\'t draw this line of a flowchart: "{line}".')
    svg = subprocess.run(["dot", "-Tsvg"], input="\n".join(out) + "\n}", text=True, capture_output=True, check=True).stdout
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg, flags=re.DOTALL)
    return svg.replace('"black"', '"currentColor"').replace("<text ", '<text fill="currentColor" ')


def anchor_of(cluster: str) -> str:
    return f"in_{cluster}"


def chain(line: str, clusters: set[str]) -> list[str]:
    out, names = [], []
    for part in re.split(r"\s*-->\s*", line):
        match = re.fullmatch(r"(\w+)(?:\[(.*)\])?", part)
        if not match:
            raise ValueError(f'The site can\'t draw this line of a flowchart: "{line}".')
        names.append(match[1])
        if match[1] not in clusters:
            out.append(f'{match[1]} [label="{match[2] or match[1]}"];' if match[2] else f"{match[1]};")
    for tail, head in zip(names, names[1:]):
        ends = [f"ltail=cluster_{tail}"] * (tail in clusters) + [f"lhead=cluster_{head}"] * (head in clusters)
        out.append(f"{node(tail, clusters)} -> {node(head, clusters)} [{' '.join(ends)}];")
    return out


def node(name: str, clusters: set[str]) -> str:
    return anchor_of(name) if name in clusters else name
