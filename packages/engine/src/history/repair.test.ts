import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { brokenHistories, lost } from '../../test/broken-histories.ts';
import { type Block, dialectOf, FORMATS, type Format, say, type Wire } from '../../test/histories.ts';
import { bare, counting, violationsOf } from '../../test/promises.ts';
import { ConversationWindow, isHoldfastError, openaiChat, repairHistory, type WindowEvent } from '../index.ts';
import { repairAgain, repairMessages } from './repair.ts';
import type { RepairMemo } from './repairs.ts';

const numRuns = Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 5_000 : 20));
const NO_RESULT = '[No result was recorded for this call]';

async function holds(
  format: Format,
  check: (broken: readonly Wire[], config: object) => Promise<void> | void,
  runs = numRuns,
): Promise<void> {
  const property = fc.asyncProperty(brokenHistories(format), async ({ broken, scenario }) => {
    await check(broken, scenario.config);
  });
  await fc.assert(property, {
    numRuns: runs,
    ...(SOAK ? {} : { seed: 20261115 }),
    endOnFailure: process.env.HOLDFAST_SHRINK !== '1',
    reporter(run) {
      if (!run.failed) return;
      const place = `seed ${run.seed}, path "${run.counterexamplePath}", run ${run.numRuns}, HOLDFAST_SHRINK=1 finds a smaller one`;
      const small = JSON.stringify(run.counterexample?.[0].broken, null, 1);
      throw new Error(`${place}\n${small.slice(0, 4_000)}\n${run.errorInstance}`, { cause: run.errorInstance });
    },
  });
}

/** What breaks a history beyond repair: parts that their new role does not accept, reasoning on its own. */
const BEYOND: Readonly<Partial<Record<Format, readonly string[]>>> = {
  'openai-responses': ['lone-reasoning', 'duplicate-item-id', 'part-type'],
  gemini: ['missing-signature', 'mixed-results'],
  'ai-sdk': ['bad-part', 'no-messages', 'unknown-approval', 'duplicate-call-id'],
};

/** What the API would refuse; a window keeps only the newest cache markers itself. */
function refused(format: Format, messages: readonly Wire[]): string[] {
  const allowed = ['too-many-markers', ...(BEYOND[format] ?? [])];
  const found = violationsOf(format, messages).filter(({ rule }) => !allowed.includes(rule));
  return found.map(({ index, rule }) => `${rule} at ${index}`);
}

function isBeyond(format: Format, error: unknown): boolean {
  return isHoldfastError(error) && (BEYOND[format] ?? []).includes(String(error.details.rule));
}

/** What many servers take and OpenAI's own API does not counts as broken here. */
const strict = openaiChat<Wire>({ strict: true });
const strictest = (format: Format) => (format === 'openai-chat' ? strict : dialectOf(format));
const repair = (format: Format, messages: readonly Wire[]) => repairMessages(strictest(format), messages);

