/* The overview: cards, histogram, graph, matrix and table of the pairs from a score on. A row is
   [left, right, score, further columns…, target]. Where the rows are `live`, another script changes
   them and calls `refresh`. */
const { overview } = data, { kinds, matrix } = overview;
const table = byId("table"), form = document.querySelector("#pairs form"), slider = byId("cut");
const byName = new Intl.Collator(undefined, { numeric: true }).compare;
const state = { column: 2, direction: -1, shown: overview.step, rows: [] };
const box = document.querySelector(".matrix"), across = matrix?.columns ?? matrix?.rows;

function nameAt(place) { return nameOf(place, overview.names[place]); }

function cell(row, place) {
  const kind = kinds[place], value = row[place];
  if (kind === "document") {
    const name = named(nameAt(value)), target = row.at(-1);
    return make("td", place || !target ? name : make("a", { href: target }, name));
  }
  if (kind === "score") return make("td.number", String(value), bar("share", value + 1));
  if (kind === "share") return make("td.number", percent(value), bar("share", 100 * value));
  if (kind === "text") return make("td", { dir: "auto" }, value);
  return make("td.number", value === null ? "" : thousands(value));
}

function list() {
  const rows = state.rows.slice(0, state.shown), total = state.rows.length;
  table.tBodies[0].replaceChildren(...rows.map((row) => make("tr", ...kinds.map((_, place) => cell(row, place)))));
  byId("count").textContent = `${counted(total, "pair")}${rows.length < total ? `, ${thousands(rows.length)} shown` : ""}.`;
  byId("more").parentElement.hidden = rows.length >= total;
}

function sort() {
  const { column, direction } = state, isName = kinds[column] === "document";
  const textOf = (row) => (isName ? nameAt(row[column]) : row[column]);
  const compare = isName || kinds[column] === "text" ? (a, b) => byName(textOf(a), textOf(b)) : (a, b) => a[column] - b[column];
  state.rows.sort((a, b) => direction * compare(a, b));
  [...table.tHead.rows[0].cells].forEach((heading, place) => {
    if (place !== column) heading.removeAttribute("aria-sort");
    else heading.setAttribute("aria-sort", direction < 0 ? "descending" : "ascending");
  });
  list();
}

function filter() {
  const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const least = Number(byId("least").value), cluster = Number(byId("cluster")?.value);
  const names = overview.names.map((_, place) => nameAt(place).toLowerCase());
  const above = overview.rows.filter((row) => row[2] >= least);
  state.rows = above.filter((row) => (!cluster || overview.clusters[row[0]] === cluster)
    && words.every((word) => names[row[0]].includes(word) || names[row[1]].includes(word)));
  state.scores = new Map(overview.rows.map((row) => [row[0] * names.length + row[1], row[2]]));
  state.shown = overview.step;
  sort();
  showCut(least, above);
}

function choose(column) {
  const isNew = state.column !== column;
  state.direction = isNew ? (kinds[column] === "document" ? 1 : -1) : -state.direction;
  state.column = column;
  sort();
}

/* The charts and cards with the pairs from this score on. */
function showCut(least, above) {
  for (const [key, value] of Object.entries({ pairs: above.length, ...overview.cards?.(above) })) {
    const number = document.querySelector(`[data-card=${key}] dd`);
    if (number) number.firstChild.data = typeof value === "number" ? thousands(value) : value;
    if (number && key === "pairs") number.lastElementChild.textContent = least ? `listed from ${least}` : "";
  }
  if (slider) { slider.value = least; slider.previousElementSibling.textContent = least; }
  showBars(least);
  showLinks(least);
  if (box) showCells(least);
}

function scoreOf(left, right, given) {
  const { scores } = state, size = overview.names.length;
  return scores.get(left * size + right) ?? scores.get(right * size + left) ?? (overview.live ? 0 : given);
}

/* The bars, of which those below the cut are paler, and the line at the cut. */
function showBars(least) {
  const chart = document.querySelector(".histogram");
  if (!chart) return;
  const { left, width, floor, room, largest, logarithmic } = chart.dataset, counts = Array(20).fill(0);
  for (const row of overview.rows) counts[Math.floor(row[2] / 5)] += 1;
  chart.querySelectorAll(".bar").forEach((rect, place) => {
    rect.classList.toggle("below", 5 * place + 5 <= least);
    if (!overview.live) return;
    const share = logarithmic ? Math.log1p(counts[place]) / Math.log1p(largest) : counts[place] / largest;
    const height = counts[place] && Math.max(2, room * Math.min(1, share));
    set(rect, { height, y: floor - height });
    rect.previousElementSibling.textContent = `${counted(counts[place], "pair")} with a score from ${5 * place} to ${5 * place + 4}`;
  });
  const line = chart.querySelector(".cut");
  set(line, { class: `cut${least > 80 ? " far" : ""}`, transform: `translate(${+left + least * width / 100} 0)`, visibility: least ? "visible" : "hidden" });
  line.querySelector("text").textContent = `listed from ${least}`;
}

/* The graph: links from the cut on, and the documents that these do not connect paler. */
function showLinks(least) {
  const linked = new Set();
  for (const link of document.querySelectorAll("[data-link]")) {
    const [left, right, given] = link.dataset.link.split(" ").map(Number), score = scoreOf(left, right, given);
    const isShown = score > 0 && score >= least;
    link.classList.toggle("apart", !isShown);
    if (isShown) linked.add(left).add(right);
  }
  for (const node of document.querySelectorAll("[data-node]")) node.classList.toggle("apart", !linked.has(node.dataset.node - 1));
}

function showCells(least) {
  const { left, side } = box.dataset, squares = [...box.querySelectorAll("path")].map(() => []);
  for (const [row, column, given] of matrix.cells) {
    const score = scoreOf(matrix.rows[row], across[column], given);
    if (!score || score < least) continue;
    for (const [down, over] of matrix.symmetric ? [[row, column], [column, row]] : [[row, column]]) squares[1 + Math.floor(score * (squares.length - 1) / 100)].push(`M${+left + over * side} ${down * side}h${side}v${side}h-${side}z`);
  }
  box.querySelectorAll("path").forEach((path, level) => path.setAttribute("d", squares[level].join("")));
}

if (table) {
  [...table.tHead.rows[0].cells].forEach((heading, place) => {
    heading.replaceChildren(make("button", { type: "button", onclick: () => choose(place) }, heading.textContent));
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (slider) {
    slider.oninput = () => { byId("least").value = slider.value; filter(); };
    slider.parentElement.hidden = false;
  }
  byId("more").onclick = () => { state.shown += overview.step; list(); };
  form.hidden = false;
  naming.redraws.push(filter);
  overview.refresh = filter;
  filter();
  addEventListener("beforeprint", () => { state.shown = Math.max(state.shown, 1000); list(); });
}

/* The matrix: the pair under the pointer is named; a click filters the table by it. */
if (box) {
  const drawing = box.firstElementChild;
  box.onpointermove = box.onpointerleave = box.onclick = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    const left = matrix.rows[Math.floor(y / box.dataset.side)];
    const right = across[Math.floor((x - box.dataset.left) / box.dataset.side)];
    const isPair = left !== undefined && right !== undefined, isOne = matrix.symmetric && left === right;
    byId("cell").replaceChildren(...(!isPair ? [] : isOne ? [named(nameAt(left))]
      : [named(nameAt(left)), " × ", named(nameAt(right)), `: ${scoreOf(left, right) || "not listed"}`]));
    if (!isPair || event.type !== "click") return;
    byId("words").value = `${nameAt(left)} ${nameAt(right)}`;
    filter();
  };
}
