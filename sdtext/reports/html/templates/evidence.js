/* The reader: two documents side by side, or one document with all of its sources.
   Offsets in the data count code points; `units` turns them into those of strings here. */
{
  const { reasons, choices, xml } = data.evidence;
  const LISTED = 200, EXCERPT = 5000, COLOURS = 8, WEIGHTIEST = 5;
  const byId = (id) => document.getElementById(id);

  const documents = data.evidence.documents.map((entry, place) => ({
    ...entry, place, pairs: [], astral: entry.text === null ? [] : astralPlaces(entry.text),
    length: entry.at.at(-1),
  }));
  const pairs = data.evidence.pairs.map(([left, right, ...shares], place) => (
    { place, sides: [documents[left], documents[right]], shares, passages: [] }));
  const passages = data.evidence.passages.map((row, place) => {
    const [pair, start, end, otherStart, otherEnd, score, verbatim, reason, numbers, edits, inner] = row;
    const spans = [[start, end, reason], [otherStart, otherEnd, reason]];
    const passage = { number: place + 1, pair: pairs[pair], spans, score, verbatim, reason, numbers, edits, inner };
    pairs[pair].passages.push(passage);
    return passage;
  });
  for (const pair of pairs) for (const side of pair.sides) side.pairs.push(pair);
  for (const pair of pairs) pair.factors = pair.sides.map((side, n) => factor(pair.shares[n], side, spansOf([pair], side)));
  for (const entry of documents) {
    entry.factor = factor(entry.share, entry, spansOf(entry.pairs, entry));
    for (const part of entry.parts) part.push(factor(part[4], entry, spansOf(entry.pairs, entry, part), part[3]));
  }

  /* Offsets and shares */

  function astralPlaces(text) {
    return Array.from(text.matchAll(/[\u{10000}-\u{10ffff}]/gu), (match, before) => match.index - before);
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

  function units(entry, offset) {
    return offset + (entry.astral.length ? below(entry.astral, offset) : 0);
  }

  function slice(entry, [start, end]) {
    return entry.text.slice(units(entry, start), units(entry, end));
  }

  /* The words in any of the spans, each once, without excluded words. These count only in spans that
     did not count at first. */
  function wordsIn(entry, spans) {
    const { at, before, excluded } = entry, sorted = [...spans].sort((one, other) => one[0] - other[0]);
    const within = (some, counts) => {
      let words = 0, reached = 0;
      for (const [start, end] of some) {
        if (end <= reached) continue;
        words += counts[below(at, end)] - counts[below(at, Math.max(start, reached))];
        reached = end;
      }
      return words;
    };
    const all = within(sorted, before);
    return excluded ? all - within(sorted, excluded) + within(sorted.filter((span) => span[2]), excluded) : all;
  }

  /* The spans of a document that count, as far as they are in a part of it. */
  function spansOf(some, entry, [first, last] = [0, entry.length]) {
    return some.flatMap((pair) => counting(pair.passages).flatMap(({ inner }) => inner[sideOf(pair, entry)]))
      .map(([start, end, reason]) => [Math.max(start, first), Math.min(end, last), reason]).filter(([start, end]) => start < end);
  }

  function counting(some) { return some.filter((passage) => !passage.reason); }

  function sideOf(pair, entry) { return pair.sides[0] === entry ? 0 : 1; }

  /* An evidence file has shares, not the words that they come from. */
  function factor(share, entry, spans, words = total(entry)) {
    const counted = wordsIn(entry, spans);
    return share !== null && counted ? share * words / counted : 1;
  }

  function total(entry) { return entry.before.at(-1) || 1; }

  function shareOf(entry, spans, scale, words = total(entry)) {
    return words ? Math.min(1, scale * wordsIn(entry, spans) / words) : 0;
  }

  function documentShare(entry) { return shareOf(entry, spansOf(entry.pairs, entry), entry.factor); }

  function pairShare(pair, side) {
    return shareOf(pair.sides[side], spansOf([pair], pair.sides[side]), pair.factors[side]);
  }

  const frameOf = (element) => element.getBoundingClientRect();

  function make(tag, settings = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function meter(share) { return bar("meter", 100 * share); }

  function name(entry) { return make("bdi", {}, entry.name); }

  function colour(number) { return `k${1 + (number - 1) % COLOURS}`; }

  /* The text of a document in blocks, with marks. Spans may overlap: the text is cut at every end of
     a span, and each piece is marked by the spans that it is in. */
  function painted(entry, spans, edits) {
    const box = make("div", { class: "text", dir: "auto", tabindex: 0, role: "region", "aria-label": entry.name });
    if (entry.text === null) {
      box.append(make("p", { class: "nothing" }, "The page has no text of this document, only places:"),
        make("ul", {}, ...spans.map((span) => make("li", {}, tagOf(span), `characters ${span.start} to ${span.end}`))));
      return box;
    }
    const { text } = entry, write = writer(entry);
    const open = spans.map((span) => ({ ...span, start: units(entry, span.start), end: units(entry, span.end), isNew: true }))
      .sort((one, other) => one.start - other.start || other.end - one.end);
    const changes = edits.map(([start, end]) => [units(entry, start), units(entry, end)])
      .filter(([start, end]) => start < end).sort((one, other) => one[0] - other[0]);
    const breaks = new Set(entry.blocks.map((place) => units(entry, place)));
    const cuts = new Set([0, text.length, ...breaks]);
    for (const span of open) { cuts.add(span.start); cuts.add(span.end); }
    const ends = [...cuts].sort((one, other) => one - other);
    let block = make("div"), active = [], next = 0, change = 0;
    for (let place = 0; place + 1 < ends.length; place += 1) {
      const start = ends[place], end = ends[place + 1];
      if (breaks.has(start)) { box.append(block); block = make("div"); }
      active = active.filter((span) => span.end > start);
      while (next < open.length && open[next].start <= start) active.push(open[next++]);
      while (change < changes.length && changes[change][1] <= start) change += 1;
      if (!active.length) { write(block, start, end); continue; }
      const mark = markOf(active);
      let from = start;
      for (let at = change; at < changes.length && changes[at][0] < end; at += 1) {
        const first = Math.max(from, changes[at][0]), last = Math.min(end, changes[at][1]);
        if (first >= last) continue;
        const edit = document.createElement("span");
        edit.className = "edit";
        write(mark, from, first);
        write(edit, first, last);
        mark.append(edit);
        from = last;
      }
      write(mark, from, end);
      block.append(mark);
    }
    box.append(block);
    return box;
  }

  /* Writes pieces of a text, one after the other, with its disguises marked. */
  function writer(entry) {
    const places = entry.disguises.map(([start, end, step]) => [units(entry, start), units(entry, end), step]);
    let next = 0;
    return (parent, start, end) => {
      while (next < places.length && places[next][0] < end) {
        const [first, last, step] = places[next];
        const from = Math.max(first, start), to = Math.min(last, end), title = `Disguised by ${step}`;
        parent.append(entry.text.slice(start, from), make("span", { class: "disguise", role: "note", title, "aria-label": title }, entry.text.slice(from, to)));
        start = to;
        if (last > end) return;
        next += 1;
      }
      parent.append(entry.text.slice(start, end));
    };
  }

  /* Estimated heights for blocks not drawn yet, in a column. */
  function estimateHeights(box, columns) {
    const wide = matchMedia("(min-width: 52rem)").matches;
    const line = Math.max(10, byId("sheet").clientWidth / (wide ? columns : 1) / 9.5);
    for (const block of box.children) block.style.containIntrinsicBlockSize = `auto ${Math.ceil(28 * block.textContent.length / line)}px`;
  }

  /* The mark of a piece in all of these spans, with the numbers of those that begin here. */
  function markOf(active) {
    const best = active.findLast((span) => !span.passage.reason) || active.at(-1);
    const mark = document.createElement("mark");
    mark.className = lookOf(best.passage, best.colour);
    mark.dataset.m = active.map((span) => span.passage.number).join(" ");
    for (const span of active) {
      if (span.isNew && span.label) mark.append(tagOf(span));
      span.isNew = false;
    }
    return mark;
  }

  function lookOf(passage, number = passage.number) { return `${colour(number)}${passage.reason ? " off" : ""}`; }

  function tagOf(span) { return linkTo(span.passage, { class: `tag ${colour(span.colour)}`, "data-n": span.label }); }

  function badge(passage) {
    return linkTo(passage, { class: `badge ${lookOf(passage)}` }, String(passage.number));
  }

  function linkTo({ number }, settings, ...children) {
    return make("a", { ...settings, href: `#m${number}`, "aria-label": `Passage ${number}` }, ...children);
  }

  /* A strip beside a text: where in the document the passages are. */
  function strip(entry, spans) {
    const scale = 1000 / Math.max(1, entry.length);
    const bars = spans.map((span) => draw("rect", {
      class: lookOf(span.passage, span.colour), "data-m": span.passage.number,
      width: 14, y: span.start * scale, height: Math.max(3, (span.end - span.start) * scale),
    }));
    const svg = draw("svg", { class: "strip", viewBox: "0 0 14 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
      ...bars, draw("rect", { class: "window", width: 14, y: 0, height: 0 }));
    svg.onclick = (event) => {
      const box = frameOf(svg);
      const offset = entry.length * (event.clientY - box.top) / box.height;
      const distance = (span) => Math.max(span.start - offset, offset - span.end, 0);
      const nearest = spans.reduce((best, span) => (distance(span) < distance(best) ? span : best), spans[0]);
      if (nearest) go(nearest.passage);
    };
    return svg;
  }

  function showWindow(box, svg) {
    const frame = svg.querySelector(".window"), whole = box.scrollHeight || 1;
    frame.setAttribute("y", 1000 * box.scrollTop / whole);
    frame.setAttribute("height", Math.min(1000, 1000 * box.clientHeight / whole));
  }

  /* What is shown: a pair or a document, with the passages to step through. */
  const shown = { pair: null, entry: null, steps: [], current: null, boxes: [], redraw: () => {}, reason: choices[0] };

  function showPair(pair) {
    pair.orders ??= [0, 1].map((side) => [...pair.passages].sort((one, other) => one.spans[side][0] - other.spans[side][0]));
    Object.assign(shown, { pair, entry: null, steps: pair.orders[0], current: null });
    const ribbons = draw("svg", { class: "ribbons", "aria-hidden": "true" });
    const columns = pair.sides.map((entry, side) => {
      const spans = pair.passages.map((passage) => spanOf(passage, side, passage.number));
      const edits = pair.passages.flatMap((passage) => editsOf(passage, side));
      const box = painted(entry, spans, edits), where = strip(entry, spans);
      const heading = make("h3", {}, make("a", { href: `#d${entry.place + 1}` }, name(entry)), make("small", {}));
      const column = make("div", { class: `side ${side ? "right" : "left"}` }, heading, make("div", { class: "frame" }, box, where));
      return { box, where, column, marks: marksIn(box), small: heading.lastChild };
    });
    shown.boxes = columns;
    for (const { box } of columns) estimateHeights(box, 2);
    byId("sheet").replaceChildren(make("div", { class: "sides" }, columns[0].column, ribbons, columns[1].column));
    let waiting = false;
    shown.redraw = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        if (shown.pair !== pair) return;
        for (const { box, where } of columns) showWindow(box, where);
        drawRibbons(ribbons, columns, pair);
      });
    };
    for (const { box } of columns) {
      box.addEventListener("scroll", shown.redraw, { passive: true });
      box.addEventListener("contentvisibilityautostatechange", settle, true);
      box.onclick = clicked;
    }
    count();
    shown.redraw();
  }

  function spanOf(passage, side, number, label = number) {
    const [start, end] = passage.spans[side];
    return { start, end, passage, colour: number, label };
  }

  function editsOf(passage, side) {
    const spans = [];
    for (let place = 2 * side; place < passage.edits.length; place += 4) spans.push(passage.edits.slice(place, place + 2));
    return spans;
  }

  /* The elements of each passage in a text. */
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
    const frame = frameOf(box);
    const bottomOf = (passage) => { const own = marks.get(passage.number); return own ? frameOf(own.at(-1)).bottom : -1e9; };
    const some = [];
    for (const passage of order.slice(below(order, frame.top, bottomOf))) {
      const own = marks.get(passage.number);
      if (!own) continue;
      if (frameOf(own[0]).top > frame.bottom) break;
      some.push(passage);
    }
    return some;
  }

  function drawRibbons(svg, columns, pair) {
    const place = frameOf(svg);
    if (!place.width || !columns[0].marks.size || !columns[1].marks.size) return;
    const some = new Set(columns.flatMap((column, side) => visible(column, pair.orders[side])));
    svg.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
    svg.replaceChildren(...[...some].map((passage) => {
      const [[top, bottom], [otherTop, otherBottom]] = columns.map(({ box, marks }) => {
        const own = marks.get(passage.number), frame = frameOf(box);
        const inside = (y) => Math.min(Math.max(y, frame.top), frame.bottom) - place.top;
        return [inside(frameOf(own[0]).top), inside(frameOf(own.at(-1)).bottom)];
      });
      const right = place.width, half = right / 2;
      const path = draw("path", {
        class: `${lookOf(passage)}${passage === shown.current ? " now" : ""}`,
        d: `M0 ${top}C${half} ${top} ${half} ${otherTop} ${right} ${otherTop}V${otherBottom}C${half} ${otherBottom} ${half} ${bottom} 0 ${bottom}Z`,
      });
      path.onclick = () => go(passage);
      return path;
    }));
  }

  function showDocument(entry) {
    const sources = [...entry.pairs].filter((pair) => pair.passages.length)
      .sort((one, other) => pairShare(other, sideOf(other, entry)) - pairShare(one, sideOf(one, entry)));
    const spans = sources.flatMap((pair, place) => (
      pair.passages.map((passage) => spanOf(passage, sideOf(pair, entry), place + 1, passage.reason ? 0 : place + 1))));
    Object.assign(shown, { pair: null, entry, sources, current: null });
    shown.steps = spans.sort((one, other) => one.start - other.start).map((span) => span.passage);
    const box = painted(entry, spans, []), where = strip(entry, spans);
    shown.boxes = [{ box, where, marks: marksIn(box) }];
    estimateHeights(box, 1.5);
    shown.redraw = () => {};
    box.addEventListener("scroll", () => showWindow(box, where), { passive: true });
    box.onclick = clicked;
    byId("sheet").replaceChildren(make("div", { class: "whole" },
      make("div", { class: "frame" }, box, where), make("ol", { class: "sources", "aria-label": "Sources" })));
    count();
    requestAnimationFrame(() => showWindow(box, where));
  }

  function clicked(event) {
    const mark = event.target.closest("mark");
    if (!mark || event.target.closest("a")) return;
    const numbers = mark.dataset.m.split(" ").map(Number);
    if (shown.entry) { location.hash = `#m${numbers[0]}`; return; }
    const at = numbers.indexOf(shown.current ? shown.current.number : 0);
    go(passages[numbers[(at + 1) % numbers.length] - 1]);
  }

  /* Go to a passage: on both sides at the same height. */
  function go(passage) {
    shown.current = passage;
    shown.moved = performance.now();
    for (const { box, marks } of shown.boxes) {
      for (const mark of box.querySelectorAll("mark.now")) mark.classList.remove("now");
      const own = marks.get(passage.number);
      if (!own) continue;
      for (const mark of own) {
        mark.classList.add("now");
        mark.parentElement.style.contentVisibility = "visible"; // else the block has a height of its own
      }
      align(box, own[0], passage);
    }
    history.replaceState(null, "", `#m${passage.number}`);
    showPlace();
    shown.redraw();
  }

  /* Blocks have come into view with other heights. */
  function settle() {
    shown.redraw();
    if (!shown.current || performance.now() > shown.moved + 1500) return;
    for (const { box, marks } of shown.boxes) {
      const own = marks.get(shown.current.number);
      if (own) align(box, own[0], shown.current, 2);
    }
  }

  /* Scroll to a mark until it stays: blocks get heights as they come into view. */
  function align(box, mark, passage, frames = 40, calm = 0) {
    const before = box.scrollTop;
    box.scrollTop += frameOf(mark).top - frameOf(box).top - Math.min(box.clientHeight / 4, 160);
    const still = Math.abs(box.scrollTop - before) < 1 ? calm + 1 : 0;
    if (frames && still < 8) {
      requestAnimationFrame(() => { if (shown.current === passage) align(box, mark, passage, frames - 1, still); });
    }
  }

  function showPlace() {
    const some = stepped(), at = some.indexOf(shown.current);
    byId("place").textContent = at < 0 ? counted(some.length, "passage") : `${at + 1} of ${some.length}`;
  }

  /* The passages to step through: those that count, if any does. */
  function stepped() {
    const some = counting(shown.steps);
    return some.length ? some : shown.steps;
  }

  function step(by) {
    const { steps, current } = shown, some = new Set(stepped());
    let at = steps.indexOf(current);
    if (at < 0 && by < 0) at = steps.length;
    do at += by; while (steps[at] && !some.has(steps[at]));
    if (steps[at]) go(steps[at]);
  }

  function counted(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`; }

  /* What counts: shares, lists and marks, anew whenever a passage is left out or counts again. */

  function leave(some, reason) {
    for (const passage of some) passage.reason = reason;
    if (reason) shown.reason = reason;
    byId("save").hidden = false;
    count();
  }

  function count() {
    if (shown.pair) countPair(shown.pair); else if (shown.entry) countDocument(shown.entry);
    for (const { box, where } of shown.boxes) {
      for (const mark of box.querySelectorAll("mark")) {
        mark.classList.toggle("off", mark.dataset.m.split(" ").every((number) => passages[number - 1].reason));
      }
      for (const bar of where.querySelectorAll("[data-m]")) bar.classList.toggle("off", Boolean(passages[bar.dataset.m - 1].reason));
    }
    showPlace();
    shown.redraw();
  }

  function countPair(pair) {
    shown.boxes.forEach(({ small }, side) => {
      const share = pairShare(pair, side);
      small.replaceChildren(`${percent(share)} of its words are in the other`, meter(share));
    });
    byId("summary").replaceChildren(...weightiest(pair), ...pair.sides.flatMap(notes));
    const listed = shown.steps.slice(0, shown.listsAll ? undefined : LISTED);
    const more = shown.steps.length - listed.length;
    byId("lists").replaceChildren(
      make("ol", { class: "passages", "aria-label": "Passages" }, ...listed.map((passage) => listedPassage(passage))),
      more > 0 ? make("button", { type: "button", onclick: () => { shown.listsAll = true; countPair(pair); } }, `List ${counted(more, "more passage")}`) : "");
  }

  /* Why this score: the passages with most words of the document of which more is shared. */
  function weightiest(pair) {
    const side = pairShare(pair, 0) < pairShare(pair, 1) ? 1 : 0, entry = pair.sides[side];
    const ranked = counting(pair.passages)
      .map((passage) => ({ passage, words: wordsIn(entry, [passage.spans[side]]) })).sort((one, other) => other.words - one.words);
    if (ranked.length < 2) return [];
    const items = ranked.slice(0, WEIGHTIEST).map(({ passage, words }) => {
      const share = percent(shareOf(entry, [passage.spans[side]], pair.factors[side]));
      const verbatim = passage.verbatim === null ? "" : `, verbatim ${passage.verbatim}`;
      return make("li", {}, badge(passage), ` ${counted(words, unitOf(entry))}, ${share}${verbatim}`);
    });
    return [make("p", {}, "What weighs most in the share of ", name(entry), ":"), make("ol", { class: "weightiest", "aria-label": "Passages that weigh most" }, ...items)];
  }

  function unitOf(entry) { return entry.text === null ? "character" : "word"; }

  function listedPassage(passage) {
    const line = make("div", { class: "line" },
      badge(passage), make("span", {}, `score ${passage.score}`), make("span", { class: "muted" }, passage.verbatim === null ? "" : `verbatim ${passage.verbatim}`), chooser([passage], `Passage ${passage.number}`));
    const texts = passage.pair.sides.map((entry, side) => (entry.text === null
      ? make("p", { class: "muted" }, `characters ${passage.spans[side].slice(0, 2).join(" to ")}`)
      : make("p", { dir: "auto" }, ...excerpt(entry, passage, side))));
    return make("li", { class: passage.reason ? "off" : null }, line, make("div", { class: "pair" }, ...texts));
  }

  function excerpt(entry, passage, side) {
    const [start, whole] = passage.spans[side], end = Math.min(whole, start + EXCERPT), pieces = [];
    let place = start;
    for (const [from, to] of editsOf(passage, side)) {
      if (from < place || from >= end || from === to) continue;
      pieces.push(slice(entry, [place, from]), make("span", { class: "edit" }, slice(entry, [from, Math.min(to, end)])));
      place = Math.min(to, end);
    }
    pieces.push(slice(entry, [place, end]), end < whole ? " …" : "");
    return pieces;
  }

  /* Whether passages count, or why not. */
  function chooser(some, label) {
    const first = some[0].reason, mixed = some.some((passage) => passage.reason !== first);
    const known = [...new Set([...some.map((passage) => passage.reason).filter(Boolean), ...choices])];
    const select = make("select", { "aria-label": `${label}: does it count?` },
      mixed ? make("option", { value: "?", selected: "" }, "some count") : null, make("option", { value: "" }, "counts"),
      ...known.map((reason) => make("option", { value: reason, selected: !mixed && reason === first ? "" : null }, `left out: ${reasons[reason] || reason}`)));
    select.onchange = () => { if (select.value !== "?") leave(some, select.value); };
    return make("span", { class: "leave screen" }, select);
  }

  function countDocument(entry) {
    const share = documentShare(entry);
    const boilerplate = entry.boilerplate ? `; ${percent(entry.boilerplate)} stand in many documents and do not count` : "";
    byId("summary").replaceChildren(
      make("p", {}, make("strong", {}, name(entry)), ` ${counted(entry.words, "word")}, `, make("strong", {}, percent(share)), " found elsewhere", meter(share), boilerplate),
      entry.facts ? make("p", { class: "muted", dir: "auto" }, entry.facts) : "", ...notes(entry), chapters(entry) || "");
    const listed = [], others = [];
    shown.sources.forEach((pair, place) => {
      (counting(pair.passages).length ? listed : others).push(source(entry, pair, place + 1));
    });
    const list = byId("sheet").querySelector(".sources"), wasOpen = list.querySelector("details[open]");
    if (!shown.sources.length) listed.push(make("li", { class: "muted" }, "No passages were found elsewhere."));
    if (others.length) {
      listed.push(make("li", {}, make("details", wasOpen ? { open: "" } : {}, make("summary", {}, `${counted(others.length, "source")} with nothing that counts`), make("ol", { class: "folded" }, ...others))));
    }
    list.replaceChildren(...listed);
    byId("lists").replaceChildren();
  }

  /* Notes about what a reader does not see. */
  function notes(entry) { return entry.notes.map((note) => make("p", { class: "note" }, name(entry), ` ${note}`)); }

  function source(entry, pair, number) {
    const side = sideOf(pair, entry), other = pair.sides[1 - side], share = pairShare(pair, side);
    const longest = Math.max(...pair.passages.map((passage) => wordsIn(entry, [passage.spans[side]])));
    return make("li", {},
      make("div", { class: "line" },
        make("span", {}, make("span", { class: `badge ${colour(number)}`, "aria-hidden": "true" }, String(number)), " ", make("a", { href: `#p${pair.place + 1}` }, name(other))),
        make("strong", {}, percent(share))),
      make("div", { class: "muted", dir: "auto" }, `${counted(pair.passages.length, "passage")}, the longest of ${counted(longest, unitOf(entry))}${other.facts ? `; ${other.facts}` : ""}`),
      chooser(pair.passages, other.name));
  }

  function chapters(entry) {
    if (!entry.parts.length) return null;
    const rows = entry.parts.map((part) => {
      const [, , title, words, , scale] = part, share = shareOf(entry, spansOf(entry.pairs, entry, part), scale, words);
      return rowOf("td", title, words.toLocaleString("en"), percent(share), meter(share));
    });
    return make("table", { class: "chapters" },
      make("thead", {}, rowOf("th", "Chapter", "Words", "Found elsewhere")), make("tbody", {}, ...rows));
  }

  function rowOf(tag, title, words, ...share) {
    return make("tr", {}, make(tag, { dir: "auto" }, title), make(tag, { class: "number" }, words), make(tag, { class: "number" }, ...share));
  }

  /* The evidence file as it is now, which sdtext opens again. */
  function evidenceFile() {
    const lines = [xml.head, `<pairs count="${pairs.length}">\n`];
    for (const pair of pairs) {
      const [left, right] = pair.sides;
      lines.push(`<pair left="${left.place}" right="${right.place}" left_share="${pairShare(pair, 0)}" right_share="${pairShare(pair, 1)}" passages="${pair.passages.length}">\n`);
      lines.push(xml.pairs[pair.place], ...pair.passages.map(passageElement), "</pair>\n");
    }
    lines.push("</pairs>\n", ...xml.covered.map((place) => coverageElement(documents[place])), xml.tail);
    return lines.join("");
  }

  function placeOf(name, [start, end]) { return `${name}_offset="${start}" ${name}_length="${end - start}"`; }

  function passageElement(passage) {
    const [top, bottom, root, common, left, right] = passage.numbers;
    const attributes = [
      placeOf("left", passage.spans[0]), placeOf("right", passage.spans[1]), `score="${passage.score}"`,
      `similarity="${top}/${bottom}"`, ...(root ? ['root="true"'] : []), `common="${common}"`, `left_terms="${left}"`,
      `right_terms="${right}"`, ...(passage.verbatim === null ? [] : [`verbatim="${passage.verbatim}"`]),
      ...(passage.reason ? [`excluded="${escaped(passage.reason)}"`] : []),
    ].join(" ");
    const edits = editsOf(passage, 0).map((span, place) => {
      const other = editsOf(passage, 1)[place];
      const kind = span[0] === span[1] ? "insert" : other[0] === other[1] ? "delete" : "replace";
      return `<edit kind="${kind}" ${placeOf("left", span)} ${placeOf("right", other)}/>\n`;
    });
    const gaps = passage.inner.flatMap((spans, n) => spans.slice(1).map(([end], m) => (
      `<gap side="${n ? "right" : "left"}" offset="${spans[m][1]}" length="${end - spans[m][1]}"/>\n`)));
    return `<passage ${attributes}>\n${[...edits, ...gaps].join("")}</passage>\n`;
  }

  function coverageElement(entry) {
    const sources = entry.pairs.map((pair) => [pair.sides[1 - sideOf(pair, entry)].place, pairShare(pair, sideOf(pair, entry))])
      .filter(([, share]) => share).map(([place, share]) => `<source document="${place}" share="${share}"/>\n`);
    const boilerplate = entry.boilerplate ? ` boilerplate="${entry.boilerplate}"` : "";
    return `<coverage document="${entry.place}" share="${documentShare(entry)}"${boilerplate}>\n${sources.join("")}${(xml.parts[entry.place] || []).join("")}</coverage>\n`;
  }

  function escaped(text) {
    return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  }

  function save() {
    const address = URL.createObjectURL(new Blob([evidenceFile()], { type: "application/xml" }));
    make("a", { href: address, download: "evidence.xml" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  /* Which view: #m12 is a passage, #p3 a pair, #d2 a document. */

  function route() {
    const [, kind, digits] = /^#([mpd])([0-9]+)$/.exec(location.hash) || [];
    const at = digits - 1;
    const view = (kind === "m" && passages[at]) || (kind === "p" && pairs[at]) || (kind === "d" && documents[at]);
    if (!view) return false;
    if (kind === "d") show(null, view);
    else if (kind === "p" || shown.pair !== view.pair) show(kind === "p" ? view : view.pair, null);
    byId("reader").scrollIntoView({ block: "start", behavior: "instant" });
    const passage = kind === "m" ? view : kind === "p" && stepped()[0];
    if (passage) go(passage);
    return true;
  }

  function show(pair, entry) {
    shown.listsAll = false;
    if (pair) showPair(pair); else showDocument(entry);
    byId("view").value = pair ? `p${pair.place + 1}` : `d${entry.place + 1}`;
  }

  function fillViews() {
    const withPassages = pairs.filter((pair) => counting(pair.passages).length);
    const short = (entry) => entry.name.split("/").pop();
    const shared = [...new Set(withPassages.flatMap((pair) => pair.sides))].sort((one, other) => documentShare(other) - documentShare(one));
    byId("view").append(
      make("optgroup", { label: "Two documents side by side" }, ...withPassages.map((pair) => (
        make("option", { value: `p${pair.place + 1}` }, `${pair.sides.map(short).join(" – ")} (${counted(pair.passages.length, "passage")})`)))),
      make("optgroup", { label: "One document with its sources" }, ...shared.map((entry) => (
        make("option", { value: `d${entry.place + 1}` }, `${short(entry)} (${percent(documentShare(entry))})`)))));
    return withPassages;
  }

  const first = fillViews();
  byId("view").onchange = (event) => { location.hash = `#${event.target.value}`; };
  byId("previous").onclick = () => step(-1);
  byId("next").onclick = () => step(1);
  byId("save").onclick = save;
  byId("choose").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", route);
  addEventListener("resize", () => shown.redraw());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "x" && shown.current) leave([shown.current], shown.current.reason ? "" : shown.reason);
  });
  if (!route() && pairs.length) show(first[0] || pairs[0], null);
  data.evidenceFile = evidenceFile;
}
