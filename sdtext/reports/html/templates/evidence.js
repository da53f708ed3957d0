/* The reader: two documents side by side, or one with its sources. */
const { reasons, choices, asked } = data.evidence;
const LISTED = 200, COLOURS = 8, WEIGHTIEST = 5, HIGHEST = 160, EXCERPT = 400;

const documents = data.evidence.documents.map((entry, place) => ({
  ...entry, place, id: `d${place + 1}`, pairs: [], now: 0, total: entry.before.at(-1) || 1, start: 0, end: entry.at.at(-1) || 1,
  index: new Map(entry.at.map((boundary, n) => [boundary, n])),
  get name() { return nameOf(entry.row ?? place); },
  get passages() { return this.pairs.flatMap((pair) => pair.passages); },
}));
const pairs = data.evidence.pairs.map(([left, right, one, other, review], place) => (
  { id: `p${place + 1}`, sides: [documents[left], documents[right]], shares: [one, other], review, passages: [] }));
const passages = data.evidence.passages.map(([pair, spans, about, reason, edits, copies, inner, kind, review], place) => {
  const passage = { number: place + 1, pair: pairs[pair], spans, about, reason, first: reason, edits, copies, inner, kind, review };
  pairs[pair].passages.push(passage);
  return passage;
});
for (const pair of pairs) for (const side of pair.sides) side.pairs.push(pair);

/* The words before a boundary that stand in no excluded text. */
function before({ net, index }, boundary) { return net[index.get(boundary) ?? net.length - 1]; }

/* The words of passages in a document, or in a part of it, each once. */
function wordsIn(entry, some, { start: from, end: to } = entry) {
  let words = 0, reached = from;
  for (const [start, end] of spansOf(some, entry).sort(by(([start]) => start))) {
    if (end <= reached || start >= to) continue;
    words += before(entry, min(end, to)) - before(entry, max(start, reached));
    reached = end;
  }
  return words;
}

/* What corresponds of passages in a document. */
function spansOf(some, entry) { return some.flatMap(({ pair, inner }) => inner[sideOf(pair, entry)]); }

/* The words before each boundary. Excluded ones count only in passages that were left out at first. */
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

/* The share of a document, or of a part of it, in passages that count, or as given. */
function shareOf(entry, some, part = entry, given = part.share) {
  return entry.exact ? wordsIn(entry, counting(some), part) / part.words || 0 : given;
}

/* The shares of pairs and of their documents now. */
function recount(some) {
  const entries = new Set(some.flatMap((pair) => pair.sides));
  entries.forEach(exclude);
  for (const pair of new Set([...entries].flatMap((entry) => entry.pairs))) {
    pair.now = pair.sides.map((side, n) => shareOf(side, pair.passages, side, pair.shares[n]));
  }
  for (const entry of entries) entry.now = shareOf(entry, entry.passages);
}

function meter(share) { return bar("meter", 100 * share); }

function shade(number) { return 1 + (number - 1) % COLOURS; }

function colour(number) { return `k${shade(number)}`; }

/* A text in blocks, cut at every end of a span; each piece is marked by all that it is in. */
function painted(entry, spans, edits) {
  const box = make("div.text", { dir: "auto", tabindex: 0, role: "region", "aria-label": entry.name });
  const { text, blocks, disguises } = entry, breaks = new Set(blocks);
  if (text === null) {
    const places = spans.map((span) => make("li", tagOf(span), placeOf(span.start, span.end)));
    box.append(make("p.nothing", places[0] ? "Its text is not in the page, only places:" : "It shares no passages: its text is not in the page."), make("ul", ...places));
    return box;
  }
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const layers = [[...edits].sort(by(([start]) => start)), excludedIn(entry), disguises];
  const cuts = new Set([0, text.length, ...breaks, ...sorted.flatMap(({ start, end }) => [start, end])]);
  for (const [start, end] of layers.flat()) cuts.add(start).add(end);
  const ends = [...cuts].sort(by(Number)), [editAt, excludedAt, disguiseAt] = layers.map(finder);
  let block, active = [], next = 0;
  ends.slice(0, -1).forEach((start, place) => {
    if (!start || breaks.has(start)) box.append(block = make("div"));
    while (sorted[next]?.start <= start) active.push(sorted[next++]);
    active = active.filter((span) => span.end > start);
    const [, , title] = disguiseAt(start) ?? [];
    let piece = text.slice(start, ends[place + 1]);
    if (title) piece = make("span.disguise", { role: "note", title, "aria-label": title }, piece);
    if (excludedAt(start)) piece = make("span.excluded", { title: "Does not count" }, piece);
    const edit = active.length && editAt(start);
    if (edit) piece = make(edit[2] ? "span.moved" : "span.edit", piece);
    (active.length ? markIn(block, active, start) : block).append(piece);
  });
  return box;
}

