/** A block of a text. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'rule' }
  | { readonly type: 'quote'; readonly inside: readonly Block[] }
  | { readonly type: 'list'; readonly start?: number; readonly items: readonly (readonly Block[])[] }
  | { readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})(?:([-*+])|(\d{1,9})[.)])(?: +|$)/;
const DASHES = /^ *\|?(?: *:?-{2,}:? *\|)+(?: *:?-{2,}:? *)?$|^ *\|(?: *:?-{2,}:? *\|?)+$/;
const DEEPEST = 5;

/** The blocks of a text in Markdown. Everything unknown is text, and each line is read once per level. Pure. */
export function blocksOf(text: string): Block[] {
  return readBlocks(text.replace(/\r\n?/g, '\n').split('\n'), 0);
}

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ type: 'text', text: paragraph.join('\n') });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const found = depth > DEEPEST ? undefined : blockAt(lines, at, depth);
    if (found) {
      flush();
      blocks.push(found.block);
      at = found.end;
      continue;
    }
    if (line.trim() === '') flush();
    else paragraph.push(line);
    at++;
  }
  flush();
  return blocks;
}

interface Found {
  readonly block: Block;
  readonly end: number;
}

function blockAt(lines: readonly string[], at: number, depth: number): Found | undefined {
  const line = lines[at] ?? '';
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fenceAt(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading) return { block: { type: 'heading', text: heading[1] ?? '' }, end: at + 1 };
  if (RULE.test(line)) return { block: { type: 'rule' }, end: at + 1 };
  if (QUOTE.test(line)) return quoteAt(lines, at, depth);
  if (ITEM.test(line)) return listAt(lines, at, depth);
  return line.includes('|') && DASHES.test(lines[at + 1] ?? '') ? tableAt(lines, at) : undefined;
}

function fenceAt(lines: readonly string[], at: number, fence: string): Found {
  let end = at + 1;
  const isEnd = (line: string) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '';
  while (end < lines.length && !isEnd(lines[end] ?? '')) end++;
  return { block: { type: 'code', text: lines.slice(at + 1, end).join('\n') }, end: end + 1 };
}

function quoteAt(lines: readonly string[], at: number, depth: number): Found {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? '')) end++;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return { block: { type: 'quote', inside: readBlocks(inside, depth + 1) }, end };
}

/** Items of the same sort; what is indented below one, or follows without a blank line, is part of it. */
function listAt(lines: readonly string[], at: number, depth: number): Found {
  const first = ITEM.exec(lines[at] ?? '');
  const isSame = (item: RegExpExecArray) => (item[3] === undefined) === (first?.[3] === undefined);
  const indent = first?.[1]?.length ?? 0;
  const isDeeper = (line: string) => line.startsWith(' '.repeat(indent + 2));
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    const item = isDeeper(line) ? null : ITEM.exec(line);
    if (item && isSame(item)) items.push([line.slice(item[0].length)]);
    else if (item) break;
    else if (/^(?: {2,}|\t)/.test(line)) items.at(-1)?.push(line.replace(/^(?: {2,3}|\t)/, ''));
    else if (line.trim() === '' && /^(?: {2,}|\t)\S/.test(lines[end + 1] ?? '')) items.at(-1)?.push('');
    else if (line.trim() === '' && ITEM.test(lines[end + 1] ?? '')) continue;
    else break;
  }
  const start = first?.[3] === undefined ? {} : { start: Number(first[3]) };
  return { block: { type: 'list', ...start, items: items.map((item) => readBlocks(item, depth + 1)) }, end };
}

function tableAt(lines: readonly string[], at: number): Found {
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|')) end++;
  const rows = lines.slice(at + 2, end).map(cellsOf);
  return { block: { type: 'table', head: cellsOf(lines[at] ?? ''), rows }, end };
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map((cell) => cell.trim());
}
