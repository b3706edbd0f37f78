import { attempt } from '../../attempt.ts';
import { alternatives, glob } from '../search/glob.ts';

/** A parsed entry of a scope. */
export interface EntryRead {
  readonly patterns: readonly string[];
  /** Patterns with a leading `!`. */
  readonly excluded: readonly string[];
  readonly readOnly: boolean;
}

const EXCEPT = /\b(?:except|excluding|but not|other than|apart from|unless)\b/i;
const NOT = /\b(?:not|never|no|without|don['’]t|forbidden)\b/i;

/**
 * Parses the paths, globs and remarks of an entry such as "`src/a.ts`, `src/b.ts` (read-only)". Returns undefined for
 * anything else: a sentence, a path outside the workspace, an exception. `forbids` says how to read a "not". Pure.
 */
export function readEntry(entry: string, forbids: boolean): EntryRead | undefined {
  const text = plainEntry(entry);
  const quoted = [...text.matchAll(/(!?)\s*`([^`]+)`/g)].map(([, not = '', path = '']) => `${not}${path.trim()}`);
  const remark =
    quoted.length > 0
      ? text.replace(/`[^`]*`/g, '')
      : (/(?:\s+[(—–#-]|:\s|(?<=[^/\s])\(.*\)$).*$/.exec(text)?.[0] ?? '');
  // A path mentioned in passing must not get lost.
  const passing = remark.replace(/\(.*?\)/g, '').replace(/(?:[(—–:#]|\s-\s).*$/, '');
  if (/[/*]|\.\w/.test(passing) || EXCEPT.test(remark) || (!forbids && NOT.test(remark.replace(/\(.*?\)/g, ''))))
    return undefined;
  const bare = text.slice(0, text.length - remark.length).split(/\s+(?:and|or|&)\s+|;\s*/);
  const found = quoted.length > 0 ? quoted : bare.flatMap(alternatives).map(plainPath);
  if (quoted.length === 0 && found.length > 1 && found.at(-1) === '') found.pop();
  const paths = found.map((one) => one.replace(/^(!?)\s*(?:\.\/)+(?=.)/, '$1'));
  if (!paths.every((path) => isPath(path.replace(/^!/, '')) && (quoted.length > 0 || !/\s/.test(path))))
    return undefined;
  return {
    patterns: paths.filter((path) => !path.startsWith('!')),
    excluded: paths.filter((path) => path.startsWith('!')).map((path) => path.slice(1)),
    readOnly: /\(\s*read\b|\bread[- ]only\b/i.test(remark),
  };
}

/** Turns links and quotes into backticks; drops comments, checkboxes and bold. */
function plainEntry(entry: string): string {
  const text = entry
    .replace(/<!--.*?-->/g, '')
    .trim()
    .replace(/^\[[ xX]\]\s+/, '')
    .replace(/\[[^\]]*\]\(<?([^)>\s#]+)[^)]*\)/g, '`$1`')
    .replace(/(^|\s)\*\*([\w.@][^*]*)\*\*(?=[\s,;:]|$)/g, '$1$2')
    .replace(/^_([^_\s][^\s]*[/.][^\s]*)_$/, '$1')
    .replace(/^<([^<>]+)>/, '`$1`');
  return text.includes('`') ? text : text.replace(/^(!?)["'“]([^"'”]+)["'”]/, '$1`$2`');
}

function plainPath(path: string): string {
  return path.trim().replace(/:(?:\d+(?:-\d+)?)?$/, '');
}

function isPath(pattern: string): boolean {
  if (pattern === '' || /^[/~!]|\\|^[a-z]:|^[a-z][a-z0-9+.-]*:\/\//i.test(pattern)) return false;
  // No file is named like a link reference, a tag, a variable or dots.
  if (/\]\[|[<>]|^\$\{?[A-Z_]+\}?(?:\/|$)/.test(pattern) || !/[\p{L}\p{N}*?._]/u.test(pattern)) return false;
  return !pattern.split('/').includes('..') && attempt(() => glob(pattern)) !== undefined;
}
