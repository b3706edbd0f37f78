/** Terminal escapes, such as colours. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-?]{0,40}[@-~]`, 'g');
/** Everything that some reader treats as a line end. */
const LINE_END = /\r\n|[\n\r\v\f\u{85}\u2028\u2029]/u;
/** Invisible characters: zero-width, directional, tags, fillers, half pairs. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const CONTROLS = /(?!\t)\p{Cc}/gu;
const SPACES = /[\s\p{Cc}\u2800]+/gu;
/** Accents that would attach to whatever comes before the text. */
const FIRST_ACCENTS = /^[\s\p{M}]+/u;

/** The text as one line without invisible characters. Pure and idempotent. */
export function plainLine(text: string): string {
  return text.replace(UNSEEN, '').replace(COLOURS, '').replace(SPACES, ' ').replace(FIRST_ACCENTS, '').trimEnd();
}

/** The lines of a text without invisible characters; tabs stay. Pure. */
export function plainLines(text: string): string[] {
  const lines = text.replace(UNSEEN, '').replace(COLOURS, '').split(LINE_END);
  return lines.map((line) => line.replace(CONTROLS, '').trimEnd());
}
