import { usageOf } from '@holdfast/models';
import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { defined } from '../../defined.ts';
import { createCliProvider } from '../cli/cli-provider.ts';
import { blocksOf, numberAt, textAt, textOf } from '../cli/fields.ts';
import type { CliConfig, CliKind, CliReading, CliStep } from '../cli/kind.ts';
import { type ProgramSettings, programRows } from '../cli/rows.ts';
import type { ProviderDefinition } from '../definition.ts';
import type { ErrorCategory, Provider, ProviderEvent } from '../provider.ts';

/** How to run Claude Code. */
export interface ClaudeCliConfig extends CliConfig {
  /** What it may do without asking, since there is no one to answer. Default: its own settings. */
  readonly permission_mode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';
}

const FILE_TOOLS: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};
/** Its own names for API errors. */
const ERRORS: ReadonlyMap<unknown, ErrorCategory> = new Map(
  Object.entries({
    authentication_failed: 'auth',
    oauth_org_not_allowed: 'auth',
    account_on_hold: 'auth',
    verification_required: 'auth',
    billing_error: 'auth',
    cloud_credential_error: 'auth',
    rate_limit: 'rate_limit',
    overloaded: 'overloaded',
    invalid_request: 'invalid_request',
    model_not_found: 'invalid_request',
    server_error: 'network',
  } as const),
);

/** Claude Code (`claude -p`). */
export const claudeCliDefinition = {
  type: 'claude-cli',
  rows: programRows('claude'),
  program: { name: 'claude', install: 'install Claude Code: npm install -g @anthropic-ai/claude-code' },
  create: ({ model, program, args = [] }): Provider => claudeCli(defined({ args, model, program })),
} as const satisfies ProviderDefinition<ProgramSettings>;

/** A provider that runs Claude Code (`claude -p`). `conversationState` continues the session. */
export function claudeCli(config: ClaudeCliConfig = {}): Provider {
  const kind: CliKind = {
    ...claudeCliDefinition,
    args: ({ model, max_requests }, sessionId) => [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose', // required for a stream with `-p`
      ...(sessionId === undefined ? [] : ['--resume', sessionId]),
      ...(model === undefined ? [] : ['--model', model]),
      ...(max_requests === undefined ? [] : ['--max-turns', String(max_requests)]),
      ...(config.permission_mode === undefined ? [] : ['--permission-mode', config.permission_mode]),
    ],
    createReader,
  };
  return createCliProvider(kind, config);
}

function createReader(): (event: Fields) => CliStep {
  const calls = new Map<string, { readonly name: string; readonly file?: string }>();
  let category: ErrorCategory | undefined;
  return (event) => {
    switch (event.type) {
      case 'assistant':
        category = ERRORS.get(event.error) ?? category;
        return said(event, calls);
      case 'user':
        return answered(event, calls);
      case 'result':
        return { reading: resultOf(event, category) };
      default:
        return { reading: sessionOf(event) };
    }
  };
}

type Calls = Map<string, { readonly name: string; readonly file?: string }>;

function said(event: Fields, calls: Calls): CliStep {
  const events: ProviderEvent[] = [];
  for (const { type, id, name, input } of blocksOf(event.message)) {
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') continue;
    const file = textAt(fieldsOf(input), FILE_TOOLS[name] ?? '');
    calls.set(id, defined({ name, file }));
    events.push({ type: 'call-start', id, name, input });
  }
  // The text of a subagent is not the answer.
  const text = typeof event.parent_tool_use_id === 'string' ? '' : textOf(event.message);
  if (text === '') return { reading: sessionOf(event), events };
  return { reading: { ...sessionOf(event), output: text }, events: [{ type: 'text-delta', text }, ...events] };
}

function answered(event: Fields, calls: Calls): CliStep {
  const events: ProviderEvent[] = [];
  const files: string[] = [];
  for (const { type, tool_use_id, is_error } of blocksOf(event.message)) {
    const call = typeof tool_use_id === 'string' ? calls.get(tool_use_id) : undefined;
    if (type !== 'tool_result' || typeof tool_use_id !== 'string' || !call) continue;
    calls.delete(tool_use_id);
    const failed = is_error === true;
    events.push({ type: 'call-end', id: tool_use_id, name: call.name, failed });
    if (!failed && call.file !== undefined) files.push(call.file);
  }
  return { events, files };
}

function sessionOf(event: Fields): CliReading {
  return defined({ sessionId: textAt(event, 'session_id') });
}

function resultOf(event: Fields, category: ErrorCategory | undefined): CliReading {
  const denied = Array.isArray(event.permission_denials) ? event.permission_denials.map(fieldsOf) : [];
  const names = [...new Set(denied.map(({ tool_name }) => String(tool_name)))].join(', ');
  return defined({
    ...sessionOf(event),
    finished: true,
    cut: event.stop_reason === 'max_tokens',
    output: textAt(event, 'result'),
    // After a crash it reports 0, whatever the session cost.
    sessionCost: numberAt(event, 'total_cost_usd') || (event.subtype === 'success' ? 0 : undefined),
    requests: numberAt(event, 'num_turns'),
    tokenUsage: usageOf(event.usage),
    warning: names === '' ? undefined : `it was not allowed to use ${names}; see \`permission_mode\``,
    ...problemOf(event, category),
  });
}

function problemOf(event: Fields, category: ErrorCategory | undefined): CliReading {
  const subtype = String(event.subtype);
  if (event.is_error !== true && subtype === 'success') return {};
  if (subtype === 'error_max_turns') {
    return { error: 'max_requests was reached before the answer', errorCategory: 'timeout', isSpent: true };
  }
  const errors = Array.isArray(event.errors) ? event.errors.filter((one) => typeof one === 'string').join('; ') : '';
  const status = numberAt(event, 'api_error_status');
  const words = errors || (subtype === 'success' && textAt(event, 'result')) || subtype;
  const error = `claude failed${status === undefined ? '' : ` (${status})`}: ${words}`;
  return defined({ error, errorCategory: category });
}
