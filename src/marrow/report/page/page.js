"use strict";
// Draws the report from the data in the page. Everything that comes from outside (texts, names,
// what a test printed) goes into the page as text, never as markup.
const pristine = { header: document.querySelector("header").cloneNode(true), main: document.querySelector("main").cloneNode(true) };
const draw = (data, state) => {
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en-US");
  const share = (part, whole) => (whole ? (100 * part / whole).toFixed(part < whole / 10 ? 2 : 1) + "%" : "");

  // ---- texts: bytes, as offsets are; made visible on the way to the screen

  const bytesOf = (stored) =>
    typeof stored === "string"
      ? new TextEncoder().encode(stored)
      : Uint8Array.from(atob(stored.base64), (letter) => letter.charCodeAt(0));

  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
  const visible = (text) => text.replace(hidden, (letter) => {
    const code = letter.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "\u2421" : `\u2039U+${code.toString(16).toUpperCase().padStart(4, "0")}\u203a`;
  });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // A piece never begins or ends within a character.
  const whole = (bytes, at) => {
    let place = at;
    while (place > 0 && place < bytes.length && at - place < 3 && (bytes[place] & 0xc0) === 0x80) place--;
    return place;
  };
  // Binary data: two digits a byte, sixteen bytes a line.
  const digits = (bytes) => Array.from(bytes, (one) => one.toString(16).padStart(2, "0"));
  const hex = (bytes) => digits(bytes).join(" ");
  const dump = (bytes, across = 16) => {
    const rows = [];
    for (let at = 0; at < bytes.length; at += across) {
      const some = bytes.subarray(at, at + across);
      const letters = Array.from(some, (one) => (one > 31 && one < 127 ? String.fromCharCode(one) : ".")).join("");
      rows.push(`${at.toString(16).padStart(8, "0")}  ${digits(some).join(" ").padEnd(3 * across - 1)}  ${letters}`);
    }
    return rows.join("\n");
  };
  const onScreen = (bytes) => dump(bytes, innerWidth < 560 ? 8 : 16);
  const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  const isText = (bytes) => {
    try {
      return !strict.decode(bytes).includes("\0");
    } catch {
      return false;
    }
  };
  // A set of files is one text: a line with the mode and name comes before each file.
  const spelled = (name) => {
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // what is not UTF-8 stays as it is written
    }
  };
  const files = (bytes) => {
    const found = [];
    let at = 0;
    for (let next = 0; next >= 0; ) {
      next = bytes.indexOf(10, next);
      if (next < 0) break;
      next++;
      if (bytes[next] === 61 && bytes[next + 1] === 61 && bytes[next + 2] === 62) {
        found.push(bytes.subarray(at, next));
        at = next;
      }
    }
    found.push(bytes.subarray(at));
    return found;
  };
  const shownFile = (bytes) => {
    if (isText(bytes)) return visible(strict.decode(bytes).replace(/^==> [0-7]+ (.*)/gm, (_, name) => `── ${spelled(name)}`).replace(/^>(>*==> )/gm, "$1"));
    const headed = bytes[0] === 61 && bytes.indexOf(10) >= 0 ? bytes.indexOf(10) + 1 : 0;
    return (headed ? shownFile(bytes.subarray(0, headed)) : "") + hex(bytes.subarray(headed)) + "\n";
  };
  const shown = (bytes, start, end) => {
    if (data.binary) return end > start ? hex(bytes.subarray(start, end)) + " " : "";
    const some = bytes.subarray(whole(bytes, start), whole(bytes, end));
    return data.files ? files(some).map(shownFile).join("") : visible(decoder.decode(some));
  };

  const make = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const row = (cells, head) => {
    const made = make("tr");
    for (const cell of cells) {
      if (cell instanceof Node) made.append(cell);
      else made.append(make(head ? "th" : "td", "", String(cell)));
    }
    return made;
  };

  // ---- steps

  const original = bytesOf(data.input.text);
  const steps = data.steps.map((step) => ({
    ...step,
    changes: step.changes.map(([start, end, text]) => ({ start, end, text: bytesOf(text) })),
  }));
  const apply = (before, changes) => {
    const grown = changes.reduce((sum, change) => sum + change.text.length - (change.end - change.start), 0);
    const after = new Uint8Array(before.length + grown);
    let read = 0, write = 0;
    for (const change of changes) {
      after.set(before.subarray(read, change.start), write);
      write += change.start - read;
      after.set(change.text, write);
      write += change.text.length;
      read = change.end;
    }
    after.set(before.subarray(read), write);
    return after;
  };
  // Every 16th text is kept: the rest is made from the one before it.
  const checkpoints = [original];
  const textAfter = (count) => {
    const last = Math.min(Math.floor(count / 16), checkpoints.length - 1);
    let text = checkpoints[last];
    for (let index = last * 16; index < count; index++) {
      text = apply(text, steps[index].changes);
      if ((index + 1) % 16 === 0 && (index + 1) / 16 === checkpoints.length) checkpoints.push(text);
    }
    return text;
  };

  const passNames = data.passes.map((one) => one.name);
  // Twelve hues, five apart from one pass to the next; neighbours among the hues differ in lightness
  // too, and the second dozen has the other lightness of each.
  const passColour = (name) => {
    const at = Math.max(0, passNames.indexOf(name));
    return `oklch(var(--line-${(at + Math.floor(at / 12)) % 2 ? "light" : "dark"}) 0.16 ${255 + at * 150})`;
  };

  // ---- head

  byId("title").textContent = visible(data.title);
  byId("state").textContent = data.live && !data.ended ? "Running." : visible(data.state);
  for (const [name, before, after] of data.figures) {
    const box = make("div");
    const value = make("dd");
    if (after === null) value.textContent = number(before);
    else value.append(`${number(before)} → ${number(after)} `, make("small", "", after > before ? "" : share(after, before)));
    box.append(make("dt", "", name), value);
    byId("figures").append(box);
  }

  // ---- pattern

  const drawPattern = (pattern) => {
    byId("pattern-section").hidden = false;
    byId("pattern-title").textContent = pattern.title ?? "Pattern";
    byId("evidence").open = !pattern.title; // what is found out beside a reduction is for those who ask
    for (const [text, mark] of pattern.segments) {
      byId("pattern").append(make("span", `mark-${mark}`, visible(text)));
    }
    byId("pattern-note").textContent = visible(pattern.note);
    const table = byId("pattern-table");
    table.append(row(["node", "is", "failed", "passed", "unresolved", "samples that failed", "a counter-example"], true));
    for (const node of pattern.nodes) {
      const words = (text) => make("td", "words", visible(text));
      table.append(row([words(node.name), words(node.mark), node.failing, node.passing, node.unresolved,
        words(node.samples.join("\n")), words(node.counterexample ?? node.reason)]));
    }
  };
  if (data.pattern) drawPattern(data.pattern);

  // ---- curve

  const svg = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  // As wide as its place, so that its words are readable on a phone too.
  let width = 1100;
  const height = 300, left = 58, right = 12, top = 10, bottom = 28;
  const lastTest = Math.max(data.tests, 1);
  // Sizes are in what the run makes small: tokens, or bytes. By hand a step may be larger than all before it.
  const sizeOf = (step) => (data.unit === "bytes" ? step.bytes : step.tokens);
  const inputSize = data.unit === "bytes" ? data.input.length : data.input.tokens;
  const unit = (count) => (count === 1 ? data.unit.replace(/s$/, "") : data.unit);
  const sizes = [inputSize, ...steps.map(sizeOf)];
  const least = Math.max(1, sizes.reduce((one, two) => Math.min(one, two)));
  const most = Math.max(sizes.reduce((one, two) => Math.max(one, two)), least + 1);
  const logLeast = Math.log10(least) - 0.05, logMost = Math.log10(most) + 0.03;
  const x = (tests) => left + (width - left - right) * tests / lastTest;
  const y = (size) =>
    top + (height - top - bottom) * (logMost - Math.log10(Math.max(size, least))) / (logMost - logLeast);
  const here = svg("line", { class: "here", y1: top, y2: height - bottom });

  const drawGrid = (chart) => {
    for (let power = Math.floor(logLeast); power <= Math.ceil(logMost); power++) {
      for (const factor of [1, 2, 5]) {
        const size = factor * 10 ** power;
        if (size < least || size > most || (factor !== 1 && logMost - logLeast > 2.2)) continue;
        chart.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(size), y2: y(size) }));
        chart.append(svg("text", { x: left - 6, y: y(size) + 4, "text-anchor": "end" }, number(size)));
      }
    }
    const rough = lastTest / Math.max(2, Math.floor(width / 130)), unit = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const pace = unit * ([1, 2, 5, 10].find((factor) => factor * unit >= rough) ?? 10);
    for (let tests = 0; tests <= lastTest; tests += pace) {
      const anchor = x(tests) > width - 40 ? "end" : "middle";
      chart.append(svg("text", { x: x(tests), y: height - 10, "text-anchor": anchor }, number(tests)));
    }
  };
  const drawCurve = () => {
    const chart = byId("curve");
    chart.replaceChildren();
    width = Math.max(260, Math.min(1100, chart.clientWidth));
    chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawGrid(chart);
    // The line takes the colour of the pass whose turn it is, between successes too.
    let size = inputSize, next = 0;
    const turns = data.turns.length ? data.turns : [[0, passNames[0] ?? ""]];
    turns.forEach(([from, name], index) => {
      const until = index + 1 < turns.length ? turns[index + 1][0] : data.tests;
      let line = `M${x(from).toFixed(1)} ${y(size).toFixed(1)}`;
      while (next < steps.length && (steps[next].tests <= until || index + 1 === turns.length)) {
        line += `H${x(steps[next].tests).toFixed(1)}`;
        size = sizeOf(steps[next]);
        line += `V${y(size).toFixed(1)}`;
        next++;
      }
      chart.append(svg("path", { d: `${line}H${x(until).toFixed(1)}`, style: `stroke:${passColour(name)}` }));
    });
    // More dots cannot be distinguished; the slider reaches the others.
    const stride = Math.ceil(steps.length / 400);
    steps.forEach((step, index) => {
      if (index % stride) return;
      const dot = svg("circle", { class: "dot", cx: x(step.tests), cy: y(sizeOf(step)), r: 3, style: `fill:${passColour(step.pass)}` });
      dot.append(svg("title", {}, visible(`step ${index + 1}: ${number(sizeOf(step))} ${unit(sizeOf(step))}, ${step.pass}`)));
      dot.addEventListener("click", () => go(index + 1));
      chart.append(dot);
    });
    chart.append(here);
  };
  const drawPasses = () => {
    const table = byId("passes");
    table.append(row(["pass", "tests", "successes", `${data.unit} removed`, "tests for a success"], true));
    for (const one of data.passes) {
      const name = make("td");
      const swatch = make("span", "swatch");
      swatch.style.background = passColour(one.name);
      name.append(swatch, visible(one.name));
      table.append(row([name, number(one.tests), number(one.successes), number(one.removed),
        one.successes ? (one.tests / one.successes).toFixed(1) : ""]));
    }
  };

  // ---- one step, side by side

  const context = 2;      // lines around a change
  const longest = 80;     // lines of a piece, of which the first and last are shown
  const mostPlaces = 150; // places of a step
  const lineStart = (bytes, at, lines) => {
    let place = at;
    for (let count = 0; count <= lines && place > 0; count++) place = bytes.lastIndexOf(10, place - 1 - (count > 0 ? 1 : 0)) + 1;
    return Math.max(place, 0);
  };
  const lineEnd = (bytes, at, lines) => {
    let place = at;
    for (let count = 0; count <= lines; count++) {
      const found = bytes.indexOf(10, place);
      if (found < 0) return bytes.length;
      place = found + 1;
    }
    return place;
  };
  const lineNumber = (bytes, at) => {
    let count = 1;
    for (let place = bytes.indexOf(10); place >= 0 && place < at; place = bytes.indexOf(10, place + 1)) count++;
    return count;
  };
  // In a set of files, lines are those of the file.
  const placeIn = (bytes, at) => {
    let start = 0, name = "";
    for (const file of files(bytes)) {
      if (start > at) break;
      const found = /^==> [0-7]+ (.*)$/m.exec(decoder.decode(file.subarray(0, Math.max(0, file.indexOf(10)))));
      if (found) name = spelled(found[1]);
      if (at < start + file.length) {
        const line = lineNumber(file, at - start) - 1;
        return line > 0 && isText(file) ? `${visible(name)}, line ${number(line)}` : visible(name);
      }
      start += file.length;
    }
    return visible(name);
  };
  const piece = (text, className) => {
    const lines = text.split("\n");
    if (lines.length <= longest) return [make("span", className, text)];
    const cut = lines.length - longest;
    return [
      make("span", className, lines.slice(0, longest - 10).join("\n")),
      make("span", "more", `\n… ${number(cut)} more lines …\n`),
      make("span", className, lines.slice(-10).join("\n")),
    ];
  };
  const hunks = (before, changes) => {
    const found = [];
    let moved = 0;
    for (const change of changes) {
      const last = found[found.length - 1];
      const start = data.binary ? Math.max(0, change.start - 16) : lineStart(before, change.start, context);
      const end = data.binary ? Math.min(before.length, change.end + 16) : lineEnd(before, change.end, context);
      const placed = { ...change, moved };
      if (last && start <= last.end) {
        last.changes.push(placed);
        last.end = Math.max(last.end, end);
      } else found.push({ start, end, changes: [placed] });
      moved += change.text.length - (change.end - change.start);
    }
    return found;
  };
  const drawHunk = (before, after, hunk) => {
    const box = make("div", "hunk");
    const at0 = hunk.changes[0].start;
    box.append(make("div", "where", data.binary ? `byte ${number(at0)} (0x${at0.toString(16)})` : data.files ? placeIn(before, at0) : `line ${number(lineNumber(before, at0))}`));
    const old = make("pre"), fresh = make("pre");
    let at = hunk.start;
    for (const change of hunk.changes) {
      const same = shown(before, at, change.start);
      old.append(...piece(same, ""), ...piece(shown(before, change.start, change.end), "gone"));
      const place = change.start + change.moved;
      fresh.append(...piece(same, ""), ...piece(shown(after, place, place + change.text.length), "come"));
      at = change.end;
    }
    const rest = shown(before, at, hunk.end);
    old.append(...piece(rest, ""));
    fresh.append(...piece(rest, ""));
    box.append(old, fresh);
    return box;
  };
  const slider = byId("slider");
  const drawStep = (count) => {
    const step = steps[count - 1];
    const before = textAfter(count - 1), after = apply(before, step.changes);
    const were = count > 1 ? sizeOf(steps[count - 2]) : inputSize;
    const bytes = data.unit === "bytes" ? "" : `, ${number(step.bytes)} bytes`;
    byId("step").textContent = visible(
      `Step ${number(count)} of ${number(steps.length)} · ${step.pass}${step.phase ? ": " + step.phase : ""} · ` +
      `test ${number(step.tests)} · ${number(were)} → ${number(sizeOf(step))} ${unit(sizeOf(step))}${bytes}`);
    const places = hunks(before, step.changes);
    byId("diff").replaceChildren(...places.slice(0, mostPlaces).map((hunk) => drawHunk(before, after, hunk)));
    if (places.length > mostPlaces) {
      byId("diff").append(make("p", "more", `… ${number(places.length - mostPlaces)} more places …`));
    }
    here.setAttribute("x1", x(step.tests));
    here.setAttribute("x2", x(step.tests));
  };
  const go = (count) => {
    slider.value = Math.min(Math.max(count, 1), steps.length);
    drawStep(Number(slider.value));
  };

  // ---- the original, by when each part went

  const whenGone = () => {
    // What is left of the original, as runs [start in the original or -1, length].
    let runs = [[0, original.length]];
    const gone = [];
    steps.forEach((step, index) => {
      const next = [];
      let at = 0, number = 0, used = 0;
      const take = (until, keep) => {
        while (at < until) {
          const [start, length] = runs[number];
          const size = Math.min(length - used, until - at);
          if (keep) next.push([start < 0 ? -1 : start + used, size]);
          else if (start >= 0) gone.push([start + used, size, index + 1]);
          at += size;
          used += size;
          if (used === length) { number++; used = 0; }
        }
      };
      for (const change of step.changes) {
        take(change.start, true);
        take(change.end, false);
        if (change.text.length) next.push([-1, change.text.length]);
      }
      if (number < runs.length) {
        const [start, length] = runs[number];
        next.push([start < 0 ? -1 : start + used, length - used]);
        for (let rest = number + 1; rest < runs.length; rest++) next.push(runs[rest]);
      }
      runs = next;
    });
    for (const [start, length] of runs) if (start >= 0) gone.push([start, length, 0]);
    gone.sort((one, other) => one[0] - other[0]);
    const merged = [];
    for (const part of gone) {
      const last = merged[merged.length - 1];
      if (last && last[2] === part[2] && last[0] + last[1] === part[0]) last[1] += part[1];
      else merged.push(part.slice());
    }
    return merged;
  };
  // From blue (at once) to red (at the end); steps late in a run are small, so by the step's rank.
  const hue = (step) => 230 - 215 * (steps.length > 1 ? (step - 1) / (steps.length - 1) : 0);
  const drawOriginal = () => {
    const box = byId("original");
    const chunkSize = 8192; // bytes drawn together; what is not on the screen costs nothing
    let chunk = null, filled = chunkSize;
    for (const [start, length, step] of whenGone()) {
      let at = start;
      while (at < start + length) {
        if (filled >= chunkSize) {
          chunk = make("div", "chunk");
          box.append(chunk);
          filled = 0;
        }
        // A chunk is a block, so it ends with a line.
        const newline = original.indexOf(10, at + chunkSize - filled);
        const end = newline < 0 ? start + length : Math.min(start + length, newline + 1);
        const span = make("span", step ? "part" : "kept", shown(original, at, end));
        if (step) {
          span.style.setProperty("--hue", hue(step).toFixed(0));
          span.dataset.step = step;
        }
        chunk.append(span);
        filled = newline >= 0 && end === newline + 1 ? chunkSize : Math.min(filled + end - at, chunkSize - 1);
        at = end;
      }
    }
    box.addEventListener("click", (event) => {
      const step = event.target.dataset?.step;
      if (step) {
        go(Number(step));
        byId("steps-section").scrollIntoView();
      }
    });
    for (let index = 0; index < 24; index++) {
      const mark = make("i");
      mark.style.setProperty("--hue", (230 - 215 * index / 23).toFixed(0));
      byId("ramp").append(mark);
    }
  };

  // ---- the failure and the small input

  const drawFailure = (failure) => {
    byId("failure-section").hidden = false;
    byId("kept").textContent = visible(failure.kept);
    byId("ending").textContent = visible(failure.ending);
    byId("output").hidden = !failure.output;
    byId("output").textContent = visible(failure.output);
  };
  if (data.failure) drawFailure(data.failure);
  if (data.also.length) {
    byId("also").hidden = false;
    byId("also").querySelector("summary").textContent =
      data.also.length === 1 ? "Another failure was seen" : `${number(data.also.length)} other failures were seen`;
    byId("also").querySelector("ul").append(...data.also.map((one) => make("li", "", visible(one))));
  }

  if (data.contrasts?.length) {
    byId("contrasts").hidden = false;
    byId("contrasts").append(...data.contrasts.map(([before, fails, passes, after]) => {
      const pair = make("p", "contrast");
      for (const [name, kind, piece] of [["fails", "del", fails], ["passes", "ins", passes]]) {
        const line = make("code");
        line.append(visible(before), make(kind, "", visible(piece)), visible(after));
        pair.append(make("span", "note", name), line);
      }
      return pair;
    }));
  }

  const filesOf = (bytes) => {
    const found = new Map();
    for (const file of files(bytes)) {
      const first = file.indexOf(10);
      const name = /^==> [0-7]+ (.*)$/.exec(decoder.decode(file.subarray(0, Math.max(first, 0))));
      // The line break after the content belongs to the set.
      if (name) found.set(spelled(name[1]), file.subarray(first + 1, Math.max(first + 1, file.length - 1)));
    }
    return found;
  };
  const shownContent = (bytes) => (isText(bytes) ? visible(strict.decode(bytes).replace(/^>(>*==> )/gm, "$1")) : onScreen(bytes));
  const drawTree = (before, after) => {
    const root = { folders: new Map(), files: [] };
    for (const [name, text] of before) {
      const parts = name.split("/");
      let folder = root;
      for (const part of parts.slice(0, -1)) {
        if (!folder.folders.has(part)) folder.folders.set(part, { folders: new Map(), files: [] });
        folder = folder.folders.get(part);
      }
      folder.files.push([parts[parts.length - 1], name, text]);
    }
    const listed = (folder) => {
      const list = make("ul");
      for (const [name, inside] of folder.folders) {
        const item = make("li");
        item.append(make("span", "", `${visible(name)}/`), listed(inside));
        list.append(item);
      }
      for (const [name, path, text] of folder.files) {
        const item = make("li"), left = after.get(path);
        if (left === undefined) item.append(make("span", "lost", visible(name)), make("span", "note", ` ${number(text.length)} bytes, removed`));
        else {
          const details = make("details");
          details.open = true;
          details.append(make("summary", "", `${visible(name)}: ${number(text.length)} → ${number(left.length)} bytes`),
            make("pre", "text", shownContent(left)));
          item.append(details);
        }
        list.append(item);
      }
      return list;
    };
    byId("tree").hidden = false;
    byId("tree").replaceChildren(listed(root));
  };
  // What --explain found out about the pieces of a text, on the text itself.
  const classes = { needed: "known-needed", any: "known-any", same: "known-same" };
  const drawMarked = (bytes, pieces) => {
    byId("marks-legend").hidden = byId("marks").hidden = !pieces.length;
    const kinds = new Set(pieces.map((piece) => classes[piece.mark] ?? "known-unknown"));
    for (const one of byId("marks-legend").children) one.hidden = !kinds.has(one.className);
    byId("result").replaceChildren();
    byId("marks").replaceChildren();
    const said = new Set();
    let at = 0;
    for (const piece of pieces) {
      const text = shown(bytes, piece.start, piece.end);
      const span = make("span", classes[piece.mark] ?? "known-unknown", text);
      byId("result").append(shown(bytes, at, piece.start), span);
      at = piece.end;
      if (!piece.note || said.has(text + "\0" + piece.note)) continue;
      said.add(text + "\0" + piece.note);
      span.title = visible(piece.note);
      const item = make("li");
      item.append(make("code", classes[piece.mark] ?? "known-unknown", text),
        piece.mark === "same" ? " the same everywhere: " : " may be any ", visible(piece.note));
      byId("marks").append(item);
    }
    byId("result").append(shown(bytes, at, bytes.length));
  };
  const drawResult = () => {
    const raw = data.result === null ? textAfter(steps.length) : bytesOf(data.result);
    const pretty = data.pretty === null || data.pretty === undefined ? raw : bytesOf(data.pretty);
    byId("raw-label").hidden = pretty === raw;
    const drawn = () => {
      const bytes = byId("raw").checked ? raw : pretty;
      byId("result").hidden = Boolean(data.files);
      if (data.files) drawTree(filesOf(original), filesOf(bytes));
      else if (data.binary) byId("result").textContent = onScreen(bytes);
      else drawMarked(bytes, data.marks?.[bytes === raw && pretty !== raw ? "result" : "pretty"] ?? data.marks?.result ?? []);
      return bytes;
    };
    byId("raw").addEventListener("change", drawn);
    drawn();
    byId("copy").addEventListener("click", async () => {
      const bytes = drawn();
      const text = data.binary ? dump(bytes) : decoder.decode(bytes);
      let done = true;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Pages from files may not use the clipboard directly.
        const field = make("textarea");
        field.value = text;
        document.body.append(field);
        field.select();
        done = document.execCommand("copy");
        field.remove();
      }
      byId("copied").textContent = done ? "Copied." : "The browser did not allow it: select the text and copy it.";
    });
  };

  // ---- all of it

  if (steps.length) {
    drawCurve();
    state.resized = () => {
      drawCurve();
      drawStep(Number(slider.value));
    };
    drawPasses();
    const ran = data.figures.find(([name]) => name === "runs of the test in all")?.[1] ?? data.tests;
    byId("curve-note").textContent = ran > data.tests
      ? `${number(data.tests)} of the ${number(ran)} tests decided the steps. The others checked the input and the result, or ran ahead in parallel and were not needed.`
      : "";
    slider.max = steps.length;
    slider.addEventListener("input", () => drawStep(Number(slider.value)));
    byId("back").addEventListener("click", () => go(Number(slider.value) - 1));
    byId("forth").addEventListener("click", () => go(Number(slider.value) + 1));
    go(state.step && state.step <= steps.length ? state.step : 1);
  } else {
    byId("curve-section").hidden = true;
    byId("steps-section").hidden = true;
  }
  drawOriginal();
  drawResult();
  for (const [name, value] of data.about) byId("about").append(make("dt", "", name), make("dd", "", visible(value)));
  if (data.script !== null) {
    const script = bytesOf(data.script);
    byId("script").hidden = false;
    byId("script").textContent = shown(script, 0, script.length);
  }
  byId("save").addEventListener("click", () => {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(data)], { type: "application/json" }));
    link.download = "marrow-report.json";
    link.click();
  });
  document.documentElement.dataset.drawn = "yes";
};

