import { appendFileSync, chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { maskSecrets } from 'holdfast';

/** Earlier prompts, of this process and others, oldest first. */
export type History = ReturnType<typeof openHistory>;

const MOST = 1_000;
const MOST_CHARS = 10_000;
/** Beyond this, the file is rewritten with the newest prompts only. */
const MOST_BYTES = 2_000_000;

/** Opens the history in a folder; an unreadable file counts as empty. */
export function openHistory(folder: string) {
  const path = join(folder, 'chat-history');
  const entries = read(path);
  return {
    entries: entries as readonly string[],
    /** Saves a prompt, private to its owner, keys masked. Never throws: a chat works without it. */
    add(prompt: string): void {
      const entry = maskSecrets(prompt);
      if (entry.trim() === '' || entry.length > MOST_CHARS || entries.at(-1) === entry) return;
      entries.push(entry);
      if (entries.length > MOST) entries.shift();
      write(path, entry);
    },
  };
}

function read(path: string): string[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.flatMap(entryOf).slice(-MOST);
  } catch {
    return [];
  }
}

/** Skips a line cut off by a crash. */
function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return [];
  }
}

function write(path: string, entry: string): void {
  try {
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
    if (statSync(path).size <= MOST_BYTES) return;
    const kept = read(path).map((one) => `${JSON.stringify(one)}\n`);
    const short = `${path}.${process.pid}`;
    writeFileSync(short, kept.slice(-MOST / 2).join(''), { mode: 0o600 });
    renameSync(short, path);
  } catch {
    // The prompt is still in the session.
  }
}

/** A position while browsing earlier prompts. */
export interface Walk {
  readonly at: number;
  /** The text that was being typed before. */
  readonly own: string;
}

/** The previous or next entry; undefined at the ends. Pure. */
export function walked(
  entries: readonly string[],
  walk: Walk | undefined,
  step: -1 | 1,
  own: string,
): { readonly walk: Walk; readonly text: string } | undefined {
  const from = walk ?? { at: entries.length, own };
  const at = from.at + step;
  if (at < 0 || at > entries.length) return undefined;
  return { walk: { at, own: from.own }, text: entries[at] ?? from.own };
}
