import { createClient } from "../src/api/client.ts";
import { androidKeywordRanking } from "../src/api/operations/keyword.ts";
import { systemClock } from "../src/core/clock.ts";
import type { Bench } from "./bench.ts";
import { wide } from "./config.ts";
import { timed } from "./stopwatch.ts";
import { benchToken, keywordOf, keywordsPerAnswer, today, trackIdOf } from "./work.ts";

const requests = 2000;

/** Requests per second of the client alone, without queue, ledger and tables: what HTTP costs here. */
export async function measureTransport({ service, say }: Bench): Promise<number> {
  say("the client alone");
  await service.behave();
  await using client = createClient({
    baseUrl: service.url,
    token: benchToken,
    storeWords: { ios: "iosstore", android: "androidstore" },
    timeoutMs: 60_000,
    largestAnswer: 2 ** 26,
    clock: systemClock(),
  });
  const keywords = Array.from({ length: keywordsPerAnswer }, (_, index) => keywordOf(0, index));
  const params = { trackId: trackIdOf(0), countryCode: "US", keywords, date: today };
  let left = requests;
  const work = async () => {
    while (left-- > 0) await client.send(androidKeywordRanking, params);
  };
  const { ms } = await timed(() => Promise.all(Array.from({ length: wide }, work)));
  return (requests * 1000) / ms;
}
