import { writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/* Loaded before a program: prints each file that is loaded after it to stderr, a line each. */
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) writeSync(2, `loaded ${fileURLToPath(url)}\n`);
    return next(url, context);
  },
});
