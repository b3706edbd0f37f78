import { brokenAnswers } from './broken-answers.ts';
import { leave } from './leave.ts';
import { ownCompaction } from './own-compaction.ts';
import { recall, recallByMcp, recallByStdio } from './recall.ts';
import { resume } from './resume.ts';
import { rewind } from './rewind.ts';
import type { Scenario } from './scenario.ts';
import { started } from './started.ts';
import { subagents } from './subagents.ts';
import { toolSearch } from './tool-search.ts';
import { twins } from './twins.ts';

/** Every scenario; a new one is a file and its line here. */
export const SCENARIOS: readonly Scenario[] = [
  started,
  toolSearch,
  subagents,
  twins,
  resume,
  leave,
  rewind,
  ownCompaction,
  brokenAnswers,
  recall,
  recallByMcp,
  recallByStdio,
];
