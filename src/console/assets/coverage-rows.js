// The rows of the grid of coverage, in blocks that are loaded as they are scrolled to: a block that is far away is one empty row of the same height.

/** How long after a failure a block that is in view is requested again. */
const againMs = 5_000;

/** Loads the blocks of a table through `text`, and calls `onRows` after each change of what the table shows. */
export function openRows(table, { text, onRows }) {
  const total = Number(table.dataset.total);
  const size = Number(table.dataset.size);
  const first = Number(table.dataset.offset);
  const columns = table.querySelectorAll("thead th[data-from]").length;
  // the key of each row that is loaded, by its number: addresses name rows by their keys
  const keys = new Map();
  // the markup of each block as it was last sent: a block that has not changed stays as it is
  const sent = new WeakMap();
  const rowHeight = table.tBodies[0].rows[0]?.offsetHeight ?? 22;
  const seen = new IntersectionObserver(onSeen, { root: table.parentElement, rootMargin: "600px 0px" });
  prepare(table.tBodies[0], first);
  for (let from = first + size; from < total; from += size) addBlock(from, null);
  for (let from = first - size; from > -size; from -= size) addBlock(Math.max(0, from), table.tBodies[0]);
  for (const body of table.tBodies) seen.observe(body);

  function addBlock(from, before) {
    const body = document.createElement("tbody");
    table.insertBefore(body, before);
    body.dataset.from = String(from);
    empty(body);
  }

  function empty(body) {
    const from = Number(body.dataset.from);
    const until = [...table.tBodies].map((one) => Number(one.dataset.from)).filter((one) => one > from);
    const rows = Math.min(size, (until.length ? Math.min(...until) : total) - from, total - from);
    const row = document.createElement("tr");
    const cell = document.createElement("td");
    cell.colSpan = columns + 1;
    cell.className = "far";
    cell.style.height = `${rows * rowHeight}px`;
    row.append(cell);
    body.replaceChildren(row);
    delete body.dataset.full;
    // the cell that can be reached by keyboard may have been one of these
    onRows();
  }

  function prepare(body, from) {
    body.dataset.from = String(from);
    body.dataset.full = "true";
    for (const row of body.rows) {
      keys.set(Number(row.dataset.row), row.dataset.key);
      row.setAttribute("aria-rowindex", String(Number(row.dataset.row) + 1));
    }
    onRows();
  }

  function onSeen(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.dataset.full) void load(target);
      else if (!isIntersecting && target.dataset.full && table.tBodies.length > 8) empty(target);
    }
  }

  /** Has a block reported as seen once more, where it still is. */
  function observeAgain(body) {
    seen.unobserve(body);
    seen.observe(body);
  }

  async function load(body) {
    const from = Number(body.dataset.from);
    const markup = await text(`${table.dataset.more}${table.dataset.more.includes("?") ? "&" : "?"}offset=${from}`);
    if (markup === null && !body.dataset.full) setTimeout(() => observeAgain(body), againMs);
    if (markup === null || (body.dataset.full && sent.get(body) === markup)) return;
    sent.set(body, markup);
    const focused = body.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    const block = document.createElement("table");
    block.innerHTML = `<tbody>${markup}</tbody>`;
    body.replaceChildren(...block.tBodies[0].rows);
    const next = [...table.tBodies].map((one) => Number(one.dataset.from)).filter((one) => one > from);
    const most = (next.length ? Math.min(...next) : total) - from;
    while (body.rows.length > most) body.deleteRow(most);
    // who goes by keyboard stays where they are: the cell takes the focus before another one is made reachable in its place
    const kept = focused && cellAt(table, focused);
    if (kept) {
      kept.tabIndex = 0;
      kept.focus({ preventScroll: true });
    }
    prepare(body, from);
    // it may have been left behind meanwhile
    observeAgain(body);
  }

  return {
    total,
    keyOf: (row) => keys.get(row),
    readAgain: () => Promise.all([...table.tBodies].filter((body) => body.dataset.full).map(load)),
  };
}

/** Where a cell is, as { row, column }; null for one that is no cell of a loaded row. */
export function placeOf(cell) {
  const row = cell.closest("tr");
  return row?.dataset.row === undefined ? null : { row: Number(row.dataset.row), column: cell.cellIndex - 1 };
}

/** The cell at a place; null where its row is not loaded. */
export function cellAt(table, { row, column }) {
  return table.querySelector(`tr[data-row="${row}"]`)?.cells[column + 1] ?? null;
}
