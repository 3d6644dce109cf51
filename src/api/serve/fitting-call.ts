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
  const [furthest] = refusals.sort((one, other) =>
    one.fitted === other.fitted ? 0 : other.fitted > one.fitted ? 1 : -1,
  );
  throw furthest ?? new Error("a route has at least one operation");
}
