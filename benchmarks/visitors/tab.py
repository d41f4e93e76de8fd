"""A browser tab without a browser: one WebSocket that speaks Streamlit's protocol as its page does."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.visitors.page_model import Page

#: Seconds that a connection, an upload or a download may take.
_PATIENCE = 120.0

#: How often a visitor presses a download button whose file is not there.
_PRESSES = 20

_XSRF_COOKIE = "_streamlit_xsrf"


class Tab:
    """One visitor's tab; an asynchronous context manager that is open inside.

    Parameters
    ----------
    server : str
        Host and port of the app.
    path : str
        Path and query of the page, as in the address bar.

    Attributes
    ----------
    page : Page
        What the tab shows.
    n_lost : int
        Number of downloads that the server no longer had.
    """

    def __init__(self, server: str, path: str) -> None:
        self.page = Page()
        self.n_lost = 0
        self._server = server
        parts = urlsplit(path)
        self._name, self._query = parts.path.strip("/"), parts.query
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._reruns: dict[str, asyncio.Task[None]] = {}
        self._replies: dict[str, asyncio.Future[Any]] = {}
        self._news = asyncio.Event()

    async def __aenter__(self) -> Tab:
        await self._connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._disconnect()

    async def reconnect(self) -> None:
        """Lose the connection without a farewell, and resume the session as a browser does."""
        assert self._socket is not None
        self._socket.transport.abort()
        await self._disconnect()
        await self._connect()

    async def wait(self, condition: Callable[[Page], bool], seconds: float) -> bool:
        """Wait until a condition holds.

        Parameters
        ----------
        condition : callable
            Takes the page.
        seconds : float
            Longest time to wait.

        Returns
        -------
        bool
            Whether it holds.

        Raises
        ------
        ConnectionError
            If the server has closed the connection.
        """
        deadline = time.monotonic() + seconds
        while not condition(self.page):
            assert self._reader is not None
            if self._reader.done():
                self._reader.result()  # raises what ended it
                raise ConnectionError("the server has closed the connection")
            self._news.clear()
            try:
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    await self._news.wait()
            except TimeoutError:
                return condition(self.page)
        return True

    async def press(self, label: str) -> None:
        """Press a button."""
        button = self.page.find("button", label)
        if button is None:
            raise LookupError(f"the page has no button {label!r}")
        await self._rerun(WidgetState(id=button.widget, trigger_value=True), fragment=button.fragment)

    async def set_number(self, label: str, value: float) -> None:
        """Write a number into a control."""
        control = self.page.find("number_input", label)
        if control is None:
            raise LookupError(f"the page has no control {label!r}")
        query = dict(parse_qsl(self._query)) | {control.address_key: f"{value:g}"}
        self._query = urlencode(query) if control.address_key else self._query
        await self._rerun(WidgetState(id=control.widget, double_value=value), fragment=control.fragment)

    async def upload(self, name: str, content: bytes) -> int:
        """Put a file into the page's first upload control.

        Returns
        -------
        int
            Status code of the upload; the page runs again if it is below 400.
        """
        control = self.page.find("file_uploader")
        if control is None:
            raise LookupError("the page has no upload control")
        request = BackMsg()
        request.file_urls_request.request_id = str(uuid.uuid4())
        request.file_urls_request.session_id = self.page.session
        request.file_urls_request.file_names.append(name)
        reply = await self._ask(request, request.file_urls_request.request_id)
        urls = reply.file_urls[0]
        status = await asyncio.to_thread(self._put, urls.upload_url, name, content)
        if status < 400:
            state = WidgetState(id=control.widget)
            info = state.file_uploader_state_value.uploaded_file_info.add()
            info.name, info.size, info.file_id = name, len(content), urls.file_id
            info.file_urls.CopyFrom(urls)
            await self._rerun(state)
        return status

    async def download(self, label: str) -> bytes:
        """Press a download button and return the file.

        Streamlit drops a file that it made on request as soon as two runs of pages have ended, those of other
        visitors included. Such downloads are counted, and the button is pressed again.
        """
        button = self.page.find("download_button", label)
        if button is None:
            raise LookupError(f"the page has no download {label!r}")
        for _ in range(_PRESSES):
            request = BackMsg()
            operation = request.backend_operation_request
            operation.request_id, operation.session_id = str(uuid.uuid4()), self.page.session
            operation.deferred_file.file_id = button.file
            reply = await self._ask(request, operation.request_id)
            if reply.error_msg:
                raise RuntimeError(f"{label}: {reply.error_msg}")
            file = await asyncio.to_thread(self._get, reply.deferred_file.url)
            if file is not None:
                return file
            self.n_lost += 1
        raise RuntimeError(f"{label}: the server lost the file {_PRESSES} times")

    async def _connect(self) -> None:
        # The second entry is a token that only a login needs; the third is the session to resume.
        protocols = [
            "streamlit",
            "PLACEHOLDER_AUTH_TOKEN",
            *([self.page.session] if self.page.session else []),
        ]
        self._socket = await connect(
            f"ws://{self._server}/_stcore/stream",
            subprotocols=protocols,  # type: ignore[arg-type]
            compression=None,
            max_size=None,
            open_timeout=_PATIENCE,
            ping_interval=None,
            close_timeout=5,
        )
        self._reader = asyncio.create_task(self._read(self._socket))
        await self._rerun()

    async def _disconnect(self) -> None:
        self._stop_reruns()
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._reader
        if self._socket is not None:
            await self._socket.close()

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for data in socket:
                message = ForwardMsg.FromString(data)  # type: ignore[arg-type]
                if self.page.take(message, len(data)):
                    self._news.set()
                self._answer(message)
        finally:
            self._news.set()

    def _answer(self, message: ForwardMsg) -> None:
        """Do what the script of a browser does with messages that are not elements."""
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self._stop_reruns()
        elif kind == "auto_rerun":
            fragment = message.auto_rerun.fragment_id
            if fragment not in self._reruns:
                every = self._rerun_every(fragment, message.auto_rerun.interval)
                self._reruns[fragment] = asyncio.create_task(every)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                if fragment in self._reruns:
                    self._reruns.pop(fragment).cancel()
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string  # the page has changed its address
        elif kind == "file_urls_response":
            self._reply(message.file_urls_response.response_id, message.file_urls_response)
        elif kind == "backend_operation_response":
            reply = message.backend_operation_response
            self._reply(reply.request_id, reply)

    async def _rerun_every(self, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            with suppress(ConnectionClosed):
                await self._rerun(fragment=fragment, is_auto=True)

    def _stop_reruns(self) -> None:
        for task in self._reruns.values():
            task.cancel()
        self._reruns.clear()

    async def _rerun(self, *states: WidgetState, fragment: str = "", is_auto: bool = False) -> None:
        """Ask for a run of the page or of a fragment."""
        if not is_auto:
            self.page.is_running = True
        request = BackMsg()
        state = request.rerun_script
        state.query_string, state.page_script_hash = self._query, self.page.script
        state.page_name = "" if self.page.script else self._name
        state.fragment_id, state.is_auto_rerun = fragment, is_auto
        state.cached_message_hashes.extend(self.page.cached)
        state.widget_states.widgets.extend(states)
        await self._send(request)

    async def _send(self, request: BackMsg) -> None:
        assert self._socket is not None
        await self._socket.send(request.SerializeToString())

    async def _ask(self, request: BackMsg, name: str) -> Any:
        self._replies[name] = asyncio.get_running_loop().create_future()
        await self._send(request)
        async with asyncio.timeout(_PATIENCE):
            return await self._replies[name]

    def _reply(self, name: str, reply: Any) -> None:
        waiting = self._replies.pop(name, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    def _put(self, path: str, name: str, content: bytes) -> int:
        with requests.Session() as session:
            session.get(f"http://{self._server}/_stcore/health", timeout=_PATIENCE)
            token = session.cookies.get(_XSRF_COOKIE) or ""
            reply = session.put(
                f"http://{self._server}{path}",
                files={name: (name, content)},
                headers={"X-Xsrftoken": token},
                timeout=_PATIENCE,
            )
        return reply.status_code

    def _get(self, path: str) -> bytes | None:
        reply = requests.get(f"http://{self._server}{path}", timeout=_PATIENCE)
        if reply.status_code == requests.codes.not_found:
            return None
        reply.raise_for_status()
        return reply.content
