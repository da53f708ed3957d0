/* The reader: two documents side by side, or one document with all of its sources.
   A passage counts in the shares unless it has a reason why it does not. */
const { reasons, choices, asked } = data.evidence;
const LISTED = 200, EXCERPT = 5000, COLOURS = 8, WEIGHTIEST = 5, HIGHEST = 160;

const documents = data.evidence.documents.map((entry, place) => ({
  ...entry, place, pairs: [], now: 0, total: entry.before.at(-1) || 1, length: entry.at.at(-1),
  get name() { return nameOf(place, entry.name); },
}));
const pairs = data.evidence.pairs.map(([left, right, ...shares], place) => (
  { place, sides: [documents[left], documents[right]], shares, passages: [] }));
const passages = data.evidence.passages.map(([pair, a, b, c, d, score, verbatim, reason, edits, copies, inner], place) => {
  const spans = [[a, b], [c, d]];
  const passage = { number: place + 1, pair: pairs[pair], spans, score, verbatim, reason, edits, copies, inner };
  pairs[pair].passages.push(passage);
  return passage;
});
for (const pair of pairs) for (const side of pair.sides) side.pairs.push(pair);
for (const pair of pairs) pair.factors = pair.sides.map((side, n) => factor(pair.shares[n], side, spansOf([pair], side)));
for (const entry of documents) {
  entry.factor = factor(entry.share, entry, spansOf(entry.pairs, entry));
  entry.parts = entry.parts.map((part) => {
    const [start, end, title, words, share] = part;
    return { title, words, within: [start, end], factor: factor(share, entry, spansOf(entry.pairs, entry, part), words) };
  });
}

/* The number of values below `limit` in a list that is sorted by them. */
function below(values, limit, valueOf = (value) => value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueOf(values[middle]) < limit) low = middle + 1; else high = middle;
  }
  return low;
}

/* The words in any of the spans, each once. Excluded words count only in spans that did not count at
   first. */
function wordsIn({ at, before, excluded }, spans) {
  let words = 0, reached = 0;
  for (const [start, end, reason] of spans.sort((a, b) => a[0] - b[0])) {
    if (end <= reached) continue;
    const last = below(at, end), first = below(at, Math.max(start, reached));
    words += before[last] - before[first] - (excluded && !reason ? excluded[last] - excluded[first] : 0);
    reached = end;
  }
  return words;
}

/* The spans of a document that count, as far as they are in a part of it. */
function spansOf(some, entry, [first, last] = [0, entry.length]) {
  return some.flatMap((pair) => counting(pair.passages).flatMap(({ inner }) => inner[sideOf(pair, entry)]))
    .map(([start, end, reason]) => [Math.max(start, first), Math.min(end, last), reason]).filter(([start, end]) => start < end);
}

function isSharing(pair) { return pair.passages.some((passage) => !passage.reason); }

function counting(some) { return some.filter((passage) => !passage.reason); }

function sideOf(pair, entry) { return pair.sides[0] === entry ? 0 : 1; }

function otherOf(pair, entry) { return pair.sides[1 - sideOf(pair, entry)]; }

function shareIn(pair, entry) { return pair.now[sideOf(pair, entry)]; }

/* An evidence file has shares, not the words and excluded spans that they come from. */
function factor(share, entry, spans, words = entry.total) {
  const counted = wordsIn(entry, spans);
  return share !== null && counted ? share * words / counted : 1;
}

function shareOf(entry, spans, scale, words = entry.total) {
  return words ? Math.min(1, scale * wordsIn(entry, spans) / words) : 0;
}

function shareOfPart(entry, part) { return shareOf(entry, spansOf(entry.pairs, entry, part.within), part.factor, part.words); }

/* The shares of pairs and of their documents as they are now. */
function recount(some) {
  for (const pair of some) pair.now = pair.sides.map((side, n) => shareOf(side, spansOf([pair], side), pair.factors[n]));
  for (const entry of new Set(some.flatMap((pair) => pair.sides))) entry.now = shareOf(entry, spansOf(entry.pairs, entry), entry.factor);
}

function frameOf(element) { return element.getBoundingClientRect(); }

function meter(share) { return bar("meter", 100 * share); }

function colour(number) { return `k${1 + (number - 1) % COLOURS}`; }

/* The text of a document in blocks, with marks. Spans, edits and disguises may overlap: the text is
   cut at every end of one, and each piece is marked by all that it is in. */
