/* Loaded into each measured process: appends what it took to a file, a line a process. */
const { appendFileSync } = require("node:fs");

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  appendFileSync(process.env.STOREHOUSE_BENCH_USAGE, `${(userCPUTime + systemCPUTime) / 1000} ${maxRSS / 1024}\n`);
});