/* The spans that do not count, by offsets. */
function excludedIn({ isOut, at }, offsets = at) { return offsets.flatMap((start, n) => (isOut[n] ? [[start, offsets[n + 1]]] : [])); }

/* Finds the span that a place is in, for places that rise. */
function finder(spans) {
  let next = 0;
  return (place) => {
    while (spans[next]?.[1] <= place) next += 1;
    return spans[next]?.[0] <= place ? spans[next] : null;
  };
}

/* The mark at the end of a block for a piece in these spans. */
function markIn(block, active, start) {
  const key = active.map((span) => span.passage.number).join(" ");
  if (block.lastChild?.dataset?.m === key) return block.lastChild;
  const mark = make("mark", { "data-m": key }, ...active.filter((span) => span.start === start && span.label).map(tagOf));
  mark.spans = [...active];
  block.append(mark);
  return mark;
}

/* The colour of the last span that counts, and lines below in those of two others. */
function dress(mark) {
  const some = mark.spans.filter(({ passage }) => !passage.reason), { passage, colour: number } = (some.length ? some : mark.spans).slice(-1)[0];
  const others = [...new Set([...some].reverse().map((span) => shade(span.colour)))].slice(1, 3), look = lookOf(passage, number);
  if (mark.className !== look) mark.className = look;
  mark.style.boxShadow = others.map((other, n) => `0 ${2 * n + 2}px var(--c${other}-line)`).join();
}

function lookOf(passage, number = passage.number) { return `${colour(number)}${passage.reason ? " off" : ""}`; }

function tagOf(span) { return linkTo(span.passage, `tag ${colour(span.colour)}`, { "data-n": span.label }); }

function badge(passage) { return linkTo(passage, `badge ${lookOf(passage)}`, thousands(passage.number)); }

function linkTo({ number }, kind, child) {
  return make(`a.${kind}`, { href: `#m${number}`, "aria-label": `Passage ${number}` }, child);
}

function placeOf(start, end) { return `characters ${thousands(start)} to ${thousands(end)}`; }

function part(passage, kind, shape, number) {
  return draw(`${kind}.${lookOf(passage, number)}`, { "data-m": passage.number, onclick: () => go(passage), ...shape });
}

const views = byId("view"), shown = { boxes: [], steps: [], reason: choices[0] };

function column(entry, spans, edits) {
  const box = painted(entry, spans, edits), marks = new Map();
  for (const mark of all("mark", box)) {
    for (const number of numbersOf(mark)) marks.set(number, [...(marks.get(number) ?? []), mark]);
  }
  box.onclick = ({ target }) => {
    const mark = target.closest("mark"), numbers = mark && !target.closest("a") ? numbersOf(mark) : [];
    const next = numbers.find((number) => number > shown.current?.number) ?? numbers[0];
    if (next && shown.pair) go(passages[next - 1]); else if (next) location.hash = `#m${next}`;
  };
  const strip = picture("strip", 14, entry.end, ...spans.map(({ passage, colour: number, start, end }) => (
    part(passage, "rect", { width: 14, y: start, height: max(entry.end / 333, end - start) }, number))));
  return { box, marks, frame: make("div.frame", box, strip) };
}

