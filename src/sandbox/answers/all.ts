import type { AnswerTable } from "../scene.ts";
import { accountAnswers } from "./account.ts";
import { dashboardAnswers } from "./dashboard.ts";
import { keywordAnswers } from "./keyword.ts";

/** The answer generators of all operations, by id. */
export const answers: AnswerTable = { ...keywordAnswers, ...dashboardAnswers, ...accountAnswers };
