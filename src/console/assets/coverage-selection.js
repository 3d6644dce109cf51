// The selection in the grid of coverage: cells are selected by drag, shift and keyboard, and the panel beside the grid explains them.
import { cellAt, placeOf } from "./coverage-rows.js";

/** Selects cells of a table, and shows what `text` reads about them in the panel. `onDragged` is called when a drag has ended. */
export function openSelection(table, panel, { rows, text, onDragged }) {
  const selection = selectionOf(table);
  const shown = shownIn(panel, { table, selection, rows, text });
  const pointer = followPointer(table, { selection, shown, onDragged });
  followKeys(table, { selection, shown, rows });
  table.addEventListener("focusin", (event) => {
    const place = event.target.matches("tbody td") ? placeOf(event.target) : null;
    if (place) selection.describe(event.target, place);
  });
  selection.takeFromAddress();
  selection.mark();

  // its first row and its last column: what has to be in view
  const place = () => {
    const b = selection.bounds();
    return b && { row: b.top, column: b.right };
  };
  return { mark: selection.mark, show: shown.show, isDragging: pointer.isDragging, place };
}

/** Which cells of a table are selected, and their marks. */
function selectionOf(table) {
  const columns = [...table.querySelectorAll("thead th[data-from]")];
  // its cell that stays and its cell that moves, as { row, column }; both null where nothing is selected
  let anchor = null;
  let active = null;

  const bounds = () =>
    anchor &&
    active && {
      top: Math.min(anchor.row, active.row),
      bottom: Math.max(anchor.row, active.row),
      left: Math.min(anchor.column, active.column),
      right: Math.max(anchor.column, active.column),
    };

  function mark() {
    const b = bounds();
    for (const cell of table.querySelectorAll('td[aria-selected="true"]')) cell.removeAttribute("aria-selected");
    const first = table.querySelector("tr[data-row] td");
    if (b === null) {
      // one cell can always be reached by keyboard: that with the focus, or the first one
      const here = document.activeElement;
      makeReachable(table.contains(here) && here.matches("tr[data-row] td") ? here : first);
      return;
    }
    for (const row of table.querySelectorAll("tr[data-row]")) {
      const index = Number(row.dataset.row);
      if (index < b.top || index > b.bottom) continue;
      for (let column = b.left; column <= b.right; column += 1)
        row.cells[column + 1]?.setAttribute("aria-selected", "true");
    }
    makeReachable(cellAt(table, active) ?? first);
  }

  function makeReachable(cell) {
    const was = table.querySelector('td[tabindex="0"]');
    // a cell that loses it loses the focus with it
    if (!cell || cell === was) return;
    was?.removeAttribute("tabindex");
    cell.tabIndex = 0;
  }

  function choose(place, extend) {
    active = place;
    if (!extend || anchor === null) anchor = place;
    mark();
    const cell = cellAt(table, place);
    if (cell) describe(cell, place);
  }

  function describe(cell, { column }) {
    const head = columns[column];
    const who = [...cell.parentElement.cells[0].querySelectorAll("span")].map((one) => one.textContent).join(" ");
    const state = cell.title || cell.className || "not requested";
    cell.setAttribute("aria-label", `${who}, ${head?.title ?? ""}: ${state}`);
  }

  function forget() {
    anchor = active = null;
    mark();
  }

  // what the address names: its rows by their numbers, which may not be loaded yet
  function takeFromAddress() {
    if (table.dataset.top === undefined) return;
    const named = new URLSearchParams(location.search);
    const columnOf = (day) => columns.findIndex((one) => one.dataset.from <= day && day <= one.dataset.to);
    const [left, right] = [columnOf(named.get("from")), columnOf(named.get("until"))];
    if (left < 0 || right < 0) return;
    anchor = { row: Number(table.dataset.top), column: left };
    active = { row: Number(table.dataset.bottom), column: right };
  }

  return { columns, bounds, mark, choose, describe, forget, takeFromAddress, active: () => active };
}

