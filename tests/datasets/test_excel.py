"""Sheets of Excel workbooks: where the table is, what its cells mean, and which files are refused."""

import datetime as dt
import io
import tracemalloc
import warnings
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from mmc import work
from mmc.datasets import TableError, load_table, open_table, read_table
from mmc.datasets import _excel as excel
from mmc.datasets import _workbook as workbook
from mmc.experiment import Data, Experiment


def book(**sheets):
    """Write sheets, each from its rows, and return the bytes."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def changed(data, **parts):
    """Replace parts of a workbook, named with __ for a slash, by what a function makes of them."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            change = parts.get(name.replace("/", "__").removesuffix(".xml"))
            new.writestr(name, old.read(name) if change is None else change(old.read(name)))
    return result.getvalue()


SMALL = book(Data=[["a", "b"], [1, 2], [3, 5], [4, 4]])
SHEET = "xl__worksheets__sheet1"


def test_cells_keep_their_types():
    """Whole numbers, fractions, texts, dates, truth values and durations, with gaps."""
    rows = [
        ["n", "x", "w", "day", "when", "ok", "gap", "took"],
        [1, 1.5, "u", dt.date(2024, 1, 31), dt.datetime(2024, 1, 31, 6), True, False, dt.time(7, 30)],
        [2, "#DIV/0!", " ", dt.date(2024, 2, 1), None, False, None, dt.timedelta(hours=30)],
        [3, 1e-7, "v", None, dt.datetime(2023, 1, 1, 18, 0, 1), True, True, None],
    ]
    table = open_table(book(Data=rows), name="t.xlsx")
    frame = table.frame
    assert frame["n"].dtype == "int64"
    assert frame["n"].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(frame["x"], [1.5, np.nan, 1e-7])
    assert frame["w"].isna().tolist() == [False, True, False]
    assert frame["day"].tolist() == [pd.Timestamp(2024, 1, 31), pd.Timestamp(2024, 2, 1), pd.NaT]
    assert frame["when"].iloc[[0, 2]].tolist() == [
        pd.Timestamp(2024, 1, 31, 6),
        pd.Timestamp(2023, 1, 1, 18, 0, 1),
    ]
    assert frame["ok"].dtype == "bool"
    assert frame["gap"].dtype == "boolean"
    assert frame["gap"].isna().tolist() == [False, True, False]
    assert frame["took"].tolist()[:2] == [7.5, 30]
    assert table.notes == ("Times and durations were read as hours: 'took'.",)
    assert (table.sheet, table.sheets) == ("Data", ("Data",))


def test_formulas_count_by_their_stored_value():
    """A formula without a stored value is a gap, and none is computed."""
    data = changed(
        book(Data=[["a", "b"], [1, "=1+1"], [3, "=A2*2"], [4, 9]]),
        **{
            SHEET: lambda xml: xml.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>7</v>").replace(b"<v></v>", b"")
        },
    )
    np.testing.assert_array_equal(read_table(data)["b"].to_numpy(float, na_value=np.nan), [7, np.nan, 9])


def test_texts_are_read_as_those_of_a_text_file():
    """Texts decide the decimal mark; numbers beside them in a column mean what they are."""
    rows = [
        ["a", "price", "code"],
        ["1,5", "1.234,50 €", "007"],
        [2.25, "7 €", "012"],
        ["n/a", "8,5 €", "100"],
    ]
    table = open_table(book(Data=rows))
    assert table.decimal == ","
    np.testing.assert_array_equal(table.frame["a"], [1.5, 2.25, np.nan])
    assert table.typed({"price": "amount"})["price"].tolist() == [1234.5, 7, 8.5]
    assert table.frame["code"].tolist() == ["007", "012", "100"]
    assert any("comma was read as the decimal mark" in note for note in table.notes)


