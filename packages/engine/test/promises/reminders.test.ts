import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { toolTurn } from '../agent-histories.ts';
import { dialectOf, FORMATS, type Format, type Scenario, type Step, say, type Wire } from '../histories.ts';
import {
  acceptsOffset,
  carriesMarkers,
  givesBack,
  isAppendOnly,
  isDeterministic,
  isIdempotent,
  isValid,
  isWithinBudget,
  isWithinCount,
  keepsWords,
  leavesInputAlone,
  makeWindow,
  noticesEdits,
  type Promised,
  restores,
} from '../promises.ts';

const numRuns = SOAK ? 500 : 5;

const PROMISES: Readonly<Record<string, Promised>> = {
  isValid,
  isWithinBudget,
  isWithinCount,
  keepsWords,
  isDeterministic,
  isIdempotent,
  isAppendOnly,
  givesBack,
  leavesInputAlone,
  restores,
  acceptsOffset,
  noticesEdits,
  carriesMarkers,
};

/** A file that is read, edited and spoken of again and again, between reads of others. */
const line = (file: number, i: number) => `const value_${file}_${i} = compute_all(${i});`;
const path = (file: number) => `src/part_${file}/values.ts`;

type Deed = readonly [kind: 'read' | 'edit' | 'fail' | 'other' | 'say', file: number, at: number];
const deeds = fc.array(
  fc.tuple(
    fc.constantFrom('read', 'edit', 'edit', 'edit', 'fail', 'other', 'other', 'say'),
    fc.nat(2),
    fc.nat(99),
  ) as fc.Arbitrary<Deed>,
  { minLength: 30, maxLength: 60 },
);

function stepOf(format: Format, [kind, file, at]: Deed, i: number): Step {
  const id = `call_${i}`;
  const file_path = path(file);
  const text = Array.from({ length: 100 }, (_, n) => `${n + 1}\t${line(file, n)}`).join('\n');
  if (kind === 'say') {
    const said: Wire[] = [
      say(format, 'assistant', 'What is next?'),
      say(format, 'user', `Look at value_${file}_${at} in ${file_path}.`),
    ];
    return { messages: said, ask: true };
  }
  const messages =
    kind === 'read'
      ? toolTurn(format, id, { input: { file_path }, result: text })
      : kind === 'edit'
        ? toolTurn(format, id, {
            name: 'Edit',
            input: { file_path, old_string: line(file, at), new_string: `changed_${i}(${at});` },
            result: 'The file was changed.',
          })
        : kind === 'fail'
          ? toolTurn(format, id, {
              name: 'Bash',
              input: { command: 'npm test' },
              result: `${file_path}:${at}:1 failed`,
            })
          : toolTurn(format, id, {
              input: { file_path: `lib/other_${i}.ts` },
              result: `other line ${i}\n`.repeat(120),
            });
  return { messages, ask: true };
}

function scenarios(format: Format): fc.Arbitrary<Scenario> {
  return fc.record({ path: deeds, max_tokens: fc.integer({ min: 5_000, max: 9_000 }), dice: fc.nat(1_000) }).map(
    ({ path, max_tokens, dice }): Scenario => ({
      format,
      thinking: 'bound',
      steps: [
        { messages: [say(format, 'user', 'Rename the values.')], ask: true },
        ...path.map((deed, i) => stepOf(format, deed, i)),
      ],
      config: { max_messages: 0, max_tokens },
      dice,
    }),
  );
}

test.each(FORMATS)('with reminders, every promise holds in %s', async (format) => {
  let reminders = 0;
  const property = fc.asyncProperty(scenarios(format), async (scenario) => {
    const window = makeWindow(scenario.config, {
      dialect: dialectOf(format),
      logger: { warn() {} },
      onEvent: ({ type }) => {
        if (type === 'reminder-add') reminders++;
      },
    });
    const history: Wire[] = [];
    for (const { messages } of scenario.steps) {
      history.push(...messages);
      await window.fit([...history]);
    }
    for (const [name, promise] of Object.entries(PROMISES))
      expect((await promise(scenario)).slice(0, 2), name).toEqual([]);
  });
  await fc.assert(property, { numRuns, seed: SOAK ? Date.now() % 2 ** 31 : 20261116 });
  expect(reminders).toBeGreaterThan(2 * numRuns);
});
