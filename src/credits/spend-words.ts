/** The dataset that credits were spent on; balance checks and requests of commands belong to none. */
export function spentOnWords(dataset: string | null): string {
  return dataset || "(balance checks, commands)";
}

/** The account in a table: its name, or where its token comes from. */
export function accountCell(account: string): string {
  return account || "(API_TOKEN)";
}
