import type { Dialect } from './dialect.ts';
import { DIALECTS, dialectNamed } from './dialects/detect.ts';
import { repairAgain } from './history/repair.ts';
import { reminders } from './reminders/reminders.ts';
import { LANGUAGES } from './statements/languages/index.ts';
import { summaries } from './summaries/model-summaries.ts';
import type { CoreParts, WindowParts } from './window/parts.ts';

/** These parts with all that the engine has for the others. Throws BAD_CONFIG for an unknown dialect. */
export function withEveryPart<M>({ dialect, languages = LANGUAGES, ...parts }: WindowParts<M>): CoreParts<M> {
  const named = typeof dialect === 'string' ? (dialectNamed(dialect) as Dialect<M>) : dialect;
  return { ...parts, dialect: named ?? DIALECTS, languages, reminders, repair: repairAgain, summaries };
}
