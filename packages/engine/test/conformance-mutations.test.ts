import { expect, test } from 'vitest';
import { anthropic, type Dialect } from '../src/index.ts';
import type { AnthropicBlock, AnthropicMessage } from '../src/rules/index.ts';
import { checkDialect, testDialect } from '../src/testing/index.ts';
import { anthropicFixture } from './fixtures/anthropic.ts';

const sound = anthropic();

type Message = AnthropicMessage;
type Change = Partial<Dialect<Message>>;

const blocks = ({ content }: Message): readonly AnthropicBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;
const json = (value: unknown) => JSON.stringify(value).length;

let calls = 0;

/** A dialect broken in one way, and the demands that must notice: each of them by itself. */
const MUTATIONS: readonly { readonly name: string; readonly noticed: readonly string[]; readonly change: Change }[] = [
  {
    name: 'maskResults changes its input',
    noticed: ['every method is pure'],
    change: {
      maskResults(message, texts) {
        for (const [at, block] of blocks(message).entries())
          if (texts.has(at)) Object.assign(block, { content: texts.get(at) });
        return message;
      },
    },
  },
  {
    name: 'withMarkers counts its calls',
    noticed: ['every method is pure', 'a view only grows at its end between folds'],
    change: { withMarkers: (message) => ({ ...message, asked: calls++ }) },
  },
  {
    name: 'results read as user messages',
    noticed: ['read returns the role'],
    change: {
      read: (message) => {
        const reading = sound.read(message);
        return { ...reading, role: reading.role === 'tool' ? 'user' : reading.role };
      },
    },
  },
  {
    name: 'only the first call is read',
    noticed: ['read lists the calls'],
    change: { read: (message) => ({ ...sound.read(message), calls: sound.read(message).calls.slice(0, 1) }) },
  },
  {
    name: 'failures are not read',
    noticed: ['read lists the results', 'answer returns a result for every call'],
    change: {
      read: (message) => {
        const reading = sound.read(message);
        return { ...reading, results: reading.results.map((result) => ({ ...result, error: false })) };
      },
    },
  },
  {
    name: 'the content of results is wrapped',
    noticed: ['read lists the results'],
    change: {
      read: (message) => {
        const reading = sound.read(message);
        return { ...reading, results: reading.results.map((one) => ({ ...one, content: { value: one.content } })) };
      },
    },
  },
  {
    name: 'thinking is not read',
    noticed: ['read finds text, thinking and cache markers'],
    change: { read: (message) => ({ ...sound.read(message), thinking: false }) },
  },
  {
    name: 'everything is joined to what follows',
    noticed: ['read sets joined and firm only if needed', 'turns keep together what belongs together'],
    change: { read: (message) => ({ ...sound.read(message), joined: true }) },
  },
  {
    name: 'base64 is counted',
    noticed: ['read counts every character, and no base64'],
    change: { read: (message) => ({ ...sound.read(message), chars: json(message), media: 0 }) },
  },
  {
    name: 'base64 has no size',
    noticed: ['read counts images and their base64'],
    change: {
      read: (message) => {
        const { mediaSizes: _, ...reading } = sound.read(message);
        return reading;
      },
    },
  },
  {
    name: 'results are not counted',
    noticed: ['read counts every character, and no base64'],
    change: {
      read: (message) => {
        const reading = sound.read(message);
        const hidden = reading.results.reduce((sum, { content }) => sum + json(content ?? ''), 0);
        return { ...reading, chars: Math.max(0, reading.chars - hidden) };
      },
    },
  },
  {
    name: 'text drops all but the first line',
    noticed: ['text returns the text'],
    change: { text: (message) => sound.text(message).split('\n')[0] ?? '' },
  },
  {
    name: 'read throws on something that is not a message',
    noticed: ['invalid messages are refused without throwing'],
    change: { read: (message) => ({ ...sound.read(message), joined: message.content.length < 0 }) },
  },
  {
    name: 'maskResults loses the ids',
    noticed: ['maskResults changes only the results at the given places', 'every view is valid'],
    change: {
      maskResults: (message, texts) => {
        const masked = sound.maskResults(message, texts);
        return { ...masked, content: blocks(masked).map(({ tool_use_id: _, ...block }) => block) };
      },
    },
  },
  {
    name: 'maskCalls changes the arguments of every call',
    noticed: ['maskCalls changes only the arguments at the given places'],
    change: {
      maskCalls: (message, inputs) => {
        const [input] = inputs.values();
        return {
          ...message,
          content: blocks(message).map((block) => (block.type === 'tool_use' ? { ...block, input } : block)),
        };
      },
    },
  },
  {
    name: 'maskResults masks every result',
    noticed: ['maskResults changes only the results at the given places'],
    change: {
      maskResults: (message, texts) => {
        const [text = ''] = texts.values();
        return sound.maskResults(message, new Map(sound.read(message).results.map((_, part) => [part, text])));
      },
    },
  },
  {
    name: 'maskResults drops the text next to the results',
    noticed: ['maskResults changes only the results at the given places'],
    change: {
      maskResults: (message, texts) => {
        const masked = sound.maskResults(message, texts);
        return { ...masked, content: blocks(masked).filter(({ type }) => type === 'tool_result') };
      },
    },
  },
  {
    name: 'maskResults forgets that a result failed',
    noticed: ['maskResults changes only the results at the given places'],
    change: {
      maskResults: (message, texts) => {
        const masked = sound.maskResults(message, texts);
        return { ...masked, content: blocks(masked).map(({ is_error: _, ...block }) => block) };
      },
    },
  },
  {
    name: 'maskResults is off by one',
    noticed: ['maskResults changes only the results at the given places'],
    change: {
      maskResults: (message, texts) =>
        sound.maskResults(message, new Map([...texts].map(([part, text]) => [part + 1, text]))),
    },
  },
  {
    name: 'maskText drops the results',
    noticed: ['maskText changes only the text'],
    change: { maskText: (message, text) => ({ ...message, content: text }) },
  },
  {
    name: 'append replaces what was there',
    noticed: ['append adds a text at the end of user messages and results, and changes nothing else'],
    change: { append: ({ role }, text) => (role === 'user' ? { role, content: text } : undefined) },
  },
  {
    name: 'withoutThinking removes text too',
    noticed: ['withoutThinking removes thinking and nothing else'],
    change: {
      withoutThinking: (message) => ({ ...message, content: blocks(message).filter(({ type }) => /^tool/.test(type)) }),
    },
  },
  {
    name: 'withoutThinking leaves thinking',
    noticed: ['withoutThinking removes thinking and nothing else'],
    change: { withoutThinking: (message) => message },
  },
  {
    name: 'withMarkers keeps the first',
    noticed: ['withMarkers keeps the last cache markers'],
    change: {
      withMarkers: (message, keep) => {
        let left = keep;
        if (sound.read(message).markers <= keep) return message;
        const strip = ({ cache_control: marker, ...block }: AnthropicBlock) =>
          marker && left-- > 0 ? { ...block, cache_control: marker } : block;
        return { ...message, content: blocks(message).map(strip) };
      },
    },
  },
  {
    name: 'withMarkers loses the text',
    noticed: ['edits of the history are noticed, moved cache markers are not'],
    change: { withMarkers: (message, keep) => (keep === 0 ? { ...message, content: 'words' } : message) },
  },
  {
    name: 'markers stay',
    noticed: [
      'withMarkers keeps the last cache markers',
      'edits of the history are noticed, moved cache markers are not',
    ],
    change: { withMarkers: (message) => message },
  },
  {
    name: 'the note is a system message',
    noticed: ['note is a message of the user or the assistant', 'a note is valid between any two turns'],
    change: { note: (_, text) => ({ role: 'system', content: text }) },
  },
  {
    name: 'the note always has role assistant and is blank',
    noticed: ['a note is valid between any two turns', 'every view is valid'],
    change: { note: () => ({ role: 'assistant', content: [{ type: 'text', text: '' }] }) },
  },
  {
    name: 'only the first call is answered',
    noticed: ['answer returns a result for every call'],
    change: { answer: (made, text, into) => sound.answer(made.slice(0, 1), text, into) },
  },
  {
    name: 'answer loses the existing content',
    noticed: ['answer keeps the message after the calls'],
    change: { answer: (made, text) => sound.answer(made, text) },
  },
  {
    name: 'quote loses the content',
    noticed: ['quote turns results into text of the user'],
    change: { quote: () => [{ role: 'user', content: 'A result was here.' }] },
  },
  {
    name: 'quote removes all results',
    noticed: ['quote leaves other results alone'],
    change: { quote: (message) => sound.quote(message, new Set(sound.read(message).results.keys())) },
  },
  {
    name: 'validate accepts everything',
    noticed: ['validate refuses broken messages', 'invalid messages are refused without throwing'],
    change: { validate: () => [] },
  },
  {
    name: 'validate does not say what to do',
    noticed: ['validate refuses broken messages'],
    change: { validate: (messages, request) => sound.validate(messages, request).map((one) => ({ ...one, fix: '' })) },
  },
  {
    name: 'validate treats a part as the whole',
    noticed: ['validate accepts every part of a valid conversation'],
    change: { validate: (messages) => sound.validate(messages) },
  },
  {
    name: 'validate refuses two messages in a row with the same role',
    noticed: ['validate accepts valid conversations'],
    change: {
      validate: (messages) =>
        messages.flatMap(({ role }, index) =>
          role === messages[index - 1]?.role ? { index, rule: 'alternate', fix: 'Take turns.' } : [],
        ),
    },
  },
  {
    name: 'ids of calls read differently from those of results',
    noticed: ['a call without its result, and a result without its call, are noticed'],
    change: {
      read: (message) => {
        const reading = sound.read(message);
        return { ...reading, calls: reading.calls.map((call) => ({ ...call, id: `call ${call.id}` })) };
      },
    },
  },
  {
    name: 'nothing is recognized',
    noticed: ['recognizes accepts its own messages'],
    change: { recognizes: () => false },
  },
  {
    name: 'everything is recognized',
    noticed: ['recognizes accepts its own messages'],
    change: { recognizes: () => true },
  },
  {
    name: 'characters are counted differently each time',
    noticed: ['every view is within budget, or OVER_BUDGET says why not'],
    change: { read: (message) => ({ ...sound.read(message), chars: 4_000 + calls++ }) },
  },
  {
    name: 'copies are numbered',
    noticed: ['the same history gives the same view'],
    change: {
      maskResults: (message, texts) =>
        sound.maskResults(message, new Map([...texts].map(([part, text]) => [part, `${text} ${calls++}`]))),
    },
  },
  {
    name: 'the content of a result changes from time to time',
    noticed: ['everything can be recalled'],
    change: {
      read: (message) => {
        const reading = sound.read(message);
        return {
          ...reading,
          results: reading.results.map((one) => ({ ...one, content: `${one.content} ${calls++}` })),
        };
      },
    },
  },
  {
    name: 'copies change when they are written as JSON',
    noticed: ['a window restored from its state continues as before'],
    change: {
      maskResults: (message, texts) => {
        const copy = sound.maskResults(message, texts);
        return { ...copy, toJSON: () => ({ ...copy, content: 'Shortened.' }) };
      },
    },
  },
];