def test_the_sheet_is_the_first_with_a_table():
    """Remarks, blank sheets and hidden ones are passed over; a name chooses another."""
    made = openpyxl.load_workbook(
        io.BytesIO(
            book(
                Notes=[["made in May"], ["by us"], ["with care"]],
                Blank=[],
                Hidden=[["h", "i"], [1, 2], [3, 4]],
                Data=[["a", "b"], [1, 2], [3, 5]],
                More=[["c", "d"], [5, 6], [7, 9]],
            )
        )
    )
    made["Hidden"].sheet_state = "hidden"
    buffer = io.BytesIO()
    made.save(buffer)
    data = buffer.getvalue()
    table = open_table(data, name="t.xlsx")
    assert table.sheet == "Data"
    assert table.sheets == ("Notes", "Blank", "Hidden", "Data", "More")
    assert table.notes[0] == (
        "The sheet 'Data' was read; the workbook also has 'Notes', 'Blank', 'Hidden', 'More'."
    )
    assert list(open_table(data, "More").frame) == ["c", "d"]
    assert read_table(data, "Hidden")["h"].tolist() == [1, 3]
    assert load_table(data, sheet="More").X.tolist() == [[5, 6], [7, 9]]
    with pytest.raises(TableError, match=r"'t.xlsx' has no sheet 'Moore'; its sheets are 'Notes', 'Blank'"):
        open_table(data, "Moore", name="t.xlsx")
    with pytest.raises(TableError, match="sheet 'Blank' of 'table' is empty: choose another"):
        open_table(data, "Blank")
    with pytest.raises(TableError, match="is no Excel workbook and has no sheets: leave the sheet out"):
        open_table(b"a,b\n1,2\n3,4\n", "Data")


def test_a_column_alone_is_read_if_there_is_nothing_else():
    """A single column counts where no sheet has more, and sheets without rows are named."""
    assert open_table(book(One=[["x"], [1], [2]])).frame["x"].tolist() == [1, 2]
    with pytest.raises(TableError, match=r"no sheet with a table of at least two rows .* 'A', 'B'"):
        open_table(book(A=[["x", "y"], [1, 2]], B=[]))


def test_the_table_is_found_on_its_sheet():
    """Titles, blank rows and columns, remarks beside and sources under the table are left out and told."""
    rows = [
        ["", "", "Report"],
        [],
        ["", "", "name", "size", "", "kind"],
        *[["", "", f"n{i}", i, "", "ab"[i % 2]] for i in range(1100)],
    ]
    rows[1090] += ["", "see below"]
    rows[40] = []
    rows += [[], ["", "", "Source: us"], ["", "", "in 2024"]]
    table = open_table(book(Data=rows))
    assert list(table.frame) == ["name", "size", "kind"]
    assert len(table.frame) == 1099
    assert table.frame["size"].tolist() == [i for i in range(1100) if i != 37]
    assert table.notes == (
        "1 row above the table left out, beginning with 'Report'.",
        "2 rows under the table left out, because a blank row stands above and most cells are empty, "
        "beginning with 'Source: us'.",
        "Cells beside the table were not read, in 1 row.",
    )


def test_without_names_the_columns_are_numbered():
    """A first row of dates and numbers is data, and keeps its type."""
    rows = [[dt.date(2024, 1, i), i * 1.5, i % 2 == 0] for i in range(1, 5)]
    frame = open_table(book(Data=rows)).frame
    assert list(frame) == ["column_1", "column_2", "column_3"]
    assert frame["column_1"].tolist() == [pd.Timestamp(2024, 1, i) for i in range(1, 5)]
    assert frame["column_3"].dtype == "bool"


@pytest.mark.parametrize("size", [b"A1", b"A1:XFD1048576", b"A1:B3"])
def test_what_the_sheet_says_of_its_size_is_not_believed(size):
    """Too small or far too large, the cells are those that are there."""
    data = changed(SMALL, **{SHEET: lambda xml: xml.replace(b'ref="A1:B4"', b'ref="' + size + b'"')})
    assert data != SMALL
    assert read_table(data).to_numpy().tolist() == [[1, 2], [3, 5], [4, 4]]


