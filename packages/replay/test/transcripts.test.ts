import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import {
  type ChatMessage,
  chatViolations,
  medianError,
  type PredictionError,
  parseTranscript,
  predictPrompts,
  toChat,
} from '../src/index.ts';
import { type Recording, readTranscript } from '../src/transcripts/index.ts';

const recorded = process.env.HOLDFAST_TRANSCRIPTS;
if (!recorded)
  console.warn('transcripts: set HOLDFAST_TRANSCRIPTS to a folder of recorded conversations to read those');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-read-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function readAll(path: string): Promise<Recording[]> {
  const found: Recording[] = [];
  for await (const one of readTranscript(path)) found.push(one);
  return found;
}

function files(): string[] {
  const all = readdirSync(recorded ?? '', { recursive: true, encoding: 'utf8' });
  return all.filter((name) => name.endsWith('.jsonl')).sort();
}

async function reread(lines: readonly unknown[]): Promise<Recording[]> {
  const path = join(folder, 'again.jsonl');
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return await readAll(path);
}

/** As Claude Code writes it: a line for each block, results on the line of their call, side chains and noise between. */
function asClaudeCode(native: readonly { role?: unknown; content?: unknown }[]): unknown[] {
  const lines: unknown[] = [];
  const callLine = new Map<unknown, string>();
  let parent: string | null = null;
  let made = 0;
  const add = (type: string, content: unknown, from: string | null, message: object = {}): string => {
    const uuid = `u${made++}`;
    const role = type;
    lines.push({
      uuid,
      parentUuid: from,
      type,
      sessionId: 's',
      isSidechain: false,
      message: { role, content, ...message },
    });
    if (made % 7 === 0) lines.push({ type: 'progress', uuid: `p${made}`, parentUuid: uuid, sessionId: 's', data: {} });
    return uuid;
  };
  for (const [at, { role, content }] of native.entries()) {
    const blocks = Array.isArray(content) ? content : undefined;
    if (role === 'assistant' && blocks) {
      for (const block of blocks) {
        parent = add('assistant', [block], parent, { id: `r${at}` });
        if (block.type === 'tool_use') callLine.set(block.id, parent);
      }
    } else if (blocks && blocks.length > 1 && blocks.every(({ type }) => type === 'tool_result')) {
      for (const block of blocks) parent = add('user', [block], callLine.get(block.tool_use_id) ?? parent);
    } else parent = add(String(role), content, parent);
  }
  return lines;
}

/** As Codex writes it. */
function asCodex(messages: readonly ChatMessage[]): unknown[] {
  const item = (payload: object) => ({ timestamp: '2026-01-02T03:04:05.000Z', type: 'response_item', payload });
  return messages.flatMap(({ role, content, tool_calls: calls = [], tool_call_id: call_id }) => {
    if (role === 'tool') return [item({ type: 'function_call_output', call_id, output: content })];
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    const words = content ? [item({ type: 'message', role, content: [{ type, text: content }] })] : [];
    const asked = calls.map((call) => item({ type: 'function_call', call_id: call.id, ...call.function }));
    return [
      ...words,
      ...asked,
      { timestamp: '', type: 'event_msg', payload: { type: 'agent_message', message: 'noise' } },
    ];
  });
}

describe.skipIf(!recorded)('recorded conversations', () => {
  test('are read as the benchmark reads them, and the same from Claude Code and Codex logs', async () => {
    const some = files().filter((_, at) => at % 12 === 0);
    let logs = 0;
    for (const file of some) {
      const path = join(recorded ?? '', file);
      const { messages, native, meta } = parseTranscript(readFileSync(path, 'utf8'));
      const plain = messages.map(({ role, content = null, tool_calls, tool_call_id }) => ({
        role,
        content,
        ...(tool_calls ? { tool_calls } : {}),
        ...(tool_call_id === undefined ? {} : { tool_call_id }),
      }));
      const [own, ...others] = await readAll(path);
      expect(others, file).toEqual([]);
      expect(own?.messages, file).toEqual(plain);
      const isClaude = meta.format === 'anthropic';
      const again = await reread(isClaude ? asClaudeCode(native as { role?: unknown }[]) : asCodex(plain));
      expect(again, file).toHaveLength(1);
      expect(again[0]?.messages.map(shape), file).toEqual(plain.filter(isSaid).map(shape));
      logs += 1;
    }
    expect(logs).toBeGreaterThan(10);
  });

  test('the counter predicts recorded prompts within 3% after five calls, as a median', async () => {
    const bySource = new Map<string, PredictionError[]>();
    for (const file of files()) {
      const [source = ''] = file.split('/');
      for (const { messages, prompts } of await readAll(join(recorded ?? '', file)))
        bySource.set(source, [...(bySource.get(source) ?? []), ...predictPrompts(messages, prompts)]);
    }
    const all = [...bySource.values()].flat();
    const told = [...bySource].flatMap(([source, errors]) =>
      errors.length === 0 ? [] : [`${source} ${(100 * (medianError(errors) ?? 0)).toFixed(2)}% of ${errors.length}`],
    );
    console.log(
      `token prediction, median error: ${(100 * (medianError(all) ?? 0)).toFixed(2)}% of ${all.length} (${told.join(', ')})`,
    );
    expect(all.length).toBeGreaterThan(4_000);
    expect(medianError(all)).toBeLessThanOrEqual(0.03);
  });
});

