import { z } from "zod";
import { isDay } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { ledgerNumber } from "../core/slice.ts";
import { schemaWords } from "../core/schema-words.ts";

/** Data begins when the first store opened; no grid or chart reaches further than the days that commands accept. */
const isShownDay = (text: string) => isDay(text) && text >= "2000-01-01" && text < "2200-01-01";

/** A day in an address, undefined if the field is empty. */
export const OptionalDay = z
  .string()
  .default("")
  .refine(
    (text) => text === "" || isShownDay(text),
    "is not a day from 2000-01-01 to 2199-12-31 in the form YYYY-MM-DD",
  )
  .transform((text) => (text === "" || !isDay(text) ? undefined : text));

/** The number of a run, a slice or a plan; it stays text, as the ledger has it. */
export const LedgerId = z.string().regex(ledgerNumber, "is not a number");

const somewhere = "http://console.invalid";

/** A path of this console to go to: never another site, even if a browser drops spaces or changes slashes in it. */
export const OwnAddress = z
  .string()
  .refine(
    (text) => text.startsWith("/") && URL.parse(text, somewhere)?.origin === somewhere,
    "is not an address of this console",
  )
  // encoded for a header
  .transform((text) => URL.parse(text, somewhere)?.href.slice(somewhere.length) ?? "/")
  .default("/");

/** The input of a page or an action. Throws `console_bad_input`, which names each invalid field. */
export function parsed<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const holding = nameOfNull(given);
  if (holding !== undefined)
    throw fail("console_bad_input", {
      problem: `${holding} contains a character that is not allowed in text (U+0000)`,
    });
  const result = schema.safeParse(given, { error: schemaWords });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw fail("console_bad_input", { problem: problems.join("; ") });
}

/** The name of a field with a character that Postgres accepts in no text; undefined if there is none. */
function nameOfNull(given: unknown): string | undefined {
  const fields = Object.entries((given ?? {}) as Readonly<Record<string, unknown>>);
  return fields.find(([, value]) => [value].flat().some((text) => String(text).includes("\0")))?.[0];
}
