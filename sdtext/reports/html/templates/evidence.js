/* The reader: two documents side by side, or one with its sources. A passage counts unless it has a
   reason why it does not. */
const { reasons, choices, asked } = data.evidence;
const LISTED = 200, COLOURS = 8, WEIGHTIEST = 5, HIGHEST = 160;

const documents = data.evidence.documents.map((entry, place) => ({
  ...entry, place, id: `d${place + 1}`, pairs: [], now: 0, total: entry.before.at(-1) || 1, start: 0, end: entry.at.at(-1),
  get name() { return nameOf(place, entry.name); },
  get passages() { return this.pairs.flatMap((pair) => pair.passages); },
}));
const pairs = data.evidence.pairs.map(([left, right, ...shares], place) => (
  { id: `p${place + 1}`, sides: [documents[left], documents[right]], shares, passages: [] }));
const passages = data.evidence.passages.map(([pair, spans, about, reason, edits, copies, inner, kind], place) => {
  const passage = { number: place + 1, pair: pairs[pair], spans, about, reason, first: reason, edits, copies, inner, kind };
  pairs[pair].passages.push(passage);
  return passage;
});
for (const pair of pairs) for (const side of pair.sides) side.pairs.push(pair);
/* The number of values below `limit` in a sorted list. */
function below(values, limit, valueOf = (value) => value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueOf(values[middle]) < limit) low = middle + 1; else high = middle;
  }
  return low;
}

/* The words of passages in a document, or in a part of it, each once. */
function wordsIn(entry, some, { start: from, end: to } = entry) {
  let words = 0, reached = from;
  for (const [start, end] of spansOf(some, entry).sort((a, b) => a[0] - b[0])) {
    if (end <= reached || start >= to) continue;
    words += entry.net[below(entry.at, min(end, to))] - entry.net[below(entry.at, max(start, reached))];
    reached = end;
  }
  return words;
}

/* What corresponds of passages in a document. */
function spansOf(some, entry) { return some.flatMap(({ pair, inner }) => inner[sideOf(pair, entry)]); }

/* The words before each boundary without excluded ones: these count only in passages that were left
   out at first. */
function exclude(entry) {
  const { at, before, excluded } = entry, again = spansOf(counting(entry.passages).filter(({ first }) => first), entry);
  let out = 0;
  entry.isOut = at.map((start, n) => excluded?.[n + 1] > excluded?.[n] && !again.some(([first, end]) => first <= start && start < end));
  entry.net = before.map((words, n) => {
    const net = words - out;
    if (entry.isOut[n]) out += before[n + 1] - words;
    return net;
  });
}

function counting(some) { return some.filter((passage) => !passage.reason); }

function sideOf(pair, entry) { return pair.sides.indexOf(entry); }

function otherOf(pair, entry) { return pair.sides[1 - sideOf(pair, entry)]; }

function shareIn(pair, entry) { return pair.now[sideOf(pair, entry)]; }

/* The share of a document, or of a part of it, in passages that count; as given where the numbers of
   words are not known. */
function shareOf(entry, some, part = entry, given = part.share) {
  return entry.exact ? wordsIn(entry, counting(some), part) / part.words || 0 : given;
}

/* The shares of pairs and of their documents as they are now. */
function recount(some) {
  const entries = new Set(some.flatMap((pair) => pair.sides));
  entries.forEach(exclude);
  for (const pair of new Set([...entries].flatMap((entry) => entry.pairs))) {
    pair.now = pair.sides.map((side, n) => shareOf(side, pair.passages, side, pair.shares[n]));
  }
  for (const entry of entries) entry.now = shareOf(entry, entry.passages);
}

function frameOf(element) { return element.getBoundingClientRect(); }

function meter(share) { return bar("meter", 100 * share); }

function colour(number) { return `k${1 + (number - 1) % COLOURS}`; }

/* The text of a document in blocks. Spans of all kinds may overlap: the text is cut at every end of
   one, and each piece is marked by all that it is in. */
