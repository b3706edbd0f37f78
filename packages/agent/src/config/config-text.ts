import { resolve } from 'node:path';
import { type ConversationHistoryConfig, maskSecrets } from 'holdfast';
import { flow } from './commented-config.ts';
import type { HoldfastConfig, LoadedConfig, ValueSource } from './config.ts';
import { shownPath } from './files.ts';
import { keysWithoutEffect } from './idle-keys.ts';
import { dotted, KEYS, SECTIONS } from './key-index.ts';
import { tokenBudget } from './token-budget.ts';

/** A configuration to display: variables and headers of MCP servers are hidden. Pure. */
export function hiddenConfig(config: HoldfastConfig): HoldfastConfig {
  const servers = Object.entries(config.mcp_servers).map(([name, server]) => [
    name,
    'command' in server
      ? { ...server, ...hidden('env', server.env) }
      : { ...server, ...hidden('headers', server.headers) },
  ]);
  const both = { ...config, mcp_servers: Object.fromEntries(servers) };
  return JSON.parse(JSON.stringify(both), (_, value) => (typeof value === 'string' ? maskSecrets(value) : value));
}

/** Where a value came from, in a word: `holdfast.yml:7`, `--model`, `HOLDFAST_MODEL`, `default`. Pure. */
export function sourceText(source: ValueSource, cwd: string): string {
  switch (source.type) {
    case 'default':
      return 'default';
    case 'file':
      return `${shownPath(resolve(cwd), source.file)}:${source.line}`;
    case 'flag':
      return source.flag;
    case 'environment':
      return source.variable;
  }
}

/** A configuration as YAML that can be read back, with the source of each value in a comment. Pure. */
export function configText(loaded: LoadedConfig, cwd: string): string {
  const config = hiddenConfig(loaded.config);
  const lines = sectionLines(config as unknown as Fields, '', loaded, cwd);
  const width = Math.min(60, Math.max(...lines.filter(([, source]) => source !== '').map(([text]) => text.length)));
  return `${lines.map(([text, source]) => (source === '' ? text : `${text.padEnd(width)}  # ${source}`)).join('\n')}\n`;
}

const CONVERSATION = 'execution.conversation';
const BUDGET = `${CONVERSATION}.max_tokens`;

function budgetText(config: HoldfastConfig): string | undefined {
  const budget = tokenBudget(config);
  return budget && `${budget.tokens}, ${budget.why}`;
}

type Fields = Readonly<Record<string, unknown>>;
type Line = readonly [text: string, source: string];

function sectionLines(fields: Fields, section: string, loaded: LoadedConfig, cwd: string): Line[] {
  const indent = section === '' ? '' : '  '.repeat(section.split('.').length);
  return (SECTIONS.get(section) ?? []).flatMap((name): Line[] => {
    const key = dotted(section, name);
    if (SECTIONS.has(key)) {
      return [[`${indent}${name}:`, ''], ...sectionLines(fields[name] as Fields, key, loaded, cwd)];
    }
    const row = KEYS.get(key);
    if (!row) return [];
    if (fields[name] === undefined) {
      const otherwise = key === BUDGET ? budgetText(loaded.config) : undefined;
      return [[`${indent}# ${name}: ${otherwise ?? row.otherwise ?? ''}${ignoredText(key, loaded, cwd)}`, '']];
    }
    const idle =
      section === CONVERSATION ? keysWithoutEffect(fields).get(name as keyof ConversationHistoryConfig) : undefined;
    const source = sourceText(loaded.sources[key] ?? { type: 'default' }, cwd) + ignoredText(key, loaded, cwd);
    return [[`${indent}${name}: ${flow(fields[name])}`, idle ? `${source}, no effect ${idle.why}` : source]];
  });
}

/** A remark if the folder's file sets the key but is not trusted. */
function ignoredText(key: string, { claims, trusted, file = '' }: LoadedConfig, cwd: string): string {
  const claim = trusted ? undefined : claims.find((one) => one.key === key);
  return claim ? `; ${shownPath(resolve(cwd), file)}:${claim.line} is not trusted yet` : '';
}

function hidden(name: 'env' | 'headers', values: Readonly<Record<string, string>> | undefined): object {
  if (!values) return {};
  const shown = Object.entries(values).map(([key, value]) => [key, /^\$\{\w+\}$/.test(value) ? value : '[hidden]']);
  return { [name]: Object.fromEntries(shown) };
}
