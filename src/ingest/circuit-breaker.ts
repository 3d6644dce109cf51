import { isUnusableCharged, type StorehouseError } from "../core/errors.ts";

/**
 * A circuit breaker for each operation of the API. It opens after several unusable answers in a row that were, or may have been, charged.
 * The next good answer closes it. While it is open, a slice that fails is not retried within seconds but minutes or hours later.
 */
export type CircuitBreaker = {
  readonly failed: (operation: string, error: StorehouseError) => void;
  readonly succeeded: (operation: string) => void;
  readonly isOpen: (operation: string) => boolean;
};

/** The attempts of one slice: a single bad slice opens no breaker. */
const mostInARow = 4;

/** Makes a circuit breaker that is closed for each operation. */
export function createCircuitBreaker(): CircuitBreaker {
  const inARow = new Map<string, number>();
  return {
    failed: (operation, error) => {
      if (isUnusableCharged(error)) inARow.set(operation, (inARow.get(operation) ?? 0) + 1);
    },
    succeeded: (operation) => void inARow.delete(operation),
    isOpen: (operation) => (inARow.get(operation) ?? 0) > mostInARow,
  };
}
