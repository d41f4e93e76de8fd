// Puts a frame of an animation into a Plotly chart. Plotly's own way goes over all points of the chart, which takes
// a tenth of a second for 2,000 points, so what moves is changed in the drawing itself, and Plotly is told when the
// frame has rested for a while. What cannot be done so is left to Plotly at once.
const REST = 600; // milliseconds
const ARRAYS = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array,
  i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};
const decoded = new WeakMap(); // from arrays as they were sent to their text and its numbers

// Plotly writes a frame into the arrays of the chart as they are, so that their text may have changed since.
function numbersOf(values) {
  if (Array.isArray(values) || ArrayBuffer.isView(values)) return values;
  if (!values?.bdata) return [];
  const known = decoded.get(values);
  if (known?.text === values.bdata) return known.numbers;
  const bytes = Uint8Array.from(atob(values.bdata), (sign) => sign.charCodeAt(0));
  const numbers = new ARRAYS[values.dtype](bytes.buffer);
  decoded.set(values, { text: values.bdata, numbers });
  return numbers;
}

function showFrame(gd, i) {
  const frame = gd._transitionData._frames[i];
  clearTimeout(gd.mmcRest);
  if ((gd.layout.selections || []).length > 0) {
    // With a lasso on the chart Plotly's animate fails before it draws.
    writeFrame(gd, frame);
    window.Plotly.redraw(gd);
  } else if (!paintFrame(gd, frame)) {
    animateFrame(gd, i);
  } else {
    gd.mmcRest = setTimeout(() => gd.isConnected && animateFrame(gd, i), REST);
  }
}

function animateFrame(gd, i) {
  window.Plotly.animate(gd, [String(i)], {
    mode: "immediate",
    transition: { duration: 0 },
    frame: { duration: 0, redraw: false },
  }).catch(() => {}); // a newer frame has taken this one's place
}

// The chart gets arrays of its own, as what is written into them later must not reach the frame.
function writeFrame(gd, frame) {
  const own = (values) => (values?.bdata ? { dtype: values.dtype, bdata: values.bdata } : values);
  const copy = (part) => Object.fromEntries(Object.entries(part || {}).map(([name, value]) => [name, own(value)]));
  frame.data.forEach((change, t) => {
    const trace = gd.data[frame.traces[t]];
    Object.assign(trace, copy(change), { marker: { ...trace.marker, ...copy(change.marker) } });
  });
}

// Returns whether the drawing is now that of the frame; if not, nothing was changed.
function paintFrame(gd, frame) {
  const strokes = [];
  for (const [t, change] of frame.data.entries()) {
    const trace = gd._fullData[frame.traces[t]];
    if (!differs(gd.data[frame.traces[t]], change)) continue;
    const group = trace && gd.querySelector(`.scatterlayer .trace${trace.uid}`);
    if (!group || trace.type !== "scatter" || (trace.fill && trace.fill !== "none")) return false;
    const stroke =
      change.marker ? recolor(gd, group, trace, change)
      : trace.mode === "lines" ? redrawLine(gd, group, trace, change)
      : moveMarkers(gd, group, trace, change);
    if (!stroke) return false;
    strokes.push(stroke);
  }
  strokes.forEach((stroke) => stroke());
  if (strokes.length > 0) writeFrame(gd, frame);
  return true;
}

function differs(trace, change) {
  const pairs = [[trace.x, change.x], [trace.y, change.y], [trace.marker?.color, change.marker?.color]];
  return pairs.some(([before, after]) => {
    if (!after) return false;
    const [old, now] = [numbersOf(before), numbersOf(after)];
    return old.length !== now.length || now.some((value, j) => !Object.is(value, old[j]));
  });
}

// The looks of a cluster are read off a point that Plotly has drawn.
function recolor(gd, group, trace, change) {
  const [before, after] = [gd.data[trace.index].marker.color, change.marker.color].map(numbersOf);
  const paths = group.querySelectorAll(".points path");
  if (paths.length !== after.length || before.length !== after.length) return null;
  const looks = (gd.mmcLooks ??= new Map());
  const changed = [];
  for (let j = 0; j < after.length; j++) {
    if (before[j] !== after[j]) changed.push(j);
    if (!looks.has(before[j])) looks.set(before[j], [paths[j].style.fill, paths[j].getAttribute("d")]);
  }
  if (!changed.every((j) => looks.has(after[j]))) return null;
  return () => {
    for (const j of changed) {
      const [fill, shape] = looks.get(after[j]);
      paths[j].style.fill = fill;
      paths[j].setAttribute("d", shape);
    }
  };
}

function placesOf(gd, trace, change) {
  const axis = (reference) => gd._fullLayout[`${reference[0]}axis${reference.slice(1)}`];
  const [xs, ys] = [numbersOf(change.x), numbersOf(change.y)];
  const [across, upwards] = [axis(trace.xaxis), axis(trace.yaxis)];
  return Array.from(xs, (x, j) => [across.d2p(x), upwards.d2p(ys[j])].map((p) => Math.round(100 * p) / 100));
}

function redrawLine(gd, group, trace, change) {
  const [path, ...others] = group.querySelectorAll("path.js-line");
  if (!path) return null;
  let course = "";
  let pen = "M";
  for (const [x, y] of placesOf(gd, trace, change)) {
    if (Number.isFinite(x) && Number.isFinite(y)) {
      course += `${pen}${x},${y}`;
      pen = "L";
    } else {
      pen = "M";
    }
  }
  return () => {
    path.setAttribute("d", course || "M0,0Z");
    others.forEach((other) => other.remove());
  };
}

function moveMarkers(gd, group, trace, change) {
  const places = placesOf(gd, trace, change).filter((place) => place.every(Number.isFinite));
  const paths = [...group.querySelectorAll(".points path")];
  if (paths.length === 0 && places.length > 0) return null;
  return () => {
    places.forEach(([x, y], j) => {
      let path = paths[j];
      if (!path) {
        path = paths[0].cloneNode();
        path.__data__ = paths[0].__data__; // without it Plotly could not draw this one again
        paths[0].parentNode.append(path);
      }
      path.setAttribute("transform", `translate(${x},${y})`);
    });
    paths.slice(places.length).forEach((path) => path.remove());
  };
}
