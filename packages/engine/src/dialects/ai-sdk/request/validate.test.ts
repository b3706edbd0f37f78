import { generateText, jsonSchema, type ModelMessage, modelMessageSchema, tool as sdkTool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../../../scripts/time-ratio.ts';
import {
  AI_SDK_RULES,
  type AiSdkMessage,
  type AiSdkOutput,
  type AiSdkPart,
  type AiSdkRequest,
  type AiSdkRule,
  validateAiSdk,
} from '../../../rules/index.ts';
import { aiSdk } from '../dialect.ts';
import { AI_SDK_MESSAGE_RULES } from '../rules.ts';

type List = readonly AiSdkMessage[];

/** One rule: what breaks it and how the SDK says so, and the nearest messages that it takes. */
interface Row {
  readonly row: string;
  readonly rule: AiSdkRule;
  readonly rejected: List;
  readonly index: number;
  readonly message: string;
  readonly accepted: List;
  readonly acceptedRequest?: AiSdkRequest;
  /** The SDK sends it, the provider refuses it. */
  readonly left?: true;
}

const MISMATCH = 'Invalid prompt: The messages do not match the ModelMessage[] schema.';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const user: AiSdkMessage = { role: 'user', content: 'hello' };
const says = (...content: AiSdkPart[]): AiSdkMessage => ({ role: 'user', content });
const assistant = (...content: AiSdkPart[]): AiSdkMessage => ({ role: 'assistant', content });
const tool = (...content: AiSdkPart[]): AiSdkMessage => ({ role: 'tool', content });
const call = (toolCallId: string): AiSdkPart => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} });
const provided = (id: string): AiSdkPart => ({ ...call(id), providerExecuted: true });
const result = (toolCallId: string, output: AiSdkOutput = { type: 'text', value: 'done' }): AiSdkPart => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'read',
  output,
});
const asks = (approvalId: string, toolCallId: string): AiSdkPart => ({
  type: 'tool-approval-request',
  approvalId,
  toolCallId,
});
const allows = (approvalId: string, approved = true): AiSdkPart => ({
  type: 'tool-approval-response',
  approvalId,
  approved,
});
const answered = (output: AiSdkOutput): List => [user, assistant(call('X')), tool(result('X', output))];
const raw = (json: string): List => JSON.parse(json);
const marker = { anthropic: { cacheControl: { type: 'ephemeral' } } };

