type Stops = { readonly all: Set<() => void>; readonly stopAll: () => void };

const stopsOf = new WeakMap<AbortSignal, Stops>();

/**
 * Calls `stop` when a signal is aborted; returns what takes it away. All share one listener of the signal: adding one to a signal goes
 * through all that it has.
 */
export function whenAborted(signal: AbortSignal, stop: () => void): () => void {
  const { all, stopAll } = stopsOf.get(signal) ?? listenTo(signal);
  all.add(stop);
  return () => {
    all.delete(stop);
    // called twice, it is not to take away those who came since
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