describe.each(FORMATS)('any broken history in %s', (format) => {
  test('is valid after repair, and nothing is lost', () =>
    holds(format, (broken) => {
      const { messages } = repair(format, broken);
      expect(refused(format, messages)).toEqual([]);
      expect(lost(broken, messages)).toEqual([]);
      try {
        const whole = repairHistory(broken, { dialect: strictest(format) }).messages;
        expect(violationsOf(format, whole).filter(({ rule }) => !BEYOND[format]?.includes(rule))).toEqual([]);
      } catch (error) {
        if (!isBeyond(format, error)) throw error;
      }
    }));

  test('is repaired the same way each time, and a second repair changes nothing', () =>
    holds(format, (broken) => {
      const once = repair(format, broken);
      expect(repair(format, broken)).toEqual(once);
      const again = repair(format, once.messages);
      expect(again.repairs).toEqual([]);
      expect(again.messages).toBe(once.messages);
      for (const { index, rule, done } of once.repairs) {
        expect(broken[index], rule).toBeDefined();
        expect(done).toMatch(/\w/);
      }
    }));

  test('is left alone if it is valid', () =>
    holds(format, async (broken) => {
      const { messages, repairs } = repair(format, broken);
      const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: strictest(format) });
      const isSound = await window.fit(broken).then(
        () => true,
        () => false,
      );
      if (isSound) expect(messages).toBe(broken);
      if (messages === broken) expect([refused(format, broken), repairs]).toEqual([[], []]);
      else expect(repairs.length).toBeGreaterThan(0);
    }));

  test('gives the same result repaired as it grows or all at once', () =>
    holds(format, (broken) => {
      const dialect = strictest(format);
      let memo: RepairMemo<Wire> | undefined;
      for (let length = 1; length <= broken.length; length += 1 + (length % 3)) {
        const history = broken.slice(0, length);
        const tried = repairAgain(dialect, memo, history);
        // A call that fails later is tried again from what was before it.
        memo = repairAgain(dialect, memo, history);
        expect(memo.messages).toEqual(tried.messages);
        const whole = repairMessages(dialect, history);
        expect(memo.messages).toEqual(whole.messages);
        expect(memo.repairs).toEqual(whole.repairs);
      }
    }));

  test('a later message changes only the call that it answers', () =>
    holds(format, (broken) => {
      const dialect = strictest(format);
      const whole = repair(format, broken).messages;
      for (let cut = 1; cut < broken.length; cut += 1 + (broken.length >> 3)) {
        const before = repair(format, broken.slice(0, cut)).messages;
        const place = before.findIndex((message, i) => bare(message) !== bare(whole[i] as Wire));
        const last = before[place];
        // The API takes an empty answer at the very end, and nowhere else.
        const isEmptyEnd = place === before.length - 1 && last?.role === 'assistant' && !last.content?.toString();
        if (place < 0 || isEmptyEnd) continue;
        // The output of a search has no text: it found nothing.
        const isEmptySearch = last?.type === 'tool_search_output' && last.tools?.toString() === '';
        if (!isEmptySearch) expect(JSON.stringify(last), `at ${place}, cut at ${cut}`).toContain(NO_RESULT);
        const start = broken.slice(0, cut);
        const made = new Set(start.flatMap((one) => dialect.read(one).calls.map(({ id }) => id)));
        const { role, results } = dialect.read(broken[cut] as Wire);
        // No answer is inserted into a response that continues, or between a call and its approval.
        const goesOn = dialect.splitResponses ? role === 'assistant' : role === 'tool' && results.length === 0;
        if (goesOn) continue;
        // Gemini's older models give no ids.
        const answered = broken.slice(cut).flatMap((one) => dialect.read(one).results.map(({ id }) => id));
        const rest = JSON.stringify([...broken.slice(cut), answered]);
        expect([...made].some((id) => rest.includes(JSON.stringify(id)))).toBe(true);
      }
    }));

  test('without repair it is refused with index, rule and fix, or it is valid', () =>
    holds(format, async (broken) => {
      const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: strictest(format) });
      try {
        const { messages } = await window.fit(broken);
        expect(refused(format, broken)).toEqual([]);
        expect(messages.length).toBe(broken.length);
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        const { index, rule, fix } = error.details;
        expect(error.code).toBe('INVALID_HISTORY');
        expect(broken[Number(index)], `${rule}`).toBeDefined();
        expect([rule, fix]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      }
    }));

  test('as it grows, a window with repair returns valid views that only grow, or reports what it rewrote', () =>
    holds(
      format,
      async (broken, config) => {
        const events: WindowEvent[] = [];
        const dialect = strictest(format);
        const window = new ConversationWindow<Wire>(
          { ...config, repair: true },
          { dialect, logger: { warn() {} }, onEvent: (event) => events.push(event) },
        );
        let memo: ReturnType<typeof repairAgain<Wire>> | undefined;
        let before: readonly Wire[] = [];
        for (let end = 1; end <= broken.length; end += 1 + (end % 3)) {
          const history = broken.slice(0, end);
          memo = repairAgain(dialect, memo, history);
          const { messages, repairs } = repairMessages(dialect, history);
          expect(memo.messages).toEqual(messages);
          expect(memo.repairs).toEqual(repairs);
          events.length = 0;
          const fitted = await window.fit(history).catch((error: unknown) => {
            if (isBeyond(format, error) || (isHoldfastError(error) && error.code === 'OVER_BUDGET')) return undefined;
            throw error;
          });
          if (!fitted) continue;
          expect(refused(format, fitted.messages)).toEqual([]);
          const rewritten = events.some(({ type }) => type === 'history-rewritten' || type === 'fold-end');
          if (!rewritten) expect(fitted.messages.slice(0, before.length).map(bare)).toEqual(before.map(bare));
          before = fitted.messages;
        }
      },
      Math.ceil(numRuns / 5),
    ));
});

