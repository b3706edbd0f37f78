import { resolveConfig } from '../src/config.ts';
import { kindsOf } from '../src/fold/instruction-kinds.ts';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Dialect,
  type FitMetrics,
  type HoldfastError,
  isHoldfastError,
  memoryArchive,
  type Receipt,
  type WindowEvent,
  type WindowParts,
  type WindowState,
} from '../src/index.ts';
import { plainJson } from '../src/json/plain.ts';
import {
  type AiSdkMessage,
  type AnthropicMessage,
  type GeminiContent,
  type OpenaiChatMessage,
  type OpenaiResponsesItem,
  type OpenaiResponsesRequest,
  type RequestViolation,
  validateAiSdk,
  validateAnthropic,
  validateGemini,
  validateOpenaiChat,
  validateOpenaiResponses,
} from '../src/rules/index.ts';
import type { Calibration } from '../src/size/tokens.ts';
import { turnStarts } from '../src/turns/read-turns.ts';
import {
  type Block,
  deepFreeze,
  dialectOf,
  FORMATS,
  type Format,
  handlesOf,
  type Scenario,
  type Step,
  say,
  type Wire,
} from './histories.ts';

/** What the promises are about: the window, or something that claims to be one. */
export interface Subject {
  fit(
    history: readonly Wire[],
    options?: { readonly offset?: number },
  ): Promise<{ messages: Wire[]; metrics: FitMetrics; receipt?: Receipt }>;
  compact(history: readonly Wire[]): Promise<Receipt>;
  observe(usage: unknown): void;
  recall(handle: string): Promise<{ readonly messages: readonly Wire[]; readonly content?: unknown }>;
  state(): WindowState<Wire>;
}
export type Make = (config: ConversationHistoryConfig, parts: WindowParts<Wire>) => Subject;
/** Checks one promise on one conversation: what is broken, in words; empty if it holds. */
export type Promised = (scenario: Scenario, make?: Make) => Promise<string[]>;

export const makeWindow: Make = (config, parts) => new ConversationWindow<Wire>(config, parts);

/** One request of the simulated agent. */
interface Call {
  readonly history: readonly Wire[];
  readonly view?: Wire[];
  readonly metrics?: FitMetrics;
  readonly receipt?: Receipt;
  readonly refusal?: HoldfastError;
}

/** An agent's loop: the history grows step by step, each request is fitted, and sometimes its usage is observed. */
async function* calls(
  scenario: Scenario,
  subject: Subject,
  sign = (step: Step, _view: readonly Wire[]) => step,
): AsyncGenerator<Call> {
  const history: Wire[] = [];
  let view: readonly Wire[] = [];
  let count = 0;
  for (const step of scenario.steps) {
    history.push(...sign(step, view).messages);
    if (!step.ask) continue;
    const call = await ask(subject, Object.freeze([...history]));
    yield call;
    if (!call.view) continue;
    view = call.view;
    const { usage } = scenario;
    if (usage && ++count % usage.every === 0) subject.observe(usageOf(scenario, call.view));
  }
}

async function ask(subject: Subject, history: readonly Wire[]): Promise<Call> {
  try {
    const { messages, metrics, receipt } = await subject.fit(history);
    return { history, view: messages, metrics, ...(receipt ? { receipt } : {}) };
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return { history, refusal: error };
    throw error;
  }
}

/** Remembers what is made of a conversation and a window as long as the conversation is there. */
function oncePerScenario<T>(play: (scenario: Scenario, make: Make) => Promise<T>) {
  const played = new WeakMap<Scenario, Map<Make, Promise<T>>>();
  return (scenario: Scenario, make: Make): Promise<T> => {
    const runs = played.get(scenario) ?? new Map<Make, Promise<T>>();
    played.set(scenario, runs);
    const run = runs.get(make) ?? play(scenario, make);
    runs.set(make, run);
    return run;
  };
}

/**
 * All calls of a conversation in which nothing is done but asking: most promises judge these. What was given out is frozen,
 * so that a window which changes it later fails.
 */
const plainCalls = oncePerScenario(async (scenario, make) => {
  const found: (Call & { readonly calibration: Calibration })[] = [];
  const subject = subjectOf(scenario, make);
  let { calibration } = subject.state();
  const relay: Subject = {
    ...relayTo(() => subject),
    observe(usage) {
      subject.observe(usage);
      calibration = subject.state().calibration;
    },
  };
  for await (const call of calls(scenario, relay)) {
    if (call.view) deepFreeze(call.view);
    found.push({ ...call, calibration });
  }
  return found;
});

/** A subject that asks another, whichever it is at the moment. */
function relayTo(subject: () => Subject): Subject {
  return {
    fit: (history, options) => subject().fit(history, options),
    compact: (history) => subject().compact(history),
    observe: (usage) => subject().observe(usage),
    recall: (handle) => subject().recall(handle),
    state: () => subject().state(),
  };
}

/** Compacts as far as the floor allows. */
async function compact(subject: Subject, history: readonly Wire[]): Promise<Receipt | undefined> {
  return subject.compact(history).catch((error: unknown) => {
    if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return undefined;
    throw error;
  });
}

