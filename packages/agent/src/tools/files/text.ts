const SAMPLE = 8_192;

/** A file's text, or why it has none. */
export type FileText =
  | {
      readonly type: 'text';
      readonly text: string /** Bytes that are no UTF-8 were replaced. */;
      readonly lossy: boolean;
    }
  | { readonly type: 'binary' };

/** Tells text from bytes that mean something else: a NUL near the start is binary, unless a mark says UTF-16. Pure. */
export function textOf(bytes: Buffer): FileText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { type: 'text', text: new TextDecoder('utf-16le').decode(bytes), lossy: true };
  if (bytes.subarray(0, SAMPLE).includes(0)) return { type: 'binary' };
  try {
    return {
      type: 'text',
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      lossy: false,
    };
  } catch {
    const text = bytes.toString('utf8');
    const replaced = text.slice(0, SAMPLE).split('\ufffd').length - 1;
    // Latin-1 has some such bytes, a compressed file has little else.
    return replaced > Math.min(text.length, SAMPLE) / 10 ? { type: 'binary' } : { type: 'text', text, lossy: true };
  }
}

/** Lines without their ends; an end of line at the end of the text begins no further line. Pure. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A name as it is listed: one that could be taken for more than one line is quoted. Pure. */
export function shownPath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path;
}

/** `1 line`, `2 lines`. Pure. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('ch') ? 'es' : 's'}`;
}
