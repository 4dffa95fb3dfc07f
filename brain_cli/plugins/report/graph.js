"use strict";
// Draw the graph of notes: notes that link to each other pull together, all others push apart.
(() => {
  const failed = (event) => { document.documentElement.dataset.error = event.message || String(event.reason); };
  window.addEventListener("error", failed);
  window.addEventListener("unhandledrejection", failed);

  const data = JSON.parse(document.getElementById("graph-data").textContent);
  const canvas = document.getElementById("graph");
  const controls = document.getElementById("graph-controls");
  const status = document.getElementById("graph-status");
  const noteBox = document.getElementById("graph-note");
  const brush = canvas.getContext("2d");
  const MAX_UNLINKED_AT_FIRST = 300;
  const TICKS = 240;
  const MAX_NAMES = 400;

  const placed = (node, place) => ({
    ...node, place, degree: 0, neighbours: [], shown: true,
    // A sunflower's spiral: every note begins at a place of its own.
    x: 24 * Math.sqrt(place) * Math.cos(place * 2.399963), y: 24 * Math.sqrt(place) * Math.sin(place * 2.399963),
    dx: 0, dy: 0,
  });
  function joined(nodes, pairs) {
    const edges = pairs.map(([one, other, isLink]) => ({ one: nodes[one], other: nodes[other], isLink }));
    for (const { one, other, isLink } of edges) {
      one.neighbours.push(other);
      other.neighbours.push(one);
      one.degree += isLink;
      other.degree += isLink;
    }
    return { nodes, edges };
  }
  const notes = joined(data.nodes.map(placed), data.edges);

  // Above MAX_NOTES, groups are drawn at first: folders or, where most notes are in one, their commonest tags.
  const MAX_NOTES = 500;
  const MAX_GROUPS = 60;
  const REST = "others";
  function grouped(nameOf) {
    const sizes = new Map();
    for (const node of notes.nodes) sizes.set(nameOf(node), (sizes.get(nameOf(node)) || 0) + 1);
    const names = [...sizes.keys()].sort((a, b) => sizes.get(b) - sizes.get(a)).slice(0, MAX_GROUPS);
    const known = new Set(names);
    return { of: (node) => known.has(nameOf(node)) ? nameOf(node) : REST, share: sizes.get(names[0]) / notes.nodes.length };
  }
  const folder = (depth) => (node) => node.path.split("/").slice(0, -1).slice(0, depth).join("/") || "/";
  const uses = new Map();
  for (const tag of notes.nodes.flatMap((node) => node.tags)) uses.set(tag, (uses.get(tag) || 0) + 1);
  const commonest = (node) => node.tags.reduce((a, b) => (uses.get(b) > (uses.get(a) || 0) ? b : a), "") || "no tag";
  const ways = [grouped(folder(1)), grouped(folder(2)), grouped(commonest)];
  const way = ways.find(({ share }) => share < 0.3) || ways.reduce((a, b) => (b.share < a.share ? b : a));
  function groupGraph() {
    const members = new Map();
    for (const node of notes.nodes) members.set(way.of(node), [...(members.get(way.of(node)) || []), node]);
    const names = [...members.keys()];
    const nodes = names.map((name, place) => placed({
      title: `${name} (${members.get(name).length})`, group: name, size: members.get(name).length, kind: "", tags: [],
      strength: members.get(name).reduce((sum, node) => sum + node.strength, 0) / members.get(name).length,
    }, place));
    const places = new Map(names.map((name, place) => [name, place]));
    const pairs = new Map();
    for (const { one, other, isLink } of notes.edges) {
      const [a, b] = [places.get(way.of(one)), places.get(way.of(other))].sort((x, y) => x - y);
      if (a !== b && isLink) pairs.set(`${a} ${b}`, [a, b, isLink]);
    }
    return joined(nodes, [...pairs.values()]);
  }
  const hasGroups = notes.nodes.length > MAX_NOTES;
  const groups = hasGroups ? groupGraph() : null;
  let { nodes, edges } = groups || notes;
  const largest = hasGroups ? Math.max(...groups.nodes.map((node) => node.size)) : 1;
  const radius = (node) => node.group ? 4 + 32 * Math.sqrt(node.size / largest) : 3 + Math.min(9, Math.sqrt(node.degree));
  const view = { x: 0, y: 0, scale: 1, touched: false };
  let selected = null;
  let ticksLeft = TICKS;
  let drawing = false;

  // ---- Layout --------------------------------------------------------------------------------------------------

  const CELL = 150;
  const PUSH = 220;
  const LINK_LENGTH = 70;
  function pushApart(shown, heat) {
    const cells = new Map();
    const key = (x, y) => `${x},${y}`;
    for (const node of shown) {
      node.cellX = Math.floor(node.x / CELL);
      node.cellY = Math.floor(node.y / CELL);
      const name = key(node.cellX, node.cellY);
      if (!cells.has(name)) cells.set(name, []);
      cells.get(name).push(node);
    }
    for (const node of shown) {
      for (let x = node.cellX - 1; x <= node.cellX + 1; x++) {
        for (let y = node.cellY - 1; y <= node.cellY + 1; y++) {
          for (const other of cells.get(key(x, y)) || []) if (other !== node) push(node, other, heat);
        }
      }
    }
  }
  function push(node, other, heat) {
    const dx = node.x - other.x || 0.01 * (node.place - other.place);
    const dy = node.y - other.y;
    const distance = Math.max(1, dx * dx + dy * dy);
    if (distance > CELL * CELL) return;
    const force = heat * PUSH * (node.group ? 4 : 1) / distance;
    node.dx += dx * force;
    node.dy += dy * force;
  }
  function pullTogether(heat) {
    for (const { one, other, isLink } of edges) {
      if (!one.shown || !other.shown || (!isLink && !controls.together.checked)) continue;
      const dx = other.x - one.x;
      const dy = other.y - one.y;
      const distance = Math.hypot(dx, dy) || 1;
      // A note with many links is pulled less by each of them.
      const length = one.group ? LINK_LENGTH + radius(one) + radius(other) : LINK_LENGTH;
      const force = heat * (distance - length) / distance * 0.5 / Math.sqrt(1 + Math.min(one.degree, other.degree));
      one.dx += dx * force; one.dy += dy * force;
      other.dx -= dx * force; other.dy -= dy * force;
    }
  }
  function tick() {
    const heat = ticksLeft / TICKS;
    const shown = nodes.filter((node) => node.shown);
    pushApart(shown, heat);
    pullTogether(heat);
    for (const node of shown) {
      const length = Math.hypot(node.dx, node.dy);
      const step = length > 30 ? 30 / length : 1;
      node.x += node.dx * step - node.x * 0.01 * heat;
      node.y += node.dy * step - node.y * 0.01 * heat;
      node.dx = node.dy = 0;
    }
    ticksLeft -= 1;
  }

  // ---- Drawing -------------------------------------------------------------------------------------------------

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    brush.setTransform(ratio, 0, 0, ratio, 0, 0);
    brush.fillStyle = colour("paper");
    brush.fillRect(0, 0, width, height);
    brush.translate(width / 2 + view.x, height / 2 + view.y);
    brush.scale(view.scale, view.scale);
    drawEdges();
    drawNodes();
    drawNames();
  }
  function drawEdges() {
    brush.lineWidth = 1 / view.scale;
    for (const isLink of [0, 1]) {
      if (!isLink && !controls.together.checked) continue;
      brush.strokeStyle = colour(isLink ? "edge" : "together");
      brush.beginPath();
      for (const edge of edges) {
        if (edge.isLink !== isLink || !edge.one.shown || !edge.other.shown) continue;
        brush.moveTo(edge.one.x, edge.one.y);
        brush.lineTo(edge.other.x, edge.other.y);
      }
      brush.stroke();
    }
  }
  function drawNodes() {
    const near = new Set(selected ? selected.neighbours : []);
    const [notes, useful, ink] = ["notes", "useful", "ink"].map(colour);
    for (const node of nodes) {
      if (!node.shown) continue;
      // What fades is paler.
      brush.globalAlpha = selected && node !== selected && !near.has(node) ? 0.2 : 0.3 + 0.7 * node.strength;
      brush.fillStyle = node === selected ? ink : near.has(node) ? useful : notes;
      brush.beginPath();
      brush.arc(node.x, node.y, radius(node), 0, 7);
      brush.fill();
    }
    brush.globalAlpha = 1;
  }
  function drawNames() {
    const shown = nodes.filter((node) => node.shown);
    const first = selected ? [selected, ...selected.neighbours.slice(0, 20)].filter((node) => node.shown) : [];
    const others = selected ? [] : shown.sort((a, b) => (b.size || b.degree) - (a.size || a.degree)).slice(0, MAX_NAMES);
    const taken = [];
    brush.fillStyle = colour("ink");
    brush.font = `${12 / view.scale}px system-ui, sans-serif`;
    for (const node of [...first, ...others]) drawName(node, taken);
  }
  // A name is left out where it would stand upon another: zoomed in, there is room for more.
  function drawName(node, taken) {
    const name = node.title.length > 36 ? `${node.title.slice(0, 35)}…` : node.title;
    const left = node.x + radius(node) + 2;
    const box = [left, node.y - 8 / view.scale, left + brush.measureText(name).width, node.y + 8 / view.scale];
    if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
    taken.push(box);
    brush.fillText(name, left, node.y + 4 / view.scale);
  }
  function fit() {
    const shown = nodes.filter((node) => node.shown);
    if (!shown.length) return;
    const xs = shown.map((node) => node.x);
    const ys = shown.flatMap((node) => [node.y - radius(node), node.y + radius(node)]);
    const [left, right, top, bottom] = [xs, ys].flatMap((all) => [
      all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b)),
    ]);
    view.scale = Math.min(2, canvas.clientWidth / (right - left + 160), canvas.clientHeight / (bottom - top + 60));
    view.x = -(left + right) / 2 * view.scale;
    view.y = -(top + bottom) / 2 * view.scale;
  }
  function redraw() {
    if (drawing) return;
    drawing = true;
    // A timer, because browsers hold back animation frames of a page that nobody sees or that is only printed.
    setTimeout(() => {
      drawing = false;
      if (ticksLeft > 0) {
        // Who wants less motion sees only the result.
        const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
        for (let count = quiet ? TICKS : 8; count && ticksLeft > 0; count--) tick();
        if (!view.touched) fit();
        redraw();
      } else {
        document.documentElement.dataset.state = "ready";
      }
      draw();
    }, 16);
  }

  // ---- Controls ------------------------------------------------------------------------------------------------

  function option(parent, value) {
    const made = document.createElement("option");
    made.value = made.textContent = value;
    parent.append(made);
  }
  const counted = (lists) => [...new Set(lists.flat())].sort();
  for (const kind of counted(notes.nodes.map((node) => node.kind))) option(controls.kind, kind);
  for (const tag of counted(notes.nodes.map((node) => node.tags))) option(document.getElementById("graph-tags"), tag);
  for (const { group } of hasGroups ? [...groups.nodes].sort((a, b) => b.size - a.size) : []) option(controls.group, group);
  controls.group.parentElement.hidden = !hasGroups;

  function filter() {
    const { kind, tag, group, unlinked, together } = controls;
    const before = nodes;
    const isWhole = hasGroups && !kind.value && !tag.value && !group.value;
    ({ nodes, edges } = isWhole ? groups : notes);
    if (nodes !== before) [selected, view.touched] = [null, false];
    let shown = 0;
    for (const node of nodes) {
      const joined = together.checked ? node.neighbours.length : node.degree;
      node.shown = isWhole || ((!kind.value || node.kind === kind.value) && (!group.value || way.of(node) === group.value)
        && (!tag.value || node.tags.includes(tag.value.replace(/^#/, ""))) && (unlinked.checked || joined > 0));
      shown += node.shown;
    }
    if (selected && !selected.shown) select(null);
    status.textContent = isWhole
      ? `${notes.nodes.length} notes in ${nodes.length} groups; choose one to see its notes`
      : `${shown} of ${notes.nodes.length} notes shown`;
    ticksLeft = Math.max(ticksLeft, TICKS / 2);
    remember();
    redraw();
  }
  // The filters stand in the address, so that a view can be kept as a bookmark.
  function remember() {
    const kept = new URLSearchParams();
    for (const name of ["kind", "tag", "group"]) if (controls[name].value) kept.set(name, controls[name].value);
    if (String(kept)) history.replaceState(null, "", `#${kept}`);
    else if (location.hash.includes("=")) history.replaceState(null, "", location.pathname);
  }
  function select(node) {
    if (node && node.group) {
      controls.group.value = node.group;
      filter();
      return;
    }
    selected = node;
    noteBox.replaceChildren();
    if (node) noteBox.append(described(node));
    redraw();
  }
  function described(node) {
    const box = document.createElement("p");
    const link = document.createElement("a");
    link.href = node.link;
    link.textContent = node.title;
    const about = `, ${node.kind}, strength ${node.strength.toFixed(2)}, ${node.path}. Next to it: `;
    box.append(link, about, ...node.neighbours.slice(0, 30).flatMap((other) => [button(other), " "]));
    if (!node.neighbours.length) box.append("no other note");
    return box;
  }
  function button(node) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = node.title;
    made.addEventListener("click", () => select(node));
    return made;
  }
  function find() {
    const words = controls.find.value.trim().toLowerCase();
    const has = (node) => node.title.toLowerCase().includes(words);
    if (words && nodes !== notes.nodes && notes.nodes.some(has)) {
      controls.group.value = way.of(notes.nodes.find(has));
      filter();
    }
    const found = words && nodes.find((node) => node.shown && has(node));
    select(found || null);
    status.textContent = !words ? "" : found ? `${found.title} is selected` : `No shown note is called “${words}”`;
    if (found) {
      view.touched = true;
      view.x = -found.x * view.scale;
      view.y = -found.y * view.scale;
    }
  }
  function zoom(factor) {
    if (!factor) {
      view.touched = false;
      fit();
    } else {
      view.touched = true;
      for (const name of ["x", "y", "scale"]) view[name] *= factor;
    }
    redraw();
  }
  function move(dx, dy) {
    view.touched = true;
    view.x += dx;
    view.y += dy;
    redraw();
  }

  for (const name of ["kind", "tag", "group", "unlinked", "together"]) controls[name].addEventListener("change", filter);
  controls.find.addEventListener("input", find);
  controls.addEventListener("submit", (event) => event.preventDefault());
  for (const each of controls.querySelectorAll("[data-zoom]")) {
    each.addEventListener("click", () => zoom(Number(each.dataset.zoom)));
  }
  const keys = {
    ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60),
    ArrowDown: () => move(0, -60), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => zoom(0),
    Escape: () => select(null),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  canvas.addEventListener("wheel", (event) => {
    // A page scrolls past the graph; with Ctrl, or once the graph has the focus, the wheel zooms.
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.1 : 0.9);
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    held = { x: event.clientX, y: event.clientY, moved: held.moved || Math.hypot(dx, dy) > 2 };
    move(dx, dy);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) select(nodeAt(event));
    held = null;
  });
  function nodeAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - box.width / 2 - view.x) / view.scale;
    const y = (event.clientY - box.top - box.height / 2 - view.y) / view.scale;
    const near = nodes.filter((node) => node.shown && Math.hypot(node.x - x, node.y - y) < radius(node) + 4 / view.scale);
    return near[0] || null;
  }
  for (const name of ["resize", "beforeprint", "afterprint"]) window.addEventListener(name, draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw);

  const asked = new URLSearchParams(location.hash.slice(1));
  controls.kind.value = asked.get("kind") || "";
  controls.tag.value = asked.get("tag") || "";
  controls.group.value = asked.get("group") || "";
  controls.unlinked.checked = notes.nodes.filter((node) => !node.neighbours.length).length <= MAX_UNLINKED_AT_FIRST;
  filter();
})();
