import { reportCrashes } from "../../src/cli/report-failure.ts";

/** A program for child processes: fails in a way that nobody catches, with the text given and facts on the error. */
const [way = "", text = ""] = process.argv.slice(2);

reportCrashes();
const error = Object.assign(new Error(text), { request: { url: text } });
if (way === "throw") {
  setImmediate(() => {
    throw error;
  });
} else void Promise.reject(error);
setInterval(() => undefined, 60_000);
