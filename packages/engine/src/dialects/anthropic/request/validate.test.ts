import { describe, expect, test } from 'vitest';
import {
  ANTHROPIC_RULES,
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicRule,
  validateAnthropic,
} from '../../../rules/index.ts';
import { anthropic } from '../dialect.ts';
import { ANTHROPIC_MESSAGE_RULES } from '../rules.ts';
import { ANTHROPIC_FIELD_RULES } from './rules.ts';

type List = readonly AnthropicMessage[];

/** One rule: what breaks it and how the API says so, and the nearest request that it takes. */
interface Row {
  readonly row: string;
  readonly rule: AnthropicRule;
  readonly rejected: List;
  readonly index: number;
  readonly message: string;
  readonly accepted: List;
  readonly request?: AnthropicRequest;
  /** Where the accepted request differs in more than its messages. */
  readonly acceptedRequest?: AnthropicRequest;
}

const user = (...content: AnthropicBlock[]): AnthropicMessage => ({ role: 'user', content });
const assistant = (...content: AnthropicBlock[]): AnthropicMessage => ({ role: 'assistant', content });
const system = (text: string): AnthropicMessage => ({ role: 'system', content: text });
const text = (words: string, fields: object = {}): AnthropicBlock => ({ type: 'text', text: words, ...fields });
const call = (id: string, fields: object = {}): AnthropicBlock => ({
  type: 'tool_use',
  id,
  name: 'read',
  input: {},
  ...fields,
});
const result = (id: string, fields: object = {}): AnthropicBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'done',
  ...fields,
});
const thinking = (signature: string, words = 'hm'): AnthropicBlock => ({
  type: 'thinking',
  thinking: words,
  signature,
});
const search: AnthropicBlock = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
const searched: AnthropicBlock = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const short = { cache_control: { type: 'ephemeral' } };
const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };

const png = (width: number, height: number, bytes = 0): AnthropicBlock => {
  const header = Buffer.alloc(33 + bytes);
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: header.toString('base64') } };
};

const hello = user(text('hello'));
const go = user(text('go on'));
const hi = assistant(text('hi'));
const times = (count: number, block: AnthropicBlock): AnthropicBlock[] => Array.from({ length: count }, () => block);

const BOUND =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const NEEDS_BETA =
  ' That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.';
const EARLIER = 'Content before this block differs from when it was created, first at `messages.0.content.0`.';
const PROMPT = 'The `system` prompt differs from the one this block was created with.';
const BETA = ['thinking-binding-controls-2026-08-01'];
const bound = { binding: true };
const edited: AnthropicRequest = {
  model: bound,
  signature: (_, list) => (list[0] === hello ? undefined : { cause: EARLIER }),
};
const drop: AnthropicRequest['thinking'] = {
  type: 'adaptive',
  block_binding: { prefix_mismatch_behavior: 'drop_block' },
};

