"""A page as a browser knows it: the elements that the server has sent and not yet taken back.

A message of the server places an element or a block at a path of the page. What a run of the page, or of one
of its fragments, has not placed again is removed when that run ends. A message that the client has received
before comes again as its hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

#: Texts by which a page says that a job waits, and that the server takes no more of them.
WAITING = re.compile(r"waiting|before yours|place in line|next job", re.IGNORECASE)
BUSY = re.compile(r"\bbusy\b", re.IGNORECASE)

#: Elements in which these texts are looked for.
_TELLING = ("progress", "alert", "spinner", "markdown", "text")

#: Elements of which the client takes note as soon as they arrive; the others count when the run ends.
_URGENT = ("progress", "alert", "spinner", "exception")

_ERROR = 1  # Alert.ERROR

Standing = Literal["", "at work", "waiting", "busy"]
_Path = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """An element of a page.

    Attributes
    ----------
    kind : str
        Name of the element in Streamlit's protocol.
    text : str
        What a visitor reads, without Markdown's escapes; of a control its label.
    widget : str
        Identifier of a control; empty if it is none.
    file : str
        Identifier of a file that the server makes on request.
    fragment : str
        Identifier of the fragment of the page that drew it; empty if none did.
    address_key : str
        Name of a control in the address; empty if it is not there.
    is_error : bool
        Whether it is an error message.
    chart_bytes : int
        Size of a chart.
    """

    kind: str
    text: str = ""
    widget: str = ""
    file: str = ""
    fragment: str = ""
    address_key: str = ""
    is_error: bool = False
    chart_bytes: int = 0


@dataclass
class _Placed:
    part: Part | None  # None is a block
    run: str
    fragment: str


@dataclass
class _Cached:
    part: Part
    age: int = 0


class Page:
    """The model of a page.

    Attributes
    ----------
    session : str
        Identifier of the visitor's session.
    script : str
        Hash of the page's script.
    is_running : bool
        Whether the server runs the page or a part of it.
    n_bytes : int
        Size of all messages so far.
    """

    def __init__(self) -> None:
        self.session = ""
        self.script = ""
        self.is_running = True
        self.n_bytes = 0
        self._run = ""
        self._max_age = 0
        self._placed: dict[_Path, _Placed] = {}
        self._cached: dict[str, _Cached] = {}

    def take(self, message: ForwardMsg, size: int) -> bool:
        """Bring the page up to date with a message.

        Parameters
        ----------
        message : ForwardMsg
            Message of the server.
        size : int
            Its size in bytes.

        Returns
        -------
        bool
            Whether the message can change what the visitor does next.
        """
        self.n_bytes += size
        kind = message.WhichOneof("type")
        if kind in ("delta", "ref_hash"):
            part = self._place(message, kind)
            return part is not None and part.kind in _URGENT
        if kind == "new_session":
            new = message.new_session
            self.session = new.initialize.session_id
            self._max_age = new.config.max_cached_message_age
            self._run, self.is_running = message.metadata.run.script_run_id, True
        elif kind == "navigation":
            self.script = message.navigation.page_script_hash
        elif kind == "script_finished":
            self._finish(message)
        return kind not in ("new_session", "navigation")

    @property
    def cached(self) -> Iterable[str]:
        """Hashes of the messages that the server need not send again."""
        return self._cached

    @property
    def parts(self) -> Iterator[Part]:
        """The elements of the page."""
        return (placed.part for placed in self._placed.values() if placed.part is not None)

    @property
    def chart_bytes(self) -> int:
        """Size of all charts on the page."""
        return sum(part.chart_bytes for part in self.parts)

    @property
    def errors(self) -> list[str]:
        """Error messages and exceptions that the page shows."""
        return [part.text for part in self.parts if part.is_error]

    def find(self, kind: str, text: str = "") -> Part | None:
        """Return the first element of a kind whose text begins like this, or None."""
        return next((p for p in self.parts if p.kind == kind and p.text.startswith(text)), None)

    def html(self) -> str:
        """Return all HTML of the page."""
        return "\n".join(part.text for part in self.parts if part.kind == "html")

    def standing(self) -> tuple[Standing, str]:
        """Return how the visitor's job stands, and the words that say so; both empty if no words do."""
        told = [part for part in self.parts if part.kind in _TELLING]
        for part in told:
            if BUSY.search(part.text):
                return "busy", part.text
        for part in told:
            if WAITING.search(part.text):
                return "waiting", part.text
        working = next((part.text for part in told if part.kind in ("progress", "spinner")), None)
        return ("at work", working) if working is not None else ("", "")

    def _place(self, message: ForwardMsg, kind: str) -> Part | None:
        path, delta = tuple(message.metadata.delta_path), message.delta
        if kind == "ref_hash":
            known = self._cached[message.ref_hash]
            known.age = 0
            part = known.part
        elif delta.HasField("new_element"):
            part = _part(delta.new_element, delta.fragment_id)
            if message.metadata.cacheable:
                self._cached[message.hash] = _Cached(part)
        else:
            if delta.HasField("add_block"):
                self._placed[path] = _Placed(None, self._run, delta.fragment_id)
            return None
        before = self._placed.get(path)
        if before is not None and before.part is None:
            self._keep(lambda at, _: at[: len(path)] != path)
        self._placed[path] = _Placed(part, self._run, part.fragment)
        return part

    def _finish(self, message: ForwardMsg) -> None:
        self.is_running = False
        if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.is_running = True
            return
        run, fragments = message.metadata.run.script_run_id, set(message.metadata.run.fragment_ids)
        self._keep(
            lambda _, placed: placed.run == run or (bool(fragments) and placed.fragment not in fragments)
        )
        for name, cached in list(self._cached.items()):
            if not fragments or cached.part.fragment in fragments:
                cached.age += 1
                if cached.age > self._max_age:
                    del self._cached[name]

    def _keep(self, stays: Any) -> None:
        self._placed = {path: placed for path, placed in self._placed.items() if stays(path, placed)}


def _part(element: Any, fragment: str) -> Part:
    """Return what a visit needs to know of an element."""
    kind = element.WhichOneof("type")
    content = getattr(element, kind)
    text = _text(kind, content).replace("\\", "")
    is_error = content.format == _ERROR if kind == "alert" else kind == "exception" and not content.is_warning
    return Part(
        kind,
        text,
        getattr(content, "id", ""),
        content.deferred_file_id if kind == "download_button" else "",
        fragment,
        getattr(content, "query_param_key", ""),
        is_error,
        content.ByteSize() if kind == "plotly_chart" else 0,
    )


def _text(kind: str, content: Any) -> str:
    if kind == "exception":
        return f"{content.type}: {content.message}"
    if kind == "metric":
        return f"{content.label}: {content.body}"
    texts = (getattr(content, name, "") for name in ("body", "text", "label"))
    return next((text for text in texts if isinstance(text, str) and text), "")
