import { spawnSync } from "node:child_process";
import path from "node:path";
import { didYouMean } from "../../src/core/did-you-mean.ts";
import { datasets } from "../../src/datasets/shared/all.ts";

/** What a new operation must have, which the conformance suite does not see: tests of seconds, over all operations. */
const ofOperations = [
  ...["operations", "parameter-rules", "empty-fields"].map((test) => `test/api/${test}.test.ts`),
  "test/sandbox/answers.test.ts",
];

/** `npm run test:dataset NAME`: the conformance suite over one dataset and those that it is planned from, and tests of operations. */
const [name, ...others] = process.argv.slice(2);
const names = datasets.map((dataset) => dataset.name);

if (name === undefined || others.length > 0) {
  process.stderr.write("usage: npm run test:dataset NAME, e.g. npm run test:dataset keyword_rank\n");
  process.exitCode = 2;
} else if (!names.includes(name)) {
  process.stderr.write(
    `no dataset is named ${name}${didYouMean(name, names) || "; npm run storehouse -- datasets lists them"}\n`,
  );
  process.exitCode = 2;
} else {
  const vitest = path.join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const run = ["run", "test/datasets.test.ts", ...ofOperations];
  const { status } = spawnSync(process.execPath, [vitest, ...run], {
    stdio: "inherit",
    env: { ...process.env, STOREHOUSE_TEST_DATASET: name },
  });
  process.exitCode = status ?? 1;
}