function showPair(pair) {
  const { sides, passages: steps } = pair;
  const boxes = sides.map((entry, side) => (
    column(entry, steps.flatMap((passage) => spansIn(passage, side, passage.number)), steps.flatMap(({ edits }) => edits[side]))));
  const [left, right] = sides.map((entry, side) => make(`div.side ${side ? "right" : "left"}`,
    make("h3", make("a", { href: `#${entry.id}` }, named(entry.name)), make("small")), boxes[side].frame));
  Object.assign(shown, { pair, steps, boxes });
  put("sheet", make("div.sides", left, ribbons(pair), right));
}

/* The longest passages, and what moved in them. */
function ribbons({ sides, passages: some }) {
  const moves = ({ edits: [left, right] }) => left.map((span, n) => [span, right[n]]).filter(([span]) => span[2]);
  const longest = [...some].sort(by(({ spans: [[start, end]] }) => start - end)).slice(0, LISTED);
  return picture("ribbons", 2, 1000, ...longest.flatMap((passage) => [passage.spans, ...moves(passage)].map((spans) => {
    const [[top, bottom], [start, end]] = spans.map((span, side) => span.map((place) => 1000 * place / sides[side].end));
    return part(passage, "path", { d: `M0 ${top}C1 ${top} 1 ${start} 2 ${start}V${end}C1 ${end} 1 ${bottom} 0 ${bottom}Z` });
  })));
}

function spansIn(passage, side, number, label = number) {
  return passage.inner[side].map(([start, end], place) => ({ start, end, passage, colour: number, label: place ? 0 : label }));
}

function numbersOf(mark) { return mark.spans.map(({ passage }) => passage.number); }

function showDocument(entry) {
  const sources = covering(entry, entry.pairs.filter((pair) => pair.passages.length));
  const spans = sources.flatMap((pair, place) => (
    pair.passages.flatMap((passage) => spansIn(passage, sideOf(pair, entry), place + 1, passage.reason ? 0 : place + 1))));
  spans.sort(by(({ start }) => start));
  const steps = [...new Set(spans.map((span) => span.passage))];
  Object.assign(shown, { pair: null, sources, steps, boxes: [column(entry, spans, [])] });
  put("sheet", make("div.whole", shown.boxes[0].frame, make("ol.sources", { "aria-label": "Sources" })));
}

/* Sources in the order of what each adds to those before it: a greedy set cover, with lazy counts. */
function covering(entry, sources) {
  const waiting = sources.map((pair) => ({ pair, most: shareIn(pair, entry) })).sort(by(({ most }) => -most)), chosen = [];
  while (waiting.length) {
    const [first] = waiting;
    first.most = added(entry, first.pair, chosen);
    waiting.sort(by(({ most }) => -most));
    if (waiting[0] === first) chosen.push(waiting.shift().pair);
  }
  return chosen;
}

/* The share of a document that a source adds to those before it. */
function added(entry, pair, sources) {
  const some = sources.flatMap((other) => other.passages);
  return shareOf(entry, [...some, ...pair.passages], entry, shareIn(pair, entry)) - shareOf(entry, some, entry, 0);
}

/* Go to a passage, on both sides at one height; the address leads back. */
function go(passage, isNamed = true) {
  shown.current = passage;
  showPlace();
  align(passage);
  if (isNamed) history.replaceState(null, "", `#${shown.pair ? "" : shown.view.id}m${passage.number}`);
}

/* Scroll until the passage stays at one height: blocks get theirs late. */
function align(passage, frames = 40) {
  if (shown.current !== passage) return;
  const sides = shown.boxes.filter(({ marks }) => marks.has(passage.number)).map(({ box, marks }) => {
    const [first, last, mark] = [box.firstChild, box.lastChild, marks.get(passage.number)[0]].map((part) => part.getBoundingClientRect());
    return { box, place: mark.top - first.top, most: max(0, last.bottom - first.top - box.clientHeight) };
  });
  const height = min(HIGHEST, ...sides.flatMap(({ box, place }) => [place, box.clientHeight / 4]));
  for (const { box, place, most } of sides) {
    box.style.paddingBlockEnd = `${max(0, place - height - most)}px`;
    box.scrollTop = place - height;
  }
  if (frames) requestAnimationFrame(() => align(passage, frames - 1));
}