describe('a dialect with fewer optional functions', () => {
  const { split: _, merge: __, ...whole } = dialectOf('anthropic');
  test('results move with their whole message, or are quoted', () =>
    holds('anthropic', (broken) => {
      const { messages } = repairHistory(broken, { dialect: whole });
      expect(refused('anthropic', messages)).toEqual([]);
      expect(lost(broken, messages)).toEqual([]);
      expect(repairMessages(whole, messages).messages).toBe(messages);
    }));

  const items = { ...dialectOf('openai-chat'), splitResponses: true };
  test('results stay where they are if a response may be several messages', () =>
    holds('openai-chat', (broken) => {
      const { messages } = repairHistory(broken, { dialect: items });
      expect(lost(broken, messages)).toEqual([]);
      expect(repairMessages(items, messages).messages).toBe(messages);
      let at = -1;
      for (const message of messages.filter((one) => broken.includes(one))) {
        at = broken.indexOf(message, at + 1);
        expect(at, 'in the order in which they came').toBeGreaterThanOrEqual(0);
      }
    }));

  test('refuses a duplicate id that cannot be renamed, with its index', () => {
    const { rename: _, ...fixed } = dialectOf('anthropic');
    const history = [user('go'), ask('a'), done('a'), ask('a'), done('a')];
    expect(() => repairMessages(fixed, history)).toThrow(/message 3 breaks the rule "duplicate-call-id"/);
  });
});

const user = (...content: (string | Block)[]): Wire => ({
  role: 'user',
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});
const says = (...content: (string | Block)[]): Wire => ({ ...user(...content), role: 'assistant' });
const call = (id: string, input: unknown = { path: 'a.ts' }): Block => ({ type: 'tool_use', id, name: 'Read', input });
const result = (id: string, content: unknown = `result of ${id}`): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const ask = (...ids: string[]): Wire => says(...ids.map((id) => call(id)));
const done = (...ids: string[]): Wire => user(...ids.map((id) => result(id)));
const system: Wire = { role: 'system', content: 'Be brief.' };
const thinking: Block = { type: 'thinking', thinking: 'let me see', signature: 'sig' };
const search: Block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'folds' } };
const found: Block = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const marked = (ttl: string): Block => ({ type: 'text', text: 'so', cache_control: { type: 'ephemeral', ttl } });
const calls = (...ids: string[]): Wire => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'Read', arguments: '{"path":"a.ts"}' } })),
});
const tool = (id: string, content: unknown = `result of ${id}`): Wire => ({ role: 'tool', tool_call_id: id, content });

/** A rule of the wire format: what breaks it, where, and the rule that repair names; none if it cannot be repaired. */
interface Row {
  readonly row: string;
  readonly rule: string;
  readonly index: number;
  readonly history: readonly Wire[];
  readonly repaired: string | undefined;
}

