// The report: what the reader chooses, and what is shown for it.
"use strict";

const KINDS = { curves, boxes, overview };

class Run {
  constructor(article) {
    this.article = article;
    this.data = DATA.runs[article.dataset.run];
    const cells = new Map(this.data.cells.map((cell) => [cell.at.join(), cell]));
    this.data.cell = (...at) => cells.get(at.join());
    this.hidden = new Set();
    if (!cells.size) return;
    this.controls = article.querySelector(".controls");
    this.controls.addEventListener("change", () => this.update());
    this.figures = [...article.querySelectorAll("figure")];
    this.figures.forEach((figure) => this.furnish(figure));
    this.makeKey(article.querySelector(".key"));
    theme.listeners.push(() => this.update());
  }

  get choice() {
    const read = (name) => Number(this.controls.querySelector(`[name=${name}]`).value);
    return {
      metric: read("metric"),
      dataset: read("dataset"),
      column: read("column"),
      bands: this.controls.querySelector("[name=bands]").checked,
      shown: this.data.labels.map((_, number) => number).filter((number) => !this.hidden.has(number)),
    };
  }

  /** Put a caption, a choice where there is one, and a button into the head of a figure. */
  furnish(figure) {
    const place = figure.querySelector(".chart");
    const button = element("button", { type: "button", textContent: "SVG", title: "Save this chart as an SVG file" });
    button.addEventListener("click", () => save(place, figure.dataset.chart));
    figure.querySelector("figcaption").append(element("span"), button);
  }

  makeKey(key) {
    this.keys = this.data.labels.map((name, number) => {
      const button = element("button", { type: "button", title: "Hide or show" }, [element("span"), element("bdi", { textContent: name })]);
      button.addEventListener("click", () => {
        if (!this.hidden.delete(number)) this.hidden.add(number);
        this.update();
      });
      const curve = () => charts.get(this.article.querySelector("[data-chart=curves] .chart"));
      button.addEventListener("pointerenter", () => curve()?.dispatchAction({ type: "highlight", seriesId: `line${number}` }));
      button.addEventListener("pointerleave", () => curve()?.dispatchAction({ type: "downplay", seriesId: `line${number}` }));
      return button;
    });
    const all = element("button", { type: "button", className: "all", textContent: "All" });
    const none = element("button", { type: "button", className: "all", textContent: "None" });
    all.addEventListener("click", () => this.hide([]));
    none.addEventListener("click", () => this.hide(this.data.labels.keys()));
    key.append(...this.keys, all, none);
  }

  hide(numbers) {
    this.hidden = new Set(numbers);
    this.update();
  }

  /** Show what is chosen; charts of a run that is not shown are drawn when it is. */
  update() {
    if (!this.controls || this.article.hidden) return;
    const { choice } = this;
    remember(this);
    this.keys.forEach((button, number) => {
      button.ariaPressed = !this.hidden.has(number);
      button.firstChild.replaceChildren(swatch(look(number)));
    });
    this.showTables(choice);
    for (const figure of this.figures) this.drawFigure(figure, choice);
  }

  showTables(choice) {
    for (const part of this.article.querySelectorAll("[data-metric], [data-dataset]")) {
      part.hidden = ["metric", "dataset"].some((name) => name in part.dataset && Number(part.dataset[name]) !== choice[name]);
    }
    this.article.querySelectorAll(".filter").forEach((field) => field.value && filter(field));
  }

  drawFigure(figure, choice) {
    const place = figure.querySelector(".chart");
    const { caption, height = CHART_HEIGHT, option } = KINDS[figure.dataset.chart](this.data, choice);
    figure.querySelector("figcaption span").textContent = caption;
    place.ariaLabel = `Chart: ${caption}. The table below has the same numbers.`;
    place.style.height = `${height}px`;
    draw(place, option).resize();
  }
}

/* The chosen view stands in the address, by names: a link to it shows the same. */

const CHOICES = ["metric", "dataset", "column"];
let settled = false;

function remember({ article, controls, hidden, data }) {
  if (!settled) return;
  const view = new URLSearchParams({ run: article.dataset.run });
  for (const name of CHOICES) view.set(name, controls.querySelector(`[name=${name}]`).selectedOptions[0].textContent);
  const bands = controls.querySelector("[name=bands]");
  if (bands.checked !== bands.defaultChecked) view.set("bands", bands.checked ? "yes" : "no");
  for (const number of hidden) view.append("hide", data.labels[number]);
  history.replaceState(null, "", `#${view}`);
}

/** Choose what the address asks for; return the number of its run. */
function recall() {
  const view = new URLSearchParams(location.hash.slice(1));
  const run = runs[view.get("run")];
  if (!run?.controls) return 0;
  for (const name of CHOICES) {
    const select = run.controls.querySelector(`[name=${name}]`);
    const option = [...select.options].find(({ textContent }) => textContent === view.get(name));
    if (option) select.value = option.value;
  }
  const bands = run.controls.querySelector("[name=bands]");
  bands.checked = view.has("bands") ? view.get("bands") === "yes" : bands.defaultChecked;
  const hidden = view.getAll("hide").map((name) => run.data.labels.indexOf(name));
  run.hidden = new Set(hidden.filter((number) => number >= 0));
  return Number(view.get("run"));
}

const runs = [...document.querySelectorAll(".run")].map((article) => new Run(article));

/* Tabs: one for each run. */

const tabs = [...document.querySelectorAll("[role=tab]")];

function open(number, focus = false) {
  tabs.forEach((tab, i) => {
    tab.ariaSelected = i === number;
    tab.tabIndex = i === number ? 0 : -1;
  });
  if (focus) tabs[number]?.focus();
  runs.forEach((run, i) => {
    run.article.hidden = i !== number;
    run.update();
  });
}

tabs.forEach((tab, number) => {
  document.getElementById(`run${number}`).setAttribute("role", "tabpanel");
  document.getElementById(`run${number}`).setAttribute("aria-labelledby", tab.id);
  tab.addEventListener("click", () => open(number));
  tab.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) open((number + step + tabs.length) % tabs.length, true);
  });
});
open(recall());
settled = true;
addEventListener("hashchange", () => location.hash.includes("=") && open(recall()));