const binding: readonly Row[] = [
  {
    row: 'a block bound to another prefix',
    rule: 'bound-thinking',
    request: edited,
    rejected: [go, assistant(thinking('s1'), text('hi')), go],
    index: 1,
    message: `${BOUND}${NEEDS_BETA} ${EARLIER}`,
    accepted: [hello, assistant(thinking('s1'), text('hi')), go],
  },
  {
    row: 'the same with the beta header',
    rule: 'bound-thinking',
    request: { ...edited, betas: BETA },
    rejected: [go, assistant(thinking('s1'), text('hi')), go],
    index: 1,
    message: `${BOUND} ${EARLIER}`,
    accepted: [go, assistant(text('hi')), go],
  },
  {
    row: 'another system prompt',
    rule: 'bound-thinking',
    request: { model: bound, signature: () => ({ cause: PROMPT }), betas: BETA },
    rejected: [hello, assistant(thinking('s1'), text('hi')), go],
    index: 1,
    message: `${BOUND} ${PROMPT}`,
    accepted: [hello, assistant(thinking('s1'), text('hi')), go],
    acceptedRequest: { model: { binding: false }, signature: () => ({ cause: PROMPT }) },
  },
  {
    row: 'drop_block lets the API drop it',
    rule: 'bound-thinking',
    request: { ...edited, betas: BETA, thinking: { type: 'adaptive', block_binding: {} } },
    rejected: [go, assistant(thinking('s1'), text('hi')), go],
    index: 1,
    message: `${BOUND} ${EARLIER}`,
    accepted: [go, assistant(thinking('s1'), text('hi')), go],
    acceptedRequest: { ...edited, betas: BETA, thinking: drop },
  },
  {
    row: 'the thinking kept is an unbroken run: the oldest may be removed, none in between',
    rule: 'bound-thinking',
    request: { model: bound, betas: BETA, signatures: ['s1', 's2', 's3'] },
    rejected: [hello, assistant(thinking('s1'), text('hi')), go, assistant(thinking('s3'), text('ok')), go],
    index: 3,
    message: `${BOUND.replace('messages.1', 'messages.3')} Thinking before this block differs from when it was created.`,
    accepted: [hello, assistant(thinking('s2'), text('hi')), go, assistant(thinking('s3'), text('ok')), go],
  },
  {
    row: 'the thinking kept is an unbroken run: the newest may be removed, none comes back',
    rule: 'bound-thinking',
    request: { model: bound, betas: BETA, signatures: ['s1', 's2', 's3'] },
    rejected: [hello, assistant(thinking('s2'), text('hi')), go, assistant(thinking('s1'), text('ok')), go],
    index: 3,
    message: `${BOUND.replace('messages.1', 'messages.3')} Thinking before this block differs from when it was created.`,
    accepted: [hello, assistant(thinking('s1'), thinking('s2'), text('hi')), go, hi, go],
  },
  {
    row: 'block_binding without its header',
    rule: 'binding-header',
    request: { thinking: drop, betas: [] },
    rejected: [hello],
    index: -1,
    message: 'thinking.adaptive.block_binding: Extra inputs are not permitted',
    accepted: [hello],
    acceptedRequest: { thinking: drop, betas: BETA },
  },
  {
    row: 'tampered signature, which drop_block does not fix',
    rule: 'bad-signature',
    request: {
      thinking: drop,
      betas: BETA,
      signature: ({ signature }) => (signature === 's1' ? undefined : 'tampered'),
    },
    rejected: [hello, assistant(thinking('forged'), text('hi')), go],
    index: 1,
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    accepted: [hello, assistant(thinking('s1'), text('hi')), go],
  },
  {
    row: 'edited thinking under an intact signature',
    rule: 'bad-signature',
    request: { signature: (block) => (block.thinking === 'hm' ? undefined : 'tampered') },
    rejected: [hello, assistant(thinking('s1', 'other'), text('hi')), go],
    index: 1,
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    accepted: [hello, assistant(thinking('s1'), text('hi')), go],
  },
];

