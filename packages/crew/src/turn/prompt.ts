import type { Words } from '@holdfast/agent';
import type { CrewMessage } from '../config/config.ts';
import { isNote } from '../history/note.ts';
import { MOST_OF_RESULT as MOST } from '../usage/told-chars.ts';
import { joinedWithin, type Part } from './shorten.ts';

/** What an agent is told: what was said before, and what it is to answer. */
export interface Told {
  readonly said: readonly Words[];
  readonly prompt: string;
}

/**
 * The history as one agent sees it: its own answers are the assistant's, all else comes from the user's side, with the name
 * of who spoke. What others said between two of its answers is one message, as it was when it was the prompt: so a later
 * request begins with what an earlier one sent, and the provider's cache holds. No such message has more than `room`
 * characters, unless what the user said last has. Pure.
 */
export function wordsFor(agent: string, messages: readonly CrewMessage[], room = Number.POSITIVE_INFINITY): Told {
  const said: Words[] = [];
  let heard: Heard[] = [];
  const flush = () => {
    if (heard.length > 0) said.push({ role: 'user', text: joinedWithin(heard, room) });
    heard = [];
  };
  for (const message of messages) {
    const words = wordsOf(agent, message, messages);
    if (!isBy(agent, message, messages)) heard.push(...words);
    else {
      flush();
      said.push(...words);
    }
  }
  if (heard.length > 0 || said.at(-1)?.role === 'assistant') return { said, prompt: joinedWithin(heard, room) };
  // Its own work was cut off: what its tools gave is what it goes on from.
  const last = said.findLastIndex(({ role }) => role === 'assistant');
  return { said: said.slice(0, last + 1), prompt: joinedWithin(said.slice(last + 1), room) };
}

/** What others said, as a prompt. Pure. */
export function newsFor(
  agent: string,
  news: readonly CrewMessage[],
  messages: readonly CrewMessage[],
  room = Number.POSITIVE_INFINITY,
): string {
  return joinedWithin(
    news.filter((message) => !isBy(agent, message, messages)).flatMap((one) => wordsOf(agent, one, messages)),
    room,
  );
}

/** The words of a whole history in one text, for who takes no list. Pure. */
export function inOneText({ said, prompt }: Told, room = Number.POSITIVE_INFINITY): string {
  if (said.length === 0) return prompt;
  const before = said.map(({ role, text }) => ({ text: role === 'assistant' ? `[you] ${text}` : text }));
  return `What was said so far:\n\n${joinedWithin(before, room)}\n\nNow:\n\n${prompt}`;
}

type Heard = Words & Part;

function wordsOf(agent: string, message: CrewMessage, messages: readonly CrewMessage[]): Heard[] {
  const said = (role: Words['role'], text: string, keep?: Part['keep']) =>
    text.trim() === '' ? [] : [{ role, text, ...(keep ? { keep } : {}) }];
  if (isNote(message)) return said('user', message.content, 'late');
  switch (message.role) {
    case 'user':
      return said('user', message.content, message === newestInput(messages) ? 'whole' : undefined);
    case 'system':
      return said('user', `[system] ${message.content}`, 'late');
    case 'tool':
      return said('user', resultText(agent, message, messages));
    case 'assistant':
      if (message.tool_calls) return message.name === agent ? [] : said('user', named(message.name, message.content));
      return message.name === agent
        ? said('assistant', message.content)
        : said('user', named(message.name, message.content));
  }
}

/** What the user said last; what a group found comes from the user's side, too, and has a name. */
function newestInput(messages: readonly CrewMessage[]): CrewMessage | undefined {
  return messages.findLast((one) => one.role === 'user' && one.name === undefined);
}

function named(name: string | undefined, text: string): string {
  return text.trim() === '' ? '' : `[${name ?? 'assistant'}] ${text}`;
}

function resultText(agent: string, message: CrewMessage & { role: 'tool' }, messages: readonly CrewMessage[]): string {
  const { caller, call } = callOf(message, messages);
  const who = caller?.name === agent ? 'You' : (caller?.name ?? 'Somebody');
  const { content } = message;
  const text =
    content.length > MOST ? `${content.slice(0, MOST)}\n… (${content.length - MOST} characters more)` : content;
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
