"""The home page links to experiments that open and run."""

from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from mmc.ui.gallery import LESSONS


def test_home_links_to_every_lesson(root):
    """The home page runs and holds one link for each of the five lessons, with the lesson's address."""
    at = AppTest.from_file(root / "app.py", default_timeout=60).run()
    assert not at.exception
    found = [parse_qs(link.proto.query_string) for link in at.get("page_link") if link.proto.query_string]
    wanted = [
        {name: [value] if isinstance(value, str) else value for name, value in lesson.address.items()}
        for lesson in LESSONS
    ]
    assert len(LESSONS) == 5
    assert sorted(found, key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_the_address_of_a_lesson_is_used(lesson, playground):
    """Every part of a lesson's address reaches its control and the run itself."""
    at = playground(**lesson.address)
    assert not at.exception
    assert not at.error
    result = at.session_state["result"]
    used = {
        "data": result.experiment.data.source,
        "beside": list(result.recordings)[-1],
        **result.experiment.data.options,
        **result.experiment.parameters,
    }
    for name, value in lesson.address.items():
        wanted = [value] if isinstance(value, str) else value
        shown, run = at.session_state[name], used[name]
        assert [_text(v) for v in (shown if isinstance(shown, list) else [shown])] == wanted
        assert [_text(v) for v in (run if isinstance(run, list) else [run])] == wanted
    assert result.main.labels.shape == (len(result.dataset.X),)
    assert len(at.get("plotly_chart")) == len(result.recordings)


def _text(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, int | float) else str(value)
