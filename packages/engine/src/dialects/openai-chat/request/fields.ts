import * as s from '../../../rules/shape.ts';

const GRAMMAR = s.fields({ syntax: s.oneOf('lark', 'regex'), definition: s.text });
const FORMAT = s.byType({ text: {}, grammar: { grammar: GRAMMAR } });
const NAMED = { name: s.text, 'description?': s.orNull(s.text) };
const STRICT = { 'strict?': s.orNull(s.flag) };
const TOOL = s.byType({
  function: { function: s.fields({ ...NAMED, 'parameters?': s.orNull(s.object), ...STRICT }) },
  custom: { custom: s.fields({ ...NAMED, 'format?': FORMAT }) },
});
const JSON_SCHEMA = s.fields({ name: s.text, 'description?': s.text, 'schema?': s.object, ...STRICT });

/** The fields of a body besides its messages. */
export const CHAT_BODY: Readonly<Record<string, s.Shape>> = {
  ...s.each(s.orNull(s.numeric), 'frequency_penalty', 'presence_penalty', 'seed', 'temperature', 'top_p'),
  ...s.each(s.orNull(s.flag), 'logprobs', 'store', 'stream'),
  ...s.each(s.orNull(s.whole(1)), 'max_completion_tokens', 'max_tokens'),
  ...s.each(s.orNull(s.text), 'prompt_cache_key', 'service_tier'),
  metadata: s.orNull(s.mapOf(s.text)),
  parallel_tool_calls: s.flag,
  reasoning_effort: s.orNull(s.oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  response_format: s.byType({ text: {}, json_object: {}, json_schema: { json_schema: JSON_SCHEMA } }),
  stop: s.orNull(s.either(s.text, s.listOf(s.text))),
  stream_options: s.orNull(s.fields(s.each(s.flag, 'include_usage?', 'include_obfuscation?'))),
  tool_choice: s.either(s.oneOf('none', 'auto', 'required'), s.object),
  tools: s.listOf(TOOL),
  user: s.text,
  verbosity: s.orNull(s.oneOf('low', 'medium', 'high')),
};

const REASONING = { 'effort?': s.orNull(s.text), 'max_tokens?': s.whole(), ...s.each(s.flag, 'enabled?', 'exclude?') };

/** Fields of other makers' servers, which clients send to those only. */
export const CHAT_VENDOR_BODY: Readonly<Record<string, s.Shape>> = {
  enable_thinking: s.flag,
  ...s.each(s.whole(), 'thinking_budget', 'top_k'),
  thinking: s.byType({ enabled: { 'budget_tokens?': s.whole() }, disabled: {} }),
  reasoning: s.orNull(s.fields(REASONING)),
  repetition_penalty: s.numeric,
};

const MESSAGE = {
  ...s.each(s.anything, 'role', 'content?', 'tool_calls?', 'tool_call_id?'),
  'name?': s.text,
  'refusal?': s.orNull(s.text),
  'annotations?': s.orNull(s.listOf(s.object)),
  ...s.each(s.orNull(s.object), 'audio?', 'function_call?'),
};

/** A message of OpenAI's own API. */
export const CHAT_MESSAGE: s.Shape = s.fields(MESSAGE);

/** A message of another maker's server, which takes back the reasoning of its answers. */
export const CHAT_VENDOR_MESSAGE: s.Shape = s.fields({
  ...MESSAGE,
  ...s.each(s.orNull(s.text), 'reasoning_content?', 'reasoning?'),
  'reasoning_details?': s.listOf(s.object),
});
