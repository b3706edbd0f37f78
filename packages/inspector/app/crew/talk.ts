import type { HistoryMessage } from '../../src/api/types.ts';

/** A tool call of an agent, and what came back. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly output?: string;
  readonly state: 'running' | 'done' | 'failed';
}

type TextOrCall = string | ToolCall;

/** Something that was said: words and calls, in the order they came. */
export interface Utterance {
  readonly who: string;
  readonly role: 'user' | 'agent' | 'problem';
  readonly pieces: readonly TextOrCall[];
  readonly isGrowing?: boolean;
  /** A message that was refused. */
  readonly isRefused?: boolean;
}

/** What is known of an agent at work. */
export interface Lane {
  readonly isOn: boolean;
  readonly cost: number;
  readonly folds: number;
  readonly size?: {
    readonly messages: number;
    readonly tokens: number;
    readonly share: number;
    readonly estimated: boolean;
  };
}

/** The conversation on show. */
export interface Talk {
  readonly said: readonly Utterance[];
  readonly lanes: Readonly<Record<string, Lane>>;
}

export const NOTHING: Talk = { said: [], lanes: {} };
const IDLE: Lane = { isOn: false, cost: 0, folds: 0 };

/** Adds something that was said. Pure. */
export function withUtterance(talk: Talk, said: Utterance): Talk {
  return { ...talk, said: [...talk.said, said] };
}

/** Adds what went wrong. Pure. */
export function withProblem(talk: Talk, who: string, text: string): Talk {
  return withUtterance(talk, { who, role: 'problem', pieces: [text] });
}

/** Changes what is known of an agent. Pure. */
export function withLane(talk: Talk, agent: string, change: Partial<Lane>): Talk {
  return { ...talk, lanes: { ...talk.lanes, [agent]: { ...IDLE, ...talk.lanes[agent], ...change } } };
}

/** Changes the pieces that an agent is adding to. Pure. */
export function withPieces(
  talk: Talk,
  agent: string,
  change: (pieces: readonly TextOrCall[]) => readonly TextOrCall[],
): Talk {
  const at = talk.said.findLastIndex(({ who, isGrowing }) => who === agent && isGrowing);
  const said = talk.said.map((one, n) => (n === at ? { ...one, pieces: change(one.pieces) } : one));
  return { ...talk, said };
}

/** Changes the newest call with this id. Pure. */
export function withCall(said: readonly Utterance[], id: string, change: Partial<ToolCall>): Utterance[] {
  const isIt = (piece: TextOrCall): piece is ToolCall => typeof piece !== 'string' && piece.id === id;
  const at = said.findLastIndex(({ pieces }) => pieces.some(isIt));
  return said.map((one, n) =>
    n === at ? { ...one, pieces: one.pieces.map((piece) => (isIt(piece) ? { ...piece, ...change } : piece)) } : one,
  );
}

/** Removes what was begun and stayed empty, once all agents (or this one) have stopped. Pure. */
export function settled({ said, lanes }: Talk, only?: string): Talk {
  const isMeant = (who: string) => only === undefined || who === only;
  const entries = Object.entries(lanes).map(([name, lane]) => [name, isMeant(name) ? { ...lane, isOn: false } : lane]);
  return {
    lanes: Object.fromEntries(entries),
    said: said
      .filter(({ who, role, pieces }) => role !== 'agent' || pieces.length > 0 || !isMeant(who))
      .map((one) => (one.isGrowing && isMeant(one.who) ? { ...one, isGrowing: false } : one)),
  };
}

/** The conversation of stored messages; neighbouring messages of one agent are one. Pure. */
export function talkOf(messages: readonly HistoryMessage[]): readonly Utterance[] {
  let said: Utterance[] = [];
  for (const { role, name, parts } of messages)
    for (const part of parts) {
      if (part.type === 'result')
        said = withCall(said, part.id, { output: part.text, state: part.failed ? 'failed' : 'done' });
      else if (part.type === 'call')
        said = joined(said, role, name, { id: part.id, name: part.name, input: part.input, state: 'done' });
      else if (part.type === 'text' && part.text !== '' && role !== 'tool') said = joined(said, role, name, part.text);
    }
  return said;
}

function joined(said: readonly Utterance[], role: string, name: string | undefined, piece: TextOrCall): Utterance[] {
  const isUser = role === 'user';
  const who = name ?? (isUser ? 'you' : role);
  const last = said.at(-1);
  if (!isUser && last?.role === 'agent' && last.who === who)
    return [...said.slice(0, -1), { ...last, pieces: [...last.pieces, piece] }];
  return [...said, { who, role: isUser ? 'user' : 'agent', pieces: [piece] }];
}
