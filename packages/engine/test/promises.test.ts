import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConversationWindow, type Thinking } from '../src/index.ts';
import { dialectOf, FORMATS, type Format, scenarios, type Wire } from './histories.ts';
import {
  acceptsOffset,
  carriesMarkers,
  counting,
  givesBack,
  isAppendOnly,
  isDeterministic,
  isIdempotent,
  isValid,
  isWithinBudget,
  keepsAsides,
  keepsBoundThinking,
  keepsFreeThinking,
  keepsThinkingUnbroken,
  keepsWords,
  leavesInputAlone,
  noticesEdits,
  type Promised,
  restores,
} from './promises.ts';

const soak = process.env.HOLDFAST_SOAK === '1';
const numRuns = Number(process.env.HOLDFAST_RUNS ?? (soak ? 5_000 : 300));

async function holds(promise: Promised, format: Format, thinking: Thinking = 'bound'): Promise<void> {
  const property = fc.asyncProperty(scenarios(format, thinking), async (scenario) => {
    const complaints = await promise(scenario);
    if (complaints.length > 0) throw new Error(complaints.slice(0, 5).join('\n'));
  });
  await fc.assert(property, {
    numRuns,
    ...(soak ? {} : { seed: 20261115 }),
    endOnFailure: process.env.HOLDFAST_SHRINK !== '1',
    reporter(run) {
      if (!run.failed) return;
      const [scenario] = run.counterexample ?? [];
      const place = `seed ${run.seed}, path "${run.counterexamplePath}", run ${run.numRuns}, HOLDFAST_SHRINK=1 finds a smaller one`;
      const story = `${JSON.stringify(scenario?.config)}, ${scenario?.steps.length} steps, usage ${JSON.stringify(scenario?.usage)}`;
      throw new Error(`${place}\n${story}\n${run.errorInstance}`, { cause: run.errorInstance });
    },
  });
}

describe.each(FORMATS)('in %s', (format) => {
  test('every view is valid on the wire', () => holds(isValid, format));
  test('every view is within budget, or the floor is named', () => holds(isWithinBudget, format));
  test('system prompt, first and newest user message stand word for word', () => holds(keepsWords, format));
  test('the same calls give the same bytes', () => holds(isDeterministic, format));
  test('fitting or compacting an unchanged history again changes nothing', () => holds(isIdempotent, format));
  test('between folds the view only grows at its end', () => holds(isAppendOnly, format));
  test('every dropped or masked byte comes back', () => holds(givesBack, format));
  test('what is passed in is never changed', () => holds(leavesInputAlone, format));
  test('a restored window goes on as if it had never stopped', () => holds(restores, format));
  test('a history passed in part gives the same view', () => holds(acceptsOffset, format));
  test('an edited history is noticed', () => holds(noticesEdits, format));
  test('at most four cache markers, the newest; moving them is no rewrite', () => holds(carriesMarkers, format));
});

test.each(['anthropic', 'openai-responses'] as const)(
  'in %s, words beside tool results are kept like those of any user message',
  (format) => holds(keepsAsides, format),
);

describe.each(['anthropic', 'ai-sdk'] as const)('thinking in %s', (format) => {
  test('stays, if bound, only behind the very view it was made from', () => holds(keepsBoundThinking, format));
  test('is one unbroken run where it is kept', () => holds(keepsThinkingUnbroken, format));
  test('is not touched, if free, since the last user message', () => holds(keepsFreeThinking, format, 'free'));
});

describe.each(FORMATS)('over thousands of messages in %s', (format) => {
  test('a call reads what is new, and the view only when it folds', async () => {
    const { dialect, reads } = counting(dialectOf(format));
    const window = new ConversationWindow<Wire>({ max_messages: 60 }, { dialect });
    const history: Wire[] = [];
    for (let i = 0; i < 3_000; i++) {
      history.push({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i} about src/file_${i % 50}.ts` });
      const { messages, receipt } = await window.fit(history);
      const allowed = receipt ? 8 * (60 + messages.length) : 4;
      expect(reads(), `at message ${i}`).toBeLessThanOrEqual(allowed);
    }
  });

  test('the state does not grow with the history', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: dialectOf(format) });
    const history: Wire[] = [];
    const sizes: number[] = [];
    for (let i = 0; i < 8_000; i++) {
      history.push({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i} about src/file_${i % 50}.ts` });
      await window.fit(history);
      if (i % 4_000 === 3_999) sizes.push(JSON.stringify(window.state()).length);
    }
    const [first = 0, second = 0] = sizes;
    expect(second).toBeLessThan(first * 1.1);
  });
});

test('a call looks at what is new also where nothing tells the wire format', async () => {
  const window = new ConversationWindow<Wire>({ max_messages: 60 });
  const history: Wire[] = Array.from({ length: 3_001 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `m ${i}`,
  }));
  await window.fit(history);
  let looks = 0;
  const watched = new Proxy([...history, { role: 'assistant', content: 'so' }, { role: 'user', content: 'and?' }], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key, receiver);
    },
  });
  await window.fit(watched);
  expect(looks).toBeLessThan(200);
});
