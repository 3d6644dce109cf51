import { writeFile } from "node:fs/promises";
import path from "node:path";
import { projectRoot } from "./config/config.ts";
import { generatedFiles } from "./docs/generated.ts";

for (const { file, text } of await generatedFiles()) await writeFile(path.join(projectRoot, file), text);
