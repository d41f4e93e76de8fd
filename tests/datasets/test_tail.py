"""What stands below the rows of a table: sums, means and sources are left out and told, and rows are not."""

import io

import openpyxl
import pyarrow as pa
import pytest

from mmc.datasets import TableError, open_table
from mmc.datasets._packed import Cells

ROWS = [("north", "1,250.50", "10%", "2021-01-05"), ("south", "749.50", "20%", "2021-05-01")] * 5
NAMES = "shop;sales;share;opened"


def read(*below, rows=ROWS):
    """Read the rows and what is below them."""
    lines = [NAMES, *(";".join(row) for row in rows), *below]
    return open_table("\n".join(lines).encode())


def words(table):
    """Return the notes on what was left out."""
    return [note for note in table.notes if "left out" in note]


@pytest.mark.parametrize(
    "last",
    ["Total;10,000.00;150%;", "TOTAL:;10,000;;", ";", "Summe;;;", "Average;1000;15%;", "Sum;9,999;;"],
)
def test_a_row_that_sums_up_is_left_out(last):
    """It says so in a word, and a number is the sum or the mean of the others nearly, or it has none."""
    table = read(last if last != ";" else ";Total;;")
    assert len(table.frame) == 10
    assert words(table) == [
        f"The last row, {last.split(';')[0] or 'Total'!r}, left out, because it sums up the others. If it "
        "does not, change that word."
    ]
    assert table.frame["sales"].dtype == float


@pytest.mark.parametrize(
    ("last", "rows"),
    [
        ("Total;1,250.00;10%;2021-01-05", ROWS),  # a shop of that name
        ("west;10,000.00;150%;", ROWS),
        ("Average;1300;10%;2021-01-05", ROWS),
        ("Total;10,750.00;;", [*ROWS, ("Total", "750", "5%", "2022-01-01")]),
        ("Total;1,250.50;;", ROWS[:2]),  # too few to tell
    ],
)
def test_other_rows_stay(last, rows):
    """A shop may be called Total."""
    table = read(last, rows=rows)
    assert len(table.frame) == len(rows) + 1
    assert words(table) == []


def test_means_below_sums_and_sources_below_both():
    """Each is told."""
    below = ["Total;10,000.00;;", "Average;1,000.00;;", "", "Source: the shops; provisional", "Made in June"]
    table = read(*below)
    assert len(table.frame) == 10
    assert [note.split(",")[1] for note in words(table)[1:]] == [" 'Average'", " 'Total'"]
    table = read("Total;10,000.00;;", "", *below[-2:])
    assert len(table.frame) == 10
    assert len(words(table)) == 2
    assert "2 lines under the table left out" in words(table)[0]
    assert "beginning with 'Source: the shops'" in words(table)[0]


def test_lines_of_few_cells_are_refused_elsewhere():
    """Between rows, and directly below them, they are a mistake that is named with its line."""
    with pytest.raises(TableError, match="line 12 of"):
        read("Source: the shops")
    with pytest.raises(TableError, match="line 13 of"):
        read("", "Source: the shops", "west;5;5%;2021-01-05")
    with pytest.raises(TableError, match="line 13 of"):
        read("", "west;5;5%")


def test_sources_with_all_delimiters():
    """As spreadsheets write them: below a row of delimiters."""
    table = read(";;;", "Source: the shops;;;", ";;;", "Made in June;;;")
    assert len(table.frame) == 10
    assert "4 rows under the table left out" in words(table)[0]
    assert len(read(";;;").frame) == 11  # a row without values is one
    assert len(read("west;;;").frame) == 11


def test_a_sum_in_a_workbook():
    """Also where its formula has no stored value; dates above it keep their type."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["shop", "sales", "open"])
    for i in range(8):
        sheet.append([f"s{i}", i * i, i % 3 == 0])
    sheet.append(["Total", "=SUM(B2:B9)"])
    data = io.BytesIO()
    book.save(data)
    table = open_table(data.getvalue())
    assert len(table.frame) == 8
    assert table.frame["open"].dtype == bool
    assert "'Total', left out" in words(table)[0]


@pytest.mark.parametrize("distinct", [3, 10_000])
def test_the_last_rows_of_packed_cells(distinct):
    """They are those that were added last, however they are stored."""
    cells = Cells(2)
    flat = [str(i % distinct) for i in range(10_000)]
    cells.append(pa.array(flat))
    cells.pack()
    assert cells.tail(3) == [tuple(flat[9994:9996]), tuple(flat[9996:9998]), tuple(flat[9998:])]
    assert len(cells.tail(10**6)) == 5000
    assert Cells(2).tail(3) == []
