"use strict";

const ACTIONS = { y: "yes", n: "no", s: "skip", u: "undo" };
const DONE = {
  yes: "Together.", no: "Apart.", skip: "Skipped.", undo: "Taken back.", change: "Changed.", delete: "Deleted.", name: "Named.",
};
const at = (id) => document.getElementById(id);

let fixed = null;
let state = null;
let busy = false;
let steps = 0;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/* The first clusters have the colours that they have on maps; hues by the golden angle tell further ones apart. */
const LIGHT = ["#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];
const DARK = ["#4ea8e6", "#2fcb9a", "#e79cc6", "#9bd6fa", "#f2b93b"];

function colour(cluster) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (cluster < LIGHT.length) return (dark ? DARK : LIGHT)[cluster];
  const light = (dark ? 66 : 44) + (cluster % 2 ? 9 : -4);
  return `hsl(${Math.round(210 + cluster * 137.5) % 360} 65% ${light}%)`;
}

function cells(item) {
  const table = element("table");
  for (const [name, value, place] of item.cells) {
    const long = value.length > 60;
    const row = table.insertRow();
    row.append(element("th", name));
    const cell = long ? table.insertRow().insertCell() : row.insertCell();
    if (long) row.firstChild.colSpan = cell.colSpan = 2;
    cell.textContent = value;
    if (place !== null) {
      const bar = element("span", undefined, "place");
      const part = element("span");
      part.style.width = `${100 * place}%`;
      bar.append(part);
      cell.append(bar);
    }
  }
  return table;
}

function showItem(place, item) {
  if (place.dataset.row === String(item.row)) return;
  place.dataset.row = String(item.row);
  place.replaceChildren(element("h3", item.name));
  place.scrollTop = 0;
  if (item.image) {
    const picture = element("img");
    picture.src = item.image;
    picture.alt = `item ${item.name}`;
    place.append(picture);
    return;
  }
  place.append(cells(item));
  if (item.more) place.append(element("p", `… and ${item.more} more columns`));
}

function nameField(cluster) {
  const field = element("input");
  field.value = cluster.name;
  field.maxLength = 60;
  field.setAttribute("aria-label", `name of cluster ${cluster.name}`);
  field.addEventListener("change", () => {
    field.blur();
    send({ action: "name", rows: [cluster.rows[0][0], cluster.rows[0][0]], name: field.value });
  });
  return field;
}

function showClusters() {
  at("method").textContent = state.upToDate ? `by ${state.method}, because ${state.reason}` : "are being made …";
  at("news").textContent = state.news;
  at("command").textContent = state.command;
  if (at("clusters").contains(document.activeElement)) return;
  const entries = state.clusters.map((cluster) => {
    const entry = element("li");
    entry.style.setProperty("--colour", colour(cluster.colour));
    const items = cluster.size === 1 ? "item" : "items";
    entry.append(element("strong", String(cluster.size)), element("small", ` ${items} in cluster `), nameField(cluster));
    if (fixed.pictures) {
      const rows = element("div", undefined, "rows");
      for (const [row, name] of cluster.rows) {
        const picture = element("img");
        picture.src = `image/${row}.png`;
        picture.alt = name;
        rows.append(picture);
      }
      entry.append(rows);
    } else {
      for (const trait of cluster.traits) entry.append(element("div", trait, "trait"));
      const rows = element("ul", undefined, "typical");
      for (const [, name, summary] of cluster.rows.slice(0, 3)) {
        const row = element("li", `${name}: `);
        row.append(element("span", summary));
        rows.append(row);
      }
      entry.append(rows);
    }
    return entry;
  });
  at("clusters").replaceChildren(...entries);
}

async function showAnswers() {
  if (!at("all").open) return;
  const answers = await (await fetch("answers")).json();
  const chain = new Set((state.chain || []).map(String));
  const entries = answers.map(({ rows, names: [a, b], together }) => {
    const entry = element("li", `${a} ${together ? "and" : "not"} ${b}`, chain.has(String(rows)) ? "chain" : undefined);
    for (const [action, text] of [["change", together ? "Make it no" : "Make it yes"], ["delete", "Delete"]]) {
      const button = element("button", text);
      button.type = "button";
      button.addEventListener("click", () => send({ action, rows, together: !together }));
      entry.append(button);
    }
    return entry;
  });
  at("given").replaceChildren(...entries);
}

