import { isRecord } from '../../../json/record.ts';
import * as s from '../../../rules/shape.ts';
import { type OpenaiResponsesItem, UNSEEN } from '../wire.ts';

/** The rules for fields, with how to fix a violation. */
export const RESPONSES_FIELD_RULES = {
  ...s.FIELD_RULES,
  'deferred-without-search': 'Add a tool_search tool, or drop defer_loading.',
  'search-without-deferred': 'Set defer_loading on a tool, or drop tool_search.',
} as const satisfies Readonly<Record<string, string>>;

const TEXT = s.orNull(s.text);
const OBJECT = s.orNull(s.object);
const FLAG = s.orNull(s.flag);
const TEXTS = s.listOf(s.text);
const CALLERS = { 'allowed_callers?': s.orNull(s.listOf(s.oneOf('direct', 'programmatic'))) };
const EFFORT = s.orNull(s.oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'));
const SUMMARY = s.orNull(s.oneOf('auto', 'concise', 'detailed'));
const JSON_SCHEMA = { name: s.text, schema: s.object, 'description?': s.text, 'strict?': FLAG };

const FUNCTION = {
  name: s.text,
  'description?': TEXT,
  ...s.each(OBJECT, 'parameters?', 'output_schema?'),
  'strict?': FLAG,
  ...CALLERS,
  ...s.each(s.flag, 'async?', 'defer_loading?'),
};
const CUSTOM = {
  ...s.each(s.text, 'name', 'description?'),
  'format?': s.byType({ text: {}, grammar: { syntax: s.oneOf('lark', 'regex'), definition: s.text } }),
  ...CALLERS,
  ...s.each(s.flag, 'async?', 'defer_loading?'),
};
const WEB_SEARCH = {
  ...s.each(OBJECT, 'filters?', 'user_location?'),
  'search_context_size?': s.oneOf('low', 'medium', 'high'),
  'search_content_types?': TEXTS,
  'external_web_access?': FLAG,
  ...CALLERS,
};

/** The tools that clients send. Hosted tools that need a server's own data are not among them. */
const TOOL = s.byType({
  function: FUNCTION,
  custom: CUSTOM,
  namespace: {
    ...s.each(s.text, 'name', 'description'),
    tools: s.listOf(s.byType({ function: FUNCTION, custom: CUSTOM })),
  },
  tool_search: { 'description?': TEXT, 'execution?': s.oneOf('server', 'client'), 'parameters?': OBJECT },
  local_shell: {},
  shell: { 'environment?': OBJECT, ...CALLERS },
  apply_patch: CALLERS,
  web_search: WEB_SEARCH,
  web_search_2025_08_26: WEB_SEARCH,
  web_search_preview: WEB_SEARCH,
  image_generation: {
    ...s.each(s.text, 'action?', 'background?', 'model?', 'moderation?', 'output_format?', 'quality?', 'size?'),
    ...s.each(s.whole(), 'output_compression?', 'partial_images?'),
  },
  mcp: {
    ...s.each(s.text, 'server_label', 'server_url?', 'server_description?', 'connector_id?', 'tunnel_id?'),
    'authorization?': s.text,
    'headers?': s.orNull(s.mapOf(s.text)),
    'allowed_tools?': s.orNull(s.either(TEXTS, s.object)),
    'require_approval?': s.orNull(s.either(s.oneOf('always', 'never'), s.object)),
    ...CALLERS,
    'defer_loading?': s.flag,
  },
  programmatic_tool_calling: {},
  computer_use_preview: { ...s.each(s.whole(1), 'display_width', 'display_height'), environment: s.text },
  computer: {},
  file_search: {
    vector_store_ids: TEXTS,
    'filters?': OBJECT,
    'max_num_results?': s.whole(1),
    'ranking_options?': s.object,
  },
  code_interpreter: { container: s.either(s.text, s.object), ...CALLERS },
});

const INCLUDED = s.oneOf(
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
);
const REASONING = s.fields({
  'effort?': EFFORT,
  ...s.each(SUMMARY, 'summary?', 'generate_summary?'),
  'context?': s.orNull(s.oneOf('auto', 'current_turn', 'all_turns')),
  'mode?': s.text,
});

/** The fields of a body that its items do not need; `tools` is checked as every list of tools is. */
export const RESPONSES_BODY: Readonly<Record<string, s.Shape>> = {
  ...s.each(s.orNull(s.mapOf(s.text)), 'client_metadata', 'metadata'),
  include: s.orNull(s.listOf(INCLUDED)),
  ...s.each(TEXT, 'instructions', 'prompt_cache_key', 'service_tier'),
  max_output_tokens: s.orNull(s.whole(16)),
  ...s.each(FLAG, 'parallel_tool_calls', 'store', 'stream'),
  reasoning: s.orNull(REASONING),
  stream_options: s.orNull(s.fields({ 'include_obfuscation?': s.flag })),
  ...s.each(s.orNull(s.numeric), 'temperature', 'top_p'),
  text: s.fields({
    'format?': s.byType({ text: {}, json_object: {}, json_schema: JSON_SCHEMA }),
    'verbosity?': s.orNull(s.oneOf('low', 'medium', 'high')),
  }),
  tool_choice: s.either(s.oneOf('none', 'auto', 'required'), s.object),
  tools: s.listOf(TOOL),
};

/** What Codex adds to any item for the server; a model does not see it. */
const PASSTHROUGH = s.orNull(
  s.fields({
    'turn_id?': TEXT,
    'create_time?': s.orNull(s.numeric),
    'content_item_kinds?': s.orNull(TEXTS),
    'content_item_metadata?': s.orNull(s.listOf(s.object)),
  }),
);

const SHELL_ACTION = s.fields({
  type: s.oneOf('exec'),
  command: TEXTS,
  'env?': s.orNull(s.mapOf(s.text)),
  'timeout_ms?': s.orNull(s.whole()),
  ...s.each(TEXT, 'user?', 'working_directory?'),
});
const STATUS = s.orNull(s.oneOf('in_progress', 'completed', 'incomplete'));
const CALLER = { 'caller?': s.orNull(s.byType({ direct: {}, program: { caller_id: s.text } })) };
const PAIRED = { 'call_id?': s.anything, 'id?': TEXT, 'status?': STATUS };
const CALL = { ...PAIRED, ...CALLER, ...s.each(s.text, 'name', 'namespace?'), 'async?': s.flag };
const OUTPUT = { ...PAIRED, ...CALLER, 'output?': s.anything };

/** Items whose fields are known for certain; what is inside messages and outputs is checked elsewhere. */
const RESPONSES_ITEMS: ReadonlyMap<string, s.Shape> = new Map(
  Object.entries({
    additional_tools: { role: s.oneOf('developer'), tools: s.listOf(TOOL), 'id?': TEXT },
    function_call: { ...CALL, arguments: s.text },
    function_call_output: { ...OUTPUT, ...s.each(TEXT, 'name?', 'namespace?') },
    custom_tool_call: { ...CALL, input: s.text },
    custom_tool_call_output: OUTPUT,
    local_shell_call: { ...PAIRED, action: SHELL_ACTION },
  }).map(([type, shape]) => [type, s.fields({ type: s.anything, [`${UNSEEN}?`]: PASSTHROUGH, ...shape })]),
);

/** Reports the faults in an item's fields; of an item of another type, only what any item may have is checked. */
export function checkItemFields(item: OpenaiResponsesItem, index: number, report: (fault: s.ShapeFault) => void): void {
  const path = ['input', index];
  const shape = RESPONSES_ITEMS.get(String(item.type));
  if (shape) shape(item, path, report);
  else if (item[UNSEEN] !== undefined) PASSTHROUGH(item[UNSEEN], [...path, UNSEEN], report);
}

/** The tools of a body and of its items, those inside namespaces included. Pure; skips what is malformed. */
export function toolsIn(body: Readonly<Record<string, unknown>>, items: readonly unknown[]): Record<string, unknown>[] {
  const lists = [body.tools, ...items.map((item) => (isRecord(item) ? item.tools : undefined))];
  const tools = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  return tools.flatMap((tool) => {
    const inside = Array.isArray(tool.tools) ? tool.tools.filter(isRecord) : [];
    return [tool, ...inside.map((one) => ({ ...one, namespace: tool.name }))];
  });
}