const go = user('go');
const ANTHROPIC: readonly Row[] = [
  {
    row: 'every tool_use answered in next message',
    rule: 'unanswered-call',
    index: 1,
    history: [go, ask('a', 'b'), done('a'), says('so'), go],
    repaired: 'unanswered-call',
  },
  {
    row: 'final assistant tool_use with nothing after',
    rule: 'unanswered-call',
    index: 1,
    history: [go, ask('a')],
    repaired: 'unanswered-call',
  },
  {
    row: 'tool_results first; text before them',
    rule: 'interrupted-call',
    index: 2,
    history: [go, ask('a'), user('well', result('a'))],
    repaired: 'late-result',
  },
  {
    row: 'tool_results first, also a second one',
    rule: 'late-result',
    index: 2,
    history: [go, ask('a'), user(result('a'), 'well', result('a', 'again'))],
    repaired: 'double-result',
  },
  {
    row: 'results split over two messages',
    rule: 'unanswered-call',
    index: 1,
    history: [go, ask('a', 'b'), done('a'), done('b')],
    repaired: 'interrupted-call',
  },
  {
    row: 'tool_result without tool_use in previous message',
    rule: 'orphan-result',
    index: 2,
    history: [go, says('so'), user(result('x'), 'and?')],
    repaired: 'orphan-result',
  },
  {
    row: 'a result that comes after another answer',
    rule: 'unanswered-call',
    index: 1,
    history: [go, ask('a'), says('still waiting'), done('a'), says('so')],
    repaired: 'interrupted-call',
  },
  {
    row: 'server_tool_use without result',
    rule: 'unanswered-server-call',
    index: 1,
    history: [go, says(search), user('never mind')],
    repaired: 'unanswered-server-call',
  },
  {
    row: 'with one pending, reply only tool_results',
    rule: 'unanswered-server-call',
    index: 1,
    history: [go, says(search, call('a')), user(result('a'), 'hurry'), says(found), go],
    repaired: undefined,
  },
  {
    row: 'duplicate tool_use id in one message',
    rule: 'duplicate-call-id',
    index: 1,
    history: [go, ask('a', 'a'), done('a', 'a')],
    repaired: 'duplicate-call-id',
  },
  {
    row: 'duplicate tool_use id in two messages',
    rule: 'duplicate-call-id',
    index: 3,
    history: [go, ask('a'), done('a'), ask('a'), done('a')],
    repaired: 'duplicate-call-id',
  },
  {
    row: 'duplicate result',
    rule: 'double-result',
    index: 2,
    history: [go, ask('a'), user(result('a', 'once'), result('a', 'twice'))],
    repaired: 'double-result',
  },
  {
    row: 'id charset',
    rule: 'bad-call-id',
    index: 1,
    history: [go, ask('functions.read:0'), done('functions.read:0')],
    repaired: 'bad-call-id',
  },
  {
    row: 'input object',
    rule: 'bad-call-input',
    index: 1,
    history: [go, says(call('a', ['x'])), done('a')],
    repaired: 'bad-call-input',
  },
  {
    row: 'tool_result in assistant',
    rule: 'result-in-assistant',
    index: 3,
    history: [go, ask('a'), done('a'), says('so', result('b')), go],
    repaired: 'result-in-assistant',
  },
  {
    row: 'tool_use in user',
    rule: 'call-in-user',
    index: 0,
    history: [user('go', call('a')), done('a')],
    repaired: 'call-in-user',
  },
  {
    row: 'thinking in user',
    rule: 'thinking-in-user',
    index: 0,
    history: [user({ type: 'thinking', thinking: '', signature: 's' }, 'go'), says('so'), go],
    repaired: 'thinking-in-user',
  },
  { row: 'empty text', rule: 'empty-text', index: 0, history: [user('go', '')], repaired: 'empty-text' },
  {
    row: 'empty text in a result',
    rule: 'empty-text',
    index: 2,
    history: [go, ask('a'), user(result('a', [{ type: 'text', text: '' }]))],
    repaired: 'empty-text',
  },
  { row: 'whitespace text', rule: 'blank-text', index: 0, history: [user('go', ' \n')], repaired: 'blank-text' },
  {
    row: 'whitespace text alone',
    rule: 'blank-text',
    index: 0,
    history: [{ role: 'user', content: ' \n' }],
    repaired: 'blank-text',
  },
  { row: 'empty message', rule: 'empty-message', index: 1, history: [go, says(), go], repaired: 'empty-message' },
  {
    row: 'no content at all',
    rule: 'bad-content',
    index: 1,
    history: [go, { role: 'assistant', content: null }, go],
    repaired: 'bad-content',
  },
  {
    row: 'content of no known shape',
    rule: 'bad-content',
    index: 1,
    history: [go, { role: 'assistant', content: 7 }, go],
    repaired: undefined,
  },
  {
    row: 'final assistant trailing whitespace',
    rule: 'trailing-whitespace',
    index: 1,
    history: [go, says('{"answer": ')],
    repaired: 'trailing-whitespace',
  },
  {
    row: 'first role assistant',
    rule: 'first-assistant',
    index: 0,
    history: [says('hello'), go],
    repaired: 'first-assistant',
  },
  { row: 'messages[0] system', rule: 'first-system', index: 0, history: [system, go], repaired: undefined },
  {
    row: 'system elsewhere, after the assistant',
    rule: 'misplaced-system',
    index: 2,
    history: [go, says('so'), system],
    repaired: 'misplaced-system',
  },
  {
    row: 'system elsewhere, before the user',
    rule: 'misplaced-system',
    index: 1,
    history: [go, system, go],
    repaired: 'misplaced-system',
  },
  {
    row: 'TTL order',
    rule: 'marker-order',
    index: 2,
    history: [user(marked('5m')), says('so'), user(marked('1h'))],
    repaired: undefined,
  },
  {
    row: 'marker on empty text',
    rule: 'marker-on-empty-text',
    index: 0,
    history: [user('go', { ...marked('5m'), text: '' })],
    repaired: 'empty-text',
  },
  {
    row: 'missing signature',
    rule: 'missing-signature',
    index: 1,
    history: [go, says({ type: 'thinking', thinking: 'hm, src/a.ts' }, 'so'), go],
    repaired: 'missing-signature',
  },
  { row: 'no message', rule: 'bad-message', index: 1, history: [go, JSON.parse('null')], repaired: undefined },
];

