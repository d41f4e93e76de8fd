"""What clusters are: numbers, rules in words, typical and doubtful rows, and the files."""

import io
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import chi2_contingency, kstest
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import silhouette_samples, silhouette_score
from sklearn.tree import DecisionTreeClassifier

import mmc
from mmc.datasets import load_iris, make_three_gaussians
from mmc.profiling import Profile
from mmc.profiling import _rules as rules
from mmc.profiling._chance import counts_p_value, kuiper_p_value, shares_p_value
from mmc.profiling._points import spread_sample
from mmc.profiling._rules import number_text, shortest_between
from mmc.profiling._summaries import interval_separation

HOSTILE = ("<script>alert(1)</script>", "=cmd()", "**bold** [x](http://y) $a$", '"><img src=x onerror=1>')


@pytest.fixture(scope="module")
def iris():
    """Flowers whose classes are taken as clusters."""
    return load_iris()


@pytest.fixture(scope="module")
def found(iris):
    """Profile of the flowers."""
    return mmc.profile(iris.frame, iris.codes)


def holds(text, table):
    """Evaluate the words of a rule again, with nothing but the text and the values of the columns."""
    word = re.compile(r"(.+) is (not )?“(.+)”")
    mask = np.zeros(len(table), dtype=bool)
    for alternative in text.split("; or "):
        mine = np.ones(len(table), dtype=bool)
        for condition in alternative.split(" and "):
            if said := word.fullmatch(condition):
                mine &= (table[said[1]] != said[3]) if said[2] else (table[said[1]] == said[3])
                continue
            parts = re.split(r" (≤|>|<) ", condition.replace("−", "-"))
            if len(parts) == 5:
                low, _, name, _, high = parts
                mine &= (table[name] > float(low)) & (table[name] <= float(high))
            else:
                name, sign, value = parts
                mine &= (table[name] <= float(value)) if sign == "≤" else (table[name] > float(value))
        mask |= mine
    return mask


def naive_separation(own, others):
    """Try all intervals between values, which may be open at an end."""
    ends = np.unique(np.concatenate([own, others]))
    best = 0.0
    for i, low in enumerate(ends):
        for high in ends[i:]:
            inside = [np.mean((values >= low) & (values <= high)) for values in (own, others)]
            best = max(best, abs(inside[0] - inside[1]))
    return best


def test_sizes_and_numbers(iris, found):
    """Sizes, shares, medians and quartiles are those of pandas."""
    assert [(c.label, c.size, c.share) for c in found.clusters] == [(h, 50, 1 / 3) for h in range(3)]
    own = iris.frame[iris.codes == 1]["petal length (cm)"]
    row = found.of(1).set_index("column").loc["petal length (cm)"]
    expected = own.quantile([0, 0.25, 0.5, 0.75, 1]).tolist()
    names = ["minimum", "lower_quartile", "median", "upper_quartile", "maximum"]
    np.testing.assert_allclose(row[names].astype(float), expected)
    assert row["rest_median"] == iris.frame[iris.codes != 1]["petal length (cm)"].median()
    assert len(found.table) == 3 * 5


def test_effect_is_the_naive_formula(iris, found):
    """Cohen's d with the pooled standard deviation, column by column and cluster by cluster."""
    for h in range(3):
        for name, row in found.of(h).set_index("column").iterrows():
            if row["kind"] == "text":
                continue
            a, b = (iris.frame[mask][name] for mask in (iris.codes == h, iris.codes != h))
            pooled = ((len(a) - 1) * a.var() + (len(b) - 1) * b.var()) / (len(a) + len(b) - 2)
            assert row["effect"] == pytest.approx((a.mean() - b.mean()) / np.sqrt(pooled))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=3, max_size=14))