const first = JSON.parse(document.getElementById("data").textContent);
let at = {}; // what the reader is at, and what to do when the window changes
draw(first, at);
addEventListener("resize", () => at.resized?.());

// ---- live: the same page during the run, with a few controls

if (first.live) {
  const byId = (id) => document.getElementById(id);
  let seen = first.live.version, last = first.live, ended = false;
  const ask = (what, body) =>
    fetch(what, { method: "POST", body: body ?? "", headers: { "X-Marrow": "1" } }).then((answer) => answer.json());
  const drawLive = () => {
    byId("live-section").hidden = false;
    byId("live-state").textContent = ended
      ? "The run has ended."
      : `${last.paused ? "Paused" : "Running"}: ${last.phase} · ${last.size.toLocaleString("en-US")} ${last.unit} · ${last.tests.toLocaleString("en-US")} tests · ${Math.round(last.seconds)} s${last.left && !last.paused ? ` · ${last.left}` : ""}`;
    byId("live-pause").textContent = last.paused ? "Continue" : "Pause";
    for (const id of ["live-pause", "live-skip", "live-stop", "live-edit"]) byId(id).disabled = ended;
  };
  const listen = () => {
    byId("live-pause").addEventListener("click", () => ask("pause").then(look));
    byId("live-skip").addEventListener("click", () => ask("skip").then(look));
    byId("live-stop").addEventListener("click", () => ask("stop").then(look));
    byId("live-edit").addEventListener("click", async () => {
      byId("live-answer").textContent = "Testing it …";
      byId("live-answer").textContent = (await ask("edit", byId("live-text").value)).answer;
      look();
    });
  };
  const redraw = (data) => {
    // What the user is at stays: the step, the place, the text under edit, the focus.
    const state = { step: Number(byId("slider").value) };
    const text = byId("live-text").value, answer = byId("live-answer").textContent;
    const open = document.querySelector("#live-section details").open, focus = document.activeElement?.id, place = scrollY;
    document.querySelector("header").replaceWith(pristine.header.cloneNode(true));
    document.querySelector("main").replaceWith(pristine.main.cloneNode(true));
    at = state;
    draw(data, state);
    byId("live-text").value = text;
    byId("live-answer").textContent = answer;
    document.querySelector("#live-section details").open = open;
    listen();
    if (focus) byId(focus)?.focus({ preventScroll: true });
    scrollTo(0, place);
  };
  const look = async () => {
    try {
      last = await (await fetch(`state?after=${seen}`, { cache: "no-store" })).json();
      if (last.data) {
        seen = last.version;
        redraw(last.data);
      }
      ended = last.ended;
    } catch {
      ended = true;
    }
    drawLive();
  };
  listen();
  drawLive();
  // Once a second is as often as people look; what has not changed is not sent again.
  const clock = setInterval(() => (ended ? clearInterval(clock) : look()), 1000);
}
