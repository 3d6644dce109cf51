import { StorehouseError } from "../core/errors.ts";
import { isCancelled } from "../postgres/database-errors.ts";

/** True for the error of a read that took longer than a page waits. */
export function isSlow(error: unknown): boolean {
  return (error instanceof StorehouseError && error.code === "console_slow") || isCancelled(error);
}

/** The value, or null if reading it takes longer than a page waits. */
export async function unlessSlow<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (isSlow(error)) return null;
    throw error;
  }
}