const rows: readonly Row[] = [
  {
    row: 'no messages',
    rule: 'no-messages',
    rejected: [],
    index: -1,
    message: 'Invalid prompt: messages must not be empty',
    accepted: [user],
  },
  {
    row: 'a message without content',
    rule: 'bad-message',
    rejected: raw('[{ "role": "user" }]'),
    index: 0,
    message: MISMATCH,
    accepted: [{ role: 'user', content: '' }],
  },
  {
    row: 'a role of another format',
    rule: 'bad-role',
    rejected: [{ role: 'developer', content: 'be brief' }, user],
    index: 0,
    message: 'Invalid message role: \'developer\'. Must be one of: "system", "user", "assistant", "tool".',
    accepted: [user, { role: 'assistant', content: 'hi' }, user],
  },
  {
    row: 'a system message among the others',
    rule: 'system-message',
    rejected: [user, { role: 'assistant', content: 'hi' }, { role: 'system', content: 'be brief' }, user],
    index: 2,
    message:
      'Invalid prompt: System messages are not allowed in the prompt or messages fields. Use the instructions option instead.',
    accepted: [{ role: 'system', content: 'be brief', providerOptions: marker }, user, { role: 'system', content: '' }],
    acceptedRequest: { allowSystemInMessages: true },
  },
  {
    row: 'a tool message of plain text',
    rule: 'bad-content',
    rejected: [user, { role: 'tool', content: 'done' }],
    index: 1,
    message: MISMATCH,
    accepted: [user, tool()],
  },
  {
    row: 'content that is neither text nor a list',
    rule: 'bad-content',
    rejected: raw('[{ "role": "user", "content": null }]'),
    index: 0,
    message: MISMATCH,
    accepted: [says()],
  },
  {
    row: 'a part that its role does not allow',
    rule: 'bad-part',
    rejected: [says({ type: 'reasoning', text: 'hm' })],
    index: 0,
    message: MISMATCH,
    accepted: [user, assistant({ type: 'reasoning', text: '', providerOptions: { anthropic: { signature: 's' } } })],
  },
  {
    row: 'a part of another format',
    rule: 'bad-part',
    rejected: raw(
      '[{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "https://a.b/c" } }] }]',
    ),
    index: 0,
    message: MISMATCH,
    accepted: [says({ type: 'image', image: 'https://a.b/c.png' })],
  },
  {
    row: 'a part that lacks a field',
    rule: 'bad-part',
    rejected: raw('[{ "role": "user", "content": [{ "type": "file", "data": "aGk=" }] }]'),
    index: 0,
    message: MISMATCH,
    accepted: [says({ type: 'file', data: 'aGk=', mediaType: 'text/plain' })],
  },
  {
    row: 'custom parts and approvals without their names',
    rule: 'bad-part',
    rejected: [user, assistant({ type: 'custom' })],
    index: 1,
    message: MISMATCH,
    accepted: [user, assistant({ type: 'custom', kind: 'openai.compaction' })],
  },
  {
    row: 'a result without output',
    rule: 'bad-output',
    rejected: [user, assistant(call('X')), tool({ type: 'tool-result', toolCallId: 'X', toolName: 'read' })],
    index: 2,
    message: MISMATCH,
    accepted: answered({ type: 'execution-denied' }),
  },
  {
    row: 'an output of an unknown kind',
    rule: 'bad-output',
    rejected: answered({ type: 'error', value: 'x' }),
    index: 2,
    message: MISMATCH,
    accepted: answered({ type: 'error-text', value: 'x' }),
  },
  {
    row: 'an output that is not JSON',
    rule: 'bad-output',
    rejected: answered({ type: 'json', value: { at: new Date(0) } }),
    index: 2,
    message: MISMATCH,
    accepted: answered({ type: 'json', value: { at: [0, null, true, { a: undefined }] } }),
  },
  {
    row: 'an error that is not JSON',
    rule: 'bad-output',
    rejected: answered({ type: 'error-json', value: undefined }),
    index: 2,
    message: MISMATCH,
    accepted: answered({ type: 'error-json', value: null }),
  },
  {
    row: 'items of an unknown kind',
    rule: 'bad-output',
    rejected: answered({ type: 'content', value: [{ type: 'image', data: PIXEL }] }),
    index: 2,
    message: MISMATCH,
    accepted: answered({
      type: 'content',
      value: [
        { type: 'text', text: 'done' },
        { type: 'file', data: { type: 'data', data: PIXEL }, mediaType: 'image/png' },
        { type: 'file', data: { type: 'text', text: 'words' }, mediaType: 'text/plain' },
        { type: 'image-data', data: PIXEL, mediaType: 'image/png' },
        { type: 'file-data', data: 'aGk=', mediaType: 'text/plain' },
        { type: 'image-url', url: 'https://a.b/c.png' },
        { type: 'file-url', url: 'https://a.b/c.pdf' },
        { type: 'file-id', fileId: { openai: 'f' } },
        { type: 'image-file-reference', providerReference: { openai: 'f' } },
        { type: 'custom' },
      ],
    }),
  },
  {
    row: 'items with an invalid URL',
    rule: 'bad-output',
    rejected: answered({ type: 'content', value: [{ type: 'image-url', url: 'c.png' }] }),
    index: 2,
    message: MISMATCH,
    accepted: answered({ type: 'content', value: [{ type: 'image-url', url: 'https://a.b/c.png' }] }),
  },
  {
    row: 'a data URL as inline data',
    rule: 'bad-data',
    rejected: [
      says({ type: 'file', data: { type: 'data', data: `data:image/png;base64,${PIXEL}` }, mediaType: 'image/png' }),
    ],
    index: 0,
    message: MISMATCH,
    accepted: [
      says(
        { type: 'file', data: `data:image/png;base64,${PIXEL}`, mediaType: 'image/png' },
        { type: 'file', data: { type: 'url', url: new URL(`data:image/png;base64,${PIXEL}`) }, mediaType: 'image/png' },
        { type: 'file', data: { type: 'data', data: new Uint8Array([1, 2]) }, mediaType: 'image' },
        { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'image' },
        { type: 'file', data: { type: 'text', text: 'words' }, mediaType: 'text/plain' },
        { type: 'image', image: new Uint8Array([1, 2]).buffer },
        { type: 'image', image: Buffer.from([1, 2]) },
        { type: 'image', image: new URL('https://a.b/c.png') },
        { type: 'image', image: { openai: 'f' } },
      ),
    ],
  },
  {
    row: 'a data URL without data',
    rule: 'bad-data',
    rejected: [says({ type: 'image', image: new URL('data:image/png') })],
    index: 0,
    message: MISMATCH,
    accepted: [says({ type: 'image', image: new URL('data:image/png,') })],
  },
  {
    row: 'a file that is a number',
    rule: 'bad-data',
    rejected: [says({ type: 'file', data: 5, mediaType: 'text/plain' })],
    index: 0,
    message: MISMATCH,
    accepted: [says({ type: 'file', data: 'NQ==', mediaType: 'text/plain' })],
  },
  {
    row: 'a file whose data is not base64',
    rule: 'bad-data',
    rejected: [says({ type: 'file', data: 'hello, you', mediaType: 'text/plain' })],
    index: 0,
    message: MISMATCH,
    accepted: [says({ type: 'file', data: { type: 'text', text: 'hello, you' }, mediaType: 'text/plain' })],
  },
  {
    row: 'a reasoning file stored by a provider',
    rule: 'bad-data',
    rejected: [
      user,
      assistant({ type: 'reasoning-file', data: { type: 'text', text: 'words' }, mediaType: 'text/plain' }),
    ],
    index: 1,
    message: MISMATCH,
    accepted: [user, assistant({ type: 'reasoning-file', data: PIXEL, mediaType: 'image/png' })],
  },
  {
    row: 'options that are not grouped by provider',
    rule: 'bad-options',
    rejected: [{ ...user, providerOptions: { cacheControl: 'ephemeral' } }],
    index: 0,
    message: MISMATCH,
    accepted: [{ ...user, providerOptions: marker }],
  },
  {
    row: 'options of a part that are not JSON',
    rule: 'bad-options',
    rejected: [says({ type: 'text', text: 'hi', providerOptions: { anthropic: { until: new Date(0) } } })],
    index: 0,
    message: MISMATCH,
    accepted: [says({ type: 'text', text: 'hi', providerOptions: { anthropic: { until: undefined } } })],
  },
  {
    row: 'unanswered calls before the user speaks',
    rule: 'unanswered-call',
    rejected: [user, assistant(call('X'), call('Y'), call('Z')), tool(result('Y')), user],
    index: 1,
    message: 'Tool results are missing for tool calls X, Z.',
    accepted: [user, assistant(call('X'), call('Y')), tool(result('Y')), tool(result('X')), user],
  },
  {
    row: 'an unanswered call at the very end',
    rule: 'unanswered-call',
    rejected: [user, assistant(call('X'))],
    index: 1,
    message: 'Tool result is missing for tool call X.',
    accepted: [user, assistant(provided('X')), assistant(result('X'), { type: 'text', text: 'found' })],
  },
  {
    row: 'a call whose result is in the assistant’s message',
    rule: 'unanswered-call',
    rejected: [user, assistant(call('X'), result('X'))],
    index: 1,
    message: 'Tool result is missing for tool call X.',
    accepted: [user, assistant(provided('X'), result('X'))],
  },
  {
    row: 'a result without a call',
    rule: 'orphan-result',
    left: true,
    rejected: [user, tool(result('X'))],
    index: 1,
    message: 'No tool call X stands before its result.',
    accepted: [user, assistant(provided('X'), asks('A', 'X')), tool(result('X', { type: 'execution-denied' }))],
  },
  {
    row: 'two results for a call',
    rule: 'double-result',
    left: true,
    rejected: [user, assistant(call('X')), tool(result('X')), tool(result('X'))],
    index: 3,
    message: 'Tool call X has a result before this one.',
    accepted: [user, assistant(call('X')), tool(result('X')), assistant(call('X')), tool(result('X'))],
  },
  {
    row: 'two calls with one id',
    rule: 'duplicate-call-id',
    left: true,
    rejected: [user, assistant(call('X'), call('X')), tool(result('X'))],
    index: 1,
    message: 'Two tool calls have the id X.',
    accepted: [
      user,
      assistant(call('X'), call('Y')),
      tool(result('Y'), result('X')),
      assistant(call('Z')),
      tool(result('Z')),
    ],
  },
  {
    row: 'an approval without a request',
    rule: 'unknown-approval',
    rejected: [user, assistant(call('X'), asks('A', 'X')), tool(result('X'), allows('B'))],
    index: 2,
    message:
      'Tool approval response references unknown approvalId: "B". No matching tool-approval-request found in message history.',
    accepted: [user, assistant(call('X'), asks('A', 'X')), tool(allows('A'))],
  },
  {
    row: 'an approval of a missing call',
    rule: 'approval-without-call',
    rejected: [user, assistant({ type: 'text', text: 'may I?' }, asks('A', 'X')), tool(allows('A'))],
    index: 2,
    message: 'Tool call "X" not found for approval request "A".',
    accepted: [user, assistant(call('X'), asks('A', 'X')), tool(allows('A', false))],
  },
  {
    row: 'an approval that was not the last message and left its call unanswered',
    rule: 'unanswered-call',
    rejected: [user, assistant(call('X'), asks('A', 'X')), tool(allows('A')), user],
    index: 1,
    message: 'Tool result is missing for tool call X.',
    accepted: [user, assistant(call('X'), asks('A', 'X')), tool(allows('A')), tool(result('X')), user],
  },
];

