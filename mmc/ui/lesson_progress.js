// Keeps in the browser which steps of the lessons are done, tells the server of earlier visits once, and lets a new
// step begin at the top of the page.
export default function ({ data, setStateValue }) {
  const NAME = "mmc-lessons";

  function read() {
    try {
      const kept = JSON.parse(window.localStorage.getItem(NAME) || "{}");
      return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
    } catch {
      return {}; // private windows have no storage, and somebody may have written something else there
    }
  }

  function write(kept) {
    try {
      window.localStorage.setItem(NAME, JSON.stringify(kept));
    } catch {
      // without storage the progress lasts as long as the visit
    }
  }

  const seen = (window.mmcLessons ??= { forgot: data.forget, place: data.place, told: false });
  if (seen.forgot !== data.forget) {
    seen.forgot = data.forget;
    write({});
  }
  const kept = read();
  let isNew = false; // whether the browser knows of something that the server does not
  for (const [lesson, steps] of Object.entries(kept)) {
    for (const step of Object.keys(steps ?? {})) {
      if (!(step in (data.known[lesson] ?? {}))) isNew = true;
    }
  }
  if (isNew && !seen.told) setStateValue("stored", kept);
  seen.told = true;
  for (const [lesson, steps] of Object.entries(data.known)) kept[lesson] = { ...kept[lesson], ...steps };
  write(kept);

  if (seen.place !== data.place) {
    seen.place = data.place;
    document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
  }
}
