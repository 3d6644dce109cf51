import { tolerateClosedPipes } from "./cli/output.ts";
import { runTyped } from "./cli/program.ts";
import { reportCrashes, reportFailure } from "./cli/report-failure.ts";

tolerateClosedPipes();
reportCrashes();
try {
  await runTyped(process.argv.slice(2));
} catch (error) {
  process.exitCode = await reportFailure(error);
}
