import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionStore, sqlite } from '@holdfast/sessions';
import { type CodingTaskOptions, codingTask, createStandIn, type Script, type StandIn } from '@holdfast/stand-in';
import { onTestFinished } from 'vitest';
import {
  anthropicApi,
  type ExecutorEvent,
  type ExecutorResult,
  folderOutputs,
  type HoldfastConfig,
  loadConfig,
  newRun,
  parseTask,
  runTask,
  type TaskSetup,
} from '../../src/index.ts';
import { KEY } from '../apis.ts';
import { sources } from '../file-tools.ts';

const TASK = `# TASK: Tidy the sources

## Goal
Improve the sources.

## Task Type
refactor

## Scope
### Allowed
- src/**

## Requirements
1. Change one line at a time.

## Definition of Done
- [ ] every line is better
`;

export const FILES: Readonly<Record<string, string>> = {
  'AGENTS.md': '# Rules\n\nRule 7: never delete a line.\n',
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, file) => [
      `src/part-${file}.ts`,
      Array.from({ length: 40 }, (_, line) => `export const value_${file}_${line} = ${file * line};`).join('\n'),
    ]),
  ),
};

/** Parts of a configuration, over its defaults. */
export type Changes = { readonly [K in keyof HoldfastConfig]?: Partial<HoldfastConfig[K]> };

export function configOf(changes: Changes = {}): HoldfastConfig {
  const { config } = loadConfig({ cwd: tmpdir(), userOnly: true });
  return {
    ...config,
    provider: { ...config.provider, ...changes.provider },
    execution: { ...config.execution, ...changes.execution },
    validation: { ...config.validation, timeout: 60, ...changes.validation },
    skills: { ...config.skills, ...changes.skills },
    tools: { ...config.tools, timeout: 60, ...changes.tools },
  };
}

/** A folder that goes when the test does. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-runs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder with sources, a stand-in for the model, and a way to run a task there. */
export async function setting(
  script: Script | CodingTaskOptions,
  changes: Changes = {},
  files: Readonly<Record<string, string>> = FILES,
): Promise<Setting> {
  const workspace = sources(files);
  const made = typeof script === 'function' ? script : codingTask(workspace, script);
  const standIn = await createStandIn({ script: made, keep_bodies: 1_000 });
  onTestFinished(() => standIn.close());
  const home = scratch();
  const store = await sqlite(join(home, 'sessions.db'));
  onTestFinished(() => store.close());
  const session = await newRun(store, join(workspace, 'TASK.md'), 'Tidy the sources');
  const events: ExecutorEvent[] = [];
  return {
    workspace,
    standIn,
    home,
    store,
    session,
    events,
    lines: (level) =>
      events.flatMap((event) => (event.type === 'log-line' && event.level === level ? [event.text] : [])),
    run: (more = {}) =>
      runTask({
        task: parseTask(TASK),
        path: 'TASK.md',
        workspace,
        config: configOf(changes),
        provider: anthropicApi({ base_url: standIn.url, api_key: KEY, max_wait_ms: 3, model: 'claude-sonnet-5' }),
        store,
        session,
        outputs: folderOutputs(join(home, 'outputs')),
        onEvent: (event) => events.push(event),
        ...more,
      }),
  };
}

export interface Setting {
  readonly workspace: string;
  readonly standIn: StandIn;
  readonly home: string;
  readonly store: SessionStore;
  readonly session: string;
  readonly events: ExecutorEvent[];
  lines(level: 'debug' | 'info' | 'warn'): string[];
  run(more?: Partial<TaskSetup>): Promise<ExecutorResult>;
}

/** The first result that the model got for each call: one text each, or a call ran twice. */
export function answersTo({ requests }: StandIn): Map<string, Set<string>> {
  const answers = new Map<string, Set<string>>();
  for (const { body } of requests) {
    const { messages = [] } = (body ?? {}) as { messages?: { content: unknown }[] };
    const content = messages.at(-1)?.content;
    for (const block of Array.isArray(content) ? content : []) {
      const { type, tool_use_id: id, content: text } = block as Record<string, unknown>;
      if (type === 'tool_result')
        answers.set(String(id), (answers.get(String(id)) ?? new Set()).add(JSON.stringify(text)));
    }
  }
  return answers;
}
