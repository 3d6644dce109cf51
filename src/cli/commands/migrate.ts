import type { Command } from "commander";
import { withApp } from "../environment.ts";
import { print } from "../output.ts";

/** `storehouse migrate`: bring the database up to date; every command that needs it does so too. */
export function addMigrate(program: Command): void {
  program
    .command("migrate")
    .description("bring the database up to date")
    .action(() => withApp(async () => print("The database is up to date.")));
}
