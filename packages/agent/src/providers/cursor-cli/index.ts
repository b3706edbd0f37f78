import type { TokenUsage } from '@holdfast/models';
import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { defined } from '../../defined.ts';
import { createCliProvider } from '../cli/cli-provider.ts';
import { numberAt, textAt, textOf } from '../cli/fields.ts';
import type { CliConfig, CliKind, CliReading, CliStep } from '../cli/kind.ts';
import { type ProgramSettings, programRows } from '../cli/rows.ts';
import type { ProviderDefinition } from '../definition.ts';
import type { Provider } from '../provider.ts';

/** How to run Cursor's agent. */
export interface CursorCliConfig extends CliConfig {
  /** Lets it run commands and change files without asking; otherwise it proposes changes. Default false. */
  readonly force?: boolean;
  /** Trusts the working directory; it refuses to run in an untrusted one. Default false. */
  readonly trust?: boolean;
}

const FILE_CALLS = ['write', 'edit', 'delete'];

/** Cursor's agent (`cursor-agent -p`). */
export const cursorCliDefinition = {
  type: 'cursor-cli',
  rows: programRows('cursor-agent'),
  program: { name: 'cursor-agent', install: "install Cursor's CLI: https://cursor.com/docs/cli/installation" },
  create: ({ model, program, args = [] }): Provider => cursorCli(defined({ args, model, program })),
} as const satisfies ProviderDefinition<ProgramSettings>;

/** A provider that runs Cursor's agent (`cursor-agent -p`). `conversationState` continues the session. */
export function cursorCli(config: CursorCliConfig = {}): Provider {
  const kind: CliKind = {
    ...cursorCliDefinition,
    endless: true,
    args: ({ model }, sessionId) => [
      '-p',
      '--output-format',
      'stream-json',
      ...(sessionId === undefined ? [] : ['--resume', sessionId]),
      ...(model === undefined ? [] : ['--model', model]),
      ...(config.force ? ['--force'] : []),
      ...(config.trust ? ['--trust'] : []),
    ],
    createReader: () => read,
  };
  return createCliProvider(kind, config);
}

function read(event: Fields): CliStep {
  const session = defined({ sessionId: textAt(event, 'session_id') });
  switch (event.type) {
    case 'assistant': {
      const text = textOf(event.message);
      return text === '' ? {} : { reading: { ...session, output: text }, events: [{ type: 'text-delta', text }] };
    }
    case 'tool_call':
      return { reading: session, ...callOf(event) };
    case 'error':
      return {
        reading: { ...session, error: `cursor-agent failed: ${textAt(event, 'message') ?? 'no reason given'}` },
      };
    case 'result':
      return { reading: { ...session, ...resultOf(event) } };
    default:
      return { reading: session };
  }
}

/** The tool is the name of the field: `writeToolCall: { args, result }`; others come as `function`. */
function callOf(event: Fields): Pick<CliStep, 'events' | 'files'> {
  const tools = fieldsOf(event.tool_call);
  const key = Object.keys(tools).find((name) => name.endsWith('ToolCall')) ?? 'function';
  const tool = fieldsOf(tools[key]);
  const name = key === 'function' ? (textAt(tool, 'name') ?? 'unknown') : key.slice(0, -'ToolCall'.length);
  const id = textAt(event, 'call_id') ?? '';
  const args = tool.args ?? tool.arguments;
  if (event.subtype === 'started') return { events: [{ type: 'call-start', id, name, input: args }] };
  if (event.subtype !== 'completed') return {};
  const result = fieldsOf(tool.result);
  const exitCode = numberAt(fieldsOf(result.success ?? result.failure), 'exitCode');
  const failed = 'error' in result || 'rejected' in result || 'failure' in result || (exitCode ?? 0) !== 0;
  const file = textAt(fieldsOf(result.success), 'path') ?? textAt(fieldsOf(args), 'path', 'file_path');
  const changed = 'success' in result && FILE_CALLS.includes(name) && file !== undefined;
  return { events: [defined({ type: 'call-end', id, name, failed, exitCode })], files: changed ? [file] : [] };
}

function resultOf(event: Fields): CliReading {
  const output = textAt(event, 'result');
  const failed = event.is_error === true || (event.subtype !== undefined && event.subtype !== 'success');
  const error = failed ? `cursor-agent failed: ${output ?? String(event.subtype)}` : undefined;
  return defined({ finished: true, output, tokenUsage: usageOf(event.usage), error });
}

/** Newer versions report tokens, but no price. */
function usageOf(usage: unknown): TokenUsage | undefined {
  const fields = fieldsOf(usage);
  const inputTokens = numberAt(fields, 'inputTokens');
  if (inputTokens === undefined) return undefined;
  const rest = ['outputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map((name) => numberAt(fields, name) ?? 0);
  const [outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0] = rest;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
