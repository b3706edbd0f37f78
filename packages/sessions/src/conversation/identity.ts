import { createHash, randomBytes } from 'node:crypto';
import type { Dialect } from 'holdfast';

/** What is known of a conversation: enough to tell whether a request belongs to it. */
export interface Track {
  /** Of each of its messages. */
  readonly sketches: readonly string[];
  readonly hint: string | undefined;
  /** When it was last used; a larger number is later. */
  readonly used: number;
}

/** A known conversation and how many of its first messages a request shares with it. */
export interface Match<T extends Track> {
  readonly track: T;
  readonly common: number;
}

/** Characters of either end of a text in a sketch. */
const ENDS = 24;

/** Between the parts of a sketch. */
const PART = '\u0000';

/**
 * Tells a message from others at its place in a conversation without reading all of it: its role, its calls, the ids of its
 * results, the length and both ends of its words. Cache markers, thinking and what results say make no difference: clients move
 * the first, drop the second and clear the third. Pure.
 */
export function sketchOf<M>(dialect: Dialect<M>, given: M): string {
  const message = given as M & object;
  const known = sketches.get(message);
  if (known !== undefined) return known;
  const sketch = drawSketch(dialect, message);
  sketches.set(message, sketch);
  return sketch;
}

/** For messages that are still in use. Like a window, it assumes that the same object is the same message. */
const sketches = new WeakMap<object, string>();

function drawSketch<M>(dialect: Dialect<M>, message: M): string {
  try {
    const { role, calls, results } = dialect.read(message);
    // Not all APIs have ids: without them, agents that do the same with different files differ only in their calls.
    const made = calls.flatMap(({ id, name, input }) => [id, name, ...valuesOf(input)]);
    return [role, ...made, ...results.map(({ id }) => id), ...endsOf(dialect.text(message))].join(PART);
  } catch {
    // The window says what is wrong with it.
    return 'unreadable';
  }
}

function endsOf(text: string): [length: number, ends: string] {
  return [text.length, text.length <= 2 * ENDS ? text : text.slice(0, ENDS) + text.slice(-ENDS)];
}

/** An input's own texts, and the size of everything else. A database may change the order of keys. */
function valuesOf(input: unknown): unknown[] {
  if (typeof input !== 'object' || input === null) return endsOf(String(input));
  const entries = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.flatMap(([key, value]) => [
    key,
    ...(typeof value === 'string' ? endsOf(value) : [JSON.stringify(value)?.length]),
  ]);
}

/** True if the model said it. Pure. */
function isAnswer(sketch: string): boolean {
  return sketch.startsWith(`assistant${PART}`);
}

/**
 * The name shared by all histories with this key or, without a key, by all that start the same, up to the model's first
 * answer. Undefined without either. Pure.
 */
export function rootOf(owner: string, sketches: readonly string[], key?: string): string | undefined {
  const first = sketches.findIndex(isAnswer);
  if (sketches.length === 0 || (first < 0 && key === undefined)) return undefined;
  const hash = createHash('sha256').update(owner);
  for (const part of key === undefined ? sketches.slice(0, first + 1) : ['key', key]) hash.update(PART).update(part);
  return hash.digest('hex').slice(0, 16);
}

/** The name shared by the histories of one client, as it calls itself, that start the same, without the model's first answer. Pure. */
export function openingOf(owner: string, sketches: readonly string[], hint = ''): string {
  const first = sketches.findIndex(isAnswer);
  return JSON.stringify([owner, hint, ...sketches.slice(0, first < 0 ? sketches.length : first)]);
}

/**
 * The known conversation that a request belongs to: the longest one that it continues or takes over, of those with the client's
 * own name if there are any, because two clients may say the same; otherwise the one with which it shares most. Between equals
 * the name decides, then the latest use. A track that knows nothing, such as one whose log another process took over, never
 * wins. `lookalikes`: tracks that differ from some message on, whatever the sketches say. Pure.
 */
export function closest<T extends Track>(
  tracks: readonly T[],
  sketches: readonly string[],
  hint: string | undefined,
  lookalikes: ReadonlyMap<T, number> = new Map(),
): Match<T> | undefined {
  const known = tracks.filter((track) => track.sketches.length > 0);
  const matches = known.map((track) => {
    const common = commonWith(track.sketches, sketches);
    return { track, common: Math.min(common, lookalikes.get(track) ?? common) };
  });
  const rank = (match: Match<T>) => {
    const { track, common } = match;
    const isSame = takesOver(match);
    const isNamed = track.hint === hint;
    return [Number(isSame), Number(isSame && isNamed), common, Number(isNamed), track.used];
  };
  return matches.sort((a, b) => compareRanks(rank(b), rank(a)))[0];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** How many first sketches two histories share. Pure. */
export function commonWith(known: readonly string[], sketches: readonly string[]): number {
  const end = Math.min(known.length, sketches.length);
  let at = 0;
  while (at < end && known[at] === sketches[at]) at++;
  return at;
}

/**
 * True if the request is the same conversation, perhaps with another last word: nothing that it leaves out or changes came from
 * the model. Otherwise both may continue, each in its own window. Pure.
 */
export function takesOver({
  track,
  common,
}: {
  readonly track: Pick<Track, 'sketches'>;
  readonly common: number;
}): boolean {
  return !track.sketches.slice(common).some(isAnswer);
}

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** 64 random bits, so that nobody can guess the handles of another conversation. */
export function newScope(): string {
  let bits = BigInt(`0x${randomBytes(8).toString('hex')}`);
  let text = '';
  for (let i = 0; i < 13; i++, bits >>= 5n) text += LETTERS[Number(bits & 31n)];
  return text;
}

/** The id of the session that keeps a conversation. Pure. */
export function sessionFor(root: string, scope: string): string {
  return `${root}-${scope}`;
}

/** The shared name of all conversations that start the same, from the id of a session. Pure. */
export function rootIn(session: string): string {
  return session.slice(0, session.lastIndexOf('-'));
}

/** The scope in the id of a conversation's session; undefined for any other session. Pure. */
export function scopeOf(session: string): string | undefined {
  return /^[0-9a-f]{16}-([0-9a-z]{13})$/.exec(session)?.[1];
}
