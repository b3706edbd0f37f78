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
  text,
  whole,
} from '../../../rules/shape.ts';

/** The rules for fields, with how to fix a violation. */
export const CHAT_FIELD_RULES = {
  'unknown-parameter': 'Leave the field out.',
  'bad-field': 'Send the field as the API documents it.',
} as const satisfies Readonly<Record<string, string>>;

const FORMAT = byType({ text: {}, grammar: { grammar: fields({ syntax: oneOf('lark', 'regex'), definition: text }) } });
const NAMED = { name: text, 'description?': orNull(text) };
const TOOL = byType({
  function: {
    function: fields({ ...NAMED, 'parameters?': orNull(object), 'strict?': orNull(flag) }),
  },
  custom: { custom: fields({ ...NAMED, 'format?': FORMAT }) },
});

/** The fields of a body besides its messages. */
export const CHAT_BODY: Readonly<Record<string, Shape>> = {
  frequency_penalty: orNull(numeric),
  logprobs: orNull(flag),
  max_completion_tokens: orNull(whole(1)),
  max_tokens: orNull(whole(1)),
  metadata: orNull(mapOf(text)),
  parallel_tool_calls: flag,
  presence_penalty: orNull(numeric),
  prompt_cache_key: orNull(text),
  reasoning_effort: orNull(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  response_format: byType({
    text: {},
    json_object: {},
    json_schema: {
      json_schema: fields({ name: text, 'description?': text, 'schema?': object, 'strict?': orNull(flag) }),
    },
  }),
  seed: orNull(numeric),
  service_tier: orNull(text),
  stop: orNull(either(text, listOf(text))),
  store: orNull(flag),
  stream: orNull(flag),
  stream_options: orNull(fields({ 'include_usage?': flag, 'include_obfuscation?': flag })),
  temperature: orNull(numeric),
  tool_choice: either(oneOf('none', 'auto', 'required'), object),
  tools: listOf(TOOL),
  top_p: orNull(numeric),
  user: text,
  verbosity: orNull(oneOf('low', 'medium', 'high')),
};

/** Fields of other makers' servers, which clients send to those only. */
export const CHAT_VENDOR_BODY: Readonly<Record<string, Shape>> = {
  enable_thinking: flag,
  thinking_budget: whole(),
  thinking: byType({ enabled: { 'budget_tokens?': whole() }, disabled: {} }),
  reasoning: orNull(fields({ 'effort?': orNull(text), 'max_tokens?': whole(), 'enabled?': flag, 'exclude?': flag })),
  repetition_penalty: numeric,
  top_k: whole(),
};

const MESSAGE = {
  role: anything,
  'content?': anything,
  'name?': text,
  'refusal?': orNull(text),
  'annotations?': orNull(listOf(object)),
  'audio?': orNull(object),
  'tool_calls?': anything,
  'function_call?': orNull(object),
  'tool_call_id?': anything,
};

/** A message of OpenAI's own API. */
export const CHAT_MESSAGE: Shape = fields(MESSAGE);

/** A message of another maker's server, which takes back the reasoning of its answers. */
export const CHAT_VENDOR_MESSAGE: Shape = fields({
  ...MESSAGE,
  'reasoning_content?': orNull(text),
  'reasoning?': orNull(text),
  'reasoning_details?': listOf(object),
});
