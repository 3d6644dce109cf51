// The grid of coverage with JavaScript: cells are selected by drag, shift and keyboard, what is selected is explained beside the grid, rows come
// as they are scrolled to, and cells turn when the ledger changes.
"use strict";
{
  const found = document.getElementById("cells");
  if (found) startGrid(found, document.getElementById("selection"));

  function startGrid(table, panel) {
    const total = Number(table.dataset.total);
    const size = Number(table.dataset.size);
    const first = Number(table.dataset.offset);
    const columns = [...table.querySelectorAll("thead th[data-from]")];
    // the key of each row that is loaded, by its number: addresses name rows by their keys
    const keys = new Map();
    // the markup of each block as it was last sent: a block that has not changed stays as it is
    const sent = new WeakMap();
    // the selection: its cell that stays and its cell that moves, as { row, column }; both null where nothing is selected
    let anchor = null;
    let active = null;
    let isDragging = false;
    // the ledger has changed, and the blocks are not read again yet
    let isDue = false;
    // the number of the newest request of the panel: the reply to an older one is not shown
    let newestRequest = 0;
    // above 0 while the blocks are read again, and for two seconds after it
    let refreshes = 0;

    document.body.classList.add("js");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-multiselectable", "true");
    table.setAttribute("aria-rowcount", String(total));

    // --- rows, in blocks: a block that is far away is one empty row of the same height
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
      cell.colSpan = columns.length + 1;
      cell.className = "far";
      cell.style.height = `${rows * rowHeight}px`;
      row.append(cell);
      body.replaceChildren(row);
      delete body.dataset.full;
      // the cell that can be reached by keyboard may have been one of these
      mark();
    }

    function prepare(body, from) {
      body.dataset.from = String(from);
      body.dataset.full = "true";
      for (const row of body.rows) {
        keys.set(Number(row.dataset.row), row.dataset.key);
        row.setAttribute("aria-rowindex", String(Number(row.dataset.row) + 1));
      }
      mark();
    }

    function onSeen(entries) {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting && !target.dataset.full) void load(target);
        else if (!isIntersecting && target.dataset.full && table.tBodies.length > 8) empty(target);
      }
    }

    async function load(body) {
      const from = Number(body.dataset.from);
      const markup = await text(`${table.dataset.more}${table.dataset.more.includes("?") ? "&" : "?"}offset=${from}`);
      if (markup === null || (body.dataset.full && sent.get(body) === markup)) return;
      sent.set(body, markup);
      const focused = body.contains(document.activeElement) ? placeOf(document.activeElement) : null;
      const block = document.createElement("table");
      block.innerHTML = `<tbody>${markup}</tbody>`;
      body.replaceChildren(...block.tBodies[0].rows);
      const next = [...table.tBodies].map((one) => Number(one.dataset.from)).filter((one) => one > from);
      const most = (next.length ? Math.min(...next) : total) - from;
      while (body.rows.length > most) body.deleteRow(most);
      prepare(body, from);
      // who goes by keyboard stays where they are
      if (focused) cellAt(focused)?.focus({ preventScroll: true });
    }

    // --- replies; where there is none, what was shown before stays, with a word about it
    const notice = document.getElementById("grid-notice");
    function report(says) {
      notice.hidden = says === "";
      if (notice.textContent !== says) notice.textContent = says;
    }

    const problems = {
      401: "You are signed out: load the page again to sign in. The cells are as they were.",
      429: "Too many requests: the cells are as they were a minute ago.",
      503: "The database does not answer in time: the cells are as they were.",
    };

    async function text(address) {
      try {
        const answer = await fetch(address, { headers: { accept: "text/html" }, credentials: "same-origin" });
        // without a session every page leads to sign-in
        const status = answer.redirected ? 401 : answer.status;
        if (status !== 200) {
          report(problems[status] ?? `The console answers ${status}: the cells are as they were.`);
          return null;
        }
        const from = answer.headers.get("x-figures-from");
        report(from === null ? "" : `The database does not answer in time: these cells are from ${from}.`);
        return await answer.text();
      } catch {
        report("The console does not answer: the cells are as they were.");
        return null;
      }
    }

    // --- selection
    const placeOf = (cell) => {
      const row = cell.closest("tr");
      return row?.dataset.row === undefined ? null : { row: Number(row.dataset.row), column: cell.cellIndex - 1 };
    };
    const cellAt = ({ row, column }) => table.querySelector(`tr[data-row="${row}"]`)?.cells[column + 1] ?? null;
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
      makeReachable(cellAt(active) ?? firstCell());
    }

    function choose(place, extend) {
      active = place;
      if (!extend || anchor === null) anchor = place;
      mark();
      const cell = cellAt(place);
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
      const [from, to] = [keys.get(b.top), keys.get(b.bottom)];
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

    // --- pointer and keyboard; by touch the grid scrolls: a tap selects a cell, and what becomes a swipe is cancelled by the browser
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
      if (isDue) refresh();
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
        cellAt(place)?.focus({ preventScroll: false });
      }
      event.preventDefault();
    });

    function moved(event, { row, column }) {
      const within = (value, most) => Math.max(0, Math.min(most, value));
      if (event.key === "Home") return { row, column: 0 };
      if (event.key === "End") return { row, column: columns.length - 1 };
      const step = moves[event.key];
      if (step === undefined) return null;
      const place = { row: within(row + step[0], total - 1), column: within(column + step[1], columns.length - 1) };
      return cellAt(place) ? place : { row, column };
    }

    table.addEventListener("focusin", (event) => {
      const place = event.target.matches("tbody td") ? placeOf(event.target) : null;
      if (place) describe(event.target, place);
    });

    // --- at the start; the newest days are what most look for
    const toNewest = () => (table.parentElement.scrollLeft = table.parentElement.scrollWidth);
    toNewest();
    // again when the style sheets have made it as wide as it is
    addEventListener("load", toNewest, { once: true });

    // a selection that the address names
    const named = new URLSearchParams(location.search);
    if (named.has("first")) {
      const rowOf = (key) => [...keys].find(([, one]) => one === key)?.[0];
      const columnOf = (day) => columns.findIndex((one) => one.dataset.from <= day && day <= one.dataset.to);
      const ends = [
        { row: rowOf(named.get("first")), column: columnOf(named.get("from")) },
        { row: rowOf(named.get("last")), column: columnOf(named.get("until")) },
      ];
      if (ends.every(({ row, column }) => row !== undefined && column >= 0)) [anchor, active] = ends;
    }
    mark();

    // --- changes of the ledger: read again every two seconds at most, and not while the page is hidden or cells are dragged over
    function refresh() {
      if (document.hidden || refreshes > 0 || isDragging) {
        isDue = true;
        return;
      }
      isDue = false;
      refreshes += 1;
      const full = [...table.tBodies].filter((body) => body.dataset.full);
      void Promise.all(full.map(load))
        .then(() => show(false))
        .finally(() =>
          setTimeout(() => {
            refreshes -= 1;
            if (isDue) refresh();
          }, 2000),
        );
    }
    let changes = null;
    let nextTry = null;
    function listen() {
      if (changes !== null || document.hidden) return;
      clearTimeout(nextTry);
      changes = new EventSource(`/live?since=${table.dataset.since}`);
      changes.addEventListener("ledger", refresh);
      // a browser tries again after a broken connection, and not after another answer than a stream
      changes.addEventListener("error", () => {
        if (changes?.readyState !== EventSource.CLOSED) return;
        report("Changes are not reported now: the cells are as they were.");
        mute();
        nextTry = setTimeout(listen, 15_000);
      });
      changes.addEventListener("open", () => report(""));
    }
    function mute() {
      clearTimeout(nextTry);
      changes?.close();
      changes = null;
    }
    listen();
    // a hidden page, or one that the browser keeps for the way back, would keep one of its few connections
    addEventListener("pagehide", mute);
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      listen();
      refresh();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return mute();
      // it reports at once what has changed since the page was made
      listen();
      if (isDue) refresh();
    });
  }
}
