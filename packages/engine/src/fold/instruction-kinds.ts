/** The opening tag of a text, and what may be the attributes at its end. */
const TAG = /^<([a-z][^<>\n]{0,80})>/i;
const ATTRIBUTES = /(?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))*\s*\/?$/;
/** A Markdown heading, a bold line, or a short line that ends with a colon. */
const HEADING = /^(?:#{1,6}\s+(.+)|\*\*(.+)\*\*:?|(.+):)$/;
/** A longer line is no heading. */
const LONGEST_HEADING = 80;
/** What has neither tag nor heading: a later one replaces all before it, or remarks of any text would fill the budget. */
const PLAIN = '';

/**
 * The kinds of an instruction: the tags of the blocks that it starts with, or else its heading. Texts with neither are one
 * kind. Numbers do not matter. Pure.
 */
export function kindsOf(text: string): string[] {
  const kinds: string[] = [];
  let rest = text.trimStart();
  for (let tag = tagOf(rest); tag !== undefined; tag = tagOf(rest)) {
    kinds.push(`<${plain(tag)}>`);
    const end = rest.indexOf(`</${tag}>`);
    rest = end < 0 ? '' : rest.slice(end + tag.length + 3).trimStart();
  }
  if (kinds.length > 0) return kinds;
  const [line = ''] = rest.slice(0, LONGEST_HEADING + 1).split('\n', 1);
  const [, hashed, bold, label] = (line.length <= LONGEST_HEADING && HEADING.exec(line.trim())) || [];
  const heading = hashed ?? bold ?? label;
  return [heading === undefined ? PLAIN : `# ${plain(heading.replace(/[#:*\s]+$/, ''))}`];
}

function tagOf(text: string): string | undefined {
  return TAG.exec(text)?.[1]?.replace(ATTRIBUTES, '');
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\d+/g, '0').replace(/\s+/g, ' ').trim();
}
