"""Tables of the user on the page: what cannot be used is said, and the last good result stays."""

import re

import numpy as np
import pytest

from mmc.datasets import open_table
from mmc.ui import table_sidebar
from mmc.ui.home_view import GALLERY

_GAPS = b"a,b\n1,2\nNaN,3\n4,5\n6,inf\n7,8\n9,1\n2,2\n"

_BAD = {
    "empty": (b"", "empty"),
    "blank lines": (b"\n\n\n", "empty"),
    "header only": (b"a,b\n", "only a header"),
    "one row": (b"a,b\n1,2\n", "only one row"),
    "free texts": (b"a,b\nx,y\nz,w\nu,v\nt,s\n", "'a' (4 different texts in 4 cells)"),
    "constant columns": (b"a,b\n1,7\n1,7\n1,7\n", "no column that tells rows apart"),
    "all points equal": (b"name,a\nx,1.5\ny,1.5\nz,1.5\n", "'a' (all rows have the same value)"),
    "ragged": (b"a,b\n1,2\n1,2,3\n4,5\n", "line 3"),
    "binary": (bytes(range(256)) * 40, "does not look like a table"),
    "zip": (b"PK\x03\x04" + bytes(100), "spreadsheet"),
    "cut Parquet": (b"PAR1" + bytes(50) + b"PAR1", "bad.csv"),
    "huge values": (b"a,b\n1e308,-1e308\n1,2\n3,4\n1e308,2\n", "1e+308"),
    "too many clusters": (b"a,b\n1,2\n3,4\n", "“Clusters k”"),
}


@pytest.fixture
def table_page(playground, settle):
    """Open the playground with a good result, then choose a table without giving one."""
    at = playground(n="60")
    at.selectbox(key="data").set_value("table")
    return settle(at)


@pytest.fixture
def give(settle):
    """Load a file on a page that waits for one."""

    def given(at, content, name="table.csv"):
        at.file_uploader(key="upload").set_value((name, content, "text/csv"))
        return settle(at)

    return given


def test_a_table_is_asked_for(table_page):
    """Before a file is there the page asks for one and still shows the last result."""
    assert not table_page.exception
    assert len(table_page.error) + len(table_page.info) == 1
    assert table_page.session_state["playground:"].last.dataset.name == "three-gaussians"
    assert len(table_page.get("plotly_chart")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("content", "words"), _BAD.values(), ids=_BAD)
def test_a_file_that_cannot_be_used_is_explained(content, words, table_page, give):
    """The message says what is wrong with the file, and the former result and picture stay."""
    before = table_page.session_state["playground:"].last
    at = give(table_page, content, "bad.csv")
    assert not at.exception
    (message,) = [error.value for error in at.error]
    assert words in message.replace("\\", "")
    assert at.session_state["playground:"].last is before
    assert len(at.get("plotly_chart")) == 1
    assert len(at.metric) > 0


def test_a_file_beyond_the_limit_is_refused(table_page, give):
    """More than 20 MB are not read, and the message says so."""
    before = table_page.session_state["playground:"].last
    at = give(table_page, b"a,b\n" + b"1,2\n" * 5_300_000, "big.csv")
    assert not at.exception
    (message,) = [error.value for error in at.error]
    assert "too large" in message
    assert at.session_state["playground:"].last is before


def test_a_good_file_after_a_bad_one_runs_with_the_same_parameters(playground, settle, give):
    """A file that cannot be read costs nobody the parameters that were set."""
    at = playground(n="60", kernel="rbf", alpha="0.25", width="3", random_state="7")
    at.selectbox(key="data").set_value("table")
    give(settle(at), b"a,b\n1,2\n1,2,3\n4,5\n")
    assert at.error
    give(at, _points(12))
    assert not at.error
    parameters = at.session_state["playground:"].last.experiment.parameters
    assert (parameters["alpha"], parameters["width"], parameters["random_state"]) == (0.25, 3.0, 7)