function usageOf({ format, usage }: Scenario, view: readonly Wire[]): unknown {
  const { slope, fixed } = usage ?? { slope: 0.3, fixed: 0 };
  const tokens = Math.round(bytes(view).length * slope) + fixed + 3;
  if (format === 'openai-chat') return { prompt_tokens: tokens, completion_tokens: 12 };
  if (format === 'openai-responses')
    return { input_tokens: tokens, input_tokens_details: { cached_tokens: 7 }, output_tokens: 12 };
  if (format === 'ai-sdk') return { inputTokens: tokens, outputTokens: 12 };
  if (format === 'gemini')
    return { usageMetadata: { promptTokenCount: tokens, cachedContentTokenCount: 7, thoughtsTokenCount: 9 } };
  return {
    input_tokens: 3,
    cache_creation_input_tokens: Math.floor((tokens - 3) / 3),
    cache_read_input_tokens: tokens - 3 - Math.floor((tokens - 3) / 3),
  };
}

function subjectOf(scenario: Scenario, make: Make, parts: WindowParts<Wire> = {}): Subject {
  return make(scenario.config, {
    dialect: dialectOf(scenario.format, scenario.thinking),
    handles: handlesOf(scenario),
    logger: { warn() {} },
    ...parts,
  });
}

/** The same of a message, worked out once if it is frozen: in these tests, what is frozen is so throughout. */
function onceFrozen<T>(make: (message: Wire) => T): (message: Wire) => T {
  const made = new WeakMap<Wire, T>();
  return (message) => {
    const known = made.get(message);
    if (known !== undefined) return known;
    const now = make(message);
    if (Object.isFrozen(message)) made.set(message, now);
    return now;
  };
}

/** The bytes that decide, cache markers aside. */
export const bare: (message: Wire) => string = onceFrozen((message) =>
  JSON.stringify(message, (key, value) =>
    key === 'cache_control' ||
    key === 'prompt_cache_breakpoint' ||
    (key === 'providerOptions' && value.anthropic?.cacheControl)
      ? undefined
      : base64(value),
  ),
);

function base64(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Bytes of an image count as their base64, which a state makes of them. */
const bytesOf = onceFrozen((message) => JSON.stringify(plainJson(message)));
const bytes = (messages: readonly Wire[]) => `[${messages.map(bytesOf).join()}]`;

/** True for values of the same JSON text, keys in the same order; quick where they share their strings. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  const left = Object.entries(one);
  const right = Object.entries(other);
  if (left.length !== right.length || Array.isArray(one) !== Array.isArray(other)) return false;
  return left.every(([key, value], i) => key === right[i]?.[0] && isSameJson(value, right[i]?.[1]));
}

function sameBytes(one: readonly Wire[], other: readonly Wire[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((message, i) => message === other[i] || bytesOf(message) === bytesOf(other[i] as Wire));
}

/** Every rule of the API that a view breaks. */
export function violationsOf(
  format: Format,
  view: readonly Wire[],
  request: { part?: boolean; reasoning?: NonNullable<OpenaiResponsesRequest['reasoning']> } = {},
): RequestViolation[] {
  if (format === 'openai-responses') return validateOpenaiResponses(view as readonly OpenaiResponsesItem[], request);
  if (format === 'ai-sdk')
    return validateAiSdk(view as unknown as readonly AiSdkMessage[], { ...request, allowSystemInMessages: true });
  if (format === 'gemini')
    return validateGemini(view as unknown as readonly GeminiContent[], { ...request, signed: true });
  return format === 'anthropic'
    ? validateAnthropic(view as unknown as readonly AnthropicMessage[], request)
    : validateOpenaiChat(view as readonly OpenaiChatMessage[], request);
}

/** What a server knows of the items that it made: the reasoning without which it takes none of the same response. */
export function reasoningOf(history: readonly Wire[]): Map<string, string> {
  const needs = new Map<string, string>();
  const { read } = dialectOf('openai-responses');
  let reasons: string[] = [];
  for (const item of history) {
    const { type, id } = item;
    if (read(item).role !== 'assistant') reasons = [];
    else if (type === 'reasoning') reasons.push(String(id));
    else for (const reason of reasons) if (typeof id === 'string') needs.set(id, reason);
  }
  return needs;
}

export const isValid: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  for (const { view, history } of await plainCalls(scenario, make)) {
    if (!view) continue;
    const known = scenario.format === 'openai-responses' ? { reasoning: reasoningOf(history) } : {};
    for (const { index, rule, message } of violationsOf(scenario.format, view, known)) {
      complaints.push(`${history.length} messages: ${rule} at ${index} of the view: ${message}`);
    }
  }
  return complaints;
};

export const isWithinBudget: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const { config, format } = scenario;
  const { max_messages: maxMessages } = resolveConfig(config);
  const maxTokens = Math.min(config.max_tokens ?? Number.POSITIVE_INFINITY, config.limit ?? Number.POSITIVE_INFINITY);
  for (const { view, metrics, refusal, history, calibration } of await plainCalls(scenario, make)) {
    const reserve = Math.max(config.reserve ?? 0, calibration.fixed ?? 0);
    const at = `${history.length} messages`;
    if (view && metrics) {
      const tokens = reserve + recount(format, view, calibration);
      if (view.length > maxMessages)
        complaints.push(`${at}: the view has ${view.length} messages, ${maxMessages} are allowed`);
      if (tokens > maxTokens) complaints.push(`${at}: the view has ${tokens} tokens, ${maxTokens} are allowed`);
      if (metrics.estimatedTokens !== tokens)
        complaints.push(`${at}: metrics say ${metrics.estimatedTokens} tokens, a recount ${tokens}`);
      if (metrics.preservedMessages !== view.length)
        complaints.push(`${at}: metrics say ${metrics.preservedMessages} messages, there are ${view.length}`);
    } else if (refusal) {
      complaints.push(
        ...floorComplaints(
          refusal,
          { messages: maxMessages, tokens: maxTokens },
          lowestFloor(format, history, reserve, calibration),
        ).map((text) => `${at}: ${text}`),
      );
    }
  }
  return complaints;
};

