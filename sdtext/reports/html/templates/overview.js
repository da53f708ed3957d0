/* The overview of the pairs from a score on. A row is [left, right, score, further columns…, target].
   Where the rows are `live`, another script changes them and calls `refresh`. */
const { overview } = data, { kinds, matrix } = overview;
const table = byId("table"), controls = byId("controls");
const byName = Intl.Collator(undefined, { numeric: true }).compare;
const state = { column: 2, direction: -1, shown: overview.step, rows: [] };
const [grid] = all(".matrix");

function cell(row, place) {
  const kind = kinds[place], value = row[place];
  if (kind === "document") {
    const name = named(nameOf(value)), href = row.at(-1) || commandOf(row) && "#strongest";
    return make("td", href ? make("a", { href, onclick: () => openPair(...row) }, name) : name);
  }
  if (kind === "score") return make("td.number", value, bar("share", value + 1));
  if (kind === "share") return make("td.number", percent(value), bar("share", 100 * value));
  if (kind === "text") return make("td", { dir: "auto" }, value);
  return make("td.number", thousands(value ?? ""));
}

function list() {
  const rows = state.rows.slice(0, state.shown), total = state.rows.length;
  table.tBodies[0].replaceChildren(...rows.map((row) => make("tr", ...kinds.map((_, place) => cell(row, place)))));
  byId("count").textContent = `${counted(total, "pair")}${rows.length < total ? `, ${thousands(rows.length)} shown` : ""}.`;
  byId("more").parentElement.hidden = rows.length >= total;
}

function sort() {
  const { column, direction } = state, isName = kinds[column] === "document";
  const textOf = (row) => (isName ? nameOf(row[column]) : row[column]);
  const compare = isName || kinds[column] === "text" ? (a, b) => byName(textOf(a), textOf(b)) : by((row) => row[column]);
  state.rows.sort((a, b) => direction * compare(a, b));
  all("th", table).forEach((heading, place) => {
    set(heading, { "aria-sort": place === column ? (direction < 0 ? "descending" : "ascending") : null });
  });
  list();
}

function filter() {
  const words = byId("words").value.toLowerCase().split(/\s+/), least = Number(byId("least").value);
  const names = overview.names.map((_, place) => nameOf(place).toLowerCase());
  const above = overview.rows.filter((row) => row[2] >= least);
  state.rows = above.filter((row) => words.every((word) => names[row[0]].includes(word) || names[row[1]].includes(word)));
  state.scores = new Map(overview.rows.map(([left, right, score]) => [keyOf(left, right), score]));
  state.shown = overview.step;
  sort();
  showCut(least, above);
}

function showCut(least, above) {
  showCards(above);
  for (const note of all("[data-card=pairs] small")) note.textContent = least || !overview.live ? `listed from ${least}` : "that share text";
  showBars(least);
  showLinks(least);
  if (grid) showCells(least);
}

function showCards(above) {
  for (const [key, value] of Object.entries({ pairs: above.length, ...overview.cards?.(above) })) {
    for (const number of all(`[data-card=${key}] dd`)) number.firstChild.data = thousands(value);
  }
}

function levelOf(score) { return 1 + floor(score * 7 / 100); }

function keyOf(...places) { return `${min(...places)} ${max(...places)}`; }

function scoreOf(...places) { return state.scores.get(keyOf(...places)); }

/* Bars, paler below the cut, and its line. */
function showBars(least) {
  const [chart] = all(".histogram");
  if (!chart) return;
  const { left, width, base, room, largest, logarithmic } = chart.dataset, scale = logarithmic ? Math.log1p : Number;
  all(".bar", chart).forEach((rect, place) => {
    rect.classList.toggle("below", 5 * place + 5 <= least);
    if (!overview.live) return;
    const count = overview.rows.filter((row) => floor(row[2] / 5) === place).length;
    const height = count && max(2, room * min(1, scale(count) / scale(largest)));
    set(rect, { height, y: base - height });
    rect.previousElementSibling.textContent = `${counted(count, "pair")} with a score from ${5 * place} to ${5 * place + 4}`;
  });
  const line = chart.querySelector(".cut");
  set(line, { class: `cut${least > 60 ? " far" : ""}`, transform: `translate(${+left + least * width / 100} 0)`, visibility: least ? "visible" : "hidden" });
  line.querySelector("text").textContent = `listed from ${least}`;
}