function painted(entry, spans, edits) {
  const box = make("div.text", { dir: "auto", tabindex: 0, role: "region", "aria-label": entry.name });
  if (entry.text === null) {
    box.append(make("p.nothing", "The page has no text of this document, only places:"),
      make("ul", ...spans.map((span) => make("li", tagOf(span), placeOf(span.start, span.end)))));
    return box;
  }
  const sorted = (some) => some.filter(([start, end]) => start < end).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const open = sorted(spans.map((span) => [span.start, span.end, { ...span, isNew: true }]));
  const changes = sorted(edits), { disguises } = entry, breaks = new Set(entry.blocks);
  const cuts = new Set([0, entry.text.length, ...breaks]);
  for (const [start, end] of [...open, ...changes, ...disguises]) cuts.add(start).add(end);
  const ends = [...cuts].sort((a, b) => a - b), changeAt = finder(changes), disguiseAt = finder(disguises);
  let block = make("div"), active = [], next = 0;
  ends.slice(1).forEach((end, before) => {
    const start = ends[before];
    if (breaks.has(start)) { box.append(block); block = make("div"); }
    active = active.filter((span) => span[1] > start);
    while (next < open.length && open[next][0] <= start) active.push(open[next++]);
    const disguise = disguiseAt(start), title = disguise && (disguise[2] ? `Disguised by ${disguise[2]}` : "Hidden");
    let piece = entry.text.slice(start, end);
    if (disguise) piece = make("span.disguise", { role: "note", title, "aria-label": title }, piece);
    if (!active.length) { block.append(piece); return; }
    markIn(block, active.map((span) => span[2])).append(changeAt(start) ? make("span.edit", piece) : piece);
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

/* The mark at the end of a block for a piece that is in all of these spans, with the numbers of those
   that begin here. */
function markIn(block, active) {
  const key = active.map((span) => span.passage.number).join(" ");
  if (block.lastChild?.dataset?.m === key) return block.lastChild;
  const best = active.findLast((span) => !span.passage.reason) || active.at(-1);
  const mark = make(`mark.${lookOf(best.passage, best.colour)}`, { "data-m": key });
  for (const span of active) {
    if (span.isNew && span.label) mark.append(tagOf(span));
    span.isNew = false;
  }
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

/* A strip beside a text: where in the document the passages are. */
function strip(entry, spans) {
  const scale = 1000 / Math.max(1, entry.length);
  const bars = spans.map(({ passage, colour: number, start, end }) => draw(`rect.${lookOf(passage, number)}`, {
    "data-m": passage.number, width: 14, y: start * scale, height: Math.max(3, (end - start) * scale),
  }));
  const svg = draw("svg.strip", { viewBox: "0 0 14 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...bars, draw("rect.window", { width: 14, y: 0, height: 0 }));
  svg.onclick = (event) => {
    const box = frameOf(svg), offset = entry.length * (event.clientY - box.top) / box.height;
    const distance = (span) => Math.max(span.start - offset, offset - span.end, 0);
    const [nearest] = [...spans].sort((a, b) => distance(a) - distance(b));
    if (nearest) go(nearest.passage);
  };
  return svg;
}

function showWindow({ box, where }) {
  const whole = box.scrollHeight || 1;
  set(where.lastChild, { y: 1000 * box.scrollTop / whole, height: Math.min(1000, 1000 * box.clientHeight / whole) });
}

/* What is shown: a pair or a document, with the passages to step through. */
const shown = { boxes: [], steps: [], reason: choices[0] };

/* A text with its strip. */
function column(entry, spans, edits) {
  const box = painted(entry, spans, edits), where = strip(entry, spans);
  box.addEventListener("scroll", redraw, { passive: true });
  box.addEventListener("contentvisibilityautostatechange", settle, true);
  box.onclick = clicked;
  return { box, where, marks: marksIn(box), frame: make("div.frame", box, where) };
}

function showPair(pair) {
  pair.orders ??= [0, 1].map((side) => [...pair.passages].sort((a, b) => a.spans[side][0] - b.spans[side][0]));
  Object.assign(shown, { pair, entry: null, steps: pair.orders[0], current: null });
  shown.ribbons = draw("svg.ribbons", { "aria-hidden": "true" });
  shown.boxes = pair.sides.map((entry, side) => {
    const spans = pair.passages.flatMap((passage) => spansIn(passage, side, passage.number));
    return { ...column(entry, spans, pair.passages.flatMap((passage) => editsOf(passage, side))), small: make("small") };
  });
  const sides = shown.boxes.map(({ frame, small }, side) => {
    const entry = pair.sides[side];
    return make(`div.side ${side ? "right" : "left"}`, make("h3", make("a", { href: `#d${entry.place + 1}` }, named(entry.name)), small), frame);
  });
  byId("sheet").replaceChildren(make("div.sides", sides[0], shown.ribbons, sides[1]));
  count();
}

/* Redraw what depends on places in the window, once a frame. */
function redraw() {
  if (shown.isWaiting) return;
  shown.isWaiting = true;
  requestAnimationFrame(() => {
    shown.isWaiting = false;
    shown.boxes.forEach(showWindow);
    if (shown.pair) drawRibbons(shown);
  });
}

/* What corresponds of a passage, without its gaps. */
function spansIn(passage, side, number, label = number) {
  return passage.inner[side].map(([start, end], place) => ({ start, end, passage, colour: number, label: place ? 0 : label }));
}

function editsOf({ edits }, side) {
  const spans = [];
  for (let place = 2 * side; place < edits.length; place += 4) spans.push(edits.slice(place, place + 2));
  return spans;
}

function marksIn(box) {
  const marks = new Map();
  for (const mark of box.querySelectorAll("mark")) {
    for (const number of mark.dataset.m.split(" ")) {
      const known = marks.get(+number);
      if (known) known.push(mark); else marks.set(+number, [mark]);
    }
  }
  return marks;
}

/* The passages of a column that stand in its window: their tops rise with their places. */
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
      const inside = (y) => Math.min(Math.max(y, frame.top), frame.bottom) - place.top;
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
  Object.assign(shown, { pair: null, entry, sources, current: null, steps: [...new Set(spans.map((span) => span.passage))] });
  shown.boxes = [column(entry, spans, [])];
  byId("sheet").replaceChildren(make("div.whole", shown.boxes[0].frame, make("ol.sources", { "aria-label": "Sources" })));
  count();
}

function clicked(event) {
  const mark = event.target.closest("mark");
  if (!mark || event.target.closest("a")) return;
  const numbers = mark.dataset.m.split(" "), at = numbers.indexOf(String(shown.current?.number));
  const next = numbers[(at + 1) % numbers.length];
  if (shown.entry) location.hash = `#m${next}`; else go(passages[next - 1]);
}

/* Go to a passage: on both sides at the same height. */
function go(passage) {
  shown.current = passage;
  shown.moved = performance.now();
  for (const { box, marks } of shown.boxes) {
    for (const mark of box.querySelectorAll("mark.now")) mark.classList.remove("now");
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

/* Scroll both sides until the passage stays at the same height: blocks get theirs as they come into
   view. Where a text begins or ends too near for that, it gets room above or below. */
function align(passage) {
  if (!passage || shown.current !== passage) return;
  const sides = shown.boxes.filter(({ marks }) => marks.has(passage.number)).map(({ box, marks }) => {
    const start = frameOf(box.firstChild).top, top = frameOf(marks.get(passage.number)[0]).top;
    const most = Math.max(0, frameOf(box.lastChild).bottom - start - box.clientHeight);
    return { box, place: top - start, most };
  });
  if (!sides.length) return;
  const ends = [Math.max(...sides.map(({ place, most }) => place - most)), Math.min(...sides.map(({ place }) => place))].sort((a, b) => a - b);
  const height = Math.max(ends[0], Math.min(ends[1], HIGHEST, sides[0].box.clientHeight / 4));
  for (const { box, place, most } of sides) {
    box.style.paddingBlock = `${Math.max(0, height - place)}px ${Math.max(0, place - height - most)}px`;
    box.scrollTop = Math.max(0, place - height);
  }
  if (performance.now() < shown.moved + 600) requestAnimationFrame(() => align(passage));
}

function showPlace() {
  const some = preferred(shown.steps), { current } = shown, at = some.indexOf(current);
  byId("place").textContent = at < 0 ? counted(some.length, "passage") : `${thousands(at + 1)} of ${thousands(some.length)}`;
  byId("current").replaceChildren(current ? chooser([current], "This passage") : "");
}

/* Those that count, if any does. */
function preferred(some) { return counting(some).length ? counting(some) : some; }

function step(by) {
  const { steps, current } = shown, some = new Set(preferred(steps)), at = steps.indexOf(current), has = (passage) => some.has(passage);
  const next = by > 0 ? steps.slice(at + 1).find(has) : steps.slice(0, at < 0 ? undefined : at).findLast(has);
  if (next) go(next);
}

/* What counts: shares, lists and marks, anew whenever a passage is left out or counts again. */

function leave(some, reason) {
  const focused = document.activeElement.getAttribute("aria-label");
  for (const passage of some) passage.reason = reason;
  if (reason) shown.reason = reason;
  shown.isUnsaved = true;
  document.documentElement.classList.add("changed");
  byId("save").hidden = false;
  recount([...new Set(some.map((passage) => passage.pair))]);
  count();
  follow();
  if (focused) document.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function count() {
  if (shown.pair) countPair(shown.pair); else countDocument(shown.entry);
  for (const { box, where } of shown.boxes) {
    for (const mark of [...box.querySelectorAll("mark"), ...where.querySelectorAll("[data-m]")]) {
      mark.classList.toggle("off", mark.dataset.m.split(" ").every((number) => passages[number - 1].reason));
    }
  }
  showPlace();
  redraw();
}

function countPair(pair) {
  shown.boxes.forEach(({ small }, side) => {
    small.replaceChildren(`${percent(pair.now[side])} of its words are in the other`, meter(pair.now[side]));
  });
  byId("summary").replaceChildren(...weightiest(pair), ...pair.sides.flatMap(notes));
  const own = shown.steps.filter((passage) => !passage.copies), common = shown.steps.filter((passage) => passage.copies);
  const listed = own.slice(0, shown.listsAll ? undefined : LISTED), more = own.length - listed.length;
  byId("lists").replaceChildren(
    make("ol.passages", { "aria-label": "Passages" }, ...listed.map(listedPassage)),
    more > 0 ? make("button", { type: "button", onclick: () => { shown.listsAll = true; countPair(pair); } }, `List ${counted(more, "more passage")}`) : "",
    folded(`${counted(common.length, "passage")} of text that stands in many documents`, !own.length, common.slice(0, LISTED).map(listedPassage), "passages"));
}

function folded(title, isOpen, items, kind) {
  return items.length ? make("details", { open: isOpen ? "" : null }, make("summary", title), make(`ol.${kind}`, ...items)) : "";
}

/* Why this score: the passages with most words of the document of which more is shared. */
function weightiest(pair) {
  const side = pair.now[0] < pair.now[1] ? 1 : 0, entry = pair.sides[side];
  const ranked = counting(pair.passages).map((passage) => ({ passage, words: wordsIn(entry, passage.inner[side]) })).sort((a, b) => b.words - a.words);
  const items = ranked.slice(0, WEIGHTIEST).map(({ passage, words }) => make("li", badge(passage),
    ` ${counted(words, unitOf(entry))}, ${percent(pair.factors[side] * words / entry.total)}${verbatimOf(passage)}`));
  return items.length < 2 ? [] : [make("p", "What weighs most in the share of ", named(entry.name), ":"), make("ol.weightiest", ...items)];
}

function verbatimOf({ verbatim }) { return verbatim === null ? "" : `, verbatim ${verbatim}`; }

function unitOf(entry) { return entry.text === null ? "character" : "word"; }

function listedPassage(passage) {
  const { number, copies } = passage;
  const line = make("div.line",
    badge(passage), make("span", `score ${passage.score}${verbatimOf(passage)}`),
    copies ? make("span.muted", `stands in ${thousands(copies)} documents`) : null, chooser([passage], `Passage ${number}`));
  const texts = passage.pair.sides.map((entry, side) => make("div", make("div.whose", named(entry.name)), entry.text === null
    ? make("p.muted", placeOf(...passage.spans[side])) : make("p", { dir: "auto" }, ...excerpt(entry, passage, side))));
  return make("li", { class: passage.reason ? "off" : null }, line, make("div.pair", ...texts));
}

function excerpt(entry, passage, side) {
  const [start, whole] = passage.spans[side], end = Math.min(whole, start + EXCERPT), pieces = [];
  let place = start;
  for (const [from, to] of editsOf(passage, side)) {
    if (from < place || from >= end || from === to) continue;
    pieces.push(entry.text.slice(place, from), make("span.edit", entry.text.slice(from, Math.min(to, end))));
    place = Math.min(to, end);
  }
  return [...pieces, entry.text.slice(place, end), end < whole ? " …" : ""];
}

/* Whether passages count, or why not. */
function chooser(some, label) {
  const first = some[0].reason, isMixed = some.some((passage) => passage.reason !== first);
  const known = new Set([...some.map((passage) => passage.reason).filter(Boolean), ...choices]);
  const option = (value, text, isChosen) => make("option", { value, selected: isChosen ? "" : null }, text);
  const select = make("select.leave screen", { "aria-label": `${label}: does it count?` },
    isMixed ? option("?", "some count", true) : null, option("", "counts", false),
    ...[...known].map((reason) => option(reason, `left out: ${reasons[reason] || reason}`, !isMixed && reason === first)));
  select.onchange = () => { if (select.value !== "?") leave(some, select.value); };
  return select;
}

function countDocument(entry) {
  const boilerplate = entry.boilerplate ? `; ${percent(entry.boilerplate)} stand in many documents and do not count` : "";
  byId("summary").replaceChildren(
    make("p", make("strong", named(entry.name)), ` ${counted(entry.words, "word")}, `, make("strong", percent(entry.now)), " found elsewhere", meter(entry.now), boilerplate),
    make("p.muted", { dir: "auto" }, facts(entry)), ...notes(entry), chapters(entry));
  const listed = [], others = [];
  shown.sources.forEach((pair, place) => {
    (isSharing(pair) ? listed : others).push(source(entry, pair, place + 1));
  });
  const list = byId("sheet").querySelector(".sources"), wasOpen = list.querySelector("details[open]");
  if (!shown.sources.length) listed.push(make("li.muted", "No passages were found elsewhere."));
  if (others.length) listed.push(make("li", folded(`${counted(others.length, "source")} with nothing that counts`, wasOpen, others, "folded")));
  list.replaceChildren(...listed);
  byId("lists").replaceChildren();
}

/* The metadata, which may have names. */
function facts(entry) { return naming.isHidden ? "" : entry.facts; }

/* What a reader of the document does not see. */
function notes(entry) { return entry.notes.map((note) => make("p.note", named(entry.name), ` ${note}`)); }

function source(entry, pair, number) {
  const side = sideOf(pair, entry), other = otherOf(pair, entry);
  const some = preferred(pair.passages), longest = Math.max(...some.map((passage) => wordsIn(entry, passage.inner[side])));
  return make("li",
    make("div.line",
      make("span", make(`span.badge ${colour(number)}`, { "aria-hidden": "true" }, String(number)), " ", make("a", { href: `#p${pair.place + 1}` }, named(other.name))),
      make("strong", percent(pair.now[side]))),
    make("div.muted", { dir: "auto" }, `${counted(some.length, "passage")}, the longest of ${counted(longest, unitOf(entry))}${facts(other) ? `; ${facts(other)}` : ""}`),
    chooser(pair.passages, other.name));
}

function chapters(entry) {
  if (entry.parts.length < 2 && !entry.parts[0]?.title) return "";
  const row = (tag, title, ...numbers) => make("tr", make(tag, { dir: "auto" }, title), ...numbers.map((number) => make(`${tag}.number`, ...number)));
  const rows = entry.parts.map((part) => {
    const share = shareOfPart(entry, part);
    return row("td", part.title || "(without a title)", [thousands(part.words)], [percent(share), meter(share)]);
  });
  return make("table.chapters", make("thead", row("th", "Chapter", ["Words"], ["Found elsewhere"])), make("tbody", ...rows));
}

/* The overview and the views to choose from, as what counts makes them. */
function follow() {
  const sharing = pairs.filter(isSharing), short = (entry) => entry.name.split("/").pop();
  const left = pairs.filter((pair) => !isSharing(pair) && pair.passages.some((passage) => !passage.copies));
  const own = [...new Set(sharing.flatMap((pair) => pair.sides))].filter((entry) => !asked || entry.place < asked).sort((a, b) => b.now - a.now);
  const optionOf = (kind, { place }, text) => make("option", { value: `${kind}${place + 1}` }, text);
  const pairsIn = (some) => some.map((pair) => optionOf("p", pair, `${pair.sides.map(short).join(" – ")} (${counted(preferred(pair.passages).length, "passage")})`));
  const groups = [["Two documents side by side", pairsIn(sharing)], ["One document with its sources", own.map((entry) => (
    optionOf("d", entry, `${short(entry)} (${percent(entry.now)})`)))], ["Left out", pairsIn(left)]];
  if (asked) groups.unshift(...groups.splice(1, 1));
  byId("view").replaceChildren(...groups.map(([label, options]) => (options.length ? make("optgroup", { label }, ...options) : "")));
  if (shown.pair || shown.entry) selectView();
  overview.rows = sharing.map(({ place, sides, now, passages: own }) => (
    [sides[0].place, sides[1].place, Math.min(99, Math.floor(100 * Math.max(...now) + 1e-9)), ...now, counting(own).length, `#p${place + 1}`]));
  overview.cards = (rows) => ({ passages: rows.reduce((sum, row) => sum + row[5], 0), largest: percent(Math.max(0, ...documents.map((entry) => entry.now))) });
  overview.refresh?.();
  return { first: sharing[0] ?? pairs[0], own: own[0] ?? documents[0] };
}

/* The file with what counts now. */
async function evidenceFile() {
  const packed = new Blob([Uint8Array.from(atob(data.evidence.xml), (byte) => byte.charCodeAt(0))]);
  const text = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const file = new DOMParser().parseFromString(text, "application/xml");
  const all = (tag, within = file) => [...within.querySelectorAll(tag)];
  all("pair").forEach((element, place) => {
    const [left, right] = pairs[place].now;
    set(element, { left_share: left, right_share: right });
  });
  all("passage").forEach((element, place) => {
    element.removeAttribute("excluded");
    set(element, { excluded: passages[place].reason || null });
  });
  for (const coverage of all("coverage")) {
    const entry = documents[coverage.getAttribute("document")];
    set(coverage, { share: entry.now });
    all("part", coverage).forEach((element, place) => set(element, { share: shareOfPart(entry, entry.parts[place]) }));
    for (const element of all("source", coverage)) element.remove();
    coverage.insertAdjacentHTML("afterbegin", entry.pairs.filter((pair) => shareIn(pair, entry)).map((pair) => (
      `<source document="${otherOf(pair, entry).place}" share="${shareIn(pair, entry)}"/>`)).join("\n"));
  }
  return new XMLSerializer().serializeToString(file);
}

async function save() {
  const address = URL.createObjectURL(new Blob([await evidenceFile()], { type: "application/xml" }));
  make("a", { href: address, download: "evidence.xml" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  shown.isUnsaved = false;
}

/* Which view: #m12 is a passage, #p3 a pair, #d2 a document. */

function route() {
  const [, kind, digits] = /^#([mpd])([0-9]+)$/.exec(location.hash) || [];
  const view = { m: passages, p: pairs, d: documents }[kind]?.[digits - 1];
  if (!view) return false;
  if (kind === "d") show(null, view);
  else if (kind === "p" || shown.pair !== view.pair) show(kind === "p" ? view : view.pair, null);
  byId("reader").scrollIntoView({ block: "start", behavior: "instant" });
  const passage = kind === "m" ? view : kind === "p" && preferred(shown.steps)[0];
  if (passage) go(passage);
  return true;
}

function show(pair, entry) {
  shown.listsAll = false;
  if (pair) showPair(pair); else showDocument(entry);
  selectView();
}

function selectView() { byId("view").value = shown.pair ? `p${shown.pair.place + 1}` : `d${shown.entry.place + 1}`; }

function read() { shown.boxes[0]?.box.focus({ preventScroll: true }); }

/* A choice by arrow keys may go on; one by the pointer, and Enter, lead to the text. */
byId("view").onkeydown = (event) => { if (event.key === "Enter") read(); };
byId("view").onchange = ({ target }) => {
  history.replaceState(null, "", `#${target.value}`);
  route();
  if (!target.matches(":focus-visible")) read();
};
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
byId("save").onclick = save;
byId("choose").addEventListener("submit", (event) => event.preventDefault());
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
naming.redraws.push(() => {
  const { current } = shown;
  follow();
  if (!shown.boxes.length) return;
  show(shown.pair, shown.entry);
  if (current) go(current);
});
recount(pairs);
const start = follow();
if (!route() && pairs.length) show(asked ? null : start.first, asked ? start.own : null);
data.evidenceFile = evidenceFile;
