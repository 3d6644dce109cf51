import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { projectRoot } from "./config/config.ts";
import { generatedFiles } from "./docs/generated.ts";
import { openScratchWarehouse } from "./docs/scratch-warehouse.ts";

await using warehouse = await openScratchWarehouse();
for (const { file, text } of await generatedFiles(warehouse.db)) {
  const place = path.join(projectRoot, file);
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, text);
}
