import type { AssistantMessage, Part, UserMessage } from '@opencode-ai/sdk';
import { expect, test } from 'vitest';
import { type HoldfastEvent, holdfast, type StoredMessage } from '../src/opencode/index.ts';
import { fileAt } from './scripted.ts';

type ToolState = Extract<Part, { type: 'tool' }>['state'];

const sessionID = 'ses_1';
const ids = (n: number) => ({ id: `msg_${String(n).padStart(4, '0')}`, sessionID });

function asked(n: number, text: string): StoredMessage {
  const info: UserMessage = {
    ...ids(n),
    role: 'user',
    agent: 'build',
    time: { created: n },
    model: { providerID: 'local', modelID: 'one' },
  };
  return { info, parts: [{ id: `p${n}`, sessionID, messageID: info.id, type: 'text', text }] };
}

function answered(n: number, state: ToolState, input: number): StoredMessage {
  const info: AssistantMessage = {
    ...ids(n),
    role: 'assistant',
    parentID: 'msg_0000',
    modelID: 'one',
    providerID: 'local',
    mode: 'build',
    path: { cwd: '/', root: '/' },
    time: { created: n, completed: n },
    cost: 0,
    finish: 'tool-calls',
    tokens: { input, output: 20, reasoning: 5, cache: { read: 0, write: 0 } },
  };
  const part = { sessionID, messageID: info.id };
  return {
    info,
    parts: [
      { ...part, id: `s${n}`, type: 'step-start' },
      { ...part, id: `r${n}`, type: 'reasoning', text: `Next is ${n}.`, time: { start: n, end: n } },
      { ...part, id: `c${n}`, type: 'tool', callID: `call_${n}`, tool: 'read', state },
    ],
  };
}

function read(path: string): ToolState {
  const time = { start: 1, end: 2 };
  return { status: 'completed', input: { path }, output: fileAt(path), title: '', metadata: {}, time };
}

/** Asks, reads `files` files and calls the hooks as opencode does, with new objects every time. Returns what was sent. */
async function run(files: number, options: { recall?: boolean; state?: (n: number) => ToolState } = {}) {
  const events: HoldfastEvent[] = [];
  const { recall = false, state = (n: number) => read(`${n}.ts`) } = options;
  const hooks = await holdfast({ max_tokens: 12_000, recall, onEvent: (event) => events.push(event) })();
  const session = [asked(0, 'Read all files.')];
  const sent: StoredMessage[][] = [];
  for (let n = 1; n <= files + 1; n++) {
    const messages = structuredClone(session);
    await hooks['experimental.chat.messages.transform']({}, { messages });
    sent.push(messages);
    const answer = answered(n, state(n), Math.ceil(JSON.stringify(messages).length / 3.2));
    session.push(answer);
    await hooks.event({ event: { type: 'message.updated', properties: { info: answer.info } } });
  }
  return { hooks, events, session, sent };
}

const partsOf = (messages: readonly StoredMessage[]) => messages.flatMap(({ parts }) => parts);
const textsOf = (messages: readonly StoredMessage[]) =>
  partsOf(messages).flatMap((part) => (part.type === 'text' ? [part.text] : []));

test('messages keep the form that opencode stores, and calls stay with their results', async () => {
  const { sent, events } = await run(40);
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  const last = sent.at(-1) ?? [];
  expect(last.length).toBeLessThan(40);
  expect(textsOf(last)[0]).toBe('Read all files.');
  expect(textsOf(last).join('\n')).toContain('[Note on');
  for (const { info, parts } of last) for (const part of parts) expect(part.messageID).toBe(info.id);
  const tools = partsOf(last).flatMap((part) => (part.type === 'tool' ? [part] : []));
  for (const { state } of tools) expect(state.status).toBe('completed');
  expect(tools.at(-1)?.state).toEqual(read('40.ts'));
});

test('calls that failed, or that were interrupted, stay what they are', async () => {
  const time = { start: 1, end: 2 };
  const states: ToolState[] = [
    { status: 'error', input: { path: 'a.ts' }, error: 'There is no file a.ts.', time },
    { status: 'running', input: { path: 'b.ts' }, time: { start: 1 } },
  ];
  const { sent, events } = await run(40, { state: (n) => states[n % 9] ?? read(`${n}.ts`) });
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  expect(events.filter(({ type }) => type === 'fold-end').length).toBeGreaterThan(1);
  const kept = sent.flatMap(partsOf).flatMap((part) => (part.type === 'tool' ? [part.state] : []));
  expect(new Set(kept.map(({ status }) => status))).toEqual(new Set(['completed', 'error', 'running']));
});

test('a file of the user and messages without content do not get in the way', async () => {
  const hooks = await holdfast({ max_tokens: 12_000, onEvent: () => undefined })();
  const question = asked(0, 'What is this?');
  const file: Part = {
    id: 'f',
    ...question.parts[0],
    type: 'file',
    mime: 'image/png',
    url: 'data:image/png;base64,aaaa',
  } as Part;
  const failed = answered(1, read('1.ts'), 1_000);
  const error = { name: 'UnknownError' as const, data: { message: 'no' } };
  const messages = [
    { ...question, parts: [...question.parts, file] },
    { info: { ...failed.info, error } as AssistantMessage, parts: [] },
    asked(2, 'And now?'),
  ];
  const [first, , last] = messages;
  await hooks['experimental.chat.messages.transform']({}, { messages });
  expect(messages).toEqual([first, last]);
  expect(messages[0]).toBe(first);
});

test('the recall tool is there only if it was asked for', async () => {
  const { hooks } = await run(1);
  expect(hooks.tool).toBeUndefined();
  const { hooks: more } = await run(1, { recall: true });
  const { output } = (await more.tool?.recall?.execute({ handle: 'm1@nothing' })) ?? {};
  expect(output).toContain('not stored here');
});