/** Tokens a character of counters that a caller may bring: those of plain English, of CJK, and of one that counts bytes twice. */
const RATES = [0.2, 0.5, 1, 2, 6];

/** By a counter of the caller's own, and by what a window without limits counts of the same view. Dear: one in four is played. */
export const isWithinCount: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  if (scenario.dice % 4 !== 0) return complaints;
  const { max_messages, max_tokens } = resolveConfig(scenario.config);
  const rate = RATES[scenario.steps.length % RATES.length] ?? 1;
  const tokens = (text: string) => Math.ceil(text.length * rate);
  const { usage: _, ...silent } = scenario;
  for await (const { view, metrics, history } of calls(silent, subjectOf(scenario, make, { tokens }))) {
    if (!view || !metrics) continue;
    const parts = { dialect: dialectOf(scenario.format, scenario.thinking), tokens };
    const wide = new ConversationWindow<Wire>({ max_messages: 0, reserve: scenario.config.reserve ?? 0 }, parts);
    const counted = (await wide.fit(view, { rest: true })).metrics.estimatedTokens;
    const at = `${history.length} messages, ${rate} tokens a character`;
    if (counted > max_tokens) complaints.push(`${at}: the view has ${counted} tokens, ${max_tokens} are allowed`);
    if (counted !== metrics.estimatedTokens)
      complaints.push(`${at}: metrics say ${metrics.estimatedTokens} tokens, a recount ${counted}`);
    if (view.length > max_messages) complaints.push(`${at}: the view has ${view.length} messages`);
  }
  return complaints;
};

/** Everything that is sent, counted again: text by the calibrated slope, media by its formula, and the overhead of each message. */
export function recount(format: Format, view: readonly Wire[], { slope }: Calibration): number {
  const weigh = WEIGHTS[format];
  let chars = 0;
  let media = 0;
  for (const message of view) {
    const weight = weigh(message);
    chars += weight.chars;
    media += weight.media;
  }
  return Math.ceil(chars * slope + media + view.length * 4.5);
}

const WEIGHTS = {
  anthropic: weightsIn('anthropic'),
  'openai-chat': weightsIn('openai-chat'),
  'openai-responses': weightsIn('openai-responses'),
  'ai-sdk': weightsIn('ai-sdk'),
  gemini: weightsIn('gemini'),
} as const;

/** The characters and media of messages in this format, none of their texts forgotten. */
function weightsIn(format: Format) {
  const dialect = dialectOf(format);
  return onceFrozen((message) => {
    const { chars, media } = dialect.read(message);
    const length = textLength(message);
    if (chars < length) throw new Error(`${chars} characters counted, but there are ${length}: ${bare(message)}`);
    return { chars, media };
  });
}

/** The length of every text of a message; base64, ids and names aside. */
function textLength(value: unknown, key = ''): number {
  if (typeof value === 'string')
    return ['text', 'content', 'thinking', 'arguments', 'old_string', 'command', 'value', 'output'].includes(key)
      ? value.length
      : 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textLength(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, item]) => sum + textLength(item, name), 0);
}

export interface Bound {
  readonly messages: number;
  readonly tokens: number;
}

/** Complaints about an OVER_BUDGET: its parts must add up to its floor, and the floor must be too large, and no larger than need be. */
export function floorComplaints({ details }: HoldfastError, max: Bound, lowest: Bound): string[] {
  const complaints: string[] = [];
  const { floor, parts } = details as { floor: Bound; parts: readonly (Bound & { part: string })[] };
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const messages = parts.reduce((sum, part) => sum + part.messages, 0);
  const named = parts.map((part) => `${part.part} ${part.tokens}/${part.messages}`).join(', ');
  if (tokens !== floor.tokens || messages !== floor.messages)
    complaints.push(`parts (${named}) add up to ${tokens}/${messages}, the floor is ${floor.tokens}/${floor.messages}`);
  if (floor.tokens <= max.tokens && floor.messages <= max.messages)
    complaints.push(
      `refused, but the floor of ${floor.tokens} tokens and ${floor.messages} messages is within ${max.tokens} and ${max.messages}`,
    );
  if (lowest.tokens <= max.tokens && lowest.messages <= max.messages)
    complaints.push(
      `refused (${named}), but a view of ${lowest.tokens} tokens and ${lowest.messages} messages exists, within ${max.tokens} and ${max.messages}`,
    );
  return complaints;
}

const STUB_CHARS = 130;
const NOTE = { messages: 1, chars: 200 };

/** The turns that no fold may touch, because they make tools available, and what must follow them: indexes of messages. */
function heldIn(format: Format, history: readonly Wire[]): Set<number> {
  const dialect = dialectOf(format);
  const starts = turnStarts(dialect, history);
  const held = new Set<number>();
  let carried = false;
  for (let i = 0; i < history.length; ) {
    let end = i + 1;
    while (end < history.length && !starts[end]) end++;
    const turn = history.slice(i, end).map((message) => dialect.read(message));
    carried ||= turn.some(({ firm }) => firm);
    for (let at = i; carried && at < end; at++) held.add(at);
    carried &&= dialect.systemInside === 'after-user' && turn.at(-1)?.role === 'system';
    i = end;
  }
  return held;
}

