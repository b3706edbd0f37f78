// Writes docs/notes.md: ten notes from folds of recorded conversations. Needs HOLDFAST_TRANSCRIPTS.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordedFolds } from './recorded-folds.ts';

const WANTED = 10;

const folds = await recordedFolds();
if (folds === undefined) {
  console.error('notes: set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations');
  process.exit(1);
}
const step = folds.length / WANTED;
const chosen = Array.from({ length: WANTED }, (_, i) => folds[Math.floor((i + 0.5) * step)]);
const pages = chosen.flatMap((fold) =>
  fold
    ? [
        `## ${fold.conversation}, fold ${fold.receipt.fold}`,
        `${fold.receipt.note_tokens} tokens, ${(100 * fold.literalShare).toFixed(0)}% of them names; view ${fold.receipt.before.tokens} → ${fold.receipt.after.tokens} tokens (10,000 of them overhead); ${fold.receipt.kept} turns kept, ${fold.receipt.masked} masked, ${fold.receipt.dropped} dropped.`,
        `~~~~text\n${fold.receipt.note ?? ''}\n~~~~`,
      ]
    : [],
);
const head = `# Ten real notes

After reading this page you know what a model sees in place of folded turns. These are notes that \`fold\` wrote for recorded coding sessions (MIT, published by their authors) with \`max_tokens: 50_000, reserve: 10_000, max_messages: 0\`: one in ${Math.round(step)} of ${folds.length} folds. \`npm run notes\` generates the page; no model is involved. \`m41\` is the handle of message 41, and \`recall('m41')\` returns it.

A note starts with the user's words and the latest decisions, then lists what was run and what failed, then names by kind, each with the place of its last use. It leaves out names that are still in the view. Some names look odd (\`nFiles\`): where arguments are sent as JSON text, a line break before a name can stick to it. The note keeps that form because the next call often repeats it, which is worth 1.7 points of coverage.`;
writeFileSync(fileURLToPath(new URL('../docs/notes.md', import.meta.url)), `${[head, ...pages].join('\n\n')}\n`);
console.log(`docs/notes.md: ${chosen.length} of ${folds.length} notes`);
