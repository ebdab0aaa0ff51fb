// Tables that are sorted by their headings and filtered by a field.
"use strict";

const BY_TEXT = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  if (a.number !== null && b.number !== null) return a.number - b.number;
  return BY_TEXT.compare(a.text, b.text);
}

/** Sort the rows of a table by a column; rows without a number go last in both directions. */
function sort(table, column, direction) {
  const body = table.tBodies[0];
  const numeric = table.tHead.rows[0].cells[column].classList.contains("number");
  const rows = [...body.rows].map((row) => {
    const { dataset, textContent } = row.cells[column];
    const number = dataset.value === undefined ? null : Number(dataset.value);
    return { row, number, text: textContent, last: numeric && number === null };
  });
  const sign = direction === "descending" ? -1 : 1;
  rows.sort((a, b) => (a.last || b.last ? a.last - b.last : sign * compare(a, b)));
  body.append(...rows.map(({ row }) => row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const other = { ascending: "descending", descending: "ascending" };
      const direction = other[head.ariaSort] ?? head.dataset.first;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.ariaSort = direction;
      sort(table, column, direction);
    });
  });
}

/** A table that is wider than its place says so until its end is in view. */
function mark(box) {
  box.classList.toggle("wider", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

const widths = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target.closest(".box"))));
for (const box of document.querySelectorAll(".box")) {
  widths.observe(box);
  widths.observe(box.querySelector("table"));
  box.addEventListener("scroll", () => mark(box), { passive: true });
}

/** Show the rows that hold all words of the field, in all tables from the field to the next heading. */
function filter(field) {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = new Set();
  for (let next = field.closest("label").nextElementSibling; next && !/^H\d$/.test(next.tagName); next = next.nextElementSibling) {
    for (const body of next.querySelectorAll("tbody")) {
      let shown = 0;
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      if (!body.closest("[hidden]")) counts.add(`${shown} of ${body.rows.length}`);
    }
  }
  field.parentElement.querySelector("output").textContent = words.length ? [...counts].join(", ") : "";
}

for (const field of document.querySelectorAll(".filter")) {
  field.addEventListener("input", () => filter(field));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      field.value = "";
      filter(field);
    }
  });
}
