import { z } from "zod";
import { defineAction } from "../define-action.ts";

/** Stops the run that the console runs, as Ctrl-C stops a command. */
export const stopAction = defineAction({
  name: "stop",
  label: "Stop",
  input: z.object({}),
  price: () => Promise.resolve({ credits: 0, says: "The run of the console stops: what was fetched is loaded." }),
  run: ({ runs }) => {
    runs.stop();
    return Promise.resolve({ says: "The run stops: what was fetched is loaded.", to: "/runs" });
  },
});
