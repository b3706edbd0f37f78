// Writes docs/notes.md: ten notes as folds of recorded conversations made them. Needs HOLDFAST_TRANSCRIPTS.
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
        `${fold.receipt.note_tokens} tokens, ${(100 * fold.literalShare).toFixed(0)}% of them names; view ${fold.receipt.before.tokens} → ${fold.receipt.after.tokens} tokens (10,000 of them beside the messages), turns kept ${fold.receipt.kept}, masked ${fold.receipt.masked}, dropped ${fold.receipt.dropped}.`,
        `~~~~text\n${fold.receipt.note ?? ''}\n~~~~`,
      ]
    : [],
);
const head = `# Ten real notes

What \`fold\` wrote in place of folded turns of recorded coding sessions (MIT, published by their authors), at \`max_tokens: 50_000, reserve: 10_000, max_messages: 0\`: one in ${Math.round(step)} of ${folds.length} folds. Made by \`npm run notes\`, no model involved. \`m41\` is the handle of message 41; \`recall('m41')\` gives it back.

What to look for: the user's words and the last decisions first, then what was run and what failed, then names by kind, each behind its last use. Names that still stand in the view are left out. Where arguments travel as JSON text, names are also read as they stand there, so that a line break before a name can stick to it (\`nFiles\`): that is the form in which the next call repeats them, worth 1.7 points of coverage by the measure, and the reason for some odd ones.`;
writeFileSync(fileURLToPath(new URL('../docs/notes.md', import.meta.url)), `${[head, ...pages].join('\n\n')}\n`);
console.log(`docs/notes.md: ${chosen.length} of ${folds.length} notes`);
