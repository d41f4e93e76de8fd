"""What a container is built from is all there, and it is told to be small and without rights."""

import re
import runpy

from tests.import_graph import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")


def test_the_build_sees_all_that_a_package_needs():
    """The list of what is copied names every file of the app, the package and its description."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    kept = {line.removeprefix("!") for line in lines if line.startswith("!")}
    patterns = runpy.run_path(str(ROOT / "setup.py"))["SITE"]
    needed = {pattern.split("/")[0] for pattern in patterns}
    needed |= {"mmc", "setup.py", "pyproject.toml", "MANIFEST.in", "requirements.txt", "README.md", "LICENSE"}
    assert kept == needed
    assert all((ROOT / name).exists() for name in kept)


def test_the_container_asks_the_server_for_its_health():
    """The health check asks at the port that is published, and the app runs as a user without rights."""
    port = re.search(r"^EXPOSE (\d+)$", DOCKERFILE, re.M)[1]
    assert f"http://127.0.0.1:{port}/_stcore/health" in DOCKERFILE
    assert DOCKERFILE.index("\nUSER mmc\n") < DOCKERFILE.index("\nENTRYPOINT ")
    assert f"reverse_proxy app:{port}" in (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")


def test_every_setting_of_the_compose_file_is_explained():
    """The example of the settings has each variable, and the app has limits."""
    example = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)", COMPOSE)) == set(re.findall(r"^(\w+)=", example, re.M))
    app = COMPOSE[COMPOSE.index("  app:") : COMPOSE.index("  proxy:")]
    assert all(
        f"\n    {limit}:" in app for limit in ("read_only", "mem_limit", "cpus", "pids_limit", "cap_drop")
    )
