import type { AnthropicBlock, AnthropicMessage, AnthropicRequest } from 'holdfast/rules';
import { isJson, type Json, listOf } from '../json.ts';
import type { AnthropicStandInModel } from '../models.ts';
import { Refusal } from '../refusal.ts';

/** A body of the Messages API whose fields have the right types; its messages are unchecked. */
export interface AnthropicBody extends Json {
  readonly model: string;
  readonly messages: readonly AnthropicMessage[];
  readonly max_tokens: number;
  readonly stream: boolean;
  readonly system: readonly AnthropicBlock[];
  readonly tools: readonly (Json & NonNullable<AnthropicRequest['tools']>[number])[];
  readonly tool_choice?: { readonly type: string };
  readonly thinking?: Json & NonNullable<AnthropicRequest['thinking']>;
  readonly cache_control?: { readonly type: string; readonly ttl?: string } | null;
}

const COUNTED =
  'messages model cache_control context_management mcp_servers output_config output_format speed system thinking tool_choice tools'.split(
    ' ',
  );
const SENT = [
  ...COUNTED,
  ...'max_tokens container diagnostics inference_geo metadata service_tier stop_sequences stream temperature thread top_k top_p'.split(
    ' ',
  ),
];
/** Fields that a beta header enables, and that only a real server supports. */
const BEYOND = 'compaction fallbacks fallback_credit_token'.split(' ');

/** The body with its fields checked. Throws a Refusal with the API's text. */
export function readAnthropicBody(value: unknown, counts: boolean, betas: readonly string[]): AnthropicBody {
  if (!isJson(value)) throw new Refusal(400, 'Input should be a valid dictionary');
  for (const key of Object.keys(value)) checkKey(key, counts, betas);
  const { model, messages, max_tokens, system, tools, thinking } = value;
  if (typeof model !== 'string') throw required('model', model, 'string');
  if (!Array.isArray(messages)) throw required('messages', messages, 'list');
  if (messages.length === 0) throw new Refusal(400, 'messages: at least one message is required');
  if (!counts) {
    if (typeof max_tokens !== 'number') throw required('max_tokens', max_tokens, 'integer');
    if (max_tokens < 1) throw new Refusal(400, 'max_tokens: Input should be greater than or equal to 1');
  }
  if (system !== undefined && typeof system !== 'string' && !Array.isArray(system))
    throw new Refusal(400, 'system: Input should be a valid string or list');
  const odd = Array.isArray(system)
    ? system.findIndex((block) => !isJson(block) || typeof block.text !== 'string')
    : -1;
  if (odd >= 0) throw new Refusal(400, `system.${odd}: Input should be a valid text block`);
  if (tools !== undefined && !Array.isArray(tools)) throw required('tools', tools, 'list');
  if (thinking !== undefined && !isJson(thinking)) throw required('thinking', thinking, 'dictionary');
  checkTools(tools ?? []);
  // Every field read later was checked above, or is checked by the rules.
  return {
    ...value,
    max_tokens: counts ? 1 : max_tokens,
    stream: value.stream === true,
    tools: tools ?? [],
    system: typeof system === 'string' ? (system === '' ? [] : [{ type: 'text', text: system }]) : (system ?? []),
  } as unknown as AnthropicBody;
}

/** Refuses what follows the rules, but what only a real server can do. Throws a Refusal. */
export function checkAbilities({ context_management: managed, mcp_servers: servers }: AnthropicBody): void {
  const edits = isJson(managed) ? listOf(managed.edits) : [];
  const at = edits.findIndex(({ type, keep }) => type !== 'clear_thinking_20251015' || !keepsAll(keep));
  if (at >= 0) throw beyond(`context_management.edits.${at}`);
  if (listOf(servers).length > 0) throw beyond('mcp_servers');
}

function keepsAll(keep: unknown): boolean {
  return keep === 'all' || (isJson(keep) && keep.type === 'all');
}

function beyond(field: string): Refusal {
  return new Refusal(400, `${field}: the stand-in does not support this`);
}

/** Checks what depends on the model. Throws a Refusal. */
export function checkAnthropicModel(body: AnthropicBody, model: AnthropicStandInModel): void {
  const { max_tokens: output, thinking } = body;
  if (output > model.max_output) {
    const text = `max_tokens: ${output} > ${model.max_output}, which is the maximum allowed number of output tokens for ${body.model}`;
    throw new Refusal(400, text);
  }
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  if (thinking?.type !== 'enabled' || model.thinking === 'adaptive') return;
  if (typeof budget !== 'number') throw required('thinking.enabled.budget_tokens', budget, 'integer');
  if (budget < 1024)
    throw new Refusal(400, 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (budget >= output && output > 1)
    throw new Refusal(400, '`max_tokens` must be greater than `thinking.budget_tokens`');
}

function checkKey(key: string, counts: boolean, betas: readonly string[]): void {
  if ((counts ? COUNTED : SENT).includes(key)) return;
  if (BEYOND.includes(key) && betas.length > 0) throw beyond(key);
  throw new Refusal(400, `${key}: Extra inputs are not permitted`, { rule: 'extra-field' });
}

function required(field: string, value: unknown, type: string): Refusal {
  return new Refusal(400, `${field}: ${value === undefined ? 'Field required' : `Input should be a valid ${type}`}`);
}

function checkTools(tools: readonly unknown[]): void {
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    if (!isJson(tool)) throw required(`tools.${at}`, tool, 'dictionary');
    const { name, type, input_schema: schema } = tool;
    if (typeof name !== 'string') throw required(`tools.${at}.custom.name`, name, 'string');
    if ((type ?? 'custom') === 'custom' && !isJson(schema))
      throw required(`tools.${at}.custom.input_schema`, schema, 'dictionary');
    if (names.size === names.add(name).size) throw new Refusal(400, 'tools: Tool names must be unique.');
  }
}
