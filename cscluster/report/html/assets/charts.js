// The charts of a run, each from its numbers and what the reader chose.
"use strict";

const CHART_HEIGHT = 352;
const MANY_DOTS = 3000;

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
    const shape = lookOf(run, label);
    const { colour: ink, marker, dash } = shape;
    if (choice.bands) series.push(...bands(cells, ink));
    series.push({
      type: "line",
      id: `line${label}`,
      name: run.labels[label],
      data: cells.map(({ x, cell }) => ({ value: [x, cell.mean], cell })),
      symbol: `path://${marker}`,
      symbolSize: 9,
      lineStyle: { color: ink, width: 2, type: dash.length ? dash : "solid" },
      itemStyle: filling(shape),
      emphasis: { focus: "series" },
      z: 3,
    });
  }
  const axisName = tiers ? `tier (${run.points} = ${point})` : run.axisName;
  const { name } = run.metrics[choice.metric];
  return {
    caption: `${name} on ${run.datasets[choice.dataset]}, mean${choice.bands ? "; band: 95 % confidence interval of the mean" : ""}`,
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
    lines.map(({ data: { cell } }) => ({ look: lookOf(run, cell.at[2]), name: cellName(run, cell), value: cellText(run, cell) })),
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

/* The trials of all algorithms at one place. */

function boxes(run, choice) {
  const labels = [...choice.shown].reverse();
  const cells = labels.map((label) => run.cell(choice.metric, choice.dataset, label, choice.column));
  const total = cells.reduce((sum, cell) => sum + (cell?.trials?.length ?? 0), 0);
  const dots = [];
  cells.forEach((cell, row) => {
    cell?.trials?.forEach((value, number) => {
      const outside = value < cell.box[0] || value > cell.box[4];
      // Steps of the golden ratio spread the dots over the box, always in the same way.
      if (total <= MANY_DOTS || outside) dots.push({ value: [value, row], symbolOffset: [0, 20 * (((number * 0.618034) % 1) - 0.5)] });
    });
  });
  const { name } = run.metrics[choice.metric];
  return {
    caption: `${name} of single trials on ${run.datasets[choice.dataset]}, ${place(run, choice)}`,
    height: Math.max(CHART_HEIGHT, 70 + 34 * labels.length),
    option: {
      grid: frame(),
      xAxis: axis({ type: "value", scale: true, name, nameGap: 30 }),
      yAxis: axis({ type: "category", data: labels.map((label) => shortened(run.labels[label])), axisLabel: { interval: 0 } }),
      tooltip: {
        formatter: ({ dataIndex, seriesType, value }) =>
          seriesType === "boxplot" ? boxTip(run, cells[dataIndex]) : tip(run.labels[labels[value[1]]], [{ name: "trial", value: decimals(value[0]) }]),
      },
      series: [
        {
          type: "boxplot",
          boxWidth: [10, 28],
          data: cells.map((cell, row) => {
            const { colour: ink, isPublished } = lookOf(run, labels[row]);
            return { value: cell?.box ?? [], itemStyle: { color: "transparent", borderColor: ink, borderWidth: 2, borderType: isPublished ? "dashed" : "solid" } };
          }),
          emphasis: { itemStyle: { borderWidth: 3 } },
          z: 3,
        },
        {
          type: "scatter",
          data: dots.map((dot) => ({ ...dot, itemStyle: { color: lookOf(run, labels[dot.value[1]]).colour, opacity: 0.45 } })),
          symbolSize: 6,
          z: 2,
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

/* How a metric depends on one or two parameters. */

function sensitivity(run, choice) {
  const grid = run.grids[choice.grid];
  const values = grid.params.map((name) => {
    const all = [...new Map(grid.rows.map(({ values }) => [JSON.stringify(values[name]), values[name]])).values()];
    return all.every((value) => typeof value === "number") ? all.sort((a, b) => a - b) : all;
  });
  const varied = grid.params.map((name, number) => ({ name, values: values[number] })).filter(({ values }) => values.length > 1);
  const cells = grid.rows
    .map((row) => ({ row, cell: run.cell(choice.metric, choice.dataset, row.label, choice.column) }))
    .filter(({ cell }) => cell?.n);
  const { name } = run.metrics[choice.metric];
  const caption = `${name} of ${grid.name} on ${run.datasets[choice.dataset]} by ${varied.map((one) => one.name).join(" and ")}, ${place(run, choice)}`;
  if (varied.length === 1) return { caption, option: oneParameter(run, varied[0], cells) };
  if (varied.length === 2) return { caption, height: heatHeight(varied[0].values.length), option: twoParameters(run, varied, cells) };
  return { caption: `${grid.name} has ${varied.length} parameters that vary: see the table`, option: null };
}

function index(parameter, row) {
  return parameter.values.findIndex((value) => JSON.stringify(value) === JSON.stringify(row.values[parameter.name]));
}

function oneParameter(run, parameter, cells) {
  const ordered = cells.map(({ row, cell }) => ({ x: index(parameter, row), cell })).sort((a, b) => a.x - b.x);
  const { colour: ink, marker } = look(0);
  return {
    grid: frame(),
    xAxis: axis({ type: "category", data: parameter.values.map(String), name: parameter.name, nameGap: 30 }),
    yAxis: axis({ type: "value", scale: true }),
    tooltip: {
      trigger: "axis",
      formatter: (hovered) => {
        const cell = hovered.find(({ data }) => data?.cell)?.data.cell;
        return cell ? tip(cellName(run, cell), [{ name: "mean", value: cellText(run, cell) }]) : "";
      },
    },
    series: [
      ...bands(ordered, ink),
      { type: "line", data: ordered.map(({ x, cell }) => ({ value: [x, cell.mean], cell })), symbol: `path://${marker}`, symbolSize: 9, lineStyle: { color: ink, width: 2 }, itemStyle: { color: ink }, z: 3 },
    ],
  };
}

function twoParameters(run, [down, across], cells) {
  const means = cells.map(({ cell }) => cell.mean);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  const data = cells.map(({ row, cell }) => {
    const share = (cell.mean - least) / (most - least || 1);
    return { value: [index(across, row), index(down, row), cell.mean], cell, label: { color: heatInk(share) } };
  });
  const category = (parameter, gap) => axis({ type: "category", data: parameter.values.map(String), name: parameter.name, nameGap: gap, splitLine: { show: false }, axisLabel: { interval: 0 } });
  return {
    grid: frame(),
    xAxis: category(across, 30),
    yAxis: category(down, 44),
    visualMap: heatScale(least, most > least ? most : least + 1),
    tooltip: { formatter: ({ data: { cell } }) => tip(cellName(run, cell), [{ name: "mean", value: cellText(run, cell) }]) },
    series: [{ type: "heatmap", data, label: { show: true, formatter: ({ data: { cell } }) => decimals(cell.mean) }, itemStyle: { borderColor: colour("card"), borderWidth: 2 } }],
  };
}
