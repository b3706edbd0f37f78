import { createHash } from 'node:crypto';
import { hashOf } from './json.ts';

/** What a cache marker asks for. */
export interface Marker {
  readonly seconds: number;
}

/** One part of a prompt: a tool, a system block, or a block of a message. */
export interface PromptPart {
  /** Everything that counts: two parts with the same text are the same to the cache. */
  readonly text: string;
  readonly marker?: Marker | undefined;
  /** True at the end of a message. */
  readonly last?: boolean;
  /** Goes into the hash from here on, for settings that invalidate what follows. */
  readonly setting?: string | undefined;
}

/** A part with the size and hash of the prompt up to its end. */
export interface Measured extends PromptPart {
  readonly hash: string;
  readonly tokens: number;
}

/** Characters per token if the model states none. Real agent conversations have 2.6 to 3.3. */
export const CHARACTERS = 3.2;

/** The tokens of this many characters. */
export function tokensOf(characters: number, perToken = CHARACTERS): number {
  return Math.ceil(characters / perToken);
}

/** A text for something that has tokens but no characters, such as an image: its hash, padded to its tokens. */
export function textFor(data: unknown, tokens: number, perToken = CHARACTERS): string {
  const length = Math.floor(tokens * perToken);
  return hashOf(JSON.stringify(data) ?? '')
    .padEnd(length, '#')
    .slice(0, length);
}

/** Hash and tokens of a whole prompt. Pure. */
export function lastOf(prompt: readonly Measured[]): Pick<Measured, 'hash' | 'tokens'> {
  return prompt.at(-1) ?? { hash: '', tokens: 0 };
}

/** Hash and tokens of a prompt up to the end of each part. Pure. */
export function measure(root: string, parts: readonly PromptPart[], perToken = CHARACTERS): Measured[] {
  const hash = createHash('sha256').update(root);
  let characters = 0;
  return parts.map((part) => {
    if (part.setting !== undefined) hash.update(`\0setting ${part.setting}`);
    hash.update('\0').update(part.text);
    characters += part.text.length;
    return { ...part, hash: hash.copy().digest('base64url'), tokens: tokensOf(characters, perToken) };
  });
}
