import { createEverythingCosts, modelInfo, pricing } from '@holdfast/models';
import { eachEntry, readUsage } from '@holdfast/sessions';
import { counted, difference, money, percent, tokens } from '../../view/amounts.ts';
import { pad, wrapText } from '../../view/text.ts';
import { type CommandContext, say } from './command.ts';

const LABEL = 15;

/** `/cost`: what this session used, by kind, and what it would have cost to send the whole history each time. */
export async function cost(_: string, { chat, store, face, prices }: CommandContext): Promise<undefined> {
  const { session } = chat;
  if (session === undefined) return say(face, 'Nothing has been sent yet.');
  const used = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  let [requests, spent, summaries, folds, folded] = [0, 0, 0, 0, 0];
  let everything: number | undefined = 0;
  const everythingCosts = createEverythingCosts();
  for await (const { entry } of eachEntry(store, session, { types: ['usage', 'fold'] })) {
    if (entry.type === 'fold') folds += 1;
    if (entry.type !== 'usage' || entry.copied) continue;
    const { tokens: kinds, historyTokens } = readUsage(entry);
    for (const kind of Object.keys(used) as (keyof typeof used)[]) used[kind] += kinds[kind];
    requests += 1;
    spent += entry.cost ?? 0;
    // Summaries are no part of the comparison.
    if (!entry.window) {
      summaries += 1;
      continue;
    }
    if (folds > 0) folded += 1;
    const { model = chat.speaker.model, cost: paid } = entry;
    const request = { tokens: kinds, cost: paid, historyTokens, isWhole: folds === 0 };
    const more = everythingCosts(model)(request, pricing(modelInfo(model, prices).prices));
    everything = everything === undefined || more === undefined ? undefined : everything + more;
  }
  const sent = used.input + used.cacheRead + used.cacheWrite;
  const row = (label: string, text: string) =>
    wrapText(text, Math.max(1, face.columns - LABEL)).map((part, i) => `${pad(i === 0 ? label : '', LABEL)}${part}`);
  face.print([
    ...row('cost', `${money(spent)} for ${counted(requests, 'request')}`),
    ...comparison(spent, folded, everything).flatMap((text) => row('', text)),
    ...row('new input', `${tokens(used.input)} tokens`),
    ...row('cache written', `${tokens(used.cacheWrite)} tokens`),
    ...row(
      'cache read',
      `${tokens(used.cacheRead)} tokens${sent > 0 ? ` (${percent(used.cacheRead / sent)} of what was sent)` : ''}`,
    ),
    ...row('output', `${tokens(used.output)} tokens`),
    ...(summaries > 0 ? row('', `${counted(summaries, 'request')} for summaries, included above`) : []),
  ]);
  return undefined;
}

function comparison(spent: number, folded: number, everything: number | undefined): string[] {
  if (folded === 0) return ['each request so far had the whole history'];
  if (everything === undefined) return [];
  const saved = everything - spent;
  const told = saved >= 0 ? `saved ${difference(everything, spent)}` : `cost ${difference(spent, everything)} more`;
  return [`folding ${told} so far: with the whole history in each request, it would be ~${money(everything)}`];
}
