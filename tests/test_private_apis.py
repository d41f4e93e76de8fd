"""What other packages have beyond their public interface is still there, and is used in one place each."""

import ast
import json
import pickle
import warnings
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import numpy as np
import plotly
import plotly.graph_objects as go
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from mmc._sklearn import QuietSVC, QuietSVR
from mmc._warnings import warnings_kept
from mmc.figures._frames import set_frames
from mmc.figures.packed import pack
from mmc.ui import _sessions
from mmc.ui._sessions import _clear_queue, keep_answers

ROOT = Path(__file__).parents[1]

#: Where a private name is used, what it is called, the module that has it and how it is reached there.
PRIVATE = [
    ("mmc/_sklearn.py", "_param_validation", "sklearn.utils._param_validation", "Interval"),
    ("mmc/_sklearn.py", "_param_validation", "sklearn.utils._param_validation", "StrOptions"),
    ("mmc/_sklearn.py", "_param_validation", "sklearn.utils._param_validation", "HasMethods"),
    ("mmc/_sklearn.py", "_param_validation", "sklearn.utils._param_validation", "RealNotInt"),
    ("mmc/_sklearn.py", "_validate_params", "sklearn.base", "BaseEstimator._validate_params"),
    ("mmc/_sklearn.py", "_warn_from_fit_status", "sklearn.svm", "SVC._warn_from_fit_status"),
    ("mmc/_sklearn.py", "_warn_from_fit_status", "sklearn.svm", "SVR._warn_from_fit_status"),
    ("mmc/_fast/compiled.py", "FunctionCache", "numba.core.caching", "FunctionCache.load_overload"),
    ("mmc/_fast/compiled.py", "FunctionCache", "numba.core.caching", "FunctionCache.save_overload"),
    ("mmc/_fast/compiled.py", "FunctionCache", "numba.core.caching", "FunctionCache.flush"),
    ("mmc/_warnings.py", "_filters_mutated", "warnings", "_filters_mutated"),
    ("mmc/ui/_sessions.py", "scriptrunner", "streamlit.runtime.scriptrunner", "get_script_run_ctx"),
    (
        "mmc/ui/_sessions.py",
        "is_history_navigation",
        "streamlit.runtime.scriptrunner_utils.script_run_context",
        "ScriptRunContext.is_history_navigation",
    ),
    ("mmc/ui/_sessions.py", "get_instance", "streamlit.runtime", "get_instance"),
    ("mmc/ui/_sessions.py", "is_active_session", "streamlit.runtime", "Runtime.is_active_session"),
    ("mmc/ui/_sessions.py", "_get_async_objs", "streamlit.runtime", "Runtime._get_async_objs"),
    (
        "mmc/ui/_sessions.py",
        "register_file_watchers",
        "streamlit.runtime.app_session",
        "AppSession.register_file_watchers",
    ),
    (
        "mmc/ui/_sessions.py",
        "remove_orphaned_files",
        "streamlit.runtime.media_file_manager",
        "MediaFileManager.remove_orphaned_files",
    ),
    (
        "mmc/ui/_sessions.py",
        "ForwardMsgQueue",
        "streamlit.runtime.forward_msg_queue",
        "ForwardMsgQueue.clear",
    ),
    (
        "mmc/ui/_sessions.py",
        "_remove_orphaned_deferred_callables",
        "streamlit.runtime.media_file_manager",
        "MediaFileManager._remove_orphaned_deferred_callables",
    ),
    (
        "mmc/ui/_sessions.py",
        "_drop_deferred_id",
        "streamlit.runtime.media_file_manager",
        "MediaFileManager._drop_deferred_id",
    ),
    ("mmc/ui/_sessions.py", "uploaded_file_mgr", "streamlit.runtime", "Runtime.uploaded_file_mgr"),
    ("mmc/ui/_sessions.py", "close_session", "streamlit.runtime", "Runtime.close_session"),
    ("mmc/ui/_sessions.py", "media_file_mgr", "streamlit.runtime", "Runtime.media_file_mgr"),
    ("mmc/ui/_sessions.py", "add_script_run_ctx", "streamlit.runtime.scriptrunner", "add_script_run_ctx"),
]

#: Private names that only an object shows; the tests below use them.
OF_OBJECTS = [
    ("mmc/_fast/compiled.py", "dispatcher._cache"),
    ("mmc/_fast/compiled.py", "self._impl.filename_base"),
    ("mmc/figures/_frames.py", "._frame_objs"),
    ("mmc/ui/_sessions.py", "self._queue"),
    ("mmc/ui/_sessions.py", "_files_by_session_and_coord"),
    ("mmc/ui/_sessions.py", "_deferred_callables"),
    ("mmc/figures/_frames.py", "_validate=False"),
]

FILES = [*(ROOT / "mmc").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]


@pytest.mark.parametrize(("user", "module", "path"), [(user, *where) for user, _, *where in PRIVATE])
def test_private_names_are_still_there(user, module, path):
    """A release that moves a name fails here, and the message says which and who needs it."""
    try:
        attrgetter(path)(import_module(module))
    except (ImportError, AttributeError):
        pytest.fail(f"{module} has no {path} any more, which {user} uses.")


#: An own class may override this name, to add to how its parameters are checked.
OVERRIDDEN = {("mmc/_sklearn.py", "_validate_params")}


