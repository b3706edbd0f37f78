import type { Tool } from '@holdfast/agent';
import type { CrewConfig, CrewMessage } from '../config/config.ts';
import type { History } from '../history/history.ts';
import { isNote } from '../history/note.ts';
import { isBy, type Told } from '../turn/prompt.ts';
import { toldChars } from './told-chars.ts';
import type { FirstTold } from './unbounded.ts';

/** What a request of an agent consists of. */
interface FirstRequest extends Told {
  readonly system: string;
  readonly tools: readonly Tool[];
  /** The messages that it is told of. */
  readonly heard: readonly CrewMessage[];
}

/** What an agent is told when it is first asked, beside all that was ever said. Pure. */
export function firstTold(
  crew: CrewConfig,
  agent: string,
  request: FirstRequest,
  { said, warm }: Pick<History, 'said' | 'warm'>,
): FirstTold {
  const { heard } = request;
  const visible = toldChars(heard);
  const notes = heard.filter(isNote).reduce((sum, { content }) => sum + content.length, 0);
  const memberships = new Set(Object.keys(crew.groups).filter((group) => crew.groups[group]?.agents.includes(agent)));
  const isMember = ({ name = '' }: { readonly name?: string }) => memberships.has(name);
  const isOwn = (message: CrewMessage) => isBy(agent, message, heard);
  const isFrom = (message: CrewMessage) => isOwn(message) || (message.role === 'user' && isMember(message));
  const isAway = said > visible;
  const fresh = (isOne: (message: CrewMessage) => boolean, mayBeAway: boolean) =>
    warm ? since(heard, isOne, mayBeAway) : Number.POSITIVE_INFINITY;
  return {
    sent: charsOf(request),
    hidden: Math.max(0, said - visible) - notes,
    fresh: fresh(isFrom, isAway),
    // Who works in a group has no words of its own in the history: all that it is told is one message.
    fresh_messages: fresh(isOwn, isAway && memberships.size === 0),
  };
}

/** Characters from the last such message on, with those right before it; if none is left, all of it, or Infinity if there was none. */
function since(heard: readonly CrewMessage[], isOne: (message: CrewMessage) => boolean, isAway: boolean): number {
  const last = heard.findLastIndex(isOne);
  if (last < 0) return isAway ? toldChars(heard) : Number.POSITIVE_INFINITY;
  return toldChars(heard.slice(heard.findLastIndex((message, i) => i < last && !isOne(message)) + 1));
}

function charsOf({ system, tools, prompt, said }: FirstRequest): number {
  const schemas = tools.map(({ name, description, input_schema }) => JSON.stringify([name, description, input_schema]));
  return [system, ...schemas, prompt, ...said.map(({ text }) => text)].reduce((sum, { length }) => sum + length, 0);
}