const CHAT: readonly Row[] = [
  {
    row: 'unanswered call',
    rule: 'interrupted-call',
    index: 3,
    history: [go, calls('a', 'b'), tool('b'), user('so?')],
    repaired: 'unanswered-call',
  },
  {
    row: 'unanswered call before another answer',
    rule: 'unanswered-call',
    index: 1,
    history: [go, calls('a', 'b'), tool('b'), calls('c'), tool('c')],
    repaired: 'unanswered-call',
  },
  {
    row: 'unanswered call of the older form',
    rule: 'unanswered-call',
    index: 1,
    history: [go, { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } }],
    repaired: 'unanswered-call',
  },
  {
    row: 'orphan tool message',
    rule: 'orphan-result',
    index: 1,
    history: [go, tool('x', [{ type: 'text', text: 'src/x.ts' }])],
    repaired: 'orphan-result',
  },
  {
    row: 'wrong id',
    rule: 'orphan-result',
    index: 2,
    history: [go, calls('a'), tool('x'), tool('a')],
    repaired: 'orphan-result',
  },
  {
    row: 'a user message between call and result',
    rule: 'interrupted-call',
    index: 2,
    history: [go, calls('a'), user('wait'), tool('a')],
    repaired: 'interrupted-call',
  },
  {
    row: 'duplicate id of two calls',
    rule: 'duplicate-call-id',
    index: 1,
    history: [go, calls('a', 'a'), tool('a'), tool('a')],
    repaired: 'duplicate-call-id',
  },
  {
    row: 'duplicate id of two results',
    rule: 'double-result',
    index: 3,
    history: [go, calls('a'), tool('a'), tool('a', 'again')],
    repaired: 'double-result',
  },
  {
    row: 'null content',
    rule: 'null-content',
    index: 1,
    history: [go, { role: 'assistant', content: null }, go],
    repaired: 'null-content',
  },
  {
    row: 'null content of a tool message',
    rule: 'null-content',
    index: 2,
    history: [go, calls('a'), tool('a', null)],
    repaired: 'null-content',
  },
  {
    row: 'content of no known shape',
    rule: 'bad-message',
    index: 1,
    history: [go, { role: 'assistant', content: 7 }, go],
    repaired: undefined,
  },
];

const made = (id: string, more: object = {}): Wire => ({
  type: 'function_call',
  call_id: id,
  name: 'Read',
  arguments: '{"path":"a.ts"}',
  ...more,
});
const output = (id: string, text = `result of ${id}`): Wire => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const reasoning: Wire = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'let me see' }] };
const asked: Wire = { role: 'user', content: 'go' };
const answered: Wire = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'so' }],
};

const RESPONSES: readonly Row[] = [
  {
    row: 'call without output',
    rule: 'unanswered-call',
    index: 1,
    history: [asked, made('a'), made('b'), output('b'), asked],
    repaired: 'unanswered-call',
  },
  {
    row: 'call without output at the end',
    rule: 'unanswered-call',
    index: 1,
    history: [asked, made('a')],
    repaired: 'unanswered-call',
  },
  {
    row: 'output without call',
    rule: 'orphan-result',
    index: 1,
    history: [asked, output('x')],
    repaired: 'orphan-result',
  },
  {
    row: 'output before call',
    rule: 'orphan-result',
    index: 1,
    history: [asked, output('a'), made('a'), asked],
    repaired: 'orphan-result',
  },
  {
    row: 'a second output',
    rule: 'double-result',
    index: 3,
    history: [asked, made('a'), output('a'), output('a', 'again')],
    repaired: 'double-result',
  },
  {
    row: 'reasoning alone, before the user',
    rule: 'lone-reasoning',
    index: 1,
    history: [asked, reasoning, asked],
    repaired: undefined,
  },
  {
    row: 'reasoning alone, at the end',
    rule: 'lone-reasoning',
    index: 2,
    history: [asked, answered, reasoning],
    repaired: undefined,
  },
  {
    row: 'duplicate id',
    rule: 'duplicate-item-id',
    index: 3,
    history: [asked, answered, asked, answered],
    repaired: undefined,
  },
  {
    row: 'id prefix',
    rule: 'bad-item-id',
    index: 1,
    history: [asked, made('a', { id: 'call_abc' }), output('a')],
    repaired: 'bad-item-id',
  },
  {
    row: 'id length',
    rule: 'long-id',
    index: 1,
    history: [asked, made('a', { id: `fc_${'0'.repeat(62)}` }), output('a')],
    repaired: 'long-id',
  },
  {
    row: 'call_id length',
    rule: 'long-id',
    index: 1,
    history: [asked, made(`call_${'0'.repeat(60)}`), output(`call_${'0'.repeat(60)}`)],
    repaired: 'long-id',
  },
];

const ROWS = [
  ...ANTHROPIC.map((row) => ({ ...row, format: 'anthropic' as const })),
  ...CHAT.map((row) => ({ ...row, format: 'openai-chat' as const })),
  ...RESPONSES.map((row) => ({ ...row, format: 'openai-responses' as const })),
];

