"""Tables of the user: what is read, what is left out with a note, and what is refused and why."""

import io
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc.datasets import (
    MissingValuesError,
    TableError,
    labels_frame,
    load_table,
    numeric_columns,
    open_table,
    read_table,
    to_csv_text,
)

XY = b"x,y\n1,2\n3,4\n5,7\n"


def parquet(frame: pd.DataFrame) -> bytes:
    """Write a frame as Parquet."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1.5,2\n-3,4e0\n",
        "x;y\n1.5;2\n-3;4\n",
        "x;y\n1,5;2\n-3;4,0\n",
        "x\ty\n1.5\t2\n-3\t4\n",
        "x\ty\n1,5\t2\n-3\t4\n",
        "x|y\n1.5|2\n-3|4\n",
        "x y\n1.5 2\n-3 4\n",
        "  x    y\n 1.5    2\n -3.    4\n",
        "x y\n1,5 2,0\n-3,0 4,0\n",
        "x, y\n1.5, 2\n-3, 4\n",
        "x , y\n 1.5 , 2 \n -3 , 4 \n",
        '"x","y"\n"1.5","2"\n"-3","4"\n',
        "x,y\r\n1.5,2\r\n-3,4\r\n\r\n\r\n",
        "x,y\r1.5,2\r-3,4",
        "\nx,y\n\n1.5,2\n-3,4",
        '"x" "y"\n1.5 2\n-3 4\n',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_one_table_in_many_notations(text, encoding):
    """Delimiter, decimal mark, line ends and encoding do not change what is read."""
    data = load_table(text.encode(encoding))
    assert data.feature_names == ("x", "y")
    np.testing.assert_array_equal(data.X, [[1.5, 2], [-3, 4]])


FINITE = st.floats(-1e100, 1e100)


@st.composite
def written_tables(draw):
    """Draw a numeric table, and write it in some notation."""
    decimal, delimiter = draw(
        st.sampled_from(
            [(".", ","), (".", ";"), (".", "\t"), (".", "|"), (",", ";"), (",", "\t"), (",", "|")]
        )
    )
    width = draw(st.integers(2 if decimal == "," else 1, 4))
    row = st.lists(FINITE | st.integers(-(10**6), 10**6), min_size=width, max_size=width)
    values = draw(st.lists(row, min_size=2, max_size=6))
    lines = [[repr(value).replace(".", decimal) for value in row] for row in values]
    names = None
    if draw(st.booleans()):
        name = st.text("abXYé_", min_size=1)
        names = draw(st.lists(name, min_size=width, max_size=width, unique=True))
        lines.insert(0, names)
    text = draw(st.sampled_from(["\n", "\r\n"])).join(delimiter.join(line) for line in lines)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    return np.array(values, dtype=float), names, text.encode(encoding)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(written_tables())
def test_numeric_tables_are_read_back_exactly(table):
    """Every number and name comes back as it was, whatever the notation."""
    values, names, data = table
    frame = read_table(data)
    assert list(frame.columns) == (names or [f"column_{j + 1}" for j in range(values.shape[1])])
    np.testing.assert_array_equal(frame.to_numpy(dtype=float), values)


CELLS = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.text(max_size=5),
    st.sampled_from(
        ["", "NA", "?", "-", "inf", "1e999", "1,5", '"', '"a', "=1", "1" * 400, "é", "\x00", " 7 ", "１"]
    ),
)
LINES = st.lists(st.lists(CELLS, max_size=4), max_size=6)


def check_only_table_errors(data: bytes) -> None:
    """Load bytes in both ways; if they can be read, the result must hold together and be writable."""
    for missing in ("error", "drop"):
        try:
            loaded = load_table(data, missing=missing, standardize=missing == "drop")
        except TableError:
            continue
        assert np.isfinite(loaded.X).all()
        assert loaded.X.shape == (len(loaded.rows), len(loaded.feature_names))
        assert len(loaded.X) >= 2
        frame = labels_frame(loaded, np.zeros(len(loaded.X), dtype=int))
        assert to_csv_text(frame)
    with suppress(TableError):
        load_table(data, missing="drop", label=read_table(data).columns[-1])


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    """Arbitrary bytes raise nothing but TableError."""
    check_only_table_errors(data)


@settings(deadline=None, derandomize=True, max_examples=400)
@given(LINES, st.sampled_from([",", ";", "\t", "|", " ", "::"]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_nasty_tables_are_read_or_refused(lines, delimiter, newline):
    """Tables of junk, ragged or not, raise nothing but TableError."""
    text = newline.join(delimiter.join(cells) for cells in lines)
    check_only_table_errors(text.encode("utf-8", "replace"))


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.data())
def test_damaged_parquet_is_read_or_refused(data):
    """A Parquet file with some bytes changed or cut off raises nothing but TableError."""
    good = parquet(
        pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": ["u", "v", "u"], "d": pd.date_range("2020", periods=3)})
    )
    damaged = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(4, len(good) - 1))] = data.draw(st.integers(0, 255))
    check_only_table_errors(bytes(damaged[: data.draw(st.integers(4, len(good)) | st.just(len(good)))]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \n \n", "is empty"),
        ("\n".encode("utf-16"), "is empty"),
        (b"x,y\n", "only a header and no rows"),
        (b"x,y\n1,2\n", "only one row"),
        (b"1,2\n", "only one row"),
        (b"x,y\n1,2\n3\n4,5\n", "line 3 .* has 1 cell, but 2 .*correct that line"),
        (b'x,y\n"1\n\n",2\n3,4,5\n4,5\n', "line 5 .* has 3 cells, but 2"),
        (b"a,b\nu,v\nw,x\n", "no numeric column"),
        (b"x,y\n1,2\n1,2\n", "nothing varies"),
        (b"x,y\n1,1e200\n2,3\n", "column 'y' holds a value of size 1e\\+200.*rescale"),
        (b'x,y\n"1,2\n3,4\n', "quotation marks"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "does not look like a table.*Parquet"),
        (b"\x01\x02\x03,\x04\n\x05\x06,\x07", "does not look like a table"),
        (b"PK\x03\x04rest", "spreadsheet.*save the sheet as CSV"),
        (b"PAR1 and nothing else", "Parquet"),
        (b"\xff\xfea", "damaged.*utf-16"),
        (b",".join([b"1"] * 2001) + b"\n", "2001 columns, and at most 2000"),
    ],
)
def test_unusable_files_say_why(data, message):
    """The message names the cause and the remedy."""
    with pytest.raises(TableError, match=message):
        load_table(data)


def test_size_limit_names_both_sizes(tmp_path):
    """A file that is too large is refused from memory, from a path and from a file object."""
    path = tmp_path / "big.csv"
    path.write_bytes(XY)
    for source in (XY, path, str(path), io.BytesIO(XY)):
        with pytest.raises(TableError, match="too large: 16 bytes, and at most 10 bytes"):
            read_table(source, max_bytes=10)
        assert len(read_table(source, max_bytes=16)) == 3


def test_all_kinds_of_source(tmp_path):
    """Paths, bytes and binary files give the same table and a sensible name."""
    path = tmp_path / "points.csv"
    path.write_bytes(XY)
    assert load_table(path).name == load_table(str(path)).name == "points.csv"
    assert load_table(XY).name == "table"
    assert load_table(XY, name="mine").name == "mine"
    with path.open("rb") as file:
        file.read(5)
        first, again = load_table(file), load_table(file)
    assert first.name == "points.csv"
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.X, load_table(XY).X)


def test_missing_file_and_wrong_source(tmp_path):
    """A path that does not exist is a TableError; what is no source at all is a TypeError."""
    with pytest.raises(TableError, match=r"none\.csv' cannot be opened"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="not of type int"):
        read_table(3)
    with pytest.raises(TypeError, match="binary mode"):
        read_table(io.StringIO("x,y\n1,2\n3,4\n"))


@pytest.mark.parametrize(
    ("data", "names", "n_rows"),
    [
        (b"a,b\n1,u\n2,v\n", ["a", "b"], 2),
        (b"1,2\n3,4\n", ["column_1", "column_2"], 2),
        (b"5.1,setosa\n4.9,virginica\n", ["column_1", "column_2"], 2),
        (b"2019,kind\n5,1\n6,2\n", ["2019", "kind"], 2),
        (b"1,\n2,3\n4,5\n", ["column_1", "column_2"], 3),
        (b",0,1\n0,5,6\n1,7,8\n", ["column_1", "0", "1"], 2),
        (b"a,a,a\n1,2,3\n3,4,5\n", ["a", "a (2)", "a (3)"], 2),
        (b"a,a,a (2)\n1,2,3\n3,4,5\n", ["a", "a (3)", "a (2)"], 2),
        (b"a,,c\n1,2,3\n3,4,5\n", ["a", "column_2", "c"], 2),
    ],
)
def test_header_is_found_and_names_are_made_unique(data, names, n_rows):
    """The first row is a header unless its cells are numbers like those below it."""
    frame = read_table(data)
    assert list(frame.columns) == names
    assert len(frame) == n_rows


def test_column_types():
    """Whole numbers stay whole, gaps are missing values, words stay as they are."""
    frame = read_table(b"k,g,x,w,s\n1,5,1.5,u,+\n2,?,NA, NA,-\n3,7,-,,+\n")
    assert frame["k"].dtype == "int64"
    assert frame["g"].dtype == "Int64"
    assert frame["x"].dtype == "float64"
    assert frame["x"].isna().tolist() == [False, True, True]
    assert frame["w"].isna().tolist() == [False, False, True]
    assert frame["s"].tolist() == ["+", "-", "+"]
    assert numeric_columns(frame) == ["k", "g", "x"]


@pytest.mark.parametrize("cell", ["1_000", "１２", "0x10", "1e", "1 2", "--1", "1,5", "infinite"])
def test_what_is_not_a_number(cell):
    """Notations that only some programs take for numbers make a column of words."""
    assert numeric_columns(read_table(f'x,y\n"{cell}",1\n2,3\n'.encode())) == ["y"]


def test_decimal_comma_is_not_guessed_among_points():
    """In a file with decimal points, 1,5 is not read as a number; the column and the value are named."""
    data = load_table(b"a\tb\tc\n1,5\t1.5\t2.5\n5,75\t2.5\t3.5\n")
    assert data.feature_names == ("b", "c")
    assert data.frame["a"].tolist() == ["1,5", "5,75"]
    assert any("'a' ('1,5' in data row 1)" in note for note in data.notes)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name,v\nJohn Smith,3\nJane Doe,4\n", ["name", "v"]),
        ("name;v\nSmith, John;3\nDoe, Jane;4\n", ["name", "v"]),
        ("id\tnote\n1\tso it is\n2\tit is so\n", ["id", "note"]),
        ("day;v\n31.12.2020;1.234,5\n01.01.2021;2,5\n", ["day", "v"]),
        ("v;w\n2020-01-01 10:00;5,1\n2020-01-02 11:00;5,2\n", ["v", "w"]),
    ],
)
def test_separators_inside_cells_do_not_mislead(text, names):
    """Spaces, commas and points inside cells are not taken for the delimiter."""
    frame = read_table(text.encode())
    assert list(frame.columns) == names
    assert len(frame) == 2


@pytest.mark.parametrize("gap", ["", "NA", "nan", "null", "?", "-", "inf", "-Infinity", "1e999"])
def test_missing_and_infinite_values(gap):
    """Such a row is an error that counts it, or it is left out with a note."""
    data = f"x,y\n1,2\n3,{gap}\n5,8\n".encode()
    with pytest.raises(MissingValuesError, match=r"1 of 3 rows .*'y'.*missing='drop'") as caught:
        load_table(data)
    assert caught.value.n_rows == 1
    dropped = load_table(data, missing="drop")
    np.testing.assert_array_equal(dropped.X, [[1, 2], [5, 8]])
    assert dropped.rows.tolist() == [0, 2]
    assert len(dropped.frame) == 3
    assert any("1 row of 3 left out" in note for note in dropped.notes)
    np.testing.assert_array_equal(load_table(data, columns=["x"]).X, [[1], [3], [5]])


def test_too_few_complete_rows():
    """If dropping would leave fewer than two rows, both choices say so."""
    for missing in ("error", "drop"):
        with pytest.raises(TableError, match="fewer than two rows are complete") as caught:
            load_table(b"x,y\n1,\n3,4\n5,\n", missing=missing)
        assert not isinstance(caught.value, MissingValuesError)


def test_constant_columns_are_left_out():
    """A column that never varies, or no longer after dropping rows, is left out with a note."""
    data = load_table(b"x,c,d\n1,3,1\n2,3,1\n,3,2\n", missing="drop")
    assert data.feature_names == ("x",)
    assert any("'c'" in note for note in data.notes)
    assert any("'d'" in note for note in data.notes)
    np.testing.assert_array_equal(data.X, [[1], [2]])


def test_columns_are_taken_as_asked():
    """Columns come in the order in which they are named, each once."""
    data = load_table(XY, columns=["y", "x", "y"])
    assert data.feature_names == ("y", "x")
    np.testing.assert_array_equal(data.X, [[2, 1], [4, 3], [7, 5]])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"columns": ["z"]}, TableError, "no column 'z'; its columns are 'x', 'w'"),
        ({"columns": ["w"]}, TableError, "not all values of 'w' are numbers.*'x'"),
        ({"columns": []}, TableError, "no numeric column"),
        ({"columns": ["x"], "label": "x"}, TableError, "no numeric column"),
        ({"label": "q"}, TableError, "no column 'q'"),
        ({"columns": "x"}, ValueError, "sequence of names"),
        ({"missing": "fill"}, ValueError, "'error', 'drop', 'median' or 'most_frequent', got 'fill'"),
    ],
)
def test_wrong_choices_are_named(arguments, error, message):
    """Columns that do not exist or are not numeric are named, with those that would do."""
    with pytest.raises(error, match=message):
        load_table(b"x,w\n1,u\n2,v\n", **arguments)


def test_names_from_the_file_are_escaped_and_cut():
    """A message shows at most 40 characters of a name, and no raw control characters."""
    data = ('"a\nb' + "z" * 500 + '",w\n1,u\n1,v\n').encode()
    with pytest.raises(TableError) as caught:
        load_table(data)
    assert "\n" not in str(caught.value)
    assert "z" * 41 not in str(caught.value)
    assert r"'a\nb" in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        (["b", "a", "b"], [1, 0, 1]),
        (["10", "9", "10"], [1, 0, 1]),
        (["+", "-", "+"], [0, 1, 0]),
        (["0.5", "0.25", "0.5"], [1, 0, 1]),
        (["b", "?", "b"], None),
        (["1", "", "2"], None),
    ],
)
def test_label_column(labels, codes):
    """Labels are coded and kept out of X; if one is missing there are none, and a note."""
    rows = zip(labels, ("1,2", "3,4", "5,7"), strict=True)
    data = load_table(("l,x,y\n" + "".join(f"{a},{b}\n" for a, b in rows)).encode(), label="l")
    assert data.feature_names == ("x", "y")
    if codes is None:
        assert data.y is None
        assert any("1 row without a label" in note for note in data.notes)
    else:
        assert data.y.dtype == np.int64
        assert data.y.tolist() == codes


def test_label_matters_only_in_used_rows():
    """A missing label in a row that is left out does no harm."""
    data = load_table(b"l,x\na,1\n,\nb,3\n", label="l", missing="drop")
    assert data.y.tolist() == [0, 1]


def test_notes_tell_what_was_assumed():
    """Renamed columns, a decimal comma, Latin-1 and a lone numeric column are mentioned."""
    assert load_table(XY).notes == ()
    assert "'x (2)'" in load_table(b"x,x\n1,2\n3,4\n").notes[0]
    assert "decimal mark" in load_table(b"x;y\n1,5;2,5\n3,5;4,5\n").notes[0]
    assert "Latin-1" in load_table("é,y\n1,2\n3,4\n".encode("latin-1")).notes[0]
    assert "check the delimiter" in load_table(b"x\n1\n2\n").notes[0]


def test_standardize():
    """The columns are scaled, the table is not."""
    data = load_table(XY, standardize=True)
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(data.X.std(axis=0), 1)
    assert data.frame["x"].tolist() == [1, 3, 5]


def test_parquet_columns():
    """Numbers and decimals are read as numbers, dates as text; lists and the index are left out, by name."""
    frame = pd.DataFrame(
        {
            "x": [1.5, np.nan, 2.5],
            "k": [1, 2, 3],
            "money": [Decimal("1.10"), None, Decimal("2.20")],
            "when": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"]),
            "flag": [True, False, True],
            "parts": [[1], [2, 3], None],
            "word": ["u", "v", "é"],
        },
        index=[7, 8, 9],
    )
    data = load_table(parquet(frame), missing="drop", label="word")
    assert list(data.frame.columns) == [name for name in frame.columns if name != "parts"]
    assert data.feature_names == ("x", "k", "money")
    np.testing.assert_array_equal(data.X, [[1.5, 1, 1.1], [2.5, 3, 2.2]])
    assert data.frame["when"][0].startswith("2020-01-01")
    assert any("several values: 'parts'" in note for note in data.notes)
    assert any("'when' (dates or other values), 'flag' (truth values)" in note for note in data.notes)
    assert any("index" in note for note in data.notes)
    assert data.y.tolist() == [0, 1]


def test_parquet_that_unpacks_to_too_much():
    """A small file with very many cells is refused before they are read."""
    data = parquet(pd.DataFrame({"x": np.zeros(200_001)}))
    assert len(data) < 50_000
    with pytest.raises(TableError, match="200001 cells, and at most 200000"):
        read_table(data, max_bytes=50_000)
    with pytest.raises(TableError, match="unpacks to more than is read"):
        read_table(data, max_bytes=60_000)


def test_small_whole_numbers_of_parquet_stay_small():
    """Pixels take one byte each, so that four times as many cells as bytes of the file may be read."""
    pixels = np.random.default_rng(0).integers(0, 2, (10_000, 20), dtype=np.uint8)
    frame = pd.DataFrame(255 * pixels).add_prefix("pixel")
    table = open_table(parquet(frame), max_bytes=60_000)
    assert {str(kind) for kind in table.frame.dtypes} == {"uint8"}
    np.testing.assert_array_equal(table.dataset().X, frame)
    with pytest.raises(TableError, match="unpacks to more than is read"):
        open_table(parquet(frame.astype("int32")), max_bytes=60_000)


def test_written_table_is_read_back():
    """What is written with clusters can be read again, formulas defused."""
    data = load_table(b"name,x,y\n=a,1,2\nb,3,\nc,5,7\n", missing="drop")
    text = to_csv_text(labels_frame(data, [1, 0], [0.5, 0.25]))
    assert text.splitlines() == [
        "name,x,y,cluster,confidence",
        "'=a,1,2,1,0.5",
        "b,3,,,",
        "c,5,7,0,0.25",
    ]
    assert len(read_table(text.encode())) == 3


@pytest.mark.parametrize(
    ("text", "names", "n_rows", "above"),
    [
        (
            "Sales\nx,y,z\n1,2,3\n4,5,6\n",
            ["x", "y", "z"],
            2,
            "1 row above the column names left out, beginning with 'Sales'",
        ),
        ("Sales;;\n\n2024;;\nx;y;z\n1,5;2;3\n4;5;6\n", ["x", "y", "z"], 2, "2 rows above"),
        ('"two\r\nlines"\r\nx,y\r\n1,2\r\n4,5\r\n', ["x", "y"], 2, "1 row above"),
        ("Größe in €\nx\ty\n1\t2\n4\t5\n", ["x", "y"], 2, "beginning with 'Größe in €'"),
        (",x,y\n0,1,2\n1,4,5\n", ["column_1", "x", "y"], 2, None),
        ("a,,\n1,2,3\n4,5,6\n", ["a", "column_2", "column_3"], 2, None),
        ("x,y\n1,\n,2\n3,4\n", ["x", "y"], 3, None),
        ("x\n1\n2\n", ["x"], 2, None),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_titles_stand_above_the_column_names(text, names, n_rows, above, encoding):
    """Rows of few cells above a row of names are left out and told; short headers and sparse rows are not."""
    table = open_table(text.encode(encoding))
    assert list(table.frame) == names
    assert len(table.frame) == n_rows
    told = [note for note in table.notes if "above the column names" in note]
    assert len(told) == (above is not None)
    assert above is None or above in told[0]


def test_a_line_below_titles_keeps_its_number():
    """Errors count the lines of the file, also of those that were left out."""
    with pytest.raises(TableError, match="line 5 of 'table' has 3 cells, but 2"):
        open_table(b"Title\n\nx,y\n1,2\n3,4,5\n6,7\n8,9\n")