def test_gaps_are_filled_or_their_rows_left_out(table_page, give, settle):
    """A table with gaps shows a result at once, says what was filled, and leaves rows out on request."""
    at = give(table_page, _GAPS)
    assert not at.error
    assert at.session_state["playground:"].last.dataset.n_samples == 7
    assert any("1 cell with 5" in _shown(caption) for caption in at.caption)
    at.selectbox(key="missing").set_value("drop")
    settle(at)
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    assert result.dataset.n_samples == 5
    table = open_table(_GAPS, name=result.dataset.name)
    assert result.experiment.data.load(table).rows.tolist() == [0, 2, 4, 5, 6]
    assert any("2 rows of 7" in caption.value for caption in at.caption)


def test_rows_are_pasted(table_page, settle):
    """Cells that were copied from a spreadsheet are a table, and what cannot be one is explained."""
    at = table_page
    at.text_area(key="pasted").set_value("height\tkind\n1,82\ta\n1,10\tb\n1,79\ta\n1,05\tb\n")
    next(button for button in at.button if button.label == "Use this table").click()
    settle(at)
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    assert result.dataset.feature_names == ("height", "kind=a", "kind=b")
    assert result.dataset.n_samples == 4
    at.text_area(key="pasted").set_value("only a line")
    next(button for button in at.button if button.label == "Use this table").click()
    settle(at)
    assert not at.exception
    assert any("only a header" in _shown(error) for error in at.error)


def test_what_was_left_out_is_told_beside_the_columns(find_clusters, settle):
    """A sum below the table is no row, and the preview says so."""
    at = find_clusters(data="table", most="3")
    content = b"shop;sales;size\na;10,5;1\nb;90,0;7\nc;11,0;2\nd;95,5;8\ne;12,0;1\nTotal;219,0;19\n"
    at.file_uploader(key="upload").set_value(("shops.csv", content, "text/csv"))
    settle(at)
    assert not at.exception
    title = next(each.label for each in at.expander if each.label.startswith("Your table"))
    assert title == "Your table: 5 rows, 2 of 3 columns are used, 2 notes on how it was read"
    assert any("The last row, 'Total', left out" in _shown(caption) for caption in at.caption)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "names", "first"),
    [
        (b"a,a\n1,2\n3,4\n1,3\n5,6\n7,9\n", ("a", "a (2)"), [1, 2]),
        (b"name,a\nx,1\ny,2\nz,9\nw,10\n", ("a",), [1]),
        (b"a;b\n1,5;2,5\n3,5;4,1\n9,1;8,2\n9,3;8,1\n", ("a", "b"), [1.5, 2.5]),
        (b"a\tb\n1\t2\n3\t4\n9\t8\n9\t7\n", ("a", "b"), [1, 2]),
        (b"1,2\n3,4\n9,8\n9,7\n", ("column_1", "column_2"), [1, 2]),
        ("größe,b\n1,2\n3,4\n9,8\n9,7\n".encode("latin-1"), ("größe", "b"), [1, 2]),
    ],
    ids=["repeated names", "one numeric column", "decimal comma", "tabs", "no header", "not UTF-8"],
)
def test_a_fine_file_is_clustered(content, names, first, table_page, give, settle):
    """Files in the usual dialects are read as they are meant."""
    at = give(table_page, content)
    at.selectbox(key="scale").set_value("no")
    settle(at)
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    assert result.dataset.feature_names == names
    table = open_table(content, name=result.dataset.name)
    assert result.experiment.data.load(table).X[0].tolist() == first
    assert np.unique(result.main.labels).size > 1
    assert len(at.get("plotly_chart")) == 1


