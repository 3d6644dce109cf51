import type { Command } from "commander";
import { addRawExport, addRawImport } from "./raw-files.ts";
import { addRawList } from "./raw-list.ts";
import { addRawShow } from "./raw-show.ts";

/** `storehouse raw`: the answers that are stored, as files. */
export function defineRaw(raw: Command): void {
  for (const add of [addRawList, addRawShow, addRawExport, addRawImport]) add(raw);
}
