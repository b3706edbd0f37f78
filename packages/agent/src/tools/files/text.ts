const SAMPLE = 8_192;

/** A file's text. */
export interface FileText {
  readonly text: string;
  /** Bytes that are not UTF-8 were replaced. */
  readonly lossy: boolean;
}

/** Reads text; undefined for binary data: a NUL near the start, unless a byte order mark says UTF-16. Pure. */
export function textOf(bytes: Buffer): FileText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), lossy: true };
  if (bytes.subarray(0, SAMPLE).includes(0)) return undefined;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), lossy: false };
  } catch {
    const text = bytes.toString('utf8');
    const replaced = text.slice(0, SAMPLE).split('\ufffd').length - 1;
    // Latin-1 text contains a few such bytes; compressed data contains little else.
    return replaced > Math.min(text.length, SAMPLE) / 10 ? undefined : { text, lossy: true };
  }
}

/** Splits text into lines without their line ends; a final line end starts no new line. Pure. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A path for a list; quoted if it could pass for more than one line. Pure. */
export function shownPath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path;
}

/** `1 line`, `2 lines`. Pure. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : noun.endsWith('ch') ? 'es' : 's'}`;
}