def test_macros_are_not_needed():
    """A workbook that may hold macros is read the same; the macros are not."""
    data = changed(
        SMALL,
        **{
            "[Content_Types]": lambda xml: xml.replace(
                b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
                b"application/vnd.ms-excel.sheet.macroEnabled.main+xml",
            )
        },
    )
    assert b"macroEnabled" in zipfile.ZipFile(io.BytesIO(data)).read("[Content_Types].xml")
    assert read_table(data)["b"].tolist() == [2, 5, 4]


def test_nothing_warns():
    """A date outside of what a date can be is a gap; the reader's warnings do not come through."""
    rows = [["a", "day"], [1, dt.date(2024, 1, 1)], [2, dt.date(2024, 1, 2)], [3, dt.date(2024, 1, 5)]]
    days = (dt.date(2024, 1, 2) - dt.date(1899, 12, 30)).days
    data = changed(
        book(Data=rows), **{SHEET: lambda xml: xml.replace(b"<v>%d</v>" % days, b"<v>99999999999</v>")}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = read_table(data)
    assert frame["day"].isna().tolist() == [False, True, False]


def far(xml):
    """Put a cell in a row that no sheet has."""
    return xml.replace(b'<row r="4"', b'<row r="99999999999"').replace(b'"A4"', b'"A99999999999"')


def entities(xml):
    """Declare an entity and use it."""
    return b'<!DOCTYPE x [<!ENTITY e "3">]>' + xml[xml.index(b"<worksheet") :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (SMALL[: len(SMALL) // 2], "damaged or unusual Excel workbook .BadZipFile.*save it again"),
        (changed(SMALL, **{SHEET: lambda xml: xml[:-40]}), "damaged or unusual Excel workbook .ParseError"),
        (changed(SMALL, **{SHEET: far}), "damaged or unusual Excel workbook .ValueError"),
        (
            changed(SMALL, xl__workbook=lambda xml: b"<a/>"),
            "has no sheet with a table .* its sheets are none",
        ),
        (changed(SMALL, **{SHEET: entities}), "'xl/worksheets/sheet1.xml' declares a document type"),
        (
            changed(SMALL, **{SHEET: lambda xml: entities(xml).decode().encode("utf-16")}),
            "'xl/worksheets/sheet1.xml' declares a document type",
        ),
        (changed(SMALL, **{SHEET: lambda xml: xml + b" " * 90_000_000}), "unpacks to more than is read"),
        (changed(SMALL, **{SHEET: lambda xml: xml + b"<a/>" * 11_000_000}), "holds more cells than are read"),
        (
            changed(SMALL, xl__styles=lambda xml: xml + b" " * 20_000_000),
            "part of 19.1 MB that is no sheet, 'xl/styles.xml'",
        ),
        (book(Data=[["a"] * 2001, [1] * 2001, [2] * 2001]), "has 2001 columns, and at most 2000"),
    ],
    ids=["cut", "xml", "far row", "workbook", "doctype", "utf-16", "spaces", "tags", "styles", "columns"],
)
def test_bad_workbooks_are_refused_by_name(data, message):
    """The message names the cause, and little memory is taken until then."""
    tracemalloc.start()
    try:
        with pytest.raises(TableError, match=message):
            open_table(data, name="t.xlsx")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60e6


def test_a_size_that_is_wrong_is_seen():
    """What a part unpacks to is bounded by what it says, and a part that says less is damaged."""
    data = changed(SMALL, **{SHEET: lambda xml: xml + b" " * 90_000_000})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    data = data.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    with pytest.raises(TableError, match=r"damaged or unusual Excel workbook .BadZipFile"):
        open_table(data)


def test_the_number_of_cells_is_bounded(monkeypatch):
    """Rows times columns count, also of cells that are blank; and so do parts of the archive."""
    wide = openpyxl.Workbook()
    for i in range(1, 4):
        wide.active.cell(i, 16_384, i)
    buffer = io.BytesIO()
    wide.save(buffer)
    with pytest.raises(TableError, match="holds at least 49,152 cells, and at most 40,000 are read"):
        open_table(buffer.getvalue(), max_bytes=10_000)
    monkeypatch.setattr(excel, "_BYTES_PER_CELL", 1000)
    with pytest.raises(TableError, match=r"holds at least 42 cells, and at most 40 are read"):
        open_table(book(Data=[["a", "b"], *[[1, 2]] * 30]), max_bytes=10_000)
    monkeypatch.setattr(workbook, "_MOST_PARTS", 3)
    with pytest.raises(TableError, match="parts, and at most 3 are read: save the sheet as CSV"):
        open_table(SMALL)


def test_a_password_is_named():
    """A part that is encrypted cannot be read, and the message says why."""
    start = SMALL.index(b"PK\x01\x02")
    data = bytearray(SMALL)
    data[start + 8] |= 1
    with pytest.raises(TableError, match=r"'t.xlsx' has a password: save it without one"):
        open_table(bytes(data), name="t.xlsx")


def test_a_long_cell_is_named_by_its_row():
    """A cell longer than a spreadsheet allows is refused."""
    data = book(Data=[["a", "b"], [1, "x"], [2, "long"]])
    data = changed(data, **{SHEET: lambda xml: xml.replace(b"long", b"l" * 32_768)})
    with pytest.raises(TableError, match="row 3 of 'table' has a cell of more than 32,767 characters"):
        open_table(data)


TWO = book(
    First=[["a", "b"], [1, 1], [1, 2], [8, 8], [9, 8]],
    Second=[["a", "b"], [1, 9], [9, 1], [1, 8], [8, 1]],
)


def test_an_experiment_knows_its_sheet():
    """The data of an experiment are those of its sheet, and another sheet is refused."""
    first, second = open_table(TWO, name="t.xlsx"), open_table(TWO, "Second", name="t.xlsx")
    data = Data("table", {"sheet": "Second"}, False, "t.xlsx", second.sha256)
    assert data.load(second).X.tolist() == [[1, 9], [9, 1], [1, 8], [8, 1]]
    with pytest.raises(
        ValueError, match=r"sheet 'Second' of 't.xlsx', .* the sheet 'First': give open_table"
    ):
        data.load(first)
    with pytest.raises(ValueError, match="table is no sheet of a workbook"):
        Data("table", {"sheet": "Second"}).load(open_table(b"a,b\n1,2\n3,4\n"))
    with pytest.raises(ValueError, match="sheet=3 is not right for a table: give the name of a sheet"):
        Data("table", {"sheet": 3}).check()
    experiment = Experiment(data, "KMeans", {"n_clusters": 2, "random_state": 0})
    assert Experiment.from_json(experiment.to_json()) == experiment
    assert "load_table('t.xlsx', sheet='Second', standardize=False)" in experiment.to_script()
    coded = Data("table", {"sheet": "Second", "columns": ["a", "b"], "encode": "onehot"}, True, "t.xlsx")
    assert "open_table('t.xlsx', sheet='Second')" in Experiment(coded, "KMeans").to_script()


def test_an_upload_keeps_a_workbook_of_several_sheets():
    """Another sheet can be read from what was kept; of other files nothing is kept."""
    upload = work.read(TWO, "t.xlsx", lambda share: True)
    assert (upload.sheet, upload.sheets) == ("First", ("First", "Second"))
    assert upload.nbytes == len(upload.packed) + len(TWO)
    other = work.read(upload.content, (upload.name, "Second"), lambda share: True)
    assert (other.sheet, other.sha256) == ("Second", upload.sha256)
    data = Data("table", {"columns": ["b"], "sheet": "Second"}, False, "t.xlsx", upload.sha256)
    bound = type("Bound", (), {"check": lambda self, n: None})()
    (loaded,) = work.load(other.packed, ([data], bound), lambda share: True)
    assert loaded.X.ravel().tolist() == [9, 1, 8, 1]
    for content in (SMALL, b"a,b\n1,2\n3,4\n"):
        assert work.read(content, "t", lambda share: True).content == b""
