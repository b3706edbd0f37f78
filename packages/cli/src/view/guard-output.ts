import type { Writable } from 'node:stream';
import { wantsColour } from '../context.ts';
import { betweenColours } from './colours.ts';
import { harmless, harmlessJson } from './harmless.ts';

/** Sequences of ink and readline that move, erase and switch modes; none that sets a title or the clipboard, or queries. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences start with one
const MOVES = /(\u001b\[[?<=>]?[\d;]*[A-HJKSTfhlmsu]|\u001b[78]|\r)/;

/** Removes everything unsafe from a text of any origin, except our own colours. Pure. */
export function printable(text: string, colours: boolean): string {
  return colours ? betweenColours(text, harmless) : harmless(text);
}

/** The same for a drawing, which may move the cursor. */
function drawable(text: string): string {
  return text
    .split(MOVES)
    .map((part, i) => (i % 2 === 1 ? part : harmless(part)))
    .join('');
}

type Write = NodeJS.WriteStream['write'];
const unguarded = new WeakMap<NodeJS.WriteStream, Write>();

/** Cleans everything written to standard output and error from here on: the one place that decides what a terminal gets. */
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

/** The same stream without cleaning: for bytes that a program reads. */
export function forPrograms(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return Object.create(stream, { write: { value: unguardedWrite(stream) } });
}

/** The same stream for lines of JSON: what could affect a terminal is escaped, so that a program reads the same values. */
export function forJson(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return Object.create(stream, { write: { value: cleaned(unguardedWrite(stream), harmlessJson) } });
}

function unguardedWrite(stream: NodeJS.WriteStream): Write {
  return unguarded.get(stream) ?? stream.write.bind(stream);
}

/** The same stream for drawing, where the cursor may move. Texts drawn on it must be `printable`. */
export function forDrawing(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = unguardedWrite(stream);
  return Object.create(stream, { write: { value: cleaned(write, drawable) } });
}

function cleaned(write: Write, clean: (text: string) => string): Write {
  return ((chunk: string | Uint8Array, ...rest: [never?, never?]) =>
    write(clean(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')), ...rest)) as Write;
}

/** Resolves once everything written so far is flushed, or the stream is closed. */
export function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });
}
