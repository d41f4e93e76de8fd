"""What is read is right or is said: one test for each rule of the table reader."""

import csv
import io
import pickle

import numpy as np
import pytest

from mmc.datasets import TableError, labels_frame, load_table, open_table, to_csv_text


def notes_of(text: str) -> str:
    """Return all notes of a table, as one text."""
    return " ".join(load_table(text.encode(), missing="drop").notes)


@pytest.mark.parametrize(
    ("text", "names", "said"),
    [
        ("name,2019,2020\nanna,5,7\nbert,3,4\n", ["name", "2019", "2020"], "was read as the column names"),
        ("2019,2020,2021\n5.5,7,1\n3,4,2\n", ["2019", "2020", "2021"], "was read as the column names"),
        ("0,1,2\n5.5,7.5,1\n3,4,2\n", ["0", "1", "2"], "was read as the column names"),
        ("id,1,2,3\na,5,7,1\nb,3,4,2\n", ["id", "1", "2", "3"], "was read as the column names"),
        ("0,1,2\n5,7,1\n3,4,2\n", ["column_1", "column_2", "column_3"], "was read as data"),
        ("1,2,3\n4,5,6\n7,8,9\n", ["column_1", "column_2", "column_3"], ""),
        ("2001,2002\n1999,2003\n2010,2011\n", ["column_1", "column_2"], ""),
        ("anna,2019\nbert,2020\nanna,2021\n", ["column_1", "column_2"], "was read as data"),
        ("NA,NA\n1,2\n3,4\n", ["column_1", "column_2"], ""),
        ('"1,234",5\n"2,345",6\n"1,111",7\n', ["column_1", "column_2"], "thousands"),
    ],
)
def test_numeric_headers(text, names, said):
    """Years and column numbers above other numbers are names; what is in doubt is said."""
    table = open_table(text.encode())
    assert list(table.frame.columns) == names
    assert said in " ".join(table.notes)


@pytest.mark.parametrize(
    ("text", "values", "said"),
    [
        ("a;b\n1,234;1\n12,5;2\n", [1.234, 12.5], "comma was read as the decimal mark"),
        ("a;b\n1,234;1,5\n12,345;2,5\n", [1.234, 12.345], "comma was read as the decimal mark"),
        ("a;b\n1.234;1,5\n12.345;2,5\n", [1234, 12345], "point was read as a thousands separator in 'a'"),
        ("a;b\n1.234,56;1\n12.345,78;2\n", [1234.56, 12345.78], "thousands separator in 'a'"),
        ("a;b\n1,234.56;1\n12,345.78;2\n", [1234.56, 12345.78], "comma was read as a thousands separator"),
        ("a\tb\n1,234\t1.5\n5,678\t2.5\n", [1234, 5678], "comma was read as a thousands separator in 'a'"),
        ('a,b\n"1,234",1\n"12,345,678",2\n', [1234, 12345678], "comma was read as a thousands separator"),
        ("a;b\n1,234;1\n12,345;2\n", [1.234, 12.345], "is not certain"),
        ("a;b\n1,234;1\n950;2\n", [1234, 950], "is not certain"),
        ("a;b\n1.234;1\n12.345;2\n", [1.234, 12.345], "is not certain"),
        ("a;b\n1'234;1\n12'345;2\n", [1234, 12345], "apostrophe was read as a thousands separator"),
        ("a;b\n1 234,5;1\n12 345,5;2\n", [1234.5, 12345.5], "space was read as a thousands separator"),
        ("a;b\n1\u202f234,5;1\n12\u202f345,5;2\n", [1234.5, 12345.5], "space was read"),
    ],
)
def test_decimal_mark_and_thousands(text, values, said):
    """The whole column and then the whole file decide about 1,234 and 1.234, and the decision is said."""
    data = load_table(text.encode(), columns=["a"])
    np.testing.assert_array_equal(data.X.ravel(), values)
    assert said in " ".join(data.notes)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1", "2", "12 €", "4"], "'x' (1 of 4 values, first '12 €' in data row 3)"),
        (["5%", "6%", "7%", "8%"], "'x' ('5%' in data row 1)"),
        (["01234", "12345", "2", "3"], "'x' (leading zeros would be lost)"),
        (["12345678901234567890", "2", "3", "4"], "'x' (whole numbers of more than 18 digits)"),
        (["NA", "?", "NA", ""], "'x' (no values)"),
        (["inf", "inf", "-inf", "inf"], "'x' (no finite value)"),
        (["2020-01-01", "2020-01-02", "NA", ""], "'x' ('2020-01-01' in data row 1)"),
        (["true", "false", "true", "false"], "'x' ('true' in data row 1)"),
    ],
)
def test_columns_that_are_left_out_are_named(cells, said):
    """The note names the column and the value or the reason."""
    rows = "".join(f"{cell},{i},{i * i}\n" for i, cell in enumerate(cells))
    assert f"Left out because not numeric: {said}" in notes_of("x,y,z\n" + rows)


def test_the_label_and_constant_columns_are_named():
    """A reference labelling and a constant column are left out by name."""
    notes = " ".join(load_table(b"k,c,x,y\na,1,2,3\nb,1,3,5\n", label="k").notes)
    assert "'k' is the reference labelling" in notes
    assert "same value: 'c'" in notes


