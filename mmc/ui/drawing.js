// A canvas on which points are drawn with mouse, finger or keyboard. Everything happens here; when a stroke has
// ended, the points are sent to the server as text, four characters for each (mmc/datasets/drawn.py).
const PLACES = 1024;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function packPoints(points) {
  return points.map(([x, y, group]) => {
    const number = (x << 14) | (y << 4) | group;
    return [18, 12, 6, 0].map((shift) => ALPHABET[(number >> shift) & 63]).join("");
  }).join("");
}

function unpackPoints(text) {
  const points = [];
  for (let i = 0; i + 4 <= text.length; i += 4) {
    let number = 0;
    for (const letter of text.slice(i, i + 4)) number = number * 64 + ALPHABET.indexOf(letter);
    points.push([number >> 14, (number >> 4) & 1023, number & 15]);
  }
  return points;
}

function mountDrawing(root, data, send) {
  let kept = root.mmcDrawing;
  if (!kept || !root.contains(kept.box)) kept = root.mmcDrawing = build(root, data);
  kept.send = send;
  if (kept.number !== data.number) kept.take(data);
  kept.paint();
}

function build(root, data) {
  const MARGIN = 10; // pixels between the border and the outermost places
  const RADIUS = { point: 5, erase: 14, grab: 18, spray: 30 };
  const SPACING = 13; // pixels between the points of a brush
  const SPRAY = { every: 60, points: 2 }; // milliseconds, and points at once
  const JITTER = 14; // places
  const MOST_UNDO = 200;
  const TOOLS = { brush: "Brush", spray: "Spray", erase: "Erase", move: "Move" };
  const GROUPS = ["No group", "Group 1", "Group 2", "Group 3", "Group 4"];
  const kept = { number: null, points: [], tool: "brush", group: 1, cross: [512, 512], held: null };
  let past = [], future = [], before = null, timer = null, spraying = null, last = null;

  const box = make("div", "mmc-draw");
  const canvas = make("canvas");
  const said = make("p", "mmc-draw-said");
  const keys = make("p", "mmc-draw-keys", "Keys, when the canvas has the focus: arrows move the cross "
    + "(with Shift further), Space or Enter uses the tool, Delete erases, 0 to 4 choose the group, "
    + "Ctrl+Z undoes.");
  keys.id = "mmc-draw-keys";
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", "Drawing area");
  canvas.setAttribute("aria-describedby", keys.id);
  said.setAttribute("aria-live", "polite");
  const tools = make("div", "mmc-draw-tools");
  const toolButtons = choices(tools, "mmc-draw-set", "Tool", "Tool", Object.entries(TOOLS), (tool) => choose({ tool }));
  const groupButtons = choices(tools, "mmc-draw-set", "Group", "Group", [1, 2, 3, 4, 0].map((g) => [g, g ? String(g) : "none"]), (group) => choose({ group }));
  groupButtons.forEach(([group, button]) => {
    button.setAttribute("aria-label", GROUPS[group]);
    button.prepend(symbol(group));
  });
  const actions = make("div", "mmc-draw-set");
  const jitterButton = action("Jitter", () => changed(jittered, "Every point was shaken."));
  const undoButton = action("Undo", undo);
  const redoButton = action("Redo", redo);
  const clearButton = action("Clear", () => changed(() => (kept.points = []), "The canvas is empty."));
  tools.append(actions);
  const side = make("div", "mmc-draw-side");
  side.append(tools, said, keys);
  box.append(canvas, side);
  root.append(box);

  function action(text, act) {
    const button = make("button", "", text);
    button.type = "button";
    button.addEventListener("click", act);
    actions.append(button);
    return button;
  }

  function symbol(group) {
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", "-8 -8 16 16");
    picture.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", outline(group, 6));
    path.setAttribute("fill", data.colors[group]);
    picture.append(path);
    return picture;
  }

  // Circle, square, diamond and triangle, as in the pictures of a run.
  function outline(group, r) {
    if (group === 2) return `M${-r * 0.9} ${-r * 0.9}H${r * 0.9}V${r * 0.9}H${-r * 0.9}Z`;
    if (group === 3) return `M0 ${-r * 1.25}L${r * 1.25} 0L0 ${r * 1.25}L${-r * 1.25} 0Z`;
    if (group === 4) return `M0 ${-r * 1.2}L${r * 1.2} ${r * 0.9}H${-r * 1.2}Z`;
    return `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`;
  }

  function say(text) {
    const n = kept.points.length;
    said.textContent = `${text} ${n.toLocaleString("en")} point${n === 1 ? "" : "s"}.`.trim();
  }

  function choose(what) {
    drop();
    Object.assign(kept, what);
    show();
    say(what.tool ? `${TOOLS[what.tool]}.` : `${GROUPS[kept.group]}.`);
  }

  function show() {
    toolButtons.forEach(([tool, button]) => button.setAttribute("aria-pressed", String(tool === kept.tool)));
    groupButtons.forEach(([group, button]) => button.setAttribute("aria-pressed", String(group === kept.group)));
    undoButton.disabled = !past.length;
    redoButton.disabled = !future.length;
    jitterButton.disabled = clearButton.disabled = !kept.points.length;
    paint();
  }

  // What one undo takes back: a stroke, or a key.
  function begin() {
    before = kept.points.map((point) => [...point]);
  }

  function end(text) {
    if (before === null) return;
    const isSame = packPoints(before) === packPoints(kept.points);
    if (!isSame) {
      past.push(before);
      if (past.length > MOST_UNDO) past.shift();
      future = [];
      later();
    }
    before = null;
    show();
    say(text);
  }

  function changed(act, text) {
    drop();
    begin();
    act();
    end(text);
  }

  function step(from, to, text) {
    drop();
    if (!from.length) return;
    to.push(kept.points);
    kept.points = from.pop();
    later();
    show();
    say(text);
  }

  function undo() {
    step(past, future, "Undone.");
  }

  function redo() {
    step(future, past, "Done again.");
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => kept.send(packPoints(kept.points)), 300);
  }

  function place(value) {
    return Math.min(PLACES - 1, Math.max(0, Math.round(value)));
  }

  function size() {
    return [canvas.clientWidth - 2 * MARGIN, canvas.clientHeight - 2 * MARGIN];
  }

  function toPixels([x, y]) {
    const [width, height] = size();
    return [MARGIN + (x / (PLACES - 1)) * width, MARGIN + (1 - y / (PLACES - 1)) * height];
  }

  function toPlaces([left, top]) {
    const [width, height] = size();
    return [
      place(((left - MARGIN) / width) * (PLACES - 1)), place((1 - (top - MARGIN) / height) * (PLACES - 1)),
    ];
  }

  function add(at) {
    if (kept.points.length >= data.most) return false;
    kept.points.push([...toPlaces(at), kept.group]);
    return true;
  }

  function distance(point, at) {
    const [left, top] = toPixels(point);
    return Math.hypot(left - at[0], top - at[1]);
  }

  function erase(at) {
    kept.points = kept.points.filter((point) => distance(point, at) > RADIUS.erase);
  }

  function nearest(at) {
    let best = null, least = RADIUS.grab;
    kept.points.forEach((point) => {
      const d = distance(point, at);
      if (d <= least) [best, least] = [point, d];
    });
    return best;
  }

  function gaussian() {
    return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  }

  function jittered() {
    kept.points = kept.points.map(([x, y, group]) => [
      place(x + (JITTER / 1.5) * gaussian()), place(y + JITTER * gaussian()), group,
    ]);
  }

  function spray(at, n = SPRAY.points) {
    for (let i = 0; i < n; i++) {
      const [far, turn] = [RADIUS.spray * Math.sqrt(Math.random()), 2 * Math.PI * Math.random()];
      add([at[0] + far * Math.cos(turn), at[1] + far * Math.sin(turn)]);
    }
    paint();
  }

  function full() {
    return kept.points.length >= data.most ? `That is the most, ${data.most.toLocaleString("en")}:` : "";
  }

  function where(event) {
    const area = canvas.getBoundingClientRect();
    return [event.clientX - area.left, event.clientY - area.top];
  }

  // Without this a quick stroke is a fling as well, and the tap on a button that follows only ends the fling.
  canvas.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    canvas.focus({ preventScroll: true });
    try {
      canvas.setPointerCapture(event.pointerId);
    } catch {
      // a pointer that has left already, or one made by a program
    }
    drop();
    begin();
    last = where(event);
    kept.cross = toPlaces(last);
    if (kept.tool === "brush") add(last);
    if (kept.tool === "erase") erase(last);
    if (kept.tool === "move") kept.held = nearest(last);
    if (kept.tool === "spray") {
      spray(last);
      spraying = setInterval(() => spray(last), SPRAY.every);
    }
    paint();
  });

  canvas.addEventListener("pointermove", (event) => {
    if (before === null || last === null || !event.isPrimary) return;
    const at = where(event);
    kept.cross = toPlaces(at);
    if (kept.tool === "brush") {
      let left = Math.hypot(at[0] - last[0], at[1] - last[1]);
      while (left >= SPACING) { // also where a quick hand has left a gap
        const share = SPACING / left;
        last = [last[0] + share * (at[0] - last[0]), last[1] + share * (at[1] - last[1])];
        add(last);
        left -= SPACING;
      }
    } else {
      last = at;
      if (kept.tool === "erase") erase(at);
      if (kept.tool === "move" && kept.held) [kept.held[0], kept.held[1]] = toPlaces(at);
    }
    paint();
  });

  function lift() {
    if (last === null) return;
    clearInterval(spraying);
    const words = { brush: "Drawn.", spray: "Sprayed.", erase: "Erased." };
    const text = kept.tool === "move" ? (kept.held ? "Moved." : "No point is there to move.") : words[kept.tool];
    last = kept.held = null;
    end(`${text} ${full()}`.trim());
  }

  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(kind, lift);

  // A point that the keyboard has picked up is put down.
  function drop() {
    if (last !== null) lift();
    if (!kept.held) return;
    kept.held = null;
    end("Put down.");
  }

  function useTool() {
    const at = toPixels(kept.cross);
    const here = `at ${kept.cross[0]} across, ${kept.cross[1]} up.`;
    if (kept.tool === "move") {
      if (kept.held) return drop();
      const point = nearest(at);
      if (!point) return say(`No point is near the cross ${here}`);
      begin();
      kept.held = point;
      kept.cross = [point[0], point[1]];
      paint();
      return say("Picked up: arrows move it, Space puts it down.");
    }
    begin();
    if (kept.tool === "brush") add(at);
    if (kept.tool === "spray") spray(at, 5);
    if (kept.tool === "erase") erase(at);
    const words = { brush: `Point of ${GROUPS[kept.group].toLowerCase()}`, spray: "Sprayed", erase: "Erased" };
    end(`${words[kept.tool]} ${here} ${full()}`.trim());
  }

  function go(right, up, event) {
    const far = event.shiftKey ? 96 : 16;
    kept.cross = [place(kept.cross[0] + right * Math.round(far / 1.5)), place(kept.cross[1] + up * far)];
    if (kept.held) [kept.held[0], kept.held[1]] = kept.cross;
    paint();
    const near = nearest(toPixels(kept.cross));
    say(`${kept.cross[0]} across, ${kept.cross[1]} up${near ? ", at a point" : ""}.`);
  }

  const KEYS = {
    ArrowLeft: (event) => go(-1, 0, event),
    ArrowRight: (event) => go(1, 0, event),
    ArrowUp: (event) => go(0, 1, event),
    ArrowDown: (event) => go(0, -1, event),
    " ": useTool,
    Enter: useTool,
    Delete: () => changed(() => erase(toPixels(kept.cross)), "Erased."),
    Backspace: () => changed(() => erase(toPixels(kept.cross)), "Erased."),
  };

  canvas.addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey;
    let act = KEYS[event.key];
    if (control) {
      const letter = event.key.toLowerCase();
      act = letter === "z" ? (event.shiftKey ? redo : undo) : letter === "y" ? redo : null;
    } else if (/^[0-4]$/.test(event.key)) {
      act = () => choose({ group: Number(event.key) });
    } else if (event.key === "Escape" && kept.held) {
      act = drop;
    }
    if (!act || event.altKey) return;
    event.preventDefault(); // so that the player, which has keys of its own, leaves it alone
    event.stopPropagation();
    act(event);
  });
  for (const kind of ["focus", "blur"]) canvas.addEventListener(kind, () => paint());

  function paint() {
    const sharp = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    if (canvas.width !== Math.round(width * sharp)) canvas.width = Math.round(width * sharp);
    if (canvas.height !== Math.round(height * sharp)) canvas.height = Math.round(height * sharp);
    const pen = canvas.getContext("2d");
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    const shapes = data.colors.map((_, group) => new Path2D(outline(group, Math.min(RADIUS.point, width / 100))));
    pen.lineWidth = 0.7;
    pen.strokeStyle = "#ffffff";
    for (const point of kept.points) {
      const [left, top] = toPixels(point);
      pen.translate(left, top);
      pen.fillStyle = data.colors[point[2]];
      pen.fill(shapes[point[2]]);
      pen.stroke(shapes[point[2]]);
      pen.translate(-left, -top);
    }
    pen.strokeStyle = getComputedStyle(canvas).color;
    if (kept.held) {
      pen.lineWidth = 2;
      const [left, top] = toPixels(kept.held);
      pen.beginPath();
      pen.arc(left, top, 11, 0, 2 * Math.PI);
      pen.stroke();
    }
    if (canvas.matches(":focus-visible")) {
      const [left, top] = toPixels(kept.cross);
      pen.lineWidth = 1.5;
      pen.beginPath();
      for (const [a, b] of [[-16, -5], [5, 16]]) {
        pen.moveTo(left + a, top);
        pen.lineTo(left + b, top);
        pen.moveTo(left, top + a);
        pen.lineTo(left, top + b);
      }
      pen.stroke();
    }
  }

  new ResizeObserver(() => paint()).observe(canvas);

  // Points from elsewhere: a link, a file, Back, a toy set. What was here can be had again by undo.
  function take(given) {
    const isFirst = kept.number === null;
    kept.number = given.number;
    clearTimeout(timer);
    kept.held = last = before = null;
    clearInterval(spraying);
    if (!isFirst) past.push(kept.points);
    future = [];
    kept.points = unpackPoints(given.points);
    show();
    say(isFirst ? "" : "Other points.");
  }

  return Object.assign(kept, { box, paint, take });
}

export default function (component) {
  mountDrawing(component.parentElement, component.data, (text) => component.setTriggerValue("drawn", text));
}