/** Shows in the panel, and names in the address, what is selected. */
function shownIn(panel, { table, selection, rows, text }) {
  // the number of the newest request of the panel: the reply to an older one is not shown
  let newestRequest = 0;

  function parameters() {
    const b = selection.bounds();
    if (b === null) return null;
    const [first, last] = [rows.keyOf(b.top), rows.keyOf(b.bottom)];
    if (first === undefined || last === undefined) return null;
    const { columns } = selection;
    return new URLSearchParams({
      first,
      last,
      from: columns[b.left].dataset.from,
      until: columns[b.right].dataset.to,
    });
  }

  const withQuery = (address, query) => `${address}${address.includes("?") ? "&" : "?"}${query}`;

  async function show(isNew = true) {
    const query = parameters();
    if (query === null) return;
    history.replaceState(null, "", withQuery(table.dataset.page, query));
    await fill(withQuery(table.dataset.panel, query), isNew);
  }

  async function clear() {
    history.replaceState(null, "", table.dataset.page);
    await fill(table.dataset.panel, true);
  }

  async function fill(address, isNew) {
    const turn = (newestRequest += 1);
    panel.setAttribute("aria-busy", "true");
    const markup = await text(address);
    if (turn !== newestRequest) return;
    panel.removeAttribute("aria-busy");
    // a form that a person fills in is left as it is
    if (!isNew && panel.contains(document.activeElement)) return;
    if (markup !== null) panel.innerHTML = markup;
  }

  return { show, clear };
}

/** Selects by pointer. By touch the grid scrolls: a tap selects a cell, and what becomes a swipe is cancelled by the browser. */
function followPointer(table, { selection, shown, onDragged }) {
  let isDragging = false;
  let touched = null;
  table.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("tbody td");
    const place = cell && placeOf(cell);
    if (!place || event.button !== 0) return;
    event.preventDefault();
    if (event.pointerType === "touch") {
      touched = cell;
      return;
    }
    isDragging = true;
    selection.choose(place, event.shiftKey);
    cell.focus({ preventScroll: true });
  });
  table.addEventListener("pointerup", () => {
    const place = touched && placeOf(touched);
    if (!place) return;
    selection.choose(place, false);
    touched.focus({ preventScroll: true });
    touched = null;
    void shown.show();
  });
  table.addEventListener("pointercancel", () => (touched = null));
  table.addEventListener("pointerover", (event) => {
    const cell = isDragging && event.target.closest("tbody td");
    const place = cell && placeOf(cell);
    if (place) selection.choose(place, true);
  });
  document.addEventListener("pointerup", () => {
    if (!isDragging) return;
    isDragging = false;
    void shown.show();
    onDragged();
  });
  return { isDragging: () => isDragging };
}

const moves = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};

/** Selects by keyboard: arrows move, Shift extends, Enter shows, Escape ends the selection. */
function followKeys(table, { selection, shown, rows }) {
  table.addEventListener("keydown", (event) => {
    const at = selection.active() ?? placeOf(event.target.closest("td") ?? event.target);
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      if (selection.bounds() === null) selection.choose(at, false);
      void shown.show();
    } else if (event.key === "Escape") {
      selection.forget();
      void shown.clear();
    } else {
      const place = moved(event.key, at);
      if (place === null) return;
      selection.choose(place, event.shiftKey);
      cellAt(table, place)?.focus({ preventScroll: false });
    }
    event.preventDefault();
  });

  function moved(key, { row, column }) {
    const lastColumn = selection.columns.length - 1;
    const within = (value, most) => Math.max(0, Math.min(most, value));
    if (key === "Home") return { row, column: 0 };
    if (key === "End") return { row, column: lastColumn };
    const step = moves[key];
    if (step === undefined) return null;
    const place = { row: within(row + step[0], rows.total - 1), column: within(column + step[1], lastColumn) };
    return cellAt(table, place) ? place : { row, column };
  }
}