function painted(entry, spans, edits) {
  const box = make("div.text", { dir: "auto", tabindex: 0, role: "region", "aria-label": entry.name });
  if (entry.text === null) {
    const places = spans.map((span) => make("li", tagOf(span), placeOf(span.start, span.end)));
    box.append(make("p.nothing", "The page has no text of this document, only places:"), make("ul", ...places));
    return box;
  }
  const sorted = (some) => some.filter(([start, end]) => start < end).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const open = sorted(spans.map((span) => [span.start, span.end, span]));
  const changes = sorted(edits), { at, disguises } = entry, breaks = new Set(entry.blocks);
  const excluded = at.flatMap((start, n) => (entry.isOut[n] ? [[start, at[n + 1]]] : []));
  const cuts = new Set([0, entry.text.length, ...breaks]);
  for (const [start, end] of [...open, ...changes, ...excluded, ...disguises]) cuts.add(start).add(end);
  const ends = [...cuts].sort((a, b) => a - b), [changeAt, excludedAt, disguiseAt] = [changes, excluded, disguises].map(finder);
  let block = make("div"), active = [], next = 0;
  ends.slice(1).forEach((end, before) => {
    const start = ends[before];
    if (breaks.has(start)) { box.append(block); block = make("div"); }
    active = active.filter((span) => span[1] > start);
    while (next < open.length && open[next][0] <= start) active.push(open[next++]);
    const [, , title] = disguiseAt(start) ?? [];
    let piece = entry.text.slice(start, end);
    if (title) piece = make("span.disguise", { role: "note", title, "aria-label": title }, piece);
    if (excludedAt(start)) piece = make("span.excluded", { title: "Does not count" }, piece);
    if (!active.length) { block.append(piece); return; }
    markIn(block, active.map((span) => span[2]), start).append(changeAt(start) ? make("span.edit", piece) : piece);
  });
  box.append(block);
  return box;
}

/* Finds the span that a place is in, for places that rise. */
function finder(spans) {
  let next = 0;
  return (place) => {
    while (next < spans.length && spans[next][1] <= place) next += 1;
    return next < spans.length && spans[next][0] <= place ? spans[next] : null;
  };
}

/* The mark at the end of a block for a piece in these spans, with the numbers of those that begin. */
function markIn(block, active, start) {
  const key = active.map((span) => span.passage.number).join(" ");
  if (block.lastChild?.dataset?.m === key) return block.lastChild;
  const best = active.findLast((span) => !span.passage.reason) || active.at(-1);
  const mark = make(`mark.${lookOf(best.passage, best.colour)}`, { "data-m": key });
  mark.append(...active.filter((span) => span.start === start && span.label).map(tagOf));
  block.append(mark);
  return mark;
}

function lookOf(passage, number = passage.number) { return `${colour(number)}${passage.reason ? " off" : ""}`; }

function tagOf(span) { return linkTo(span.passage, `tag ${colour(span.colour)}`, { "data-n": span.label }); }

function badge(passage) { return linkTo(passage, `badge ${lookOf(passage)}`, thousands(passage.number)); }

function linkTo({ number }, kind, child) {
  return make(`a.${kind}`, { href: `#m${number}`, "aria-label": `Passage ${number}` }, child);
}

function placeOf(start, end) { return `characters ${thousands(start)} to ${thousands(end)}`; }

