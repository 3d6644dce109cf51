import { STATUS_CODES } from "node:http";

/** When a request was received and its path, for error bodies: `path` is as sent, without the query. */
export type Receipt = { readonly at: number; readonly path: string; readonly requestId: string };

/** The body of every error; `message` is null if the service has none. */
export function errorBody({ at, path, requestId }: Receipt, status: number, message: string | null): string {
  const error = STATUS_CODES[status] ?? "Unknown";
  return JSON.stringify({ timestamp: new Date(at).toISOString(), path, status, error, message, requestId });
}

/** The status that the server framework gives an error, such as 413 for a body that is too large; 500 for any other error. */
export function statusIn(error: unknown): number {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : 500;
}