async function fitOnce(format: Format, history: readonly Wire[], config: object = {}) {
  const events: WindowEvent[] = [];
  const dialect = dialectOf(format);
  const window = new ConversationWindow<Wire>(config, { dialect, onEvent: (event) => events.push(event) });
  const outcome = await window.fit(history).catch((error: unknown) => {
    if (isHoldfastError(error)) return error;
    throw error;
  });
  return { outcome, events };
}

describe('every rule of the wire formats that a history can break', () => {
  test.each(ROWS)('$format, $row: without repair refused as $rule', async ({ format, history, rule, index }) => {
    const { outcome } = await fitOnce(format, history);
    expect(outcome).toMatchObject({
      code: 'INVALID_HISTORY',
      details: { rule, index, fix: expect.stringMatching(/\w/) },
    });
  });

  test.each(ROWS)(
    '$format, $row: with repair valid, nothing lost',
    async ({ format, history, rule, index, repaired }) => {
      const { outcome, events } = await fitOnce(format, history, { repair: true });
      if (repaired === undefined) {
        expect(outcome).toMatchObject({ code: 'INVALID_HISTORY', details: { rule, index } });
        return;
      }
      if (isHoldfastError(outcome)) throw outcome;
      expect(violationsOf(format, outcome.messages)).toEqual([]);
      expect(lost(history, outcome.messages)).toEqual([]);
      expect(events).toEqual([{ type: 'history-repaired', repairs: expect.any(Array) }]);
      expect(events[0]).toMatchObject({
        repairs: expect.arrayContaining([expect.objectContaining({ rule: repaired })]),
      });
    },
  );
});

describe('repairs of a broken history', () => {
  const anthropic = dialectOf('anthropic');
  const chat = dialectOf('openai-chat');
  const none = (id: string): Block => ({ ...result(id, NO_RESULT), is_error: true });
  const quote = (id: string) => `[Quoted result of the call ${id}]\nresult of ${id}`;

  test('a dangling call gets an answer next to the results that exist', () => {
    expect(repairHistory([go, ask('a', 'b'), user(result('b'), 'so?')], { dialect: anthropic }).messages).toEqual([
      go,
      ask('a', 'b'),
      user(result('b'), none('a'), 'so?'),
    ]);
    expect(repairHistory([go, ask('a'), user('so?')], { dialect: anthropic }).messages).toEqual([
      go,
      ask('a'),
      user(none('a')),
      user('so?'),
    ]);
    expect(repairHistory([go, calls('a', 'b'), tool('b'), user('so?')], { dialect: chat }).messages).toEqual([
      go,
      calls('a', 'b'),
      tool('b'),
      tool('a', NO_RESULT),
      user('so?'),
    ]);
  });

  test('an orphan between a call and its results is quoted after them', () => {
    const { messages, repairs } = repairHistory([go, calls('a', 'b'), tool('a'), tool('x'), tool('b')]);
    const [quoted] = repairHistory([tool('x')]).messages;
    expect(messages).toEqual([go, calls('a', 'b'), tool('a'), tool('b'), quoted]);
    expect(quoted).toEqual({ role: 'user', content: quote('x') });
    expect(repairs.map(({ index, rule }) => [index, rule])).toEqual([
      [3, 'orphan-result'],
      [4, 'interrupted-call'],
    ]);
  });

  test('a late result moves back to its call, with its images', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const late = user(result('b'), result('a', [image]), 'at last');
    const history = [go, ask('a'), user('wait'), ask('b'), late];
    expect(repairHistory(history, { dialect: anthropic }).messages).toEqual([
      go,
      ask('a'),
      user(result('a', [image])),
      user('wait'),
      ask('b'),
      user(result('b'), 'at last'),
    ]);
  });

  test('a second call with the same id gets a new id, and so does its result', () => {
    const history = [go, ask('a'), done('a'), ask('a', 'b'), done('a', 'b'), ask('a')];
    const ids = repairHistory(history, { dialect: anthropic }).messages.flatMap((message) => {
      const { calls: made, results } = anthropic.read(message);
      return [...made, ...results].map(({ id }) => id);
    });
    expect(ids).toEqual(['a', 'a', 'a_2', 'b', 'a_2', 'b', 'a_3', 'a_3']);
  });

  test('reads call input that is JSON text', () => {
    const { messages } = repairHistory([go, says(call('a', '{"path":"src/a.ts"}')), done('a')], { dialect: anthropic });
    expect(messages[1]).toEqual(says(call('a', { path: 'src/a.ts' })));
  });

  test('thinking without a signature stays if the server does not sign it', () => {
    const history = [go, says({ type: 'thinking', thinking: 'hm' }, 'so'), go];
    expect(repairHistory(history, { dialect: dialectOf('anthropic', 'free') }).messages).toBe(history);
  });

  test('keeps the newest of too many cache markers', () => {
    const history = Array.from({ length: 6 }, () => user({ type: 'text', text: 'so', cache_control: { type: 'e' } }));
    const { messages, repairs } = repairHistory(history, { dialect: anthropic });
    expect(messages.map((message) => anthropic.read(message).markers)).toEqual([0, 0, 1, 1, 1, 1]);
    expect(repairs).toMatchObject([{ index: -1, rule: 'too-many-markers' }]);
  });

  test("refuses or repairs what only OpenAI's own API refuses, if configured", async () => {
    const long = `chatcmpl-tool-${'0123456789abcdef'.repeat(2)}`;
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const ids = [go, calls(long, 'b'), tool(long), tool('b')];
    const images = [go, calls('a', 'b'), tool('a', [{ type: 'text', text: 'see' }, picture]), tool('b', [picture])];
    for (const [rule, index, history] of [
      ['long-call-id', 1, ids],
      ['result-content', 2, images],
    ] as const) {
      expect(repairHistory(history, { dialect: chat }).messages).toBe(history);
      const window = new ConversationWindow<Wire>({}, { dialect: strict });
      await expect(window.fit(history)).rejects.toMatchObject({ details: { rule, index } });
      const { messages, repairs } = repairHistory(history, { dialect: strict });
      expect(refused('openai-chat', messages)).toEqual([]);
      expect(lost(history, messages)).toEqual([]);
      expect(repairs[0]).toMatchObject({ rule, index });
    }
  });

  test('detects the wire format, and refuses what cannot be repaired', () => {
    expect(repairHistory([go, ask('a')]).messages).toHaveLength(3);
    expect(() => repairHistory([system, go], { dialect: 'anthropic' })).toThrow(/first-system/);
    expect(() => repairHistory([{ parts: [] }])).toThrow(/unknown-format/);
  });
});