/** The newest later instruction of each kind, with its turn: indexes of messages. */
function instructionsIn(format: Format, history: readonly Wire[]): Set<number> {
  const dialect = dialectOf(format);
  const starts = turnStarts(dialect, history);
  const leading = history.findIndex((message) => dialect.read(message).role !== 'system');
  const newest = new Map<string, number>();
  for (const [i, message] of history.entries())
    if (i > leading && dialect.read(message).role === 'system')
      for (const kind of kindsOf(dialect.text(message))) newest.set(kind, i);
  const found = new Set<number>();
  for (const i of newest.values()) {
    let at = i;
    while (!starts[at]) at--;
    do found.add(at++);
    while (at < history.length && !starts[at]);
  }
  return found;
}

/** The answers to system messages among these, which have to stay with them. */
function besides(history: readonly Wire[], kept: ReadonlySet<number>): Set<number> {
  const starts = turnStarts(dialectOf('anthropic'), history);
  const found = new Set<number>();
  for (let i = 1; i < history.length; i++) {
    const isNext = history[i - 1]?.role === 'system' && (kept.has(i - 1) || found.has(i - 1));
    const isSameTurn = !starts[i] && found.has(i - 1);
    if (isNext || isSameTurn) found.add(i);
  }
  return found;
}

/** The least that a view can be: leading system messages, first and newest user message, the newest turn with its results masked, a short note. */
export function lowestFloor(
  format: Format,
  history: readonly Wire[],
  reserve: number,
  calibration: Calibration,
): Bound {
  const dialect = dialectOf(format);
  const kept = new Set<number>();
  for (let i = 0; i < history.length && dialect.read(history[i] as Wire).role === 'system'; i++) kept.add(i);
  kept.add(history.findIndex(isAsk)).add(history.findLastIndex(isAsk));
  const start = turnStarts(dialect, history).findLastIndex(
    (starts, i) => starts && dialect.read(history[i] as Wire).role !== 'system',
  );
  for (let i = Math.max(0, start); i < history.length; i++) kept.add(i);
  const held = heldIn(format, history);
  for (const i of held) kept.add(i);
  for (const i of instructionsIn(format, history)) kept.add(i);
  kept.delete(-1);
  if (format === 'anthropic') for (const i of besides(history, kept)) kept.add(i);
  const noted = kept.size < history.length || start < history.length - 1;
  let tokens = noted ? Math.ceil(NOTE.chars * calibration.slope) + 5 : 0;
  for (const i of kept) {
    const { chars, media, results } = dialect.read(history[i] as Wire);
    const whole = results.length === 0 || (held.has(i) && i < start);
    const stubbed = results.reduce((sum, { content }) => sum + Math.max(0, plainLength(content) - STUB_CHARS), 0);
    tokens +=
      Math.ceil((chars - (whole ? 0 : stubbed)) * calibration.slope + (whole ? media : 0) + 4.5) + results.length;
  }
  return { messages: kept.size + (noted ? NOTE.messages : 0), tokens: reserve + tokens };
}

function plainLength(content: unknown): number {
  if (typeof content === 'string') return content.length;
  return Array.isArray(content)
    ? content.reduce((sum, block) => sum + String((block as { text?: string }).text ?? '').length, 0)
    : 0;
}

/** Words of the user between calls and their outputs, as only items may stand. */
function isAside({ role }: Wire, at: number, history: readonly Wire[]): boolean {
  return role === 'user' && /tool_call$|^function_call$/.test(String(history[at - 1]?.type));
}

/** The parts of one of Gemini's contents. */
function partsIn({ parts }: Wire): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(parts) ? parts : [];
}

function isAsk(message: Wire, at: number, history: readonly Wire[]): boolean {
  return (
    message.role === 'user' &&
    !isAside(message, at, history) &&
    !(Array.isArray(message.content) && message.content.some((block: Block) => block.type === 'tool_result')) &&
    !partsIn(message).some((part) => part.functionResponse)
  );
}

export const keepsWords: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  for (const { view, history } of await plainCalls(scenario, make)) {
    if (!view) continue;
    const stands = new Set(view.map((message) => bare(reminded(message, history)?.original ?? message)));
    const system = history.slice(
      0,
      history.findIndex(({ role }) => role !== 'system' && role !== 'developer'),
    );
    for (const [name, message] of [
      ...system.map((one) => ['a leading system message', one] as const),
      ['the first user message', history.find(isAsk)] as const,
      ['the newest user message', history.findLast(isAsk)] as const,
    ]) {
      if (message && !stands.has(bare(message)))
        complaints.push(`${history.length} messages: ${name} is not in the view as it was said: ${bare(message)}`);
    }
  }
  return complaints;
};

/** The parts of messages that make tools available, as text. */
function loadersIn(messages: readonly Wire[]): string[] {
  const blocks = messages.flatMap((message): unknown[] => (Array.isArray(message.content) ? message.content : []));
  const references = blocks
    .map((block) => JSON.stringify(block, withoutMarker))
    .filter((one) => /"tool_reference"/.test(one));
  const items = messages.filter(({ type }) => type === 'tool_search_output' || type === 'additional_tools');
  return [...references, ...items.map(bare)];
}

function withoutMarker(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

export const keepsTools: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  for (const { view, history } of await plainCalls(scenario, make)) {
    const stands = new Set(view && loadersIn(view));
    for (const loader of view ? loadersIn(history) : [])
      if (!stands.has(loader)) complaints.push(`${history.length} messages: no longer in the view: ${loader}`);
  }
  return complaints;
};

