import { HoldfastError } from 'holdfast';
import { readEntry } from './entry.ts';
import type { Scope, ScopeRule } from './judge.ts';
import { type ScopeLists, scopeLists } from './text.ts';

const NONE = /^[*_(]*(?:none|nothing|n\/a|-)[*_)]*\.?$/i;
/** With an Allowed list, "everything else" is forbidden anyway. */
const REST =
  /^(?:everything|anything|all|any)? ?(?:else|(?:the )?others?|the rest|other (?:files|paths|folders)|not (?:listed|named|allowed)(?: above)?)\.?$/i;
const ADVICE =
  'write a path or glob relative to the workspace, such as src/a.ts or src/**, in backticks if it contains a space, and remarks in brackets';

/**
 * Reads what a task allows and forbids, from its text or from lists of entries; `name` is for messages. Throws BAD_CONFIG
 * for an entry that cannot be understood, or a scope without a readable rule. Pure.
 */
export function parseScope(
  task: string | { readonly allowed?: readonly string[]; readonly forbidden?: readonly string[] },
  name = 'the task',
): Scope {
  const lists: ScopeLists = typeof task === 'string' ? scopeLists(task) : { ...task, errors: [], problems: [] };
  const errors = [...lists.errors];
  const problems = [...lists.problems];
  const forbidden: ScopeRule[] = [];
  const allowed: ScopeRule[] = [];
  const said = (entries: readonly string[] = []) => entries.filter((text) => !NONE.test(text));
  for (const text of said(lists.forbidden)) {
    if (lists.allowed && REST.test(text)) continue;
    const read = readEntry(text, true);
    if (read && read.excluded.length === 0) forbidden.push({ text, patterns: read.patterns, readOnly: read.readOnly });
    else errors.push(`Forbidden "${text}" cannot be understood; ${ADVICE}`);
  }
  for (const text of said(lists.allowed)) {
    const read = readEntry(text, false);
    if (!read) errors.push(`Allowed "${text}" cannot be understood; ${ADVICE}`);
    else {
      const { patterns, excluded, readOnly } = read;
      if (patterns.length > 0) allowed.push({ text, patterns, readOnly });
      if (excluded.length > 0) forbidden.push({ text, patterns: excluded, readOnly });
    }
  }
  if (lists.allowed?.length === 0)
    problems.push('Allowed is empty, so nothing may be written; list paths, or remove it');
  if (errors.length > 0)
    throw new HoldfastError('BAD_CONFIG', errors.map((error) => `${name}, scope: ${error}`).join('\n'));
  return { ...(lists.allowed === undefined ? {} : { allowed }), forbidden, problems };
}
