"""What words mean: amounts, dates, truth values and what a column is, against plain readings of each word."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mmc.datasets import TableError, open_table
from mmc.datasets._dates import dates, days
from mmc.datasets._kinds import look, read_column
from mmc.datasets._meaning import as_truths, numbers, words_of

UNITS = st.sampled_from(["", "%", "€", "$", "kg", "EUR", "US$"])


def words(*cells):
    """Return the words of cells."""
    return words_of(pd.Series(cells, dtype=object))


@st.composite
def written(draw):
    """Amounts in cents, and the same written in one way."""
    cents = draw(st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=20, unique=True))
    mark, separator = draw(
        st.sampled_from([(".", ","), (",", "."), (".", ""), (",", "'"), (",", " "), (".", "’")])
    )
    unit, before = draw(UNITS), draw(st.booleans())
    space, brackets = draw(st.sampled_from(["", " "])), draw(st.booleans())
    assume(not (before and unit in ("%", "kg")))

    def text(value):
        whole, rest = divmod(abs(value), 100)
        number = f"{whole:,}".replace(",", separator) + f"{mark}{rest:02d}"
        amount = f"{unit}{space}{number}" if before and unit else f"{number}{space}{unit}".strip()
        if value >= 0:
            return amount
        return f"({amount})" if brackets else f"-{amount}"

    return cents, [text(value) for value in cents]


@settings(deadline=None)
@given(written(), st.sampled_from(".,"))
def test_amounts_are_what_was_written(made, decimal):
    """Whatever the marks, the unit and the sign, every word is its number, whichever mark the file has."""
    cents, texts = made
    read = numbers(words(*texts), decimal)
    assert read is not None, texts
    np.testing.assert_allclose(read.values, np.array(cents) / 100, rtol=1e-14)
    assert read.stray == []


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,234", "2"], [1234, 2]),
        (["EUR 5", "USD 7"], None),
        (["5 kg", "7 lb"], None),
        (["A1", "B2"], None),
        (["5 €", "none"], [5]),
        (["−3 %", "+4 %"], [-3, 4]),
        (["--3", "4"], None),
        (["(-3)", "4"], [-3, 4]),
        (["$", "€"], None),
        (["$5€", "$7€"], None),
        (["1.2.3", "4.5.6"], None),
        (["00123", "00456"], None),
        (["1,234.50-", "7.25"], [-1234.5, 7.25]),
        (["3 - good", "4 - fair"], None),
        (["$(1,250.00)", "$3.50", "$-"], [-1250, 3.5, 0]),
        (["€110.5M", "€565K", "€0"], [110.5e6, 565e3, 0]),
        (["$1.2m", "$3bn"], [1.2e6, 3e9]),
        (["80.2k", "916"], [80_200, 916]),
        (["3 k", "4 k"], [3000, 4000]),
        (["3 M", "4 M"], [3, 4]),
        (["3 K", "400"], [3000, 400]),
        (["3 M", "4 MB"], None),
        (["300 K", "310 K"], [300, 310]),
        (["5 m", "7"], [5, 7]),
        (["1,5 Mio. €", "900 Tsd. €"], [1.5e6, 9e5]),
        (["21 °C", "-3.5 °C"], [21, -3.5]),
        (["51/km2", "60/km2"], [51, 60]),
        (["50 km/h", "80 km/h"], [50, 80]),
        (["3 €/m2", "4,5 €/m2"], [3, 4.5]),
        (["5/5", "4/5"], None),
        (["50 km/h", "80 km"], None),
        (["1" + " " * 30_000 + "!", "2" + " " * 30_000 + "!"], None),  # would take minutes
        (["0:30", "12:15"], [0.5, 12.25]),
        (["100:00:36", "0:00:00"], [100.01, 0]),
        (["0:75", "1:80"], None),
    ],
)
def test_numbers_with_units(cells, values):
    """Units are the same in all cells, and codes and versions are no numbers."""
    read = numbers(words(*cells), ".")
    if values is None:
        assert read is None
    else:
        assert read is not None
        assert read.values.tolist() == values


def test_thousands_of_the_next_table_count_as_those_of_the_first():
    """A column of K and M alone means the same in a table in which all cells have K."""
    first = read_column("c", pd.Series(["3K", "400", "2M"]), "amount", ".")
    assert first.values is not None
    assert first.values.tolist() == [3000, 400, 2e6]
    alone = pd.Series(["3K", "5K"])
    for format_, expected in ((first.format, [3000, 5000]), ("", [3, 5])):
        column = read_column("c", alone, "amount", ".", format_)
        assert column.values is not None
        assert column.values.tolist() == expected


def test_a_few_stray_words_are_missing():
    """Up to three words that are no numbers, in a tenth of the cells, are missing values; more are not."""
    cells = [f"{i} kg" for i in range(30)]
    read = numbers(words(*cells, "heavy", "light"), ".")
    assert read is not None
    assert read.stray == ["heavy", "light"]
    assert np.isnan(read.values[-2:]).all()
    assert numbers(words(*cells, "a", "b", "c", "d"), ".") is None
    assert numbers(words(*cells[:8], "heavy"), ".") is None
    not_known = numbers(words(*cells[:8], "unknown", "Unknown", "k.A.", "heavy"), ".")
    assert not_known is None  # heavy is more than a tenth
    not_known = numbers(words(*cells[:9], "unknown", "Unknown", "k.A.", "heavy"), ".")
    assert not_known is not None
    assert not_known.stray == ["unknown", "Unknown", "heavy"]


WAYS = (
    ("%Y-%m-%d", "."),
    ("%Y-%m-%dT%H:%M:%S", "."),
    ("%Y/%m/%d %H:%M", "."),
    ("%d.%m.%Y", "."),
    ("%d.%m.%Y %H:%M:%S", ","),
    ("%m/%d/%Y", "."),
    ("%d/%m/%Y", ","),
    ("%m/%d/%Y %I:%M %p", "."),
    ("%d %b %Y", "."),
    ("%B %d, %Y", "."),
    ("%d-%b-%Y", "."),
    ("%d. %B %Y", "."),
    ("%Y-%m", "."),
    ("%m/%Y", "."),
    ("%b %Y", "."),
    ("%B %Y", "."),
)


@settings(deadline=None)
@given(
    st.lists(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1)), min_size=1, max_size=15),
    st.sampled_from(WAYS),
)
def test_dates_are_what_was_written(times, way):
    """Every way of writing gives the days since 1970 that Python's own reader gives."""
    pattern, decimal = way
    texts = list(dict.fromkeys(time.strftime(pattern) for time in times))
    read = dates(words(*texts), decimal)
    assert read is not None
    expected = [
        (dt.datetime.strptime(t, pattern) - dt.datetime(1970, 1, 1)).total_seconds() / 86_400 for t in texts
    ]
    np.testing.assert_allclose(read.values, expected, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    ("cells", "decimal", "format_", "first"),
    [
        (["1/2/2024", "3/4/2024"], ".", "%m/%d/%Y", dt.date(2024, 1, 2)),
        (["1/2/2024", "3/4/2024"], ",", "%d/%m/%Y", dt.date(2024, 2, 1)),
        (["1/2/2024", "13/4/2024"], ".", "%d/%m/%Y", dt.date(2024, 2, 1)),
        (["1/2/2024", "3/14/2024"], ",", "%m/%d/%Y", dt.date(2024, 1, 2)),
        (["1.2.24", "3.4.24"], ".", "%d.%m.%y", dt.date(2024, 2, 1)),
        (["1-2-2024", "3-4-2024"], ".", "%d-%m-%Y", dt.date(2024, 2, 1)),
    ],
)
def test_ambiguous_dates(cells, decimal, format_, first):
    """The other cells decide between day and month, and where they do not, the decimal mark of the file."""
    read = dates(words(*cells), decimal)
    assert read is not None
    assert (read.format, read.values[0]) == (format_, (first - dt.date(1970, 1, 1)).days)


