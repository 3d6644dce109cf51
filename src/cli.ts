import { tolerateClosedPipes } from "./cli/output.ts";
import { createProgram } from "./cli/program.ts";
import { reportCrashes, reportFailure } from "./cli/report-failure.ts";

tolerateClosedPipes();
reportCrashes();
try {
  // two words, since `storehouse help sync` shows what `storehouse sync --help` does
  const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
  const program = await createProgram(words.slice(0, 2));
  await program.parseAsync();
} catch (error) {
  process.exitCode = await reportFailure(error);
}
