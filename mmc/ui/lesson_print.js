// A button that opens the browser's dialogue for printing.
export default function ({ parentElement }) {
  if (parentElement.querySelector("button")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "mmc-print";
  button.textContent = "Print";
  button.addEventListener("click", () => window.print());
  parentElement.append(button);
}
