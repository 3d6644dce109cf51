import { z } from "zod";

/** The console: who reaches it, and how. */
export const ConsoleSettings = z
  .strictObject(
    {
      on: z
        .boolean()
        .default(false)
        .describe("Whether a worker serves the console too; `storehouse console` always does."),
      host: z
        .string()
        .min(1)
        .default("127.0.0.1")
        .describe("Address to listen on; any address other than loopback requires STOREHOUSE_CONSOLE_PASSWORD."),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(9465)
        .describe("Port to listen on; if it is taken, the next free one of ten; 0 for any free one."),
      timeout_seconds: z
        .number()
        .min(0.1)
        .max(600)
        .default(5)
        .describe("Maximum time for one statement of a page; after that the page shows older figures with their age."),
      proxy: z
        .strictObject({
          user_header: z
            .string()
            .regex(/^[A-Za-z][\w-]*$/, "is not the name of a header")
            .optional()
            .describe(
              "Header with the name of the user whom the reverse proxy has signed in. Without it users sign in with a password, and the proxy only reports the client's address and whether it uses https.",
            ),
          addresses: z
            .array(z.union([z.ipv4(), z.ipv6()], { error: "is not an IPv4 or IPv6 address" }))
            .min(1)
            .default(["127.0.0.1", "::1"])
            .describe("Addresses of the reverse proxy; the header is ignored from any other address."),
          operators: z
            .array(z.string().min(1))
            .default([])
            .describe("Users who are operators; all others are viewers."),
        })
        .optional()
        .describe("A reverse proxy, which can sign users in; no proxy is trusted unless this is set."),
    },
    {
      error: ({ code }) =>
        code === "invalid_type" ? "must be a map: `console: {on: true}` makes workers serve it" : undefined,
    },
  )
  .prefault({})
  .describe("The console in a browser.");
