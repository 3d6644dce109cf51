import { fail } from "../core/errors.ts";

/** Actions whose response is not sent yet. Disposing aborts `stop`, and waits until they have ended and are recorded. */
export interface OpenActions extends AsyncDisposable {
  readonly stop: AbortSignal;
  readonly add: <T>(action: Promise<T>) => Promise<T>;
}

/** Makes the set of them. */
export function createOpenActions(): OpenActions {
  const closing = new AbortController();
  const open = new Set<Promise<unknown>>();
  return {
    stop: closing.signal,
    add: (action) => {
      open.add(action);
      return action.finally(() => open.delete(action));
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort(fail("stopped"));
      await Promise.allSettled(open);
    },
  };
}
