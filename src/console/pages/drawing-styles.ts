import { z } from "zod";
import { drawingClass } from "../../charts/draw.ts";
import { darkRules, stateRules } from "../../charts/palette.ts";
import { definePage } from "../define-page.ts";

/** The colours of drawings on a dark page and of cells of coverage: one palette for pages and for files. */
export const drawingStylesPage = definePage({
  path: "/drawings.css",
  title: "Chart colours",
  input: z.object({}),
  examples: [],
  show: () =>
    Promise.resolve({
      type: "text/css; charset=utf-8",
      body: `${stateRules(".cell")}\n${stateRules(".cells td")}\n@media (prefers-color-scheme: dark){\n${darkRules(`.${drawingClass}`)}\n}\n`,
    }),
});
