import { callFacts } from 'holdfast/calls';
import { type ChatCall, type ChatMessage, remembered } from './chat.ts';

/** What a call asks for: the call itself and, for a read, each file. Calls that share one ask for the same thing. */
const namesOf = remembered((call: ChatCall): readonly string[] => {
  const { name, arguments: input } = call.function;
  const { kind, files } = callFacts({ id: call.id, name, input });
  return [nameOf(call), ...(kind === 'read' ? files.map((file) => `read ${file}`) : [])];
});

/** How many calls of an answer repeat an earlier request, and which of these lack its result in the view. */
export interface Repeats {
  readonly repeats: number;
  /** Tool and arguments of each such call. */
  readonly folded: readonly string[];
}

/** Returns a function that tracks the calls of one conversation, whose history may only grow. */
export function createRepeats(): (
  answer: ChatMessage,
  history: readonly ChatMessage[],
  view: readonly ChatMessage[],
) => Repeats {
  const asked = new Map<string, string>(); // what was asked for → the newest call for it
  const results = new Map<string, ChatMessage>();
  let read = 0;

  return (answer, history, view) => {
    for (const message of history.slice(read)) {
      if (message.role === 'tool' && message.tool_call_id !== undefined) results.set(message.tool_call_id, message);
      for (const call of message.tool_calls ?? []) for (const name of namesOf(call)) asked.set(name, call.id);
    }
    read = history.length;
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
