import { Client } from "pg";
import { expect, test } from "vitest";
import { freshDatabase } from "./database.ts";

test("gives every caller a database of its own and takes it back although a client is connected", async () => {
  const clients: Client[] = [];
  {
    await using one = await freshDatabase();
    await using two = await freshDatabase();
    for (const { url } of [one, two]) {
      const client = new Client({ connectionString: url });
      client.on("error", () => undefined);
      await client.connect();
      await client.query("create table public.mine ()");
      clients.push(client);
    }
    expect(one.url).not.toBe(two.url);
  }
  for (const client of clients) await expect(client.query("select")).rejects.toThrow();
});