function showPlace() {
  const some = preferred(shown.steps), { current } = shown, at = some.indexOf(current);
  const label = shown.pair ? `Passage ${current?.number},` : `Source ${shown.sources.indexOf(current?.pair) + 1}, passage`;
  byId("place").textContent = at < 0 ? counted(some.length, "passage") : `${label} ${thousands(at + 1)} of ${thousands(some.length)}`;
  put("current", ...(current ? [chooser([current], "Count this passage"), reviewer(current, "Reviewed")] : []));
  for (const mark of all(".now")) mark.classList.remove("now");
  for (const mark of all(`#sheet [data-m~="${current?.number}"]`)) mark.classList.add("now");
}

/* Those that count, if any does. */
function preferred(some) { return counting(some).length ? counting(some) : some; }

/* The next passage (1) or the previous one (-1); after the last, the next view. */
function step(delta) {
  const { steps, current } = shown, some = preferred(steps);
  const order = steps.filter((passage) => passage === current || some.includes(passage)), next = order[order.indexOf(current) + delta];
  if (next) { go(next); return; }
  const other = views.selectedOptions[0][delta > 0 ? "nextElementSibling" : "previousElementSibling"];
  if (!other?.value) return;
  open(other.value);
  go(preferred(shown.steps).at(min(0, delta)));
}

function open(id) {
  history.pushState(null, "", `#${id}`);
  route();
}

/* Leave passages out, for a reason, or count them again; a notice leads back. */
function leave(some, reason) {
  const reasonsBefore = some.map((passage) => passage.reason);
  if (reason) shown.reason = reason;
  change(some, some.map(() => reason));
  const what = some.length > 1 ? counted(some.length, "passage") : `Passage ${thousands(some[0].number)}`;
  const select = make("select", { "aria-label": "Reason", onchange: () => leave(some, select.value) }, ...Object.entries(reasons).filter(([key]) => key).map(([key, words]) => new Option(words, key)));
  select.value = reason;
  put("notice", make("span", { role: "status" }, reason ? `${what} left out: ` : `${what} counted again. `), reason ? select : "", make("button", { onclick: () => {
    change(some, reasonsBefore);
    put("notice");
  } }, "Undo"));
}

function change(some, chosen) {
  const focused = document.activeElement.getAttribute("aria-label");
  some.forEach((passage, n) => { passage.reason = chosen[n]; });
  byId("save").hidden = false;
  recount(some.map((passage) => passage.pair));
  follow();
  if (some.some(({ first }) => first)) again(); else count();
  if (focused) all("[aria-label]").find((element) => element.getAttribute("aria-label") === focused)?.focus({ preventScroll: true });
}

function count({ pair, view } = shown) {
  views.value = view.id;
  if (!views.value) views.append(new Option(title(view), view.id, true, true)); // a link led to it
  if (pair) countPair(pair); else countDocument(view);
  all("mark", byId("sheet")).forEach(dress);
  for (const { classList, dataset } of all("#sheet svg [data-m]")) classList.toggle("off", !!passages[dataset.m - 1].reason);
  const groups = grouped(passages, ({ kind, reason }) => kind || reason), [entry] = heaviest(view);
  put("reasons", ...Object.keys(groups).sort().filter((group, _, { length }) => group || length > 1).map((group) => {
    const here = counting(groups[group]).filter((passage) => shown.steps.includes(passage));
    return chooser(groups[group], `Count ${counted(groups[group].length, "passage")}: ${reasons[group]} (${percent(wordsIn(entry, here) / entry.total)})`);
  }));
  byId("kinds").hidden = !byId("reasons").firstChild;
  const changed = grouped(passages.filter(({ reason, first }) => reason !== first), ({ reason }) => reason);
  put("changes", ...Object.keys(changed).map((reason) => (
    make("li", `By hand, ${reason ? `left out: ${reasons[reason]}` : "counted again"} `, ...changed[reason].map(badge)))), ...reviews());
  byId("left-out").hidden &&= !byId("changes").firstChild;
  showPlace();
}

