import fc from 'fast-check';
import {
  aiSdk,
  anthropic,
  type ConversationHistoryConfig,
  type Dialect,
  gemini,
  type Handles,
  type Limits,
  openaiChat,
  openaiResponses,
  type Thinking,
} from '../src/index.ts';
import { geminiSteps } from './gemini-steps.ts';

/** A message of any wire format, as loosely typed as the tests need it. */
export type Wire = { readonly role?: string | undefined; readonly content?: unknown } & Readonly<
  Record<string, unknown>
>;
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;
/** The formats in which a message has a `content`, which may be plain text. */
export type ContentFormat = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ai-sdk';
export const CONTENT_FORMATS: readonly ContentFormat[] = ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'];
export type Format = ContentFormat | 'gemini';
export const FORMATS: readonly Format[] = [...CONTENT_FORMATS, 'gemini'];

/** Messages that arrive together; `ask` says whether a request is made after them. */
export interface Step {
  readonly messages: readonly Wire[];
  readonly ask: boolean;
}

/** A conversation as it grows, and how it is to be kept. */
export interface Scenario {
  readonly format: Format;
  readonly thinking: Thinking;
  readonly steps: readonly Step[];
  readonly config: ConversationHistoryConfig;
  /** What the fake provider reports: tokens a character and tokens outside the messages. */
  readonly usage?: { readonly slope: number; readonly fixed: number; readonly every: number };
  /** For properties that need a place or a choice. */
  readonly dice: number;
}

/** What a scenario's window prints of handles: in some a scope, in some of these their own way to recall. */
export function handlesOf({ dice }: Scenario): Handles {
  if (dice % 3 > 0) return true;
  return {
    scope: dice % 2 === 0 ? 'k7' : 'm41-_Zq'.repeat(5),
    ...(dice % 4 === 0 ? { how: 'Call `get` with {handle}.' } : {}),
  };
}

export function dialectOf(format: Format, thinking: Thinking = 'bound', limits: Limits = {}): Dialect<Wire> {
  if (format === 'openai-responses') return openaiResponses<Wire>({ limits });
  if (format === 'ai-sdk') return aiSdk<Wire>({ thinking, limits });
  if (format === 'gemini') return gemini<Wire>({ limits });
  return format === 'anthropic' ? anthropic<Wire>({ thinking, limits }) : openaiChat<Wire>({ limits });
}

/** A text of the user or the model in this wire format. */
export function say(format: Format, role: 'user' | 'assistant', text: string): Wire {
  if (format !== 'gemini') return { role, content: text };
  return { role: role === 'user' ? role : 'model', parts: [{ text }] };
}

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export type ResultScript =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'blocks'; readonly text: string }
  | { readonly kind: 'image'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'none' };

interface CallScript {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: ResultScript;
}

interface TurnScript {
  readonly calls: readonly CallScript[];
  readonly text?: string;
  readonly thinking: readonly ('thinking' | 'redacted_thinking')[];
  /** Words of the user beside the results. */
  readonly aside?: string;
  readonly marked: boolean;
}

export interface RoundScript {
  readonly words: string;
  readonly image: boolean;
  readonly marked: boolean;
  readonly turns: readonly TurnScript[];
  readonly answer?: string;
  readonly answerThinking: boolean;
}

const path = fc.constantFrom(
  'src/window.ts',
  '/repo/packages/engine/src/fold/fold.ts',
  'README.md',
  './test/a_b.test.ts',
  'docs/說明.md',
);

const line = fc.constantFrom(
  'export function parseHandle(handle: string): Handle {',
  '  return value.replace(/x/g, "$& and $1 and $$");',
  '会話の履歴は必ず残す。価格は三千円です。',
  '👩‍👩‍👧‍👦 family 🇨🇭 flag 𝒳 𠮷 end',
  'Error: cannot find module `holdfast_core` (code 404)',
  'commit 3f2a9c17d0b4e6aa touched 12 files, 1234 insertions',
  '\ttab and "quotes" and \\backslash\\ and </tag>',
  'ok',
);

const words = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'));
const longWords = fc.tuple(line, fc.integer({ min: 10, max: 80 })).map(([text, n]) => `${text}\n`.repeat(n).trimEnd());
const anyWords = fc.oneof({ weight: 8, arbitrary: words }, { weight: 1, arbitrary: longWords });