/** The tests that the suite registers, by the demands that they name. */
function testsOf(dialect: Dialect<Message>): Map<string, () => Promise<void>> {
  const tests = new Map<string, () => Promise<void>>();
  testDialect(dialect, anthropicFixture, (name, run) => tests.set(name.slice(dialect.name.length + 2), run));
  return tests;
}

test.each(MUTATIONS)('the suite notices that $name', async ({ noticed, change }) => {
  const tests = testsOf({ ...sound, ...change });
  for (const demand of noticed) await expect(tests.get(demand)?.(), demand).rejects.toThrow(`anthropic: ${demand}. `);
});

test('each demand catches at least one of them', () => {
  const noticed = new Set(MUTATIONS.flatMap((mutation) => mutation.noticed));
  expect([...testsOf(sound).keys()].filter((demand) => !noticed.has(demand))).toEqual([]);
});

test('a failed demand names the place, what was found and what to change', async () => {
  const findings = await checkDialect({ ...sound, text: () => '' }, anthropicFixture);
  expect(findings.map(({ demand }) => demand)).toContain('text returns the text');
  const { problems, fix } = findings.find(({ demand }) => demand === 'text returns the text') ?? { problems: [] };
  expect(problems).toHaveLength(3);
  expect(problems[0]).toMatch(/^conversation 1, message 0: text is "", not "/);
  expect(fix).toBe('Return all text of the message and nothing else, joined by line breaks.');
});
