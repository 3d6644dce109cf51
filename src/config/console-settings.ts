import { z } from "zod";

/** The console: who reaches it, and how. */
export const ConsoleSettings = z
  .strictObject(
    {
      on: z.boolean().default(false).describe("A worker serves the console too; `storehouse console` always does."),
      host: z
        .string()
        .min(1)
        .default("127.0.0.1")
        .describe(
          "Address that it listens on; any other than one of this machine alone takes STOREHOUSE_CONSOLE_PASSWORD.",
        ),
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(9465)
        .describe("Its port; the next free one of ten where it is taken, any free one for 0."),
      timeout_seconds: z
        .number()
        .min(0.1)
        .max(600)
        .default(5)
        .describe("The longest time for one statement of a page; a page shows older figures with their age instead."),
      proxy: z
        .strictObject({
          user_header: z
            .string()
            .regex(/^[A-Za-z][\w-]*$/, "is no name of a header")
            .optional()
            .describe(
              "Header with the name of the user whom the reverse proxy has signed in; without one a password signs in, and the proxy says where from and whether by https.",
            ),
          addresses: z
            .array(z.union([z.ipv4(), z.ipv6()], { error: "is no address (IPv4 or IPv6)" }))
            .min(1)
            .default(["127.0.0.1", "::1"])
            .describe("Addresses of the reverse proxy: from any other one the header does not count."),
          operators: z
            .array(z.string().min(1))
            .default([])
            .describe("Users who are operators; all others are viewers."),
        })
        .optional()
        .describe("A reverse proxy, which may sign users in; trusted only when it is set."),
    },
    {
      error: ({ code }) =>
        code === "invalid_type" ? "is a map: `console: {on: true}` has workers serve it" : undefined,
    },
  )
  .prefault({})
  .describe("The console in a browser.");
