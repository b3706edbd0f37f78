import { wellFormed } from '../history/clean-message.ts';

/** A text that others are joined to. `keep`: `whole` is never touched, `late` goes after all that is neither. */
export interface Part {
  readonly text: string;
  readonly keep?: 'whole' | 'late';
}

const GAP = '\n\n';
/** Less than this of a text tells nothing. */
const LEAST = 200;

/** Texts as one of at most `room` characters: what is oldest is shortened or left out, and it says so. Pure. */
export function joinedWithin(parts: readonly Part[], room: number): string {
  const all = parts.map(({ text }) => text).join(GAP);
  if (all.length <= room) return all;
  const places = parts.map((part, i) => ({ ...part, i }));
  const whole = places.filter(({ keep }) => keep === 'whole');
  const newest = places.filter(({ keep }) => keep !== 'whole').toReversed();
  const shown = new Map(whole.map(({ i, text }) => [i, text]));
  let left = room - whole.reduce((sum, { text }) => sum + text.length + GAP.length, 0);
  for (const { i, text } of newest.toSorted((a, b) => Number(b.keep === 'late') - Number(a.keep === 'late'))) {
    const short = left < Math.min(LEAST, text.length) ? undefined : shortened(text, left);
    if (short !== undefined) shown.set(i, short);
    left -= text.length + GAP.length;
  }
  const out = parts.length - shown.size;
  const gap = places.find(({ i }) => !shown.has(i))?.i;
  return places.flatMap(({ i }) => (i === gap ? [leftOut(out)] : (shown.get(i) ?? []))).join(GAP);
}

/** A text of at most `room` characters, its beginning and its end, with a mark of what is missing. Pure. */
export function shortened(text: string, room: number): string {
  if (text.length <= room) return text;
  const mark = `\n… (${text.length - room} characters and more are left out here) …\n`;
  const rest = Math.max(0, room - mark.length);
  const end = Math.floor(rest / 3);
  return wellFormed(text.slice(0, rest - end) + mark + (end === 0 ? '' : text.slice(-end)));
}

/** Texts that together have at most `room` characters: the longest are shortened, each as far as the others. Pure. */
export function shared(texts: readonly string[], room: number): string[] {
  let left = room;
  let most = 0;
  for (const [i, { length }] of texts.toSorted((a, b) => a.length - b.length).entries()) {
    most = Math.floor(left / (texts.length - i));
    if (length > most) break;
    left -= length;
    most = length;
  }
  return texts.map((text) => shortened(text, most));
}

function leftOut(count: number): string {
  return `[${count === 1 ? 'A message was' : `${count} messages were`} left out here: there is no room for all that was said]`;
}