/** The same bytes every time, long enough to be worth pointing at. */
const REPEATED = Array.from({ length: 30 }, (_, i) => `${i}: the same line of the same file, src/window.ts`).join('\n');

/** A long file, a few lines of which hold names that others speak of: there an excerpt is made. */
const file = fc
  .tuple(
    fc.integer({ min: 90, max: 260 }),
    fc.array(fc.tuple(fc.nat(89), fc.oneof(line, path)), { minLength: 1, maxLength: 3 }),
  )
  .map(([length, spoken]) => {
    const lines = Array.from({ length }, (_, i) => `${i}\tand so it goes on`);
    for (const [at, text] of spoken) lines[at] = text;
    return lines.join('\n');
  });

const output = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 6, arbitrary: words },
  {
    weight: 6,
    arbitrary: fc
      .tuple(line, fc.integer({ min: 5, max: 60 }), fc.nat(99))
      .map(([text, n, salt]) => Array.from({ length: n }, (_, i) => `${i + salt}\t${text}`).join('\n')),
  },
  { weight: 5, arbitrary: file },
  { weight: 2, arbitrary: fc.constant(REPEATED) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(line, fc.integer({ min: 4_000, max: 60_000 }))
      .map(([text, n]) => text.repeat(Math.ceil(n / text.length)).slice(0, n)),
  },
);

const result: fc.Arbitrary<ResultScript> = fc.oneof(
  { weight: 10, arbitrary: output.map((text) => ({ kind: 'text', text }) as const) },
  { weight: 2, arbitrary: words.map((text) => ({ kind: 'blocks', text }) as const) },
  { weight: 1, arbitrary: words.map((text) => ({ kind: 'image', text }) as const) },
  { weight: 2, arbitrary: words.map((text) => ({ kind: 'error', text }) as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'none' } as const) },
);

const input = fc.oneof(
  path.map((file_path) => ({ name: 'Read', input: { file_path } })),
  fc
    .tuple(path, line, line)
    .map(([file_path, old_string, new_string]) => ({ name: 'Edit', input: { file_path, old_string, new_string } })),
  path.map((file) => ({ name: 'Bash', input: { command: `cd /repo && npm test -- ${file} | tail -20` } })),
  path.map((dir) => ({ name: 'Grep', input: { pattern: 'parse[A-Z]\\w+', path: dir } })),
  line.map((content) => ({ name: 'TodoWrite', input: { todos: [{ content, status: 'pending' }] } })),
  // Long enough for a fold to shorten.
  fc
    .tuple(path, longWords)
    .map(([file_path, content]) => ({ name: 'Write', input: { file_path, content, modes: [content] } })),
  fc.constant({ name: 'get_user_details', input: {} }),
);

/** True for a call that makes a deferred tool available, in the formats that have such results. */
function isSearch({ name, result: { kind } }: CallScript): boolean {
  return name === 'get_user_details' && (kind === 'none' || kind === 'blocks');
}

const call: fc.Arbitrary<CallScript> = fc
  .tuple(input, result)
  .map(([made, answered]) => ({ ...made, result: answered }));

const turn: fc.Arbitrary<TurnScript> = fc
  .record(
    {
      calls: fc.array(call, { minLength: 1, maxLength: 5, size: 'small' }),
      text: words,
      thinking: fc.array(fc.constantFrom('thinking', 'redacted_thinking'), { maxLength: 2 }),
      aside: words,
      marked: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    },
    { requiredKeys: ['calls', 'thinking', 'marked'] },
  )
  .map((script) => {
    if (script.aside === undefined) return script;
    const { aside, ...rest } = script;
    return aside.length % 3 === 0 ? { ...rest, aside } : rest; // two in three without
  });

const round: fc.Arbitrary<RoundScript> = fc.record(
  {
    words: anyWords,
    image: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    marked: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    turns: fc.array(turn, { maxLength: 6 }),
    answer: words,
    answerThinking: fc.boolean(),
  },
  { requiredKeys: ['words', 'image', 'marked', 'turns', 'answerThinking'] },
);

const rounds = fc.array(round, { minLength: 1, maxLength: 8 });