/* Where in the document the passages are. */
function strip(entry, spans) {
  const scale = 1000 / max(1, entry.end);
  const bars = spans.map(({ passage, colour: number, start, end }) => draw(`rect.${lookOf(passage, number)}`, {
    "data-m": passage.number, width: 14, y: start * scale, height: max(3, (end - start) * scale), onclick: () => go(passage),
  }));
  return draw("svg.strip", { viewBox: "0 0 14 1000", preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars);
}

const shown = { boxes: [], steps: [], reason: choices[0] };

function column(entry, spans, edits) {
  const box = painted(entry, spans, edits), where = strip(entry, spans);
  box.addEventListener("scroll", redraw, { passive: true });
  box.addEventListener("contentvisibilityautostatechange", settle, true);
  box.onclick = clicked;
  return { box, where, marks: marksIn(box), frame: make("div.frame", box, where) };
}

function showPair(pair) {
  const { sides, passages: some } = pair, ribbons = draw("svg.ribbons", { "aria-hidden": "true" });
  pair.orders ??= [some, [...some].sort((a, b) => a.spans[1][0] - b.spans[1][0])];
  const boxes = sides.map((entry, side) => (
    column(entry, some.flatMap((passage) => spansIn(passage, side, passage.number)), some.flatMap(({ edits }) => edits[side]))));
  const [left, right] = sides.map((entry, side) => make(`div.side ${side ? "right" : "left"}`,
    make("h3", make("a", { href: `#${entry.id}` }, named(entry.name)), make("small")), boxes[side].frame));
  Object.assign(shown, { pair, entry: null, steps: some, ribbons, boxes });
  byId("sheet").replaceChildren(make("div.sides", left, ribbons, right));
}

/* Once a frame. */
function redraw() {
  if (shown.isWaiting) return;
  shown.isWaiting = true;
  requestAnimationFrame(() => {
    shown.isWaiting = false;
    if (shown.pair) drawRibbons(shown);
  });
}

function spansIn(passage, side, number, label = number) {
  return passage.inner[side].map(([start, end], place) => ({ start, end, passage, colour: number, label: place ? 0 : label }));
}

function marksIn(box) {
  const marks = new Map();
  for (const mark of all("mark", box)) {
    for (const number of mark.dataset.m.split(" ")) {
      const known = marks.get(+number);
      if (known) known.push(mark); else marks.set(+number, [mark]);
    }
  }
  return marks;
}

/* The passages of a column in its window: their tops rise with their places. */
function visible({ box, marks }, order) {
  const frame = frameOf(box), edge = (name, at) => ({ number }) => (marks.has(number) ? frameOf(marks.get(number).at(at))[name] : -1e9);
  return order.slice(below(order, frame.top, edge("bottom", -1)), below(order, frame.bottom, edge("top", 0)));
}

function drawRibbons({ ribbons, boxes, pair }) {
  const place = frameOf(ribbons);
  const some = new Set(boxes.flatMap((column, side) => visible(column, pair.orders[side])));
  set(ribbons, { viewBox: `0 0 2 ${place.height || 1}`, preserveAspectRatio: "none" });
  ribbons.replaceChildren(...[...some].filter(({ number }) => boxes.every(({ marks }) => marks.has(number))).map((passage) => {
    const [[top, bottom], [otherTop, otherBottom]] = boxes.map(({ box, marks }) => {
      const own = marks.get(passage.number), frame = frameOf(box);
      const inside = (y) => min(max(y, frame.top), frame.bottom) - place.top;
      return [inside(frameOf(own[0]).top), inside(frameOf(own.at(-1)).bottom)];
    });
    return draw(`path.${lookOf(passage)}${passage === shown.current ? " now" : ""}`, {
      d: `M0 ${top}C1 ${top} 1 ${otherTop} 2 ${otherTop}V${otherBottom}C1 ${otherBottom} 1 ${bottom} 0 ${bottom}Z`,
      onclick: () => go(passage),
    });
  }));
}

function showDocument(entry) {
  const sources = entry.pairs.filter((pair) => pair.passages.length).sort((a, b) => shareIn(b, entry) - shareIn(a, entry));
  const spans = sources.flatMap((pair, place) => (
    pair.passages.flatMap((passage) => spansIn(passage, sideOf(pair, entry), place + 1, passage.reason ? 0 : place + 1))));
  spans.sort((a, b) => a.start - b.start);
  Object.assign(shown, { pair: null, entry, sources, steps: [...new Set(spans.map((span) => span.passage))], boxes: [column(entry, spans, [])] });
  byId("sheet").replaceChildren(make("div.whole", shown.boxes[0].frame, make("ol.sources", { "aria-label": "Sources" })));
}

function clicked(event) {
  const mark = event.target.closest("mark");
  if (!mark || event.target.closest("a")) return;
  const numbers = mark.dataset.m.split(" "), next = numbers.find((number) => number > shown.current?.number) ?? numbers[0];
  if (shown.entry) location.hash = `#m${next}`; else go(passages[next - 1]);
}

/* Go to a passage: on both sides at the same height. */
function go(passage) {
  shown.current = passage;
  shown.moved = performance.now();
  for (const { box, marks } of shown.boxes) {
    for (const mark of all("mark.now", box)) mark.classList.remove("now");
    for (const mark of marks.get(passage.number) ?? []) mark.classList.add("now");
  }
  align(passage);
  history.replaceState(null, "", `#m${passage.number}`);
  showPlace();
  redraw();
}

/* Blocks have come into view with other heights. */
function settle() {
  redraw();
  if (performance.now() < shown.moved + 1500) align(shown.current);
}

/* Scroll until the passage stays at one height: blocks get theirs as they come into view. A text that
   ends too early gets room below. */
function align(passage) {
  if (!passage || shown.current !== passage) return;
  const sides = shown.boxes.filter(({ marks }) => marks.has(passage.number)).map(({ box, marks }) => {
    const start = frameOf(box.firstChild).top, most = frameOf(box.lastChild).bottom - start - box.clientHeight;
    return { box, place: frameOf(marks.get(passage.number)[0]).top - start, most: max(0, most) };
  });
  const height = min(HIGHEST, ...sides.flatMap(({ box, place }) => [place, box.clientHeight / 4]));
  for (const { box, place, most } of sides) {
    box.style.paddingBlockEnd = `${max(0, place - height - most)}px`;
    box.scrollTop = place - height;
  }
  if (performance.now() < shown.moved + 600) requestAnimationFrame(() => align(passage));
}

function showPlace() {
  const some = preferred(shown.steps), { current } = shown, at = some.indexOf(current);
  const label = shown.pair ? `Passage ${current?.number},` : `Source ${shown.sources.indexOf(current?.pair) + 1}, passage`;
  byId("place").textContent = at < 0 ? counted(some.length, "passage") : `${label} ${thousands(at + 1)} of ${thousands(some.length)}`;
  byId("current").replaceChildren(current ? chooser([current], "This passage") : "");
}

/* Those that count, if any does. */
function preferred(some) { return counting(some).length ? counting(some) : some; }

function step(by) {
  const { steps, current } = shown, some = new Set(preferred(steps)), at = steps.indexOf(current), has = (passage) => some.has(passage);
  const next = by > 0 ? steps.slice(at + 1).find(has) : steps.slice(0, at < 0 ? undefined : at).findLast(has);
  if (next) go(next); else turn(by);
}

/* Go on to the next or the previous view. */
function turn(by) {
  const [option] = byId("view").selectedOptions, other = option?.[by > 0 ? "nextElementSibling" : "previousElementSibling"];
  if (!other) return;
  open(other.value);
  go(preferred(shown.steps).at(min(0, by)));
}

function open(id) {
  history.replaceState(null, "", `#${id}`);
  route();
}

/* Leave passages out, for a reason, or count them again. */
function leave(some, reason) {
  const focused = document.activeElement.ariaLabel;
  for (const passage of some) passage.reason = reason;
  if (reason) shown.reason = reason;
  shown.isUnsaved = true;
  document.documentElement.classList.add("changed");
  byId("save").hidden = false;
  recount(some.map((passage) => passage.pair));
  follow();
  if (some.some(({ first }) => first)) again(); else count();
  if (focused) document.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function count() {
  if (shown.pair) countPair(shown.pair); else countDocument(shown.entry);
  for (const { box, where } of shown.boxes) {
    for (const mark of [...all("mark", box), ...all("[data-m]", where)]) {
      mark.classList.toggle("off", mark.dataset.m.split(" ").every((number) => passages[number - 1].reason));
    }
  }
  const groups = Object.groupBy(passages, ({ kind, reason }) => kind || reason);
  byId("reasons").replaceChildren(...Object.keys(groups).filter(Boolean).map((reason) => {
    const title = `${reasons[reason] || reason}: ${counted(groups[reason].length, "passage")}`;
    return make("label", title, chooser(groups[reason], title));
  }));
  showPlace();
  redraw();
}

function countPair(pair) {
  all(".side small").forEach((small, side) => {
    small.replaceChildren(`${percent(pair.now[side])} of its words are in the other`, meter(pair.now[side]));
  });
  byId("summary").replaceChildren(...weightiest(pair), ...pair.sides.flatMap(notes));
  const own = shown.steps.filter((passage) => !passage.copies), common = shown.steps.filter((passage) => passage.copies);
  const listed = own.slice(0, shown.most), more = own.length - listed.length;
  byId("lists").replaceChildren(
    make("ol.passages", { "aria-label": "Passages" }, ...listed.map(listedPassage)),
    more > 0 ? make("button", { type: "button", onclick: () => { shown.most = Infinity; countPair(pair); } }, `List ${counted(more, "more passage")}`) : "",
    folded(`${counted(common.length, "passage")} of text that stands in many documents`, !own.length, common.slice(0, LISTED).map(listedPassage), "passages"));
}

function folded(title, isOpen, items, kind) {
  return items.length ? make("details", { open: isOpen ? "" : null }, make("summary", title), make(`ol.${kind}`, ...items)) : "";
}

/* Why this score: the passages with most words of the document with the larger share. */
function weightiest(pair) {
  const side = pair.now[0] < pair.now[1] ? 1 : 0, entry = pair.sides[side];
  const ranked = counting(pair.passages).map((passage) => ({ passage, words: wordsIn(entry, [passage]) })).sort((a, b) => b.words - a.words);
  const items = ranked.slice(0, WEIGHTIEST).map(({ passage, words }) => make("li", badge(passage),
    ` ${counted(words, entry.unit)}, ${percent(words / entry.total)}; ${passage.about}`));
  return items.length < 2 ? [] : [make("p", "What weighs most in the share of ", named(entry.name), ":"), make("ol.weightiest", ...items)];
}

function listedPassage(passage) {
  const { number, copies } = passage;
  const line = make("div.line",
    badge(passage), make("span", passage.about), copies ? make("span.muted", `stands in ${thousands(copies)} documents`) : null, chooser([passage], `Passage ${number}`));
  const texts = shown.pair.sides.map((entry, side) => {
    const pieces = (shown.boxes[side].marks.get(number) ?? []).map((mark) => mark.cloneNode(true));
    return make("div", make("div.whose", named(entry.name)), make("p", { dir: "auto" }, ...(pieces.length ? pieces : [placeOf(...passage.spans[side])])));
  });
  return make("li", { class: passage.reason ? "off" : null }, line, make("div.pair", ...texts));
}

/* Whether passages count, or why not. */
function chooser(some, label) {
  const select = byId("chooser").content.firstElementChild.cloneNode(true), values = new Set(some.map(({ reason }) => reason));
  if (values.size > 1) select.prepend(new Option("some count", "?"));
  select.value = values.size > 1 ? "?" : some[0].reason;
  set(select, { "aria-label": `${label}: does it count?`, onchange: () => leave(some, select.value) });
  return select;
}

function countDocument(entry) {
  const boilerplate = entry.boilerplate ? `; another ${percent(entry.boilerplate)} stand in many documents and do not count` : "";
  byId("summary").replaceChildren(
    make("p", make("strong", named(entry.name)), ` ${counted(entry.words, "word")}, `, make("strong", percent(entry.now)), " found elsewhere", meter(entry.now), boilerplate),
    make("p.muted", { dir: "auto" }, facts(entry)), ...notes(entry), chapters(entry));
  const listed = [], others = [];
  shown.sources.forEach((pair, place) => {
    (counting(pair.passages).length ? listed : others).push(source(entry, pair, place + 1));
  });
  const list = byId("sheet").querySelector(".sources"), wasOpen = list.querySelector("details[open]");
  if (!shown.sources.length) listed.push(make("li.muted", "No passages were found elsewhere."));
  if (others.length) listed.push(make("li", folded(`${counted(others.length, "source")} with nothing that counts`, wasOpen, others, "folded")));
  list.replaceChildren(...listed);
  byId("lists").replaceChildren();
}

function facts(entry) { return naming.isHidden ? "" : entry.facts; }

function notes(entry) { return entry.notes.map((note) => make("p.note", named(entry.name), ` ${note}`)); }

function source(entry, pair, number) {
  const side = sideOf(pair, entry), other = otherOf(pair, entry);
  const some = preferred(pair.passages), longest = max(...some.map((passage) => wordsIn(entry, [passage])));
  return make("li",
    make("div.line",
      make("span", make(`span.badge ${colour(number)}`, { "aria-hidden": "true" }, String(number)), " ", make("a", { href: `#${pair.id}` }, named(other.name))),
      make("strong", percent(pair.now[side]))),
    make("div.muted", { dir: "auto" }, [`${counted(some.length, "passage")}, the longest of ${counted(longest, entry.unit)}`, facts(other)].filter(Boolean).join("; ")),
    chooser(pair.passages, other.name));
}

function chapters(entry) {
  const table = byId(`chapters${entry.place + 1}`)?.content.cloneNode(true) ?? "";
  if (table) all(".found", table).forEach((cell, n) => {
    const share = shareOf(entry, entry.passages, entry.parts[n]);
    cell.append(percent(share), meter(share));
  });
  return table;
}

/* The measures of similarity to choose from. */
const MEASURES = [
  ({ now }) => max(...now),
  ({ now }) => min(...now),
  ({ now }) => (now[0] + now[1]) / 2,
  (pair) => max(...counting(pair.passages).flatMap((passage) => pair.sides.map((entry) => wordsIn(entry, [passage]) / entry.total))),
];

function measured(pair) {
  return min(99, floor(100 * MEASURES[byId("measure")?.selectedIndex ?? 0](pair) + 1e-9));
}

/* The overview and the views to choose from, by what counts. */
function follow() {
  const sharing = pairs.filter((pair) => counting(pair.passages).length), short = (entry) => entry.name.split("/").pop();
  const left = pairs.filter(({ passages: own }) => !counting(own).length && own.some((passage) => !passage.copies));
  const own = [...new Set(sharing.flatMap((pair) => pair.sides))].filter((entry) => !asked || entry.place < asked).sort((a, b) => b.now - a.now);
  const pairsIn = (some) => some.map(({ id, sides, passages: own }) => (
    new Option(`${sides.map(short).join(" – ")} (${counted(preferred(own).length, "passage")})`, id)));
  const groups = [["Two documents side by side", pairsIn(sharing)], ["One document with its sources", own.map((entry) => (
    new Option(`${short(entry)} (${percent(entry.now)})`, entry.id)))], ["Left out", pairsIn(left)]];
  if (asked) groups.unshift(...groups.splice(1, 1));
  byId("view").replaceChildren(...groups.map(([label, options]) => (options.length ? make("optgroup", { label }, ...options) : "")));
  byId("view").value = (shown.pair ?? shown.entry)?.id;
  overview.rows = sharing.map((pair) => (
    [...pair.sides.map(({ place }) => place), measured(pair), ...pair.now, counting(pair.passages).length, `#${pair.id}`]));
  overview.cards = (rows) => ({ passages: rows.reduce((sum, row) => sum + row[5], 0), largest: percent(max(0, ...documents.map((entry) => entry.now))) });
  overview.refresh?.();
  return { first: sharing[0] ?? pairs[0], own: own[0] ?? documents[0] };
}

/* The file with what counts now. */
async function evidenceFile() {
  const packed = new Blob([Uint8Array.from(atob(data.evidence.xml), (byte) => byte.charCodeAt(0))]);
  const text = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const file = new DOMParser().parseFromString(text, "application/xml");
  all("document", file).forEach((element, place) => {
    const { isOut, exact } = documents[place], offsets = element.getAttribute("offsets")?.split(" ");
    if (!exact) return;
    const excluded = offsets.flatMap((start, n) => (isOut[n] ? [start, offsets[n + 1] - start] : []));
    set(element, { excluded: excluded.join(" ") || null });
  });
  all("pair", file).forEach((element, place) => {
    [element.attributes.left_share.value, element.attributes.right_share.value] = pairs[place].now;
  });
  all("passage", file).forEach((element, place) => set(element, { excluded: passages[place].reason || null }));
  for (const coverage of all("coverage", file)) {
    const entry = documents[coverage.getAttribute("document")];
    set(coverage, { share: entry.now });
    all("part", coverage).forEach((element, place) => set(element, { share: shareOf(entry, entry.passages, entry.parts[place]) }));
    for (const element of all("source", coverage)) element.remove();
    const sources = entry.pairs.map((pair) => [otherOf(pair, entry).place, shareIn(pair, entry)]).filter(([, share]) => share);
    coverage.insertAdjacentHTML("afterbegin", sources.map(([place, share]) => `<source document="${place}" share="${share}"/>`).join("\n"));
  }
  return new XMLSerializer().serializeToString(file);
}

async function save() {
  const address = URL.createObjectURL(new Blob([await evidenceFile()], { type: "application/xml" }));
  make("a", { href: address, download: "evidence.xml" }).click();
  shown.isUnsaved = false;
}

/* Which view: #m12 is a passage, #p3 a pair, #d2 a document. */
function route() {
  const [, kind, digits] = /^#([mpd])([0-9]+)$/.exec(location.hash) || [];
  const view = { m: passages, p: pairs, d: documents }[kind]?.[digits - 1];
  if (!view) return false;
  if (kind !== "m" || shown.pair !== view.pair) show(view.pair ?? view);
  byId("reader").scrollIntoView({ block: "start", behavior: "instant" });
  const passage = kind === "m" ? view : kind === "p" && preferred(shown.steps)[0];
  if (passage) go(passage);
  return true;
}

function show(view) {
  Object.assign(shown, { most: LISTED, current: null });
  if (view.sides) showPair(view); else showDocument(view);
  byId("view").value = view.id;
  count();
}

function again() {
  const { current } = shown;
  if (!shown.boxes.length) return;
  show(shown.pair ?? shown.entry);
  if (current) go(current);
}

function read() { shown.boxes[0]?.box.focus({ preventScroll: true }); }

/* A choice by arrow keys may go on; the pointer and Enter lead to the text. */
byId("view").onkeydown = (event) => { if (event.key === "Enter") read(); };
byId("view").onchange = ({ target }) => {
  open(target.value);
  if (!target.matches(":focus-visible")) read();
};
byId("measure")?.addEventListener("change", ({ target }) => {
  all(".by-measure").forEach((chart, place) => { chart.hidden = place !== target.selectedIndex; });
  follow();
});
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
byId("save").onclick = save;
addEventListener("hashchange", route);
addEventListener("resize", redraw);
addEventListener("beforeunload", (event) => { if (shown.isUnsaved) event.preventDefault(); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, [type=search], [type=number]")) return;
  const { current } = shown;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "x" && current) leave([current], current.reason ? "" : shown.reason);
  else if (choices[event.key - 1] && current) leave([current], choices[event.key - 1]);
});
naming.redraws.push(() => { follow(); again(); });
recount(pairs);
const start = follow();
if (!route() && pairs.length) show(asked ? start.own : start.first);
data.evidenceFile = evidenceFile;
