// A map of samples: clusters and constraints can be hidden, a sample tells its name.
"use strict";

const LINKS = {
  must: { name: "must-links", dash: [] },
  cannot: { name: "cannot-links", dash: [5, 4] },
};
const hiddenParts = new Set();
const figure = document.querySelector("figure");
const map = figure.querySelector(".chart");

/** Clusters have the colours that they have in figures. */
function clusterLook(cluster) {
  return look(cluster, DATA.hues[cluster % DATA.hues.length]);
}

function clusterSeries(cluster) {
  const { colour: ink, marker } = clusterLook(cluster);
  return {
    type: "scatter",
    id: `cluster${cluster}`,
    name: DATA.clusters[cluster],
    data: DATA.points.filter((point) => point[2] === cluster),
    encode: { x: 0, y: 1 },
    symbol: `path://${marker}`,
    symbolSize: DATA.points.length > 2000 ? 5 : 9,
    itemStyle: { color: ink, opacity: 0.8 },
    z: 3,
  };
}

function linkSeries(kind) {
  const ink = { kept: colour("soft"), broken: colour("bad") };
  return {
    type: "lines",
    id: kind,
    coordinateSystem: "cartesian2d",
    data: DATA.links[kind].map(([x1, y1, x2, y2, a, b, broken]) => ({
      coords: [[x1, y1], [x2, y2]],
      ends: `${a} – ${b}`,
      broken,
      lineStyle: { color: broken ? ink.broken : ink.kept, width: broken ? 2 : 1.2, type: LINKS[kind].dash.length ? LINKS[kind].dash : "solid", opacity: 0.8 },
    })),
    z: 2,
  };
}

function mapTip({ seriesType, seriesName, seriesId, data }) {
  if (seriesType === "lines") return tip(data.ends, [{ name: LINKS[seriesId].name.slice(0, -1), value: data.broken ? "violated" : "satisfied" }]);
  return tip(data[3], [{ name: "cluster", value: seriesName }]);
}

function update() {
  const clusters = [...DATA.clusters.keys()].filter((cluster) => !hiddenParts.has(`cluster${cluster}`));
  const kinds = Object.keys(LINKS).filter((kind) => !hiddenParts.has(kind));
  draw(
    map,
    {
      grid: frame(),
      xAxis: axis({ type: "value", scale: true, name: DATA.axes[0], nameGap: 30 }),
      yAxis: axis({ type: "value", scale: true, name: DATA.axes[1], nameGap: 44 }),
      dataZoom: ["xAxisIndex", "yAxisIndex"].map((name) => ({ type: "inside", [name]: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", preventDefaultMouseMove: false })),
      tooltip: { formatter: mapTip },
      series: [...clusters.map(clusterSeries), ...kinds.map(linkSeries)],
    },
    "canvas",
  );
  for (const button of document.querySelectorAll(".key [data-part]")) {
    button.ariaPressed = !hiddenParts.has(button.dataset.part);
    const cluster = button.dataset.part.startsWith("cluster");
    const shape = cluster ? clusterLook(Number(button.dataset.part.slice(7))) : { colour: colour("soft"), marker: "", dash: LINKS[button.dataset.part].dash };
    button.firstChild.replaceChildren(swatch(shape, !cluster));
  }
}

function keyButton(part, name) {
  const button = element("button", { type: "button", title: "Hide or show" }, [element("span"), element("bdi", { textContent: name })]);
  button.dataset.part = part;
  button.addEventListener("click", () => {
    if (!hiddenParts.delete(part)) hiddenParts.add(part);
    update();
  });
  return button;
}

document.querySelector(".key").append(
  ...DATA.clusters.map((name, number) => keyButton(`cluster${number}`, `${name} (${DATA.sizes[number]})`)),
  ...Object.keys(LINKS).filter((kind) => DATA.links[kind].length).map((kind) => keyButton(kind, `${LINKS[kind].name} (${DATA.links[kind].length})`)),
);

const reset = element("button", { type: "button", textContent: "Whole map", title: "Undo zooming" });
reset.addEventListener("click", () => charts.get(map).dispatchAction({ type: "dataZoom", batch: [0, 1].map((dataZoomIndex) => ({ dataZoomIndex, start: 0, end: 100 })) }));
figure.querySelector("figcaption").append(element("span", { textContent: "Clusters and constraints; violated ones are red. Ctrl and the wheel zoom, dragging moves." }), reset);
map.ariaLabel = `Map of ${DATA.points.length} samples in ${DATA.clusters.length} clusters.`;
theme.listeners.push(update);
update();
