// The charts of a run, each from its numbers and what the reader chose.
"use strict";

const CHART_HEIGHT = 352;

function decimals(value) {
  return value.toFixed(Math.abs(value) < 100 ? 3 : 1);
}

function cellText(run, cell) {
  if (!cell.n) return `N/A (0/${run.planned})`;
  const spread = cell.std === null ? "" : ` ± ${decimals(cell.std)}`;
  return decimals(cell.mean) + spread + (cell.n < run.planned ? ` (${cell.n}/${run.planned})` : "");
}

function cellName(run, cell) {
  const name = run.labels[cell.at[2]];
  return cell.params && !name.endsWith(`(${cell.params})`) ? `${name} [${cell.params}]` : name;
}

function place(run, choice) {
  const column = run.columns[choice.column];
  return run.axis === "tier" ? `${run.points} = ${column.point}, tier ${column.tier}` : `${run.points} = ${column.text}`;
}

/** Numbers that span more than two decades are spread out evenly. */
function scaleOf(values) {
  const least = Math.min(...values);
  return least > 0 && Math.max(...values) / least >= 100 ? "log" : "value";
}

/* Metric against the number of constraints, or over tiers. */

function curves(run, choice) {
  const tiers = run.axis === "tier";
  const point = run.columns[choice.column].point;
  const steps = run.columns
    .map((column, number) => ({ number, x: tiers ? column.tier : column.point, column }))
    .filter(({ column }) => !tiers || column.point === point);
  const series = [];
  for (const label of choice.shown) {
    const cells = steps
      .map(({ number, x }) => ({ x, cell: run.cell(choice.metric, choice.dataset, label, number) }))
      .filter(({ cell }) => cell?.n);
    const { colour: ink, marker, dash } = look(label);
    if (choice.bands) series.push(...bands(cells, ink));
    series.push({
      type: "line",
      id: `line${label}`,
      name: run.labels[label],
      data: cells.map(({ x, cell }) => ({ value: [x, cell.mean], cell })),
      symbol: `path://${marker}`,
      symbolSize: 9,
      lineStyle: { color: ink, width: 2, type: dash.length ? dash : "solid" },
      itemStyle: { color: ink },
      emphasis: { focus: "series" },
      z: 3,
    });
  }
  const axisName = tiers ? `tier (${run.points} = ${point})` : run.axisName;
  const { name } = run.metrics[choice.metric];
  return {
    caption: `${name} on ${run.datasets[choice.dataset]}, mean${choice.bands ? ". Band: 95 % confidence interval of the mean" : ""}`,
    option: {
      grid: frame(),
      xAxis: axis({
        type: scaleOf(steps.map(({ x }) => x)),
        name: axisName,
        nameGap: 30,
        scale: true,
        minInterval: 1,
        splitLine: { show: false },
      }),
      yAxis: axis({ type: "value", scale: true, name: "" }),
      tooltip: {
        trigger: "axis",
        axisPointer: { lineStyle: { color: colour("soft") } },
        formatter: (hovered) => curveTip(run, choice, hovered),
      },
      series,
    },
  };
}

function curveTip(run, choice, hovered) {
  const lines = hovered.filter(({ data }) => data?.cell);
  if (!lines.length) return "";
  const sign = run.metrics[choice.metric].lower ? 1 : -1;
  lines.sort((a, b) => sign * (a.data.cell.mean - b.data.cell.mean));
  const title = run.axis === "tier" ? `tier ${lines[0].value[0]}` : `${run.points} = ${lines[0].value[0]}`;
  return tip(
    title,
    lines.map(({ data: { cell } }) => ({ look: look(cell.at[2]), name: cellName(run, cell), value: cellText(run, cell) })),
  );
}

/** The confidence intervals of a line: an area for each stretch of points that have one. */
function bands(cells, colour) {
  const stretches = [[]];
  for (const { x, cell } of cells) {
    if (cell.band) stretches.at(-1).push([x, ...cell.band]);
    else stretches.push([]);
  }
  return stretches.filter((edges) => edges.length).map((edges) => area(edges, colour));
}

function area(edges, colour) {
  return {
    type: "custom",
    silent: true,
    clip: true,
    tooltip: { show: false },
    data: edges,
    encode: { x: 0, y: [1, 2] },
    z: 1,
    renderItem: (parameters, api) => {
      if (parameters.dataIndex) return null;
      const upper = edges.map(([x, , high]) => api.coord([x, high]));
      const lower = edges.map(([x, low]) => api.coord([x, low])).reverse();
      return { type: "polygon", shape: { points: [...upper, ...lower] }, style: { fill: colour, opacity: 0.12 } };
    },
  };
}

