import { callFacts } from '../text/calls.ts';
import type { ChatCall, ChatMessage } from './chat.ts';

/** What a call asks for, as names: the call itself, and for a read each file. The same name asks for the same again. */
function namesOf(call: ChatCall): readonly string[] {
  let names = known.get(call);
  if (!names) {
    const { name, arguments: input } = call.function;
    const { kind, files } = callFacts({ id: call.id, name, input });
    names = [`${name} ${input}`, ...(kind === 'read' ? files.map((file) => `read ${file}`) : [])];
    known.set(call, names);
  }
  return names;
}

const known = new WeakMap<ChatCall, readonly string[]>();

/** How many calls of an answer ask again for what was asked before, and for how many of these the view lacks the result. */
export interface Repeats {
  readonly repeats: number;
  /** The tool and what was asked for, a call each. */
  readonly folded: readonly string[];
}

/** A function that follows the calls of one conversation, whose history may only grow. */
export function createRepeats(): (
  answer: ChatMessage,
  history: readonly ChatMessage[],
  view: readonly ChatMessage[],
) => Repeats {
  const asked = new Map<string, string>(); // what was asked for → the newest call that did
  const results = new Map<string, ChatMessage>();
  let read = 0;

  const extend = (history: readonly ChatMessage[]): void => {
    for (const message of history.slice(read)) {
      if (message.role === 'tool' && message.tool_call_id !== undefined) results.set(message.tool_call_id, message);
      for (const call of message.tool_calls ?? []) for (const name of namesOf(call)) asked.set(name, call.id);
    }
    read = history.length;
  };

  return (answer, history, view) => {
    extend(history);
    const earlier = (answer.tool_calls ?? []).flatMap((call) => {
      const ids = namesOf(call).flatMap((name) => asked.get(name) ?? []);
      return ids.length === 0 ? [] : [{ call, ids }];
    });
    if (earlier.length === 0) return { repeats: 0, folded: [] };
    const shown = new Set(view);
    const isShown = (id: string): boolean => {
      const result = results.get(id);
      return result !== undefined && shown.has(result);
    };
    const folded = earlier.filter(({ ids }) => !ids.some(isShown)).map(({ call }) => nameOf(call));
    return { repeats: earlier.length, folded };
  };
}

function nameOf({ function: { name, arguments: input } }: ChatCall): string {
  return `${name} ${input}`;
}