describe('a window with repair', () => {
  function opened(config: object = {}, dialect = dialectOf('anthropic')) {
    const events: WindowEvent[] = [];
    const onEvent = (event: WindowEvent) => events.push(event);
    return { window: new ConversationWindow<Wire>({ repair: true, ...config }, { dialect, onEvent }), events };
  }

  test('reports a repair once', async () => {
    const { window, events } = opened();
    const history = [go, ask('a'), user('so?')];
    await window.fit(history);
    await window.fit([...history, says('well'), go]);
    expect(events).toEqual([
      {
        type: 'history-repaired',
        repairs: [{ index: 1, rule: 'unanswered-call', done: expect.stringMatching(/\w/) }],
      },
    ]);
    await window.fit([...history, says('well'), go, ask('b')]);
    expect(events.slice(1)).toMatchObject([{ type: 'history-repaired', repairs: [{ index: 5 }] }]);
  });

  test('a late answer to a call counts as an edit of the history', async () => {
    const { window, events } = opened();
    const history = [go, ask('a')];
    const { messages } = await window.fit(history);
    expect(JSON.stringify(messages)).toContain(NO_RESULT);
    const answered = await window.fit([...history, done('a')]);
    expect(answered.messages).toEqual([...history, done('a')]);
    expect(events.map(({ type }) => type)).toEqual(['history-repaired', 'history-rewritten']);
  });

  test.each([1, 30])('so it does after %i folds, when the call was dropped', async (rounds) => {
    const { window, events } = opened({ max_messages: 12, preserve_last_n: 2 });
    const history: Wire[] = [go, ask('late'), user('go on')];
    for (let i = 0; i < 8 * rounds; i++) {
      history.push(ask(`c${i}`), done(`c${i}`));
      await window.fit(history);
    }
    expect(events.some(({ type }) => type === 'fold-end')).toBe(true);
    events.length = 0;
    const late = user(result('late', 'the answer is src/late_answer.ts'));
    const { messages } = await window.fit([...history, late, user('and?')]);
    expect(violationsOf('anthropic', messages)).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['history-repaired', 'history-rewritten']));
    // Its place is the one right behind its call.
    const { messages: recalled } = await window.recall('m2~1');
    expect(recalled).toEqual([late]);
  });

  test('indexes and handles refer to the repaired history', async () => {
    const { window } = opened({ max_messages: 0 });
    await window.fit([go, ask('a'), user('so?')]);
    expect((await window.recall('m3')).messages).toEqual([user('so?')]);
  });

  test('refuses a part of a history', async () => {
    const { window } = opened();
    await window.fit([go, says('so')]);
    await expect(window.fit([go], { offset: 2 })).rejects.toMatchObject({
      code: 'INVALID_HISTORY',
      details: { rule: 'bad-offset', index: 2, fix: expect.stringMatching(/whole history/) },
    });
  });

  test('removes bound thinking after a repair, and keeps what comes later', async () => {
    const { window } = opened();
    const history = [go, says(thinking, 'first'), go, ask('a'), user('so?'), says(thinking, 'second'), go];
    const { messages } = await window.fit(history);
    expect(messages.map((message) => anthropicThinks(message))).toEqual([0, 1, 0, 0, 0, 0, 0, 0]);
    const later = await window.fit([...history, says(thinking, 'third'), go]);
    expect(later.messages.map((message) => anthropicThinks(message))).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 1, 0]);
  });

  test('continues from its state', async () => {
    const { window } = opened({ max_messages: 8 });
    const history: Wire[] = [go, ask('a'), user('so?')];
    for (let i = 0; i < 9; i++) history.push(ask(`c${i}`), done(`c${i}`));
    const { messages } = await window.fit(history);
    const state = JSON.parse(JSON.stringify(window.state()));
    const restored = new ConversationWindow<Wire>({ max_messages: 8, repair: true }, { dialect: 'anthropic', state });
    expect((await restored.fit(history)).messages).toEqual(messages);
  });

  test('refuses a config other than true or false', () => {
    expect(() => new ConversationWindow(JSON.parse('{"repair":"yes"}'))).toThrow(/repair/);
  });

  test.each(FORMATS)('in %s, reads only new messages, and copies none that is valid', async (format) => {
    const { dialect, reads } = counting(dialectOf(format));
    const { window } = opened({ max_messages: 60 }, dialect);
    const history: Wire[] = [];
    for (let i = 0; i < 2_000; i++) {
      history.push(say(format, i % 2 === 0 ? 'user' : 'assistant', `message ${i} about src/file_${i % 50}.ts`));
      if (i % 2 === 1) continue;
      const { messages, receipt } = await window.fit(history);
      expect(reads(), `at message ${i}`).toBeLessThanOrEqual(receipt ? 8 * (60 + messages.length) : 16);
      expect(messages.at(-1)).toBe(history.at(-1));
    }
  });
});

