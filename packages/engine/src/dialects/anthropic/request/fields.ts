import { isRecord } from '../../../json/record.ts';
import * as s from '../../../rules/shape.ts';
import type { AnthropicBlock, AnthropicMessage } from '../wire.ts';
import { type AnthropicRule, report, type Walk } from './rules.ts';

const EFFORT = s.orNull(s.oneOf('low', 'medium', 'high', 'xhigh', 'max'));
const FORMAT = s.orNull(s.fields({ type: s.oneOf('json_schema'), schema: s.object }));
const TOKENS = s.orNull(s.fields({ type: s.oneOf('input_tokens'), value: s.whole(1) }));
const TOOL_USES = s.fields({ type: s.oneOf('tool_uses'), value: s.whole() });
const MARKER = s.orNull(s.fields({ type: s.oneOf('ephemeral'), 'ttl?': s.oneOf('5m', '1h') }));
const TEXTS = s.listOf(s.text);
const ONE_OR_MORE = { value: s.whole(1) };

const EDITS = s.byType({
  clear_thinking_20251015: {
    'keep?': s.either(s.oneOf('all'), s.byType({ thinking_turns: ONE_OR_MORE, all: {} })),
  },
  clear_tool_uses_20250919: {
    'trigger?': s.byType({ input_tokens: ONE_OR_MORE, tool_uses: ONE_OR_MORE }),
    'keep?': TOOL_USES,
    'clear_at_least?': TOKENS,
    'clear_tool_inputs?': s.orNull(s.either(s.flag, TEXTS)),
    'exclude_tools?': s.orNull(TEXTS),
  },
  compact_20260112: { 'trigger?': TOKENS, 'instructions?': s.orNull(s.text), 'pause_after_compaction?': s.flag },
});

const SERVER = s.fields({
  type: s.oneOf('url'),
  ...s.each(s.text, 'name', 'url'),
  'authorization_token?': s.orNull(s.text),
  'tool_configuration?': s.orNull(s.fields({ 'enabled?': s.orNull(s.flag), 'allowed_tools?': s.orNull(TEXTS) })),
});

const PARALLEL = { 'disable_parallel_tool_use?': s.flag };
const TOOL_CHOICE = s.byType({ auto: PARALLEL, any: PARALLEL, tool: { name: s.text, ...PARALLEL }, none: {} });

const TASK_BUDGET = s.fields({ type: s.oneOf('tokens'), total: s.whole(1), 'remaining?': s.orNull(s.whole()) });
const OUTPUT = s.fields({ 'effort?': EFFORT, 'format?': FORMAT, 'task_budget?': s.orNull(TASK_BUDGET) });

/** A field's shape, and the beta headers that allow it: one of them, or none needed. */
interface Field {
  readonly shape: s.Shape;
  readonly betas?: readonly string[];
}

/** Fields of a body besides its messages. */
const BODY: Readonly<Record<string, Field>> = {
  context_management: {
    shape: s.orNull(s.fields({ 'edits?': s.listOf(EDITS) })),
    betas: ['context-management-2025-06-27', 'compact-2026-01-12'],
  },
  output_config: { shape: OUTPUT },
  output_format: { shape: FORMAT, betas: ['structured-outputs-2025-11-13'] },
  thread: {
    shape: s.orNull(s.byType({ create: {}, continue: { previous_message_id: s.text } })),
    betas: ['message-threads-2026-08-12'],
  },
  mcp_servers: {
    shape: s.listOf(SERVER),
    betas: ['mcp-client-2025-04-04', 'mcp-client-2025-11-20', 'mcp-client-2026-09-15'],
  },
  diagnostics: {
    shape: s.orNull(s.fields({ 'previous_message_id?': s.orNull(s.text) })),
    betas: ['cache-diagnosis-2026-04-07'],
  },
  speed: { shape: s.orNull(s.oneOf('standard', 'fast')), betas: ['fast-mode-2026-02-01'] },
  metadata: { shape: s.fields({ 'user_id?': s.orNull(s.text) }) },
  service_tier: { shape: s.oneOf('auto', 'standard_only') },
  stop_sequences: { shape: TEXTS },
  tool_choice: { shape: TOOL_CHOICE },
};

