// Walks inside one process: `scenes.ts NAME`. Bundled with instrumented packages by walk.ts.
import { createProxy } from '@holdfast/proxy';
import { createStandIn, echo } from '@holdfast/stand-in';
import { ConversationWindow } from 'holdfast';
import type { Walk } from './instrument.ts';

type Message = { readonly role: 'user' | 'assistant'; readonly content: unknown };

/** One round of a coding task: a call and its result. Rounds take turns reading, editing, and running tests that fail. */
function roundOf(n: number): Message[] {
  const path = `src/part-${Math.floor(n / 3)}.ts`;
  const lines = Array.from(
    { length: 40 },
    (_, i) => `export const value${n}_${i} = read(${i}, { verbose: ${i % 2 === 0} });`,
  );
  const [name, input, content] = [
    ['read_file', { path }, lines.join('\n')],
    [
      'edit_file',
      { path, old_string: lines[3], new_string: `export const value${n}_3 = read(3);` },
      'The file was changed.',
    ],
    ['bash', { command: 'npm test' }, `${lines.join('\n')}\nError: part ${n} failed\n1 failed, 40 passed`],
  ][n % 3] as [string, unknown, string];
  const is_error = name === 'bash';
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id: `call_${n}`, name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${n}`, content, is_error }] },
  ];
}

/** A coding task after this many rounds. */
function conversationOf(rounds: number): Message[] {
  const task = 'Rename the option `verbose` to `loud` in src/, and run the tests. Never touch src/generated.ts.';
  return [{ role: 'user', content: task }, ...Array.from({ length: rounds }, (_, n) => roundOf(n)).flat()];
}

const BUDGET = 20_000;
const TOOLS = ['read_file', 'edit_file', 'bash'].map((name) => ({ name, input_schema: { type: 'object' } }));

const { holdfastWalk: walk } = globalThis as unknown as { readonly holdfastWalk: Walk };

/** The task round by round, until a call folds, or the sixth without a fold. The walk is that of the last call. */
async function callByCall(folds: boolean, call: (messages: readonly Message[]) => Promise<boolean>): Promise<void> {
  for (let rounds = 1; ; rounds++) {
    walk.hops = 0;
    walk.files.clear();
    const folded = await call(conversationOf(rounds));
    if (folded && !folds) throw new Error('the sixth call should not fold yet');
    if (folded || (!folds && rounds === 6)) return;
  }
}

async function fitted(folds: boolean): Promise<void> {
  const window = new ConversationWindow<Message>({ max_tokens: BUDGET });
  await callByCall(folds, async (messages) => (await window.fit(messages)).receipt !== undefined);
}

/** A request through the proxy. What the stand-in upstream enters is left out of the files. */
async function proxied(folds: boolean): Promise<void> {
  const standIn = await createStandIn({ script: echo() });
  let folded = 0;
  const onEvent = ({ type }: { readonly type: string }) => {
    if (type === 'fold-end') folded++;
  };
  const proxy = createProxy({ upstreams: { anthropic: standIn.url }, port: 0, max_tokens: BUDGET, onEvent });
  await proxy.listen();
  await callByCall(folds, async (messages) => {
    const answer = await fetch(`${proxy.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 1_000, tools: TOOLS, messages }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
    return folded > 0;
  });
  walk.end();
  await proxy.close();
  await standIn.close();
}

const SCENES: Readonly<Record<string, () => Promise<void>>> = {
  fit: () => fitted(false),
  'fit-fold': () => fitted(true),
  proxied: () => proxied(false),
  'proxied-fold': () => proxied(true),
};

await SCENES[process.argv[2] ?? '']?.();