const UNANSWERED = (index: number, ids: string): string =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const ORPHAN = (place: string, id: string): string =>
  `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

const calls: readonly Row[] = [
  {
    row: 'every tool_use answered in next message',
    rule: 'unanswered-call',
    rejected: [hello, assistant(call('A'), call('B'), call('C')), user(result('C'), text('go on'))],
    index: 1,
    message: UNANSWERED(1, 'A, B'),
    accepted: [hello, assistant(call('A'), call('B')), user(result('B'), result('A'), text('go on'))],
  },
  {
    row: 'tool_results first; text before them',
    rule: 'unanswered-call',
    rejected: [hello, assistant(call('A'), call('B')), user(result('A'), text('and'), result('B'))],
    index: 1,
    message: UNANSWERED(1, 'B'),
    accepted: [hello, assistant(call('A'), call('B')), user(result('A'), result('B'), text('and'))],
  },
  {
    row: 'final assistant tool_use with nothing after',
    rule: 'unanswered-call',
    rejected: [hello, assistant(text('let me see'), call('A'))],
    index: 1,
    message: UNANSWERED(1, 'A'),
    accepted: [hello, assistant(text('let me see'))],
  },
  {
    row: 'tool_result without tool_use in previous message',
    rule: 'orphan-result',
    rejected: [user(result('X'))],
    index: 0,
    message: ORPHAN('messages.0.content.0', 'X'),
    accepted: [hello, assistant(call('X')), user(result('X'))],
  },
  {
    row: 'server_tool_use without result',
    rule: 'unanswered-server-call',
    rejected: [hello, assistant(search), go],
    index: 1,
    message:
      'messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
    accepted: [hello, assistant(search, searched, text('found')), go],
  },
  {
    row: 'with one pending, reply only tool_results',
    rule: 'unanswered-server-call',
    rejected: [hello, assistant(search, call('A')), user(result('A'), text('hurry')), assistant(searched), go],
    index: 1,
    message:
      'messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
    accepted: [hello, assistant(search, call('A')), user(result('A')), assistant(searched, text('found')), go],
  },
  {
    row: 'duplicate tool_use id',
    rule: 'duplicate-call-id',
    rejected: [hello, assistant(call('A'), call('A')), user(result('A'))],
    index: 1,
    message: 'messages.1.content.1: `tool_use` ids must be unique',
    accepted: [hello, assistant(call('A'), call('B')), user(result('A'), result('B'))],
  },
  {
    row: 'duplicate result',
    rule: 'double-result',
    rejected: [hello, assistant(call('X')), user(result('X'), result('X'))],
    index: 2,
    message:
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: X',
    accepted: [hello, assistant(call('X')), user(result('X'), text('X'))],
  },
  {
    row: 'id charset',
    rule: 'bad-call-id',
    rejected: [hello, assistant(call('call:1')), user(result('call:1'))],
    index: 1,
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    accepted: [hello, assistant(call('call_1-a')), user(result('call_1-a'))],
  },
  {
    row: 'input object',
    rule: 'bad-call-input',
    rejected: [hello, assistant(call('A', { input: '{}' })), user(result('A'))],
    index: 1,
    message: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    accepted: [hello, assistant(call('A', { input: { path: 'a' } })), user(result('A'))],
  },
  {
    row: 'tool_result in assistant',
    rule: 'result-in-assistant',
    rejected: [hello, assistant(result('A'), text('hi'))],
    index: 1,
    message: 'messages.1: `tool_result` blocks can only be in `user` messages',
    accepted: [hello, assistant(call('A')), user(result('A')), hi],
  },
  {
    row: 'tool_use in user',
    rule: 'call-in-user',
    rejected: [user(call('A'))],
    index: 0,
    message: 'messages.0: `tool_use` blocks can only be in `assistant` messages',
    accepted: [hello, assistant(call('A')), user(result('A'))],
  },
  {
    row: 'thinking in user',
    rule: 'thinking-in-user',
    rejected: [user(thinking('s'))],
    index: 0,
    message: 'messages.0.content.0: `thinking` blocks can only be in `assistant` messages',
    accepted: [hello, assistant(thinking('s'), text('hi'))],
  },
  {
    row: 'tool blocks but no `tools`',
    rule: 'tools-missing',
    request: { tools: [] },
    rejected: [hello, assistant(call('A')), user(result('A'))],
    index: -1,
    message: 'Requests which include `tool_use` or `tool_result` blocks must define tools.',
    accepted: [hello, assistant(call('A')), user(result('A'))],
    acceptedRequest: { tools: [{ name: 'read' }] },
  },
];

const content: readonly Row[] = [
  {
    row: 'empty text',
    rule: 'empty-text',
    rejected: [user(text('hello'), text(''))],
    index: 0,
    message: 'messages: text content blocks must be non-empty',
    accepted: [user(text('hello'), text('.'))],
  },
  {
    row: 'empty text in a tool_result',
    rule: 'empty-text',
    rejected: [hello, assistant(call('A')), user(result('A', { content: [text('')] }))],
    index: 2,
    message: 'messages: text content blocks must be non-empty',
    accepted: [hello, assistant(call('A')), user(result('A', { content: '' }))],
  },
  {
    row: 'empty text in the system prompt',
    rule: 'empty-text',
    request: { system: [text('')] },
    rejected: [hello],
    index: -1,
    message: 'system: text content blocks must be non-empty',
    accepted: [hello],
    acceptedRequest: { system: [text('Be brief.')] },
  },
  {
    row: 'whitespace text',
    rule: 'blank-text',
    rejected: [hello, assistant(text('\n\n'), text('hi')), go],
    index: 1,
    message: 'messages: text content blocks must contain non-whitespace text',
    accepted: [hello, assistant(text('\n\n'), thinking('s1'), text('hi')), go],
  },
  {
    row: 'whitespace string',
    rule: 'blank-text',
    rejected: [{ role: 'user', content: ' \n' }],
    index: 0,
    message: 'messages: text content blocks must contain non-whitespace text',
    accepted: [{ role: 'user', content: ' \nhello' }],
  },
  {
    row: 'empty message',
    rule: 'empty-message',
    rejected: [user(), hi],
    index: 0,
    message: 'messages.0: all messages must have non-empty content except for the optional final assistant message',
    accepted: [hello, assistant()],
  },
  {
    row: 'final assistant trailing whitespace',
    rule: 'trailing-whitespace',
    rejected: [hello, assistant(text('{"answer": '))],
    index: 1,
    message: 'messages: final assistant content cannot end with trailing whitespace',
    accepted: [hello, assistant(text('ends with a space ')), go, assistant(text('{"answer":'))],
  },
  {
    row: 'prefill (4.6+)',
    rule: 'no-prefill',
    request: { model: { prefill: false } },
    rejected: [hello, assistant(text('{'))],
    index: 1,
    message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    accepted: [hello, assistant(text('{')), go],
  },
  {
    row: 'a paused turn is not a prefill',
    rule: 'no-prefill',
    request: { model: { prefill: false } },
    rejected: [hello, assistant(search, searched, text('so'))],
    index: 1,
    message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    accepted: [hello, assistant(text('let me search'), search)],
  },
  {
    row: 'first role assistant',
    rule: 'first-assistant',
    rejected: [hi, hello],
    index: 0,
    message: 'messages: first message must use the "user" role',
    accepted: [assistant({ type: 'compaction', content: 'so far' }), hello],
  },
  {
    row: 'consecutive same role: merged; but results may not be split',
    rule: 'unanswered-call',
    rejected: [hello, assistant(call('A'), call('B')), user(result('A')), user(text('and B'))],
    index: 1,
    message: UNANSWERED(1, 'B'),
    accepted: [hello, go, hi, assistant(call('A')), user(result('A')), user(text('and B'))],
  },
  {
    row: 'messages[0] system',
    rule: 'first-system',
    rejected: [system('Be brief.'), hello],
    index: 0,
    message: "messages.0: use the top-level 'system' parameter for the initial system prompt",
    accepted: [hello],
    acceptedRequest: { system: 'Be brief.' },
  },
  {
    row: 'system elsewhere: follows a user turn or a server-tool result',
    rule: 'misplaced-system',
    rejected: [hello, hi, system('Be brief.')],
    index: 2,
    message: "messages.2: role 'system' must follow a 'user' message and precede an 'assistant' message",
    accepted: [hello, assistant(search, searched), system('Be brief.')],
  },
  {
    row: 'system elsewhere: precedes assistant or end',
    rule: 'misplaced-system',
    rejected: [hello, system('Be brief.'), go],
    index: 1,
    message: "messages.1: role 'system' must follow a 'user' message and precede an 'assistant' message",
    accepted: [hello, system('Be brief.'), hi, go, system('Be kind.')],
  },
  {
    row: 'system elsewhere: unsupported model',
    rule: 'no-system-messages',
    request: { model: { system_messages: false } },
    rejected: [hello, system('Be brief.')],
    index: 1,
    message: "role 'system' is not supported on this model",
    accepted: [hello],
  },
];

const TTL_ORDER = (place: string): string =>
  `${place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.`;

const markers: readonly Row[] = [
  {
    row: '>4 markers',
    rule: 'too-many-markers',
    rejected: [user(...times(5, text('part', short)))],
    index: -1,
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    accepted: [user(...times(4, text('part', short)), text('part', { cache_control: null }))],
  },
  {
    row: '>4 markers: tools, system, results and top level count',
    rule: 'too-many-markers',
    request: { tools: [{ name: 'read', ...short }], system: [text('Be brief.', short)], ...short },
    rejected: [
      user(text('hello', short)),
      assistant(call('A')),
      user(result('A', { content: [text('done', short)] }), text('so')),
    ],
    index: -1,
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    accepted: [hello, assistant(call('A')), user(result('A', { content: [text('done', short)] }), text('so'))],
  },
  {
    row: 'TTL order',
    rule: 'marker-order',
    rejected: [user(text('one', short)), hi, user(text('two'), text('three', long))],
    index: 2,
    message: TTL_ORDER('messages.2.content.1'),
    accepted: [user(text('one', long)), hi, user(text('two'), text('three', short))],
  },
  {
    row: 'TTL order: tools, system, messages',
    rule: 'marker-order',
    request: { tools: [{ name: 'read', ...short }] },
    rejected: [user(text('one', long))],
    index: 0,
    message: TTL_ORDER('messages.0.content.0'),
    accepted: [user(text('one', long))],
    acceptedRequest: { system: [text('Be brief.', long)] },
  },
  {
    row: "top-level TTL ≠ last block's",
    rule: 'marker-conflict',
    request: { ...short },
    rejected: [user(text('one', long))],
    index: -1,
    message: "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'",
    accepted: [user(text('one', long), text('two', short))],
  },
  {
    row: 'marker on empty text',
    rule: 'marker-on-empty-text',
    rejected: [user(text('hello'), text('', short))],
    index: 0,
    message: 'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
    accepted: [user(text('hello'), text('.', short))],
  },
];

const ENABLED = { type: 'enabled' };
const original = assistant(thinking('s1'), text('see'), thinking('s2'), call('A'));
const CHANGED =
  'messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.';

const modes: readonly Row[] = [
  {
    row: 'thinking mode mismatch: enabled',
    rule: 'thinking-mode',
    request: { thinking: ENABLED, model: { thinking: 'adaptive' } },
    rejected: [hello],
    index: -1,
    message:
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    accepted: [hello],
    acceptedRequest: { thinking: ENABLED, model: { thinking: 'both' } },
  },
  {
    row: 'thinking mode mismatch: adaptive',
    rule: 'thinking-mode',
    request: { thinking: { type: 'adaptive' }, model: { thinking: 'enabled' } },
    rejected: [hello],
    index: -1,
    message: 'adaptive thinking is not supported on this model',
    accepted: [hello],
    acceptedRequest: { thinking: { type: 'adaptive' }, model: { thinking: 'adaptive' } },
  },
  {
    row: 'latest assistant thinking changed: one left out',
    rule: 'changed-thinking',
    request: { latest: original },
    rejected: [hello, assistant(text('see'), thinking('s2'), call('A')), user(result('A'))],
    index: 1,
    message: CHANGED,
    accepted: [hello, original, user(result('A'))],
  },
  {
    row: 'latest assistant thinking changed: text edited',
    rule: 'changed-thinking',
    request: { latest: original },
    rejected: [hello, assistant(text('see'), thinking('s1', 'other'), thinking('s2'), call('A')), user(result('A'))],
    index: 1,
    message: CHANGED,
    accepted: [hello, assistant(text('see'), call('A')), user(result('A'))],
  },
  {
    row: 'extended thinking, tool loop lacks thinking',
    rule: 'missing-thinking',
    request: { thinking: ENABLED },
    rejected: [hello, hi, go, assistant(text('see'), call('A')), user(result('A'))],
    index: 3,
    message:
      'messages.3.content.0.type: Expected thinking or redacted_thinking, but found text. When thinking is enabled, a final assistant message must start with a thinking block (preceeding the lastmost set of tool_use and tool_result blocks).',
    accepted: [hello, hi, go, original, user(result('A')), assistant(call('B')), user(result('B'))],
  },
  {
    row: 'missing signature',
    rule: 'missing-signature',
    rejected: [hello, assistant({ type: 'thinking', thinking: 'hm' }, text('hi')), go],
    index: 1,
    message: 'messages.1.content.0.thinking.signature: Field required',
    accepted: [hello, assistant({ type: 'redacted_thinking', data: 'x' }, thinking('s1', ''), text('hi')), go],
  },
  {
    row: 'forced tool_choice (Fable 5.1, 5.5)',
    rule: 'forced-tool-choice',
    request: { tool_choice: { type: 'any' }, model: { forced_tool_choice: false } },
    rejected: [hello],
    index: -1,
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
    accepted: [hello],
    acceptedRequest: { tool_choice: { type: 'auto' }, model: { forced_tool_choice: false } },
  },
  {
    row: 'too long',
    rule: 'prompt-too-long',
    request: { input_tokens: 208310, limit: 200000 },
    rejected: [hello],
    index: -1,
    message: 'prompt is too long: 208310 tokens > 200000 maximum',
    accepted: [hello],
    acceptedRequest: { input_tokens: 200000, limit: 200000 },
  },
  {
    row: 'input+max_tokens (pre-4.5 models)',
    rule: 'context-exceeded',
    request: { input_tokens: 178959, max_tokens: 64000, limit: 200000, model: { counts_output: true } },
    rejected: [hello],
    index: -1,
    message:
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    accepted: [hello],
    acceptedRequest: { input_tokens: 178959, max_tokens: 64000, limit: 200000, model: { counts_output: false } },
  },
  {
    row: '>20 images, side >2000px (tool_result images count)',
    rule: 'many-images-side',
    rejected: [user(...times(20, png(10, 10))), assistant(call('A')), user(result('A', { content: [png(2001, 10)] }))],
    index: 2,
    message:
      'messages.2.content.0.tool_result.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    accepted: [user(...times(19, png(10, 10))), assistant(call('A')), user(result('A', { content: [png(2001, 10)] }))],
  },
];

const EXTRA = 'Extra inputs are not permitted';
/** As much of a PDF as states its pages. */
const pdf = (pages: number): AnthropicBlock => {
  const data = btoa(`%PDF-1.4 1 0 obj <</Type /Pages /Count ${pages}>> endobj`);
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
};

const limits: readonly Row[] = [
  {
    row: '32 MB body (413)',
    rule: 'body-too-large',
    request: { bytes: 32 * 1024 * 1024 + 1 },
    rejected: [hello],
    index: -1,
    message: 'Request exceeds the maximum size',
    accepted: [hello],
    acceptedRequest: { bytes: 32 * 1024 * 1024 },
  },
  {
    row: '100,000 messages',
    rule: 'too-many-messages',
    rejected: Array.from({ length: 100_001 }, () => hello),
    index: -1,
    message: 'messages: List should have at most 100000 items after validation, not 100001',
    accepted: Array.from({ length: 100_000 }, () => hello),
  },
  {
    row: '600 images',
    rule: 'too-many-images',
    rejected: [user(...times(601, png(10, 10)))],
    index: -1,
    message: 'Too much media: 0 document pages + 601 images > 600',
    accepted: [user(...times(600, png(10, 10)))],
  },
  {
    row: '100 images on 200K models',
    rule: 'too-many-images',
    request: { model: { images: 100 } },
    rejected: [user(...times(101, png(10, 10)))],
    index: -1,
    message: 'Too much media: 0 document pages + 101 images > 100',
    accepted: [user(...times(100, png(10, 10)))],
  },
  {
    row: '600 images and pages of PDFs together',
    rule: 'too-many-images',
    rejected: [user(pdf(400), png(10, 10)), hi, user(pdf(200))],
    index: -1,
    message: 'Too much media: 600 document pages + 1 images > 600',
    accepted: [user(pdf(400), png(10, 10)), hi, user(pdf(199))],
  },
  {
    row: 'pages of a PDF in a tool_result',
    rule: 'too-many-images',
    request: { model: { images: 100 } },
    rejected: [hello, assistant(call('A')), user(result('A', { content: [pdf(101)] }))],
    index: -1,
    message: 'Too much media: 101 document pages + 0 images > 100',
    accepted: [hello, assistant(call('A')), user(result('A', { content: [pdf(100)] }))],
  },
  {
    row: 'a compaction block comes first',
    rule: 'misplaced-compaction',
    rejected: [hello, assistant({ type: 'compaction', content: 'so far', signature: 's' }), go],
    index: 1,
    message: 'messages.1.content.0: `compaction` block must be in the first message, of the assistant',
    accepted: [assistant({ type: 'compaction', content: 'so far', signature: 's' }), go],
  },
  {
    row: 'a compaction block must be the assistant’s',
    rule: 'misplaced-compaction',
    rejected: [user({ type: 'compaction', content: 'so far' }), hi, go],
    index: 0,
    message: 'messages.0.content.0: `compaction` block must be in the first message, of the assistant',
    accepted: [hello, assistant({ type: 'compaction', content: 'so far' }), go],
  },
  {
    row: 'unknown field of thinking',
    rule: 'extra-field',
    request: { thinking: { type: 'adaptive', ...{ effort: 'high' } } },
    rejected: [hello],
    index: -1,
    message: `thinking.adaptive.effort: ${EXTRA}`,
    accepted: [hello],
    acceptedRequest: { thinking: { type: 'adaptive', ...{ display: 'updates' } } },
  },
  {
    row: 'unknown field of a tool',
    rule: 'extra-field',
    request: {
      tools: [
        { name: 'a', ...{ input_schema: {} } },
        { name: 'b', ...{ parameters: {} } },
      ],
    },
    rejected: [hello],
    index: -1,
    message: `tools.1.custom.parameters: ${EXTRA}`,
    accepted: [hello],
    acceptedRequest: {
      tools: [
        { name: 'a', ...{ strict: true } },
        { type: 'newer_2027', name: 'b', ...{ any: 1 } },
      ],
    },
  },
  {
    row: '10 MB per image',
    rule: 'image-bytes',
    rejected: [user(png(10, 10, 10 * 1024 * 1024))],
    index: 0,
    message: 'messages.0.content.0.image.source.base64: image exceeds 10 MB maximum: 10485793 bytes > 10485760 bytes',
    accepted: [user(png(10, 10, 10 * 1024 * 1024 - 33))],
  },
  {
    row: '8000px per image',
    rule: 'image-side',
    rejected: [user(png(10, 8001))],
    index: 0,
    message:
      'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    accepted: [user(png(10, 8000))],
  },
  {
    row: 'unknown field of a message',
    rule: 'extra-field',
    rejected: [hello, { ...hi, ...{ id: 'msg_1' } }],
    index: 1,
    message: `messages.1.id: ${EXTRA}`,
    accepted: [hello, { ...hi, ...{ id: undefined } }],
  },
  {
    row: 'unknown field of a block',
    rule: 'extra-field',
    rejected: [user(text('hello', { source: 'cli' }))],
    index: 0,
    message: `messages.0.content.0.text.source: ${EXTRA}`,
    accepted: [user(text('hello', { citations: null })), assistant({ type: 'newer', ...{ anything: 1 } }), go],
  },
  {
    row: 'unknown field of a block in a tool_result',
    rule: 'extra-field',
    rejected: [hello, assistant(call('A')), user(result('A', { content: [text('done', { annotations: {} })] }))],
    index: 2,
    message: `messages.2.content.0.tool_result.content.0.text.annotations: ${EXTRA}`,
    accepted: [hello, assistant(call('A')), user(result('A', { content: [text('done')], is_error: true }))],
  },
  {
    row: 'thinking blocks take no cache_control',
    rule: 'marker-on-thinking',
    rejected: [hello, assistant({ ...thinking('s1'), ...short }, text('hi')), go],
    index: 1,
    message: `messages.1.content.0.thinking.cache_control: ${EXTRA}`,
    accepted: [hello, assistant(thinking('s1'), text('hi', short)), go],
  },
  {
    row: 'tool_result content kinds',
    rule: 'result-content',
    rejected: [hello, assistant(call('A')), user(result('A', { content: [text('done'), thinking('s1')] }))],
    index: 2,
    message:
      "messages.2.content.0.tool_result.content.1: Input tag 'thinking' found using 'type' does not match any of the expected tags: 'text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state'",
    accepted: [
      hello,
      assistant(call('A'), call('B')),
      user(
        result('A', {
          content: [
            text('done'),
            png(1, 1),
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
            { type: 'search_result', source: 'x', title: 'x', content: [] },
            { type: 'tool_reference', tool_name: 'read' },
            { type: 'browser_state', tabs: [] },
          ],
        }),
        { type: 'tool_result', tool_use_id: 'B' },
      ),
    ],
  },
  {
    row: 'content that is neither text nor parts',
    rule: 'bad-content',
    rejected: [hello, JSON.parse('{"role":"assistant","content":null}')],
    index: 1,
    message: 'messages.1.content: Input should be a valid string or list',
    accepted: [hello, { role: 'assistant', content: 'hi' }],
  },
  {
    row: 'a result that is an object',
    rule: 'bad-content',
    rejected: [hello, assistant(call('A')), user(result('A', { content: { ok: true } }))],
    index: 2,
    message: 'messages.2.content.0.tool_result.content: Input should be a valid string or list',
    accepted: [hello, assistant(call('A')), user(result('A', { content: '{"ok":true}' }))],
  },
  {
    row: 'a role of another format',
    rule: 'bad-role',
    rejected: [hello, { role: 'tool', content: 'done' }],
    index: 1,
    message: "messages.1.role: Input should be 'user', 'assistant' or 'system'",
    accepted: [hello, { role: 'user', content: 'done' }],
  },
];

const tables = { binding, calls, content, markers, modes, limits };

describe.each(Object.entries(tables))('validateAnthropic: %s', (_, rows) => {
  test.each(rows)('$row', ({ rule, rejected, index, message, accepted, request, acceptedRequest }) => {
    expect(validateAnthropic(rejected, request)).toEqual([{ index, rule, message, fix: ANTHROPIC_RULES[rule] }]);
    expect(validateAnthropic(accepted, acceptedRequest ?? request)).toEqual([]);
  });
});

const all: readonly Row[] = Object.values(tables).flat();
const own = all.filter(({ rule, request }) => rule in ANTHROPIC_MESSAGE_RULES && request === undefined);

test.each(own)('the dialect alone finds: $row', ({ rejected, accepted }) => {
  const { validate } = anthropic();
  expect(validate(rejected)).toEqual(validateAnthropic(rejected).map(({ message: _, ...violation }) => violation));
  expect(validate(accepted)).toEqual([]);
});

test('the dialect alone accepts what only pairing or a whole request can break', () => {
  const others = all.filter(({ rule }) => !(rule in ANTHROPIC_MESSAGE_RULES));
  // Its own word for a result that pairing does not see.
  for (const { rejected } of others)
    expect(
      anthropic()
        .validate(rejected)
        .filter(({ rule }) => rule !== 'late-result'),
    ).toEqual([]);
});

test('every rule is in a table', () => {
  const shown = new Set(all.map(({ rule }) => rule));
  const rules = Object.keys(ANTHROPIC_RULES).filter((rule) => !(rule in ANTHROPIC_FIELD_RULES));
  expect(rules.filter((rule) => !shown.has(rule as AnthropicRule))).toEqual([]);
});

describe('validateAnthropic', () => {
  const names = (list: List, request?: AnthropicRequest): [number, string][] =>
    validateAnthropic(list, request).map(({ index, rule }) => [index, rule]);

  test('reports results split over two user messages as unanswered and as orphans', () => {
    const split = [hello, assistant(call('A'), call('B')), user(result('A')), user(result('B'))];
    expect(names(split)).toEqual([
      [1, 'unanswered-call'],
      [3, 'orphan-result'],
    ]);
  });

  test('reports an id that was used in an earlier turn', () => {
    const again = [hello, assistant(call('A')), user(result('A')), assistant(call('A')), user(result('A'))];
    expect(names(again)).toEqual([[3, 'duplicate-call-id']]);
  });

  test('treats every thinking block after a gap as bound to another conversation', () => {
    const list = [hello, assistant(thinking('s1'), thinking('s3'), thinking('s4'), text('hi')), go];
    expect(names(list, { model: bound, signatures: ['s1', 's2', 's3', 's4'] })).toEqual([
      [1, 'bound-thinking'],
      [1, 'bound-thinking'],
    ]);
  });

  test('skips ends and totals of a part, but not its pairs', () => {
    const part: AnthropicRequest = { part: true, input_tokens: 2, limit: 1 };
    expect(names([hi, user(...times(5, text('part', short))), assistant(text('so '))], part)).toEqual([]);
    expect(names([system('Be brief.'), hi], part)).toEqual([]);
    expect(names([assistant(call('A')), go], part)).toEqual([[0, 'unanswered-call']]);
    expect(names([assistant(call('A'))], part)).toEqual([[0, 'unanswered-call']]);
    expect(names([user(result('A'))], part)).toEqual([[0, 'orphan-result']]);
  });

  test('orders violations by message and puts those of the request last', () => {
    const many = [assistant(call('A')), user(text(''), ...times(5, text('part', short)))];
    expect(names(many)).toEqual([
      [0, 'unanswered-call'],
      [0, 'first-assistant'],
      [1, 'empty-text'],
      [-1, 'too-many-markers'],
    ]);
  });

  test('reports late results as unanswered, and duplicates among them', () => {
    const late = [hello, assistant(call('A'), call('B')), user(text('so'), result('B'), result('A'), result('B'))];
    expect(validateAnthropic(late)).toMatchObject([
      { index: 1, rule: 'unanswered-call', message: UNANSWERED(1, 'A, B') },
      { index: 2, rule: 'double-result' },
    ]);
  });

  test('pairs the calls of a message with their results in any order', () => {
    const ids = Array.from({ length: 500 }, (_, at) => `call_${at}`);
    const calls = assistant(...ids.map((id) => call(id)));
    const answers = user(...ids.map((id) => result(id)).reverse());
    expect(names([hello, calls, answers])).toEqual([]);
    expect(names([hello, calls, go])).toEqual([[1, 'unanswered-call']]);
  });

  test.each([
    '[null]',
    '[1]',
    '[{"role":"user"}]',
    '[{"role":"user","content":[null]}]',
    '[{"role":"user","content":{}}]',
  ])('reports that %s is not a list of messages, without throwing', (json) => {
    expect(names(JSON.parse(json))).toEqual([[0, 'bad-content']]);
  });

  test('accepts an empty list and never changes its input', () => {
    const list = Object.freeze([hello, Object.freeze(assistant(Object.freeze(call('A')))), user(result('A'))]);
    expect(names(list)).toEqual([]);
    expect(names([])).toEqual([]);
  });
});