/** Fields that only a system message has. */
const SYSTEM_FIELDS: Readonly<Record<string, Field>> = {
  output_config: {
    shape: s.orNull(s.fields({ 'effort?': EFFORT })),
    betas: ['mid-conversation-output-config-2026-07-01', 'per-turn-control-2026-07-01'],
  },
  clear_at: {
    shape: s.orNull(s.oneOf('next_user_message', 'never')),
    betas: ['mid-conversation-system-clear-at-2026-08-21'],
  },
};

const SHOWN = {
  type: s.anything,
  'display?': s.orNull(s.oneOf('summarized', 'omitted', 'updates')),
  'block_binding?': s.orNull(s.fields({ 'prefix_mismatch_behavior?': s.oneOf('error', 'drop_block') })),
};
/** Kinds that are not listed may be newer than this table and pass. */
const THINKING: Readonly<Record<string, s.Shape>> = {
  adaptive: s.fields(SHOWN),
  enabled: s.fields({ ...SHOWN, 'budget_tokens?': s.anything }),
  disabled: s.fields({ type: s.anything }),
};

const REFERENCES = {
  tool_reference: { name: s.text },
  mcp_tool_reference: s.each(s.text, 'name', 'server_name'),
  mcp_toolset_reference: { server_name: s.text },
};
/** Blocks that change the tools mid-conversation. */
const TOOL_CHANGES: Readonly<Record<string, s.Shape>> = {
  tool_addition: s.byType({ ...REFERENCES, tool_definition: { definition: s.object } }),
  tool_removal: s.byType(REFERENCES),
};
const CHANGING = ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'];

const TOOL = { 'cache_control?': MARKER, 'allowed_callers?': TEXTS, ...s.each(s.flag, 'defer_loading?', 'strict?') };
const CUSTOM_TOOL = s.fields({
  ...TOOL,
  ...s.each(s.anything, 'type?', 'name?', 'input_schema?'),
  'description?': s.text,
  'input_examples?': s.listOf(s.object),
  'eager_input_streaming?': s.orNull(s.flag),
});
const TOOL_SEARCH = s.fields({
  ...TOOL,
  type: s.anything,
  name: s.oneOf('tool_search_tool_regex', 'tool_search_tool_bm25'),
});
const TOOLSET_CONFIG = s.fields(s.each(s.flag, 'enabled?', 'defer_loading?'));
const MCP_TOOLSET = s.fields({
  type: s.anything,
  mcp_server_name: s.text,
  'cache_control?': MARKER,
  'configs?': s.orNull(s.mapOf(TOOLSET_CONFIG)),
  'default_config?': TOOLSET_CONFIG,
  'tools?': s.orNull(s.listOf(s.object)),
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
  if (!thinks && model) report(walk, -1, 'edit-without-thinking');
  if (at > 0) {
    const text = `context_management.edits.${at}: \`clear_thinking_20251015\` must be the first edit`;
    report(walk, -1, 'edit-order', text);
  }
}

/** Checks that a tool is loaded from the start, and that every tool found later is defined. */
function checkDeferred(walk: Walk): void {
  const { tools } = walk.request;
  if (!tools) return;
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) report(walk, -1, 'all-tools-deferred');
  // The tools of MCP servers are not in the request.
  if (tools.some(({ type }) => type === 'mcp_toolset')) return;
  const names = new Set(tools.map(({ name }) => name));
  for (const { index, name } of walk.references)
    if (!names.has(name))
      report(walk, index, 'unknown-tool-reference', `Tool reference '${name}' not found in available tools`);
}

function check(walk: Walk, index: number, shape: s.Shape, value: unknown, path: s.ShapePath): void {
  shape(value, path, (fault) => {
    const rule: AnthropicRule = fault.kind === 'extra' ? 'extra-field' : 'bad-field';
    report(walk, index, rule, `${placeOf(fault.path)}: ${wordsFor(fault)}`);
  });
}

function placeOf(path: s.ShapePath): string {
  return path.map((part) => (typeof part === 'object' ? part.tag : part)).join('.');
}

const TYPES: Readonly<Record<string, string>> = { object: 'dictionary', array: 'list' };

/** The API's words for a value of the wrong shape. */
function wordsFor({ kind, expected, value }: s.ShapeFault): string {
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
