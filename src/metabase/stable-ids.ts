import { createHash } from "node:crypto";

/** The id of a dashboard's filter; the same in every Metabase. */
export function parameterId(dashboard: string, filter: string): string {
  return hashOf(`${dashboard}/${filter}`).slice(0, 8);
}

/** An id in the form of a UUID that is always the same for one name. */
export function uuidOf(name: string): string {
  return hashOf(name)
    .slice(0, 32)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}

function hashOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}
