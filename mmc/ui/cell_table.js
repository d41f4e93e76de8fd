// A table of clusterings: small pictures, or coloured fields with a picture of the one under the pointer.
// A press on a cell is sent to the server; everything else stays in the browser.
function mountCells(root, data, open) {
  const layout = JSON.stringify([data.mode, data.rows, data.columns, data.across, data.upwards]);
  let kept = root.mmcCells;
  if (!kept || kept.layout !== layout || !root.contains(kept.box)) {
    if (kept) kept.box.remove();
    kept = root.mmcCells = build(root, data, layout);
  }
  kept.open = open;
  kept.data = data;
  data.cells.forEach((row, r) => row.forEach((cell, c) => update(kept, r, c, cell)));
  if (kept.panel) show(kept, ...(kept.shown || chosen(data)));

  function build(root, data, layout) {
    const box = make("div", `mmc-cells mmc-${data.mode}`);
    const kept = { layout, box, buttons: [], written: [], pending: [], shown: null };
    const scroll = make("div", "mmc-scroll");
    const table = make("table");
    const head = make("tr");
    head.append(make("td"));
    data.columns.forEach((column) => head.append(header(column, "col")));
    const body = data.rows.map((row, r) => {
      const line = make("tr");
      line.append(header(row, "row"));
      kept.buttons.push(data.columns.map((column, c) => {
        const place = make("td");
        const button = make("button");
        button.type = "button";
        button.append(make("canvas"), make("span", "mmc-lines"));
        button.addEventListener("click", () => kept.open([r, c]));
        for (const event of ["mouseenter", "focus"]) {
          button.addEventListener(event, () => show(kept, ...(kept.shown = [r, c])));
        }
        place.append(button);
        line.append(place);
        return button;
      }));
      kept.written.push(data.columns.map(() => ""));
      return line;
    });
    table.append(head, ...body);
    scroll.append(table);
    if (data.mode === "heat") {
      const map = make("div", "mmc-map");
      map.append(make("div", "mmc-upwards", data.upwards), scroll, make("div", "mmc-across", data.across));
      kept.panel = make("div", "mmc-panel");
      kept.panel.append(make("canvas"), make("p", "mmc-lines"));
      kept.panel.setAttribute("aria-live", "polite");
      box.append(map, kept.panel);
    } else {
      box.append(scroll);
    }
    root.append(box);
    return kept;
  }

  function header(entry, scope) {
    const cell = make("th", "", entry.title);
    cell.scope = scope;
    if (entry.help) cell.title = entry.help;
    return cell;
  }

  function update(kept, r, c, cell) {
    const written = JSON.stringify(cell);
    if (kept.written[r][c] === written) return;
    kept.written[r][c] = written;
    const button = kept.buttons[r][c];
    const [canvas, lines] = button.children;
    button.className = `mmc-${cell.status}${cell.chosen ? " mmc-chosen" : ""}`;
    button.disabled = cell.status !== "done";
    button.setAttribute("aria-label", cell.name);
    button.title = kept.panel ? "" : cell.name;
    if (kept.panel) {
      button.style.background = cell.color || "";
      button.style.color = cell.ink || "";
      lines.textContent = cell.short || "";
    } else {
      lines.textContent = cell.lines.join("\n");
      later(kept, () => draw(canvas, kept.data.pictures[kept.data.rows[r].picture], cell.labels, 112, 84, 1.8));
    }
  }

  function chosen(data) {
    const row = data.cells.findIndex((cells) => cells.some((cell) => cell.chosen));
    return row < 0 ? [0, 0] : [row, data.cells[row].findIndex((cell) => cell.chosen)];
  }

  function show(kept, r, c) {
    if (!kept.panel) return;
    const cell = kept.data.cells[r][c];
    const [canvas, lines] = kept.panel.children;
    draw(canvas, kept.data.pictures[kept.data.rows[r].picture], cell.labels, 260, 200, 3);
    lines.textContent = cell.lines.join("\n");
  }

  // Hundreds of pictures at once would hold up the page, so they are drawn a few in each frame.
  function later(kept, work) {
    kept.pending.push(work);
    if (kept.pending.length > 1) return;
    requestAnimationFrame(function next() {
      const until = performance.now() + 10;
      while (kept.pending.length && performance.now() < until) kept.pending.shift()();
      if (kept.pending.length) requestAnimationFrame(next);
    });
  }

  function draw(canvas, points, labels, width, height, radius) {
    const sharp = window.devicePixelRatio || 1;
    canvas.width = width * sharp;
    canvas.height = height * sharp;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(sharp, sharp);
    const scale = Math.min((width - 8) / points.width, (height - 8) / points.height);
    const clusters = new Map();
    points.x.forEach((x, i) => {
      const color = labels ? kept.data.colors[parseInt(labels[i], 36) % kept.data.colors.length] : "#8885";
      if (!clusters.has(color)) clusters.set(color, new Path2D());
      const across = width / 2 + (x - points.width / 2) * scale;
      const down = height / 2 - (points.y[i] - points.height / 2) * scale;
      clusters.get(color).moveTo(across + radius, down);
      clusters.get(color).arc(across, down, radius, 0, 2 * Math.PI);
    });
    clusters.forEach((path, color) => {
      pen.fillStyle = color;
      pen.fill(path);
    });
  }
}

export default function (component) {
  const root = component.parentElement;
  mountCells(root, component.data, (place) => component.setTriggerValue("opened", place));
}
