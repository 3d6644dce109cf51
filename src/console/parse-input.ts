import type { z } from "zod";
import { fail } from "../core/errors.ts";

/** The input of a page or an action. Throws `console_bad_input`, which names what does not fit. */
export function parsed<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw fail("console_bad_input", { problem: problems.join("; ") });
}
