// Writes docs/notes.md: three short notes from folds of recorded conversations. Needs HOLDFAST_TRANSCRIPTS_MORE, a folder of
// recordings of several kinds of work.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RecordedFold, recordedFolds } from './recorded-folds.ts';

/** Which conversations of the second folder to show, by the kind of work. */
const KINDS: readonly (readonly [label: string, folder: string])[] = [
  ['support', 'misc-holmesgpt'],
  ['a team of agents', 'magentic-one'],
  ['coding', 'cipherbox-claude'],
];
/** Conversations about this long fold at least once. */
const LEAST_TOKENS = 30_000;
/** Of notes ordered by length, the one at this share is shown: a whole note that is quick to read. */
const LENGTH = 0.25;
/** The sections of a note are cut to this many lines, and lines to this many characters: the rest looks the same. */
const LINES = 5;
const CHARS = 220;

const more = process.env.HOLDFAST_TRANSCRIPTS_MORE;
if (!more) {
  console.error('notes: set HOLDFAST_TRANSCRIPTS_MORE to a folder of recorded conversations');
  process.exit(1);
}
const chosen: string[] = [];
for (const [label, folder] of KINDS) {
  const folds = (await recordedFolds(join(more, folder), LEAST_TOKENS)) ?? [];
  const byLength = folds.toSorted((a, b) => a.receipt.noteTokens - b.receipt.noteTokens);
  chosen.push(...page(byLength[Math.floor(folds.length * LENGTH)], label));
}
const head = `# Real notes

After reading this page you know what a model sees in place of folded turns. \`fold\` wrote these notes for recorded sessions (MIT or Apache 2.0, published by their authors) with \`max_tokens: 50_000, reserve: 10_000\`; no model is involved. \`npm run notes\` generates the page, and cuts sections to ${LINES} lines and lines to ${CHARS} characters. [Concepts](concepts.md#the-note) says what is in a note; \`recall('m41')\` returns message 41.`;
writeFileSync(fileURLToPath(new URL('../docs/notes.md', import.meta.url)), `${[head, ...chosen].join('\n\n')}\n`);
console.log(`docs/notes.md: ${chosen.length / 3} notes`);

function page(fold: RecordedFold | undefined, label: string): string[] {
  if (fold === undefined) return [];
  const { receipt } = fold;
  return [
    `## ${fold.conversation}, fold ${receipt.fold}: ${label}`,
    `${receipt.noteTokens} tokens; view ${receipt.before.tokens} → ${receipt.after.tokens} tokens (10,000 of them overhead); ${receipt.kept} turns kept, ${receipt.masked} masked, ${receipt.dropped} dropped.`,
    `~~~~text\n${withFewLines(receipt.note ?? '')}\n~~~~`,
  ];
}

function withFewLines(note: string): string {
  return note
    .split('\n## ')
    .map((part) => {
      const lines = part.split('\n').map((line) => (line.length > CHARS ? `${line.slice(0, CHARS)} …` : line));
      if (lines.length <= LINES + 1) return lines.join('\n');
      const more = lines.length - LINES - 1;
      return [...lines.slice(0, LINES + 1), `(${more} more ${more === 1 ? 'line' : 'lines'})`].join('\n');
    })
    .join('\n## ');
}
