import { wantsColour } from '../context.ts';
import { harmless } from './harmless.ts';

/** The colours that this program paints with; no other sequence of a text is left. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with one
const COLOURS = /(\u001b\[(?:[0-479]|2[2-47-9]|3[0-79]|4[0-79]|9[0-7]|10[0-7])m)/;
/** How ink and readline move the cursor, erase, and switch modes: nothing that sets a title or a clipboard, or asks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with one
const MOVES = /(\u001b\[[?<=>]?[\d;]*[A-HJKSTfhlmsu]|\u001b[78]|\r)/;

/** A text as it may be printed, whoever it comes from. Pure. */
export function printable(text: string, colours: boolean): string {
  return colours ? kept(text, COLOURS) : harmless(text);
}

function kept(text: string, allowed: RegExp): string {
  return text
    .split(allowed)
    .map((part, i) => (i % 2 === 1 ? part : harmless(part)))
    .join('');
}

type Write = NodeJS.WriteStream['write'];
const unguarded = new WeakMap<NodeJS.WriteStream, Write>();

/**
 * From here on all that is written to standard output and standard error is cleaned, by whatever way it comes there: this is
 * the one place that decides what a terminal gets.
 */
export function guardOutput(own: {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}): void {
  for (const stream of [own.stdout, own.stderr]) {
    const colours = wantsColour(own.env, stream.isTTY === true);
    const write = stream.write.bind(stream);
    unguarded.set(stream, write);
    stream.write = cleaned(write, (text) => printable(text, colours));
  }
}

/** The same stream for those who draw: the cursor may be moved. The texts that they draw must be `printable`. */
export function drawn(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = unguarded.get(stream) ?? stream.write.bind(stream);
  return Object.create(stream, { write: { value: cleaned(write, (text) => kept(text, MOVES)) } });
}

function cleaned(write: Write, clean: (text: string) => string): Write {
  return ((chunk: string | Uint8Array, ...rest: [never?, never?]) =>
    write(clean(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')), ...rest)) as Write;
}