function drawMap() {
  const canvas = at("map");
  const width = canvas.clientWidth, height = canvas.clientHeight, scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const place = ([x, y]) => [8 + x * (width - 16), height - 8 - y * (height - 16)];
  fixed.points.forEach((point, i) => {
    pen.fillStyle = colour(state.labels[i]);
    pen.beginPath();
    pen.arc(...place(point), 2.2, 0, 7);
    pen.fill();
  });
  const ends = state.asked.filter((i) => i !== null).map((i) => place(fixed.points[i]));
  pen.strokeStyle = pen.fillStyle = getComputedStyle(document.body).color;
  pen.lineWidth = 2;
  if (ends.length === 2) {
    pen.beginPath();
    pen.moveTo(...ends[0]);
    pen.lineTo(...ends[1]);
    pen.stroke();
  }
  for (const end of ends) {
    pen.beginPath();
    pen.arc(...end, 5, 0, 7);
    pen.fill();
  }
}

function show() {
  const asking = state.question !== null;
  at("pair").hidden = !asking;
  at("done").hidden = asking;
  if (asking) {
    showItem(at("left"), state.question[0]);
    showItem(at("right"), state.question[1]);
  }
  for (const id of ["yes", "no", "skip"]) at(id).disabled = !asking;
  at("undo").disabled = !state.canUndo;
  at("answers").textContent = `${state.must + state.cannot} (${state.must} yes, ${state.cannot} no)`;
  at("groups").textContent = fixed.clusters === null ? String(state.groups) : `${state.groups} of ${fixed.clusters}`;
  at("hint").textContent = state.advice;
  at("hint").className = state.enough ? "enough" : "hint";
  at("again").hidden = !state.again;
  const given = state.must + state.cannot;
  at("satisfied").textContent = given ? `${state.satisfied} of ${given} (${Math.round((100 * state.satisfied) / given)} %)` : "–";
  at("predicted").textContent = state.predicted[1] ? `${state.predicted[0]} of the last ${state.predicted[1]}` : "–";
  const problem = state.error || state.problem;
  at("problem").textContent = problem;
  at("problem").hidden = !problem;
  showClusters();
  drawMap();
}

function showStep() {
  show();
  if (state.chain && state.chain.length) at("all").open = true;
  showAnswers();
  document.body.dataset.step = String(Number(document.body.dataset.step || 0) + 1);
  waitForClusters();
}

/* The clusters of the latest answers come a little later than the next question. */
async function waitForClusters() {
  const asked = ++steps;
  let pause = 100;
  while (!state.upToDate && asked === steps) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, 2000);
    let latest;
    try {
      latest = await (await fetch("state")).json();
    } catch {
      return;
    }
    if (asked !== steps || busy) continue;
    state = { ...latest, error: state.error, chain: state.chain };
    show();
  }
  document.body.dataset.upToDate = String(asked);
}

async function send(message) {
  if (busy || !state) return;
  busy = true;
  steps += 1;
  try {
    const reply = await fetch("step", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(message),
    });
    state = await reply.json();
    at("status").textContent = state.error ? "" : DONE[message.action];
    showStep();
  } catch {
    at("status").textContent = "The program has ended. All answers so far are saved. Start it again to go on.";
  } finally {
    busy = false;
  }
}

async function step(action) {
  if (!state || at(action).disabled) return;
  await send({ action, step: state.step, rows: state.question ? state.question.map((item) => item.row) : [-1, -1] });
}

async function start() {
  [fixed, state] = await Promise.all(["fixed", "state"].map(async (name) => (await fetch(name)).json()));
  document.title = `${fixed.name} · same group?`;
  at("source").textContent = `${fixed.name}, ${fixed.rows} items`;
  at("file").textContent = fixed.file;
  for (const action of Object.values(ACTIONS)) at(action).addEventListener("click", () => step(action));
  document.addEventListener("keydown", (event) => {
    const action = ACTIONS[event.key.toLowerCase()];
    if (!action || event.target.tagName === "INPUT" || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step(action);
  });
  addEventListener("resize", drawMap);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  at("all").addEventListener("toggle", showAnswers);
  showStep();
}

start();
