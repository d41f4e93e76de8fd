"""From columns to points: fills, columns of 0 and 1, scales and Gower's similarity, by plain formulas."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder, RobustScaler, StandardScaler

from mmc.datasets import GowerFeatures, MissingValuesError, TableError, open_table
from mmc.datasets import _coding as coding_module
from mmc.datasets import _table as table_module
from mmc.datasets._coding import Coding, ColumnCoding, check_coding

NUMBERS, WORDS = ["size", "price"], ["city", "member"]
KINDS = {"price": "amount", "city": "category", "member": "yes/no"}


def made(n=60, seed=0):
    """Draw a table of two numbers and two words with gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(10, 3, n).round(2),
            "price": rng.gamma(2, 50, n).round(2),
            "city": rng.choice(["Rome", "Oslo", "Bern", "Graz"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "member": rng.choice(["yes", "no"], n),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.1)


def written(frame):
    """Open a frame as a text file in which prices have a unit."""
    price = [f"{v} €" if v == v else "" for v in frame["price"]]
    return open_table(frame.assign(price=price).to_csv(index=False).encode(), name="t.csv")


FRAME = made()
TABLE = written(FRAME)


def filled(strategy):
    """Fill the gaps as pandas does."""
    frame = FRAME[FRAME.notna().any(axis=1)].copy()
    for name in frame:
        often = frame[name].mode()[0]
        frame[name] = frame[name].fillna(
            frame[name].median() if name in NUMBERS and strategy == "median" else often
        )
    return frame


@pytest.mark.parametrize("strategy", ["median", "most_frequent"])
@pytest.mark.parametrize("scaler", [None, "standard", "robust"])
def test_points_are_those_of_pandas_and_scikit_learn(strategy, scaler):
    """Fills of pandas, columns of OneHotEncoder, and the scaler of scikit-learn, in this order."""
    data = TABLE.dataset(
        missing=strategy,
        encode="onehot",
        kinds=KINDS,
        standardize=scaler is not None,
        scaler=scaler or "standard",
    )
    frame = filled(strategy)
    X = frame[NUMBERS].to_numpy()
    if scaler is not None:
        X = (StandardScaler() if scaler == "standard" else RobustScaler()).fit_transform(X)
    encoder = OneHotEncoder(sparse_output=False)
    np.testing.assert_allclose(
        data.X, np.hstack([X, encoder.fit_transform(frame[WORDS])]), rtol=1e-12, atol=1e-12
    )
    names = [f"{w}={v}" for w, vs in zip(WORDS, encoder.categories_, strict=True) for v in vs]
    assert data.feature_names == (*NUMBERS, *names)
    assert data.columns == (*NUMBERS, *WORDS)


def test_rows_with_gaps_are_left_out_or_refused():
    """Dropping gives the rows that are complete, and refusing names the worst column."""
    data = TABLE.dataset(missing="drop", encode="onehot", kinds=KINDS)
    complete = FRAME.notna().all(axis=1).to_numpy()
    np.testing.assert_array_equal(data.rows, np.flatnonzero(complete))
    np.testing.assert_array_equal(data.X[:, 0], FRAME["size"][complete])
    worst = FRAME[[*NUMBERS, *WORDS]].isna().sum().idxmax()
    with pytest.raises(MissingValuesError, match=f"{(~complete).sum()} of 60 rows .* column '{worst}'"):
        TABLE.dataset(encode="onehot", kinds=KINDS)


def test_infinite_values_are_filled_too():
    """An infinite value is a gap, and the median is that of the finite values."""
    data = open_table(b"a,b\n1,1\ninf,2\n4,3\n8,5\n").dataset(missing="median")
    assert data.X[:, 0].tolist() == [1, 4, 4, 8]


def test_rows_without_any_value_are_left_out():
    """Where gaps are filled, a row of which nothing is known is no point."""
    data = open_table(b"a;b\n1;x\n;-\n3;y\n;x\n").dataset(
        missing="median", encode="onehot", kinds={"b": "category"}
    )
    assert data.rows.tolist() in ([0, 2, 3], [0, 1, 2, 3])
    blank = open_table(b"a,b,c\n1,2,u\n,,u\n3,4,v\n").dataset(missing="median")
    assert blank.rows.tolist() == [0, 2]


def test_weights_multiply_distances():
    """A column that counts w times has w times the distances, also of its words; scaling comes first."""
    options = {"missing": "median", "encode": "onehot", "kinds": KINDS, "standardize": True}
    plain = TABLE.dataset(**options)
    weighed = TABLE.dataset(**options, weights={"price": 3, "city": 0.5})
    factors = [{"price": 3, "city": 0.5}.get(name.split("=")[0], 1) for name in plain.feature_names]
    np.testing.assert_allclose(weighed.X, plain.X * factors, rtol=1e-12, atol=1e-15)
    assert "Columns that count more or less in distances: 'price' 3 times, 'city' 0.5 times." in weighed.notes


def naive_gower(frame, weights):
    """Compare all rows column by column, one after another."""
    n, total = len(frame), sum(weights.values())
    result = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for name, weight in weights.items():
                a, b = frame[name].iloc[i], frame[name].iloc[j]
                if name in NUMBERS:
                    similar = 1 - abs(a - b) / (frame[name].max() - frame[name].min())
                else:
                    similar = float(a == b)
                result[i, j] += weight * similar / total
    return result


@pytest.mark.parametrize("weights", [{}, {"city": 3.0, "size": 0.25}])
def test_gower_is_the_mean_similarity_of_the_columns(weights):
    """Dot products of the points are Gower's similarity, and squared distances twice the dissimilarity."""
    data = TABLE.dataset(missing="median", encode="gower", kinds=KINDS, weights=weights)
    frame = filled("median")
    naive = naive_gower(frame, {name: weights.get(name, 1.0) for name in (*NUMBERS, *WORDS)})
    np.testing.assert_allclose(data.X @ data.X.T, naive, atol=1e-8)
    squared = ((data.X[:, None] - data.X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared, 2 * (1 - naive), atol=1e-8)
    assert data.feature_names[0] == "gower 1"


def test_features_of_few_landmarks_come_near():
    """With fewer landmarks than rows the similarity of landmarks is exact, that of others an estimate."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.random((300, 2)), np.eye(3)[rng.integers(3, size=300)] / 2])
    features = GowerFeatures(3.0, n_landmarks=60, random_state=0).fit(X)
    exact = 1 - np.abs(X[:, None] - X[None]).sum(axis=2) / 3
    found = features.transform(X)
    assert np.abs(found @ found.T - exact).mean() < 0.02
    of_landmarks = features.transform(features.landmarks_)
    similar = 1 - np.abs(features.landmarks_[:, None] - features.landmarks_[None]).sum(axis=2) / 3
    np.testing.assert_allclose(of_landmarks @ of_landmarks.T, similar, atol=1e-8)
    assert features.landmarks_.shape == (60, 5)
    np.testing.assert_array_equal(GowerFeatures(3.0, n_landmarks=60).fit(X).projection_, features.projection_)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_points_of_another_table_are_coded_as_by_hand(data):
    """Columns in another order, unseen words and gaps: each coordinate is that of a loop over the cells."""
    model = TABLE.dataset(missing="median", encode="onehot", kinds=KINDS)
    assert model.coding is not None
    size = st.one_of(st.none(), st.integers(-500, 500).map(lambda v: v / 4))
    city = st.sampled_from(["Rome", "Oslo", "Paris", "", "Bern", "n/a"])
    rows = data.draw(st.lists(st.tuples(city, size, size), min_size=2, max_size=8))
    text = "extra;city;price;member;size\n" + "".join(
        f"0;{c};{'' if p is None else f'{p} €'};yes;{'' if s is None else s}\n" for c, s, p in rows
    )
    table = open_table(text.encode())
    if any(all(row[k] is None for row in rows) for k in (1, 2)):
        return  # a column without a value is no column of numbers
    found = table.points(model.columns, coding=model.coding)
    fill = {each.name: each.fill for each in model.coding.columns}
    cities = [name.split("=")[1] for name in model.feature_names if name.startswith("city=")]
    expected = []
    for c, s, p in rows:
        word = fill["city"] if c in ("", "n/a") else c
        numbers = [fill["size"] if s is None else s, fill["price"] if p is None else p]
        expected.append([*numbers, *(float(word == each) for each in cities), 0.0, 1.0])
    np.testing.assert_allclose(found.X, expected)
    assert any("'Paris'" in note for note in found.notes) == any(row[0] == "Paris" for row in rows)


def test_columns_that_are_not_there_are_named():
    """A model's column that another table lacks is named, with one that it may have become."""
    model = TABLE.dataset(missing="drop", encode="onehot", kinds=KINDS)
    table = open_table(b"Size,price,city,member\n1,2 EUR,Rome,yes\n2,3 EUR,Oslo,no\n")
    with pytest.raises(
        TableError, match=r"no column 'size' \(is it 'Size'\?\), which the model was fitted to"
    ):
        table.points(model.columns, coding=model.coding)


def test_gaps_that_are_not_filled():
    """Where the model's table had no gap, rows with one are refused or left out."""
    model = open_table(b"a;w\n1;x\n2;y\n3;x\n").dataset(encode="onehot", kinds={"w": "category"})
    other = open_table(b"w;a\nx;1\n;2\ny;\ny;5\nz;6\n")
    with pytest.raises(MissingValuesError, match="2 of 5 rows"):
        other.points(model.columns, coding=model.coding)
    found = other.points(model.columns, coding=model.coding, missing="drop")
    assert found.rows.tolist() == [0, 3, 4]
    assert found.X.tolist() == [[1, 1, 0], [5, 0, 1], [6, 0, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encode": "two"}, "encode must be .*'two'"),
        ({"scaler": "min"}, "scaler must be"),
        ({"missing": "mean"}, "missing must be"),
        ({"kinds": {"city": "word"}}, "the kind of 'city' must be"),
        ({"kinds": {"city": "category"}}, "'city' is words, and encode='none' leaves words out"),
        ({"weights": {"size": 0}}, "weight of 'size' must be above 0 and below 1e"),
        ({"weights": {"size": float("nan")}}, "weight of 'size'"),
        ({"weights": {"nothing": 2}}, "has no column 'nothing'"),
        ({"columns": "size"}, "must be a sequence of names"),
        ({"columns": ["city"]}, r"not all values of 'city' are numbers: choose among .*\('size'\)"),
    ],
)
def test_options_are_checked(options, message):
    """Each is named with what is allowed."""
    with pytest.raises(ValueError, match=message):
        TABLE.dataset(**options)


def test_too_many_words_are_refused(monkeypatch):
    """Words that would become too many columns or values are refused by the name of their column."""
    monkeypatch.setattr(coding_module, "_MAX_CODED", 5)
    with pytest.raises(TableError, match=r"words of 'member' .* more than 5 columns, .*\('member' has 2\)"):
        TABLE.dataset(missing="drop", encode="onehot", kinds=KINDS)
    monkeypatch.undo()
    monkeypatch.setattr(table_module, "_MAX_VALUES", 100)
    with pytest.raises(TableError, match="rows and 8 columns, one for each word, do not fit"):
        TABLE.dataset(missing="median", encode="onehot", kinds=KINDS)


def test_what_does_not_vary_is_left_out():
    """Constant columns are named, and a table of nothing else is refused."""
    table = open_table(b"a;b;w\n1;7;x\n2;7;x\n3;7;x\n")
    data = table.dataset(columns=["a", "b", "w"], encode="onehot")
    assert data.feature_names == ("a",)
    assert "Left out because all rows have the same value: 'b', 'w'." in data.notes
    with pytest.raises(TableError, match="nothing varies"):
        table.dataset(columns=["b", "w"], encode="onehot")


GOOD = Coding((ColumnCoding("a", "number", 1.0), ColumnCoding("w", "category", "x", ("x", "y"))))


@pytest.mark.parametrize(
    ("coding", "message"),
    [
        ("none", "coding is not right"),
        (Coding(()), "coding is not right"),
        (Coding((ColumnCoding("a", "text"),)), "a column that is not right"),
        (Coding((ColumnCoding("w", "category", None, ("x", "x")),)), "a column that is not right"),
        (Coding((ColumnCoding("a", "number", float("nan")),)), "what to do with 'a'"),
        (Coding((ColumnCoding("a", "number", None, ("x",)),)), "what to do with 'a'"),
        (Coding((ColumnCoding("w", "category", "z", ("x", "y")),)), "what to do with 'w'"),
        (Coding(GOOD.columns[::-1]), "words before numbers"),
        (Coding(GOOD.columns[:1]), "makes 1 columns, and the model has 3"),
        (GOOD._replace(gower=3), "no features of Gower"),
    ],
)
def test_codings_of_files_are_checked(coding, message):
    """What a file says to be a coding must be one."""
    assert check_coding(GOOD, 3) == 3
    with pytest.raises(ValueError, match=message):
        check_coding(coding, 3)


def test_amounts_and_dates_are_described_in_their_units():
    """A profile sees amounts as numbers and dates as years."""
    table = open_table(b"p;d\n5 kg;2000-01-01\n7 kg;2010-07-02\n6 kg;2005-01-01\n")
    data = table.dataset(encode="onehot", columns=["p", "d"])
    assert data.described["p"].tolist() == [5, 7, 6]
    np.testing.assert_allclose(data.described["d"], [2000, 2010.5, 2005], atol=0.01)
    assert dataclasses.replace(data, coding=None).described["p"].tolist() == ["5 kg", "7 kg", "6 kg"]
