import fc from 'fast-check';
import { isHoldfastError } from 'holdfast';
import { expect, test } from 'vitest';
import { checkValue, checkWord } from '../../src/config/check-value.ts';
import { commentedConfig } from '../../src/config/commented-config.ts';
import { KEYS } from '../../src/config/key-index.ts';
import { load } from './config-from-text.ts';

const numRuns = Number(process.env.HOLDFAST_RUNS ?? 300);
const WHOLE = commentedConfig().replace(/^(\s*)#(?=\S)/gm, '$1');
const PLACE = /^(?:holdfast\.yml(?::[1-9]\d*:[1-9]\d*)?: \S|… and \d+ more problems$)/;

/** Loads, or says BAD_CONFIG with a place on every line. */
function check(text: string): void {
  try {
    load(text);
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'BAD_CONFIG') throw error;
    for (const line of error.message.split('\n')) expect(line).toMatch(PLACE);
  }
}

const SCRAPS = [
  '\t',
  '"',
  "'",
  '[',
  '}',
  '&a ',
  '*a',
  '!x ',
  '- ',
  ': ',
  '#',
  '|\n',
  '%',
  '---\n',
  '\u0000',
  '\uFEFF',
  '-1',
  'null',
  '<<: ',
];

test('a file with scraps thrown in, or cut short, is read or refused with a place', () => {
  const cut = fc.tuple(fc.nat(WHOLE.length), fc.nat(60), fc.constantFrom(...SCRAPS, ''));
  fc.assert(
    fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (cuts) => {
      check(cuts.reduce((text, [at, length, scrap]) => text.slice(0, at) + scrap + text.slice(at + length), WHOLE));
    }),
    { numRuns, seed: 5 },
  );
});

test('any value at any key is read or refused with a place', () => {
  const keys = [
    ...KEYS.keys(),
    'execution',
    'provider',
    'execution.conversation',
    'nothing',
    'mcp_servers.a',
    'models.m.prices',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.jsonValue(), (key, value) => {
      check(JSON.stringify(key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)));
    }),
    { numRuns, seed: 6 },
  );
});

test('a word on the command line is read like a value in a file', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...KEYS.values()),
      fc.oneof(
        fc.integer(),
        fc.boolean(),
        fc.double({ noNaN: true }).map((one) => one + 0),
      ),
      (row, value) => {
        const [word, plain] = [checkWord(row, String(value)), checkValue(row, value)];
        if (checkValue(row, String(value)).problems.length > 0 && plain.problems.length === 0)
          expect(word).toEqual(plain);
      },
    ),
    { numRuns, seed: 7 },
  );
});
