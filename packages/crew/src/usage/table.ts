import type { AgentUsage, CrewUsage } from './usage.ts';

const HEAD = [
  'agent',
  'rounds',
  'requests',
  'calls',
  'context',
  'folds',
  'sent',
  'cached',
  'said',
  'cost',
  'unbounded',
];

/** The budgets of all agents and of the crew as a table for people. Pure. */
export function usageTable({ agents, crew }: CrewUsage): string {
  const rows = [HEAD, ...Object.entries(agents).map(([name, one]) => rowOf(name, one)), rowOf('crew', crew)];
  const widths = HEAD.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function rowOf(name: string, usage: AgentUsage): string[] {
  const { tokens, context } = usage;
  const prompt = tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
  const size = context && `${context.messages} msg, ${context.estimated ? '~' : ''}${count(context.tokens)}`;
  return [
    name,
    String(usage.rounds),
    String(usage.requests),
    String(usage.calls),
    size ?? '–',
    String(usage.folds),
    count(prompt),
    prompt === 0 ? '–' : `${Math.round((100 * tokens.cacheReadTokens) / prompt)}%`,
    count(tokens.outputTokens),
    dollars(usage.cost),
    dollars(usage.everything),
  ];
}

function count(tokens: number): string {
  return tokens < 1_000 ? String(Math.round(tokens)) : `${(tokens / 1_000).toFixed(1)}k`;
}

function dollars(cost: number | undefined): string {
  return cost === undefined ? '?' : `$${cost.toFixed(4)}`;
}
