"""Files as people have them, with what their cells mean and the groups that were planted in them."""

import datetime as dt
import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

import numpy as np
import openpyxl

N = 90
MONTHS = (
    *("Januar", "Februar", "März", "April", "Mai", "Juni"),
    *("Juli", "August", "September", "Oktober", "November", "Dezember"),
)


class Messy(NamedTuple):
    """A file, the groups of its rows, what its columns mean, and why others are not used.

    Attributes
    ----------
    name : str
    content : bytes
    groups : ndarray of shape (N,)
    means : dict
        Kind and values of each column that is used, in order; None is a missing value.
    left_out : dict
        Words about each column that is not used.
    said : dict
        Words about some columns that are used.
    notes : tuple of str
        Parts of notes.
    """

    name: str
    content: bytes
    groups: np.ndarray
    means: dict
    left_out: Mapping = MappingProxyType({})
    said: Mapping = MappingProxyType({})
    notes: tuple = ()


class Planted:
    """Groups of rows, and columns that follow them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.groups = self.rng.permutation(np.arange(N) % 3)

    def numbers(self, centres, spread, digits=2):
        """Numbers about a centre of each group."""
        values = np.asarray(centres, dtype=float)[self.groups] + self.rng.normal(0, spread, N)
        return [round(float(v), digits) for v in values]

    def words(self, of_groups, usual=0.95):
        """Draw a word of each group, now and then that of another."""
        own = self.rng.random(N) < usual
        others = self.rng.integers(len(of_groups), size=N)
        return [of_groups[g if keep else o] for g, keep, o in zip(self.groups, own, others, strict=True)]

    def dates(self, centres, spread):
        """Days about a centre of each group."""
        days = self.rng.normal(0, spread, N).round().astype(int)
        return [centres[g] + dt.timedelta(days=int(d)) for g, d in zip(self.groups, days, strict=True)]

    def holes(self, values, n):
        """Leave out some values."""
        gone = set(self.rng.choice(N, n, replace=False).tolist())
        return [None if i in gone else value for i, value in enumerate(values)]


def lines(delimiter, columns):
    """Write columns of cells as text."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(delimiter.join(row) + "\n" for row in rows)


