import type { Command } from "commander";
import { addRawExport } from "./raw-files.ts";
import { addRawImport } from "./raw-files.ts";
import { addRawList } from "./raw-list.ts";
import { addRawShow } from "./raw-show.ts";

/** `storehouse raw`: the answers that are stored, as files. */
export function addRaw(program: Command): void {
  const raw = program.command("raw").description("list, show, export and import the answers that are stored");
  for (const add of [addRawList, addRawShow, addRawExport, addRawImport]) add(raw);
}
