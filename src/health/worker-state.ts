/** What a worker does, in the words of its own state. */
export const workerStates = [
  "starting",
  "running",
  "database_unavailable",
  "api_unavailable",
  "aborted",
  "stopping",
] as const;

/** What a worker does now, since when (epoch-ms), and why it waits or asks for nothing. */
export type WatchedState = {
  readonly is: (typeof workerStates)[number];
  readonly since: number;
  readonly error: { readonly code: string; readonly message: string } | null;
};
