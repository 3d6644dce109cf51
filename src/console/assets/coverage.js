// The grid of coverage with JavaScript: rows come as they are scrolled to, cells are selected and explained beside the grid, and they turn when the
// ledger changes.
import { followLedger } from "./coverage-changes.js";
import { openRows } from "./coverage-rows.js";
import { openSelection } from "./coverage-selection.js";

const found = document.getElementById("cells");
if (found) startGrid(found, document.getElementById("selection"));

function startGrid(table, panel) {
  document.body.classList.add("js");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-multiselectable", "true");
  table.setAttribute("aria-rowcount", table.dataset.total);

  const { text, report } = readerWith(document.getElementById("grid-notice"));
  // each of them notifies one that is made after it
  let selection = null;
  let ledger = null;
  const rows = openRows(table, { text, onRows: () => selection?.mark() });
  selection = openSelection(table, panel, { rows, text, onDragged: () => ledger?.refreshIfDue() });
  ledger = followLedger(table.dataset.since, {
    readAgain: () => rows.readAgain().then(() => selection.show(false)),
    isBusy: selection.isDragging,
    report,
  });

  const wrap = table.parentElement;
  const { row: firstRow, column } = selection.place() ?? { row: Number(table.dataset.offset) };
  // the newest days are what most people want, and the cells that the address names
  const toStart = () => {
    const row = table.querySelector(`tr[data-row="${firstRow}"]`);
    const cell = column === undefined ? null : row?.cells[column + 1];
    wrap.scrollLeft = cell ? cell.offsetLeft + cell.offsetWidth - wrap.clientWidth : wrap.scrollWidth;
    if (row && firstRow > 0) wrap.scrollTop = row.offsetTop - wrap.clientHeight / 3;
  };
  toStart();
  // again when the style sheets have made it as large as it is
  addEventListener("load", toStart, { once: true });
}

/** Reads markup; where there is no reply, what was shown before stays, with a word about it in the notice. */
function readerWith(notice) {
  function report(says) {
    notice.hidden = says === "";
    if (notice.textContent !== says) notice.textContent = says;
  }

  const problems = {
    401: "You are signed out: reload the page to sign in. The cells may be out of date.",
    429: "Too many requests: the cells may be a minute old.",
    503: "The database does not respond in time: the cells may be out of date.",
  };

  async function text(address) {
    try {
      const answer = await fetch(address, { headers: { accept: "text/html" }, credentials: "same-origin" });
      // without a session every page leads to sign-in
      const status = answer.redirected ? 401 : answer.status;
      if (status !== 200) {
        report(problems[status] ?? `The console answers ${status}: the cells may be out of date.`);
        return null;
      }
      const from = answer.headers.get("x-figures-from");
      report(from === null ? "" : `The database does not respond in time: these cells are from ${from}.`);
      return await answer.text();
    } catch {
      report("The console does not respond: the cells may be out of date.");
      return null;
    }
  }

  return { text, report };
}
