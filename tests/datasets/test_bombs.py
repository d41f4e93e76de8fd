"""Files made to exhaust a server are refused by name, or read as what they are."""

import gc
import gzip
import io
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.bombs import MAKERS
from mmc.datasets import TableError, open_table
from mmc.datasets._packed import pool

REFUSED = {
    "nine-gigabytes.parquet": "unpacks to more than is read",
    "one-megabyte-text.parquet": "'c0' .* has a cell of more than 32,767 characters",
    "one-text-many-columns.parquet": "unpacks to more than is read",
    "dictionary-of-long-texts.parquet": "unpacks to more than is read",
    "dictionary-indices.parquet": "unpacks to more than is read",
    "delta-texts.parquet": "'text' .* DELTA_BYTE_ARRAY",
    "fixed-size-values.parquet": "unpacks to more than is read",
    "zstd-of-zeros.parquet": "unpacks to more than is read",
    "too-deep-struct.parquet": "damaged or unusual Parquet",
    "60000-row-groups.parquet": "60000 row groups",
    "page-larger-than-said.parquet": "unpacks to more than is read: at least 1031",
    "fewer-rows-than-said.parquet": "damaged or unusual Parquet",
    "100000-columns.csv": "100000 columns, and at most 2000",
    "cell-of-19-megabytes.csv": "line 3 .* more than 2,000,000 characters",
    "cells-of-one-megabyte.csv": "line 3 .* has a cell of more than 32,767 characters",
    "quotes-never-closed.csv": "line 3 .* has a cell of more than 32,767 characters.*quotation mark",
    "number-of-one-megabyte.csv": "line 3 .* has a cell of more than 32,767 characters",
    "commas-in-one-line.csv": "line 1 .* more than 2,000,000 characters",
    "commas-after-one-column.csv": "has 15001 cells",
    "comment-lines.csv": "comment lines",
    "nul-bytes.csv": "does not look like a table",
    "utf-16-of-one-line.csv": "line 1 .* more than 2,000,000 characters",
    "utf-16-cut-in-a-pair.csv": "damaged: .*utf-16",
}