function countPair(pair) {
  all("#sheet small").forEach((small, side) => {
    small.replaceChildren(`${percent(pair.now[side])} of its words in passages`, meter(pair.now[side]));
  });
  put("summary", ...pair.sides.flatMap(notes));
  put("chapters", ...pair.sides.map(chapters));
  const { own = [], common = [] } = grouped(pair.passages, ({ copies }) => (copies ? "common" : "own"));
  const more = own.length - shown.most;
  put("lists", reviewer(pair, "Pair reviewed"),
    make("ol.passages", { "aria-label": "Passages" }, ...own.slice(0, shown.most).map(listedPassage)),
    more > 0 ? make("button", { onclick: () => { shown.most = Infinity; countPair(pair); } }, `List ${counted(more, "more passage")}`) : "",
    folded(`${counted(common.length, "passage")} of text that stands in many documents`, !own.length, common.slice(0, LISTED).map(listedPassage), "passages"));
}

function folded(title, isOpen, items, kind) {
  return items.length ? make("details", { open: isOpen ? "" : null }, make("summary", title), make(`ol.${kind}`, ...items)) : "";
}

function listedPassage(passage) {
  const { number, copies } = passage;
  const line = make("div.line",
    badge(passage), make("span", passage.about), copies ? make("span.muted", `stands in ${thousands(copies)} documents`) : null, chooser([passage], `Count passage ${number}`));
  const texts = shown.pair.sides.map((entry, side) => {
    const pieces = shown.boxes[side].marks.get(number)?.map((mark) => mark.cloneNode(true)) ?? [placeOf(...passage.spans[side])];
    return make("div", make("div.whose", named(entry.name)), make("p", { dir: "auto" }, ...pieces));
  });
  return make("li", { class: passage.reason ? "off" : null }, line, make("div.pair", ...texts));
}

/* Why a passage does not count: by the search, else as chosen last. */
function usual({ first, kind }) { return first || kind.split("-")[0] || shown.reason; }

/* A box to count passages, and why those do not that do not. */
function chooser(some, label, whose = "") {
  const number = counting(some).length, out = some.find((passage) => passage.reason);
  const box = make("input", { type: "checkbox", "aria-label": label + whose, onchange: () => leave(some, box.checked ? "" : usual(some[0])) });
  Object.assign(box, { checked: number === some.length, indeterminate: number > 0 && out });
  return make("span", make("label.leave screen", box, ` ${label}`), out ? make("small.why", number ? `${number} of ${some.length} count` : `left out: ${reasons[out.reason]}`) : null);
}

function countDocument(entry) {
  const boilerplate = entry.boilerplate ? `; another ${percent(entry.boilerplate)} stand in many documents and do not count` : "";
  put("summary",
    make("p", make("strong", named(entry.name)), ` ${counted(entry.length, entry.unit)}, `, make("strong", percent(entry.now)), " found elsewhere", boilerplate, meter(entry.now)),
    make("p.muted names", { dir: "auto" }, entry.facts), ...notes(entry));
  put("chapters", chapters(entry));
  const listed = [], others = [], [list] = all("#sheet .sources"), [wasOpen] = all("details[open]", list);
  shown.sources.forEach((pair, place) => {
    (counting(pair.passages).length ? listed : others).push(source(entry, pair, place + 1, shown.sources.slice(0, place)));
  });
  if (!shown.sources.length) listed.push(make("li.muted", "No passages were found elsewhere."));
  if (others.length) listed.push(make("li", folded(`${counted(others.length, "source")} with nothing that counts`, wasOpen, others, "folded")));
  list.replaceChildren(...listed);
  put("lists");
}

function notes(entry) { return entry.notes.map((note) => make("p.note", named(entry.name), ` ${note}`)); }

function source(entry, pair, number, earlier) {
  const adds = counting(earlier.flatMap((other) => other.passages)).length ? `, adds ${percent(max(0, added(entry, pair, earlier)))}` : "";
  const other = otherOf(pair, entry), some = preferred(pair.passages);
  const longest = max(...some.map((passage) => { // in words, in scripts without blanks in characters
    const [start, end] = passage.spans[sideOf(pair, entry)];
    return entry.unit === "word" ? wordsIn(entry, [passage]) : end - start;
  }));
  const places = spansOf(some, entry).map(([start, end]) => draw("rect", { x: start, width: max(entry.end / 200, end - start), height: 1 }));
  return make("li",
    make("div.line",
      make("span", make(`span.badge ${colour(number)}`, { "aria-hidden": "true" }, number), " ", make("a", { href: `#${pair.id}` }, named(other.name))),
      make("span", make("strong", percent(shareIn(pair, entry))), make("small", adds))),
    picture(`where ${colour(number)}`, entry.end, 1, ...places),
    make("div.muted", { dir: "auto" }, `${counted(some.length, "passage")}${some[1] ? ", the longest" : ""} of ${counted(longest, entry.unit)}`, make("span.names", other.facts && `; ${other.facts}`)),
    chooser(pair.passages, "Count this source", ` ${other.name}`));
}

