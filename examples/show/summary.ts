import type { ConversationWindow, Receipt } from 'holdfast';
import type { GeneratedMessage } from '../generate.ts';
import type { Provider } from './provider.ts';
import { figure, type Paint } from './terminal.ts';

/** The result of a replay. */
export interface Outcome {
  readonly calls: number;
  readonly receipts: readonly Receipt[];
  /** Calls whose view broke a rule of the wire format. */
  readonly invalid: number;
  readonly maxTokens: number;
  /** What was sent, and what sending everything would have cost. */
  readonly bounded: Provider;
  readonly unbounded: Provider;
}

/** Calls, folds, largest request and cost, compared with sending everything. */
export function summaryLines(
  { calls, receipts, invalid, maxTokens, bounded, unbounded }: Outcome,
  paint: Paint,
): string[] {
  const ratio = (bounded.cost / unbounded.cost).toFixed(2);
  return [
    row(
      paint,
      'calls',
      `${figure(calls)}, ${invalid === 0 ? 'every view valid' : paint.red(`${invalid} views invalid`)}`,
    ),
    row(
      paint,
      'folds',
      `${receipts.length}; the cached prefix was rewritten on ${bounded.rewrites} of ${figure(calls)} calls`,
    ),
    row(
      paint,
      'largest',
      `${figure(bounded.largest)} tokens by usage, max ${figure(maxTokens)}; sending everything: ${figure(unbounded.largest)}`,
    ),
    row(paint, 'cost', `${paint.bold(ratio)} of sending everything (cached token 0.1, new token 1.25)`),
  ];
}

/** Recovers every message from the view or by its handle, and counts those identical to the original. */
export async function proofLines(
  window: ConversationWindow<GeneratedMessage>,
  history: readonly GeneratedMessage[],
  receipts: readonly Receipt[],
  paint: Paint,
): Promise<string[]> {
  const dropped = receipts.flatMap(({ turns }) => turns).filter(({ verdict }) => verdict === 'drop');
  const example = dropped[Math.floor(dropped.length / 2)];
  const lines: string[] = [];
  if (example) {
    const handle = `m${example.from}`;
    const { messages } = await window.recall(handle);
    const bytes = Buffer.from(JSON.stringify(messages[0]));
    const same = bytes.equals(Buffer.from(JSON.stringify(history[example.from])));
    lines.push(
      row(
        paint,
        'recall',
        `${handle}, dropped: ${figure(bytes.length)} bytes, ${same ? 'identical to the original' : paint.red('NOT the original')}`,
      ),
    );
  }
  let back = 0;
  for (const [index, original] of history.entries()) {
    const { messages } = await window.recall(`m${index}`);
    if (JSON.stringify(messages) === JSON.stringify([original])) back += 1;
  }
  const all = `${figure(back)} of ${figure(history.length)} messages come back byte for byte`;
  lines.push(
    row(
      paint,
      back === history.length ? 'nothing lost' : 'LOST',
      back === history.length ? paint.green(all) : paint.red(all),
    ),
  );
  return lines;
}

function row(paint: Paint, name: string, text: string): string {
  return `${paint.cyan(name.padEnd(13))}${text}`;
}
