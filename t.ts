import { docsPages } from "./test/support/pages.ts";
import { leftWordsIn } from "./test/support/left-words.ts";
for (const { file, text } of docsPages) {
  const generated = text.includes("npm run docs` writes this page");
  for (const [n, line] of text.split("\n").entries()) {
    const w = leftWordsIn(line);
    if (w.length) console.log(generated ? "G" : "H", file, n + 1, w.join(","), line.slice(0, 140));
  }
}
