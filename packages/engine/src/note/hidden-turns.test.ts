import { expect, test } from 'vitest';
import { anthropicWindow, assistant, call, user } from '../../test/anthropic-calls.ts';
import type { Wire } from '../../test/histories.ts';
import type { Strategy } from '../index.ts';

test('the note covers what is hidden, not what is still in view', async () => {
  const said = 'Let me compare the two parsers first.';
  const turn = call(0, 'const parserOne = 1;\n'.repeat(400));
  const first = assistant([{ type: 'text', text: said }, ...((turn[0]?.content as object[]) ?? [])]);
  const strategy: Strategy = {
    due: () => true,
    judge: (turns) => ({ verdicts: turns.map(() => 'mask'), note: 'digest' }),
  };
  const { messages, receipt } = await anthropicWindow({ strategy }).fit([
    user('go'),
    first,
    turn[1] as Wire,
    ...call(1, 'ok'),
  ]);
  expect(JSON.stringify(messages)).toContain(said);
  expect(receipt).toMatchObject({ masked: 1, dropped: 0 });
  expect(receipt?.note).not.toContain(said);
});
