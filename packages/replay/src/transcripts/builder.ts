import { promptOf, tokensOf } from '@holdfast/models';
import { isHoldfastError, repairHistory } from 'holdfast';
import type { ChatMessage, RecordedPrompt } from '../index.ts';
import type { Recording, Tell, TranscriptForm } from './recording.ts';
import { createItems } from './to-chat.ts';

/** Characters of one conversation: twice the largest window. Longer ones are split to limit memory. */
const LONGEST_CONVERSATION = 8_000_000;

/** What was said at one time: one message, or the results and the text of one. */
export interface TimedMessages {
  messages: readonly ChatMessage[];
  time: number | undefined;
  usage?: unknown;
}

/** Collects one conversation. */
export type Builder = ReturnType<typeof createBuilder>;

/** A builder of conversations with this name; all but the first are numbered. */
export function createBuilder(name: string, form: TranscriptForm, tell: Tell) {
  let said: TimedMessages[] = [];
  let chars = 0;
  let model: string | undefined;
  let place = { line: 0, time: undefined as unknown };
  let first = 0;
  let made = 0;
  const push = (messages: readonly ChatMessage[]): TimedMessages => {
    if (said.length === 0) first = place.line;
    const one: TimedMessages = { messages, time: timeOf(place.time) };
    said.push(one);
    for (const message of messages) chars += charsOf(message);
    return one;
  };
  const items = createItems((message) => void push([message]));
  /** Removes the message at this index and everything after it. */
  const rewind = (to: number): void => {
    items.end();
    let before = 0;
    said = said.filter(({ messages }) => {
      before += messages.length;
      return before <= to;
    });
  };
  return {
    /** Sets the line and the time of what is added next. */
    at(line: number, time?: unknown): void {
      place = { line, time };
    },
    /** Returns what was added; it may still be changed. */
    add(messages: readonly ChatMessage[]): TimedMessages {
      items.end();
      return push(messages);
    },
    /** Adds an item of the Responses API, joined with others of its response; false if it says nothing. */
    addItem: items.add,
    /** Ends the response whose items are being added; everything below except `count` does so, too. */
    endItems: items.end,
    /** The provider's usage object for the newest answer. */
    usage(usage: unknown): void {
      items.end();
      const answer = said.findLast(({ messages }) => messages.some(({ role }) => role === 'assistant'));
      if (answer) answer.usage = usage;
    },
    /** The first name counts; null forgets it. */
    model(given: unknown): void {
      if (given === null) model = undefined;
      else if (typeof given === 'string' && given !== '' && given !== 'unknown') model ??= given;
    },
    rewind,
    /** Removes the user's last `turns` turns. */
    rewindTurns(turns: number): void {
      const asked = said.flatMap(({ messages }) => messages).flatMap(({ role }, at) => (role === 'user' ? [at] : []));
      rewind(asked.at(-turns) ?? 0);
    },
    /** How many messages there are. */
    count: () => said.reduce((sum, { messages }) => sum + messages.length, 0),
    /** True if the conversation has reached the largest size, so that it should end. */
    isFull: () => chars > LONGEST_CONVERSATION,
    /** The conversation, if it contains an answer; then the builder is empty again. A list of one, or empty. */
    end(): readonly Recording[] {
      items.end();
      const all = said;
      said = [];
      chars = 0;
      const recording = all.length === 0 ? undefined : finish(all, first, tell);
      if (!recording) return [];
      made += 1;
      const own = made === 1 ? name : `${name}#${made}`;
      return [{ name: own, form, ...(model === undefined ? {} : { model }), ...recording }];
    },
  };
}

function finish(
  said: readonly TimedMessages[],
  line: number,
  tell: Tell,
): Pick<Recording, 'messages' | 'times' | 'prompts'> | undefined {
  const about = new Map<ChatMessage, TimedMessages>();
  for (const one of said) for (const message of one.messages) about.set(message, one);
  const messages = repair([...about.keys()], line, tell);
  if (!messages) return undefined;
  if (!messages.some(({ role }, i) => role === 'assistant' && i > 0)) {
    tell(line, 'skipped a conversation that starts here: no model answered in it');
    return undefined;
  }
  const prompts: RecordedPrompt[] = [];
  for (const [answer, message] of messages.entries()) {
    const used = message.role === 'assistant' ? tokensOf(about.get(message)?.usage) : undefined;
    const tokens = used ? promptOf(used) : 0;
    if (tokens > 0) prompts.push({ answer, tokens });
  }
  return { messages, times: messages.map((message) => about.get(message)?.time), prompts };
}

/** Interrupted recordings are repaired to what a provider accepts. */
function repair(messages: readonly ChatMessage[], line: number, tell: Tell): readonly ChatMessage[] | undefined {
  try {
    const { messages: whole, repairs } = repairHistory(messages, { dialect: 'openai-chat' });
    for (const { rule } of repairs) tell(line, `repaired a conversation that starts here: ${rule}`);
    return withUserFirst(whole, line, tell);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    tell(line, `skipped a conversation that starts here: ${error.message}`);
    return undefined;
  }
}

const UNRECORDED: ChatMessage = { role: 'user', content: '(The beginning of this conversation was not recorded.)' };

/** Providers require the user to speak first. */
function withUserFirst(messages: readonly ChatMessage[], line: number, tell: Tell): readonly ChatMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  if (messages[first]?.role !== 'assistant') return messages;
  tell(line, 'repaired a conversation that starts here: its first question is missing');
  return messages.toSpliced(first, 0, { ...UNRECORDED });
}

function charsOf({ content, tool_calls: calls = [] }: ChatMessage): number {
  return (content?.length ?? 0) + calls.reduce((sum, call) => sum + call.function.arguments.length, 0);
}

/** Milliseconds from a number (seconds if it is that small) or a date. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value < 1e11 ? value * 1_000 : value;
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}