const config: fc.Arbitrary<ConversationHistoryConfig> = fc
  .record(
    {
      max_messages: fc.oneof(fc.constant(0), fc.integer({ min: 4, max: 40 })),
      max_tokens: fc.oneof(fc.integer({ min: 400, max: 4_000 }), fc.integer({ min: 2_000, max: 30_000 })),
      limit: fc.integer({ min: 1_000, max: 40_000 }),
      reserve: fc.integer({ min: 0, max: 350 }),
      target: fc.integer({ min: 1, max: 10 }).map((n) => n / 10),
      preserve_first_n: fc.nat(6),
      preserve_last_n: fc.nat(30),
      tool_output_trim_chars: fc.constantFrom(0, 60, 400, 2_000),
      tier_thresholds: fc.constantFrom([600, 1_500], [2_500, 2_500], [80_000, 120_000]),
      strategy: fc.constantFrom<NonNullable<ConversationHistoryConfig['strategy']>>(
        'fold',
        'sliding',
        'governed',
        'two-tier',
        'rolling',
        ['fold', 'sliding'],
        ['two-tier', 'governed'],
      ),
    },
    { requiredKeys: [] },
  )
  .map((made) =>
    made.max_messages === undefined && made.max_tokens === undefined ? { ...made, max_tokens: 3_000 } : made,
  )
  .map((made) => (made.strategy === 'rolling' && made.max_messages === 0 ? { ...made, max_messages: 12 } : made));

/** Conversations in this wire format, each with limits, usage reports and a throw of the dice. All valid, deeply frozen. */
export function scenarios(format: Format, thinking: Thinking = 'bound'): fc.Arbitrary<Scenario> {
  return fc
    .record(
      {
        rounds,
        leading: fc.array(fc.constantFrom('system', 'developer'), { maxLength: 2 }),
        config,
        usage: fc.record({
          slope: fc.integer({ min: 20, max: 50 }).map((n) => n / 100),
          fixed: fc.nat(150),
          every: fc.integer({ min: 1, max: 4 }),
        }),
        dice: fc.nat(1_000_000),
      },
      { requiredKeys: ['rounds', 'leading', 'config', 'dice'] },
    )
    .map(({ rounds: script, leading, ...rest }) => ({
      format,
      thinking,
      steps: deepFreeze(stepsOf(format, script, leading)),
      ...rest,
    }));
}

function stepsOf(format: Format, script: readonly RoundScript[], leading: readonly string[]): Step[] {
  if (format === 'openai-responses') return responsesSteps(script, leading);
  if (format === 'ai-sdk') return aiSdkSteps(script, leading);
  if (format === 'gemini') return geminiSteps(script);
  return format === 'anthropic' ? anthropicSteps(script) : chatSteps(script, leading);
}

const MARKER = { type: 'ephemeral' } as const;

function anthropicSteps(script: readonly RoundScript[]): Step[] {
  const steps: Step[] = [];
  let id = 0;
  let thought = 0;
  const think = (type: 'thinking' | 'redacted_thinking'): Block => {
    thought++;
    return type === 'thinking'
      ? { type, thinking: `let me see, ${thought}`, signature: `sig${thought}` }
      : { type, data: `redacted${thought}` };
  };
  for (const { words: said, image, marked, turns, answer, answerThinking } of script) {
    const text: Block = { type: 'text', text: said, ...(marked ? { cache_control: MARKER } : {}) };
    const picture: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
    const content = image ? [picture, text] : marked ? [text] : said;
    steps.push({ messages: [{ role: 'user', content }], ask: true });
    for (const [n, { calls, text: aloud, thinking, aside, marked: last }] of turns.entries()) {
      const first = id;
      id += calls.length;
      const blocks: Block[] = [
        ...thinking.map(think),
        ...(aloud === undefined ? [] : [{ type: 'text', text: aloud }]),
        ...calls.map((made, i) => ({ type: 'tool_use', id: `toolu_${first + i}`, name: made.name, input: made.input })),
      ];
      const results: Block[] = calls.map((made, i) => anthropicResult(`toolu_${first + i}`, made));
      if (aside !== undefined) results.push({ type: 'text', text: aside });
      if (last) results.push({ ...(results.pop() as Block), cache_control: MARKER });
      const messages: Wire[] = [
        { role: 'assistant', content: blocks },
        { role: 'user', content: results },
      ];
      // An assistant has to follow it.
      const goesOn = n + 1 < turns.length || answer !== undefined;
      if (goesOn && calls.length === 2) messages.push({ role: 'system', content: `Mind the rules, ${first}.` });
      steps.push({ messages, ask: true });
    }
    if (answer !== undefined) {
      const blocks = [...(answerThinking ? [think('thinking')] : []), { type: 'text', text: answer }];
      steps.push({ messages: [{ role: 'assistant', content: blocks }], ask: false });
    }
  }
  return steps;
}