@pytest.mark.parametrize("name", REFUSED)
def test_bombs_are_refused_by_name(name):
    """The message names the cause, and little memory is taken until then."""
    data = MAKERS[name]()
    gc.collect()  # of what earlier tests and the traceback below leave behind
    before = pool().bytes_allocated() + pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        with pytest.raises(TableError, match=REFUSED[name]):
            open_table(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6
    gc.collect()
    assert pool().bytes_allocated() + pa.total_allocated_bytes() <= before


@pytest.mark.parametrize("name", ["nested-lists.parquet", "map.parquet", "deep-struct.parquet"])
def test_nested_columns_are_not_read_and_named(name):
    """A column in which each cell holds several values is left out; the others are read."""
    table = open_table(MAKERS[name]())
    assert list(table.frame.columns) == ["x"]
    assert table.frame["x"].tolist() == [1, 2]
    assert any("several values" in note for note in table.notes)


def test_a_cell_may_be_as_long_as_in_a_spreadsheet():
    """The longest cell is read, and one of one character more is refused with its line."""
    text = "a,b\n1,2\n3,{}\n"
    assert open_table(text.format("é" * 32_767).encode()).frame["b"][1] == "é" * 32_767
    with pytest.raises(TableError, match="line 3 "):
        open_table(text.format("é" * 32_768).encode())


def parquet(columns, **options) -> bytes:
    """Write columns as Parquet."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def test_a_bounded_dictionary_is_filled_in():
    """Texts that are stored once each come back in all rows, in groups with dictionaries of their own."""
    texts = [f"text {i % 7} of group {i // 500}" for i in range(2000)]
    table = open_table(parquet({"t": texts, "x": range(2000)}, row_group_size=500))
    assert table.frame["t"].tolist() == texts


@pytest.mark.parametrize(
    "options",
    [
        {"data_page_version": "2.0"},
        {"compression": "gzip", "data_page_size": 100},
        {"use_dictionary": False, "compression": "none"},
        {"use_dictionary": False, "use_byte_stream_split": ["x"]},
        {"row_group_size": 10, "write_statistics": False},
    ],
)
def test_ordinary_parquet_passes_the_bounds(options):
    """Files of all layouts are read as they are."""
    rng = np.random.default_rng(0)
    x, words = rng.normal(size=300), [f"w{i}" for i in rng.integers(9, size=300)]
    gaps = [None if i % 5 == 0 else i for i in range(300)]
    frame = open_table(parquet({"x": x, "w": words, "g": gaps}, **options)).frame
    np.testing.assert_array_equal(frame["x"], x)
    assert frame["w"].tolist() == words
    assert frame["g"].dtype == "Int64"
    assert [
        None if value is None else int(value)
        for value in frame["g"].astype(object).where(frame["g"].notna(), None)
    ] == gaps


def test_memory_that_runs_out_is_a_table_error(monkeypatch):
    """If an allocation fails, the message says so, in text and in Parquet."""

    def fail(*arguments):
        raise pa.ArrowMemoryError("malloc of size 1 failed")

    monkeypatch.setattr("mmc.datasets._text.split", fail)
    monkeypatch.setattr("mmc.datasets._text_table.split", fail)
    monkeypatch.setattr("mmc.datasets._parquet.check_size", fail)
    for data in (b"a,b\n1,2\n3,4\n", parquet({"x": [1, 2]})):
        with pytest.raises(TableError, match="more memory"):
            open_table(data)


ZIPPED = b"PK\x03\x04\x14\x00\x00\x00\x00\x00"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "compressed with gzip.*unpack it"),
        (b"BZh91AY&SY\x00", "compressed with bzip2"),
        (b"\xfd7zXZ\x00\x00", "compressed with xz"),
        (b"\x28\xb5\x2f\xfd\x00", "compressed with zstd"),
        (b"7z\xbc\xaf\x27\x1c\x00", "7z archive"),
        (b"Rar!\x1a\x07\x00", "RAR archive"),
        (ZIPPED + b"a.csv", "zip archive or a spreadsheet.*unpack it"),
        (ZIPPED + b"xl/workbook.xml", r"damaged or unusual Excel workbook.*save the sheet as CSV"),
        (ZIPPED + b"xl/workbook.bin", r"binary Excel workbook \(.xlsb\).*save it as .xlsx"),
        (
            ZIPPED + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            r"\(.ods\).*save the sheet as CSV",
        ),
        (ZIPPED + b"arr_0.npy", r"NumPy archive \(.npz\)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", r"old Excel workbook \(.xls\)"),
        (b"%PDF-1.7\n", "PDF document"),
        (b"{\\rtf1 a}", "RTF document"),
        (b"SQLite format 3\x00", "SQLite database.*export"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"ARROW1\x00\x00", "Arrow or Feather"),
        (b"FEA1 FEA1", "Feather"),
        (b"ORC\x0a\x00ORC\x11", "ORC"),
        (b"Obj\x01\x04", "Avro"),
        (b"\x93NUMPY\x01\x00", "NumPy array"),
        (b"\x80\x04\x95\x00.", "pickle, which is never opened"),
        (b"PARE1234PARE", "encrypted Parquet"),
        (b"\xff\xd8\xff\xe0", "JPEG image"),
        (b"GIF89a\x01", "GIF image"),
        (b"<!DOCTYPE html><html>", "HTML page"),
        (b"<?xml version='1.0'?><a/>", "XML file"),
        ('{"a": [1, 2]}'.encode("utf-16"), "JSON file"),
        (b'[{"a": 1}, {"a": 2}]\n', "JSON file"),
        (bytes(257) + b"ustar", "tar archive"),
    ],
)
def test_foreign_formats_are_named(data, message):
    """The message names the format and what to do; nothing is unpacked."""
    with pytest.raises(TableError, match=message):
        open_table(data)


@pytest.mark.parametrize(
    "text", ["FEA1,FEA2\n1,2\n3,5\n", "ORC,b\n1,2\n3,5\n", "[a],{b}\n1,2\n3,5\n", "<a,b>\n1,2\n3,5\n"]
)
def test_texts_that_begin_like_another_format_are_read(text):
    """A column name is not taken for the mark of a format."""
    assert len(open_table(text.encode()).frame) == 2
