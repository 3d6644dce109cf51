import { z } from "zod";

/** A language of Android reviews as the warehouse spells it, in lower case; a region may follow. */
export const ReviewLanguage = z
  .string()
  .regex(/^[a-z]{2}(_[a-z]{2})?$/, "a language is two letters, lower case, a region may follow: en, pt_br");

/** A told language in that spelling: answers differ in case and in what parts the region. */
export function languageCodeOf(told: string): string {
  return told.toLowerCase().replaceAll("-", "_");
}
