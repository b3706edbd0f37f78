import { posix } from 'node:path';

/** Markdown pages by their path in the repository, with what a link to each may name after `#`. */
export type Pages = ReadonlyMap<string, ReadonlySet<string>>;

/** The anchors that GitHub gives the headings of a page. Pure. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Relative links of a page that lead to no file, or to no heading of it. Pure but for `exists`. */
export function deadLinks(path: string, page: string, pages: Pages, exists: (path: string) => boolean): string[] {
  return linksOf(page).flatMap((link) => {
    const [target = '', anchor] = link.split('#');
    const to = target === '' ? path : posix.normalize(posix.join(posix.dirname(path), decodeURI(target)));
    if (to.startsWith('..') || !exists(to)) return [`${path} links to ${link}: there is no file ${to}`];
    const anchors = pages.get(to);
    if (anchor === undefined || !anchors || anchors.has(anchor)) return [];
    return [`${path} links to ${link}: ${to} has no heading for #${anchor}`];
  });
}

/** Where links and pictures of a page lead that are no URLs. Pure. */
export function linksOf(page: string): string[] {
  const text = prose(page).replace(/(`+).+?\1/g, '``');
  const found = text.matchAll(/\]\(<?([^)>\s]+)|^\[[^\]]+\]: *(\S+)|<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"/gm);
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '').filter((link) => !/^\w+:/.test(link));
}

/** Numbers of decisions that a text names and that have no page. Pure. */
export function missingDecisions(path: string, text: string, decisions: ReadonlySet<number>): string[] {
  const named = [...text.matchAll(/\bdecisions?[ /][[(]?(\d{1,4}(?:(?:, | and |, and )\d{1,4})*)\b/gi)];
  const numbers = named.flatMap(([, list = '']) => (list.match(/\d+/g) ?? []).map(Number));
  return [...new Set(numbers)]
    .filter((number) => !decisions.has(number))
    .map((number) => `${path} names decision ${number}, which has no page in docs/decisions`);
}

/** A page without its code blocks. Pure. */
function prose(page: string): string {
  return page.replace(/^ *(`{3,}|~{3,})[^`\n]*\n.*?^ *\1 *$/gms, '');
}
