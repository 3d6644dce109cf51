import type { Operation } from "../define-operation.ts";
import { Refusal } from "./refusal.ts";
import type { Route } from "./routes.ts";

/**
 * The result of `read` for the first operation of the route that the request fits. If it fits none, throws the refusal of the one that it
 * fits furthest, which is probably meant.
 */
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
  const most = Math.max(...refusals.map(({ fitted }) => fitted));
  throw refusals.find(({ fitted }) => fitted === most) ?? new Error("a route has at least one operation");
}