def german(value, digits=2):
    """Write a number with a decimal comma and points between thousands."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def quoted(text):
    """Put a cell with commas into quotation marks."""
    return f'"{text}"'


def german_csv():
    """Semicolons, decimal commas, points between thousands, dates by day, Umlaute in one byte each."""
    p = Planted(0)
    sales, price = p.numbers([1200, 5400, 20300], 300), p.numbers([8, 25, 60], 2)
    height, city = p.numbers([1.2, 1.6, 1.9], 0.05), p.words(["Köln", "München", "Lübeck"])
    since = p.dates([dt.date(2005, 3, 1), dt.date(2013, 8, 15), dt.date(2021, 11, 30)], 200)
    text = lines(
        ";",
        {
            "Kundennummer": [f"K-{1000 + 7 * i}" for i in range(N)],
            "Umsatz": [german(v) for v in sales],
            "Preis": [f"{german(v)} €" for v in price],
            "Größe": [german(v) for v in height],
            "Kunde seit": [f"{d:%d.%m.%Y}" for d in since],
            "Stadt": city,
        },
    )
    means = {
        "Umsatz": ("number", sales),
        "Preis": ("amount", price),
        "Größe": ("number", height),
        "Kunde seit": ("date", since),
        "Stadt": ("category", city),
    }
    first = f"'{german(price[0])} €' is {price[0]:.10g}"
    return Messy(
        "kunden.csv",
        text.encode("cp1252"),
        p.groups,
        means,
        {"Kundennummer": "left out: every row has a code of its own"},
        {"Preis": first, "Kunde seit": "day.month.year, as days since 1970", "Umsatz": "", "Stadt": ""},
        (
            "comma was read as the decimal mark",
            "point was read as a thousands separator in 'Umsatz'",
            "Latin-1",
        ),
    )


def us_csv():
    """Commas between thousands, dollars, percent, dates by month."""
    p = Planted(1)
    income, price = p.numbers([31000, 58000, 142000], 4000, 0), p.numbers([900, 2400, 5200], 150)
    share, day = (
        p.numbers([2.5, 7.5, 15], 0.6, 1),
        p.dates([dt.date(2019, 2, 3), dt.date(2021, 6, 9), dt.date(2024, 1, 2)], 60),
    )
    region = p.words(["East", "South", "West"])
    text = lines(
        ",",
        {
            "Customer ID": [str(40_000 + 3 * i) for i in range(N)],
            "Income": [quoted(f"{v:,.0f}") for v in income],
            "Price": [quoted(f"${v:,.2f}") for v in price],
            "Share": [f"{v}%" for v in share],
            "Signed": [f"{d:%m/%d/%Y}" for d in day],
            "Region": region,
        },
    )
    means = {
        "Income": ("number", income),
        "Price": ("amount", price),
        "Share": ("amount", share),
        "Signed": ("date", day),
        "Region": ("category", region),
    }
    return Messy(
        "customers.csv",
        text.encode(),
        p.groups,
        means,
        {"Customer ID": "left out: it numbers the rows"},
        {"Share": f"'{share[0]}%' is {share[0]:.10g}", "Signed": "month/day/year, as days since 1970"},
        ("comma was read as a thousands separator in 'Income'",),
    )


def utf16_tsv():
    """Tabs in UTF-16, as a spreadsheet writes Unicode text, with gaps."""
    p = Planted(2)
    length, width = p.holes(p.numbers([4.5, 6.1, 7.9], 0.2), 6), p.numbers([1.1, 3.3, 2.2], 0.15)
    colour = p.holes(p.words(["žlutá", "červená", "modrá"]), 5)
    text = lines(
        "\t",
        {
            "délka": ["" if v is None else str(v) for v in length],
            "šířka": [str(v) for v in width],
            "barva": [v or "" for v in colour],
        },
    )
    means = {"délka": ("number", length), "šířka": ("number", width), "barva": ("category", colour)}
    filled = (
        f"'délka' (6 cells with {np.median([v for v in length if v is not None]):.6g}), 'barva' (5 cells with"
    )
    return Messy("kvety.txt", text.encode("utf-16"), p.groups, means, notes=(filled,))


def accounts_csv():
    """Negative amounts in parentheses, and codes of a currency before and after."""
    p = Planted(3)
    balance = p.numbers([-2500, 300, 4100], 250)
    fee, limit = p.numbers([12, 45, 80], 3), p.numbers([1000, 2600, 9000], 200, 0)
    text = lines(
        ",",
        {
            "balance": [quoted(f"({-v:,.2f})" if v < 0 else f"{v:,.2f}") for v in balance],
            "fee": [f"EUR {v:.2f}" for v in fee],
            "limit": [quoted(f"{v:,.0f} CHF") for v in limit],
            "branch": [str(p.rng.integers(100, 999)) for _ in range(N)],
            "currency": ["EUR"] * N,
        },
    )
    means = {
        "balance": ("amount", balance),
        "fee": ("amount", fee),
        "limit": ("amount", limit),
    }
    branches = [line.rsplit(",", 2)[1] for line in text.splitlines()[1:]]
    means["branch"] = ("number", [float(v) for v in branches])
    return Messy(
        "accounts.csv",
        text.encode(),
        p.groups,
        means,
        {"currency": "left out: all rows have the same value"},
        {"fee": f"'EUR {fee[0]:.2f}' is {fee[0]:.10g}", "limit": f"'{limit[0]:,.0f} CHF' is {limit[0]:.10g}"},
    )


def dates_csv():
    """Dates in several columns, in several ways of writing."""
    p = Planted(4)
    logged = [
        dt.datetime.combine(day, dt.time(int(p.rng.integers(24)), int(p.rng.integers(60)), 30))
        for day in p.dates([dt.date(2022, 1, 10), dt.date(2022, 9, 1), dt.date(2023, 6, 1)], 20)
    ]
    born = p.dates([dt.date(1950, 5, 5), dt.date(1975, 5, 5), dt.date(1999, 5, 5)], 900)
    ends = p.holes(p.dates([dt.date(2025, 3, 5), dt.date(2026, 3, 5), dt.date(2027, 3, 5)], 40), 4)
    text = lines(
        ";",
        {
            "order": [f"{dt.date(2024, 1, 1) + dt.timedelta(days=i):%Y-%m-%d}" for i in range(N)],
            "last login": [f"{v:%Y-%m-%dT%H:%M:%S}" for v in logged],
            "born": [f"{v:%b} {v.day}, {v.year}" for v in born],
            "ends": ["unknown" if v is None else f"{v.day} {v:%B} {v.year}" for v in ends],
        },
    )
    means = {"last login": ("date", logged), "born": ("date", born), "ends": ("date", ends)}
    return Messy(
        "logins.csv",
        text.encode(),
        p.groups,
        means,
        {"order": "year-month-day, as days since 1970; left out: the rows are in the order of these dates"},
        {
            "born": "month day, year, as days since 1970",
            "ends": "day month year, as days since 1970; 'unknown' taken as missing",
        },
    )


def answers_csv():
    """Yes and no in several spellings and languages, and a truth value that hardly varies."""
    p = Planted(5)
    flags = np.array([[0, 0, 1], [1, 0, 0], [1, 1, 1]])[p.groups] ^ (p.rng.random((N, 3)) < 0.02)
    rare = p.rng.random(N) < 0.05
    age = p.holes(p.numbers([20, 45, 70], 3, 0), 3)
    truths = [["no", "yes"][v] for v in flags[:, 0]], [["no", "yes"][v] for v in flags[:, 1]]
    smoker = p.holes(truths[1], 4)
    text = lines(
        ",",
        {
            "member": [["No", "Yes", "YES"][v * (1 + i % 2)] for i, v in enumerate(flags[:, 0])],
            "Raucher": ["k.A." if v is None else {"no": "nein", "yes": "ja"}[v] for v in smoker],
            "active": [["FALSE", "TRUE"][v] for v in flags[:, 2]],
            "rare": ["Y" if v else "N" for v in rare],
            "age": ["n/a" if v is None else f"{v:.0f}" for v in age],
        },
    )
    means = {
        "age": ("number", age),
        "member": ("yes/no", truths[0]),
        "Raucher": ("yes/no", smoker),
        "active": ("yes/no", [["no", "yes"][v] for v in flags[:, 2]]),
        "rare": ("yes/no", ["yes" if v else "no" for v in rare]),
    }
    return Messy("answers.csv", text.encode(), p.groups, means, {}, {"member": "", "Raucher": ""})


def stock_csv():
    """Categories with slips of the pen and gaps, and codes that tell every row apart."""
    p = Planted(6)
    material = p.words(["steel", "copper", "oak"])
    material[3], material[40] = "stel", "coper"
    material = p.holes(material, 6)
    weight, length = p.numbers([7.8, 8.9, 0.7], 0.1), p.numbers([10, 30, 50], 2, 1)
    remarks = [
        f"checked by {p.rng.integers(10**6)} on the {i}th of the month, see page {i * i}" for i in range(N)
    ]
    text = lines(
        "|",
        {
            "row": [str(i + 1) for i in range(N)],
            "uuid": [str(UUID(int=int(p.rng.integers(2**62)), version=4)) for _ in range(N)],
            "material": [v or "missing" for v in material],
            "weight": [str(v) for v in weight],
            "length": [f"{v} cm" for v in length],
            "remarks": remarks,
        },
    )
    means = {"weight": ("number", weight), "length": ("amount", length), "material": ("category", material)}
    return Messy(
        "stock.csv",
        text.encode(),
        p.groups,
        means,
        {
            "row": "left out: it numbers the rows",
            "uuid": "left out: every row has a code of its own",
            "remarks": f"left out: {N} different texts in {N} cells",
        },
        {"length": f"'{length[0]} cm' is {length[0]:.10g}"},
    )


def gaps_csv():
    """Constant, empty and nearly empty columns, and gaps in many spellings."""
    p = Planted(7)
    missing = ["n/a", "-", "?", "", "NA", "null", "NaN"]
    spelt = iter(missing * N)
    a, b = p.holes(p.numbers([1, 5, 9], 0.3), 14), p.holes(p.numbers([70, 20, 45], 2), 9)
    kind = p.holes(p.words(["low", "mid", "high"]), 7)
    half = [v if i % 5 < 2 else None for i, v in enumerate(p.numbers([1, 2, 3], 0.1))]
    text = lines(
        ",",
        {
            "same": ["7"] * N,
            "void": [next(spelt) for _ in range(N)],
            "a": [next(spelt) if v is None else str(v) for v in a],
            "b": [next(spelt) if v is None else str(v) for v in b],
            "nearly": ["5" if i == 3 else "6" if i == 9 else "" for i in range(N)],
            "half": [next(spelt) if v is None else str(v) for v in half],
            "kind": [next(spelt) if v is None else v for v in kind],
        },
    )
    means = {"a": ("number", a), "b": ("number", b), "kind": ("category", kind)}
    return Messy(
        "gaps.csv",
        text.encode(),
        p.groups,
        means,
        {
            "same": "left out: all rows have the same value",
            "void": "left out: no values",
            "nearly": f"left out: only 2 of {N} cells are filled",
            "half": f"{N - 2 * N // 5} of {N} cells are empty, more than half",
        },
        {},
        ("'a' (14 cells with", "'b' (9 cells with", "'kind' (7 cells with"),
    )


def saved(book):
    """Return the bytes of a workbook."""
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def sheets_xlsx():
    """Two sheets, of which the first has remarks; numbers, texts, dates, truth values and errors."""
    p = Planted(8)
    score, price = p.holes(p.numbers([3, 9, 15], 0.7), 5), p.numbers([1200, 2500, 4800], 120)
    day = p.holes(p.dates([dt.date(2020, 1, 1), dt.date(2022, 1, 1), dt.date(2024, 1, 1)], 90), 3)
    truth = [bool(v) for v in np.array([0, 1, 1])[p.groups]]
    grade = p.words(["A", "B", "C"])
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    for line in ("Measured in May", "Ask the office about units", "Prices are in euros"):
        book.active.append([line])
    sheet = book.create_sheet("Measured")
    sheet.append(["score", "price", "day", "passed", "grade"])
    for row in zip(
        ["#N/A" if v is None else v for v in score],
        [f"{german(v)} €" for v in price],
        day,
        truth,
        grade,
        strict=True,
    ):
        sheet.append(row)
    means = {
        "score": ("number", score),
        "price": ("amount", price),
        "day": ("date", day),
        "passed": ("yes/no", ["yes" if v else "no" for v in truth]),
        "grade": ("category", grade),
    }
    return Messy(
        "measured.xlsx",
        saved(book),
        p.groups,
        means,
        {},
        {"price": f"'{german(price[0])} €' is {price[0]:.10g}", "passed": ""},
        ("The sheet 'Measured' was read; the workbook also has 'Notes'",),
    )


def titled(p):
    """Columns of a table that has a title."""
    return p.numbers([2, 6, 10], 0.4), p.numbers([55, 20, 90], 3, 0), p.words(["north", "south", "east"])


def titled_xlsx():
    """Have a title, an empty row and an empty column before the names, and a source under the table."""
    p = Planted(9)
    depth, load, side = titled(p)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["B1"] = "Soil samples, all sites"
    for i, row in enumerate([("depth", "load", "side"), *zip(depth, load, side, strict=True)], start=3):
        for j, value in enumerate(row, start=2):
            sheet.cell(i, j, value)
    sheet.cell(N + 6, 2, "Source: own measurements")
    means = {"depth": ("number", depth), "load": ("number", load), "side": ("category", side)}
    return Messy(
        "soil.xlsx",
        saved(book),
        p.groups,
        means,
        notes=(
            "1 row above the table left out, beginning with 'Soil samples, all sites'",
            "1 row under the table left out",
        ),
    )


def titled_csv():
    """Have a title and a date in the first two lines, and the names in the third."""
    p = Planted(10)
    depth, load, side = titled(p)
    table = lines(",", {"depth": map(str, depth), "load": map(str, load), "side": side})
    means = {"depth": ("number", depth), "load": ("number", load), "side": ("category", side)}
    return Messy(
        "soil.csv",
        ("Soil samples\n2024-05-01,,\n" + table).encode(),
        p.groups,
        means,
        notes=("2 rows above the column names left out, beginning with 'Soil samples'",),
    )


def branches_csv():
    """Titles above, a sum below, thousands and millions, dates in two ways, postal codes, times."""
    p = Planted(11)
    sales, share = p.numbers([90_000, 700_000, 2_400_000], 20_000, -4), p.numbers([5, 12, 40], 1, 1)
    opened = p.dates([dt.date(2020, 3, 1), dt.date(2021, 9, 1), dt.date(2023, 2, 1)], 40)
    hours, code = p.numbers([8, 13, 19], 0.3, 1), [str(v) for v in p.rng.integers(10_000, 99_999, N)]
    code[5] = code[4]
    text = lines(
        ";",
        {
            "Filiale": [f"Filiale {i}" for i in range(N)],
            "Umsatz": [
                f"{german(v / 1e6)} Mio. €" if v >= 1e6 else f"{german(v / 1e3, 0)} Tsd. €" for v in sales
            ],
            "Anteil": [f"{german(v, 1)} %" for v in share],
            "Eröffnet": [
                f"{d.day}. {MONTHS[d.month - 1]} {d.year}" if i % 3 else f"{d:%d.%m.%Y}"
                for i, d in enumerate(opened)
            ],
            "Schluss": [f"{int(v)}:{round(v % 1 * 60):02d}" for v in hours],
            "PLZ": code,
        },
    )
    above, below = "Bericht der Filialen;;;;;\nStand: 31.12.2023;;;;;\n", ";;;;;\nQuelle: Zentrale;;;;;\n"
    means = {
        "Umsatz": ("amount", sales),
        "Anteil": ("amount", share),
        "Eröffnet": ("date", opened),
        "Schluss": ("amount", hours),
    }
    return Messy(
        "filialen.csv",
        (above + text + f"Summe;;{german(sum(share), 1)} %;;;\n" + below).encode("utf-8-sig"),
        p.groups,
        means,
        {
            "Filiale": f"left out: {N} different texts in {N} cells",
            "PLZ": "left out: by its name it holds codes, whose size means nothing",
        },
        {"Eröffnet": "day. month year or day.month.year, as days since 1970"},
        (
            "2 rows above the column names",
            "2 rows under the table left out",
            "The last row, 'Summe', left out",
        ),
    )


def ledger_csv():
    """Money as spreadsheets write it, months, days in one number, numbers of accounts, a remark below."""
    p = Planted(12)
    profit, cap = p.numbers([-900, 300, 2500], 90), p.numbers([3e5, 4e7, 6e9], 1e5, -5)
    month = [
        d.replace(day=1) for d in p.dates([dt.date(2019, 6, 1), dt.date(2021, 2, 1), dt.date(2023, 5, 1)], 50)
    ]
    day = p.dates([dt.date(2018, 4, 1), dt.date(2019, 4, 1), dt.date(2022, 4, 1)], 60)
    note = p.rng.random(N)
    text = lines(
        ",",
        {
            "Acct No.": [str(70_000 + 3 * i) for i in range(N)],
            "Profit": [quoted(f"$({-v:,.2f})" if v < 0 else f"${v:,.2f}") for v in profit],
            "Cap": [
                f"${v / 1e9:g}B" if v >= 1e9 else f"${v / 1e6:g}M" if v >= 1e6 else f"${v / 1e3:g}K"
                for v in cap
            ],
            "Month": [f"{d:%b %Y}" for d in month],
            "Booked": [f"{d:%Y%m%d}" for d in day],
            "Side": [
                ["Long", "LONG", "short"][g] if v < 0.9 else "short"
                for g, v in zip(p.groups, note, strict=True)
            ],
        },
    )
    means = {
        "Profit": ("amount", profit),
        "Cap": ("amount", cap),
        "Month": ("date", month),
        "Booked": ("date", day),
        "Side": ("category", [line.rsplit(",", 1)[1] for line in text.splitlines()[1:]]),
    }
    return Messy(
        "ledger.csv",
        (text + "\nUnaudited figures\n").encode(),
        p.groups,
        means,
        {"Acct No.": "left out: it numbers the rows"},
        {
            "Month": "month year, as days since 1970",
            "Booked": "year, month and day in one number, as days since 1970",
        },
        ("1 line under the table left out",),
    )


FILES = {
    each.name: each
    for each in (
        german_csv(),
        us_csv(),
        utf16_tsv(),
        accounts_csv(),
        dates_csv(),
        answers_csv(),
        stock_csv(),
        gaps_csv(),
        sheets_xlsx(),
        titled_xlsx(),
        titled_csv(),
        branches_csv(),
        ledger_csv(),
    )
}
