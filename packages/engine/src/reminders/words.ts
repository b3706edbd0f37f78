/** Runs of letters, digits, `_` and `$` that do not begin with a digit: words, and identifiers of code. */
const RUN = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Where a part of an identifier ends: `gitBranch`, `HTTPServer`, `git_branch`. */
const SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|[_$]+/u;
/** Shorter words say nothing about a place. */
const LEAST = 3;

/** Calls back for every word, in small letters; an identifier as a whole and by its parts, so `gitBranch` is `git_branch`. */
export function eachWord(text: string, found: (word: string) => void): void {
  for (const [run] of text.matchAll(RUN)) {
    const parts = run.split(SEAM).filter((part) => part !== '');
    for (const part of parts) if (part.length >= LEAST) found(part.toLowerCase());
    if (parts.length > 1) found(parts.join(' ').toLowerCase());
  }
}
