import { isRecord } from '../../../content.ts';
import {
  anything,
  byType,
  either,
  fields,
  flag,
  listOf,
  mapOf,
  numeric,
  object,
  oneOf,
  orNull,
  type Shape,
  type ShapeFault,
  text,
  whole,
} from '../../../rules/shape.ts';
import { type OpenaiResponsesItem, UNSEEN } from '../wire.ts';

/** The rules for fields, with how to fix a violation. */
export const RESPONSES_FIELD_RULES = {
  'unknown-parameter': 'Leave the field out.',
  'bad-field': 'Send the field as the API documents it.',
  'deferred-without-search': 'Add a tool_search tool, or drop defer_loading.',
  'search-without-deferred': 'Set defer_loading on a tool, or drop tool_search.',
} as const satisfies Readonly<Record<string, string>>;

const CALLERS = orNull(listOf(oneOf('direct', 'programmatic')));
const CALLER = orNull(byType({ direct: {}, program: { caller_id: text } }));
const STATUS = orNull(oneOf('in_progress', 'completed', 'incomplete'));
const ID = orNull(text);
const EFFORT = orNull(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'));
const SUMMARY = orNull(oneOf('auto', 'concise', 'detailed'));
const JSON_SCHEMA = { name: text, schema: object, 'description?': text, 'strict?': orNull(flag) };

const FUNCTION = {
  name: text,
  'description?': orNull(text),
  'parameters?': orNull(object),
  'strict?': orNull(flag),
  'output_schema?': orNull(object),
  'allowed_callers?': CALLERS,
  'async?': flag,
  'defer_loading?': flag,
};
const CUSTOM = {
  name: text,
  'description?': text,
  'format?': byType({ text: {}, grammar: { syntax: oneOf('lark', 'regex'), definition: text } }),
  'allowed_callers?': CALLERS,
  'async?': flag,
  'defer_loading?': flag,
};
const WEB_SEARCH = {
  'filters?': orNull(object),
  'search_context_size?': oneOf('low', 'medium', 'high'),
  'search_content_types?': listOf(text),
  'user_location?': orNull(object),
  'external_web_access?': orNull(flag),
  'allowed_callers?': CALLERS,
};

/** The tools that clients send. Hosted tools that need a server's own data are not among them. */
const TOOL = byType({
  function: FUNCTION,
  custom: CUSTOM,
  namespace: { name: text, description: text, tools: listOf(byType({ function: FUNCTION, custom: CUSTOM })) },
  tool_search: {
    'description?': orNull(text),
    'execution?': oneOf('server', 'client'),
    'parameters?': orNull(object),
  },
  local_shell: {},
  shell: { 'environment?': orNull(object), 'allowed_callers?': CALLERS },
  apply_patch: { 'allowed_callers?': CALLERS },
  web_search: WEB_SEARCH,
  web_search_2025_08_26: WEB_SEARCH,
  web_search_preview: WEB_SEARCH,
  image_generation: {
    'action?': text,
    'background?': text,
    'model?': text,
    'moderation?': text,
    'output_compression?': whole(),
    'output_format?': text,
    'partial_images?': whole(),
    'quality?': text,
    'size?': text,
  },
  mcp: {
    server_label: text,
    'server_url?': text,
    'server_description?': text,
    'connector_id?': text,
    'tunnel_id?': text,
    'authorization?': text,
    'headers?': orNull(mapOf(text)),
    'allowed_tools?': orNull(either(listOf(text), object)),
    'require_approval?': orNull(either(oneOf('always', 'never'), object)),
    'allowed_callers?': CALLERS,
    'defer_loading?': flag,
  },
  programmatic_tool_calling: {},
  computer_use_preview: { display_width: whole(1), display_height: whole(1), environment: text },
  computer: {},
  file_search: {
    vector_store_ids: listOf(text),
    'filters?': orNull(object),
    'max_num_results?': whole(1),
    'ranking_options?': object,
  },
  code_interpreter: { container: either(text, object), 'allowed_callers?': CALLERS },
});

/** The fields of a body that its items do not need; `tools` is checked as every list of tools is. */
export const RESPONSES_BODY: Readonly<Record<string, Shape>> = {
  client_metadata: orNull(mapOf(text)),
  include: orNull(
    listOf(
      oneOf(
        'file_search_call.results',
        'web_search_call.results',
        'web_search_call.action.sources',
        'message.input_image.image_url',
        'computer_call_output.output.image_url',
        'code_interpreter_call.outputs',
        'reasoning.encrypted_content',
        'message.output_text.logprobs',
      ),
    ),
  ),
  instructions: orNull(text),
  max_output_tokens: orNull(whole(16)),
  metadata: orNull(mapOf(text)),
  parallel_tool_calls: orNull(flag),
  prompt_cache_key: orNull(text),
  reasoning: orNull(
    fields({
      'effort?': EFFORT,
      'summary?': SUMMARY,
      'generate_summary?': SUMMARY,
      'context?': orNull(oneOf('auto', 'current_turn', 'all_turns')),
      'mode?': text,
    }),
  ),
  service_tier: orNull(text),
  store: orNull(flag),
  stream: orNull(flag),
  stream_options: orNull(fields({ 'include_obfuscation?': flag })),
  temperature: orNull(numeric),
  text: fields({
    'format?': byType({ text: {}, json_object: {}, json_schema: JSON_SCHEMA }),
    'verbosity?': orNull(oneOf('low', 'medium', 'high')),
  }),
  tool_choice: either(oneOf('none', 'auto', 'required'), object),
  tools: listOf(TOOL),
  top_p: orNull(numeric),
};

/** What Codex adds to any item for the server; a model does not see it. */
const PASSTHROUGH = orNull(
  fields({
    'turn_id?': orNull(text),
    'create_time?': orNull(numeric),
    'content_item_kinds?': orNull(listOf(text)),
    'content_item_metadata?': orNull(listOf(object)),
  }),
);

/** Items whose fields are known for certain; what is inside messages and outputs is checked elsewhere. */
const RESPONSES_ITEMS: ReadonlyMap<string, Shape> = new Map(
  Object.entries({
    additional_tools: { role: oneOf('developer'), tools: listOf(TOOL), 'id?': ID },
    function_call: {
      'call_id?': anything,
      name: text,
      arguments: text,
      'id?': ID,
      'status?': STATUS,
      'namespace?': text,
      'caller?': CALLER,
      'async?': flag,
    },
    function_call_output: {
      'call_id?': anything,
      'output?': anything,
      'id?': ID,
      'status?': STATUS,
      'name?': orNull(text),
      'namespace?': orNull(text),
      'caller?': CALLER,
    },
    custom_tool_call: {
      'call_id?': anything,
      name: text,
      input: text,
      'id?': ID,
      'status?': STATUS,
      'namespace?': text,
      'caller?': CALLER,
      'async?': flag,
    },
    custom_tool_call_output: {
      'call_id?': anything,
      'output?': anything,
      'id?': ID,
      'status?': STATUS,
      'caller?': CALLER,
    },
    local_shell_call: {
      'call_id?': anything,
      'id?': ID,
      'status?': STATUS,
      action: fields({
        type: oneOf('exec'),
        command: listOf(text),
        'env?': orNull(mapOf(text)),
        'timeout_ms?': orNull(whole()),
        'user?': orNull(text),
        'working_directory?': orNull(text),
      }),
    },
  }).map(([type, shape]) => [type, fields({ type: anything, [`${UNSEEN}?`]: PASSTHROUGH, ...shape })]),
);

/** Reports the faults in an item's fields; of an item of another type, only what any item may have is checked. */
export function checkItemFields(item: OpenaiResponsesItem, index: number, report: (fault: ShapeFault) => void): void {
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
