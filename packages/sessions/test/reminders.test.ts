import { ConversationWindow, openaiChat } from 'holdfast';
import { expect, test } from 'vitest';
import type { SessionEntry, WireMessage } from '../src/entry.ts';
import { restoreConversation, sessionArchive, sessionWriter, verifySession } from '../src/index.ts';
import { newStore } from './new-store.ts';

const CONFIG = { max_tokens: 6_000, max_messages: 0 };
const LINES = Array.from({ length: 120 }, (_, i) => `${i + 1}\tconst value_${i + 1} = compute_all(${i + 1});`);

function call(id: string, name: string, input: object, result: string): WireMessage[] {
  const made = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return [
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

function edit(line: number): WireMessage[] {
  const old_string = `const value_${line} = compute_all(${line});`;
  return call(`edit_${line}`, 'Edit', { file_path: 'src/values.ts', old_string, new_string: 'done();' }, 'changed');
}

test('a session that is resumed sends its reminders again, with the same bytes', async () => {
  const { store } = await newStore();
  const { id } = await store.create();
  const writer = await sessionWriter(store, id);
  const dialect = openaiChat<WireMessage>();
  await writer.append([{ type: 'model', provider: 'test', model: 'test', dialect: 'openai-chat' }]);
  const archive = sessionArchive<WireMessage>(store, writer, dialect);
  const window = new ConversationWindow<WireMessage>(CONFIG, { dialect, archive });
  const history: WireMessage[] = [{ role: 'user', content: 'Rename the values.' }];
  await writer.append([{ type: 'message', message: history[0] as WireMessage }]);
  let reminders = 0;
  const steps = [
    call('first', 'Read', { file_path: 'src/values.ts' }, LINES.join('\n')),
    ...Array.from({ length: 32 }, (_, i) =>
      call(`c${i}`, 'Read', { file_path: `b${i}.ts` }, `b ${i} line\n`.repeat(80)),
    ),
    edit(60),
    edit(100),
  ];
  for (const messages of steps) {
    history.push(...messages);
    await writer.append(messages.map((message) => ({ type: 'message', message })));
    const { receipt, reminder } = await window.fit(history);
    const { calibration, log, seen } = window.state();
    const fold = log.at(-1);
    const entries: SessionEntry[] = [];
    if (receipt && fold) entries.push({ type: 'fold', fold, receipt });
    if (reminder) entries.push({ type: 'reminder', at: reminder.at, text: reminder.text });
    if (reminder) reminders++;
    const position = { seen, sent: seen, calibration, historyTokens: 0 };
    await writer.append([...entries, { type: 'usage', tokens: { input: 1, output: 1 }, window: position }]);
  }
  expect(reminders).toBeGreaterThan(0);
  const info = await store.info(id);
  const saved = info && (await restoreConversation(store, info, dialect));
  expect(saved?.window.turns).toEqual(window.state().turns);
  const resumed = new ConversationWindow<WireMessage>(CONFIG, {
    dialect,
    archive,
    ...(saved ? { state: saved.window } : {}),
  });
  expect((await resumed.fit(history)).messages).toEqual((await window.fit(history)).messages);
  expect((await verifySession(store, id)).problems).toEqual([]);
});
