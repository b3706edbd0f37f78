import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { statementsOf } from '../src/text/statements/statements.ts';

const SAMPLE = /^(\w+) ([au]) (.+)$/;
const samples = readFileSync(new URL('./fixtures/statements.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, kind, by, text] = SAMPLE.exec(line) ?? [];
    return kind && text ? [{ kind, by: by === 'u' ? ('user' as const) : ('assistant' as const), text }] : [];
  });

/** A user's sentences are all kept, so what counts there is the weight. */
const isKept = ({ by, text }: (typeof samples)[number]) =>
  statementsOf(text, by).some(({ weight }) => weight >= (by === 'user' ? 0.2 : 0.1));

describe('statements among sentences that were written to try them', () => {
  const kinds = ['decision', 'cause', 'failed', 'finding', 'open', 'rule', 'correction', 'preference', 'fact'];

  it.each(kinds)('finds nearly every %s', (kind) => {
    const missed = samples.filter((sample) => sample.kind === kind && !isKept(sample));
    expect(missed.length, missed.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(2);
  });

  it('takes hardly any progress report or small talk', () => {
    const taken = samples.filter((sample) => sample.kind === 'none' && isKept(sample));
    expect(taken.length, taken.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(5);
  });

  it('tells most kinds apart', () => {
    const stated = samples.filter(({ kind }) => kind !== 'none');
    const right = stated.filter(({ kind, by, text }) => statementsOf(text, by).some((one) => one.kind === kind));
    expect(right.length / stated.length).toBeGreaterThan(0.75);
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