/** The view has only the system prompt, the first and newest user message, the note and the newest turn. */
function isBare(format: Format, view: readonly Wire[], history: readonly Wire[]): boolean {
  const start = turnStarts(dialectOf(format), history).lastIndexOf(true);
  const firm = new Set([history.find(isAsk), history.findLast(isAsk)].map((message) => message && bare(message)));
  const stays = new Set([...heldIn(format, history), ...instructionsIn(format, history)]);
  if (format === 'anthropic') for (const i of besides(history, stays)) stays.add(i);
  const held = [...stays].filter((i) => i < start).length;
  const rest = view.filter(
    (message) => message.role !== 'system' && message.role !== 'developer' && !firm.has(bare(message)),
  );
  return rest.length <= history.length - start + 1 + held;
}

/** The words of a user message, one by one. */
function wordsOf({ role, content }: Wire): string[] {
  if (role !== 'user') return [];
  if (typeof content === 'string') return [content];
  return (content as Block[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

/** Text that the user sends with tool results is the user's word, too: it is removed only when nothing else can be. */
export const keepsAsides: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const given = new Set<string>();
  for (const { view, history } of await plainCalls(scenario, make)) {
    const at = history.findLastIndex((message) => wordsOf(message).length > 0);
    const newest = history[at];
    if (!view || !newest || isAsk(newest, at, history) || given.has(bare(newest))) continue;
    const shown = new Set(view.flatMap(wordsOf));
    const missing = wordsOf(newest).filter((text) => !shown.has(text));
    if (missing.length > 0 && isBare(scenario.format, view, history)) given.add(bare(newest));
    else
      for (const text of missing)
        complaints.push(`${history.length} messages: the newest words of the user are gone: ${text}`);
  }
  return complaints;
};

async function record(scenario: Scenario, subject: Subject): Promise<Call[]> {
  const found: Call[] = [];
  for await (const call of calls(scenario, subject)) found.push(call);
  return found;
}

/** Whether two windows answered the same: view and receipt, or the refusal. */
function isSameCall(one: Call, other: Call | undefined): boolean {
  if (!one.view || !other?.view)
    return !one.view && other?.refusal !== undefined && `${one.refusal}` === `${other.refusal}`;
  return sameBytes(one.view, other.view) && JSON.stringify(one.receipt) === JSON.stringify(other.receipt);
}

export const isDeterministic: Promised = async (scenario, make = makeWindow) => {
  const first = await plainCalls(scenario, make);
  const second = await record(scenario, subjectOf(scenario, make));
  return first.flatMap((call, i) => (isSameCall(call, second[i]) ? [] : [`request ${i} differs the second time`]));
};

export const isIdempotent: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const { usage: _, ...quiet } = scenario;
  const subject = subjectOf(quiet, make);
  let last: readonly Wire[] | undefined;
  for await (const { view, history } of calls(quiet, subject)) {
    if (!view) continue;
    last = history;
    const again = await subject.fit(history);
    if (again.receipt) complaints.push(`${history.length} messages: the same history was folded again`);
    if (!sameBytes(again.messages, view)) complaints.push(`${history.length} messages: another view the second time`);
  }
  if (last) {
    await subject.compact(last);
    const once = await subject.fit(last);
    const twice = await subject.compact(last);
    const after = await subject.fit(last);
    if (twice.fold !== 0)
      complaints.push(
        `a second compact() changed something: ${twice.kept} kept, ${twice.masked} masked, ${twice.dropped} dropped`,
      );
    if (!sameBytes(once.messages, after.messages)) complaints.push('a second compact() changed the view');
  }
  return complaints;
};

export const isAppendOnly: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  let before: Wire[] = [];
  for (const { view, receipt, history } of await plainCalls(scenario, make)) {
    if (!view) continue;
    const changed = before.findIndex((message, i) => view[i] === undefined || bare(message) !== bare(view[i]));
    if (!receipt && changed >= 0)
      complaints.push(`${history.length} messages: no fold, but message ${changed} of the view changed`);
    if (receipt && changed >= 0 && receipt.changedFrom > changed)
      complaints.push(`the receipt says that the view changed from ${receipt.changedFrom}, it changed from ${changed}`);
    before = view;
  }
  return complaints;
};

const HANDLE = /recall (m\d+(?:\.\d+)?(?:-m\d+)?(?:~\d+)?(?:@[\w-]+)?)/g;

export const givesBack: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const subject = subjectOf(scenario, make);
  let latest: Call | undefined;
  for await (const call of calls(scenario, subject)) {
    if (!call.view) continue;
    latest = call;
    if (call.receipt) complaints.push(...(await lost(subject, call.history, call.view, call.receipt.note)));
  }
  if (latest?.view) complaints.push(...(await lost(subject, latest.history, latest.view, undefined)));
  return complaints;
};

/** What a window cannot give back: messages of the history, and what the handles in its view name. */
export async function lost(
  subject: Subject,
  history: readonly Wire[],
  view: readonly Wire[],
  note: string | undefined,
  handle = (i: number) => `m${i}`,
): Promise<string[]> {
  const complaints: string[] = [];
  for (const [i, message] of history.entries()) {
    const back = await subject.recall(handle(i)).catch(String);
    if (typeof back === 'string' || !sameBytes(back.messages, [message]))
      complaints.push(`${handle(i)} does not come back: ${typeof back === 'string' ? back : bytes(back.messages)}`);
  }
  const originals = new Set(history.map(bare));
  for (const message of view) {
    if (originals.has(bare(message)) || isNoteText(message, note)) continue;
    const reminder = reminded(message, history)?.text;
    if (reminder !== undefined) {
      complaints.push(...(await misremembered(subject, reminder)));
      continue;
    }
    for (const text of textsOf(message)) {
      const named = [...text.matchAll(HANDLE)]
        .map((match) => match[1] ?? '')
        .filter((name) => name !== '' && !originals.has(text));
      for (const name of named) complaints.push(...(await misnamed(subject, history, text, name)));
    }
  }
  for (const run of (note?.match(/^\[Note[^\]]*\]/)?.[0] ?? '').matchAll(/m\d+(?:-m\d+)?(?:~\d+)?(?:@[\w-]+)?/g)) {
    const back = await subject.recall(run[0]).catch(String);
    if (typeof back === 'string') complaints.push(`the note names ${run[0]}: ${back}`);
  }
  return complaints;
}