function anthropicResult(id: string, made: CallScript): Block {
  const block = { type: 'tool_result', tool_use_id: id };
  const { result: script } = made;
  if (isSearch(made)) return { ...block, content: [{ type: 'tool_reference', tool_name: `tool_${id}` }] };
  switch (script.kind) {
    case 'none':
      return block;
    case 'error':
      return { ...block, content: script.text, is_error: true };
    case 'blocks':
      return { ...block, content: [{ type: 'text', text: script.text }] };
    case 'image':
      return {
        ...block,
        content: [
          { type: 'text', text: script.text },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        ],
      };
    default:
      return { ...block, content: script.text };
  }
}

function chatSteps(script: readonly RoundScript[], leading: readonly string[]): Step[] {
  const steps: Step[] = leading.map((role, i) => ({
    messages: [{ role, content: `You are agent ${i}. Never say "$&".` }],
    ask: false,
  }));
  let id = 0;
  for (const { words: said, image, marked, turns, answer } of script) {
    const text: Block = { type: 'text', text: said, ...(marked ? { cache_control: MARKER } : {}) };
    const picture: Block = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const content = image ? [text, picture] : marked ? [text] : said;
    steps.push({ messages: [{ role: 'user', content }], ask: true });
    for (const { calls, text: aloud, aside } of turns) {
      const first = id;
      id += calls.length;
      const tool_calls = calls.map((made, i) => ({
        id: `call_${first + i}`,
        type: 'function',
        function: { name: made.name, arguments: JSON.stringify(made.input) },
      }));
      const results: Wire[] = calls.map((made, i) => ({
        role: 'tool',
        tool_call_id: `call_${first + i}`,
        content: chatResult(made.result),
      }));
      steps.push({ messages: [{ role: 'assistant', content: aloud ?? null, tool_calls }, ...results], ask: true });
      if (aside !== undefined) steps.push({ messages: [{ role: 'user', content: aside }], ask: true });
    }
    if (answer !== undefined) steps.push({ messages: [{ role: 'assistant', content: answer }], ask: false });
  }
  return steps;
}

function chatResult(script: ResultScript): unknown {
  if (script.kind === 'none') return '';
  if (script.kind === 'blocks') return [{ type: 'text', text: script.text }];
  return script.kind === 'error' ? `Error: ${script.text}` : script.text;
}

const AI_SDK_MARKER = { providerOptions: { anthropic: { cacheControl: MARKER } } } as const;