/* Box plots of all algorithms at one place. */

function boxes(run, choice) {
  const labels = [...choice.shown].reverse();
  const cells = labels.map((label) => run.cell(choice.metric, choice.dataset, label, choice.column));
  const { name } = run.metrics[choice.metric];
  return {
    caption: `${name} of the trials on ${run.datasets[choice.dataset]}, ${place(run, choice)}`,
    height: Math.max(CHART_HEIGHT, 70 + 34 * labels.length),
    option: {
      grid: frame(),
      xAxis: axis({ type: "value", scale: true, name, nameGap: 30 }),
      yAxis: axis({ type: "category", data: labels.map((label) => shortened(run.labels[label])), axisLabel: { interval: 0 } }),
      tooltip: { formatter: ({ dataIndex }) => boxTip(run, cells[dataIndex]) },
      series: [
        {
          type: "boxplot",
          boxWidth: [10, 28],
          data: cells.map((cell, row) => ({
            value: cell?.box ?? [],
            itemStyle: { color: "transparent", borderColor: look(labels[row]).colour, borderWidth: 2 },
          })),
          emphasis: { itemStyle: { borderWidth: 3 } },
          z: 3,
        },
      ],
    },
  };
}

function boxTip(run, cell) {
  const [low, first, middle, third, high] = cell.box.map(decimals);
  return tip(cellName(run, cell), [
    { name: "mean", value: cellText(run, cell) },
    { name: "median", value: middle },
    { name: "quartiles", value: `${first} – ${third}` },
    { name: "whiskers", value: `${low} – ${high}` },
  ]);
}

/* All data sets at once: the mean in words, how it compares within its data set in colour. */

function overview(run, choice) {
  const labels = [...choice.shown].reverse();
  const data = [];
  run.datasets.forEach((_, dataset) => {
    const cells = labels.map((label) => run.cell(choice.metric, dataset, label, choice.column));
    const means = cells.filter((cell) => cell?.n).map(({ mean }) => mean);
    const [least, most] = [Math.min(...means), Math.max(...means)];
    cells.forEach((cell, row) => {
      if (!cell?.n) return;
      const share = most > least ? (cell.mean - least) / (most - least) : 1;
      const merit = run.metrics[choice.metric].lower && most > least ? 1 - share : share;
      data.push({ value: [dataset, row, merit], cell, label: { color: heatInk(merit) } });
    });
  });
  const { name } = run.metrics[choice.metric];
  return {
    caption: `${name} on all data sets, ${place(run, choice)}; colours go from the worst to the best of each data set (${theme.dark ? "brighter" : "darker"} is better)`,
    height: heatHeight(labels.length),
    option: {
      grid: frame(),
      xAxis: axis({ type: "category", data: run.datasets.map((one) => shortened(one, 14)), splitLine: { show: false }, axisLabel: { interval: 0, rotate: run.datasets.length > 6 ? 40 : 0 } }),
      yAxis: axis({ type: "category", data: labels.map((label) => shortened(run.labels[label])), splitLine: { show: false }, axisLabel: { interval: 0 } }),
      visualMap: heatScale(0, 1),
      tooltip: { formatter: ({ data: { cell } }) => tip(`${run.datasets[cell.at[1]]}, ${place(run, choice)}`, [{ name: cellName(run, cell), value: cellText(run, cell) }]) },
      series: [
        {
          type: "heatmap",
          data,
          label: { show: run.datasets.length <= 12, formatter: ({ data: { cell } }) => decimals(cell.mean) },
          itemStyle: { borderColor: colour("card"), borderWidth: 2 },
        },
      ],
    },
  };
}

function heatHeight(rows) {
  return 80 + 38 * rows;
}

/** The ink that can be read on the colour of a share: where both are as good, their contrast is 4.6. */
function heatInk(share) {
  return colour(share > (theme.dark ? 0.605 : 0.92) ? "heat-ink-high" : "heat-ink-low");
}

function heatScale(min, max) {
  return { show: false, dimension: 2, min, max, inRange: { color: [colour("heat-low"), colour("heat-high")] } };
}
