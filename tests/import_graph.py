"""Who imports whom in this project, read from the source.

Run as a script it prints the packages with what they import, and the size of every module:
``python tests/import_graph.py [ROOT]``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: From a module to the modules of the project that it imports.
Graph = Mapping[str, frozenset[str]]


def sources(root: Path = ROOT) -> dict[str, Path]:
    """Give the file of every module of the library and of every page, by its dotted name."""
    files = [*(root / "mmc").rglob("*.py"), *(root / "pages").glob("*.py"), root / "app.py"]
    return {_name(path.relative_to(root)): path for path in sorted(files)}


def imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """List what a file imports, also within functions, but not what only a type checker sees.

    ``from a import b`` counts as ``a.b`` where that is a module of the project, and as ``a`` otherwise. The
    packages above a module, which Python imports as well, are not listed.
    """
    for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in full)


def graph(root: Path = ROOT) -> Graph:
    """Read the imports within the project."""
    modules = sources(root)
    return {
        name: frozenset(other for other in imported(path, modules) if other in modules)
        for name, path in modules.items()
    }


def cycles(arrows: Graph) -> list[list[str]]:
    """List the groups of modules that import each other, directly or by way of others."""
    reach = {name: _reach(name, arrows) for name in arrows}
    groups = {frozenset(b for b in reach[a] if a in reach[b]) for a in arrows if a in reach[a]}
    return sorted(sorted(group) for group in groups)


def package(name: str) -> str:
    """Give the part of the house that a module belongs to: a folder, or a module beside the folders."""
    parts = name.split(".")
    if parts[0] != "mmc":
        return parts[0]
    return ".".join(parts[: 3 if parts[1:2] == ["maxmargin"] else 2])


def report(root: Path = ROOT) -> str:
    """Write the packages with what they import, and the lines of every module, as two tables."""
    modules, arrows = sources(root), graph(root)
    sizes = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules.items()}
    lines = [f"{len(modules)} modules, {sum(sizes.values())} lines, cycles: {cycles(arrows) or 'none'}", ""]
    for part in sorted({package(name) for name in modules}):
        members = [name for name in modules if package(name) == part]
        others = {package(other) for name in members for other in arrows[name]} - {part}
        total = sum(sizes[name] for name in members)
        lines.append(f"{part} ({len(members)} modules, {total} lines) → {', '.join(sorted(others)) or '–'}")
    lines.append("")
    lines += [
        f"{size:5} {name}" for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join(lines)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk through a tree, leaving out what stands under ``if TYPE_CHECKING``."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test).endswith("TYPE_CHECKING"):
        below: Iterable[ast.AST] = tree.orelse
    else:
        below = ast.iter_child_nodes(tree)
    for node in below:
        yield node
        yield from _nodes(node)


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _reach(name: str, arrows: Graph) -> set[str]:
    """Give all modules that a module imports, directly or by way of others."""
    seen: set[str] = set()
    todo = [*arrows[name]]
    while todo:
        other = todo.pop()
        if other not in seen:
            seen.add(other)
            todo += arrows[other]
    return seen


if __name__ == "__main__":
    print(report(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT))
