"use strict";
/* What the page is about, for the scripts that follow. */
const data = JSON.parse(document.getElementById("data").textContent);

/* On paper all lists are open. */
{
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const list of closed) list.open = true;
  });
  addEventListener("afterprint", () => { for (const list of closed) list.open = false; });
}

/* A share as a whole percentage, rounded down. */
function percent(share) {
  const whole = Math.floor(100 * share + 1e-9);
  return share && !whole ? "under 1 %" : `${whole} %`;
}

/* An SVG element with these attributes. */
function draw(tag, settings, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/* A bar of so many per cent. */
function bar(kind, percentage) {
  const settings = { class: kind, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" };
  return draw("svg", settings, draw("rect", { width: percentage, height: 8 }));
}