def test_separation_is_the_best_interval(pairs):
    """The quick formula gives the same as all intervals of values, for more than two different ones."""
    values, labels = np.array([v for v, _ in pairs], dtype=float), np.array([int(h) for _, h in pairs])
    if len(set(labels)) == 2 and len(set(values)) > 2:
        table = mmc.profile(values[:, None], labels).of(1)
        assert table["separation"][0] == pytest.approx(
            naive_separation(values[labels == 1], values[labels == 0])
        )


def test_columns_are_ordered_by_separation(found):
    """The first column of a cluster tells it apart best, and scaling changes nothing."""
    for each in found.clusters:
        separation = found.of(each.label)["separation"]
        assert separation.is_monotonic_decreasing
        assert each.columns == tuple(found.of(each.label)["column"])


@pytest.mark.parametrize(
    ("values", "direction"),
    [
        ([5, 6, 1, 2, 3], "higher"),
        ([1, 2, 5, 6, 7], "lower"),
        ([4, 5, 1, 8, 9], "between"),
        ([1, 9, 4, 5, 6], "outside"),
    ],
)
def test_direction(values, direction):
    """It says where the values of a cluster are."""
    table = mmc.profile(np.array(values, dtype=float)[:, None], [0, 0, 1, 1, 1]).of(0)
    assert table["direction"][0] == direction
    assert table["separation"][0] > 0.6


def test_two_values_and_categories():
    """Effects of two values and of text are differences of shares; the top categories are named."""
    table = pd.DataFrame({"smokes": [True, True, False, False, False], "town": list("aabbb")})
    numbers = mmc.profile(table, [0, 0, 0, 1, 1]).of(0).set_index("column")
    assert numbers.loc["smokes", "kind"] == "two values"
    assert numbers.loc["smokes", "effect"] == pytest.approx(2 / 3)
    assert numbers.loc["town", "effect"] == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert numbers.loc["town", "categories"] == "a 67%, b 33%"


def test_names_that_occur_once_tell_nothing():
    """A column with another text in each row does not tell any cluster apart."""
    table = pd.DataFrame({"name": [f"n{i}" for i in range(10)], "x": range(10)})
    assert mmc.profile(table, [0] * 5 + [1] * 5).of(0).set_index("column").loc["name", "separation"] == 0


def test_rules_in_words_select_the_rows_that_they_say(iris, found):
    """The text of a rule, evaluated again, has the precision, recall and accuracy that are given."""
    right = np.zeros(150)
    for each in found.clusters:
        mask, mine = holds(each.rule.text, iris.frame), iris.codes == each.label
        assert each.rule.precision == pytest.approx((mask & mine).sum() / mask.sum())
        assert each.rule.recall == pytest.approx((mask & mine).sum() / mine.sum())
        assert each.rule.accuracy == pytest.approx((mask == mine).mean())
        np.testing.assert_array_equal(
            each.rule.holds({n: iris.frame[n].to_numpy() for n in iris.frame}), mask
        )
        right += mask == mine
    assert found.accuracy == pytest.approx((right == 3).mean())
    assert found.accuracy > 0.9


def test_rules_name_categories():
    """Where words tell clusters apart, rules say so, and evaluate as they read; gaps keep a column out."""
    rng = np.random.default_rng(1)
    town = rng.choice(["Rome", "Oslo", "Bern"], 200)
    member = rng.choice(["yes", "no"], 200)
    table = pd.DataFrame({"town": town, "member": member, "age": rng.normal(size=200)})
    labels = np.where(town == "Rome", 0, np.where((town == "Oslo") & (member == "yes"), 1, 2))
    found = mmc.profile(table, labels)
    assert found.clusters[0].rule.text == "town is “Rome”"
    assert set(found.clusters[1].rule.text.split(" and ")) == {"town is “Oslo”", "member is “yes”"}
    assert found.accuracy == 1
    for each in found.clusters:
        assert holds(each.rule.text, table).tolist() == (labels == each.label).tolist()
        assert (
            each.rule.holds({n: table[n].to_numpy() for n in table}).tolist()
            == (labels == each.label).tolist()
        )
    table.loc[3, "town"] = None
    assert all("town" not in each.rule.text for each in mmc.profile(table, labels).clusters)
    numbers_only = mmc.profile(table, labels, rule_columns=["age"])
    assert all("age" in each.rule.text for each in numbers_only.clusters if each.rule)


