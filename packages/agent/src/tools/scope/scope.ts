import { HoldfastError } from 'holdfast';
import { readEntry } from './entry.ts';
import type { Scope, ScopeRule } from './judge.ts';
import { type ScopeLists, scopeLists } from './text.ts';

const NONE = /^[*_(]*(?:none|nothing|n\/a|-)[*_)]*\.?$/i;
/** With a list of what is allowed, this is what holds anyway. */
const REST =
  /^(?:everything|anything|all|any)? ?(?:else|(?:the )?others?|the rest|other (?:files|paths|folders)|not (?:listed|named|allowed)(?: above)?)\.?$/i;
const ADVICE =
  'write a path or a glob from the workspace, such as src/a.ts or src/**, in backticks if a space is in it, and remarks in brackets';

/**
 * Reads what a task allows and forbids, or takes the entries of both as lists; `name` is for messages. Throws BAD_CONFIG for
 * an entry that cannot be understood, and for a scope of which no rule can be read: it would not be what was meant. Pure.
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
    if (read && read.excluded.length === 0)
      forbidden.push({ text, patterns: read.patterns, read_only: read.read_only });
    else errors.push(`Forbidden "${text}" cannot be understood; ${ADVICE}`);
  }
  for (const text of said(lists.allowed)) {
    const read = readEntry(text, false);
    if (!read) errors.push(`Allowed "${text}" cannot be understood; ${ADVICE}`);
    else {
      const { patterns, excluded, read_only } = read;
      if (patterns.length > 0) allowed.push({ text, patterns, read_only });
      if (excluded.length > 0) forbidden.push({ text, patterns: excluded, read_only });
    }
  }
  if (lists.allowed?.length === 0)
    problems.push('Allowed has no entry, so that nothing may be written; name paths, or leave it out');
  if (errors.length > 0)
    throw new HoldfastError('BAD_CONFIG', errors.map((error) => `${name}, scope: ${error}`).join('\n'));
  return { ...(lists.allowed === undefined ? {} : { allowed }), forbidden, problems };
}
