import { z } from "zod";
import { settingsFor } from "../config/settings.ts";
import { datasetOptions } from "../datasets/shared/all.ts";

/** The JSON Schema of config/storehouse.yaml, for editors. */
export function settingsSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(settingsFor(datasetOptions), { io: "input" }), null, 2)}\n`;
}
