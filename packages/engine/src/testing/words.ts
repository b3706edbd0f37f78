/** A number from 0 to below `sides`; the same sequence for the same seed. */
export type Dice = (sides: number) => number;

export function createDice(seed: number): Dice {
  let state = seed * 0x9e3779b9;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** Text that is easily damaged: replacement patterns, quotes, markup, other scripts, surrogate pairs. */
const LINES = [
  'export function parseHandle(handle: string): Handle {',
  '  return value.replace(/x/g, "$& and $1 and $$");',
  '会話の履歴は必ず残す。価格は三千円です。',
  '👩‍👩‍👧‍👦 family 🇨🇭 flag 𝒳 𠮷 end',
  'Error: cannot find module `holdfast_core` (code 404)',
  'commit 3f2a9c17d0b4e6aa touched 12 files, 1234 insertions',
  '\ttab and "quotes" and \\backslash\\ and </tag>',
  'ok',
];

/** One to three lines, different each time. */
export function someText(dice: Dice): string {
  const lines = Array.from({ length: 1 + dice(3) }, () => LINES[dice(LINES.length)]);
  return `${lines.join('\n')} ${dice(1_000_000)}`;
}

/** At least this many characters, in numbered lines. */
export function longText(dice: Dice, chars: number): string {
  const lines: string[] = [];
  for (let length = 0; length < chars; length += lines.at(-1)?.length ?? 0)
    lines.push(`${lines.length}: ${LINES[dice(LINES.length)]} ${dice(1_000)}`);
  return lines.join('\n');
}

/** Always the same text, long enough to be replaced by a pointer. */
export const SAME_TEXT = Array.from({ length: 30 }, (_, i) => `${i}: the same line of src/window.ts`).join('\n');