function chapters(entry) {
  const rows = entry.parts.map((part) => {
    const first = preferred(shown.steps).find((passage) => spansOf([passage], entry).some(([start]) => start >= part.start && start < part.end));
    const title = first ? make("a", { href: `#${shown.pair ? "" : entry.id}m${first.number}` }, part.title) : part.title;
    return make("tr", make("td", { dir: "auto" }, title), make("td.number", percent(shareOf(entry, shown.steps, part))));
  });
  const head = ["Chapter", "Found elsewhere"].map((name) => make("th", { scope: "col" }, name));
  return rows[1] || entry.parts[0]?.title ? make("details.chapters", { open: "" }, make("summary", "Chapters of ", named(entry.name)), make("table", make("tr", ...head), make("tbody", ...rows))) : "";
}

/* Whether a pair or a passage is reviewed, and a note. */
function reviewer(item, label) {
  const isReviewed = item.review != null, box = make("input", { type: "checkbox" });
  const note = make("input", { "aria-label": `Note, ${label.toLowerCase()}`, maxlength: 1000, hidden: isReviewed ? null : "", value: item.review, dir: "auto" });
  box.checked = isReviewed;
  box.onchange = note.onchange = () => {
    item.review = box.checked ? note.value : null;
    byId("save").hidden = false;
    count();
  };
  return make("span", make("label.leave screen", box, ` ${label}`), note);
}

/* All reviews. */
function reviews() {
  return [...pairs, ...passages].filter(({ review }) => review != null).map((item) => (
    make("li", "Reviewed: ", item.sides ? make("a", { href: `#${item.id}` }, title(item)) : badge(item), " ", make("q", { dir: "auto" }, item.review))));
}

/* Whether a pair has text that counts, left out text, or only common text. */
function kindOf({ passages: own }) {
  if (counting(own).length) return "counting";
  return own.some(({ copies }) => !copies) ? "left" : "common";
}

function title(view) { return (view.sides ?? [view]).map(({ name, label }) => (naming.isHidden ? name : label)).join(" – "); }

/* The verdict, the overview and the views, by what counts. */
function follow() {
  const { counting: sharing = [], left = [] } = grouped(pairs, kindOf);
  const own = [...new Set(sharing.flatMap((pair) => pair.sides))].filter((entry) => !asked || entry.place < asked).sort(by(({ now }) => -now));
  const pairsIn = (some) => some.map((pair) => (
    new Option(`${title(pair)} (${counted(preferred(pair.passages).length, "passage")})`, pair.id)));
  const groups = [["Two documents side by side", pairsIn(sharing)], ["One document with its sources", own.map((entry) => (
    new Option(`${title(entry)} (${percent(entry.now)})`, entry.id)))], ["Left out", pairsIn(left)]];
  if (asked) groups.unshift(...groups.splice(1, 1));
  put("view", ...groups.map(([label, options]) => (options.length ? make("optgroup", { label }, ...options) : "")));
  const strongest = [...sharing].sort(by(({ now }) => -max(...now))).slice(0, WEIGHTIEST);
  if (passages.length) put("verdict", ...verdict(strongest, own));
  all("#strongest ol").forEach((list) => list.replaceChildren(...strongest.map((pair) => make("li", ...shares(pair), firstWords(pair)))));
  if (overview.live) {
    overview.rows = sharing.map((pair) => (
      [...pair.sides.map(({ place }) => place), min(99, floor(100 * max(...pair.now) + 1e-9)), ...pair.now, counting(pair.passages).length, `#${pair.id}`]));
    overview.cards = (rows) => ({ passages: rows.reduce((sum, row) => sum + row[5], 0), largest: percent(max(0, ...own.map(({ now }) => now))) });
    if (overview.refresh) overview.refresh(); else showCards(overview.rows);
    for (const note of all("[data-card=largest] small")) note.replaceChildren(...own.slice(0, 1).flatMap(({ name }) => ["of ", named(name)]));
  }
  return { first: strongest[0] ?? pairs[0], own: own[0] ?? documents[0] };
}

