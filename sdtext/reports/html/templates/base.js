"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

const { floor, max, min } = Math, page = document.documentElement;
const byId = (id) => document.getElementById(id);
const put = (id, ...children) => byId(id).replaceChildren(...children);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/* An element such as `p.muted`. Objects among the children are its attributes and listeners
   (`onclick`), what is null or undefined is left out. */
function make(kind, ...children) { return create("1999/xhtml", kind, children); }

/* An SVG element, likewise. */
function draw(kind, ...children) { return create("2000/svg", kind, children); }

function create(namespace, kind, children) {
  const [tag, classes] = kind.split("."), element = document.createElementNS(`http://www.w3.org/${namespace}`, tag);
  for (const child of [{ class: classes }, ...children].filter((given) => given != null)) {
    if (child.constructor === Object) set(element, child); else element.append(child);
  }
  return element;
}

function set(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("on")) element[name] = value;
    else if (value == null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

/* A drawing for the eye alone, as large as there is room. */
function picture(kind, width, height, ...parts) {
  return draw(`svg.${kind}`, { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...parts);
}

function bar(kind, percentage) { return picture(kind, 100, 8, draw("rect", { width: percentage, height: 8 })); }

/* What has the same key, by that key. */
function grouped(items, keyOf) {
  const groups = {};
  for (const item of items) (groups[keyOf(item)] ??= []).push(item);
  return groups;
}

function by(valueOf) { return (a, b) => valueOf(a) - valueOf(b); }

/* A share as a percentage, rounded down: from 1 % on whole, else to a tenth. */
function percent(share) {
  const tenths = floor(1000 * share + 1e-9) / 10;
  return share && !tenths ? "under 0.1 %" : `${tenths < 1 ? tenths : floor(tenths)} %`;
}

function thousands(value) { return value.toLocaleString("en"); }

function counted(number, noun) { return `${thousands(number)} ${noun}${number === 1 ? "" : "s"}`; }

/* A name, which may break after a separator. */
function named(name) {
  return make("bdi", ...name.match(/[^-_./]*[-_./]|[^-_./]+/g).flatMap((part) => [part, make("wbr")]).slice(0, -1));
}

for (const code of all("pre > code")) {
  code.parentElement.after(make("button.screen", { onclick: () => navigator.clipboard.writeText(code.textContent) }, "Copy"));
}

/* Paper has what is folded, without ::details-content, too. */
for (const [event, some] of [["beforeprint", "details:not([open], li *, #lists *)"], ["afterprint", ".unfolded"]]) {
  addEventListener(event, () => {
    for (const details of all(some)) details.open = details.classList.toggle("unfolded");
  });
}

/* Numbers in place of names: in elements here, in what scripts draw by `redraw`. */
const naming = { isHidden: false, redraw: null };

function nameOf(place) { return naming.isHidden ? `Document ${place + 1}` : data.overview.names[place]; }

{
  const box = byId("anonymous");
  box.onchange = () => {
    naming.isHidden = box.checked;
    page.classList.toggle("anonymous", box.checked);
    for (const element of all("[data-name]")) {
      element.named ??= [...element.childNodes];
      element.replaceChildren(...(box.checked ? [nameOf(element.dataset.name - 1)] : element.named));
    }
    naming.redraw?.();
  };
  box.parentElement.hidden = false;
}

/* The interface in Chinese, by the patterns of one table; not the texts and names of documents. */
{
  const button = byId("language"), patterns = data.words.map(([text, other]) => [RegExp(`^${text}$`), other]);
  const turn = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = root; node; node = walker.nextNode()) {
      const text = node.data?.trim(), known = text && patterns.find(([pattern]) => pattern.test(text));
      if (known && !node.parentElement?.closest("[dir=auto], bdi, code, script, style")) node.data = node.data.replace(text, () => text.replace(...known));
    }
  };
  button.onclick = () => {
    if (page.lang === "zh") { location.reload(); return; }
    page.lang = "zh";
    button.textContent = "English";
    turn(document.body);
    new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(turn))).observe(document.body, { childList: true, subtree: true });
  };
  button.hidden = false;
}
