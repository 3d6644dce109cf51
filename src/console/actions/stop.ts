import { z } from "zod";
import { defineAction } from "../define-action.ts";

const says =
  "The run stops: what was fetched is loaded, and nothing more is requested. The remaining slices are failed again, or missing.";

/** Stops the run of the console that the page showed, as Ctrl-C stops a command; the rest of a backfill is cancelled as well. */
export const stopAction = defineAction({
  name: "stop",
  label: "Stop",
  input: z.object({ started: z.coerce.number().int() }),
  price: ({ runs }, { started }) => {
    const { what } = runs.checkRunning(started);
    return Promise.resolve({ credits: 0, about: { what }, says });
  },
  run: ({ runs }, { started }) => {
    runs.stop(started);
    return Promise.resolve({ says, to: "/runs" });
  },
});
