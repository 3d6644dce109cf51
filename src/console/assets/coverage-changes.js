// Changes of the ledger, for the grid of coverage: it is read again every two seconds at most, and not while the page is hidden or busy.

/** Calls `readAgain`, which returns a promise, when the ledger changed after `since`. While `isBusy`, that waits for `refreshIfDue`. */
export function followLedger(since, { readAgain, isBusy, report }) {
  // the ledger has changed, and the grid is not read again yet
  let isDue = false;
  // above 0 while it is read again, and for two seconds after it
  let refreshes = 0;

  function refresh() {
    if (document.hidden || refreshes > 0 || isBusy()) {
      isDue = true;
      return;
    }
    isDue = false;
    refreshes += 1;
    void readAgain().finally(() =>
      setTimeout(() => {
        refreshes -= 1;
        refreshIfDue();
      }, 2000),
    );
  }
  function refreshIfDue() {
    if (isDue) refresh();
  }

  let changes = null;
  let nextTry = null;
  function listen() {
    if (changes !== null || document.hidden) return;
    clearTimeout(nextTry);
    changes = new EventSource(`/live?since=${since}`);
    changes.addEventListener("ledger", refresh);
    // a browser tries again after a broken connection, and not after another answer than a stream
    changes.addEventListener("error", () => {
      if (changes?.readyState !== EventSource.CLOSED) return;
      report("Changes are not reported at the moment: the cells may be out of date.");
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
    refreshIfDue();
  });

  return { refreshIfDue };
}
