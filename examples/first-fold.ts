import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConversationWindow, type Receipt, type ReceiptTurn } from 'holdfast';
import { type GeneratedMessage, generateConversation } from './generate.ts';

const PAGE = fileURLToPath(new URL('../docs/concepts.md', import.meta.url));
const BLOCK = /(?<=```text\n)history:[^`]*(?=```)/;

/** Renders the first fold of a short conversation as the table in docs/concepts.md. Deterministic. */
export async function firstFold(): Promise<string> {
  const history = generateConversation({ seed: 1, messages: 60, dialect: 'anthropic' });
  const window = new ConversationWindow<GeneratedMessage>({ max_tokens: 12_000 }, { dialect: 'anthropic' });
  for (const [index, message] of history.entries()) {
    if (message.role !== 'assistant') continue;
    const { receipt } = await window.fit(history.slice(0, index));
    if (receipt) return describe(index, receipt);
  }
  throw new Error('the conversation is too short for a fold: generate a longer one');
}

function describe(messages: number, receipt: Receipt): string {
  const { before, after, kept, masked, dropped } = receipt;
  return [
    `history: ${messages} messages`,
    `view:    ${before.messages} messages, ~${before.tokens} tokens → ${after.messages} messages, ~${after.tokens} tokens`,
    `turns:   kept ${kept}, masked ${masked}, dropped ${dropped}`,
    `note:    ~${receipt.noteTokens} tokens`,
    '',
    'messages   verdict   tokens          handle',
    ...merge(receipt.turns).map(turnLine),
    '',
  ].join('\n');
}

/** Merges neighbours that got the same verdict. */
function merge(turns: readonly ReceiptTurn[]): ReceiptTurn[] {
  const runs: ReceiptTurn[] = [];
  for (const turn of turns) {
    const last = runs.at(-1);
    if (last?.verdict !== turn.verdict) runs.push(turn);
    else {
      const tokens = { before: last.tokens.before + turn.tokens.before, after: last.tokens.after + turn.tokens.after };
      runs.splice(-1, 1, {
        ...last,
        to: turn.to,
        tokens,
        ...(last.handle ? { handle: `m${last.from}-m${turn.to}` } : {}),
      });
    }
  }
  return runs;
}

function turnLine({ from, to, verdict, tokens, handle }: ReceiptTurn): string {
  const places = from === to ? `${from}` : `${from}–${to}`;
  const change = tokens.before === tokens.after ? `~${tokens.before}` : `~${tokens.before} → ~${tokens.after}`;
  return `${places.padEnd(11)}${verdict.padEnd(10)}${change.padEnd(16)}${handle ?? ''}`.trimEnd();
}

/** The table currently in the page. */
export function tableInPage(): string | undefined {
  return BLOCK.exec(readFileSync(PAGE, 'utf8'))?.[0];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const table = await firstFold();
  console.log(table);
  if (process.argv[2] === '--write')
    writeFileSync(
      PAGE,
      readFileSync(PAGE, 'utf8').replace(BLOCK, () => table),
    );
}
