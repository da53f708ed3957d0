/* The table of pairs: sorted by its headings, filtered by name, score and cluster, shown in steps.
   A row is [left, right, score, further columns…, cluster, target]. */
{
  const overview = data.overview;
  const table = document.getElementById("table");
  const byName = new Intl.Collator(undefined, { numeric: true }).compare;
  const ranks = rankOfNames();
  const state = { column: 2, direction: -1, shown: overview.step, rows: overview.rows };

  /* The place of each name in alphabetical order, so that rows are sorted by numbers. */
  function rankOfNames() {
    const order = overview.names.map((_, place) => place);
    order.sort((one, other) => byName(overview.names[one], overview.names[other]));
    const places = [];
    order.forEach((name, place) => { places[name] = place; });
    return places;
  }

  function documentCell(row, place) {
    const name = document.createElement("bdi");
    name.textContent = overview.names[row[place]];
    const target = row[row.length - 1];
    if (place || !target) return [name];
    const link = document.createElement("a");
    link.href = target;
    link.append(name);
    return [link];
  }

  function cell(row, place) {
    const kind = overview.kinds[place], value = row[place];
    const element = document.createElement("td");
    if (kind === "document") element.append(...documentCell(row, place));
    else if (kind === "score") element.append(value, bar("share", value + 1));
    else if (kind === "share") element.append(percent(value), bar("share", 100 * value));
    else if (kind === "text") { element.dir = "auto"; element.textContent = value; }
    else element.textContent = value === null ? "" : value.toLocaleString("en");
    if (kind !== "document" && kind !== "text") element.className = "number";
    return element;
  }

  function draw() {
    const rows = state.rows.slice(0, state.shown).map((row) => {
      const element = document.createElement("tr");
      element.append(...overview.kinds.map((_, place) => cell(row, place)));
      return element;
    });
    table.tBodies[0].replaceChildren(...rows);
    const total = state.rows.length, shown = rows.length;
    const pairs = total === 1 ? "pair" : "pairs";
    document.getElementById("count").textContent =
      `${total.toLocaleString("en")} ${pairs}` + (shown < total ? `, ${shown.toLocaleString("en")} shown.` : ".");
    document.getElementById("more").parentElement.hidden = shown >= total;
  }

  function keyOf(row, place) {
    return overview.kinds[place] === "document" ? ranks[row[place]] : row[place];
  }

  function sort() {
    const { column, direction } = state;
    state.rows.sort((one, other) => {
      const mine = keyOf(one, column), theirs = keyOf(other, column);
      return mine < theirs ? -direction : mine > theirs ? direction : 0;
    });
    [...table.tHead.rows[0].cells].forEach((heading, place) => {
      if (place !== column) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", direction < 0 ? "descending" : "ascending");
    });
  }

  function filter() {
    const words = document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const least = Number(document.getElementById("least").value) || 0;
    const cluster = Number(document.getElementById("cluster")?.value) || 0;
    const names = overview.names.map((name) => name.toLowerCase());
    state.rows = overview.rows.filter((row) => row[2] >= least
      && (!cluster || row[row.length - 2] === cluster)
      && words.every((word) => names[row[0]].includes(word) || names[row[1]].includes(word)));
    state.shown = overview.step;
    sort();
    draw();
  }

  function choose(column) {
    const isNew = state.column !== column;
    state.direction = isNew ? (overview.kinds[column] === "document" ? 1 : -1) : -state.direction;
    state.column = column;
    sort();
    draw();
  }

  if (table) {
    [...table.tHead.rows[0].cells].forEach((heading, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      button.addEventListener("click", () => choose(place));
      heading.replaceChildren(button);
    });
    document.querySelector("form.controls").addEventListener("input", filter);
    document.querySelector("form.controls").addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("more").addEventListener("click", () => { state.shown += overview.step; draw(); });
    document.querySelector("form.controls").hidden = false;
    state.rows = [...overview.rows];
    draw();
    addEventListener("beforeprint", () => { state.shown = Math.max(state.shown, 1000); draw(); });
  }
}

/* The matrix: the pair under the pointer is named; a click filters the table by it. */
{
  const box = document.querySelector(".matrix");
  const { rows, columns, cells, symmetric } = data.overview.matrix ?? {};
  if (box) {
    const across = columns ?? rows;
    const scores = new Map();
    for (const [row, column, score] of cells) {
      scores.set(row * across.length + column, score);
      if (symmetric) scores.set(column * across.length + row, score);
    }
    const pairAt = (event) => {
      const drawing = box.firstElementChild.getBoundingClientRect();
      const unit = Number(box.dataset.width) / drawing.width;
      const column = Math.floor(((event.clientX - drawing.left) * unit - box.dataset.left) / box.dataset.side);
      const row = Math.floor((event.clientY - drawing.top) * unit / box.dataset.side);
      const isInside = column >= 0 && column < across.length && row >= 0 && row < rows.length;
      return isInside ? [row, column] : null;
    };
    const tell = (pair) => {
      const output = document.getElementById("cell");
      if (!pair) { output.textContent = ""; return; }
      const [row, column] = pair;
      const isOne = symmetric && row === column;
      const score = scores.get(row * across.length + column);
      const names = [rows[row], across[column]].map((name) => {
        const element = document.createElement("bdi");
        element.textContent = name;
        return element;
      });
      output.replaceChildren(...(isOne ? [names[0]]
        : [names[0], " × ", names[1], score === undefined ? ": not listed" : `: ${score}`]));
    };
    box.addEventListener("pointermove", (event) => tell(pairAt(event)));
    box.addEventListener("pointerleave", () => tell(null));
    box.addEventListener("click", (event) => {
      const pair = pairAt(event);
      if (!pair) return;
      tell(pair);
      const words = document.getElementById("words");
      words.value = `${rows[pair[0]]} ${across[pair[1]]}`;
      words.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}
