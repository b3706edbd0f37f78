import { isRecord } from '../../../content.ts';
import {
  anything,
  byType,
  either,
  fields,
  flag,
  listOf,
  mapOf,
  object,
  oneOf,
  orNull,
  type Shape,
  type ShapeFault,
  type ShapePath,
  text,
  whole,
} from '../../../rules/shape.ts';
import type { AnthropicBlock, AnthropicMessage } from '../wire.ts';
import { type AnthropicRule, report, type Walk } from './rules.ts';

const EFFORT = orNull(oneOf('low', 'medium', 'high', 'xhigh', 'max'));
const FORMAT = orNull(fields({ type: oneOf('json_schema'), schema: object }));
const TOKENS = fields({ type: oneOf('input_tokens'), value: whole(1) });
const TOOL_USES = fields({ type: oneOf('tool_uses'), value: whole() });
const MARKER = orNull(fields({ type: oneOf('ephemeral'), 'ttl?': oneOf('5m', '1h') }));

const EDITS = byType({
  clear_thinking_20251015: {
    'keep?': either(oneOf('all'), byType({ thinking_turns: { value: whole(1) }, all: {} })),
  },
  clear_tool_uses_20250919: {
    'trigger?': byType({ input_tokens: { value: whole(1) }, tool_uses: { value: whole(1) } }),
    'keep?': TOOL_USES,
    'clear_at_least?': orNull(TOKENS),
    'clear_tool_inputs?': orNull(either(flag, listOf(text))),
    'exclude_tools?': orNull(listOf(text)),
  },
  compact_20260112: {
    'trigger?': orNull(TOKENS),
    'instructions?': orNull(text),
    'pause_after_compaction?': flag,
  },
});

const SERVER = fields({
  type: oneOf('url'),
  name: text,
  url: text,
  'authorization_token?': orNull(text),
  'tool_configuration?': orNull(fields({ 'enabled?': orNull(flag), 'allowed_tools?': orNull(listOf(text)) })),
});

const TOOL_CHOICE = byType({
  auto: { 'disable_parallel_tool_use?': flag },
  any: { 'disable_parallel_tool_use?': flag },
  tool: { name: text, 'disable_parallel_tool_use?': flag },
  none: {},
});

const TOOLSET_CONFIG = fields({ 'enabled?': flag, 'defer_loading?': flag });

/** Fields of a body besides its messages, each with the beta headers that allow it: one of them, or none needed. */
const BODY: Readonly<Record<string, { readonly shape: Shape; readonly betas?: readonly string[] }>> = {
  context_management: {
    shape: orNull(fields({ 'edits?': listOf(EDITS) })),
    betas: ['context-management-2025-06-27', 'compact-2026-01-12'],
  },
  output_config: {
    shape: fields({
      'effort?': EFFORT,
      'format?': FORMAT,
      'task_budget?': orNull(fields({ type: oneOf('tokens'), total: whole(1), 'remaining?': orNull(whole()) })),
    }),
  },
  output_format: { shape: FORMAT, betas: ['structured-outputs-2025-11-13'] },
  thread: {
    shape: orNull(byType({ create: {}, continue: { previous_message_id: text } })),
    betas: ['message-threads-2026-08-12'],
  },
  mcp_servers: {
    shape: listOf(SERVER),
    betas: ['mcp-client-2025-04-04', 'mcp-client-2025-11-20', 'mcp-client-2026-09-15'],
  },
  diagnostics: {
    shape: orNull(fields({ 'previous_message_id?': orNull(text) })),
    betas: ['cache-diagnosis-2026-04-07'],
  },
  speed: { shape: orNull(oneOf('standard', 'fast')), betas: ['fast-mode-2026-02-01'] },
  metadata: { shape: fields({ 'user_id?': orNull(text) }) },
  service_tier: { shape: oneOf('auto', 'standard_only') },
  stop_sequences: { shape: listOf(text) },
  tool_choice: { shape: TOOL_CHOICE },
};

