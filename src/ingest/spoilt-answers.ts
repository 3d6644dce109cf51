import { isPaidInVain, type StorehouseError } from "../core/errors.ts";

/** What a process knows of answers that were charged and are of no use, by operation. */
export type SpoiltAnswers = {
  readonly note: (operation: string, error: StorehouseError) => void;
  /** A good answer of the operation came. */
  readonly end: (operation: string) => void;
  /** True where no answer of the operation is of use for now: it would only be paid for again. */
  readonly areAll: (operation: string) => boolean;
};

/** So many in a row may be the attempts of one slice, and a single unlucky one does not speak for the others. */
const mostInARow = 4;

/** Counts them from none. */
export function createSpoiltAnswers(): SpoiltAnswers {
  const inARow = new Map<string, number>();
  return {
    note: (operation, error) => {
      if (isPaidInVain(error)) inARow.set(operation, (inARow.get(operation) ?? 0) + 1);
    },
    end: (operation) => void inARow.delete(operation),
    areAll: (operation) => (inARow.get(operation) ?? 0) > mostInARow,
  };
}