/** With tools of the provider, whose results may come a message later; approvals; results in one tool message or two. */
function aiSdkSteps(script: readonly RoundScript[], leading: readonly string[]): Step[] {
  const steps: Step[] = leading.map((_, i) => ({
    messages: [{ role: 'system', content: `You are agent ${i}. Never say "$&".` }],
    ask: false,
  }));
  let id = 0;
  let thought = 0;
  for (const { words: said, image, marked, turns, answer, answerThinking } of script) {
    steps.push({ messages: [aiSdkUser(said, image, marked)], ask: true });
    let owed: Block[] = [];
    for (const [n, { calls, text: aloud, thinking, aside, marked: last }] of turns.entries()) {
      const first = id;
      id += calls.length;
      const made: Block[] = calls.map(({ name, input: args }, i) => ({
        type: 'tool-call',
        toolCallId: `call_${first + i}`,
        toolName: name,
        input: args,
      }));
      const search = calls.length === 2 ? aiSdkSearch(`search_${first}`) : [];
      // Words of the user would stand between the call and its result.
      const later = aloud === undefined && aside === undefined && (n + 1 < turns.length || answer !== undefined);
      const content: Block[] = [
        ...owed,
        ...thinking.map((type) => aiSdkThought(type, ++thought)),
        ...(aloud === undefined ? [] : [{ type: 'text', text: aloud }]),
        ...(later ? search.slice(0, 1) : search),
        ...made,
      ];
      owed = later ? search.slice(1) : [];
      const results: Block[] = calls.map((one, i) => aiSdkResult(`call_${first + i}`, one.name, one.result));
      if (calls.length === 3) results.reverse();
      if (last) results.push({ ...(results.pop() as Block), ...AI_SDK_MARKER });
      const messages: Wire[] = [{ role: 'assistant', content }];
      if (calls.length === 1 && thinking.length === 2) {
        content.push({ type: 'tool-approval-request', approvalId: `a${first}`, toolCallId: `call_${first}` });
        const approval = { type: 'tool-approval-response', approvalId: `a${first}`, approved: true };
        messages.push({ role: 'tool', content: [approval] });
      }
      const split = calls.length > 3 ? 2 : 0;
      if (split > 0) messages.push({ role: 'tool', content: results.slice(0, split) });
      messages.push({ role: 'tool', content: results.slice(split) });
      steps.push({ messages, ask: true });
      if (aside !== undefined) steps.push({ messages: [{ role: 'user', content: aside }], ask: true });
    }
    if (answer !== undefined) {
      const thoughts = answerThinking ? [aiSdkThought('thinking', ++thought)] : [];
      const content = [...owed, ...thoughts, { type: 'text', text: answer }];
      steps.push({ messages: [{ role: 'assistant', content }], ask: false });
    }
  }
  return steps;
}

function aiSdkUser(said: string, image: boolean, marked: boolean): Wire {
  if (!image && marked && said.length % 2 === 0) return { role: 'user', content: said, ...AI_SDK_MARKER };
  const text: Block = { type: 'text', text: said, ...(marked ? AI_SDK_MARKER : {}) };
  const pictures: Block[] = [
    { type: 'image', image: Uint8Array.from(Buffer.from(PIXEL, 'base64')) },
    { type: 'file', data: PIXEL, mediaType: 'image/png' },
    { type: 'file', data: { type: 'data', data: PIXEL }, mediaType: 'image' },
  ];
  const content = image ? [text, pictures[said.length % 3] as Block] : marked ? [text] : said;
  return { role: 'user', content };
}

function aiSdkThought(type: 'thinking' | 'redacted_thinking', n: number): Block {
  const signature = `sig${n}`;
  return type === 'thinking'
    ? { type: 'reasoning', text: `let me see, ${n}`, providerOptions: { anthropic: { signature } } }
    : { type: 'reasoning', text: '', providerOptions: { anthropic: { signature, redactedData: 'x' } } };
}

function aiSdkSearch(toolCallId: string): Block[] {
  const search = { toolCallId, toolName: 'web_search' };
  const output = { type: 'json', value: [{ title: 'a page', url: 'https://example.com/a' }] };
  return [
    { type: 'tool-call', ...search, input: { query: 'parseHandle' }, providerExecuted: true },
    { type: 'tool-result', ...search, output },
  ];
}

function aiSdkResult(toolCallId: string, toolName: string, script: ResultScript): Block {
  return { type: 'tool-result', toolCallId, toolName, output: aiSdkOutput(script) };
}

function aiSdkOutput(script: ResultScript): unknown {
  if (script.kind === 'none') return { type: 'execution-denied' };
  const { kind, text } = script;
  if (kind === 'blocks') return { type: 'content', value: [{ type: 'text', text }] };
  if (kind === 'image') {
    const file = { type: 'file', data: { type: 'data', data: PIXEL }, mediaType: 'image/png' };
    return { type: 'content', value: [{ type: 'text', text }, file] };
  }
  const isJson = text.length % 3 === 0;
  const prefix = kind === 'error' ? 'error-' : '';
  return isJson
    ? { type: `${prefix}json`, value: { type: 'file', lines: text.split('\n') } }
    : { type: `${prefix}text`, value: text };
}

const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } } as const;
const CIPHER = 'gAAAAABo';

