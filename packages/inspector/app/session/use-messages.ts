import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { HistoryMessage, MessagePage } from '../../src/api/types.ts';
import { get } from '../shell/api.ts';

const BLOCK = 50;
/** 500 messages: a bound for the tab's memory. */
const MOST_BLOCKS = 10;

interface Block {
  readonly stamp: string;
  readonly messages?: readonly HistoryMessage[];
  readonly error?: string;
}

/** Messages of a session, loaded where they are needed. */
export interface Messages {
  /** Undefined until it is loaded. */
  readonly at: (index: number) => HistoryMessage | undefined;
  readonly errorAt: (index: number) => string | undefined;
  /** True once some are loaded, or cannot be. */
  readonly hasSome: boolean;
  /** Loads these stretches, each from its first to its last position. */
  readonly need: (stretches: readonly (readonly [number, number])[]) => void;
  /** Loads all of a message whose text was cut. */
  readonly whole: (index: number) => void;
}

/** Messages with their fate at a call. `last` changes when something was written: what is on show is then loaded again. */
export function useMessages(id: string, call: number | undefined, last: number): Messages {
  const blocks = useRef(new Map<number, Block>());
  const full = useRef(new Map<number, HistoryMessage>());
  const shown = useRef<readonly (readonly [number, number])[]>([]);
  const [, show] = useState(0);
  const stamp = `${call ?? ''}:${last}`;
  const at = call === undefined ? '' : `&call=${call}`;
  const path = `sessions/${encodeURIComponent(id)}/messages`;
  const need = useCallback(
    (stretches: readonly (readonly [number, number])[]) => {
      shown.current = stretches;
      for (const block of blocksIn(stretches)) {
        const known = blocks.current.get(block);
        if (known?.stamp === stamp) continue;
        put(blocks.current, block, { ...known, stamp });
        get<MessagePage>(`${path}?from=${block * BLOCK}&limit=${BLOCK}${at}`)
          .then(
            ({ messages }) => put(blocks.current, block, { stamp, messages }, stamp),
            (error: Error) => put(blocks.current, block, { stamp, error: error.message }, stamp),
          )
          .then(() => show((round) => round + 1));
      }
    },
    [path, at, stamp],
  );
  useEffect(() => {
    full.current.clear();
    need(shown.current);
  }, [need]);
  return {
    at: (index) => full.current.get(index) ?? blocks.current.get(Math.floor(index / BLOCK))?.messages?.[index % BLOCK],
    hasSome: [...blocks.current.values()].some(({ messages, error }) => messages ?? error),
    errorAt: (index) => blocks.current.get(Math.floor(index / BLOCK))?.error,
    need,
    whole: async (index) => {
      const { messages } = await get<MessagePage>(`${path}?from=${index}&limit=1&full=1${at}`);
      if (messages[0]) full.current.set(index, messages[0]);
      show((round) => round + 1);
    },
  };
}

function blocksIn(stretches: readonly (readonly [number, number])[]): Set<number> {
  const found = new Set<number>();
  for (const [from, to] of stretches)
    for (let block = Math.floor(from / BLOCK); block <= Math.floor(to / BLOCK); block++) found.add(block);
  return found;
}

/** Keeps a block as the newest one, unless an answer comes after something else was asked; drops the oldest. */
function put(blocks: Map<number, Block>, at: number, block: Block, only?: string): void {
  if (only !== undefined && blocks.get(at)?.stamp !== only) return;
  blocks.delete(at);
  blocks.set(at, block);
  for (const oldest of blocks.keys()) {
    if (blocks.size <= MOST_BLOCKS) return;
    blocks.delete(oldest);
  }
}
