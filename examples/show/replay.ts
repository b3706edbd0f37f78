import { ConversationWindow, type Receipt } from 'holdfast';
import { validateAnthropic, validateOpenaiChat } from 'holdfast/rules';
import { type GeneratedDialect, type GeneratedMessage, generateConversation } from '../generate.ts';
import { gaugeLine } from './gauge.ts';
import type { Options } from './options.ts';
import { createProvider } from './provider.ts';
import { receiptLines } from './receipt.ts';
import { proofLines, summaryLines } from './summary.ts';
import { figure, type Paint } from './terminal.ts';

/** The output of a replay. */
export interface Screen {
  readonly paint: Paint;
  print(line: string): void;
  /** Awaited after each call, so that a viewer can follow. */
  pause(calls: number): Promise<void>;
}

/** Replays a generated conversation call by call and prints a summary. Rejects with HoldfastError. */
export async function showReplay(options: Options, screen: Screen): Promise<void> {
  const { paint, print } = screen;
  const { maxTokens, strategy } = options;
  const history = generateConversation(options);
  const answers = [...history.entries()].filter(([, message]) => message.role === 'assistant');
  print(
    `${paint.bold('Holdfast')}: ${figure(history.length)} messages, ${figure(answers.length)} calls, at most ${figure(maxTokens)} tokens per call (${strategy})`,
  );
  print('');

  const window = new ConversationWindow<GeneratedMessage>(
    { max_tokens: maxTokens, strategy },
    { dialect: options.dialect, logger: { warn() {} } }, // an error ends the replay with one line
  );
  const bounded = createProvider();
  const unbounded = createProvider();
  const receipts: Receipt[] = [];
  let seen: readonly GeneratedMessage[] = [];
  let invalid = 0;
  for (const [call, [index, answer]] of answers.entries()) {
    seen = history.slice(0, index);
    const { messages, metrics, receipt } = await window.fit(seen);
    if (receipt) {
      receipts.push(receipt);
      for (const line of receiptLines(receipt, paint)) print(line);
    }
    print(gaugeLine(call + 1, metrics, maxTokens, answer, paint));
    if (violationsOf(options.dialect, messages).length > 0) invalid += 1;
    window.observe(bounded.request(messages));
    unbounded.request(seen);
    await screen.pause(answers.length);
  }

  print('');
  for (const line of summaryLines({ calls: answers.length, receipts, invalid, maxTokens, bounded, unbounded }, paint))
    print(line);
  for (const line of await proofLines(window, seen, receipts, paint)) print(line);
}

/** The API rules that a request with these messages would break. */
export function violationsOf(dialect: GeneratedDialect, messages: readonly GeneratedMessage[]): object[] {
  const validate = dialect === 'anthropic' ? validateAnthropic : validateOpenaiChat;
  return validate(messages as Parameters<typeof validateAnthropic>[0] & Parameters<typeof validateOpenaiChat>[0]);
}
