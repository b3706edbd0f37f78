import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionStore, sqlite } from '@holdfast/sessions';
import { createStandIn, type RecordedRequest, type StandIn } from '@holdfast/stand-in';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import type { HoldfastEvent } from '../src/bridge/options.ts';
import { fileAt, promptTokens, RECALL_TASK, readTask, SUMMARY, scriptedModel, sentMessages } from './scripted.ts';

/** What a framework's agent is made of. */
export interface Setup<Memory> {
  /** Of the stand-in. */
  readonly url: string;
  /** The framework's own histories, by conversation. */
  readonly memory: Memory;
  readonly max_tokens: number;
  readonly store?: SessionStore;
  /** The file of the store, for an agent in another process. */
  readonly database: string;
  readonly onEvent: (event: HoldfastEvent) => void;
  /** The agent has our recall tool, next to `read_file`. */
  readonly recall: boolean;
  /** Throws if the file cannot be read. */
  readFile(path: string): string;
  /** How often the framework tries a request again. */
  readonly retries: number;
  /** In base64: `read_file` returns it behind the text of each file. */
  readonly picture?: string;
}

/** One agent for all conversations. */
export interface Agent {
  /** Says something in a conversation and runs the agent until it answers. `parts`: in how many pieces the answer arrived. */
  ask(
    conversation: string,
    text: string,
    options?: { readonly image?: string; readonly stream?: boolean; readonly signal?: AbortSignal },
  ): Promise<{ readonly text: string; readonly parts: number }>;
}

/** A framework, as these tests drive it. */
export interface Framework<Memory> {
  /** False if its tools cannot return pictures. */
  readonly pictures: boolean;
  /** How often an API refuses the thinking of another: never where it is not remembered, or must be left out for lack of a second attempt. */
  readonly refusals: 0 | 1;
  /** False if conversations are found by their messages in these tests, and not by a name of the framework's own. */
  readonly named: boolean;
  memory(): Memory;
  open(setup: Setup<Memory>): Agent;
  /** What the framework itself remembers of a conversation, as text. */
  remembered(memory: Memory, conversation: string): Promise<string>;
  /** Replaces what the framework remembers by its own summary, for frameworks whose users can ask for that. */
  compact?(memory: Memory, conversation: string): Promise<void>;
  /** Ends what the agents have started. */
  close?(memory: Memory): Promise<void>;
}

