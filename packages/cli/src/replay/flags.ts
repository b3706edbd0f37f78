import { availableParallelism } from 'node:os';
import { WrongUse } from '../failure.ts';

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

/** The parts of a list with commas, each once; throws WrongUse with the flag's name if there is none. */
export function listOf(text: string, flag: string, such: string): string[] {
  const parts = [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== '');
  if (parts.length === 0) throw new WrongUse(`${flag} is empty: expected some of ${such}`);
  return parts;
}

/** Tokens of `40k`, `40000`, `1.5M`; throws WrongUse with the flag's name. */
export function tokensIn(text: string, flag: string, least: number): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kKmM]?)$/.exec(text) ?? [];
  const tokens = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
  if (number !== undefined && tokens >= least) return tokens;
  throw new WrongUse(
    `invalid ${flag} "${text}": expected a number of tokens${least > 0 ? `, ${least} or more` : ''}, such as 40k`,
  );
}

/** A percentage; throws WrongUse. */
export function percentIn(text: string, flag: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (text !== '' && value >= 0 && value <= 100) return value;
  throw new WrongUse(`invalid ${flag} "${text}": expected a percentage from 0 to 100`);
}

/** A number of threads, by default one for each core; throws WrongUse. */
export function workersIn(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new WrongUse(`invalid --workers "${text}": expected a number of threads from 1 to 99`);
}

/** Which half of the conversations; throws WrongUse. */
export function halfIn(text: string | undefined): 1 | 2 | undefined {
  if (text === undefined) return undefined;
  if (text === '1' || text === '2') return text === '1' ? 1 : 2;
  throw new WrongUse(`invalid --half "${text}": expected 1 or 2`);
}
