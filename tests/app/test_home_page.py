"""The home page links to experiments that open and run."""

from collections import Counter
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from mmc.ui.home_view import GALLERY

_PLAYGROUND, _SELECTION = "pages/1_Playground.py", "pages/2_Model_selection.py"
_CUTS = "pages/3_Cutting_planes.py"
_COMPARE, _TUNE = "pages/4_Compare.py", "pages/5_Tune.py"


def of(page):
    """Give a test each card that opens a page."""
    cards = [each for each in GALLERY if each.page == page and each.address.get("data") != "table"]
    return pytest.mark.parametrize("card", cards, ids=lambda card: card.title)


def test_home_links_to_every_card(root):
    """The home page runs and holds one link for each of the twenty cards, with the card's address."""
    at = AppTest.from_file(root / "app.py", default_timeout=600).run()
    assert not at.exception
    links = [link.proto for link in at.get("page_link") if link.proto.query_string]
    found = [parse_qs(link.query_string) for link in links]
    wanted = [_listed(card.address) for card in GALLERY]
    assert len(GALLERY) == 20
    assert sorted(found, key=str) == sorted(wanted, key=str)
    assert Counter(card.page for card in GALLERY) == {
        _PLAYGROUND: 10,
        _SELECTION: 4,
        _CUTS: 3,
        _COMPARE: 2,
        _TUNE: 1,
    }
    pages = {
        page: {link.page_script_hash for link in links if _address_of(link, page)}
        for page in (_PLAYGROUND, _SELECTION, _CUTS, _COMPARE, _TUNE)
    }
    assert [len(hashes) for hashes in pages.values()] == [1, 1, 1, 1, 1]
    assert len(set.union(*pages.values())) == 5


def test_the_door_takes_a_table_and_opens_its_clusters(root, settle):
    """A file that is loaded on the home page is searched on the next one, without another click."""
    rows = "\n".join(f"{i % 2 * 9 + i / 40},{i % 2 * 5 - i / 30}" for i in range(40))
    at = AppTest.from_file(root / "app.py", default_timeout=600).run()
    at.file_uploader(key="upload").set_value(("mine.csv", f"a,b\n{rows}\n".encode(), "text/csv"))
    settle(at)
    assert not at.exception
    assert not at.error
    answer, _ = at.session_state["find-clusters:"].last
    assert answer.dataset.name == "mine.csv"
    assert answer.best.candidate.n_clusters == 2
    assert at.title[0].value == "Find clusters"


def test_the_door_says_what_is_wrong_with_a_file(root, settle):
    """A file that is no table is refused on the home page, in words that are never rendered."""
    at = AppTest.from_file(root / "app.py", default_timeout=600).run()
    at.file_uploader(key="upload").set_value(("**bad**.csv", bytes(range(256)) * 40, "text/csv"))
    settle(at)
    (error,) = at.error
    assert "does not look like a table" in error.value
    assert "**bad**" not in error.value
    assert at.title[0].value.startswith("Clustering")


@pytest.mark.slow
@of(_PLAYGROUND)
def test_the_address_of_a_card_is_used(card, playground):
    """Every part of a card's address reaches its control and the run itself."""
    at = playground(**card.address)
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    used = {
        "data": result.experiment.data.source,
        "beside": list(result.recordings)[-1],
        "algorithm": result.experiment.algorithm,
        "n": result.experiment.data.options.get("n_samples"),
        "look": next((group.value for group in at.button_group if group.key == "look"), None),
        **result.experiment.data.options,
        **result.experiment.parameters,
    }
    _assert_used(at, card, used)
    assert result.main.labels.shape == (result.dataset.n_samples,)
    looks = {None: 0, "Margins": len(result.recordings), "Generations": 1}[used["look"]]
    assert len(at.get("plotly_chart")) == len(result.recordings) + looks


@pytest.mark.slow
@of(_CUTS)
def test_a_card_of_cuts_is_used(card, cutting_planes):
    """Every part of a card's address reaches its control and the run itself."""
    at = cutting_planes(**card.address)
    assert not at.exception
    assert not at.error
    result = at.session_state["cutting-planes:"].last
    used = {
        "data": result.experiment.data.source,
        "algorithm": result.experiment.algorithm,
        "n": result.experiment.data.options.get("n_samples"),
        "look": next((group.value for group in at.button_group if group.key == "look"), None),
        **result.experiment.parameters,
    }
    _assert_used(at, card, used)
    assert len(at.get("plotly_chart")) == 2


@pytest.mark.slow
@of(_SELECTION)
def test_the_address_of_a_search_is_used(card, model_selection):
    """Every part of a card's address reaches its control and the search, and the candidates are drawn."""
    at = model_selection(**card.address)
    assert not at.exception
    assert not at.error
    found, rival, _ = at.session_state["model-selection:"].last
    experiment = found.search.experiment
    used = {
        "data": experiment.data.source,
        "n": experiment.data.options["n_samples"],
        "show": at.button_group(key="show").value,
        "rival": rival is not None,
    }
    _assert_used(at, card, used)
    assert experiment.algorithm == "SMIC"
    assert len(found.trials) == 10
    assert not [trial.error for trial in found.trials if trial.error]
    assert len(at.get("plotly_chart")) == (4 if rival else 3)


@pytest.mark.slow
@of(_COMPARE)
def test_the_address_of_a_comparison_is_used(card, compare):
    """Data sets and algorithms of the address are those that are compared."""
    at = compare(**card.address, points="60", repeats="1")
    assert not at.exception
    assert not at.error
    contest = at.session_state["compare:"].last.contest
    used = {
        "sets": [data.source for data in contest.data],
        "algorithms": list(contest.algorithms),
        "compare_show": at.button_group(key="compare_show").value,
    }
    _assert_used(at, card, used)


@pytest.mark.slow
@of(_TUNE)
def test_the_address_of_a_map_is_used(card, tune):
    """The data of the address are tuned, every cell without a failure."""
    at = tune(**card.address, n="60", n_init="1")
    assert not at.exception
    assert not at.error
    found, *_ = at.session_state["tune:"].last
    _assert_used(at, card, {"data": found.search.experiment.data.source})
    assert len(found.trials) == 100
    assert not [trial.error for trial in found.trials if trial.error]


def _assert_used(at, card, used):
    for name, value in card.address.items():
        wanted = [value] if isinstance(value, str) else value
        shown, run = at.session_state[name], used[name]
        assert [_text(v) for v in (shown if isinstance(shown, list) else [shown])] == wanted
        assert [_text(v) for v in (run if isinstance(run, list) else [run])] == wanted


def _listed(address):
    return {name: [value] if isinstance(value, str) else value for name, value in address.items()}


def _address_of(link, page):
    return any(card.page == page and parse_qs(link.query_string) == _listed(card.address) for card in GALLERY)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, int | float) else str(value)
