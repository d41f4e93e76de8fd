// An entry in the browser's history for every experiment. Streamlit writes a changed control over the current
// entry; here the change becomes a new one, so that Back and Forward, which Streamlit follows, return to it.
export default function () {
  if (window.mmcHistory) return;
  window.mmcHistory = true;
  const history = window.history;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  const SOON = 1000; // milliseconds; a control that is moved on and on is one change
  let acted = false; // the visitor has done something that no entry stands for yet
  let visited = false; // the visitor has done something since the page was opened, or since Back
  let last = { names: "", time: -SOON };

  let pushed = false; // there is an entry of what the visitor has done last

  function act(event) {
    if (!event.isTrusted) return;
    acted = visited = true;
    pushed = false;
    if (event.target instanceof Element && event.target.closest("a")) last.names = "";
  }
  for (const kind of ["pointerdown", "keydown", "change", "drop"]) window.addEventListener(kind, act, true);
  window.addEventListener("popstate", () => {
    acted = visited = pushed = false;
    last = { names: "", time: -SOON };
  }, true);

  function changed(from, to) {
    const [old, now] = [new URLSearchParams(from), new URLSearchParams(to)];
    const names = new Set([...old.keys(), ...now.keys()]);
    return [...names].filter((n) => String(old.getAll(n)) !== String(now.getAll(n))).sort().join();
  }

  // `isNew` says whether the visitor has asked for this address, and not the server in its answer.
  function write(state, url, isNew, otherwise) {
    const to = new URL(url ?? window.location.href, window.location.href);
    const here = window.location;
    if (to.pathname !== here.pathname) {
      // Before Streamlit leaves a page it clears the address; that is no place to return to.
      const cleared = pushed && here.search === "";
      acted = pushed = false;
      return (cleared ? replace : otherwise)(state, "", url);
    }
    if (to.search === here.search) return replace(state, "", url);
    if (!isNew) return replace(state, "", url);
    acted = false;
    const names = changed(here.search, to.search);
    const again = names === last.names && performance.now() - last.time < SOON;
    last = { names, time: performance.now() };
    pushed = !again;
    return again ? replace(state, "", url) : push(state, "", url);
  }
  history.replaceState = (state, title, url) => write(state, url, visited, replace);
  history.pushState = (state, title, url) => write(state, url, acted, push);
}
