// What all pages share: data, theme, looks of series, tooltips and charts.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
root.classList.add("scripts");

/* Theme: the system's until the reader chooses. */

const theme = {
  button: document.getElementById("theme"),
  listeners: [],
  system: matchMedia("(prefers-color-scheme: dark)"),
  get dark() {
    return root.dataset.theme === "dark";
  },
  set(dark) {
    root.dataset.theme = dark ? "dark" : "light";
    this.button.setAttribute("aria-pressed", dark);
    this.listeners.forEach((listener) => listener());
  },
};

function remembered(value) {
  try {
    if (value !== undefined) localStorage.setItem("cscluster-theme", value);
    return localStorage.getItem("cscluster-theme");
  } catch {
    return null; // a browser may forbid it for files
  }
}

theme.set(remembered() ? remembered() === "dark" : theme.system.matches);
theme.button.addEventListener("click", () => {
  theme.set(!theme.dark);
  remembered(theme.dark ? "dark" : "light");
});
theme.system.addEventListener("change", () => remembered() || theme.set(theme.system.matches));

/** A colour of the style sheet under the present theme. */
function colour(name) {
  theme.button.style.setProperty("--asked", `var(--${name})`);
  return getComputedStyle(theme.button, "::after").color;
}

/* Looks: a colour, a marker and a line style, so that colour is never the only difference. */

const MARKERS = [
  "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z",
  "M-4.5-4.5H4.5V4.5H-4.5Z",
  "M0-5.5L5.5 4.5H-5.5Z",
  "M0-6L6 0L0 6L-6 0Z",
  "M0 5.5L5.5-4.5H-5.5Z",
  "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
  "M-6-3.5L-3.5-6L0-2.5L3.5-6L6-3.5L2.5 0L6 3.5L3.5 6L0 2.5L-3.5 6L-6 3.5L-2.5 0Z",
  "M-5.5 0L4.5-5.5V5.5Z",
  "M5.5 0L-4.5-5.5V5.5Z",
];
const COLOURS = 7;
const DASHES = [[], [7, 3], [2, 3], [8, 3, 2, 3], [12, 4]];

function look(number, hue = number % COLOURS) {
  return { colour: colour(`series-${hue}`), marker: MARKERS[number % MARKERS.length], dash: DASHES[number % DASHES.length] };
}

/* Elements: text from the data is only ever set as text. */

function element(name, properties = {}, children = []) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

function swatch(look, line = true) {
  const { colour: ink, marker, dash } = look;
  const space = "http://www.w3.org/2000/svg";
  const part = (name, attributes) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const image = part("svg", { width: line ? 28 : 14, height: 14, viewBox: line ? "-14 -7 28 14" : "-7 -7 14 14", "aria-hidden": "true" });
  if (line) image.append(part("path", { d: "M-14 0H14", stroke: ink, "stroke-width": 2, "stroke-dasharray": dash.join(" ") }));
  image.append(part("path", { d: marker, fill: ink, transform: "scale(0.8)" }));
  return image;
}

const TIP_ROWS = 16;

/** A tooltip: a title, and rows of a look, a name and a value. */
function tip(title, rows) {
  const lines = rows.slice(0, TIP_ROWS).map(({ look, name, value }) =>
    element("tr", {}, [
      element("td", {}, look ? [swatch(look)] : []),
      element("td", {}, [element("bdi", { textContent: name })]),
      element("td", { textContent: value }),
    ]),
  );
  if (rows.length > TIP_ROWS) lines.push(element("tr", {}, [element("td"), element("td", { textContent: `… ${rows.length - TIP_ROWS} more` })]));
  return element("div", { className: "tip" }, [element("p", { textContent: title }), element("table", {}, lines)]);
}

/* Charts follow the theme and the width of their place. */

const charts = new Map();
const resizes = new ResizeObserver((entries) => {
  for (const { target } of entries) if (target.clientWidth) charts.get(target)?.resize();
});

function draw(place, option, renderer = "svg") {
  if (!charts.has(place)) {
    charts.set(place, echarts.init(place, null, { renderer }));
    resizes.observe(place);
  }
  const chart = charts.get(place);
  chart.setOption(
    {
      animation: false,
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: colour("ink") },
      ...option,
      tooltip: {
        confine: true,
        backgroundColor: colour("card"),
        borderColor: colour("line"),
        textStyle: { color: colour("ink") },
        ...option.tooltip,
      },
    },
    { notMerge: true },
  );
  return chart;
}

/** Labels and names of axes stay inside the place of a chart. */
function frame() {
  return { left: 8, right: 16, top: 16, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "all" };
}

function axis(properties) {
  return {
    nameLocation: "middle",
    nameTextStyle: { color: colour("soft") },
    axisLabel: { color: colour("soft"), hideOverlap: true, ...properties.axisLabel },
    axisLine: { show: true, lineStyle: { color: colour("line") } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: colour("faint") } },
    splitArea: { show: false },
    ...Object.fromEntries(Object.entries(properties).filter(([key]) => key !== "axisLabel")),
  };
}

/** A name that fits beside an axis; long names differ at their ends most often, so the middle goes. */
function shortened(name, length = 26) {
  const letters = [...name];
  if (letters.length <= length) return name;
  const half = Math.floor(length / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(half - length + 1).join("")}`;
}

function save(place, name) {
  const link = element("a", { href: charts.get(place).getDataURL({ type: "svg" }), download: `${name}.svg` });
  link.click();
}

/* Paper is white, and as wide as it is: charts are scaled to it. */

let darkBefore = false;
const images = () => document.querySelectorAll(".chart svg");

addEventListener("beforeprint", () => {
  darkBefore = theme.dark;
  theme.set(false);
  images().forEach((image) => image.setAttribute("viewBox", `0 0 ${image.getAttribute("width")} ${image.getAttribute("height")}`));
});
addEventListener("afterprint", () => {
  images().forEach((image) => image.removeAttribute("viewBox"));
  theme.set(darkBefore);
});
