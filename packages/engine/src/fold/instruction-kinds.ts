/** The opening tag of a text, and what may be the attributes at its end. */
const TAG = /^<([a-z][^<>\n]{0,80})>/i;
const ATTRIBUTES = /(?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))*\s*\/?$/;
const HEADING = /^#{1,6}\s+(.+)/;
/** Most characters of a heading or a first line that count. */
const OPENING = 80;

/**
 * The kinds of an instruction: the tags of the blocks that it starts with, or else its heading, or else its first line. Numbers
 * in them do not matter. Pure.
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
  const [line = ''] = rest.slice(0, OPENING).split('\n', 1);
  const heading = HEADING.exec(line)?.[1];
  return [heading === undefined ? plain(line) : `# ${plain(heading.replace(/#+\s*$/, ''))}`];
}

function tagOf(text: string): string | undefined {
  return TAG.exec(text)?.[1]?.replace(ATTRIBUTES, '');
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\d+/g, '0').replace(/\s+/g, ' ').trim();
}
