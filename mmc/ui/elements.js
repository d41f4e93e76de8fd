// Elements of the page, for scripts that build their own controls; it stands before each of them.
function make(tag, name = "", text = "") {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

// A labelled set of buttons, one for each value; returns pairs of a value and its button.
function choices(place, name, title, label, options, choose) {
  const set = make("div", name);
  set.setAttribute("role", "group");
  set.setAttribute("aria-label", label);
  const heading = make("span", "", title);
  heading.setAttribute("aria-hidden", "true");
  set.append(heading);
  place.append(set);
  return options.map(([value, text]) => {
    const button = make("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => choose(value));
    set.append(button);
    return [value, button];
  });
}