/* The strongest case, after the share of a document that was asked about. */
function verdict([pair], [entry]) {
  if (!pair) return ["All shared passages are left out."];
  if (asked !== 1 || !overview.live) return shares(pair);
  const sources = entry.pairs.filter(({ passages: some }) => counting(some).length);
  const [most] = entry.parts.map((part) => ({ ...part, share: shareOf(entry, entry.passages, part) })).sort(by(({ share }) => -share));
  const where = entry.parts.length > 1 ? `; most in ${most.title}, ${percent(most.share)}` : "";
  if (!sources[1]) return shares(pair, where);
  const [link, , share, ...rest] = shares(pair);
  link.replaceChildren(share);
  return [...linked(entry, entry.now), ` found in ${thousands(sources.length)} of ${counted(data.evidence.others, "document")}${where}. `, link, ...rest];
}

/* Both shares of a pair, that of what was asked about first, else the larger one. */
function shares({ id, now, sides }, where = "") {
  const side = +(!asked && now[0] < now[1]), other = 1 - side;
  return [...linked(sides[side], now[side], id), " stands in ", named(sides[other].name), ", where it makes up ", make("strong", percent(now[other])), `${where}.`];
}

function linked({ name, id }, share, to = id) { return [make("a", { href: `#${to}` }, named(name)), ": ", make("strong", percent(share))]; }

function firstWords(pair) {
  const [entry, [passage]] = heaviest(pair), { text } = entry, [start, end] = passage.spans[sideOf(pair, entry)];
  return text === null ? "" : make("q", { dir: "auto" }, text.slice(start, min(end, start + EXCERPT)));
}

/* Of a pair the document that shares more, or the document itself, and the passages by their words. */
function heaviest(view) {
  const { sides: [one, other] = [view], now } = view, entry = now[0] < now[1] ? other : one;
  return [entry, counting(view.passages).sort(by((passage) => -wordsIn(entry, [passage])))];
}

/* ASCII from raw deflate with fixed codes (RFC 1951, 3.2.6); browsers of 2022 have no stream for it. */
function inflated(packed) {
  const text = [], bit = () => packed.charCodeAt(at >> 3) >> (at++ & 7) & 1;
  let at = 0, last = 0;
  const code = (bits, start = 0) => (bits ? code(bits - 1, 2 * start + bit()) : start);
  const number = (bits) => (bits ? bit() + 2 * number(bits - 1) : 0);
  const extended = (value, unit) => {
    const more = floor(value / unit) - 1;
    return more < 0 ? value : (unit + value % unit) * 2 ** more + number(more);
  };
  while (!last) {
    last = bit();
    number(2); // always fixed codes
    for (let symbol; symbol !== 256;) {
      symbol = code(7) + 256;
      if (symbol > 279) symbol = code(1, symbol - 256);
      if (symbol < 256) symbol += symbol < 192 ? -48 : 88;
      if (symbol < 256) text.push(String.fromCharCode(symbol));
      if (symbol < 257) continue;
      let length = symbol === 285 ? 258 : extended(symbol - 257, 4) + 3;
      for (const distance = extended(code(5), 2) + 1; length; length -= 1) text.push(text[text.length - distance]);
    }
  }
  return text.join("");
}

