import { randomInt } from 'node:crypto';
import picocolors from 'picocolors';

/** Functions that colour text, or return it unchanged. */
export type Colours = ReturnType<typeof picocolors.createColors>;

const part = () => randomInt(1_000, 10_000);
/** Marks our own colour sequences with two numbers that only this process knows. */
const SIGNATURE = `;${part()};${part()}`;
const SIGNED = new RegExp(`(\\u001b\\[\\d{1,3}${SIGNATURE}m)`);

/** Colours that `printable` lets through. */
export function createColours(wanted: boolean): Colours {
  const plain = picocolors.createColors(wanted);
  if (!wanted) return plain;
  const signed = Object.entries(plain).map(([name, paint]) => [
    name,
    typeof paint === 'function' ? signedBy(paint) : paint,
  ]);
  return Object.fromEntries(signed) as Colours;
}

function signedBy(paint: (text: string) => string): (text: unknown) => string {
  const [open = '', close = ''] = paint('\n')
    .split('\n')
    .map((sequence) => sequence.replace('m', `${SIGNATURE}m`));
  return (text) => `${open}${String(text).replaceAll(close, `${close}${open}`)}${close}`;
}

/** Keeps our colours, unmarked, and applies `change` to everything between them. Pure. */
export function betweenColours(text: string, change: (part: string) => string): string {
  return text
    .split(SIGNED)
    .map((one, i) => (i % 2 === 1 ? one.replace(SIGNATURE, '') : change(one)))
    .join('');
}
