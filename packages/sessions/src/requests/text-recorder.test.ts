import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionEntry } from '../entry.ts';
import { valueIn } from './request-at.ts';
import { requestText } from './request-form.ts';
import { createTextRecorder, stretchTexts } from './text-recorder.ts';

const unit = fc.constantFrom('a', 'b', '{"x":1.0}', '🙂', '🙃', '\u{1f642}\u{1f643}', '\n', '"', 'ü');
const long = fc
  .tuple(unit, unit, fc.nat(3))
  .map(([a, b, at]) => `${'🙂x'.repeat(100 + at)}${a}${b}${'y🙃'.repeat(100)}`);
const text = fc.oneof(
  fc.array(unit, { maxLength: 4 }).map((units) => units.join('')),
  long,
);

test('requests are rebuilt character for character, whatever they share with earlier ones', () => {
  fc.assert(
    fc.property(fc.array(fc.array(text, { maxLength: 6 }), { maxLength: 6 }), (requests) => {
      const recorder = createTextRecorder();
      const log: SessionEntry[] = [{ type: 'message', message: { role: 'user', content: '🙂x'.repeat(200) } }];
      recorder.learn(log[0] as SessionEntry, 1);
      for (const request of requests) {
        const stretches = request.map((one) => ({ bytes: Buffer.from(one) }));
        log.push(...recorder.entriesFor(stretchTexts(stretches), log.length));
        const entry = log.at(-1);
        if (entry?.type !== 'request') throw new Error('the request is not the last entry');
        expect(requestText(entry, (seq) => valueIn(log[seq - 1]))).toBe(request.join(''));
        // Halves of a character are not text, and not every store takes them.
        expect(JSON.stringify(entry)).not.toMatch(/\\ud[89a-f]/i);
      }
    }),
  );
});

test('a text that changes in one place is stored once', () => {
  const recorder = createTextRecorder();
  const rules = 'Be brief. '.repeat(1_000);
  const types = [1, 2, 3].map((day) =>
    recorder
      .entriesFor([{ hash: `${day}`, text: `{"system":"Day ${day}. ${rules}"}` }], day * 10)
      .map(({ type }) => type),
  );
  expect(types).toEqual([['part', 'request'], ['request'], ['request']]);
});
