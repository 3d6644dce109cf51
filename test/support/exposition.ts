/** A metric as Prometheus reads it from a scrape. */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly samples: readonly Sample[];
};

/** One line of it. */
type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

const suffixes = {
  counter: [""],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};
const helpLine = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\n]|\\\\|\\n)+)$/;
const typeLine = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary)$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|Nan|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const labelPair = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/;

/**
 * Reads the text format of Prometheus (0.0.4), strictly: each family with HELP and TYPE right before its lines and once, names and
 * labels of the right letters and escapes, no line twice, histograms with rising buckets up to +Inf. Throws and names the line.
 */
export function readExposition(text: string): readonly Family[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families: (Family & { samples: Sample[] })[] = [];
  let help: RegExpExecArray | null = null;
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const bad = (why: string) => new Error(`${why}: ${line}`);
    if (line.startsWith("# HELP")) {
      help = helpLine.exec(line);
      if (help === null) throw bad("no HELP");
    } else if (line.startsWith("#")) {
      const [, name = "", type = ""] = typeLine.exec(line) ?? [];
      if (help?.[1] !== name) throw bad("a TYPE that follows no HELP of its name");
      if (families.some((family) => family.name === name)) throw bad("a family twice");
      families.push({ name, help: help[2] ?? "", type: type as Family["type"], samples: [] });
      help = null;
    } else {
      const family = families.at(-1);
      const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? [];
      if (family === undefined || help !== null || !suffixes[family.type].some((end) => family.name + end === name))
        throw bad("a value outside its family");
      const sample = { name, labels: readLabels(labels, bad), value: value.endsWith("Inf") ? Infinity : Number(value) };
      const key = JSON.stringify([name, Object.entries(sample.labels).sort()]);
      if (family.samples.some((one) => JSON.stringify([one.name, Object.entries(one.labels).sort()]) === key))
        throw bad("a value twice");
      family.samples.push(sample);
    }
  }
  for (const family of families) checkHistogram(family);
  return families;
}

function readLabels(text: string, bad: (why: string) => Error): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== "") {
    const found = labelPair.exec(rest);
    if (found === null) throw bad("labels that cannot be read");
    const [all, name = "", value = ""] = found;
    if (name in labels) throw bad("a label twice");
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    rest = rest.slice(all.length);
  }
  return labels;
}

function checkHistogram({ type, name, samples }: Family): void {
  if (type !== "histogram") return;
  const groups = Map.groupBy(
    samples.filter((sample) => sample.name === `${name}_bucket`),
    ({ labels }) => JSON.stringify(Object.fromEntries(Object.entries(labels).filter(([label]) => label !== "le"))),
  );
  for (const [key, buckets] of groups) {
    const counts = buckets.map(({ value }) => value);
    const total = samples.find((one) => one.name === `${name}_count` && JSON.stringify(one.labels) === key)?.value;
    if (counts.some((count, index) => index > 0 && count < (counts[index - 1] ?? 0)) || counts.at(-1) !== total)
      throw new Error(`buckets of ${name} ${key} do not rise to its count`);
    if (buckets.at(-1)?.labels["le"] !== "+Inf") throw new Error(`${name} ${key} has no bucket +Inf`);
  }
}
