import { WrongUse } from './failure.ts';

/** The whole number of a flag, between `least` and `most`; `otherwise` without it. Throws WrongUse. */
export function countOf(
  text: string | undefined,
  flag: string,
  otherwise: number,
  least = 1,
  most = Number.POSITIVE_INFINITY,
): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  const upTo = Number.isFinite(most) ? `to ${most}` : 'up';
  throw new WrongUse(`invalid ${flag} "${text}": expected a whole number from ${least} ${upTo}`);
}

/** The port of a server; 0 picks a free one. Throws WrongUse. */
export function portOf(text: string | undefined, otherwise: number): number {
  return countOf(text, '--port', otherwise, 0, 65_535);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses `90d`, `12w`, `36h`, `30m` to milliseconds. Throws WrongUse. */
export function timeOf(text: string, flag: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new WrongUse(`invalid ${flag} "${text}": expected a duration such as 90d, 12w, 36h or 30m`);
  return Number(count) * (UNITS[unit] ?? 0);
}
