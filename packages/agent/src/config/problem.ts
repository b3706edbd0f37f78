import { HoldfastError, maskSecrets } from 'holdfast';

/** Something wrong with a configuration: where (`holdfast.yml:7:5`, `--model`), and what, with what to do. */
export interface Problem {
  readonly place: string;
  readonly text: string;
}

const MOST = 50;
const LONGEST = 60;

/** All problems as one BAD_CONFIG, one per line, without anything that looks like a key. `details.problems` lists them. */
export function problemsError(problems: readonly Problem[], cause?: unknown): HoldfastError {
  const lines = problems.map(({ place, text }) => clean(`${place}: ${text}`));
  const rest = lines.length > MOST ? [`… and ${lines.length - MOST} more problems`] : [];
  const told = problems.map(({ place, text }) => ({ place: clean(place), text: clean(text) }));
  const message = [...lines.slice(0, MOST), ...rest].join('\n');
  return new HoldfastError('BAD_CONFIG', message, { problems: told }, cause);
}

/** A value as errors show it: short, on one line, maps and lists only by their kind. Pure. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string') return String(value);
  const text = maskSecrets(value);
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** A name from a file on one line. */
export function cleanName(name: string): string {
  const line = clean(name).trim() || '""';
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

function clean(text: string): string {
  return maskSecrets(text).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
