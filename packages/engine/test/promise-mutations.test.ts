import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FORMATS, type Format, scenarios, type Wire } from './histories.ts';
import {
  givesBack,
  isAppendOnly,
  isDeterministic,
  isValid,
  isWithinBudget,
  leavesInputAlone,
  type Make,
  makeWindow,
  type Promised,
  type Subject,
} from './promises.ts';

/** A window that was broken on purpose. */
function broken(change: (subject: Subject) => Partial<Subject>): Make {
  return (config, parts) => {
    const window = makeWindow(config, parts);
    const subject: Subject = {
      fit: (history, options) => window.fit(history, options),
      compact: (history) => window.compact(history),
      observe: (usage) => window.observe(usage),
      recall: (handle) => window.recall(handle),
      state: () => window.state(),
    };
    return { ...subject, ...change(subject) };
  };
}

const viewed = (alter: (view: Wire[], folded: boolean) => Wire[]): Make =>
  broken(({ fit }) => ({
    fit: async (history, options) => {
      const fitted = await fit(history, options);
      return { ...fitted, messages: alter(fitted.messages, fitted.receipt !== undefined) };
    },
  }));

const holdsResult = ({ role, type, content, parts }: Wire) =>
  (Array.isArray(parts) && parts.some(({ functionResponse }) => functionResponse)) ||
  role === 'tool' ||
  String(type).endsWith('_output') ||
  (Array.isArray(content) && content.some(({ type }) => type === 'tool_result'));

let counter = 0;

const MUTATIONS: readonly { readonly name: string; readonly promise: Promised; readonly make: Make }[] = [
  {
    name: 'pairing: one message with tool results is lost',
    promise: isValid,
    make: viewed((view) => view.toSpliced(view.findLastIndex(holdsResult), view.some(holdsResult) ? 1 : 0)),
  },
  {
    name: 'pairing: the calls of the first turn are lost',
    promise: isValid,
    make: viewed((view) => view.toSpliced(view.findIndex(holdsResult) - 1, view.some(holdsResult) ? 1 : 0)),
  },
  {
    name: 'budget: the full history is sent',
    promise: isWithinBudget,
    make: broken(({ fit }) => ({
      fit: async (history, options) => ({ ...(await fit(history, options)), messages: [...history] }),
    })),
  },
  {
    name: 'budget: the gauge shows a tenth less',
    promise: isWithinBudget,
    make: broken(({ fit }) => ({
      fit: async (history, options) => {
        const fitted = await fit(history, options);
        return {
          ...fitted,
          metrics: { ...fitted.metrics, estimatedTokens: Math.floor(fitted.metrics.estimatedTokens * 0.9) },
        };
      },
    })),
  },
  {
    name: 'determinism: the view depends on the number of calls',
    promise: isDeterministic,
    make: viewed((view) => [...view, { role: 'user', content: `call ${counter++}` }]),
  },
  {
    name: 'append-only: the first message is rewritten between folds',
    promise: isAppendOnly,
    make: viewed((view, folded) => (folded ? view : view.with(0, { role: 'user', content: `now ${counter++}` }))),
  },
  {
    name: 'append-only: the oldest message drops out on every call',
    promise: isAppendOnly,
    make: viewed((view) => view.slice(-3)),
  },
  {
    name: 'input: a message is changed in place',
    promise: leavesInputAlone,
    make: broken(({ fit }) => ({
      fit: (history, options) => {
        Object.assign(history[0] ?? {}, { seen: true });
        return fit(history, options);
      },
    })),
  },
  {
    name: 'recall: one byte is lost',
    promise: givesBack,
    make: broken(({ recall }) => ({
      recall: async (handle) => {
        const back = await recall(handle);
        return { ...back, messages: JSON.parse(JSON.stringify(back.messages).replace(/([^\\"])"/, '"')) };
      },
    })),
  },
];

const cases = FORMATS.flatMap((format) => MUTATIONS.map((mutation) => ({ format, ...mutation })));

test.each(cases)(
  'in $format, the promises notice a break of $name',
  async ({ format, promise, make }: { format: Format; promise: Promised; make: Make }) => {
    let noticed = 0;
    for (const scenario of fc.sample(scenarios(format), { numRuns: 40, seed: 3 })) {
      if (noticed > 2) break;
      const complaints = await promise(scenario, make).catch((error: unknown) => [String(error)]);
      if (complaints.length > 0) noticed++;
    }
    expect(noticed).toBeGreaterThan(2);
  },
);

test('in openai-responses, the promises notice that reasoning is lost', async () => {
  const make = viewed((view) => view.filter(({ type }) => type !== 'reasoning'));
  const complaints = [];
  for (const scenario of fc.sample(scenarios('openai-responses'), { numRuns: 20, seed: 3 }))
    complaints.push(...(await isValid(scenario, make)));
  expect(complaints.filter((text) => text.includes('lost-reasoning')).length).toBeGreaterThan(10);
});
