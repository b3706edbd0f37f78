import { isHoldfastError, repairHistory } from 'holdfast';
import type { ChatMessage, RecordedPrompt } from 'holdfast/replay';
import { promptOf, tokensOf } from '../models/money.ts';
import type { Recording, Tell, TranscriptForm } from './recording.ts';

/** Characters of one conversation: twice what the largest window holds. What is longer is cut, so that memory stays bounded. */
const LONGEST_CONVERSATION = 8_000_000;

/** What was said at once: one message, or the results and the words of one. */
export interface Said {
  messages: readonly ChatMessage[];
  time: number | undefined;
  usage?: unknown;
}

/** Collects one conversation. */
export interface Builder {
  /** Gives what was added, which may still be changed. */
  add(line: number, messages: readonly ChatMessage[], time?: unknown): Said;
  /** The provider's usage object for the newest answer. */
  usage(usage: unknown): void;
  /** The first that is named counts; null forgets it. */
  model(name: unknown): void;
  /** Takes back everything from the message at this place on. */
  rewind(to: number): void;
  /** How many messages there are. */
  count(): number;
  /** Place of the first message of the last so many turns of the user. */
  turnStart(turns: number): number;
  /** Longer than a conversation may be: it is time to end it. */
  isFull(): boolean;
  /** The conversation, if there is an answer in it; then the builder is empty again. */
  end(): Recording | undefined;
}

/** A builder of conversations with this name; the second and later ones are numbered. */
export function createBuilder(name: string, form: TranscriptForm, tell: Tell): Builder {
  let said: Said[] = [];
  let chars = 0;
  let model: string | undefined;
  let first = 0;
  let made = 0;
  return {
    add(line, messages, time) {
      if (said.length === 0) first = line;
      const one: Said = { messages, time: timeOf(time) };
      said.push(one);
      for (const message of messages) chars += charsOf(message);
      return one;
    },
    usage(usage) {
      const answer = said.findLast(({ messages }) => messages.some(({ role }) => role === 'assistant'));
      if (answer) answer.usage = usage;
    },
    model(given) {
      if (given === null) model = undefined;
      else if (typeof given === 'string' && given !== '' && given !== 'unknown') model ??= given;
    },
    rewind(to) {
      let before = 0;
      said = said.filter(({ messages }) => {
        before += messages.length;
        return before <= to;
      });
    },
    count: () => said.reduce((sum, { messages }) => sum + messages.length, 0),
    turnStart(turns) {
      const asked = said.flatMap(({ messages }) => messages).flatMap(({ role }, at) => (role === 'user' ? [at] : []));
      return asked.at(-turns) ?? 0;
    },
    isFull: () => chars > LONGEST_CONVERSATION,
    end() {
      const [all, start] = [said, first];
      said = [];
      chars = 0;
      if (all.length === 0) return undefined;
      const recording = finish(all, start, tell);
      if (!recording) return undefined;
      made += 1;
      const own = made === 1 ? name : `${name}#${made}`;
      return { name: own, form, ...(model === undefined ? {} : { model }), ...recording };
    },
  };
}

function finish(
  said: readonly Said[],
  line: number,
  tell: Tell,
): Pick<Recording, 'messages' | 'times' | 'prompts'> | undefined {
  const about = new Map<ChatMessage, Said>();
  for (const one of said) for (const message of one.messages) about.set(message, one);
  const messages = repaired([...about.keys()], line, tell);
  if (!messages) return undefined;
  if (!messages.some(({ role }, i) => role === 'assistant' && i > 0)) {
    tell(line, 'a conversation without an answer of a model begins here and is left out');
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

/** What was recorded while it was interrupted is mended as a provider would want it. */
function repaired(messages: readonly ChatMessage[], line: number, tell: Tell): readonly ChatMessage[] | undefined {
  try {
    const { messages: whole, repairs } = repairHistory(messages, { dialect: 'openai-chat' });
    for (const { rule } of repairs) tell(line, `a conversation that begins here was mended: ${rule}`);
    return begun(whole, line, tell);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    tell(line, `a conversation that begins here is left out: ${error.message}`);
    return undefined;
  }
}

const UNRECORDED: ChatMessage = { role: 'user', content: '(The beginning of this conversation was not recorded.)' };

/** Providers want the user first. */
function begun(messages: readonly ChatMessage[], line: number, tell: Tell): readonly ChatMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  if (messages[first]?.role !== 'assistant') return messages;
  tell(line, 'a conversation that begins here was mended: its first question is missing');
  return messages.toSpliced(first, 0, { ...UNRECORDED });
}

function charsOf({ content, tool_calls: calls = [] }: ChatMessage): number {
  return (content?.length ?? 0) + calls.reduce((sum, call) => sum + call.function.arguments.length, 0);
}

/** Milliseconds from a number (seconds, if it is that small) or a date. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value < 1e11 ? value * 1_000 : value;
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}
