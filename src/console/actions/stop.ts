import { z } from "zod";
import { defineAction } from "../define-action.ts";

const says =
  "The run stops: what was fetched is loaded, and nothing more of it is requested. What is left is failed again, or missing.";

/** Stops the run that the console runs, as Ctrl-C stops a command; the rest of a backfill is cancelled as well. */
export const stopAction = defineAction({
  name: "stop",
  label: "Stop",
  input: z.object({}),
  price: ({ runs }) => {
    runs.checkRunning();
    return Promise.resolve({ credits: 0, says });
  },
  run: ({ runs }) => {
    runs.stop();
    return Promise.resolve({ says, to: "/runs" });
  },
});
