// Prints the size of a search index over recorded conversations for each tokenizer: `node --conditions=@holdfast/source scripts/search-sizes.ts`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageText, passagesOf, wordsIn } from '@holdfast/sessions';

const folder = process.env.HOLDFAST_TRANSCRIPTS;
if (!folder) {
  console.error('search-sizes: set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations');
  process.exit(2);
}

const passages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(1))
  .filter((line) => line !== '')
  .flatMap((line) => {
    const text = messageText(JSON.parse(line));
    return passagesOf(text).map(({ start, end }) => text.slice(start, end));
  });
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const size = passages.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
console.log(`${passages.length} passages, ${megabytes(size)} of text`);

const plain = (text: string) => text;
const INDEXES: readonly (readonly [name: string, tokenizer: string, words: (text: string) => string])[] = [
  ['unicode61', 'unicode61', plain],
  ['unicode61 with _', `unicode61 tokenchars '_'`, plain],
  ['trigram', 'trigram', plain],
  ['wordsIn, ascii', 'ascii', (text) => wordsIn(text).join(' ')],
];
for (const [name, tokenizer, words] of INDEXES) {
  const db = new DatabaseSync(':memory:');
  db.exec(
    `CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, tokenize="${tokenizer}"); BEGIN`,
  );
  const add = db.prepare('INSERT INTO words (text) VALUES (?)');
  for (const text of passages) add.run(words(text));
  db.exec('COMMIT');
  console.log(`${name}: ${megabytes(4096 * Number(db.prepare('PRAGMA page_count').get()?.page_count))}`);
  db.close();
}