/* The file with what counts and is reviewed now, and a digest of its text. */
async function evidenceFile() {
  const file = new DOMParser().parseFromString(inflated(atob(data.evidence.xml)), "application/xml");
  for (const element of all("hashdigest, source", file)) element.remove();
  all("document", file).forEach((element, place) => {
    const entry = documents[place], offsets = element.getAttribute("offsets")?.split(" ");
    if (!entry.exact) return;
    set(element, { excluded: excludedIn(entry, offsets).flatMap(([start, end]) => [start, end - start]).join(" ") || null });
  });
  all("pair", file).forEach((element, place) => {
    const [left_share, right_share] = pairs[place].now;
    set(element, { left_share, right_share, review: pairs[place].review });
  });
  all("passage", file).forEach((element, place) => set(element, { excluded: passages[place].reason || null, review: passages[place].review }));
  for (const coverage of all("coverage", file)) {
    const entry = documents[coverage.getAttribute("document")];
    set(coverage, { share: entry.now });
    all("part", coverage).forEach((element, place) => set(element, { share: shareOf(entry, entry.passages, entry.parts[place]) }));
    const sources = entry.pairs.filter((pair) => shareIn(pair, entry)).map((pair) => (
      `<source document="${otherOf(pair, entry).place}" share="${shareIn(pair, entry)}"/>`));
    coverage.insertAdjacentHTML("afterbegin", sources.join("\n"));
  }
  const [body] = new XMLSerializer().serializeToString(file).split(/<\/evidence>\s*$/);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)));
  return `${body}<hashdigest type="SHA256-text">${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}</hashdigest>\n</evidence>\n`;
}

async function save() {
  const body = new Blob([await evidenceFile()], { type: "application/xml" });
  const isKept = data.save && (await fetch(data.save, { method: "PUT", body })).ok;
  if (!isKept) make("a", { href: URL.createObjectURL(body), download: "evidence.xml" }).click();
  byId("save").hidden = true;
}

/* Which view: #m12 is a passage, #p3 a pair, #d2 a document, #d2m12 a passage there; "" is the first view. */
function route() {
  const [, id, number] = /^#([pd]\d+)?(?:m(\d+))?$/.exec(location.hash || "#") || [null, "?"];
  const passage = passages[number - 1], view = id ? [...pairs, ...documents].find((some) => some.id === id) : passage?.pair ?? (pairs[0] && start[asked ? "own" : "first"]);
  if (!view || (number && !passage)) return;
  if (shown.view !== view) show(view);
  if (location.hash) byId("reader").scrollIntoView({ block: "start", behavior: "instant" });
  const first = passage ?? heaviest(view)[1][0] ?? shown.steps[0];
  if (first) go(first, location.hash);
}

function show(view) {
  const isRead = byId("sheet").contains(document.activeElement);
  Object.assign(shown, { view, most: shown.isPrinted ? Infinity : LISTED, current: null });
  if (view.sides) showPair(view); else showDocument(view);
  count();
  if (isRead) read();
}

function again({ view, current } = shown) {
  if (!view) return;
  show(view);
  if (current) go(current);
}

/* Paper has all passages of what is shown, and of a document all its pairs. */
function prepare(isPrinted) {
  const screen = { ...shown }, others = isPrinted && !shown.pair ? shown.view.pairs.filter((pair) => kindOf(pair) !== "common") : [];
  shown.isPrinted = isPrinted;
  put("leaves", ...others.map((pair) => {
    show(pair);
    for (const frame of all(".frame")) frame.remove();
    return make("div.leaf", ...["sheet", "summary", "lists"].flatMap((id) => [...byId(id).childNodes]));
  }));
  again(screen);
}

function read() { shown.boxes[0]?.box.focus({ preventScroll: true }); }

/* A choice by arrow keys may go on; others lead to the text. */
views.onkeydown = (event) => { if (event.key === "Enter") read(); };
views.onchange = ({ target }) => {
  open(target.value);
  if (!target.matches(":focus-visible")) read();
};
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
byId("save").onclick = save;
onhashchange = route;
onbeforeprint = () => prepare(true);
onafterprint = () => prepare(false);
onbeforeunload = () => !byId("save").hidden || null;
byId("reader").onkeydown = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input:not([type=checkbox])")) return;
  const { current } = shown;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "x" && current) leave([current], current.reason ? "" : usual(current));
  else if (choices[event.key - 1] && current) leave([current], choices[event.key - 1]);
};
naming.redraw = () => { follow(); again(); };
recount(pairs);
const start = follow();
route();
