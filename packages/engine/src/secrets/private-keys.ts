/** The first and last line of a key file, including PuTTY's. Certificates, public keys and encrypted messages differ. */
const NAME = '(?:[A-Z\\d ]{0,40}(?:PRIVATE|SECRET) KEY(?: BLOCK)?|OpenVPN Static key V1)';
const MARK = new RegExp(
  `-{4,5} ?(BEGIN|END) ${NAME} ?-{4,5}|Private-(Lines): \\d{1,4}|Private-MAC: [\\da-f]{40,64}`,
  'g',
);
/** Line breaks, also escaped as in JSON and source code. */
const BREAK = /\r?\n|(?:\\+r)?\\+n/g;
const FIELD = /^(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID): /;
/** Only a key has FIRM characters in a row after a header; with CERTAIN, any text may precede them on the line. */
const FIRM = 16;
const CERTAIN = 40;
const LONGEST_PREFIX = 300;

/** A piece of the text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Mark extends Span {
  readonly isHeader: boolean;
  /** Its line. */
  readonly line: number;
}

/**
 * The text with each private key masked, header and footer included, with any prefix before its lines: line numbers, file
 * names, marks of a diff or a quotation. If one end is missing, the key lines next to the other end are masked. A
 * header alone hides nothing after it. Pure; linear.
 */
export function maskPrivateKeys(text: string, mask: (key: string) => string): string {
  if (text.search(MARK) < 0) return text;
  const lines = linesOf(text);
  const marks = marksOf(text, lines);
  let [done, masked] = [0, ''];
  marks.forEach((mark, i) => {
    if (mark.from < done) return;
    const { from, to } = mark.isHeader
      ? keyBehind(text, lines, mark, marks[i + 1])
      : keyBefore(text, lines, mark, done);
    masked += text.slice(done, from) + mask(text.slice(from, to));
    done = to;
  });
  return masked + text.slice(done);
}

function linesOf(text: string): Span[] {
  const lines: Span[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(BREAK)) {
    lines.push({ from, to: index });
    from = index + found.length;
  }
  return [...lines, { from, to: text.length }];
}

function marksOf(text: string, lines: readonly Span[]): Mark[] {
  let line = 0;
  return [...text.matchAll(MARK)].map(({ 0: found, 1: word, 2: putty, index }) => {
    while ((lines[line + 1]?.from ?? Number.POSITIVE_INFINITY) <= index) line++;
    return { from: index, to: index + found.length, isHeader: word === 'BEGIN' || putty !== undefined, line };
  });
}

/** From a header to its footer; without one, as far as lines of a key follow. */
function keyBehind(text: string, lines: readonly Span[], header: Mark, next: Mark | undefined): Span {
  const { from } = header;
  const footer = next && !next.isHeader ? next : undefined;
  const own = lines[header.line];
  const onLine = text.slice(header.to, footer?.line === header.line ? footer.from : own?.to);
  const run = /^(?:[ \t]*[A-Za-z\d+/=]{16,})+/.exec(onLine)?.[0].length ?? 0;
  if (footer?.line === header.line) return { from, to: run > 0 || /^[\w+/=]*$/.test(onLine) ? footer.to : header.to };
  let end = header.to + run;
  if (trimmed(onLine.slice(run)) !== '') return { from, to: end };
  const prefix = prefixOf(text, own, from);
  for (let at = header.line + 1; at < lines.length; at++) {
    const line = lines[at] ?? header;
    const isLast = footer?.line === at;
    if (!isLast && next?.line === at) break;
    const body = bodyOf(text.slice(line.from, isLast ? footer.from : line.to), prefix);
    if (isLast) return { from, to: body.isKey || end > header.to ? footer.to : end };
    const isNearEnd = footer?.line === at + 1 && end > header.to;
    if (!body.isKey && !isNearEnd) break;
    if (body.run >= FIRM) end = line.to;
  }
  return { from, to: end };
}

/** A footer without header, and the lines of a key before it. */
function keyBefore(text: string, lines: readonly Span[], footer: Mark, done: number): Span {
  const own = lines[footer.line];
  const prefix = prefixOf(text, own, footer.from);
  let { from } = footer;
  let short = 0;
  for (let at = footer.line - 1; at >= 0; at--) {
    const line = lines[at];
    if (!line || line.from < done) break;
    const { isKey, run } = bodyOf(text.slice(line.from, line.to), prefix);
    // The last line of a key may be short, and a diff may have two of them.
    if (run > 0 && run < FIRM) short++;
    if (!isKey || short > 2) break;
    if (run >= FIRM) from = line.from;
  }
  return { from, to: footer.to };
}

/** Whether a line may belong to a key, and how many characters of one it has. */
function bodyOf(line: string, prefix: RegExp | undefined): { readonly isKey: boolean; readonly run: number } {
  const rest = trimmed(line.slice(prefix?.exec(line)?.[0].length ?? 0));
  if (/^[A-Za-z\d+/=]*$/.test(rest)) return { isKey: true, run: rest.length };
  if (FIELD.test(rest)) return { isKey: true, run: 0 };
  let run = 0;
  while (/[A-Za-z\d+/=]/.test(rest.charAt(rest.length - run - 1))) run++;
  const isKey = run >= CERTAIN && rest.length - run <= LONGEST_PREFIX;
  return { isKey, run: isKey ? run : 0 };
}

/** The prefix of a header line as a pattern with any numbers and marks: other lines of the output have the same prefix. */
function prefixOf(text: string, line: Span | undefined, header: number): RegExp | undefined {
  const before = text.slice(line?.from ?? header, header);
  if (before === '' || before.length > LONGEST_PREFIX) return undefined;
  const shape = before
    .replace(/[\\^$.*+?()[\]{}/|]/g, '\\$&')
    .replace(/\d+/g, '\\d+')
    .replace(/[:-]/g, '[:-]')
    .replace(/\s+/g, '\\s*');
  return new RegExp(`^${shape}`);
}

/** Without blanks, quotes, borders of tables and marks of diffs, quotations and comments at its ends. */
function trimmed(line: string): string {
  let [from, to] = [0, line.length];
  while (from < to && ' \t\r"\'`+-<>|│#*;,\\'.includes(line.charAt(from))) from++;
  while (to > from && ' \t\r"\'`+|│;,\\'.includes(line.charAt(to - 1))) to--;
  return line.slice(from, to);
}
