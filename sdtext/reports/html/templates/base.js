"use strict";
/* What the page is about, for the scripts that follow. */
const data = JSON.parse(document.getElementById("data").textContent);

const { floor, max, min } = Math;
const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/* An element such as `p.muted`. Objects among the children are its attributes and listeners
   (`onclick`), what is null or undefined is left out. */
function make(kind, ...children) { return fill(document.createElement(kind.split(".")[0]), kind, children); }

/* An SVG element, likewise. */
function draw(kind, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", kind.split(".")[0]), kind, children);
}

function fill(element, kind, children) {
  if (kind.includes(".")) element.setAttribute("class", kind.split(".")[1]);
  for (const child of children.filter((given) => given != null)) {
    if (child.constructor === Object) set(element, child); else element.append(child);
  }
  return element;
}

function set(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value == null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

function bar(kind, percentage) {
  return draw(`svg.${kind}`, { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { width: percentage, height: 8 }));
}

/* A share as a whole percentage, rounded down. */
function percent(share) {
  const whole = floor(100 * share + 1e-9);
  return share && !whole ? "under 1 %" : `${whole} %`;
}

function thousands(number) { return number.toLocaleString("en"); }

function counted(number, noun) { return `${thousands(number)} ${noun}${number === 1 ? "" : "s"}`; }

/* A name, which may break after a separator. */
function named(name) {
  return make("bdi", ...name.split(/(?<=[-_./])/).flatMap((part) => [part, make("wbr")]).slice(0, -1));
}

/* Numbers in place of names: elements with the number of a document are renamed here, what scripts draw
   by `redraws`. */
const naming = { isHidden: false, redraws: [] };

function nameOf(place, name) { return naming.isHidden ? `Document ${place + 1}` : name; }

{
  const box = byId("anonymous");
  box.onchange = () => {
    naming.isHidden = box.checked;
    document.documentElement.classList.toggle("anonymous", box.checked);
    for (const element of all("[data-name]")) {
      element.named ??= [...element.childNodes];
      element.replaceChildren(...(box.checked ? [nameOf(element.dataset.name - 1)] : element.named));
    }
    for (const redraw of naming.redraws) redraw();
  };
  box.parentElement.hidden = false;
}