const ORPHANS: Readonly<Record<Format, (id: string) => Wire>> = {
  anthropic: (id) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'text' }] }),
  'openai-chat': (id) => ({ role: 'tool', tool_call_id: id, content: 'text' }),
  'openai-responses': (id) => ({ type: 'function_call_output', call_id: id, output: 'text' }),
  gemini: (id) => ({ role: 'user', parts: [{ functionResponse: { id, name: 'Read', response: { output: 'text' } } }] }),
  'ai-sdk': (toolCallId) => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'Read', output: { type: 'text', value: 'text' } }],
  }),
};

test.each(FORMATS)('reads only new messages of %s, even if every turn has a result without a call', async (format) => {
  const { dialect, reads } = counting(dialectOf(format));
  const window = new ConversationWindow<Wire>({ max_messages: 60, repair: true }, { dialect });
  const history: Wire[] = [say(format, 'user', 'go')];
  for (let i = 0; i < 300; i++) {
    history.push(say(format, 'assistant', `answer ${i}`), ORPHANS[format](`x${i}`), say(format, 'user', `more ${i}`));
    const { messages, receipt } = await window.fit(history);
    expect(reads(), `at turn ${i}`).toBeLessThanOrEqual(receipt ? 8 * (60 + messages.length) : 60);
  }
});

function anthropicThinks({ content }: Wire): number {
  return (content as readonly Block[]).filter(({ type }) => type === 'thinking').length;
}

test('repairs system messages anywhere after the first message, at once and as the history grows', () => {
  const dialect = dialectOf('anthropic');
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const pool: readonly Wire[] = [
    { role: 'user', content: 'go' },
    { role: 'system', content: 'be brief' },
    { role: 'assistant', content: 'done' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'text' }] },
    { role: 'assistant', content: [thinking] },
  ];
  const { length } = pool;
  for (let n = 0; n < length ** 4; n++) {
    const rest = [0, 1, 2, 3].map((i) => pool[Math.floor(n / length ** i) % length] as Wire);
    const history = [pool[0] as Wire, ...rest];
    const { messages } = repairHistory(history, { dialect });
    expect(violationsOf('anthropic', messages), JSON.stringify(history)).toEqual([]);
    expect(repairHistory(messages, { dialect }).repairs).toEqual([]);
    let memo: RepairMemo<Wire> | undefined;
    for (let end = 1; end <= history.length; end++) memo = repairAgain(dialect, memo, history.slice(0, end));
    expect(memo?.messages, JSON.stringify(history)).toEqual(messages);
  }
});