def noise(n, seed):
    """Columns of every kind that know nothing of the clusters."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            **{f"x{j}": rng.normal(size=n) for j in range(6)},
            "ties": rng.integers(4, size=n),
            "flag": rng.integers(2, size=n),
            "town": rng.choice(["Rome", "Oslo", "Bern", "Wien"], n),
        }
    )


@pytest.mark.parametrize("n", [25, 300, 3000])
def test_on_noise_nothing_tells_clusters_apart(n):
    """Labels at random differ in no column, and the profile and its report say so; there are no rules."""
    n_said = 0
    for seed in range(5):
        labels = np.random.default_rng(100 + seed).integers(3, size=n)
        found = mmc.profile(noise(n, seed), labels, random_state=seed)
        n_said += found.by_chance
        assert bool(found.warning) == found.by_chance
        if found.by_chance:
            assert found.telling == ()
            assert "Nothing tells the clusters apart" in found.to_html()
            assert all(each.rule is None for each in found.clusters)
            assert set(found.overview()["most telling columns"]) == {"none"}
    assert n_said >= 4  # by chance some rules of one in twenty are better


@pytest.mark.parametrize("column", ["x3", "ties", "flag", "town"])
def test_planted_columns_are_telling_and_first(column):
    """One column that follows the clusters is found among noise, whatever its kind."""
    table = noise(300, 0)
    labels = np.random.default_rng(5).integers(2, size=300)
    planted = {
        "x3": table["x3"] + 2 * labels,
        "ties": table["ties"] + 2 * labels,
        "flag": np.where(np.arange(300) % 10 == 0, 1 - labels, labels),
        "town": np.where(np.arange(300) % 3 == 0, table["town"], np.array(["Rome", "Paris"])[labels]),
    }
    table[column] = planted[column]
    found = mmc.profile(table, labels)
    assert found.telling == (column,)
    assert not found.by_chance
    assert found.warning == ""
    for each in found.clusters:
        assert each.columns[0] == column
        assert found.of(each.label)["p_value"].idxmin() == 0


def test_columns_that_tell_only_together_are_not_nothing():
    """Four clouds as a chessboard differ in neither coordinate, and rules of both find them."""
    rng = np.random.default_rng(0)
    corners = rng.integers(2, size=(400, 2))
    found = mmc.profile(corners * 4 + rng.normal(size=(400, 2)), corners.sum(axis=1) % 2)
    assert found.telling == ()
    assert not found.by_chance
    assert found.accuracy > 0.8


@pytest.mark.parametrize("draw", ["normal", "uniform"])
@pytest.mark.parametrize("d", [2, 8])
def test_pieces_of_a_cloud_are_told(draw, d):
    """What k-means finds in noise differs in its columns, and the profile says that this may be all."""
    n_said = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, d)) if draw == "normal" else rng.uniform(size=(300, d))
        found = mmc.profile(X, KMeans(3, n_init=1, random_state=seed).fit_predict(X))
        n_said += found.are_cut
        assert found.warning.startswith("Nothing may tell the clusters apart") == found.are_cut
    assert n_said >= 3


@pytest.mark.parametrize("name", ["iris", "three-gaussians", "moons", "rings"])
def test_clusters_are_no_pieces(name, iris):
    """Clusters of any shape are not warned of, and too few points do not tell."""
    if name == "iris":
        X, labels = iris.X, iris.codes
    elif name == "three-gaussians":
        X, labels = make_three_gaussians(random_state=0)
    elif name == "moons":
        X, labels = make_moons(300, noise=0.08, random_state=0)
    else:
        X, labels = make_circles(300, factor=0.4, noise=0.06, random_state=0)
    assert mmc.profile(X, labels).warning == ""
    few = np.random.default_rng(0).normal(size=(15, 2))
    assert mmc.profile(few, (few[:, 0] > 0).astype(int)).warning == ""


def test_p_values_are_those_of_scipy():
    """Kuiper's by its series, chi-square and shares by scipy; at random they are spread over 0 to 1."""
    rng = np.random.default_rng(0)
    own, others = np.array([12, 3, 0, 5]), np.array([20, 30, 0, 9])
    assert counts_p_value(own, others) == pytest.approx(
        chi2_contingency(np.array([own, others])[:, [0, 1, 3]], correction=False).pvalue
    )
    table = np.array([[12, 8], [20, 40]])
    assert shares_p_value(12 / 20 - 20 / 60, 32 / 80, 20, 60) == pytest.approx(
        chi2_contingency(table, correction=True).pvalue
    )
    drawn = []
    for _ in range(300):
        values, mine = np.sort(rng.normal(size=200)), rng.permutation(200) < 60
        separation, _direction = interval_separation(values[mine], values)
        drawn.append(kuiper_p_value(separation, 60, 140))
    assert kstest(drawn, "uniform").pvalue > 0.001
    assert kuiper_p_value(1.0, 50, 50) < 1e-10
    assert shares_p_value(0.0, 1.0, 50, 50) == 1
    assert counts_p_value(np.array([3, 0]), np.array([5, 0])) == 1
    assert kuiper_p_value(0.0, 50, 50) == 1