const BUDGET = 12_000;
/** Files to read in a test: just enough for folds, unless there is time. */
const FILES = SOAK ? 60 : 18;
/** A red dot. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';

/** What every framework must pass, in its real package, against an API that enforces the real rules. */
export function testFramework<Memory>(name: string, framework: Framework<Memory>): void {
  describe(`${name}, against an API that enforces the real rules`, () => {
    let api: StandIn;
    let folder: string;
    let store: SessionStore;
    let read: string[];
    let events: HoldfastEvent[];
    let memory: Memory;

    beforeEach(async () => {
      api = await createStandIn({ script: scriptedModel, keep_bodies: 1_000 });
      folder = mkdtempSync(join(tmpdir(), 'holdfast-integrations-'));
      store = await sqlite(join(folder, 'sessions.db'));
      read = [];
      events = [];
      memory = framework.memory();
    });

    afterEach(async () => {
      await framework.close?.(memory);
      await api.close();
      await store.close();
      rmSync(folder, { recursive: true });
    });

    const agent = (more: Partial<Setup<Memory>> = {}) =>
      framework.open({
        url: api.url,
        database: join(folder, 'sessions.db'),
        memory,
        max_tokens: BUDGET,
        onEvent: (event) => events.push(event),
        recall: false,
        retries: 0,
        readFile: (path) => {
          read.push(path);
          return fileAt(path);
        },
        ...more,
      });

    const expectBounded = (folds: number) => {
      expect(api.requests.filter(({ verdict }) => verdict === 'refused').map(({ error }) => error)).toEqual([]);
      expect(Math.max(...api.requests.map(promptTokens))).toBeLessThanOrEqual(BUDGET);
      expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
      expect(events.filter(({ type }) => type === 'fold-end').length).toBeGreaterThanOrEqual(folds);
    };
    /** The store has the tokens of each answer, as the API reported them. */
    const expectUsage = async () => {
      const [session] = await store.list();
      const { items } = await store.read(session?.id ?? '', { types: ['usage'] });
      const used = items.map(({ entry }) => {
        const { input, cacheRead = 0, cacheWrite = 0 } = entry.type === 'usage' ? entry.tokens : { input: 0 };
        return input + cacheRead + cacheWrite;
      });
      // The first request has no answer of the model yet, and so no conversation.
      const answered = api.requests.filter(({ verdict }) => verdict === 'answered');
      expect(used.toSorted()).toEqual(answered.slice(-used.length).map(promptTokens).toSorted());
      expect(used.length).toBeGreaterThanOrEqual(answered.length - 1);
    };
    const paths = (folderName: string, files: number) =>
      Array.from({ length: files }, (_, i) => `${folderName}/${i + 1}.ts`);

    test('100 tool calls stay within 12,000 tokens, and no request is refused', async () => {
      const { text } = await agent().ask('one', readTask('alpha-1', 100));
      expect(text).toContain('all 100 files');
      expect(read).toEqual(paths('alpha-1', 100));
      expect(api.requests.length).toBe(101);
      expectBounded(5);
      // Without a recall tool, no view names a handle.
      expect(api.requests.flatMap(sentMessages).join('\n')).not.toMatch(/\bm\d+(?:\.\d+)?@/);
    });

    test('streams, and learns from the usage of every answer', async () => {
      const { text, parts } = await agent({ store }).ask('one', readTask('alpha-1', FILES), { stream: true });
      expect(text).toContain(`all ${FILES} files`);
      expect(parts).toBeGreaterThan(1);
      expectBounded(1);
      await expectUsage();
    });

    test('three calls at a time', async () => {
      await agent().ask('one', readTask('alpha-1', 2 * FILES, 3));
      expect(read.toSorted()).toEqual(paths('alpha-1', 2 * FILES).toSorted());
      expect(api.requests.length).toBe((2 * FILES) / 3 + 1);
      expectBounded(1);
    });

    test('images', async () => {
      const one = agent();
      await one.ask('one', readTask('alpha-1', FILES / 2), { image: IMAGE });
      await one.ask('one', readTask('alpha-2', FILES / 2), { image: IMAGE });
      expectBounded(1);
      for (const request of [api.requests[0], api.requests.at(-1)])
        expect(request && sentMessages(request).join('\n').includes(IMAGE)).toBe(true);
    });

    test.runIf(framework.pictures)('pictures in tool results, which come back with recall', async () => {
      const one = agent({ recall: true, picture: IMAGE });
      await one.ask('one', readTask('alpha-1', FILES));
      await one.ask('one', RECALL_TASK);
      expectBounded(1);
      for (const request of [api.requests[1], api.requests.at(-1)]) {
        const result = request && sentMessages(request).at(-1);
        const path = /alpha-1\/\d+\.ts/.exec(result ?? '')?.[0] ?? '';
        expect(result).toContain(JSON.stringify(fileAt(path)).slice(1, -1));
        expect(result).toContain(IMAGE);
      }
    });

    test.each([
      ['', false],
      [' of a stream', true],
    ])('thinking that the API refuses costs one attempt%s', async (_, stream) => {
      await agent().ask('one', readTask('alpha-1', 3));
      // Signatures of one server mean nothing to the other, as after a change of the account.
      const other = await createStandIn({ script: scriptedModel, keep_bodies: 1_000, secret: 'another' });
      onTestFinished(() => other.close());
      const { text } = await agent({ url: other.url }).ask('one', readTask('alpha-2', FILES), { stream });
      expect(text).toContain(`all ${FILES} files of alpha-2`);
      const refused = other.requests.filter(({ verdict }) => verdict !== 'answered');
      expect(refused.length).toBe(framework.refusals);
      expect(events.filter(({ type }) => type === 'thinking-retry').length).toBe(refused.length);
      expect(Math.max(...other.requests.map(promptTokens))).toBeLessThanOrEqual(BUDGET);
    });

    test('a tool that fails is a result for the model', async () => {
      const failing = agent({
        readFile: (path) => {
          read.push(path);
          if (read.length % 3 === 0) throw new Error(`cannot read ${path}`);
          return fileAt(path);
        },
      });
      const { text } = await failing.ask('one', readTask('alpha-1', 2 * FILES));
      expect(text).toContain(`all ${2 * FILES} files`);
      expect(read).toEqual(paths('alpha-1', 2 * FILES));
      expectBounded(1);
    });

    test.each([
      ['', false],
      [' of a stream', true],
    ])('a request that the framework repeats after an error counts once%s', async (_, stream) => {
      api.fail(...Array.from({ length: FILES / 2 }, () => undefined), 'server-error');
      const { text } = await agent({ store, retries: 2 }).ask('one', readTask('alpha-1', FILES), { stream });
      expect(text).toContain(`all ${FILES} files`);
      expect(read).toEqual(paths('alpha-1', FILES));
      expect(api.requests.filter(({ verdict }) => verdict === 'failed').length).toBe(1);
      expect(api.requests.length).toBe(FILES + 2);
      expect((await store.list()).length).toBe(1);
      await expectUsage();
      expectBounded(1);
    });

    test.each(['request', 'tool'])('continues after a %s was aborted', async (aborted) => {
      const stopped = new AbortController();
      let asked = 0;
      await api.close();
      api = await createStandIn({
        script: (prompt) => {
          if (++asked === FILES - 2 && aborted === 'request') stopped.abort();
          return scriptedModel(prompt);
        },
      });
      const one = agent({
        readFile: (path) => {
          read.push(path);
          if (read.length === FILES - 2 && aborted === 'tool') stopped.abort();
          return fileAt(path);
        },
      });
      // Some frameworks reject, and some return what they have.
      await one.ask('one', readTask('alpha-1', FILES), { signal: stopped.signal }).catch(() => undefined);
      expect(asked).toBe(FILES - 2);
      const { text } = await one.ask('one', readTask('alpha-2', FILES));
      expect(text).toContain(`all ${FILES} files of alpha-2`);
      expectBounded(1);
    });

    test('four turns, with a whole history in the framework', async () => {
      const one = agent();
      for (const turn of [1, 2, 3, 4]) await one.ask('one', readTask(`alpha-${turn}`, FILES / 2));
      const all = [1, 2, 3, 4].flatMap((turn) => paths(`alpha-${turn}`, FILES / 2));
      expect(read).toEqual(all);
      expectBounded(2);
      const remembered = await framework.remembered(memory, 'one');
      for (const path of all) expect(remembered.includes(JSON.stringify(fileAt(path)).slice(1, -1)), path).toBe(true);
      expect(remembered).not.toContain('[Note on');
    });

    test.runIf(framework.compact)('continues after the framework has compacted its own history', async () => {
      const one = agent();
      await one.ask('one', readTask('alpha-1', 25));
      await framework.compact?.(memory, 'one');
      const before = api.requests.length;
      const { text } = await one.ask('one', readTask('alpha-2', 25));
      for (const request of [api.requests[before], api.requests.at(-1)])
        expect(request && sentMessages(request).join('\n')).toContain(SUMMARY);
      expect(text).toContain('all 25 files of alpha-2');
      expectBounded(2);
    });

    test('four conversations at once', async () => {
      const one = agent();
      const names = ['alpha', 'beta', 'gamma', 'delta'];
      const answers = await Promise.all(names.map((task) => one.ask(task, readTask(`${task}-1`, FILES))));
      expect(answers.map(({ text }) => text.includes(`all ${FILES} files`))).toEqual([true, true, true, true]);
      expect(read.toSorted()).toEqual(names.flatMap((task) => paths(`${task}-1`, FILES)).toSorted());
      expectBounded(4);
      for (const request of api.requests) {
        const sent = sentMessages(request).join('\n');
        expect(names.filter((task) => sent.includes(`${task}-1`)).length).toBe(1);
      }
    });

    test.runIf(framework.named)('two conversations that say the same stay apart by their names', async () => {
      const one = agent({ store });
      await Promise.all(['one', 'two'].map((name) => one.ask(name, readTask('alpha-1', FILES))));
      expectBounded(2);
      const scopes = new Set(events.map(({ conversation }) => conversation));
      expect(scopes.size).toBe(2);
      expect((await store.list()).map(({ id }) => scopes.has(id.split('-')[1]))).toEqual([true, true]);
    });

    test('another process continues from the store with the same view', async () => {
      await agent({ store }).ask('one', readTask('alpha-1', FILES), { image: IMAGE });
      expectBounded(1);
      await expectUsage();
      const before = sentMessages(api.requests.at(-1) as RecordedRequest);
      expect(before.length).toBeLessThan(2 * FILES);
      const later = await sqlite(join(folder, 'sessions.db'));
      // With a larger budget nothing is folded again, so everything that is shorter comes from the store.
      await agent({ store: later, max_tokens: 5 * BUDGET }).ask('one', readTask('alpha-2', 2));
      await later.close();
      const after = api.requests.slice(-3);
      expect(after.map(({ verdict }) => verdict)).toEqual(['answered', 'answered', 'answered']);
      for (const request of after) expect(sentMessages(request).slice(0, before.length)).toEqual(before);
    });

    test("the model recalls a folded result with the framework's own tool call, byte for byte", async () => {
      const one = agent({ recall: true });
      await one.ask('one', readTask('alpha-1', FILES));
      await one.ask('one', RECALL_TASK);
      expectBounded(1);
      const last = api.requests.at(-1);
      const result = last && sentMessages(last).at(-1);
      const path = /alpha-1\/\d+\.ts/.exec(result ?? '')?.[0] ?? '';
      expect(result).toContain(JSON.stringify(fileAt(path)).slice(1, -1));
    });
  });
}
