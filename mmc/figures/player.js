// Plays the frames of one or more Plotly charts and tells what each frame does. Works on the page alone: nothing
// is sent anywhere. The player says which frame it shows by an event of the document, which the story follows.
const FRAME_EVENT = "mmc-frame";
const LIGHT_EVENT = "mmc-light"; // turns the lit lines off, and on again

function mountPlayer(root, options) {
  const length = Math.max(...options.captions.map((c) => c.length));
  const last = length - 1;
  const signature = JSON.stringify(options);
  const previous = root.mmcPlayer;
  const kept = previous && previous.signature === signature;
  if (previous) previous.stop();

  const state = { index: kept ? previous.state.index : Math.min(options.start ?? last, last), timer: null };
  const box = document.createElement("div");
  box.className = "mmc-player";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Animation");
  const bar = document.createElement("div");
  bar.className = "mmc-bar";
  box.append(bar);

  // Drawn, because not every machine has a font with these signs.
  const ICONS = {
    first: "M3 3h2v10H3zM13 3v10L6 8z",
    back: "M11 3v10L4 8z",
    play: "M4 2l10 6-10 6z",
    pause: "M3 2h4v12H3zM9 2h4v12H9z",
    forward: "M5 3l7 5-7 5z",
    last: "M11 3h2v10h-2zM3 3l7 5-7 5z",
    present: "M1 2h14v9H1zM3 4v5h10V4zM6 12h4l2 3H4z",
  };

  function setIcon(element, icon, text) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[icon]);
    svg.append(path);
    element.replaceChildren(svg, text);
  }

  function button(icon, label, action, text = "") {
    const element = document.createElement("button");
    element.type = "button";
    setIcon(element, icon, text);
    element.title = label;
    element.setAttribute("aria-label", label);
    element.addEventListener("click", action);
    bar.append(element);
    return element;
  }

  button("first", "To the start (Home)", () => jump(0));
  button("back", "Step back (left arrow, or comma)", () => jump(state.index - 1));
  const play = button("play", "Play or pause (space, or k)", toggle, "Play");
  play.classList.add("mmc-play");
  button("forward", "Step (right arrow, or full stop)", () => jump(state.index + 1));
  button("last", "To the end (End)", () => jump(last));

  const range = document.createElement("input");
  range.type = "range";
  range.min = "0";
  range.max = String(last);
  range.setAttribute("aria-label", "Step");
  range.addEventListener("input", () => jump(Number(range.value)));
  bar.append(range);

  const speed = document.createElement("select");
  speed.setAttribute("aria-label", "Speed");
  for (const factor of [0.25, 0.5, 1, 2, 4]) {
    const option = new Option(`${factor}×`, String(factor), factor === 1, factor === 1);
    speed.append(option);
  }
  if (kept) speed.value = previous.speed.value;
  bar.append(speed);
  const presenting = button("present", "Present: only picture, player and pseudo-code (Esc to leave)", () =>
    present(!isPresenting())
  );

  // Where nothing can be played, nothing offers it.
  if (last === 0) {
    for (const each of bar.children) each.style.display = each === presenting ? "" : "none";
  }

  const lines = options.captions.map(() => {
    const line = document.createElement("p");
    line.className = "mmc-caption";
    box.append(line);
    return line;
  });
  lines[0].setAttribute("aria-live", "polite");

  function chart(selector) {
    const found = document.querySelector(selector);
    if (!found) return null;
    return found.classList.contains("js-plotly-plot") ? found : found.querySelector(".js-plotly-plot");
  }

  function draw() {
    range.value = String(state.index);
    options.captions.forEach((captions, c) => {
      const i = Math.min(state.index, captions.length - 1);
      const name = options.names[c] ? `${options.names[c]}: ` : "";
      const done = i < state.index ? " (has ended)" : "";
      const place = captions.length > 1 ? `${i} of ${captions.length - 1} · ` : "";
      lines[c].textContent = `${name}${place}${captions[i]}${done}`;
      for (const selector of options.charts[c]) {
        const gd = chart(selector);
        if (gd && window.Plotly && gd._transitionData) showFrame(gd, i);
      }
    });
    window.mmcFrame = state.index;
    document.dispatchEvent(new CustomEvent(FRAME_EVENT, { detail: state.index }));
  }

  function show(index) {
    state.index = Math.max(0, Math.min(last, index));
    draw();
  }

  function pause() {
    clearTimeout(state.timer);
    state.timer = null;
    setIcon(play, "play", "Play");
  }

  function jump(index) {
    pause();
    show(index);
  }

  function tick() {
    if (state.index >= last) return pause();
    show(state.index + 1);
    state.timer = setTimeout(tick, 350 / Number(speed.value));
  }

  function toggle() {
    if (state.timer !== null) return pause();
    setIcon(play, "pause", "Pause");
    if (state.index >= last) show(0);
    state.timer = setTimeout(tick, 350 / Number(speed.value));
  }

  function isPresenting() {
    return document.body.classList.contains("mmc-present");
  }

  // The address says so too, so that a link opens the presentation and a reload keeps it.
  function present(on) {
    document.body.classList.toggle("mmc-present", on);
    presenting.setAttribute("aria-pressed", String(on));
    if (location.protocol.startsWith("http")) {
      const address = new URL(location.href);
      if (on) address.searchParams.set("present", "1");
      else address.searchParams.delete("present");
      if (address.href !== location.href) history.replaceState(history.state, "", address);
    }
    if (!on && document.fullscreenElement) document.exitFullscreen();
    window.dispatchEvent(new Event("resize")); // the charts take the new room
  }

  const ACTIONS = {
    ",": () => jump(state.index - 1),
    ".": () => jump(state.index + 1),
    k: toggle,
    " ": toggle,
    ArrowLeft: () => jump(state.index - 1),
    ArrowRight: () => jump(state.index + 1),
    Home: () => jump(0),
    End: () => jump(last),
    l: () => document.dispatchEvent(new CustomEvent(LIGHT_EVENT)),
    f: () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else document.documentElement.requestFullscreen().catch(() => {}); // not every browser allows it
    },
  };

  function keys(event) {
    if (event.key === "Escape" && isPresenting()) return present(false);
    const target = event.composedPath()[0];
    if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    if (target.closest && target.closest("[role=slider], [role=radiogroup], [role=listbox], [role=tablist]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === " " && /^(BUTTON|A|SUMMARY)$/.test(target.tagName)) return; // it presses the button
    const action = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
  document.addEventListener("keydown", keys);

  // Charts show their last frame when they are new, and may come after the player.
  let waiting = null;
  function awaitCharts() {
    const ready = options.charts.every(([first]) => window.Plotly && chart(first)?._transitionData);
    if (ready) draw();
    else waiting = setTimeout(awaitCharts, 100);
  }

  function stop() {
    pause();
    clearTimeout(waiting);
    document.removeEventListener("keydown", keys);
    box.remove();
  }

  root.append(box);
  root.mmcPlayer = { signature, state, speed, stop };
  if (new URLSearchParams(location.search).get("present") === "1") present(true);
  draw();
  if (options.start !== undefined) awaitCharts();
  return stop;
}

// Shows pseudo-code with the line of the current frame lit, the formula, and the numbers of the frame.
function mountStory(root, options) {
  root.mmcStory?.stop();
  const box = document.createElement("div");
  box.className = "mmc-story";

  function add(parent, tag, name, text = "") {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    parent.append(element);
    return element;
  }

  const parts = options.stories.map((story) => {
    const section = add(box, "section", "mmc-told");
    add(section, "h3", "mmc-told-title", story.title);
    const code = add(section, "ol", "mmc-code");
    const lines = story.code.map((text) => add(code, "li", "", text));
    code.hidden = lines.length === 0;
    if (story.formula) add(section, "p", "mmc-formula", story.formula);
    if (story.meaning) add(section, "p", "mmc-meaning", story.meaning);
    return { story, lines, numbers: add(section, "dl", "mmc-numbers"), remark: add(section, "p", "mmc-remark") };
  });

  function show(index) {
    for (const { story, lines, numbers, remark } of parts) {
      const i = Math.min(index, story.lit.length - 1);
      lines.forEach((line, at) => {
        line.classList.toggle("mmc-lit", at === story.lit[i]);
        if (at === story.lit[i]) line.setAttribute("aria-current", "step");
        else line.removeAttribute("aria-current");
      });
      numbers.replaceChildren();
      for (const [symbol, value] of story.numbers[i]) {
        const pair = add(numbers, "div", "");
        add(pair, "dt", "", symbol);
        add(pair, "dd", "", value);
      }
      remark.textContent = story.remarks[i];
    }
  }

  const follow = (event) => show(event.detail);
  const light = () => box.classList.toggle("mmc-unlit");
  document.addEventListener(FRAME_EVENT, follow);
  document.addEventListener(LIGHT_EVENT, light);

  function stop() {
    document.removeEventListener(FRAME_EVENT, follow);
    document.removeEventListener(LIGHT_EVENT, light);
    box.remove();
  }

  root.append(box);
  root.mmcStory = { stop };
  show(window.mmcFrame ?? Infinity);
  return stop;
}
