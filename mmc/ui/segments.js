// An image and its segments: stages, ways to draw them, and the segment under the pointer lit. Everything
// happens here; labels arrive deflated, two bytes for each pixel.
const WAYS = { means: "Mean colours", borders: "Borders", mask: "Mask", image: "Image" };

function mountSegments(root, data) {
  const version = JSON.stringify([data.title, data.width, data.height, data.stages]);
  let kept = root.mmcSegments;
  if (kept && root.contains(kept.box) && kept.version === version) return;
  const chosen = kept ? kept.chosen : "";
  if (kept) kept.box.remove();
  kept = root.mmcSegments = build(root, data, chosen);
  kept.version = version;
}

// Whether two segments of the result have mean colours that nobody can tell apart.
function areAlike(data) {
  const NEAR = 12;
  const means = data.stages[data.stages.length - 1].segments.map((segment) => channels(segment.mean));
  return means.some((a, i) => means.slice(0, i).some((b) => a.every((value, c) => Math.abs(value - b[c]) < NEAR)));
}

function channels(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

function build(root, data, chosen) {
  const { width, height } = data;
  const box = make("div", `mmc-segments${data.small ? " mmc-small" : ""}`);
  const way = chosen || (areAlike(data) ? "mask" : "means");
  const kept = { box, way, chosen, stage: data.stages.length - 1, lit: null, held: null };
  const labels = data.stages.map(() => null);
  const place = make("div", "mmc-picture");
  const image = make("img");
  const canvas = make("canvas");
  image.alt = "";
  image.src = data.url;
  canvas.width = width;
  canvas.height = height;
  canvas.setAttribute("role", "img");
  if (width < 320) canvas.classList.add("mmc-pixels");
  place.append(image, canvas);
  place.style.aspectRatio = `${width} / ${height}`;
  place.style.maxWidth = `calc(62vh * ${(width / height).toFixed(4)})`;
  const side = make("div", "mmc-side");
  const stages = data.stages.length > 1
    ? sets(data.steps, data.stages.map((stage, i) => [i, stage.short]), (i) => go(i))
    : [];
  stages.forEach(([i, button]) => button.setAttribute("aria-label", data.stages[i].name));
  const ways = sets("Drawn as", Object.entries(WAYS), (name) => {
    kept.way = kept.chosen = name;
    show();
  });
  const said = make("p", "mmc-said");
  said.setAttribute("aria-live", "polite");
  const list = make("div", "mmc-list");
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", `Segments: ${data.title}`);
  side.append(said, list);
  box.append(place, side);
  root.append(box);

  function sets(title, options, choose) {
    return choices(side, "mmc-set", title, `${title}: ${data.title}`, options, choose);
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint16Array(await new Response(stream).arrayBuffer());
  }

  async function go(i) {
    kept.stage = i;
    kept.lit = kept.held = null;
    name();
    if (!labels[i]) labels[i] = await unpack(data.stages[i].labels);
    if (kept.stage === i) show();
  }

  // The segments of the stage as buttons, which the keyboard reaches.
  function name() {
    const stage = data.stages[kept.stage];
    kept.buttons = new Map();
    list.replaceChildren(...stage.segments.slice(0, stage.named).map((segment) => {
      const button = make("button", "mmc-segment");
      button.type = "button";
      const swatch = make("span", "mmc-swatch");
      button.append(swatch, make("span", "", `${segment.number}: ${segment.share}`));
      button.setAttribute("aria-label", `Segment ${segment.number}, ${segment.share} of the pixels`);
      for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => light(segment.number));
      for (const event of ["mouseleave", "blur"]) button.addEventListener(event, () => light(kept.held));
      button.addEventListener("click", () => {
        kept.held = kept.held === segment.number ? null : segment.number;
        kept.lit = segment.number;
        show();
      });
      kept.buttons.set(segment.number, [button, swatch]);
      return button;
    }));
    canvas.setAttribute("aria-label", `${data.title}: ${stage.name}, ${stage.segments.length} segments`);
  }

  function light(number) {
    if (number === kept.lit) return;
    kept.lit = number;
    show();
  }

  function show() {
    const stage = data.stages[kept.stage];
    const chosen = stage.segments.find((segment) => segment.number === kept.lit);
    stages.forEach(([i, button]) => button.setAttribute("aria-pressed", String(i === kept.stage)));
    ways.forEach(([way, button]) => button.setAttribute("aria-pressed", String(way === kept.way)));
    stage.segments.forEach((segment) => {
      const [button, swatch] = kept.buttons.get(segment.number) || [];
      if (!button) return;
      swatch.style.background = kept.way === "mask" ? segment.color : segment.mean;
      button.setAttribute("aria-pressed", String(segment.number === kept.held));
      button.classList.toggle("mmc-lit", segment.number === kept.lit);
    });
    said.textContent = chosen
      ? `Segment ${chosen.number}: ${chosen.share} of the pixels, mean colour ${chosen.mean}.`
      : stage.caption;
    paint();
  }

  function paint() {
    const own = labels[kept.stage];
    if (!own) return;
    const pen = canvas.getContext("2d");
    const layer = pen.createImageData(width, height);
    const out = new Uint32Array(layer.data.buffer); // bytes are red, green, blue, alpha
    const colors = new Map();
    data.stages[kept.stage].segments.forEach((segment) => {
      const text = kept.way === "mask" ? segment.color : segment.mean;
      const [r, g, b] = channels(text);
      colors.set(segment.number, ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0);
    });
    const isFlat = kept.way === "means" || kept.way === "mask";
    for (let i = 0; i < own.length; i += 1) {
      const label = own[i];
      if (kept.lit !== null) {
        // The lit segment is the image itself, the others lie in the dark.
        out[i] = label === kept.lit ? 0 : 0xd0141414;
        if (label === kept.lit && (isEdge(own, i) || isBehind(own, i))) out[i] = 0xff00d7ff;
      } else if (isFlat) {
        out[i] = colors.get(label);
      } else if (kept.way === "borders" && isEdge(own, i)) {
        out[i] = 0xffffffff;
      } else if (kept.way === "borders" && isBehind(own, i)) {
        out[i] = 0xff000000;
      }
    }
    pen.putImageData(layer, 0, 0);
  }

  function isEdge(own, i) {
    const x = i % width;
    return (x + 1 < width && own[i] !== own[i + 1]) || (i + width < own.length && own[i] !== own[i + width]);
  }

  function isBehind(own, i) {
    return (i % width > 0 && own[i] !== own[i - 1]) || (i >= width && own[i] !== own[i - width]);
  }

  function at(event) {
    const own = labels[kept.stage];
    const frame = canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - frame.left) / frame.width) * width);
    const y = Math.floor(((event.clientY - frame.top) / frame.height) * height);
    return own && x >= 0 && y >= 0 && x < width && y < height ? own[y * width + x] : null;
  }

  for (const kind of ["pointermove", "pointerdown"]) canvas.addEventListener(kind, (event) => light(at(event)));
  canvas.addEventListener("pointerleave", () => light(kept.held));
  go(kept.stage);
  return kept;
}

export default function (component) {
  mountSegments(component.parentElement, component.data);
}