const SHELL = { type: 'custom', name: 'exec', description: 'Runs a program.', format: { type: 'text' } };
const TOOLS_ITEM = {
  type: 'additional_tools',
  id: 'at_1',
  role: 'developer',
  tools: [{ type: 'namespace', name: 'functions', description: '', tools: [SHELL] }],
};

/** Each response is several items; what its reasoning led to has an id more often than not. */
function responsesSteps(script: readonly RoundScript[], leading: readonly string[]): Step[] {
  const steps: Step[] = leading.map((role, i) => ({
    messages: [{ ...(i > 0 ? { type: 'message' } : {}), role, content: `You are agent ${i}. Never say "$&".` }],
    ask: false,
  }));
  if (leading[0] === 'developer') steps.unshift({ messages: [TOOLS_ITEM], ask: false });
  let made = 0;
  const own = (prefix: string) => (++made % 3 === 0 ? {} : { id: `${prefix}_${made}` });
  const reason = (kind: string): Wire => {
    made++;
    const summary = kind === 'thinking' ? [{ type: 'summary_text', text: `let me see, ${made}` }] : [];
    return { type: 'reasoning', id: `rs_${made}`, summary, encrypted_content: CIPHER.repeat((made % 5) * 60 + 1) };
  };
  const say = (text: string): Wire =>
    made % 4 === 0
      ? { role: 'assistant', content: text }
      : {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
          ...own('msg'),
        };
  for (const { words: said, image, marked, turns, answer, answerThinking } of script) {
    const text: Block = { type: 'input_text', text: said, ...(marked ? BREAKPOINT : {}) };
    const picture: Block = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' };
    const content = image ? [text, picture] : marked ? [text] : said;
    steps.push({ messages: [{ role: 'user', content }], ask: true });
    for (const { calls, text: aloud, thinking, aside, marked: last } of turns) {
      const items: Wire[] = thinking.map(reason);
      if (aloud !== undefined) items.push(say(aloud));
      if (last) items.push({ type: 'web_search_call', status: 'completed', action: { type: 'search' }, ...own('ws') });
      const first = made;
      for (const [i, one] of calls.entries()) items.push(responsesCall(first + i, one, own));
      const between = aside !== undefined && aside.length % 2 === 0;
      if (between) items.push({ role: 'user', content: aside });
      for (const [i, call] of calls.entries()) items.push(responsesOutput(first + i, call, last));
      steps.push({ messages: items, ask: true });
      if (aside !== undefined && !between) steps.push({ messages: [{ role: 'user', content: aside }], ask: true });
    }
    if (answer !== undefined)
      steps.push({ messages: [...(answerThinking ? [reason('thinking')] : []), say(answer)], ask: false });
  }
  return steps;
}

const isCustom = (name: string) => name === 'Edit';

function responsesCall(at: number, made: CallScript, own: (prefix: string) => object): Wire {
  const call_id = `call_${at}`;
  const { name, input: args } = made;
  if (isSearch(made)) return { type: 'tool_search_call', call_id, execution: 'client', arguments: args, ...own('tsc') };
  return isCustom(name)
    ? { type: 'custom_tool_call', call_id, name, input: JSON.stringify(args), ...own('ctc') }
    : { type: 'function_call', call_id, name, arguments: JSON.stringify(args), ...own('fc') };
}

function responsesOutput(at: number, made: CallScript, marked: boolean): Wire {
  const { name, result: script } = made;
  const text = script.kind === 'none' ? '' : script.text;
  if (isSearch(made)) {
    const tools = [{ type: 'function', name: `tool_${at}`, parameters: { type: 'object' }, defer_loading: true }];
    return { type: 'tool_search_output', call_id: `call_${at}`, execution: 'client', status: 'completed', tools };
  }
  const part: Block = { type: 'input_text', text, ...(marked ? BREAKPOINT : {}) };
  const picture: Block = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' };
  const output = script.kind === 'image' ? [part, picture] : script.kind === 'blocks' ? [part] : text;
  return { type: isCustom(name) ? 'custom_tool_call_output' : 'function_call_output', call_id: `call_${at}`, output };
}

/** The value, which nothing can change any more, down to its last part. */
export function deepFreeze<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return value;
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
