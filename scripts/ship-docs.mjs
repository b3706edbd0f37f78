// Copies the documentation into the package that npm is about to pack (`prepack`), so that links in its README lead to
// shipped files. Links that leave the documentation become plain text. Plain JavaScript, so any Node can run it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));

/** Replaces every relative link that leaves `docs/` by its text, and leaves pictures out. Pure. */
export function withinDocs(text, path) {
  return text
    .replace(/^!\[[^\]]*\]\([^)]*\.png\)\n\n?/gm, '')
    .replace(/\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g, (link, words, target) =>
      target.startsWith('/') || posix.normalize(posix.join(posix.dirname(path), target)).startsWith('..')
        ? words
        : link,
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const into = join(process.cwd(), 'docs');
  rmSync(into, { recursive: true, force: true });
  for (const path of ['.', 'decisions'].flatMap((folder) =>
    readdirSync(join(DOCS, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => posix.join(folder, name)),
  )) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), withinDocs(readFileSync(join(DOCS, path), 'utf8'), path));
  }
}
