// Copies the documentation into the package that npm is about to pack (`prepack`), and points the links of its README there
// until it is packed (`postpack`). Links that leave the package become plain text. Plain JavaScript, so any Node can run it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** A package's README as it is shipped, with the documentation beside it. Pure. */
export function forPackage(readme) {
  return withinDocs(readme.replaceAll('](../../docs/', '](docs/'), 'README.md');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const readme = join(process.cwd(), 'README.md');
  const original = join(process.cwd(), '.README.original.md');
  if (existsSync(original)) renameSync(original, readme);
  if (process.argv[2] !== 'postpack') {
    shipDocs(join(process.cwd(), 'docs'));
    const text = readFileSync(readme, 'utf8');
    renameSync(readme, original);
    writeFileSync(readme, forPackage(text));
  }
}

function shipDocs(into) {
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
