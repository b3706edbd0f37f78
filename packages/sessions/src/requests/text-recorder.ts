import { createHash } from 'node:crypto';
import type { RequestPiece, SessionEntry, StoredEntry } from '../entry.ts';
import type { SessionStore } from '../store.ts';
import { valueIn } from './request-at.ts';
import { entriesIn, textHash } from './request-form.ts';
import { replacement, textOf } from './request-pieces.ts';

/** A stretch of a request's text, such as one message. `of`: what it was made from; the same object has the same text. */
export interface RequestStretch {
  readonly bytes: Uint8Array;
  readonly of?: object;
}

/** A request that is about to be recorded. `stretches`: its text, computed only if there is room for so many `bytes`. */
export interface RecordedRequest {
  readonly bytes: number;
  readonly stretches: () => readonly RequestStretch[];
}

/** The text of a stretch, and its hash; a short text is its own. */
export interface StretchText {
  readonly hash: string;
  readonly text: string | Uint8Array;
}

/** Turns requests of other programs into entries that refer to what the log already holds, byte for byte. One for each log. */
export interface TextRecorder {
  /** Takes note of an entry that requests may refer to. */
  learn(entry: SessionEntry, seq: number): void;
  /** The entries that record a request, if they come after entry `last`. The request is the last of them. */
  entriesFor(request: readonly StretchText[], last: number): SessionEntry[];
}

/** Text up to this size stays in the request itself. */
const INLINE_CHARS = 200;
/** Texts with this many equal characters at either end may be almost equal. */
const SIMILAR_CHARS = 150;

const hashes = new WeakMap<object, string>();

/** The texts of stretches. Those of the same object are hashed once, and what is between them not at all. */
export function stretchTexts(stretches: readonly RequestStretch[]): StretchText[] {
  return stretches.map(({ bytes, of }) => {
    if (bytes.length <= INLINE_CHARS) {
      const text = stringOf(bytes);
      return { hash: text, text };
    }
    const hash = (of && hashes.get(of)) ?? textHash(bytes);
    if (of) hashes.set(of, hash);
    return { hash, text: bytes };
  });
}

/** An entry that holds a text; `ends`: hashes of its first and of its last characters. */
interface Base {
  readonly seq: number;
  readonly value: unknown;
  readonly ends: readonly string[];
}

/** What a text is recorded as, and the entry that holds all or most of it. */
interface Recorded {
  readonly piece: RequestPiece;
  readonly base: Base;
}

export function createTextRecorder(): TextRecorder {
  /** The texts of the newest request, by their hashes. */
  let known = new Map<string, Recorded>();
  /** Entries since then. Hashed only if a request follows. */
  let learned: Pick<Base, 'seq' | 'value'>[] = [];
  const settle = () => {
    for (const { seq, value } of learned) {
      const text = textOf(value);
      known.set(textHash(text), { piece: seq, base: { seq, value, ends: endsOf(text) } });
    }
    learned = [];
  };
  return {
    learn(entry, seq) {
      const value = valueIn(entry);
      if (value !== undefined) learned.push({ seq, value });
    },
    entriesFor(request, last) {
      settle();
      const parts: SessionEntry[] = [];
      const used = new Map<string, Recorded>();
      const pieces: RequestPiece[] = [];
      const whole = createHash('sha256');
      let similar: ReadonlyMap<string, Base> | undefined;
      for (const { hash, text } of request) {
        whole.update(text);
        const there = used.get(hash) ?? known.get(hash);
        if (!there && text.length <= INLINE_CHARS) {
          addText(pieces, stringOf(text));
          continue;
        }
        similar ??= there ? undefined : byEnds(known.values());
        const recorded = there ?? recordedAs(stringOf(text), similar ?? NONE, parts, last);
        used.set(hash, recorded);
        pieces.push(recorded.piece);
      }
      known = used;
      return [...parts, { type: 'request', hash: whole.digest('hex'), pieces }];
    },
  };
}

const NONE: ReadonlyMap<string, Base> = new Map();

/** Refers to an entry with almost the same text, or adds one to `parts`. */
function recordedAs(text: string, similar: ReadonlyMap<string, Base>, parts: SessionEntry[], last: number): Recorded {
  const ends = endsOf(text);
  for (const near of new Set(ends.flatMap((end) => similar.get(end) ?? []))) {
    const changed = replacement(textOf(near.value), text);
    if (changed) return { piece: { entry: near.seq, ...changed }, base: near };
  }
  parts.push({ type: 'part', hash: textHash(JSON.stringify(text)), value: text });
  const base = { seq: last + parts.length, value: text, ends };
  return { piece: base.seq, base };
}

function byEnds(recorded: Iterable<Recorded>): ReadonlyMap<string, Base> {
  return new Map([...recorded].flatMap(({ base }) => base.ends.map((end) => [end, base] as const)));
}

/** Hashes, because a part of a text would keep all of it in memory. */
function endsOf(text: string): string[] {
  return [`start ${text.slice(0, SIMILAR_CHARS)}`, `end ${text.slice(-SIMILAR_CHARS)}`].map(textHash);
}

function addText(pieces: RequestPiece[], text: string): void {
  const before = pieces.at(-1);
  if (typeof before === 'string') pieces.splice(-1, 1, before + text);
  else pieces.push(text);
}

function stringOf(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8');
}

/** Learns what the next request will most likely refer to: the newest messages, and the entries of the last request. */
export async function learnStored(store: SessionStore, session: string, recorder: TextRecorder): Promise<void> {
  const learn = ({ entry, seq }: StoredEntry) => recorder.learn(entry, seq);
  const newest = (await store.read(session, { types: ['message'], reverse: true })).items;
  const [request] = (await store.read(session, { types: ['request'], reverse: true, limit: 1 })).items;
  const first = newest.at(-1)?.seq ?? 0;
  const needed = request?.entry.type === 'request' ? new Set(entriesIn(request.entry)) : [];
  for (const seq of needed) {
    if (seq >= first && newest.some((stored) => stored.seq === seq)) continue;
    const [stored] = (await store.read(session, { from: seq, limit: 1 })).items;
    if (stored?.seq === seq) learn(stored);
  }
  for (const stored of newest) learn(stored);
}
