/** A text to join with others. `whole` is never shortened; `late` is shortened after all others. */
export interface Part {
  readonly text: string;
  readonly keep?: 'whole' | 'late';
}

const GAP = '\n\n';
/** A shorter excerpt says nothing. */
const MIN_EXCERPT = 200;

/** Joins texts into one of at most `room` characters. The oldest are shortened or left out, with a mark. Pure. */
export function joinedWithin(parts: readonly Part[], room: number): string {
  const all = parts.map(({ text }) => text).join(GAP);
  if (all.length <= room) return all;
  const places = parts.map((part, i) => ({ ...part, i }));
  const whole = places.filter(({ keep }) => keep === 'whole');
  const newest = places.filter(({ keep }) => keep !== 'whole').toReversed();
  const shown = new Map(whole.map(({ i, text }) => [i, text]));
  let left = room - whole.reduce((sum, { text }) => sum + text.length + GAP.length, 0);
  for (const { i, text } of newest.toSorted((a, b) => Number(b.keep === 'late') - Number(a.keep === 'late'))) {
    if (left >= Math.min(MIN_EXCERPT, text.length)) shown.set(i, shortened(text, left));
    left -= text.length + GAP.length;
  }
  const out = parts.length - shown.size;
  const mark = `[${out === 1 ? 'A message was' : `${out} messages were`} left out here: there is no room for all that was said]`;
  const gap = places.find(({ i }) => !shown.has(i))?.i;
  return places.flatMap(({ i }) => (i === gap ? [mark] : (shown.get(i) ?? []))).join(GAP);
}

/** The beginning and the end of a text in at most `room` characters, with a mark between them. Pure. */
export function shortened(text: string, room: number): string {
  if (text.length <= room) return text;
  const mark = `\n… (${text.length - room} characters and more are left out here) …\n`;
  const rest = Math.max(0, room - mark.length);
  const end = Math.floor(rest / 3);
  return `${text.slice(0, rest - end)}${mark}${end === 0 ? '' : text.slice(-end)}`.toWellFormed();
}

/** Texts with at most `room` characters together: the longest are shortened to the same length. Pure. */
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