def test_the_report_draws_silhouettes(iris, found):
    """A band for each cluster, whose height is its size, and its mean beside it; none for one cluster."""
    page = found.to_html()
    assert page.count("<polygon") == 3
    values = silhouette_samples((iris.X - iris.X.mean(axis=0)) / iris.X.std(axis=0), iris.codes)
    for h in range(3):
        assert f"Cluster {h}</span>" in page
        assert f"<b>{values[iris.codes == h].mean():.2f}</b>" in page
    assert page.count("height:5.00rem") == 3
    assert "<polygon" not in mmc.profile(iris.X, np.zeros(150)).to_html()


@pytest.mark.parametrize("seed", range(5))
def test_a_rule_is_the_prediction_of_a_tree(seed, monkeypatch):
    """Rounded thresholds change no row: the words select what a tree predicts, cut at some depth."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(80, 3)) * [1, 1e9, 1e-9], [2, 12, 12][seed % 3])
    X[:, 1] += 1e12  # float32 could not tell these values apart
    inside = (X[:, 0] > 0.3) ^ (rng.random(80) < 0.1)
    trees = []

    class Kept(DecisionTreeClassifier):
        def fit(self, X, y):
            trees.append((super().fit(X, y), X, y))
            return self

    monkeypatch.setattr(rules, "DecisionTreeClassifier", Kept)
    rule = mmc.profile(X, inside.astype(int), names=list("abc")).clusters[1].rule
    mask = holds(rule.text, pd.DataFrame(X, columns=list("abc")))
    predictions = []
    for tree, seen, target in trees:
        for depth in (1, 2, 3):
            cut = DecisionTreeClassifier(max_depth=depth, class_weight=tree.class_weight, random_state=0)
            predictions.append(cut.fit(seen, target).predict(seen))
            predictions.append(~predictions[-1])  # the tree of the other cluster
    assert any(np.array_equal(mask, each) for each in predictions)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_thresholds_are_in_their_gap(a, b):
    """Between any two numbers there is a threshold, and the text of it is that number."""
    if a != b:
        low, high = min(a, b), max(a, b)
        value = shortest_between(low, high)
        assert low <= value < high
        assert float(number_text(value).replace("−", "-")) == value


def test_thresholds_are_short():
    """No digit is there that is not needed."""
    gaps = [(1.9, 3.0, 2.0), (2.44, 2.4599, 2.45), (0.1, 0.2, 0.1), (1234567, 1234999, 1234800), (-5, 4, 0)]
    for low, high, expected in gaps:
        assert shortest_between(low, high) == expected
    assert number_text(2.0) == "2"
    assert number_text(-0.5) == "−0.5"


def test_typical_rows_are_medoids_and_doubtful_ones_have_low_silhouettes(iris):
    """Both against brute force, in the points that were clustered."""
    found = mmc.profile(iris.frame, iris.codes, X=iris.X)
    D = np.linalg.norm(iris.X[:, None] - iris.X, axis=2)
    D, classes = cdist(iris.X, iris.X), range(3)
    means = np.array([[D[i, iris.codes == h].mean() for h in classes] for i in range(150)])
    own = np.array([D[i, iris.codes == c].sum() / 49 for i, c in enumerate(iris.codes)])
    other = np.array([min(means[i, h] for h in classes if h != c) for i, c in enumerate(iris.codes)])
    s = (other - own) / np.maximum(own, other)
    np.testing.assert_allclose(found.silhouette_values, s, atol=1e-9)
    assert found.silhouette == pytest.approx(s.mean())
    for each in found.clusters:
        rows = np.flatnonzero(iris.codes == each.label)
        sums = D[np.ix_(rows, rows)].sum(axis=1)
        assert sums[rows.searchsorted(each.typical[0])] == pytest.approx(sums.min())
        assert each.silhouette == pytest.approx(s[rows].mean())
        assert s[each.doubtful[0]] == pytest.approx(s[rows].min())


def test_confidence_says_which_rows_are_doubtful(iris):
    """Where it is given, its mean is in the result and the lowest is the most doubtful."""
    sure = np.linspace(1, 0.5, 150)
    found = mmc.profile(iris.X, iris.codes, confidence=sure)
    rows = [row for row in range(149, 140, -1) if row not in found.clusters[2].typical]
    assert found.clusters[2].doubtful == tuple(rows[:3])
    assert found.clusters[0].confidence == pytest.approx(sure[:50].mean())
    assert "mean confidence" in found.overview()


def test_examples_are_rows_of_the_table(iris):
    """They keep the index of the table and the values of its row."""
    frame = iris.frame.set_axis(range(1000, 1150))
    first = mmc.profile(frame, iris.codes).examples.iloc[0]
    assert first["petal length (cm)"] == frame.loc[first["row"], "petal length (cm)"]


def test_rows_of_no_cluster_count_nowhere(iris):
    """Outliers change neither the numbers nor the rules of the others."""
    far = np.vstack([iris.X, np.full((3, 4), 1e6)])
    with_far, without = mmc.profile(far, [*iris.codes, -1, -1, -2]), mmc.profile(iris.X, iris.codes)
    assert with_far.n_outliers == 3
    pd.testing.assert_frame_equal(with_far.table, without.table)
    assert [c.rule for c in with_far.clusters] == [c.rule for c in without.clusters]


def test_a_column_may_vary_in_rows_of_no_cluster_alone():
    """A flag that is the same in all clusters tells nothing, and needs no warning of numpy."""
    table = pd.DataFrame({"flag": [0] * 40 + [1] * 5, "x": np.arange(45.0)})
    labels = np.repeat([0, 1, -1], [20, 20, 5])
    found = mmc.profile(table, labels)
    assert found.of(0).set_index("column").loc["flag", "p_value"] == 1
    assert found.telling == ("x",)


def test_missing_values_are_left_out_of_their_column():
    """A column with gaps has numbers without them, is said, and takes part in no rule."""
    table = pd.DataFrame({"a": [1.0, np.nan, 3, 10, np.inf, 12], "b": [1, 2, 3, 7, 8, 9]})
    found = mmc.profile(table, [0, 0, 0, 1, 1, 1])
    row = found.of(0).set_index("column").loc["a"]
    assert (row["median"], row["n_known"], row["n_missing"]) == (2, 2, 1)
    assert all("a" not in each.rule.text for each in found.clusters)
    assert any("Missing values" in note and "“a”" in note for note in found.notes)


def test_constant_empty_and_repeated_columns():
    """Each has a row of its own, and what tells nothing is said."""
    table = pd.DataFrame(
        [[1, 5, np.nan, 3], [2, 5, np.nan, 4], [8, 5, np.nan, 9]], columns=["a", "c", "e", "a"]
    )
    found = mmc.profile(table, [0, 0, 1])
    assert found.columns == ("a", "c", "e", "a (2)")
    kinds = found.of(0).set_index("column")["kind"]
    assert (kinds["c"], kinds["e"]) == ("constant", "empty")
    assert found.of(0).set_index("column").loc["c", "separation"] == 0
    assert any("Constant" in note for note in found.notes)


def test_columns_of_any_kind():
    """Dates, categories, lists and whole numbers beyond float64 are text; other numbers are numbers."""
    table = pd.DataFrame(
        {
            "date": pd.date_range("2020", periods=4),
            "category": pd.Categorical([1, 2, 1, None]),
            "complex": [1 + 2j, 0, 1, 1],
            "list": [[1], [2], [1], None],
            "huge": [10**400, 1, 2, 3],
            "nullable": pd.array([1, None, 3, 4], dtype="Int64"),
            "objects": np.array([1, 2.5, None, 4], dtype=object),
            "flags": pd.array([True, None, False, True], dtype="boolean"),
        }
    )
    found = mmc.profile(table, [0, 0, 1, 1])
    kinds = found.of(0).set_index("column")["kind"]
    assert kinds[["nullable", "objects", "flags"]].tolist() == ["number", "number", "two values"]
    assert set(kinds.drop(["nullable", "objects", "flags"])) == {"text"}
    assert "2020-01-01" in found.to_html()
    assert mmc.profile(table[[]], [0, 0, 1, 1]).table.empty


def test_one_cluster_and_one_row_for_each_cluster():
    """There is nothing to compare one cluster with; clusters of a single row have rules and no silhouette."""
    X = np.arange(6.0).reshape(3, 2)
    one = mmc.profile(X, [4, 4, 4])
    assert one.clusters[0].label == 4
    assert one.clusters[0].rule is None
    assert np.isnan(one.of(4)["effect"]).all()
    assert any("one cluster" in note for note in one.notes)
    each = mmc.profile(X, [0, 1, 2])
    assert [c.size for c in each.clusters] == [1, 1, 1]
    assert all(c.rule.recall == 1 and c.doubtful == () and c.silhouette == 0 for c in each.clusters)
    for found in (one, each, mmc.profile(pd.DataFrame({"t": list("ab")}), [0, 1])):
        assert found.to_html().startswith("<!DOCTYPE html>")


def test_no_number_overflows():
    """Numbers near the largest float64 are described without a warning."""
    X = np.array([[1.7e308, 1], [-1.7e308, 2], [0, 3], [1e-320, 4.0]])
    assert np.isfinite(mmc.profile(X, [0, 0, 1, 1]).table["effect"]).all()


def test_samples_have_all_clusters():
    """A sample is not larger than asked, without repetition, and has rows of small clusters."""
    clusters = np.repeat([0, 1, 2, -1], [9000, 20, 1000, 50])
    rows = spread_sample(clusters, 3, 300, np.random.default_rng(0))
    assert len(rows) <= 300
    assert len(set(rows)) == len(rows)
    assert np.bincount(clusters[rows]).tolist()[1] == 20
    assert len(spread_sample(np.arange(9000), 9000, 300, np.random.default_rng(0))) == 300


def test_many_rows_are_sampled_and_said():
    """Beyond 5,000 rows silhouettes are those of a sample; numbers and scores of rules are of all."""
    data = make_three_gaussians(7000, random_state=0)
    X, y = data.X, np.where(np.arange(7000) < 6500, np.minimum(data.y, 1), 2)
    found = mmc.profile(X, y, X=X)
    assert len(found.silhouette_rows) <= 5000
    assert found.silhouette == pytest.approx(silhouette_score(X, y), abs=0.01)
    assert any("sample of 5,000" in note for note in found.notes)
    assert found.table["n_known"].sum() == 2 * 7000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"labels": [0, 1]}, "labels has shape"),
        ({"labels": [0.5, 1, 1]}, "whole numbers"),
        ({"labels": list("abc")}, "not numbers"),
        ({"labels": [-1, -1, -1]}, "no cluster"),
        ({"confidence": [1.0]}, "confidence has shape"),
        ({"X": [[1.0], [2.0]]}, "X has shape"),
        ({"X": [[1.0], [2.0], [np.nan]]}, "X has missing"),
        ({"names": ["a"]}, "names has 1"),
        ({"rule_columns": ["x9"]}, "rule_columns has 'x9'"),
        ({"table": [1, 2, 3]}, "table has 1 dimensions"),
    ],
)
def test_errors_name_the_parameter(arguments, words):
    """What is wrong is said with the name of the parameter."""
    given = {"table": np.eye(3)[:, :2], "labels": [0, 1, 1]} | arguments
    with pytest.raises(ValueError, match=words):
        mmc.profile(given.pop("table"), given.pop("labels"), **given)


@pytest.fixture(scope="module")
def hostile():
    """Profile of a table with names and texts that mean something to browsers and spreadsheets."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 4)), columns=HOSTILE)
    table["text"] = ["=HYPERLINK(1)", "<b onclick=x>", "@sum"] * 10
    table.index = [f"=row{i}<i>" for i in range(30)]
    return mmc.profile(table, (table[HOSTILE[0]] > 0).astype(int))


