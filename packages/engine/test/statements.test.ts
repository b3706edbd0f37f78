import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { LANGUAGES } from '../src/statements/languages/index.ts';
import { readerOf } from '../src/statements/statements.ts';

const SAMPLE = /^(\w+) ([au]) (.+)$/;
const samples = readFileSync(new URL('./fixtures/statements.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, kind, by, text] = SAMPLE.exec(line) ?? [];
    return kind && text ? [{ kind, by: by === 'u' ? ('user' as const) : ('assistant' as const), text }] : [];
  });

/** Nearly every sentence is kept, so what counts is the weight: a note leaves out what weighs less. */
const reader = readerOf(LANGUAGES);
const statementsOf = (text: string, by: 'user' | 'assistant') => reader.statementsOf(text, by);
const isKept = ({ by, text }: (typeof samples)[number]) => statementsOf(text, by).some(({ weight }) => weight >= 0.2);

describe('statements among sentences that were written to try them', () => {
  const kinds = ['decision', 'cause', 'failed', 'finding', 'open', 'rule', 'correction', 'preference', 'fact'];

  it.each(kinds)('finds nearly every %s', (kind) => {
    const stated = samples.filter((sample) => sample.kind === kind);
    const missed = stated.filter((sample) => !isKept(sample));
    expect(missed.length / stated.length, missed.map(({ text }) => text).join('\n')).toBeLessThan(0.08);
  });

  it('takes hardly any progress report or small talk', () => {
    const taken = samples.filter((sample) => sample.kind === 'none' && isKept(sample));
    expect(taken.length, taken.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(5);
  });

  it('puts few statements of the assistant under a wrong heading', () => {
    const stated = samples.filter(({ kind, by }) => kind !== 'none' && by === 'assistant');
    const neutral = new Set(['finding', 'fact', 'other']);
    const wrong = stated.filter(({ kind, by, text }) => {
      const found = statementsOf(text, by).map((one) => one.kind);
      return found.length > 0 && found.every((one) => one !== kind && !neutral.has(one));
    });
    expect(wrong.length / stated.length, wrong.map(({ text }) => text).join('\n')).toBeLessThan(0.15);
  });
});

const HOSTILE = [
  'a',
  'because ',
  'it is not ',
  '. ',
  'Dead end. ',
  'It broke that. ',
  '`a ',
  '<a>',
  '<a ',
  '</a>\n',
  '> ',
  '- a\n',
  '```\n',
  '| a |\n',
  '因为',
  '。',
  '."',
  'http://',
  '**a**',
  'this line was wrapped by an editor after these words\n',
];

describe('the time that statements take', () => {
  it.each(HOSTILE)('grows with the text, not faster, for a repeated %j', async (text) => {
    const find = (chars: number) => {
      const long = text.repeat(chars / text.length);
      return () => statementsOf(long, 'assistant');
    };
    expect(await timeRatio(find(200_000), find(20_000), { enough: 30 })).toBeLessThan(60);
  });

  it('grows with nested wrappers, not faster', async () => {
    const find = (depth: number) => {
      const text = `${'<a>\n'.repeat(depth)}x\n${'</a>\n'.repeat(depth)}`;
      return () => statementsOf(text, 'user');
    };
    expect(await timeRatio(find(20_000), find(2_000), { enough: 30 })).toBeLessThan(60);
  });
});
