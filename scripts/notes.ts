// Writes docs/notes.md: ten notes from folds of recorded conversations. Needs HOLDFAST_TRANSCRIPTS, and in HOLDFAST_TRANSCRIPTS_MORE
// a folder with recordings of other kinds of work.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RecordedFold, recordedFolds } from './recorded-folds.ts';

/** Which conversations of the second folder to show, by the kind of work: of each, the note of median length. */
const KINDS: readonly (readonly [label: string, folder: string])[] = [
  ['support', 'misc-holmesgpt'],
  ['research', 'superbench-research'],
  ['browsing', 'browseragent-webarena'],
  ['a team of agents', 'magentic-one'],
  ['coding with Codex', 'agentv-codex'],
  ['coding with Claude Code', 'cipherbox-claude'],
];
const OTHERS = 4;
/** Conversations about this long fold at least once. */
const LEAST_TOKENS = 30_000;
/** The notes are cut to this many lines of names: the rest looks the same. */
const NAME_LINES = 6;

const more = process.env.HOLDFAST_TRANSCRIPTS_MORE;
const coding = await recordedFolds(process.env.HOLDFAST_TRANSCRIPTS);
if (coding === undefined || !more) {
  console.error('notes: set HOLDFAST_TRANSCRIPTS and HOLDFAST_TRANSCRIPTS_MORE to folders of recorded conversations');
  process.exit(1);
}
const kinds: string[][] = [];
for (const [label, folder] of KINDS) {
  const folds = (await recordedFolds(join(more, folder), LEAST_TOKENS)) ?? [];
  const byLength = folds.toSorted((a, b) => a.receipt.note_tokens - b.receipt.note_tokens);
  kinds.push(page(byLength[Math.floor(folds.length / 2)], label));
}
const chosen = [
  ...kinds.flat(),
  ...Array.from({ length: OTHERS }, (_, i) =>
    page(coding[Math.floor(((i + 0.5) * coding.length) / OTHERS)], 'coding'),
  ).flat(),
];
const head = `# Ten real notes

After reading this page you know what a model sees in place of folded turns. These are notes that \`fold\` wrote for recorded sessions (MIT or Apache 2.0, published by their authors) with \`max_tokens: 50_000, reserve: 10_000, max_messages: 0\`. \`npm run notes\` generates the page; no model is involved. \`m41\` is the handle of message 41, and \`recall('m41')\` returns it. Lists of names are cut here to ${NAME_LINES} lines.

The view also has the user's first and newest message, which the note does not repeat. A note starts with the user's other words. Then come the assistant's decisions, the causes it found, what it tried without success, what it found out, what it left open and, apart from that, the steps it announced before its newest one. The list of files says which messages read and changed each file. Commands follow, with the line that says what failed, then ids with the words that explain them, and last the names that calls used.`;
writeFileSync(fileURLToPath(new URL('../docs/notes.md', import.meta.url)), `${[head, ...chosen].join('\n\n')}\n`);
console.log(`docs/notes.md: ${chosen.length / 3} notes`);

function page(fold: RecordedFold | undefined, label: string): string[] {
  if (fold === undefined) return [];
  const { receipt } = fold;
  return [
    `## ${fold.conversation}, fold ${receipt.fold}: ${label}`,
    `${receipt.note_tokens} tokens; view ${receipt.before.tokens} → ${receipt.after.tokens} tokens (10,000 of them overhead); ${receipt.kept} turns kept, ${receipt.masked} masked, ${receipt.dropped} dropped.`,
    `~~~~text\n${withFewNames(receipt.note ?? '')}\n~~~~`,
  ];
}

function withFewNames(note: string): string {
  return note
    .split('\n## ')
    .map((part) => {
      const lines = part.split('\n');
      if (!/^(?:Paths|Names), by last use/.test(part) || lines.length <= NAME_LINES + 1) return part;
      const more = lines.length - NAME_LINES - 1;
      return [...lines.slice(0, NAME_LINES + 1), `(${more} more ${more === 1 ? 'line' : 'lines'})`].join('\n');
    })
    .join('\n## ');
}