/** Empty words are nothing in some logs and null in others. */
function shape({ role, content, tool_calls: calls, tool_call_id: id }: ChatMessage): string {
  return JSON.stringify([
    role,
    content || null,
    calls?.map(({ id: own, function: call }) => [own, call.name, call.arguments]),
    id,
  ]);
}

function isSaid({ role, content, tool_calls: calls }: ChatMessage): boolean {
  return role !== 'assistant' || Boolean(content) || calls !== undefined;
}

test('whatever is broken in a log, reading it ends, and the messages read are valid', async () => {
  const text = (words: string) => ({ type: 'text', text: words });
  const native = [
    { role: 'user', content: 'Look at both.' },
    ...Array.from({ length: 12 }, (_, n) => [
      {
        role: 'assistant',
        content: [
          text(`part ${n}`),
          { type: 'tool_use', id: `a${n}`, name: 'read', input: { path: 'a' } },
          { type: 'tool_use', id: `b${n}`, name: 'read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `a${n}`, content: 'one' },
          { type: 'tool_result', tool_use_id: `b${n}`, content: [text('two')] },
        ],
      },
    ]).flat(),
    { role: 'assistant', content: [text('Seen.')] },
  ];
  const chat = toChat(native);
  const lines = [...asClaudeCode(native), ...asCodex(chat), { meta: {} }, ...native, { messages: chat }].map((line) =>
    JSON.stringify(line),
  );
  const path = join(folder, 'fuzzed.jsonl');
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('cut', 'drop', 'swap', 'byte', 'type', 'null')), {
        maxLength: 30,
      }),
      async (faults) => {
        const broken = [...lines];
        for (const [a, b, fault] of faults) {
          const at = a % broken.length;
          const line = broken[at] ?? '';
          const other = b % broken.length;
          if (fault === 'cut') broken[at] = line.slice(0, b % (line.length + 1));
          else if (fault === 'drop') broken[at] = '';
          else if (fault === 'swap') [broken[at], broken[other]] = [broken[other] ?? '', line];
          else if (fault === 'byte')
            broken[at] =
              line.slice(0, b % (line.length + 1)) +
              String.fromCharCode(a % 256) +
              line.slice((b % (line.length + 1)) + 1);
          else if (fault === 'type')
            broken[at] = line.replace(
              /"(type|role|content|id)":("[^"]*"|\[)/,
              (_, key) => `"${key}":${['7', 'null', '[]', '{}'][b % 4]},"x":${'[]'}`,
            );
          else broken[at] = line.replace(/"[^"]*"(?=[,}\]])/, 'null');
        }
        writeFileSync(path, broken.join('\n'), isLatin(faults.length) ? 'latin1' : 'utf8');
        for await (const { messages, times } of readTranscript(path)) {
          read += 1;
          expect(chatViolations(messages)).toEqual([]);
          expect(times).toHaveLength(messages.length);
        }
      },
    ),
    { seed: 8, numRuns: Number(process.env.HOLDFAST_RUNS ?? 150) },
  );
  expect(read).toBeGreaterThan(100);
});

/** Now and then in another encoding. */
function isLatin(count: number): boolean {
  return count % 5 === 4;
}

test('a long log needs little memory: it is streamed', async () => {
  const whole = SOAK;
  const megabytes = whole ? 1_024 : 96;
  const path = join(folder, 'long.jsonl');
  const out = createWriteStream(path);
  const text = 'lorem ipsum dolor sit amet '.repeat(400);
  let written = 0;
  for (let n = 0; written < megabytes * 2 ** 20; n++) {
    // One conversation that never ends: longer than any window, so that it has to be cut.
    const line = `${JSON.stringify(n % 2 === 0 ? { role: 'user', content: `${n} ${text}` } : { role: 'assistant', content: `${n} ${text}` })}\n`;
    written += line.length;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  const before = process.memoryUsage().rss;
  let [most, conversations, messages] = [0, 0, 0];
  for await (const one of readTranscript(path)) {
    conversations += 1;
    messages += one.messages.length;
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  rmSync(path);
  console.log(`${megabytes} MB in ${conversations} parts: ${Math.round(most / 2 ** 20)} MB of memory`);
  expect(conversations).toBeGreaterThan(3);
  expect(messages * text.length).toBeGreaterThan(0.9 * written);
  expect(most).toBeLessThan((whole ? 700 : 400) * 2 ** 20);
}, 240_000);