/** Fields that only a system message has, with the beta headers that allow them. */
const SYSTEM_FIELDS: typeof BODY = {
  output_config: {
    shape: orNull(fields({ 'effort?': EFFORT })),
    betas: ['mid-conversation-output-config-2026-07-01', 'per-turn-control-2026-07-01'],
  },
  clear_at: {
    shape: orNull(oneOf('next_user_message', 'never')),
    betas: ['mid-conversation-system-clear-at-2026-08-21'],
  },
};

const DISPLAY = orNull(oneOf('summarized', 'omitted', 'updates'));
const BINDING = orNull(fields({ 'prefix_mismatch_behavior?': oneOf('error', 'drop_block') }));
/** Kinds that are not listed may be newer than this table and pass. */
const THINKING: Readonly<Record<string, Shape>> = {
  adaptive: fields({ type: anything, 'display?': DISPLAY, 'block_binding?': BINDING }),
  enabled: fields({ type: anything, 'budget_tokens?': anything, 'display?': DISPLAY, 'block_binding?': BINDING }),
  disabled: fields({ type: anything }),
};

const REFERENCES = {
  tool_reference: { name: text },
  mcp_tool_reference: { name: text, server_name: text },
  mcp_toolset_reference: { server_name: text },
};
/** Blocks that change the tools mid-conversation. */
const TOOL_CHANGES: Readonly<Record<string, Shape>> = {
  tool_addition: byType({ ...REFERENCES, tool_definition: { definition: object } }),
  tool_removal: byType(REFERENCES),
};
const CHANGING = ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'];

const CALLERS = listOf(text);
const CUSTOM_TOOL = fields({
  'type?': anything,
  'name?': anything,
  'description?': text,
  'input_schema?': anything,
  'input_examples?': listOf(object),
  'strict?': flag,
  'cache_control?': MARKER,
  'defer_loading?': flag,
  'allowed_callers?': CALLERS,
  'eager_input_streaming?': orNull(flag),
});
const TOOL_SEARCH = fields({
  type: anything,
  name: oneOf('tool_search_tool_regex', 'tool_search_tool_bm25'),
  'allowed_callers?': CALLERS,
  'cache_control?': MARKER,
  'defer_loading?': flag,
  'strict?': flag,
});
const MCP_TOOLSET = fields({
  type: anything,
  mcp_server_name: text,
  'cache_control?': MARKER,
  'configs?': orNull(mapOf(TOOLSET_CONFIG)),
  'default_config?': TOOLSET_CONFIG,
  'tools?': orNull(listOf(object)),
});

/** Checks every field of the body that is not about messages, `thinking` and the tools included. */
export function checkFields(walk: Walk): void {
  const { thinking, tools = [], betas } = walk.request;
  for (const [key, value] of Object.entries(walk.request)) {
    const field = Object.hasOwn(BODY, key) ? BODY[key] : undefined;
    if (!field || value === undefined) continue;
    if (betas && field.betas && !field.betas.some((beta) => betas.includes(beta)))
      report(walk, -1, 'extra-field', `${key}: Extra inputs are not permitted`);
    else check(walk, -1, field.shape, value, [key]);
  }
  const kind = thinking && Object.hasOwn(THINKING, thinking.type) ? THINKING[thinking.type] : undefined;
  if (thinking && kind) check(walk, -1, kind, thinking, ['thinking', thinking.type]);
  for (const [at, tool] of tools.entries()) {
    const type = String(tool.type ?? 'custom');
    const shape = type === 'custom' ? CUSTOM_TOOL : type === 'mcp_toolset' ? MCP_TOOLSET : undefined;
    const known = shape ?? (type.startsWith('tool_search_tool') ? TOOL_SEARCH : undefined);
    if (known) check(walk, -1, known, tool, ['tools', at, { tag: type }]);
  }
  checkEdits(walk);
  checkDeferred(walk);
}