def test_columns_and_reference_can_be_chosen(table_page, give, settle):
    """The reference is left out of the clustering and scores it; only the chosen columns are used."""
    rows = "\n".join(f"{'low' if i < 10 else 'high'},{i + 90 * (i > 9)},{i % 3},{i % 7}" for i in range(20))
    at = give(table_page, f"kind,x,y,z\n{rows}\n".encode())
    label = next(box for box in at.selectbox if (box.key or "").startswith("label_"))
    label.set_value("kind")
    columns = next(box for box in at.multiselect if (box.key or "").startswith("columns_"))
    columns.set_value(["x", "y"])
    at.slider(key="n_clusters").set_value(2)
    settle(at)
    assert not at.exception
    assert not at.error
    assert at.session_state["playground:"].last.dataset.feature_names == ("x", "y")
    assert "Adjusted Rand index" in [metric.label for metric in at.metric]


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["**bold**", "<script>", ":red[x]", "$x$", "[a](b)", "`code`"])
def test_names_from_a_file_are_never_rendered(mark, table_page, give):
    """A column name or file name that is Markdown or HTML appears only with its marks escaped."""
    rows = "\n".join(f"{i},{i % 3},5,{'' if i == 3 else i % 7}" for i in range(12))
    at = give(table_page, f'"{mark}","{mark}","{mark}2","{mark}3"\n{rows}\n'.encode(), f"{mark}.csv")
    assert not at.error
    assert any(_escaped(mark) in caption.value for caption in at.caption)
    _assert_escaped(at, mark)


def _assert_escaped(at, mark):
    texts = [
        element.value for kind in ("markdown", "caption", "error", "warning") for element in at.get(kind)
    ]
    texts += [metric.label for metric in at.metric] + [heading.value for heading in at.subheader]
    assert not at.exception
    assert not [text for text in texts if mark in text]


def _escaped(mark: str) -> str:
    return re.sub(r"([^\w\s])", r"\\\1", mark)


def _points(n: int) -> bytes:
    return ("a,b\n" + "\n".join(f"{i % 3 * 10 + i / n},{i % 3 * 7 - i / n}" for i in range(n))).encode()


def test_a_file_is_read_once_in_a_visit(table_page, give, settle, monkeypatch):
    """However often controls change and pages are opened, the file that was loaded is parsed once."""
    read = []
    plain = table_sidebar.read_upload
    monkeypatch.setattr(
        table_sidebar, "read_upload", lambda upload: read.append(upload.name) or plain(upload)
    )
    at = give(table_page, b"a,b\n1,2\n3,4\n5,9\n8,1\n", "mine.csv")
    assert at.session_state["playground:"].last.dataset.name == "mine.csv"
    at.slider(key="n_clusters").set_value(2)
    settle(at)
    at.switch_page("pages/5_Tune.py")
    settle(at)
    assert read == ["mine.csv"]


def test_the_experiment_with_sixty_thousand_digits_wants_a_file(playground, give):
    """Without the file the page says which one and how to make it; with it all is set, labels included."""
    (card,) = (each for each in GALLERY if "file" in each.address)
    at = playground(**card.address)
    assert not at.exception
    assert not at.error
    assert any("60,000" in _shown(info) and "Parquet" in _shown(info) for info in at.info)
    compile(at.code[0].value, "recipe", "exec")
    assert "to_parquet" in at.code[0].value
    rows = np.random.default_rng(0).integers(0, 9, (40, 3)).astype(str)
    table = "\n".join(["pixel0,pixel1,digit", *map(",".join, rows)])
    at = give(at, table.encode())
    assert not at.error
    result = at.session_state["playground:"].last
    assert result.dataset.feature_names == ("pixel0", "pixel1")
    assert result.dataset.y is not None
    assert not result.experiment.data.standardize
    assert result.experiment.parameters["n_clusters"] == 10
    assert result.experiment.algorithm == card.address["algorithm"]


def _shown(element):
    """Return a text as it is shown, without what keeps it from being Markdown."""
    return element.value.replace("\\", "")


def test_any_other_table_is_asked_for_with_its_limits(table_page):
    """The page says how large a file and how many rows it takes."""
    (info,) = table_page.info
    assert "at most 20 MB and 100,000 rows" in _shown(info)
    assert not table_page.code or all("to_parquet" not in code.value for code in table_page.code)
