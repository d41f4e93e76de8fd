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

  function button(text, label, action) {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    element.title = label;
    element.setAttribute("aria-label", label);
    element.addEventListener("click", action);
    bar.append(element);
    return element;
  }

  button("⏮", "To the start", () => jump(0));
  button("◀", "Step back (key ,)", () => jump(state.index - 1));
  const play = button("▶ Play", "Play or pause (key k)", toggle);
  play.classList.add("mmc-play");
  button("▶", "Step (key .)", () => jump(state.index + 1));
  button("⏭", "To the end", () => jump(last));

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
      lines[c].textContent = `${name}step ${i} of ${captions.length - 1}. ${captions[i]}${done}`;
      const gd = chart(options.charts[c]);
      if (gd && window.Plotly && gd._transitionData) {
        window.Plotly.animate(gd, [String(i)], {
          mode: "immediate",
          transition: { duration: 0 },
          frame: { duration: 0, redraw: false },
        }).catch(() => {}); // a newer frame has taken this one's place
      }
    });
  }

  function show(index) {
    state.index = Math.max(0, Math.min(last, index));
    draw();
  }

  function pause() {
    clearTimeout(state.timer);
    state.timer = null;
    play.textContent = "▶ Play";
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
    play.textContent = "⏸ Pause";
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
