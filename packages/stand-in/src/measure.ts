import { createHash } from 'node:crypto';
import { hashOf } from './json.ts';

/** What a cache marker asks for. */
export interface Marker {
  readonly seconds: number;
}

/** One part of a prompt in its order: a tool, a system block, a block of a message. */
export interface Piece {
  /** All that counts of it: two pieces with one text are the same to the cache. */
  readonly text: string;
  readonly marker?: Marker | undefined;
  /** True at the end of a message. */
  readonly last?: boolean;
  /** Begins the hash anew from here on with this text too, for settings that change what follows. */
  readonly setting?: string | undefined;
}

/** A piece with what stands before it. */
export interface Measured extends Piece {
  /** Hash of everything up to its end. */
  readonly hash: string;
  /** Tokens of everything up to its end. */
  readonly tokens: number;
}

/** Characters a token where a model states none. Real conversations of agents run at 2.6 to 3.3. */
export const CHARACTERS = 3.2;

/** The tokens of so many characters. */
export function tokensOf(characters: number, perToken = CHARACTERS): number {
  return Math.ceil(characters / perToken);
}

/** A text for something that has tokens but no characters, such as a picture: its hash, as long as its tokens are. */
export function textFor(data: unknown, tokens: number, perToken = CHARACTERS): string {
  const length = Math.floor(tokens * perToken);
  return hashOf(JSON.stringify(data) ?? '')
    .padEnd(length, '#')
    .slice(0, length);
}

/** Hash and tokens of a prompt up to the end of each of its pieces. Pure. */
export function measure(root: string, pieces: readonly Piece[], perToken = CHARACTERS): Measured[] {
  const hash = createHash('sha256').update(root);
  let characters = 0;
  return pieces.map((piece) => {
    if (piece.setting !== undefined) hash.update(`\0setting ${piece.setting}`);
    hash.update('\0').update(piece.text);
    characters += piece.text.length;
    return { ...piece, hash: hash.copy().digest('base64url'), tokens: tokensOf(characters, perToken) };
  });
}
