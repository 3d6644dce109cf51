import { hideSecrets } from "./environment.ts";
import { remark } from "./output.ts";
import { reportFailure } from "./report-failure.ts";

/** Says a line about a failure without the secrets that it may hold. */
export function sayHidden(line: string): void {
  remark(hideSecrets(line));
}

/** Has an error that nobody caught told like any other, where the runtime itself would print it with everything that hangs on it. */
export function reportCrashes(): void {
  process.on("uncaughtException", (error) => {
    reportFailure(error, sayHidden);
    process.exit(1);
  });
}