def test_leading_zeros_stay_in_the_export():
    """Postal codes and long identifiers are written as they were read."""
    text = b"zip,id,x\r\n01234,12345678901234567890,1\r\n99999,12345678901234567891,2\r\n"
    assert to_csv_text(open_table(text).frame).encode() == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sep=;\na;b\n1,5;2\n3;4\n", "names the delimiter, ';'"),
        ('"sep=|"\na|b\n1.5|2\n3|4\n', "names the delimiter, '|'"),
        ("sep=:\na:b\n1.5:2\n3:4\n", "names the delimiter, ':'"),
        ("# made by hand\n# in 2020\na,b\n1.5,2\n3,4\n", "2 lines left out as comments"),
        ("a,b\n1.5,2\n% a remark\n3,4\n# end", "2 lines left out as comments"),
        ("a b\n1.5 2\n# 7\n3 4\n", "1 line left out as comments"),
        ("a,b\n1.5,2\n#7,8\n3,4\n", "1 line left out as comments"),
        ("#a,b\n1.5,2\n3,4\n", "column names, 'a', 'b', were read from the comment"),
        ("# a b\n1.5 2\n3 4\n", "column names, 'a', 'b', were read from the comment"),
        ("a,b,\n1.5,2,\n3,4,\n", "end with the delimiter"),
        ("a,b\n1.5,2,\n3,4,\n", "end with the delimiter"),
        ("\n\na,b\n\n1.5,2\n\n3,4\n\n", ""),
        ("\ufeff# c\r\na,b\r\n1.5,2\r\n3,4", "1 line left out"),
    ],
)
def test_lines_around_the_table(text, said):
    """What programs write around a table is understood and said."""
    data = load_table(text.encode())
    assert data.feature_names == ("a", "b")
    np.testing.assert_array_equal(data.X, [[1.5, 2], [3, 4]])
    assert said in " ".join(data.notes)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("c,n\n#ff0000,3\nred,4\n#00ff00,5\n", ["#ff0000", "red", "#00ff00"]),
        ("#ff0000,3\n#00ff00,5\n#0000ff,6\n", ["#ff0000", "#00ff00", "#0000ff"]),
    ],
)
def test_cells_that_begin_like_a_comment(text, first):
    """Where other rows begin with words, or all rows with a number sign, such a row is data."""
    assert open_table(text.encode()).frame.iloc[:, 0].tolist() == first


def test_a_missing_value_is_no_comment():
    """The mark #N/A at the beginning of a line is a missing value."""
    table = open_table(b"a,b\n#N/A,2\n3,4\n")
    assert table.frame["a"].isna().tolist() == [True, False]
    assert table.notes == ()


def test_a_row_of_units_is_mentioned():
    """If only the first row of data is not a number, the note says that it may be units."""
    assert "if it names units" in notes_of("v,m,k\nm/s,kg,1\n1,2,2\n3,4,3\n4,5,4\n")


def test_a_line_with_wrong_cells_after_a_comment_is_counted_from_the_top():
    """Line numbers count all lines of the file."""
    with pytest.raises(TableError, match=r"line 5 .* has 3 cells, but 2"):
        open_table(b"# c\n\na,b\n1,2\n3,4,5\n6,7\n")


@pytest.mark.parametrize("n_rows", [3, 400_000])
def test_large_and_small_tables_hold_the_same(n_rows):
    """Large tables have types of less memory, and the same values, labels and export."""
    cells = [["7", "u", "", "0.5", ""], ["", "v", "5", "1.5", ""], ["300", "", "6", "2.5", ""]]
    rows = [",".join(cells[i % 3]) for i in range(n_rows)]
    data = load_table(("a,w,g,x,e\n" + "\n".join(rows)).encode(), columns=["x"], label="w")
    again = pickle.loads(pickle.dumps(data))
    text = to_csv_text(labels_frame(again, np.zeros(n_rows, dtype=int)))
    written = list(csv.reader(io.StringIO(text, newline="")))
    assert written[1:] == [[*cells[i % 3], "0"] for i in range(n_rows)]
    assert any("without a label" in note for note in data.notes)
    assert data.nbytes < 200 + 60 * n_rows


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("=z|c,d\n2029-10-14|-3,3e-04\n2008-02-10|1,5e+13\n", ["=z", "c,d"]),
        ("c,d\te;f\tz\n\t\t-28,997\n\t\t3309,119\n", ["c,d", "e;f", "z"]),
        ("a\tb c\td\n1/2\t\tx\n3/4\t\ty\n", ["a", "b c", "d"]),
        ('"<i>","h","y"\n"8.6e+08","","x y"\n"2.5e+08","","z u"\n', ["<i>", "h", "y"]),
        ("56.481.072,02|x\n3.241.159,80|y\n", ["column_1", "column_2"]),
    ],
)
def test_delimiter_beside_decimal_commas_and_spaces(text, names):
    """The comma of numbers and names, and spaces in names, are not taken for the delimiter."""
    assert list(open_table(text.encode()).frame.columns) == names


def test_clusters_are_added_to_very_many_columns_of_text():
    """No warning is raised, and all columns come back."""
    names = [f"w{j}" for j in range(150)]
    text = ",".join([*names, "x"]) + "\n" + "".join("u," * 150 + f"{i}\n" for i in range(3))
    frame = labels_frame(load_table(text.encode()), [0, 1, 0])
    assert list(frame.columns) == [*names, "x", "cluster"]
