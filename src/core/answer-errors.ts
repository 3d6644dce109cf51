/** Errors of answers from the API or from files; see error-codes.ts for what the fields mean. */
export const answerErrors = {
  not_json: {
    recovery: "retry",
    unreadable: true,
    later: true,
    attempts: 3,
    says: "the answer is not JSON{likely}",
    next: "`storehouse failures` shows its next try, if it has one; `storehouse raw show` with the number of the slice prints the body",
  },
  not_utf8: {
    recovery: "retry",
    unreadable: true,
    later: true,
    attempts: 3,
    says: "the name of a field in the answer contains bytes that are not UTF-8",
    next: "`storehouse failures` shows its next try, if it has one; the body is kept in raw.answer",
  },
  answer_too_deep: {
    recovery: "skip",
    unreadable: true,
    leaves: "failed",
    says: "the answer nests lists and objects deeper than {limit} levels",
    next: "the body is kept in raw.answer; report it to the operator of the API",
  },
  success_false: {
    recovery: "retry",
    unreadable: true,
    later: true,
    attempts: 2,
    says: "the answer reports a failure (success: false, or an error with its status)",
    next: "see the message; `storehouse failures` shows its next try, if it has one; `storehouse retry` requests it now",
  },
  unknown_shape: {
    recovery: "skip",
    unreadable: true,
    leaves: "failed",
    says: "the answer has an unknown shape",
    next: "the body is kept in raw.answer; `storehouse replay` loads it once a newer version knows the shape",
  },

  unanswered: {
    recovery: "skip",
    leaves: "failed",
    says: "{code}: {problem}",
    next: "run the command again if the cause may be temporary; ops.request has the request and the status",
  },

  api_unavailable: {
    recovery: "defer",
    sent: false,
    charged: false,
    says: "the API did not respond for a while",
    next: "it continues automatically",
  },
  balance_unchecked: {
    recovery: "retry",
    says: "the balance, which is checked before anything is requested, could not be read ({cause}: {problem})",
    next: "nothing was requested: start it again once the API responds; `storehouse doctor` tests the address and the token",
  },

  // answers as files
  bad_answer_file: {
    recovery: "usage",
    says: "{file} is not loaded: {problem}",
    next: "correct the file and import it again; docs/answers-as-files.md describes its fields",
  },
  answer_damaged: {
    recovery: "usage",
    says: "page {page} of the stored answer of slice {slice} is damaged: it cannot be unpacked",
    next: "check the disk of the database; then import the answer again with `storehouse raw import`, restore its row of raw.answer from a backup, or delete all rows of that slice in raw.answer: it counts as pruned then",
  },
  page_missing: {
    recovery: "usage",
    says: "page {page} of the answer is missing",
    next: "import the answer again with `storehouse raw import`, or delete all rows of its slice in raw.answer: it counts as pruned then",
  },
  answers_damaged: {
    recovery: "usage",
    says: "stored answers of {dataset} are damaged and cannot be unpacked: {answers}, with days from {from} to {to}; the first are those of the slices {slices}",
    next: "check the disk of the database; `storehouse raw export --json` lists all that are not held; then import these answers again with `storehouse raw import`, restore their rows of raw.answer from a backup, or delete all rows of their slices in raw.answer and run the replay with --keep-pruned",
  },
  answer_pruned: {
    recovery: "usage",
    says: "{slices} loaded slices of {dataset} with days from {from} to {to} no longer have a stored answer: rebuilding would lose their rows",
    next: "import their answers with `storehouse raw import`, narrow --from and --to, or keep those rows as they are with --keep-pruned",
  },
  held_not_applied: {
    recovery: "usage",
    says: "these held answers cannot be applied: {answers}; other held answers that were applied: {applied}",
    next: "nothing to do: each list is requested again the next day, and applied if that answer is the same",
  },
  answers_folded: {
    recovery: "usage",
    says: "{slices} loaded slices of {dataset} with days from {from} to {to} no longer have a stored answer, and {folded} of them are folded into others: rebuilding would lose their rows",
    next: "keep those rows as they are with --keep-pruned, or narrow --from and --to: answers that are imported do not belong to folded slices",
  },
  being_replayed: {
    recovery: "defer",
    says: "a replay rebuilds the dataset",
    next: "the answer is stored, and loaded automatically after the replay",
  },
} as const;