def test_the_mark_of_the_file_decides_about_its_dates():
    """The same column is of another month in a file with decimal commas; and a known format goes first."""
    german = open_table(b"x;day\n1,5;1/2/2024\n2,5;3/4/2024\n")
    english = open_table(b"x;day\n1.5;1/2/2024\n2.5;3/4/2024\n")
    day = dt.date(1970, 1, 1)
    for table, found in ((german, dt.date(2024, 2, 1)), (english, dt.date(2024, 1, 2))):
        assert table.typed({"day": "date"})["day"][0] == (found - day).days
    assert "day/month/year" in german.looks[1].words
    assert "month/day/year" in english.looks[1].words
    column = read_column("day", english.frame["day"], "date", ".", "%d/%m/%Y")
    assert column.format == "%d/%m/%Y"


@pytest.mark.parametrize(
    ("cells", "decimal", "format_", "days_"),
    [
        (["31.1.2024", "2024-03-02"], ".", "ISO8601 or %d.%m.%Y", ["2024-01-31", "2024-03-02"]),
        (
            ["31.1.2024", "1/2/2024", "3.2.2024"],
            ".",
            "%d.%m.%Y or %d/%m/%Y",
            ["2024-01-31", "2024-02-01", "2024-02-03"],
        ),
        (
            ["1.2.2024", "1.2.2024 12:00"],
            ".",
            "%d.%m.%Y or %d.%m.%Y %H:%M",
            ["2024-02-01", "2024-02-01T12:00"],
        ),
        (["5. März 2024", "12. Mai 2024"], ",", "%d. %B %Y", ["2024-03-05", "2024-05-12"]),
        (["13/4/2024", "3/14/2024"], ".", None, []),
        (["31.1.2024", "note"], ".", None, []),
    ],
)
def test_dates_in_several_ways(cells, decimal, format_, days_):
    """Each word has one of the formats, and none puts the month first where another has the day first."""
    read = dates(words(*cells), decimal)
    if format_ is None:
        assert read is None
        return
    assert read is not None
    assert read.format == format_
    expected = (np.array(days_, dtype="datetime64[m]") - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    np.testing.assert_allclose(read.values, expected)
    again = dates(words(*cells), decimal, read.format)
    assert again is not None
    np.testing.assert_array_equal(again.values, read.values)


def test_dates_as_whole_numbers():
    """Year, month and day in one number are a date; other whole numbers of eight digits are not."""
    column = pd.Series([20240131, 20240201, 20241231, 20240131] * 10)
    found = look(column.to_frame("day"), ".")[0]
    assert (found.kind, found.words) == ("date", "year, month and day in one number, as days since 1970")
    read = read_column("day", column, "date", ".").values
    assert read is not None
    np.testing.assert_array_equal(np.diff(read[:3]), [1, 334])
    assert one([20240131, 20249999, 34567890, 91234567] * 10).kind == "number"
    year = read_column("year", pd.Series([2023, 2024]), "date", ".").values
    assert year is not None
    assert year.tolist() == [2023, 2024]


def test_zones_are_taken_into_account():
    """Dates with offsets are counted in universal time, and missing ones stay missing."""
    read = dates(words("2024-01-01T12:00:00+02:00", "2024-01-01T12:00:00Z"), ".")
    assert read is not None
    assert read.values[1] - read.values[0] == pytest.approx(2 / 24)
    series = pd.Series(pd.to_datetime(["1970-01-02", None]))
    np.testing.assert_array_equal(days(series), [1, np.nan])


@pytest.mark.parametrize(
    ("cells", "spelt"),
    [
        (["No", "YES", "no"], ["no", "yes", "no"]),
        (["ja", "Nein"], ["yes", "no"]),
        (["True", "FALSE"], ["yes", "no"]),
        (["Wahr", "falsch"], ["yes", "no"]),
        (["oui", "non"], ["yes", "no"]),
        (["t", "f"], ["yes", "no"]),
        (["n", "y"], ["no", "yes"]),
        (["yes", "ja"], None),
        (["yes", "no", "maybe"], None),
    ],
)
def test_truths(cells, spelt):
    """Spellings of one pair are yes and no; of two pairs they are words."""
    found = as_truths(words(*cells))
    if spelt is None:
        assert found is None
    else:
        assert found is not None
        assert [found.words[i] for i in found.codes] == spelt


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", " a", "b ", "n/a", "-", "NA", None, "?", "None", "c"]), min_size=1))
def test_words_are_stripped_and_gaps_are_none(cells):
    """Places of words are those of a loop over the cells."""
    found = words_of(pd.Series(cells, dtype=object))
    plain = [
        None if c is None or c.strip().lower() in ("n/a", "-", "na", "?", "none") else c.strip()
        for c in cells
    ]
    assert [None if i < 0 else found.words[i] for i in found.codes] == plain
    assert found.counts.tolist() == [plain.count(word) for word in found.words]
    spread = found.spread(np.arange(float(len(found.words))))
    np.testing.assert_array_equal(np.isnan(spread), [word is None for word in plain])


def one(values, name="x", decimal="."):
    """Say what one column is."""
    return look(pd.DataFrame({name: values}), decimal)[0]


@pytest.mark.parametrize(
    ("values", "name", "kind", "used", "said"),
    [
        (list(range(30)), "x", "id", False, "left out: it numbers the rows"),
        (list(range(0, 60, 2)), "x", "number", True, ""),
        (list(range(0, 60, 2)), "user_id", "id", False, "left out: it numbers the rows"),
        (list(range(0, 60, 2)), "customerID", "id", False, "left out: it numbers the rows"),
        (list(range(0, 60, 2)), "humid", "number", True, ""),
        ([1, 1, 2] * 10, "id", "number", True, ""),
        ([1.5] * 30, "x", "constant", False, "left out: all rows have the same value"),
        ([1.5, None] * 15, "x", "constant", False, "left out: all filled cells are equal"),
        ([f"{i + 1}\u202f000 €" for i in range(30)], "x", "amount", True, "'1 000 €' is 1000"),
        ([None] * 30, "x", "empty", False, "left out: no values"),
        ([1.0, 2.0] + [None] * 28, "x", "empty", False, "left out: only 2 of 30 cells are filled"),
        ([1.0, 2.0, 3.0] * 4 + [None] * 18, "x", "number", False, "18 of 30 cells are empty, more than half"),
        ([f"word {i}" for i in range(30)], "x", "text", False, "left out: 30 different texts in 30 cells"),
        ([f"k{i}" for i in range(30)], "x", "id", False, "left out: every row has a code of its own"),
        ([f"k{i // 2}" for i in range(60)], "x", "text", False, "left out: 30 different codes in 60 cells"),
        (["a", "b", "c"] * 10, "x", "category", True, ""),
        ([True, False, True] * 10, "x", "yes/no", True, ""),
        ([1j, 2j, 3j] * 10, "x", "text", False, "complex numbers"),
        (["7 kg", "9 kg"] * 15, "x", "amount", True, "'7 kg' is 7"),
        (
            ["7 kg", "900 g", "5 kg"] + [f"{i} kg" for i in range(27)],
            "x",
            "text",
            False,
            "left out: amounts in 'kg', 'g', not in one unit",
        ),
        (["7:30", "12:00"] * 15, "x", "amount", True, "'7:30' is 7.5 hours"),
        (["f", "m", "F"] * 10, "x", "category", True, "'f' and 'F' count as different words"),
        (
            [-999, 1.5, 2.5, -999, 3.5] * 6,
            "x",
            "number",
            True,
            "-999 in 12 cells may stand for missing values",
        ),
        ([9999, 1, 2, 3, 4, 9999] * 5, "x", "number", True, "9999 in 10 cells may stand for missing values"),
        ([999, 1, 2, 3, 400] * 6, "x", "number", True, ""),
        ([-999] + [1.5, 2.5, 3.5] * 10, "x", "number", True, ""),
        (list(range(0, 60, 2)), "Cust No.", "id", False, "left out: it numbers the rows"),
        (list(range(0, 60, 2)), "Kundennummer", "id", False, "left out: it numbers the rows"),
        (
            [20095, 80331, 80331] * 10,
            "PLZ",
            "number",
            False,
            "left out: by its name it holds codes, whose size means nothing",
        ),
        ([20095, 80331, 80331] * 10, "price", "number", True, ""),
        (["(7)", "9"] * 15, "x", "amount", True, "'(7)' is -7"),
        (["2024-01-05", "2023-05-01"] * 15, "x", "date", True, "year-month-day, as days since 1970"),
        (
            list(pd.date_range("2024-01-01", periods=30)),
            "x",
            "date",
            False,
            "left out: the rows are in the order of these dates",
        ),
    ],
)
def test_what_columns_are(values, name, kind, used, said):
    """Kind, whether it is used, and the words that are said."""
    found = one(values, name)
    assert (found.kind, found.used, found.words) == (kind, used, said)


def test_counts_of_a_look():
    """Gaps, different values, numbers of rows and examples are those of pandas and NumPy."""
    rng = np.random.default_rng(0)
    values = pd.Series(np.where(rng.random(200) < 0.2, np.nan, rng.normal(size=200).round(1)))
    found = one(values)
    assert (found.n_missing, found.n_values) == (values.isna().sum(), values.nunique())
    assert found.histogram == tuple(np.histogram(values.dropna(), 16)[0])
    assert found.examples == tuple(map(str, values.dropna()[:3]))
    letters = pd.Series(rng.choice(list("abbccc"), 50))
    assert one(letters).histogram == tuple(letters.value_counts())


@pytest.mark.parametrize(
    ("kind", "cells", "message"),
    [
        (
            "amount",
            "one\ntwo",
            r"cells of 'c' cannot be read as numbers \('one' in data row 1\): correct them",
        ),
        (
            "number",
            "7\nvery",
            r"cells of 'c' cannot be read as numbers \(1 of 2 values, first 'very' in data row 2",
        ),
        (
            "date",
            "31.2.2024\n30.2.2024",
            r"cells of 'c' cannot be read as dates \('31.2.2024' in data row 1\)",
        ),
        ("yes/no", "u\nv", "cells of 'c', such as 'u', are no spellings of yes and no: use it as a category"),
    ],
)
def test_errors_name_the_column_and_a_cell(kind, cells, message):
    """A column that cannot be read as asked is named, with a cell and what to do."""
    table = open_table(f"c\n{cells}\n".encode())
    with pytest.raises(TableError, match=message):
        table.typed({"c": kind})
    with pytest.raises(TableError, match="no column 'd'; its columns are 'c'"):
        table.typed({"d": kind})


def test_typed_gives_what_scikit_learn_takes():
    """Numbers, days and words by column, with NaN for gaps, in the order that is asked for."""
    table = open_table(b"w;n;d;t\nx;1;2024-01-01;yes\n-;2;n/a;\ny;inf;1970-01-03;no\n")
    frame = table.typed({"t": "yes/no", "n": "number", "d": "date", "w": "category"})
    assert list(frame) == ["t", "n", "d", "w"]
    np.testing.assert_array_equal(frame["n"], [1, 2, np.nan])
    np.testing.assert_array_equal(frame["d"], [19723, np.nan, 2])
    assert frame["w"].fillna("gap").tolist() == ["x", "gap", "y"]
    assert frame["t"].fillna("gap").tolist() == ["yes", "gap", "no"]
