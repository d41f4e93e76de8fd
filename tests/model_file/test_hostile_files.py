"""Files that are damaged, foreign or made to do harm give a message, and nothing else."""

import io
import json
import zipfile

import numpy as np
import pytest

from mmc import load_model
from mmc.model_file import archive
from mmc.model_file.archive import pack, unpack


def members(content):
    """Give the members of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def archived(parts, compression=zipfile.ZIP_STORED):
    """Write members, which may be pairs with the same name twice, as an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, content in parts.items() if isinstance(parts, dict) else parts:
            file.writestr(name, content)
    return stream.getvalue()


def changed(content, change):
    """Change the description in a file."""
    parts = members(content)
    description = json.loads(parts["model.json"])
    change(description)
    return archived({**parts, "model.json": json.dumps(description)})


def npy(array, **options):
    """Write an array as a file of NumPy."""
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def header(text):
    """Write the begin of a file of NumPy with any header."""
    content = text.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(content).to_bytes(2, "little") + content


def test_the_helper_reads_what_it_writes(small):
    """An archive that was taken apart and put together is a model."""
    assert load_model(changed(small, lambda description: None)).columns == ("x1", "x2")


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "does not begin as one"),
        (b"a,b\n1,2\n", "does not begin as one"),
        (b"PK\x03\x04", "its end is missing"),
        (archived({"../model.json": "{}"}), "'../model.json', which no model file has"),
        (archived({"/etc/passwd": "x"}), "'/etc/passwd', which no model file has"),
        (archived({"array-01.npy": "x"}), "'array-01.npy', which no model file has"),
        (archived({"array-0.npy": npy(np.zeros(2))}), "it has no model.json"),
        (archived({"model.json": "{}", "array-1.npy": npy(np.zeros(2))}), "not all of its arrays"),
        (archived({"model.json": "{}"}), "it does not say its version"),
        (archived({"model.json": "[" * 100_000}), "within each other"),
        (archived({"model.json": '{"a":' * 20 + "1" + "}" * 20}), "more than 16 lists or objects"),
        (archived({"model.json": "{"}), "no JSON"),
        (archived({"model.json": '{"mmc": 1, "mmc": 1}'}), "'mmc' is there twice"),
        (archived({"model.json": b"0" * 10**7}, zipfile.ZIP_DEFLATED), "is compressed, which none may be"),
    ],
)
def test_an_archive_that_is_no_model_file(content, cause):
    """The message says what is wrong and what to do."""
    with pytest.raises(ValueError, match="Save the model again, or get the file anew") as error:
        load_model(content)
    assert cause in str(error.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice(small):
    """Neither of the two is taken."""
    parts = [*members(small).items()]
    with pytest.raises(ValueError, match=r"'model.json' twice"):
        load_model(archived([*parts, ("model.json", "{}")]))


@pytest.mark.parametrize(
    ("array", "cause"),
    [
        (npy(np.array([{}, None], dtype=object), allow_pickle=True), "does not hold numbers"),
        (npy(np.array(["a"])), "does not hold numbers"),
        (npy(np.zeros(2, dtype=[("a", "f8")])), "does not hold numbers"),
        (npy(np.zeros(2, dtype=complex)), "does not hold numbers"),
        (
            header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
            "8000000000000 bytes",
        ),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), "no possible shape"),
        (
            header("{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1," * 9 + ")}"),
            "no possible shape",
        ),
        (
            header("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}") + b"\x07",
            "does not hold numbers",
        ),
        (header("__import__('os').system('true')"), "array-0.npy"),
        (header("{" * 100), "array-0.npy"),
        (header("{'descr': '|V0', 'fortran_order': False, 'shape': ()}"), "array-0.npy"),
        (b"\x93NUMPY\x02\x00" + npy(np.zeros(2))[8:], "cannot be read"),
        (b"\x93NUM", ""),
        (npy(np.zeros(2)) + b"more", "has others"),
    ],
)
def test_an_array_that_is_none(array, cause, small):
    """The header is checked before anything of its size is allocated, and nothing is unpickled."""
    with pytest.raises(ValueError, match="is not a whole model file of mmc") as error:
        load_model(archived({**members(small), "array-0.npy": array}))
    assert cause in str(error.value)