/** Checks the fields that a system message may have besides its role and content. */
export function checkSystemFields(walk: Walk, index: number, message: AnthropicMessage): void {
  if (message.output_config === undefined && message.clear_at === undefined) return;
  const { betas } = walk.request;
  for (const [key, { shape, betas: allowing = [] }] of Object.entries(SYSTEM_FIELDS)) {
    const value = message[key as keyof AnthropicMessage];
    if (value === undefined) continue;
    if (message.role !== 'system' || (betas && !allowing.some((beta) => betas.includes(beta))))
      report(walk, index, 'extra-field', `messages.${index}.${key}: Extra inputs are not permitted`);
    else check(walk, index, shape, value, ['messages', index, key]);
  }
}

/** Checks a block that changes the tools: only a system message may have one. The text for others was not recorded. */
export function checkToolChange(walk: Walk, index: number, at: number, block: AnthropicBlock): void {
  const shape = TOOL_CHANGES[block.type];
  const { betas } = walk.request;
  const path = ['messages', index, 'content', at];
  if (!shape) return;
  if (walk.messages[index]?.role !== 'system' || (betas && !CHANGING.some((beta) => betas.includes(beta)))) {
    const text = `Input tag '${block.type}' found using 'type' does not match any of the expected tags`;
    report(walk, index, 'bad-field', `${placeOf(path)}: ${text}`);
  } else check(walk, index, shape, block.tool, [...path, { tag: block.type }, 'tool']);
}

/** Checks what context editing needs; the text for the order was not recorded. */
function checkEdits(walk: Walk): void {
  const { context_management: managed, thinking, model } = walk.request;
  const list = isRecord(managed) && Array.isArray(managed.edits) ? managed.edits : [];
  const at = list.findIndex((edit) => isRecord(edit) && edit.type === 'clear_thinking_20251015');
  if (at < 0) return;
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  if (!thinks && model) {
    const text = '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive';
    report(walk, -1, 'edit-without-thinking', text);
  }
  if (at > 0) {
    const text = `context_management.edits.${at}: \`clear_thinking_20251015\` must be the first edit`;
    report(walk, -1, 'edit-order', text);
  }
}

/** Checks that a tool is loaded from the start, and that every tool found later is defined. */
function checkDeferred(walk: Walk): void {
  const { tools } = walk.request;
  if (!tools) return;
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) {
    const text = 'All tools have defer_loading set. At least one tool must be non-deferred.';
    report(walk, -1, 'all-tools-deferred', text);
  }
  // The tools of MCP servers are not in the request.
  if (tools.some(({ type }) => type === 'mcp_toolset')) return;
  const names = new Set(tools.map(({ name }) => name));
  for (const { index, name } of walk.references)
    if (!names.has(name))
      report(walk, index, 'unknown-tool-reference', `Tool reference '${name}' not found in available tools`);
}

function check(walk: Walk, index: number, shape: Shape, value: unknown, path: ShapePath): void {
  shape(value, path, (fault) => {
    const rule: AnthropicRule = fault.kind === 'extra' ? 'extra-field' : 'bad-field';
    report(walk, index, rule, `${placeOf(fault.path)}: ${wordsFor(fault)}`);
  });
}

function placeOf(path: ShapePath): string {
  return path.map((part) => (typeof part === 'object' ? part.tag : part)).join('.');
}

const TYPES: Readonly<Record<string, string>> = { object: 'dictionary', array: 'list' };

/** The API's words for a value of the wrong shape. */
function wordsFor({ kind, expected, value }: ShapeFault): string {
  const values = [expected].flat().map((one) => `'${one}'`);
  switch (kind) {
    case 'missing':
      return 'Field required';
    case 'extra':
      return 'Extra inputs are not permitted';
    case 'type':
      return `Input should be a valid ${TYPES[String(expected)] ?? expected}`;
    case 'small':
      return `Input should be greater than or equal to ${expected}`;
    case 'tag':
      return `Input tag '${value}' found using 'type' does not match any of the expected tags: ${values.join(', ')}`;
    case 'value':
      return `Input should be ${[values.slice(0, -1).join(', '), values.at(-1)].filter((one) => one !== '').join(' or ')}`;
  }
}