describe('validateAiSdk', () => {
  test.each(rows)('$row', ({ rule, rejected, index, message, accepted, acceptedRequest }) => {
    expect(validateAiSdk(rejected)).toEqual([{ index, rule, message, fix: AI_SDK_RULES[rule] }]);
    expect(validateAiSdk(accepted, acceptedRequest)).toEqual([]);
  });

  test.each(rows.filter(({ rule }) => rule in AI_SDK_MESSAGE_RULES))(
    'the dialect alone finds: $row',
    ({ rejected, accepted }) => {
      const { validate } = aiSdk();
      expect(validate(rejected)).toEqual(validateAiSdk(rejected).map(({ message: _, ...violation }) => violation));
      expect(validate(accepted)).toEqual([]);
    },
  );

  test('the dialect alone accepts what only pairing or an option can break', () => {
    const others = rows.filter(({ rule }) => !(rule in AI_SDK_MESSAGE_RULES));
    for (const { rejected } of others) expect(aiSdk().validate(rejected)).toEqual([]);
  });

  test('every rule is in the table', () => {
    const shown = new Set(rows.map(({ rule }) => rule));
    expect(Object.keys(AI_SDK_RULES).filter((rule) => !shown.has(rule as AiSdkRule))).toEqual([]);
  });

  test('skips the beginning and the end of a part, but not its pairs', () => {
    const part = { part: true };
    expect(validateAiSdk([], part)).toEqual([]);
    expect(validateAiSdk([tool(allows('A'))], part)).toEqual([]);
    expect(validateAiSdk([assistant(call('X')), user], part)).toMatchObject([{ index: 0, rule: 'unanswered-call' }]);
    expect(validateAiSdk([tool(result('X')), user], part)).toMatchObject([{ index: 0, rule: 'orphan-result' }]);
  });

  test('takes time in proportion to the calls of a message', async () => {
    const check = (length: number) => {
      const ids = Array.from({ length }, (_, at) => `call_${at}`);
      const answers = tool(...ids.map((id) => result(id)).reverse());
      return () => expect(validateAiSdk([user, assistant(...ids.map(call)), answers])).toEqual([]);
    };
    expect(await timeRatio(check(20_000), check(2_000), { enough: 40 })).toBeLessThan(40);
  });
});