def _class(name):
    def change(description):
        description["objects"].append({"class": name, "fields": {}})

    return change


def _entry(**entry):
    return lambda description: description["objects"].append(entry)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (_class("os.system"), "'os.system' is nothing that a model file may hold"),
        (_class("builtins.eval"), "nothing that a model file may hold"),
        (_class("mmc.datasets.tables.Table"), "nothing that a model file may hold"),
        (_class("sklearn.svm.SVC"), "nothing that a model file may hold"),
        (_class("mmc.engine._pool.Pool"), "nothing that a model file may hold"),
        (_class("mmc.kernels.dense.Kernel"), "missing or unknown"),
        (_class("sklearn.cluster.KMeans"), "lacks a parameter"),
        (_class(["a"]), "nothing that a model file may hold"),
        (_entry(list=[{"at": 10**6}]), "no earlier object"),
        (_entry(list=[{"at": -1}]), "no earlier object"),
        (_entry(list=[{"at": True}]), "is no int"),
        (_entry(array=10**6), "there is no array"),
        (_entry(call="os.system"), "is no kind of object"),
        (_entry(list=[], tuple=[]), "missing or unknown"),
        (_entry(), "is no kind of object"),
        (_entry(dict=[[{"at": 0}, 1]]), ""),
        (_entry(dtype="O"), "nothing that a model file may hold"),
        (_entry(number="int64", value="a"), "is no number"),
        (_entry(sparse="csr_array", shape=[1, 1], data=1, indices=1, indptr=1), "no array"),
        (lambda description: description.update(estimator=3), "it holds no estimator"),
        (lambda description: description.update(seen=None), "it holds no estimator"),
        (lambda description: description.update(columns="ab"), "are no names"),
        (lambda description: description.update(labels=None), "how its points are labelled"),
        (lambda description: description.update(more=None), "other fields"),
        (lambda description: description.pop("objects"), "other fields"),
    ],
)
def test_a_description_of_something_else(change, cause, small):
    """Classes come from the list of the library alone, and every value is of its kind."""
    with pytest.raises(ValueError, match="is a damaged model file, or one of another release") as error:
        load_model(changed(small, change))
    assert cause in str(error.value)


@pytest.mark.parametrize("version", [0, 2, 10**9])
def test_another_version(version, small):
    """A newer file is refused by its version, whatever else is in it."""
    newer = changed(small, lambda description: (description.clear(), description.update(mmc=version)))
    with pytest.raises(ValueError, match=f"of version {version}, and this release of mmc reads version 1"):
        load_model(newer)


def test_lists_within_each_other_without_end(small):
    """Entries that refer to each other are limited in depth, and in what they are when written out."""

    def deep(description):
        first = len(description["objects"])
        description["objects"] += [
            {"list": [{"at": i - 1}] if i > first else []} for i in range(first, first + 99)
        ]

    def wide(description):
        first = len(description["objects"])
        description["objects"] += [
            {"list": [{"at": i - 1}] * 9 if i > first else []} for i in range(first, first + 30)
        ]

    for change in (deep, wide):
        with pytest.raises(ValueError, match="too many objects are within each other"):
            load_model(changed(small, change))


def test_indices_beyond_a_sparse_matrix(small):
    """They are refused before compiled code follows them."""

    def change(description):
        n = len(description["objects"])
        description["objects"] += [
            {"array": len(parts) - 4},
            {"array": len(parts) - 3},
            {"array": len(parts) - 2},
            {
                "sparse": "csr_array",
                "shape": [1, 2],
                **{part: {"at": n + i} for i, part in enumerate(("data", "indices", "indptr"))},
            },
        ]

    parts = members(small)
    for array in (np.ones(1), np.array([10**6]), np.array([0, 1])):
        parts[f"array-{len(parts) - 1}.npy"] = npy(array)
    with pytest.raises(ValueError, match="another release"):
        load_model(changed(archived(parts), change))