@pytest.mark.parametrize(
    ("user", "name"), sorted({(user, name) for user, name, *_ in PRIVATE} - OVERRIDDEN | set(OF_OBJECTS))
)
def test_private_names_are_used_in_one_place(user, name):
    """No other module uses the name."""
    users = {str(file.relative_to(ROOT)) for file in FILES if name in file.read_text(encoding="utf-8")}
    assert users == {user}


@pytest.mark.parametrize("path", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_no_other_private_module_is_imported(path):
    """Whatever another package has below an underscore is imported through one of the modules above."""
    known = {(user, module) for user, _, module, _ in PRIVATE}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [f"{node.module}.{a.name}" for a in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            foreign = name.split(".")[0] not in ("mmc", "__future__")
            private = any(part.startswith("_") for part in name.split("."))
            if foreign and private:
                assert (str(path.relative_to(ROOT)), name.rpartition(".")[0]) in known, name


@pytest.mark.parametrize(("quiet", "loud"), [(QuietSVC, SVC), (QuietSVR, SVR)])
def test_a_quiet_machine_is_stopped_without_a_warning(quiet, loud):
    """It gives the model of scikit-learn's class, whose warning it does not repeat."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.5, -1.0, 1.0)
    silent = quiet(max_iter=3).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="terminated early"):
        model = loud(max_iter=3).fit(X, y)
    assert silent.fit_status_ == model.fit_status_ == 1
    np.testing.assert_array_equal(silent.dual_coef_, model.dual_coef_)


def test_a_filter_may_hold_any_object_that_matches():
    """Python asks the pattern of a filter by its method `match`, and no other filter after it."""
    before = list(warnings.filters)
    with warnings_kept() as messages:
        warnings.warn("kept", stacklevel=1)
    assert messages == ["kept"]
    assert warnings.filters == before


def test_frames_are_those_of_the_public_way():
    """A figure with frames that were not checked is written like one with checked frames."""
    changes = [[{"x": np.arange(3.0) + i}, {}] for i in range(2)]
    quick = go.Figure([go.Scatter(x=[0, 1, 2]), go.Scatter(x=[0, 1, 2])])
    set_frames(quick, changes)
    frames = [
        go.Frame(name=str(i), traces=[0, 1], data=[go.Scatter(**change) for change in each])
        for i, each in enumerate(changes)
    ]
    public = go.Figure(quick.data, frames=frames)
    assert json.loads(quick.to_json()) == json.loads(public.to_json())
    assert len(quick.frames) == 2


@pytest.mark.parametrize("fragments", [None, ["f"]])
def test_a_run_that_begins_keeps_answers_to_the_browser(fragments, monkeypatch):
    """Where a file goes and where a made one is outlast what a page has not sent yet; each is sent once."""
    monkeypatch.setattr(ForwardMsgQueue, "clear", _clear_queue)  # pages of other tests have replaced it
    answers = [ForwardMsg(), ForwardMsg()]
    answers[0].file_urls_response.response_id = "file"
    answers[1].backend_operation_response.request_id = "made"
    old, status = ForwardMsg(), ForwardMsg()
    old.delta.fragment_id = "f"
    status.session_status_changed.run_on_save = True

    def left():
        queue = ForwardMsgQueue()
        for message in (answers[0], old, status, answers[1]):
            queue.enqueue(message)
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
        return queue.flush()

    if fragments is None:  # the reason for what is tested; without it, the function can go
        assert [m.WhichOneof("type") for m in left()] == ["session_status_changed"]
    keep_answers()
    assert sorted(m.WhichOneof("type") for m in left()) == [
        "backend_operation_response",
        "file_urls_response",
        "session_status_changed",
    ]
    queue = ForwardMsgQueue()
    queue.enqueue(answers[0])
    queue.clear()
    assert not queue.flush()


def test_a_button_of_the_run_before_makes_its_file(monkeypatch):
    """For a minute, though runs of other visitors end; it is dropped then, and at once with its visitor."""
    names = "_remove_orphaned_deferred_callables"
    monkeypatch.setattr(MediaFileManager, names, getattr(MediaFileManager, names))
    now, connected = [0.0], [True]
    monkeypatch.setattr(_sessions.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(_sessions, "is_connected", lambda session: connected[0])
    _sessions.keep_downloads()
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))

    def run(seconds):
        now[0] = seconds
        manager.clear_session_refs()
        manager.remove_orphaned_files()

    def is_there(file):
        try:
            return bool(manager.execute_deferred(file))
        except MediaFileStorageError:
            return False

    old = manager.add_deferred(lambda: "a,b", "text/csv", "button")
    run(1000.0)
    new = manager.add_deferred(lambda: "a,c", "text/csv", "button")
    now[0] = 1059.0
    manager.remove_orphaned_files()
    assert is_there(old)
    assert is_there(new)
    now[0] = 1061.0
    manager.remove_orphaned_files()
    assert not is_there(old)
    assert is_there(new)
    connected[0] = False
    run(1062.0)
    assert not is_there(new)


def test_a_packed_figure_is_shown_as_the_figure_itself():
    """Streamlit asks any figure for its content, and writes what the figure would have written."""
    figure = go.Figure([go.Scatter(x=np.arange(3.0), y=np.arange(3))], layout={"title": "three"})
    packed = pickle.loads(pickle.dumps(pack(figure)))
    for each in (figure, packed):
        content = plotly.tools.return_figure_from_figure_or_data(each, validate_figure=True)
        assert json.loads(plotly.io.to_json(content, validate=False)) == json.loads(figure.to_json())
    assert packed.nbytes > 100
