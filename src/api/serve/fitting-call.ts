import type { Operation } from "../define-operation.ts";
import { Refusal } from "./refusal.ts";
import type { Route } from "./routes.ts";

/** The result of `read` for the first operation of the route that the request fits. If it fits none, throws the refusal of the first. */
export function fittingCall<T>({ operations }: Route, read: (operation: Operation) => T): T {
  const refusals: Refusal[] = [];
  for (const operation of operations) {
    try {
      return read(operation);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.push(error);
    }
  }
  throw refusals[0] ?? new Error("a route has at least one operation");
}
