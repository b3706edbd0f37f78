import type { DatabaseSync } from 'node:sqlite';
import type { SessionEntry, WireMessage } from '../entry.ts';
import { parseEntry } from '../log/broken-entry.ts';
import { messageText } from '../recall/message-text.ts';
import { passagesOf, wordsIn } from '../recall/passages.ts';

/** The passages of all messages and the index of their words. */
export const SEARCH_TABLES = `CREATE TABLE passages (
     key INTEGER PRIMARY KEY,
     entry INTEGER NOT NULL REFERENCES entries (key),
     start INTEGER NOT NULL,
     "end" INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX passages_entry ON passages (entry);
   CREATE VIRTUAL TABLE words USING fts5 (session, text, content='', contentless_delete=1, tokenize='ascii');`;

/** The indexes of all other tables. */
export const INDEXES = `CREATE INDEX IF NOT EXISTS sessions_updated ON sessions (updated DESC, id DESC);
   CREATE INDEX IF NOT EXISTS entries_type ON entries (session, type, seq);
   CREATE INDEX IF NOT EXISTS entries_place ON entries (session, place, seq, revision) WHERE place IS NOT NULL;
   CREATE INDEX IF NOT EXISTS entries_handle ON entries (session, handle, target) WHERE handle IS NOT NULL;`;

type Statements = ReturnType<typeof passageStatements>;

/** The statements that add to the search index. */
export function passageStatements(db: DatabaseSync) {
  return {
    addPassage: db.prepare('INSERT INTO passages (entry, start, "end") VALUES (?, ?, ?)'),
    addWords: db.prepare('INSERT INTO words (rowid, session, text) VALUES (?, ?, ?)'),
  };
}

/** Adds a message to the search index. `session` and `entry`: keys of their rows. */
export function addPassages(
  { addPassage, addWords }: Statements,
  session: number,
  entry: number,
  message: WireMessage,
): void {
  const text = messageText(message);
  for (const { start, end } of passagesOf(text)) {
    const words = wordsIn(text.slice(start, end)).join(' ');
    if (words === '') continue;
    const { lastInsertRowid } = addPassage.run(entry, start, end);
    addWords.run(lastInsertRowid, `s${session}`, words);
  }
}

/** Builds all that is derived from sessions and entries again: the search index, and the indexes of tables. */
export function rebuildDerived(db: DatabaseSync): void {
  db.exec('DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS passages');
  db.exec(`${INDEXES} REINDEX; ${SEARCH_TABLES}`);
  const sql = passageStatements(db);
  const rows = db.prepare(`SELECT key, session, body FROM entries WHERE type = 'message'`);
  for (const { key, session, body } of rows.iterate()) {
    const entry = readable(String(body));
    if (entry?.type === 'message') addPassages(sql, Number(session), Number(key), entry.message);
  }
}

/** A broken entry is not found by its words, and `verify` names it. */
function readable(body: string): SessionEntry | undefined {
  try {
    return parseEntry(body, 'message');
  } catch {
    return undefined;
  }
}