def test_points_that_get_other_labels(small):
    """A model whose stored points are labelled otherwise than at saving has changed."""
    parts = members(small)
    place = json.loads(parts["model.json"])["labels"]["at"]
    number = json.loads(parts["model.json"])["objects"][place]["array"]
    labels = np.load(io.BytesIO(parts[f"array-{number}.npy"]))
    with pytest.raises(ValueError, match="other labels than they had"):
        load_model(archived({**parts, f"array-{number}.npy": npy(1 - labels)}))


def test_many_members_are_refused_unread(monkeypatch):
    """The end of the archive says how many there are, before a list of them is made."""
    many = archived({f"array-{i}.npy": b"" for i in range(archive._MAX_ARRAYS + 2)})
    monkeypatch.setattr("mmc.model_file.archive.zipfile.ZipFile", lambda *args: pytest.fail("was read"))
    with pytest.raises(ValueError, match="it has more than 10001 members"):
        load_model(many)


def test_the_size_is_limited(small, tmp_path):
    """A larger file is not read to its end."""
    (tmp_path / "m.mmc").write_bytes(small)
    with pytest.raises(ValueError, match=r"'m.mmc' has more than the 100 bytes that are read"):
        load_model(tmp_path / "m.mmc", max_bytes=100)


def test_what_is_packed_is_unpacked():
    """Arrays of any order keep it, and empty ones their shape."""
    arrays = [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.eye(3)), np.zeros((0, 4)), np.array(True)]
    found = unpack(pack({"a": "ä"}, arrays))
    assert found.description == {"a": "ä"}
    for array, again in zip(arrays, found.arrays, strict=True):
        np.testing.assert_array_equal(again, array)
        assert again.dtype == array.dtype
        assert again.flags.f_contiguous == array.flags.f_contiguous
        assert again.flags.writeable


@pytest.mark.filterwarnings("ignore")
def test_damaged_bytes_give_a_model_or_a_message(small):
    """Bytes that are changed, cut off or repeated: a model, or a ValueError with a message."""
    rng = np.random.RandomState(0)
    n_refused = 0
    for _ in range(400):
        content = bytearray(small)
        for _ in range(rng.randint(1, 4)):
            i = rng.randint(len(content))
            kind = rng.randint(3)
            if kind == 0:
                content[i] = rng.randint(256)
            elif kind == 1:
                del content[i : i + rng.randint(1, 200)]
            else:
                content[i:i] = content[i : i + rng.randint(1, 200)]
        message = refusal(bytes(content))
        assert message is None or len(message) > 40
        n_refused += message is not None
    assert n_refused > 300


@pytest.mark.filterwarnings("ignore")
def test_a_changed_description_gives_a_model_or_a_message(small):
    """The same for values of the description, in an archive that is whole."""
    rng = np.random.RandomState(1)
    others = [None, True, -1, 0, 10**12, 0.5, "", "rbf", [], {}, {"at": 0}, {"at": 5}, ["a"], 1e300]
    parts = members(small)
    n_refused = 0
    for _ in range(300):
        description = json.loads(parts["model.json"])
        places = [*_places(description)]
        holder, name = places[rng.randint(len(places))]
        holder[name] = others[rng.randint(len(others))]
        message = refusal(archived({**parts, "model.json": json.dumps(description)}))
        assert message is None or len(message) > 40
        n_refused += message is not None
    assert n_refused > 150


def _places(value):
    """List all places of a description whose value can be changed."""
    for name in range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ():
        yield value, name
        yield from _places(value[name])


def refusal(content):
    """Give the message with which a file is refused, or None."""
    try:
        load_model(content)
    except ValueError as error:
        return str(error)
    return None
