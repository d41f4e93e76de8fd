"""Nothing is lost: fits, saved experiments, scripts and command lines of before give the same labels."""

import json
import re

import pytest
from threadpoolctl import threadpool_limits

from mmc import registry
from tests.golden import run

LABELS = run.stored("labels.json")
#: A line of the command line's list that names the choices of an option.

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


def test_every_algorithm_is_there():
    """No algorithm of before has gone, and each is stored with its defaults on three sets at least."""
    assert set(ALGORITHMS) <= set(registry.ALGORITHMS)
    for name in ALGORITHMS:
        assert sum(case["algorithm"] == name and is_plain(case) for case in LABELS) >= 3


def choices(line):
    """Split a listed option into its choices and what stands around them; no choices where there are none."""
    around = re.fullmatch(r"(.*) \{(.*)\} (\(.*\))", line)
    return (set(around[2].split(",")), around[1], around[3]) if around else (set(), line, "")


def is_listed(line, lines):
    """Say whether an option is still there, with the same default and at least the choices of before."""
    known, *own = choices(line)
    return any(known <= found and own == its for found, *its in map(choices, lines))


def test_an_option_that_lost_a_choice_would_be_seen():
    """More choices are no loss, fewer ones and another default are."""
    line = "CPMMC --kernel {rbf,poly} (default rbf)"
    assert is_listed(line, ["CPMMC --kernel {graph,poly,rbf} (default rbf)"])
    assert not is_listed(line, ["CPMMC --kernel {graph,rbf} (default rbf)"])
    assert not is_listed(line, ["CPMMC --kernel {rbf,poly} (default poly)"])
    assert not is_listed(line, ["MKC --kernel {rbf,poly} (default rbf)"])
    assert is_listed("CPMMC", ["CPMMC", line])
    assert not is_listed("CPMMC", [line])


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
        lost = [line for line in stored["listed"] if not is_listed(line, gives["listed"])]
        assert lost == []
    else:
        assert run.same(gives, stored), gives