/* The graph: links below the cut, and documents that none connects, are paler. */
function showLinks(least) {
  const linked = new Set();
  for (const link of all("[data-link]")) {
    const places = link.dataset.link.split(" ").map(Number), score = scoreOf(...places) ?? 0, isShown = score >= max(least, overview.linked);
    set(link, { class: `link h${max(2, levelOf(score))}${isShown ? "" : " apart"}`, "stroke-width": 1 + score / 30 });
    if (isShown) places.forEach((place) => linked.add(place));
  }
  for (const node of all("[data-node]")) node.classList.toggle("apart", !linked.has(node.dataset.node - 1));
}

/* The squares of the matrix from the cut on. */
function showCells(least) {
  const { left, side } = grid.dataset, paths = all("path", grid), squares = paths.map(() => []);
  const above = overview.rows.filter((row) => row[2] >= max(1, least)), mirrored = above.map(([one, other, score]) => [other, one, score]);
  for (const [row, column, score] of [...mirrored, ...above]) {
    const [y, x] = [matrix.rows.indexOf(row), matrix.columns.indexOf(column)];
    if (min(x, y) >= 0) squares[levelOf(score)].push(`M${+left + x * side} ${y * side}h${side}v${side}h-${side}z`);
  }
  paths.forEach((path, level) => path.setAttribute("d", squares[level].join("")));
}

if (table) {
  all("th", table).forEach((heading, column) => {
    const first = kinds[column] === "document" ? 1 : -1;
    heading.replaceChildren(make("button", { onclick: () => {
      Object.assign(state, { column, direction: column === state.column ? -state.direction : first });
      sort();
    } }, heading.textContent));
  });
  controls.oninput = filter;
  byId("more").onclick = () => { state.shown += overview.step; list(); };
  controls.hidden = false;
  naming.redraw = overview.refresh = filter;
  filter();
  addEventListener("beforeprint", () => { state.shown = max(state.shown, 1000); list(); });
}

/* The pairs with these words in their names, or from a score on. */
function narrow(field, value) {
  byId(field).value = value;
  filter();
  table.scrollIntoView({ block: "nearest" });
}

/* The command that shows both files of a pair. */
function commandOf([left, right]) {
  const { files } = overview;
  return files[left] && files[right] && `sdtext FindReuse ${files[left]} ${files[right]} --html pair.html`;
}

/* The passages of a pair where the page has them, else the command that shows it, or its row. */
function openPair(left, right) {
  const row = overview.rows.find((some) => keyOf(...some.slice(0, 2)) === keyOf(left, right)) ?? [], command = commandOf(row);
  if (row.at(-1)) { location.hash = row.at(-1); return; }
  if (!command) { narrow("words", `${nameOf(left)} ${nameOf(right)}`); return; }
  put("command", command);
  byId("beside").hidden = false;
  location.hash = "#strongest";
}

for (const link of all("[data-link]")) link.onclick = () => openPair(...link.dataset.link.split(" ").map(Number));
for (const node of all("[data-node]")) node.onclick = () => narrow("words", nameOf(node.dataset.node - 1));
all(".histogram .bar").forEach(({ parentElement: bin }, place) => { bin.onclick = () => narrow("least", 5 * place); });

/* The matrix: the pair under the pointer is named, a click opens it. */
if (grid) {
  const drawing = grid.firstElementChild;
  grid.onpointermove = grid.onpointerleave = grid.onclick = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    const left = matrix.rows[floor(y / grid.dataset.side)], right = matrix.columns[floor((x - grid.dataset.left) / grid.dataset.side)];
    const isPair = left >= 0 && right >= 0 && left !== right;
    put("cell", ...(isPair ? [named(nameOf(left)), " × ", named(nameOf(right)), `: ${scoreOf(left, right) ?? "not listed"}`] : []));
    if (isPair && event.type === "click") openPair(left, right);
  };
}
