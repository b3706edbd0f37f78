import { join } from 'node:path';
import type { HoldfastConfig } from '../config/config.ts';
import { folded } from '../tools/files/path-rules.ts';
import { type Scope, type ScopeRule, scopeJudge } from '../tools/scope/judge.ts';

type Config = Pick<HoldfastConfig, 'execution' | 'skills'>;

/** Where rules, roles and skills are looked for in a workspace, existing or not: paths and globs. Pure. */
function patternsOf({ execution: { agents_file, role }, skills }: Config): string[] {
  return [
    agents_file,
    join('.ai', agents_file),
    '.ai/roles/*.md',
    ...(role?.endsWith('.md') ? [role] : []),
    ...['.ai/skills', ...skills.directories].map((folder) => join(folder, '*', 'SKILL.md')),
  ];
}

/** Whether a path from the workspace is one that the model is given as instructions, in any spelling. Pure. */
export function matchInstructions(config: Config): (path: string) => boolean {
  const judge = scopeJudge({ forbidden: [ruleOf(patternsOf(config))], problems: [] });
  return (path) => judge(path, 'write') !== undefined;
}

/**
 * A scope in which the model does not write its own instructions: during a run nobody can approve that. What a task names under
 * Allowed is approved by it; a glob that merely fits is not enough. Pure.
 */
export function withoutInstructions(scope: Scope, config: Config): Scope {
  const named = (scope.allowed ?? []).flatMap(({ read_only, patterns }) => (read_only ? [] : patterns.map(literal)));
  const kept = patternsOf(config).filter((pattern) => !named.some((one) => one.startsWith(literal(pattern))));
  return { ...scope, forbidden: [...scope.forbidden, ruleOf(kept)] };
}

function ruleOf(patterns: readonly string[]): ScopeRule {
  return { text: 'instructions for agents, unless named under Allowed', patterns, read_only: true };
}

/** What stands before the first sign of a glob. */
function literal(pattern: string): string {
  return folded(pattern.replace(/^(?:\.\/)+/, '').replace(/[*?[{].*$/s, ''));
}