(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** How the SDK itself refuses these messages before it calls a model; undefined if it does not. */
async function refusal(messages: List, { allowSystemInMessages = false }: AiSdkRequest = {}) {
  let called = false;
  const model = new MockLanguageModelV4({
    supportedUrls: { '*/*': [/./] },
    doGenerate: async () => {
      called = true;
      return {
        content: [{ type: 'text', text: 'ok' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
  const tools = { read: sdkTool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => 'done' }) };
  // A copy, because the SDK is given mutable messages.
  const list = [...messages] as ModelMessage[];
  try {
    await generateText({ model, messages: list, tools, allowSystemInMessages, maxRetries: 0 });
  } catch (error) {
    if (called) throw error;
    return String((error as Error).message);
  }
  return list.every((message) => modelMessageSchema.safeParse(message).success) ? undefined : MISMATCH;
}

describe('the SDK itself agrees', () => {
  test.each(rows)('$row', async ({ rejected, accepted, acceptedRequest, message, left }) => {
    const said = await refusal(rejected);
    if (left) expect(said).toBeUndefined();
    else if (message === MISMATCH) expect(said).toBeDefined();
    else expect(said).toBe(message);
    expect(await refusal(accepted, acceptedRequest)).toBeUndefined();
  });
});

test('the SDK’s messages have our types', () => {
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  expect(validateAiSdk(messages)).toEqual([]);
});
