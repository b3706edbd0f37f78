import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { lines, turn, user } from '../../test/read-turns.ts';
import { isRecall } from '../calls/call-facts.ts';
import { type Call, type ConversationHistoryConfig, ConversationWindow } from '../index.ts';

const CONFIG = { max_tokens: 8_000, max_messages: 0, reminders: false };

type Made = Pick<Call, 'name' | 'input'>;

function calling({ name, input }: Made, result: string): Wire[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'recalling', name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'recalling', content: result }] },
  ];
}

/** Whether the result of this call is whole after each of the two folds that follow it. */
async function wholeAfter(call: Made, size: number, config: ConversationHistoryConfig = CONFIG): Promise<boolean[]> {
  const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
  const text = lines(size, 999);
  const history: Wire[] = [user('Fix the parser.')];
  const whole: boolean[] = [];
  for (let i = 0; whole.length < 2; i++) {
    history.push(...turn('anthropic', i, lines(30, i)));
    const before = window.folds;
    if (before === 1 && !history.some(({ content }) => JSON.stringify(content).includes('recalling'))) {
      history.push(...calling(call, text));
      await window.fit(history);
      expect(window.folds).toBe(before);
      continue;
    }
    const { messages, metrics } = await window.fit(history);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(CONFIG.max_tokens);
    if (window.folds > before && before > 0) whole.push(JSON.stringify(messages).includes(JSON.stringify(text)));
  }
  return whole;
}

const shell = (command: string) => ({ name: 'Bash', input: { command } });

describe('text that the model recalled', () => {
  test.each([
    { name: 'recall', input: { handle: 'm4' } },
    { name: 'mcp__holdfast__recall', input: { handle: 'm4@k7' } },
    shell('npx holdfast recall m4@k7'),
  ])('stays whole in the next fold, and then goes like any other: %j', async (call) => {
    expect(await wholeAfter(call, 60)).toEqual([true, false]);
  });

  test('would be folded at once otherwise', async () => {
    expect(await wholeAfter({ name: 'lookup', input: { handle: 'm4' } }, 60)).toEqual([false, false]);
  });

  test('is folded if there is no room for it', async () => {
    const call = { name: 'recall', input: { handle: 'm4' } };
    expect(await wholeAfter(call, 120, { ...CONFIG, target: 0.8 })).toEqual([false, false]);
  });

  test.each([
    [10, true],
    [60, false],
  ])('is whole after a cold start if only %i turns came after it: %s', async (count, whole) => {
    const window = new ConversationWindow<Wire>(CONFIG, { dialect: 'anthropic' });
    const history = [user('Fix it.')];
    for (let i = 0; i < 40; i++) history.push(...turn('anthropic', i, lines(10, i)));
    history.push(...calling({ name: 'recall', input: {} }, lines(60, 999)));
    for (let i = 40; i < 40 + count; i++) history.push(...turn('anthropic', i, lines(10, i)));
    const { messages } = await window.fit(history);
    expect(JSON.stringify(messages).includes(JSON.stringify(lines(60, 999)))).toBe(whole);
  });

  test('is folded by compact()', async () => {
    const window = new ConversationWindow<Wire>({ max_tokens: 0, max_messages: 0 }, { dialect: 'anthropic' });
    const history = [user('Fix it.'), ...calling({ name: 'recall', input: {} }, lines(60, 1))];
    for (let i = 0; i < 30; i++) history.push(...turn('anthropic', i, lines(30, i)));
    const receipt = await window.compact(history);
    expect(receipt.turns.find(({ from }) => from === 1)?.verdict).not.toBe('keep');
  });
});

test.each([
  [shell('echo holdfast recall m4'), false],
  [shell('grep -rn "holdfast recall m4" docs'), false],
  [shell('cd app && ./node_modules/.bin/holdfast recall m4 | head'), true],
  [shell("'/opt/my tools/node' '/opt/my tools/holdfast.js' recall --store a.db m4@k7"), true],
  [shell("& 'C:\\Program Files\\nodejs\\node.exe' 'C:\\Users\\Jane Doe\\holdfast.js' recall m4@k7"), true],
  [{ name: 'holdfast_recall', input: {} }, true],
  // Codex calls the tools of MCP servers from programs.
  [{ name: 'exec', input: 'text(await tools.mcp__holdfast__recall({ handle: "m4@k7" }))' }, true],
  [{ name: 'exec', input: '// later: mcp__holdfast__recall\ntext(await tools.exec_command({ cmd: "ls" }))' }, false],
  [{ name: 'holdfastRecall', input: {} }, true],
  [{ name: 'precall', input: {} }, false],
])('%j recalls: %s', (call, expected) => {
  expect(isRecall({ id: 'a', ...call })).toBe(expected);
});
