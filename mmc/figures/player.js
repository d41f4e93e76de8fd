// Plays the frames of one or more Plotly charts. Works on the page alone: nothing is sent anywhere.
function mountPlayer(root, options) {
  const length = Math.max(...options.captions.map((c) => c.length));
  const last = length - 1;
  const signature = JSON.stringify(options);
  const previous = root.mmcPlayer;
  const kept = previous && previous.signature === signature;
  if (previous) previous.stop();

  const state = { index: kept ? previous.state.index : last, timer: null };
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

  button("first", "To the start", () => jump(0));
  button("back", "Step back (key ,)", () => jump(state.index - 1));
  const play = button("play", "Play or pause (key k)", toggle, "Play");
  play.classList.add("mmc-play");
  button("forward", "Step (key .)", () => jump(state.index + 1));
  button("last", "To the end", () => jump(last));

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
      lines[c].textContent = `${name}${i} of ${captions.length - 1} · ${captions[i]}${done}`;
      for (const selector of options.charts[c]) {
        const gd = chart(selector);
        if (gd && window.Plotly && gd._transitionData) move(gd, i);
      }
    });
  }

  function move(gd, i) {
    if ((gd.layout.selections || []).length === 0) {
      window.Plotly.animate(gd, [String(i)], {
        mode: "immediate",
        transition: { duration: 0 },
        frame: { duration: 0, redraw: false },
      }).catch(() => {}); // a newer frame has taken this one's place
      return;
    }
    // With a lasso on the chart Plotly's animate fails before it draws, so the frame is put in by hand.
    const frame = gd._transitionData._frames[i];
    frame.data.forEach((change, t) => {
      const trace = gd.data[frame.traces[t]];
      Object.assign(trace, change, { marker: { ...trace.marker, ...change.marker } });
    });
    window.Plotly.redraw(gd);
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

  function keys(event) {
    const target = event.composedPath()[0];
    if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ",") jump(state.index - 1);
    else if (event.key === ".") jump(state.index + 1);
    else if (event.key === "k") toggle();
  }
  document.addEventListener("keydown", keys);

  function stop() {
    pause();
    document.removeEventListener("keydown", keys);
    box.remove();
  }

  root.append(box);
  root.mmcPlayer = { signature, state, speed, stop };
  draw();
  return stop;
}
