type Stops = { readonly all: Set<() => void>; readonly stopAll: () => void };

const stopsOf = new WeakMap<AbortSignal, Stops>();

/**
 * Calls `stop` when a signal is aborted; returns a function that removes it. All share one listener of the signal: adding a listener goes
 * through all existing ones.
 */
export function whenAborted(signal: AbortSignal, stop: () => void): () => void {
  const { all, stopAll } = stopsOf.get(signal) ?? listenTo(signal);
  all.add(stop);
  return () => {
    all.delete(stop);
    // a second call must not remove listeners that were added later
    if (all.size > 0 || stopsOf.get(signal)?.all !== all) return;
    signal.removeEventListener("abort", stopAll);
    stopsOf.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Stops {
  const all = new Set<() => void>();
  const stopAll = () => all.forEach((stop) => stop());
  signal.addEventListener("abort", stopAll, { once: true });
  const stops = { all, stopAll };
  stopsOf.set(signal, stops);
  return stops;
}
