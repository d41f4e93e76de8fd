"""Nothing is lost: fits, saved experiments, scripts and command lines of before give the same labels."""

import json
import re

import pytest
from threadpoolctl import threadpool_limits

from mmc import registry
from tests.golden import run

LABELS = run.stored("labels.json")
#: A line of the command line's list that names the choices of an option.
CHOICES = re.compile(r"(?P<option>[^{]*)\{(?P<choices>[^}]*)\}(?P<default>.*)")

ALGORITHMS = list(dict.fromkeys(case["algorithm"] for case in LABELS))

pytestmark = pytest.mark.filterwarnings("ignore")  # fits that end early warn, and labels are the matter here


@pytest.fixture(autouse=True)
def one_thread():
    """Let BLAS and OpenMP use one thread; several take many times as long on so few points."""
    with threadpool_limits(1):
        yield


def check_fits(cases):
    """Fit every case, and list all that came out otherwise."""
    assert cases
    wrong = []
    for case in cases:
        gives = run.fit(case["algorithm"], case["parameters"], run.points(case["data"]))
        if not run.same(gives, case["gives"]):
            wrong.append(json.dumps({**case, "now": gives}, indent=1))
    assert not wrong, f"{len(wrong)} of {len(cases)} fits give other labels:\n" + "\n".join(wrong)


def is_plain(case):
    """Say whether a case sets nothing but the number of clusters and the seed."""
    return set(case["parameters"]) <= {"n_clusters", "n_components", "random_state"}


def still_listed(line, lines):
    """Say whether a line is listed, if it names choices with these and perhaps more."""
    if line in lines:
        return True
    before = CHOICES.fullmatch(line)
    if not before:
        return False
    found = [match for match in map(CHOICES.fullmatch, lines) if match]
    return any(
        (now["option"], now["default"]) == (before["option"], before["default"])
        and set(before["choices"].split(",")) <= set(now["choices"].split(","))
        for now in found
    )


def test_a_lost_choice_would_be_seen():
    """A list may have grown; a choice, an option or a default that has gone is missed."""
    line = "A --kernel {a,b} (default a)"
    assert still_listed(line, ["B", "A --kernel {c,a,b} (default a)"])
    for now in (
        "A --kernel {a,c} (default a)",
        "A --kernel {a,b,c} (default b)",
        "A --other {a,b} (default a)",
    ):
        assert not still_listed(line, [now])
    assert not still_listed("A --n N (default 2)", ["A --n N (default 3)"])


def test_every_algorithm_is_there():
    """No algorithm of before has gone, and each is stored with its defaults on three sets at least."""
    assert set(ALGORITHMS) <= set(registry.ALGORITHMS)
    for name in ALGORITHMS:
        assert sum(case["algorithm"] == name and is_plain(case) for case in LABELS) >= 3


@pytest.mark.parametrize("name", ALGORITHMS)
def test_labels_of_defaults(name):
    """With its defaults an algorithm gives the labels that it gave before."""
    check_fits([case for case in LABELS if case["algorithm"] == name and is_plain(case)])


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_labels_of_other_settings(name):
    """Settings that take other ways through the code give the labels that they gave before."""
    check_fits([case for case in LABELS if case["algorithm"] == name and not is_plain(case)])


@pytest.mark.parametrize("case", run.stored("experiments.json"), ids=lambda case: case["file"])
def test_saved_experiments(case):
    """A saved experiment opens and gives the labels that it gave before."""
    assert run.same(run.experiment(case["file"]), case["gives"])


@pytest.mark.parametrize("case", run.stored("scripts.json"), ids=lambda case: case["file"])
def test_saved_scripts(case, tmp_path):
    """A saved script runs and writes the labels that it wrote before."""
    assert run.same(run.script(case["file"], tmp_path), case["gives"])


@pytest.mark.parametrize("case", run.stored("commands.json"), ids=lambda case: case["line"])
def test_command_lines(case, tmp_path):
    """A command line ends as before, with the same labels; what was listed still is."""
    gives, stored = run.command(case["line"], tmp_path), case["gives"]
    if "listed" in stored:
        lost = [line for line in stored["listed"] if not still_listed(line, gives["listed"])]
        assert not lost
    else:
        assert run.same(gives, stored), gives
