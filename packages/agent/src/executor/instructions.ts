import { join } from 'node:path';
import type { HoldfastConfig } from '../config/config.ts';
import { folded } from '../tools/files/path-rules.ts';
import { type Scope, type ScopeRule, scopeJudge } from '../tools/scope/judge.ts';

type Config = Pick<HoldfastConfig, 'execution' | 'skills'>;

/** Where a workspace may have rules, roles and skills: paths and globs. Pure. */
function patternsOf({ execution: { agents_file, role }, skills }: Config): string[] {
  return [
    agents_file,
    join('.ai', agents_file),
    '.ai/roles/*.md',
    ...(role?.endsWith('.md') ? [role] : []),
    ...['.ai/skills', ...skills.directories].map((folder) => join(folder, '*', 'SKILL.md')),
  ];
}

/** Tells whether a path of the workspace holds instructions for the model, in any spelling. Pure. */
export function matchInstructions(config: Config): (path: string) => boolean {
  const judge = scopeJudge({ forbidden: [ruleOf(patternsOf(config))], problems: [] });
  return (path) => judge(path, 'write') !== undefined;
}

/**
 * The scope without the model's own instructions, since no one can approve such writes during a run. A task approves them by
 * naming them under Allowed; a glob that happens to match is not enough. Pure.
 */
export function withoutInstructions(scope: Scope, config: Config): Scope {
  const named = (scope.allowed ?? []).flatMap(({ readOnly, patterns }) => (readOnly ? [] : patterns.map(literal)));
  const kept = patternsOf(config).filter((pattern) => !named.some((one) => one.startsWith(literal(pattern))));
  return { ...scope, forbidden: [...scope.forbidden, ruleOf(kept)] };
}

function ruleOf(patterns: readonly string[]): ScopeRule {
  return { text: 'instructions for agents, unless named under Allowed', patterns, readOnly: true };
}

/** The path up to its first glob character. */
function literal(pattern: string): string {
  return folded(pattern.replace(/^(?:\.\/)+/, '').replace(/[*?[{].*$/s, ''));
}