const REMINDER = /\[Reminder: a record[\s\S]*$/;

/** The message of the history that the view shows with a reminder at its end, and the reminder. */
function reminded(
  message: Wire,
  history: readonly Wire[],
): { readonly original: Wire; readonly text: string } | undefined {
  // A picture may follow the text of a result.
  const text = textsOf(message).flatMap((one) => REMINDER.exec(one)?.[0] ?? [])[0];
  if (text === undefined) return undefined;
  const sent = bare(message);
  const isIt = (one: Wire) =>
    FORMATS.some((format) => {
      const longer = dialectOf(format).append?.(one, text);
      return longer !== undefined && bare(longer) === sent;
    });
  const original = history.find(isIt);
  return original && { original, text };
}

/** Lines of a reminder that the message behind its handle does not have. */
async function misremembered(subject: Subject, reminder: string): Promise<string[]> {
  const complaints: string[] = [];
  for (const [, name = '', , lines = ''] of reminder.matchAll(
    /\(recall (\S+) for all\)\n(`{3,})\n([\s\S]*?)\n\2(?:\n|$)/g,
  )) {
    const back = await subject.recall(name).catch(String);
    if (typeof back === 'string') return [`a reminder names ${name}: ${back}`];
    const whole = JSON.stringify(back);
    // A result that is JSON is read as its text, and so are arguments in JSON.
    const escaped = (line: string) => JSON.stringify(line).slice(1, -1);
    const has = (line: string) => [line, escaped(line), escaped(escaped(line))].some((one) => whole.includes(one));
    for (const line of lines.split('\n'))
      if (line !== '…' && !has(line)) complaints.push(`a reminder of ${name} has another line: ${line}`);
  }
  return complaints;
}

/** True for the note of this text, whether its content is a text or parts. */
export function isNoteText({ content, parts }: Wire, note: string | undefined): boolean {
  const said = parts ?? content;
  return note !== undefined && (Array.isArray(said) ? (said as Block[])[0]?.text : said) === note;
}

async function misnamed(subject: Subject, history: readonly Wire[], masked: string, name: string): Promise<string[]> {
  const back = await subject.recall(name).catch(String);
  if (typeof back === 'string') return [`the view names ${name}: ${back}`];
  const index = Number(/^m(\d+)/.exec(name)?.[1]);
  if (!sameBytes(back.messages, [history[index] as Wire])) return [`${name} brings another message`];
  const whole = textsOf('content' in back ? back.content : back.messages).join('\n');
  if (/^\[\d+ of \d+ lines[^:\]]*: recall/.test(masked)) {
    const runs = masked.replace(/^.*\n|\n\[it names: .*\]$/g, '').split(/(?:^|\n)\[… \d+ lines\](?:\n|$)/);
    return runs.every((run) => whole.includes(run)) ? [] : [`the excerpt of ${name} is not part of it: ${masked}`];
  }
  const [head = '', tail = ''] = masked
    .replace(/\n?\[it names: .*\]$|\n\[…truncated, \d+ chars\](?: \[[^\]]*\])? \[recall [^\]]*\]$/, '')
    .split(
      /\n?\[(?:(?:… \d+ of )?\d+ characters[^:\]]*|\d+ (?:image|file)[^:\]]*|attached files): recall [^\]]*\]\n?|\n\[shortened: recall [^\]]*\]/,
    );
  if (masked.startsWith('[same result')) return [];
  return whole.includes(head) && whole.includes(tail)
    ? []
    : [`what is shown around ${name} is not part of what it names: ${masked}`];
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text, content, output, parts, inlineData, functionResponse } = value as Readonly<
    Record<string, unknown>
  >;
  if (inlineData) return ['[image]'];
  if (type === 'image' || type === 'image_url' || type === 'input_image' || type === 'file') return [`[${type}]`];
  const { response, parts: files } = (functionResponse ?? {}) as { response?: object; parts?: unknown };
  return [
    ...textsOf(text),
    ...textsOf(content),
    ...outputTexts(output),
    ...textsOf(parts),
    ...responseTexts(response),
    ...textsOf(files),
  ];
}

/** The only text of a response of Gemini's, or else its JSON. */
function responseTexts(response: object | undefined): string[] {
  if (response === undefined) return [];
  const [only, ...more] = Object.values(response);
  return [typeof only === 'string' && more.length === 0 ? only : JSON.stringify(response)];
}

function outputTexts(output: unknown): string[] {
  if (typeof output === 'string' || Array.isArray(output)) return textsOf(output);
  const { type, value } = (output ?? {}) as { type?: string; value?: unknown };
  if (type?.endsWith('json')) return [JSON.stringify(value)];
  return textsOf(value);
}

export const leavesInputAlone: Promised = async (scenario, make = makeWindow) => {
  const thawed = { ...scenario, steps: structuredClone(scenario.steps) };
  const subject = subjectOf(scenario, make);
  const before = JSON.stringify(thawed.steps);
  for await (const { view, history } of calls(thawed, subject)) if (view) await compact(subject, history);
  return JSON.stringify(thawed.steps) === before ? [] : ['the messages that were passed in were changed'];
};

export const restores: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const archive = memoryArchive<Wire>();
  let subject = subjectOf(scenario, make, { archive });
  const requests = scenario.steps.filter(({ ask: asks }) => asks).length;
  const stop = scenario.dice % requests;
  const expected = await plainCalls(scenario, make);
  let i = 0;
  for await (const call of calls(
    scenario,
    relayTo(() => subject),
  )) {
    const { view, history } = call;
    if (!isSameCall(call, expected[i])) complaints.push(`request ${i} differs, restored before request ${stop + 1}`);
    if (i === stop) {
      subject = subjectOf(scenario, make, { archive, state: JSON.parse(JSON.stringify(subject.state())) });
      if (view) {
        const again = await subject.fit(structuredClone(history));
        if (again.receipt) complaints.push('the restored window folded again');
        if (!sameBytes(again.messages, view)) complaints.push('the restored window gives another view');
      }
    }
    i++;
  }
  return complaints;
};

export const acceptsOffset: Promised = async (scenario, make = makeWindow) => {
  const whole = await plainCalls(scenario, make);
  const subject = subjectOf(scenario, make);
  let seen = 0;
  const relay: Subject = {
    ...relayTo(() => subject),
    fit: async (history) => {
      const offset = seen === 0 ? 0 : (scenario.dice + history.length * 7) % (seen + 1);
      // Given the whole history, a window may start over where it cannot continue.
      const fitted = await subject.fit(history.slice(offset), { offset }).catch(() => subject.fit(history));
      seen = history.length;
      return fitted;
    },
  };
  const parts = await record(scenario, relay);
  return whole.flatMap((call, i) => (isSameCall(call, parts[i]) ? [] : [`request ${i} differs with an offset`]));
};

const OLD = 'OLD-a41f9c-WORDS';

/** The history is edited once, at a random place; then the conversation continues. */
export const noticesEdits: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const events: WindowEvent[] = [];
  const subject = subjectOf(scenario, make, { onEvent: (event) => events.push(event) });
  let history: Wire[] = [];
  const requests = scenario.steps.filter(({ ask: asks }) => asks).length;
  const stop = scenario.dice % requests;
  const where = Math.floor(scenario.dice / 97);
  const { calibration } = subject.state();
  let i = -1;
  for (const step of scenario.steps) {
    history = [...history, ...step.messages];
    if (!step.ask) continue;
    i++;
    if (i === stop)
      history = [
        ...history,
        say(scenario.format, 'assistant', `I said ${OLD}`),
        say(scenario.format, 'user', `Go on, ${OLD}`),
      ];
    let call = await ask(subject, history);
    if (i === stop && call.view) {
      const covered = subject.state().log.at(-1)?.covered ?? 0;
      events.length = 0;
      const edited = edit(scenario.format, history, covered, where);
      call = await ask(subject, edited);
      history = edited;
      if (bytes(edited).includes(OLD)) throw new Error('the edit left old words');
      if (call.view && bytes(call.view).includes(OLD)) complaints.push('what was edited away is still in the view');
      if (call.view && !events.some(({ type }) => type === 'history-rewritten'))
        complaints.push('no history-rewritten was emitted');
    }
    for (const { rule, index } of call.view ? violationsOf(scenario.format, call.view) : [])
      complaints.push(`request ${i}: ${rule} at ${index}`);
    if (call.view) complaints.push(...overBounds(scenario, call.view, calibration));
  }
  return complaints;
};

function overBounds({ config, format }: Scenario, view: readonly Wire[], calibration: Calibration): string[] {
  const tokens = Math.max(config.reserve ?? 0, calibration.fixed ?? 0) + recount(format, view, calibration);
  const most = Math.min(config.max_tokens ?? Number.POSITIVE_INFINITY, config.limit ?? Number.POSITIVE_INFINITY);
  return view.length > resolveConfig(config).max_messages || tokens > most
    ? [`over budget after the edit: ${view.length} messages, ${tokens} tokens`]
    : [];
}

function otherWords(message: Wire): Wire {
  return { ...message, ...(message.parts ? { parts: [{ text: 'other words' }] } : { content: 'other words' }) };
}

/** Takes the old words away: changes the messages that hold them, removes them, or removes or inserts earlier ones as well. */
function edit(format: Format, history: readonly Wire[], covered: number, where: number): Wire[] {
  const gone = history.filter((message) => !bare(message).includes(OLD));
  switch (where % 4) {
    case 0:
      return history.map((message) => (bare(message).includes(OLD) ? otherWords(message) : message));
    case 1:
      return gone;
    case 2: {
      const asks = gone.flatMap((message, i) => (isAsk(message, i, gone) && i < Math.max(1, covered) ? [i] : []));
      const at = asks[where % Math.max(1, asks.length)] ?? 0;
      return [...gone.slice(0, at + 1), say(format, 'user', `inserted ${where}`), ...gone.slice(at + 1)];
    }
    default: {
      const asks = gone.flatMap((message, i) => (isAsk(message, i, gone) && i > 0 ? [i] : []));
      const at = asks[where % Math.max(1, asks.length)] ?? gone.length;
      return gone.slice(0, Math.max(1, at + 1)); // gone back to an earlier request
    }
  }
}

/** Signs each thinking block with the view that it was made from; what stays must still stand behind that very view. */
export const keepsBoundThinking: Promised = async (scenario, make = makeWindow) =>
  (await thoughtsOf(scenario, make)).moved;

/** What is kept of the thinking must have been said in one run: with a gap in it, strict servers refuse what follows. */
export const keepsThinkingUnbroken: Promised = async (scenario, make = makeWindow) =>
  (await thoughtsOf(scenario, make)).gaps;

const thoughtsOf = oncePerScenario(async (scenario, make): Promise<{ moved: string[]; gaps: string[] }> => {
  const moved: string[] = [];
  const gaps: string[] = [];
  const made = new Map<string, string>();
  const order: string[] = [];
  const sign = (step: Step, view: readonly Wire[]): Step => {
    let turnStart = view.map(bare).join();
    const messages = step.messages.map((message) => {
      if (message.role !== 'assistant' || !Array.isArray(message.content)) {
        turnStart += bare(message);
        return message;
      }
      const content = message.content.map((block: Block) => {
        const key = block.type === 'thinking' ? 'signature' : block.type === 'redacted_thinking' ? 'data' : undefined;
        if (key === undefined && block.type !== 'reasoning') return block;
        const name = `s${order.length}`;
        made.set(name, turnStart);
        order.push(name);
        return key ? { ...block, [key]: name } : { ...block, providerOptions: { anthropic: { signature: name } } };
      });
      return deepFreeze({ ...message, content });
    });
    return { ...step, messages };
  };
  for await (const { view, history } of calls(scenario, subjectOf(scenario, make), sign)) {
    if (!view) continue;
    const prefix: string[] = [];
    const kept: number[] = [];
    for (const message of view) {
      for (const name of thoughts(message)) {
        kept.push(order.indexOf(name));
        if (made.get(name) !== prefix.join())
          moved.push(`${history.length} messages: thinking ${name} follows another prefix than it was made from`);
      }
      prefix.push(bare(message));
    }
    if (kept.some((place, i) => i > 0 && place !== (kept[i - 1] ?? 0) + 1))
      gaps.push(`${history.length} messages: kept thinking has gaps: ${kept.join()}`);
  }
  return { moved, gaps };
});

function thoughts(message: Wire): string[] {
  const own = partsIn(message).filter(({ thought }) => thought);
  if (own.length > 0) return own.map(({ text }) => String(text));
  if (!Array.isArray(message.content)) return [];
  return message.content.flatMap((block: Block) =>
    block.type === 'thinking'
      ? [String(block.signature)]
      : block.type === 'redacted_thinking'
        ? [String(block.data)]
        : block.type === 'reasoning'
          ? [(block.providerOptions as { anthropic: { signature: string } }).anthropic.signature]
          : [],
  );
}

/** Free thinking: turns since the user last spoke keep theirs as long as they stand in the view. */
export const keepsFreeThinking: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  for await (const { view, history } of calls(scenario, subjectOf(scenario, make))) {
    if (!view) continue;
    const idsIn = (message: Wire) =>
      (partsIn(message).length > 0
        ? partsIn(message).flatMap((part) => (part.functionCall ? [JSON.stringify(part)] : [])) // its signature tells it apart
        : Array.isArray(message.content)
          ? message.content.flatMap((block: Block) =>
              /^tool[_-](?:use|call)$/.test(block.type) ? [block.id ?? block.toolCallId] : [],
            )
          : []
      ).join();
    const shown = new Map(view.map((message) => [idsIn(message), message]));
    for (const message of history.slice(history.findLastIndex(isAsk))) {
      const stands = idsIn(message) === '' ? undefined : shown.get(idsIn(message));
      if (stands && thoughts(stands).join() !== thoughts(message).join())
        complaints.push(`${history.length} messages: thinking since the user's last words changed`);
    }
  }
  return complaints;
};

/** Never more than four cache markers, the newest; moving them is not a rewrite. */
export const carriesMarkers: Promised = async (scenario, make = makeWindow) => {
  const complaints: string[] = [];
  const events: WindowEvent[] = [];
  const subject = subjectOf(scenario, make, { onEvent: (event) => events.push(event) });
  for await (const { view, history } of calls(scenario, subject)) {
    if (!view) continue;
    const covered = subject.state().log.at(-1)?.covered ?? 0;
    const count = markersIn(view);
    const fresh = markersIn(history.slice(covered));
    if (count > 4) complaints.push(`${history.length} messages: ${count} markers`);
    if (count < Math.min(4, fresh))
      complaints.push(`${history.length} messages: ${count} markers are left of ${fresh} new ones`);
    if (markersIn(view.slice(view.length - (history.length - covered))) < Math.min(4, fresh))
      complaints.push(`${history.length} messages: the newest markers are not those that were kept`);
    events.length = 0;
    const again = await subject.fit(history.map(unmarked));
    if (events.length > 0)
      complaints.push(`${history.length} messages: other markers alone were taken for ${events[0]?.type}`);
    if (again.messages.map(bare).join() !== view.map(bare).join())
      complaints.push(`${history.length} messages: other markers alone changed the view`);
    await subject.fit(history);
  }
  return complaints;
};

const unmarked = onceFrozen((message) => JSON.parse(bare(message)) as Wire);

const markersOf = onceFrozen(
  (message) => (JSON.stringify(message).match(/"(?:cache_?[cC]ontrol|prompt_cache_breakpoint)":/g) ?? []).length,
);

function markersIn(messages: readonly Wire[]): number {
  return messages.reduce((sum, message) => sum + markersOf(message), 0);
}

/** How often the messages were read in each fit; the dialect is wrapped to count. */
export function counting(dialect: Dialect<Wire>): { readonly dialect: Dialect<Wire>; reads(): number } {
  let count = 0;
  return {
    dialect: {
      ...dialect,
      read(message) {
        count++;
        return dialect.read(message);
      },
    },
    reads() {
      const now = count;
      count = 0;
      return now;
    },
  };
}
