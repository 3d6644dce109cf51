// The selection in the grid of coverage: cells are selected by drag, shift and keyboard, and the panel beside the grid explains them.
import { cellAt, placeOf } from "./coverage-rows.js";

/** Selects cells of a table, and shows what `text` reads about them in the panel. `onDragged` is called when a drag has ended. */
export function openSelection(table, panel, { rows, text, onDragged }) {
  const columns = [...table.querySelectorAll("thead th[data-from]")];
  // its cell that stays and its cell that moves, as { row, column }; both null where nothing is selected
  let anchor = null;
  let active = null;
  let isDragging = false;
  // the number of the newest request of the panel: the reply to an older one is not shown
  let newestRequest = 0;

  const bounds = () => ({
    top: Math.min(anchor.row, active.row),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column),
  });

  function firstCell() {
    return table.querySelector("tr[data-row] td");
  }

  function mark() {
    const b = anchor && active ? bounds() : null;
    for (const cell of table.querySelectorAll('td[aria-selected="true"]')) cell.removeAttribute("aria-selected");
    const was = table.querySelector('td[tabindex="0"]');
    // a cell that loses it loses the focus with it
    const makeReachable = (cell) => {
      if (!cell || cell === was) return;
      was?.removeAttribute("tabindex");
      cell.tabIndex = 0;
    };
    if (b === null) {
      // one cell can always be reached by keyboard: that with the focus, or the first one
      const here = document.activeElement;
      makeReachable(table.contains(here) && here.matches("tr[data-row] td") ? here : firstCell());
      return;
    }
    for (const row of table.querySelectorAll("tr[data-row]")) {
      const index = Number(row.dataset.row);
      if (index < b.top || index > b.bottom) continue;
      for (let column = b.left; column <= b.right; column += 1)
        row.cells[column + 1]?.setAttribute("aria-selected", "true");
    }
    makeReachable(cellAt(table, active) ?? firstCell());
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

  function parameters() {
    const b = bounds();
    const [from, to] = [rows.keyOf(b.top), rows.keyOf(b.bottom)];
    if (from === undefined || to === undefined) return null;
    return new URLSearchParams({
      first: from,
      last: to,
      from: columns[b.left].dataset.from,
      until: columns[b.right].dataset.to,
    });
  }

  const withQuery = (address, query) => `${address}${address.includes("?") ? "&" : "?"}${query}`;

  async function show(isNew = true) {
    const query = anchor && active ? parameters() : null;
    if (query === null) return;
    history.replaceState(null, "", withQuery(table.dataset.page, query));
    const turn = (newestRequest += 1);
    panel.setAttribute("aria-busy", "true");
    const markup = await text(withQuery(table.dataset.panel, query));
    if (turn !== newestRequest) return;
    panel.removeAttribute("aria-busy");
    // a form that a person fills in is left as it is
    if (!isNew && panel.contains(document.activeElement)) return;
    if (markup !== null) panel.innerHTML = markup;
  }

  async function clear() {
    history.replaceState(null, "", table.dataset.page);
    const turn = (newestRequest += 1);
    const markup = await text(table.dataset.panel);
    if (turn === newestRequest && markup !== null) panel.innerHTML = markup;
  }

  // by touch the grid scrolls: a tap selects a cell, and what becomes a swipe is cancelled by the browser
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
    choose(place, event.shiftKey);
    cell.focus({ preventScroll: true });
  });
  table.addEventListener("pointerup", () => {
    const place = touched && placeOf(touched);
    if (!place) return;
    choose(place, false);
    touched.focus({ preventScroll: true });
    touched = null;
    void show();
  });
  table.addEventListener("pointercancel", () => (touched = null));
  table.addEventListener("pointerover", (event) => {
    const cell = isDragging && event.target.closest("tbody td");
    const place = cell && placeOf(cell);
    if (place) choose(place, true);
  });
  document.addEventListener("pointerup", () => {
    if (!isDragging) return;
    isDragging = false;
    void show();
    onDragged();
  });

  const moves = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageUp: [-10, 0],
    PageDown: [10, 0],
  };
  table.addEventListener("keydown", (event) => {
    const at = active ?? placeOf(event.target.closest("td") ?? event.target);
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      if (anchor === null) choose(at, false);
      void show();
    } else if (event.key === "Escape") {
      anchor = active = null;
      mark();
      void clear();
    } else {
      const place = moved(event, at);
      if (place === null) return;
      choose(place, event.shiftKey);
      cellAt(table, place)?.focus({ preventScroll: false });
    }
    event.preventDefault();
  });

  function moved(event, { row, column }) {
    const within = (value, most) => Math.max(0, Math.min(most, value));
    if (event.key === "Home") return { row, column: 0 };
    if (event.key === "End") return { row, column: columns.length - 1 };
    const step = moves[event.key];
    if (step === undefined) return null;
    const place = { row: within(row + step[0], rows.total - 1), column: within(column + step[1], columns.length - 1) };
    return cellAt(table, place) ? place : { row, column };
  }

  table.addEventListener("focusin", (event) => {
    const place = event.target.matches("tbody td") ? placeOf(event.target) : null;
    if (place) describe(event.target, place);
  });

  // a selection that the address names: its rows by their numbers, which may not be loaded yet
  const named = new URLSearchParams(location.search);
  if (table.dataset.top !== undefined) {
    const columnOf = (day) => columns.findIndex((one) => one.dataset.from <= day && day <= one.dataset.to);
    const [left, right] = [columnOf(named.get("from")), columnOf(named.get("until"))];
    if (left >= 0 && right >= 0) {
      anchor = { row: Number(table.dataset.top), column: left };
      active = { row: Number(table.dataset.bottom), column: right };
    }
  }
  mark();

  // its first row and its last column: what has to be in view
  const place = () => (anchor && active ? { row: bounds().top, column: bounds().right } : null);
  return { mark, show, isDragging: () => isDragging, place };
}