def test_the_report_is_safe_and_complete(hostile):
    """Nothing of the table becomes an element, and no other file is needed."""
    page = hostile.to_html("<script>title</script>")
    assert "&lt;script&gt;alert(1)" in page
    for text in ("<script", "<img", "<i>", "<b onclick", 'http-equiv="refresh', "<link", "@import", "src="):
        assert text not in page.replace("src=x onerror", "")  # escaped, as the line above says
    assert "default-src 'none'" in page
    assert page.count("<section>") == 2
    assert "prefers-color-scheme: dark" in page


def test_no_cell_of_the_csv_is_a_formula(hostile):
    """Column names and categories that begin with = + - @ are quoted, and the rest is the table."""
    written = pd.read_csv(io.StringIO(hostile.to_csv()))
    assert len(written) == len(hostile.table)
    texts = written.select_dtypes(exclude="number").fillna("").astype(str).to_numpy().ravel()
    assert not any(text.startswith(("=", "+", "-", "@")) for text in texts)
    assert "'=cmd()" in set(written["column"])


def test_the_result_is_frozen_and_the_table_unchanged(iris):
    """The given table keeps its names and values; the result cannot be changed by accident."""
    frame = pd.DataFrame([[1, 2], [3, 4], [5, 7]], columns=["a", "a"])
    before = frame.copy()
    found = mmc.profile(frame, [0, 0, 1])
    pd.testing.assert_frame_equal(frame, before)
    assert isinstance(found, Profile)
    with pytest.raises(AttributeError):
        found.n_samples = 3


def test_the_same_seed_gives_the_same(iris):
    """Two calls give the same report."""
    assert mmc.profile(iris.X, iris.codes).to_html() == mmc.profile(iris.X, iris.codes).to_html()


@pytest.mark.slow
def test_the_library_stays_light():
    """Making a profile and its report loads neither Plotly nor Streamlit."""
    code = (
        "import sys, mmc; mmc.profile([[1.0], [2.0]], [0, 1]).to_html(); "
        "sys.exit(', '.join({'plotly', 'streamlit'} & set(sys.modules)) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
