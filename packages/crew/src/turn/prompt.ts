import type { PlainMessage } from '@holdfast/agent';
import type { CrewMessage } from '../config/config.ts';
import { crewConversation, pruned } from '../history/bound.ts';
import type { History } from '../history/history.ts';
import { isNote } from '../history/note.ts';
import { MAX_RESULT_CHARS } from '../usage/chars-said.ts';
import { joinedWithin, type Part } from './shorten.ts';
import type { Lane } from './turn.ts';

/** What an agent is sent: earlier messages, what it has to answer, and the messages of the history behind both. */
export interface AgentPrompt {
  readonly said: readonly PlainMessage[];
  readonly prompt: string;
  readonly heard: readonly CrewMessage[];
}

/** The prompt for an agent's next turn; after its first turn in a request, only what is new to it. */
export function promptFor(lane: Lane, history: History, room: number): AgentPrompt {
  const { name, provider, limit, state, seen } = lane;
  const { messages } = history;
  if (state !== undefined) {
    const heard = messages.filter((message) => history.isSince(message, seen));
    const news = heard.filter((message) => !isBy(name, message, messages));
    const prompt = joinedWithin(
      news.flatMap((message) => wordsOf(name, message, messages)),
      room,
    );
    return { prompt: prompt || '(go on)', said: [], heard };
  }
  const heard = messages.length > limit ? pruned(crewConversation({ warn() {} }), messages, limit).trimmed : messages;
  const { said, prompt } = conversationFor(name, heard, room);
  return { prompt: (provider.takesHistory ? prompt : inOneText(said, prompt, room)) || '(go on)', said, heard };
}

/**
 * The history as one agent sees it: its own answers are the assistant's, everything else comes from the user with the name of
 * the speaker. What others said between two of its answers is one message, exactly as it was when it was the prompt, so a
 * later request begins as an earlier one did and the provider's cache hits. No message exceeds `room` characters, unless the
 * user's newest one does.
 */
function conversationFor(agent: string, messages: readonly CrewMessage[], room: number): Omit<AgentPrompt, 'heard'> {
  const said: PlainMessage[] = [];
  let others: Heard[] = [];
  for (const message of messages) {
    const words = wordsOf(agent, message, messages);
    if (!isBy(agent, message, messages)) others.push(...words);
    else {
      if (others.length > 0) said.push({ role: 'user', text: joinedWithin(others, room) });
      others = [];
      said.push(...words);
    }
  }
  if (others.length > 0 || said.at(-1)?.role === 'assistant') return { said, prompt: joinedWithin(others, room) };
  // The agent was interrupted: it continues from the results of its own tools.
  const last = said.findLastIndex(({ role }) => role === 'assistant');
  return { said: said.slice(0, last + 1), prompt: joinedWithin(said.slice(last + 1), room) };
}

/** The whole history in one text, for providers that take no list of messages. */
function inOneText(said: readonly PlainMessage[], prompt: string, room: number): string {
  if (said.length === 0) return prompt;
  const before = said.map(({ role, text }) => ({ text: role === 'assistant' ? `[you] ${text}` : text }));
  return `What was said so far:\n\n${joinedWithin(before, room)}\n\nNow:\n\n${prompt}`;
}

type Heard = PlainMessage & Part;

function wordsOf(agent: string, message: CrewMessage, messages: readonly CrewMessage[]): Heard[] {
  const words = (role: PlainMessage['role'], text: string, keep?: Part['keep']) =>
    text.trim() === '' ? [] : [{ role, text, ...(keep ? { keep } : {}) }];
  const { content } = message;
  if (isNote(message)) return words('user', content, 'late');
  switch (message.role) {
    case 'user':
      return words('user', content, message === newestInput(messages) ? 'whole' : undefined);
    case 'system':
      return words('user', `[system] ${content}`, 'late');
    case 'tool':
      return words('user', resultText(agent, message, messages));
    case 'assistant':
      if (message.name === agent) return message.tool_calls ? [] : words('assistant', content);
      return content.trim() === '' ? [] : words('user', `[${message.name ?? 'assistant'}] ${content}`);
  }
}

/** The user's newest message; results of groups have the role `user` too, but also a name. */
function newestInput(messages: readonly CrewMessage[]): CrewMessage | undefined {
  return messages.findLast((one) => one.role === 'user' && one.name === undefined);
}

function resultText(agent: string, message: CrewMessage & { role: 'tool' }, messages: readonly CrewMessage[]): string {
  const { caller, call } = callOf(message, messages);
  const who = caller?.name === agent ? 'You' : (caller?.name ?? 'Somebody');
  const more = message.content.length - MAX_RESULT_CHARS;
  const rest = more > 0 ? `\n… (${more} characters more)` : '';
  const text = message.content.slice(0, MAX_RESULT_CHARS) + rest;
  return `[${who} used ${call?.function.name ?? 'a tool'} ${call?.function.arguments ?? ''}]\n${text}`;
}

function callOf({ tool_call_id }: CrewMessage & { role: 'tool' }, messages: readonly CrewMessage[]) {
  for (const caller of messages.toReversed()) {
    if (caller.role !== 'assistant') continue;
    const call = caller.tool_calls?.find(({ id }) => id === tool_call_id);
    if (call) return { caller, call };
  }
  return {};
}

/** True for an agent's own answers, calls and results. Pure. */
export function isBy(agent: string, message: CrewMessage, messages: readonly CrewMessage[]): boolean {
  if (message.role === 'tool') return callOf(message, messages).caller?.name === agent;
  return message.role === 'assistant' && message.name === agent;
}
