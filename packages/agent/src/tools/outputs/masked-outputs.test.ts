import { expect, test } from 'vitest';
import { maskedOutputs } from './masked-outputs.ts';
import { memoryOutputs } from './outputs.ts';

const KEY = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const LINES = Array.from({ length: 64 }, (_, i) => `${String(i).padStart(2, '0')}${'Ab1+'.repeat(15)}`);
const FILE = ['-----BEGIN PRIVATE KEY-----', ...LINES, '-----END PRIVATE KEY-----'].join('\n');

function kept(parts: readonly (string | Buffer)[]) {
  const store = maskedOutputs(memoryOutputs(64 * 2 ** 20));
  const writer = store.create();
  for (const part of parts) writer.write(Buffer.from(part as string));
  const size = writer.end();
  return { size, text: store.read(writer.handle, 0, size)?.text ?? '' };
}

test.each([1, 97, 4_096, 1_000_000])('keys are masked however the output arrives: chunks of %i bytes', (step) => {
  const filler = step === 1 ? '' : 'a line of a log\n'.repeat(20_000);
  const all = `first\n${filler}token ${KEY} é behind\n${filler}${FILE}\nlast\n${filler}${KEY}`;
  const bytes = Buffer.from(all);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) parts.push(bytes.subarray(at, at + step));
  const { text, size } = kept(parts);
  expect(text).not.toContain(KEY);
  for (const line of LINES) expect(text).not.toContain(line);
  expect(size).toBe(bytes.length);
  expect(Buffer.from(text).indexOf('\nlast\n')).toBe(bytes.indexOf('\nlast\n'));
});

test('bytes without keys are unchanged', () => {
  const store = memoryOutputs();
  const writer = maskedOutputs(store).create();
  writer.write(Buffer.from([0xff, 0xfe, 0x0a, 0x41]));
  expect(writer.end()).toBe(4);
});

test('an endless line is cut between characters', () => {
  const text = 'é'.repeat(400_000);
  expect(kept([text]).text).toBe(text);
});

test.each([97, 30_000, 200_000])('a private key longer than any block is masked: parts of %i bytes', (step) => {
  const lines = Array.from({ length: 9_000 }, (_, i) => `${String(i).padStart(4, '0')}${'Ab1+'.repeat(15)}`);
  const file = ['-----BEGIN PGP PRIVATE KEY BLOCK-----', '', ...lines, '-----END PGP PRIVATE KEY BLOCK-----'];
  const bytes = Buffer.from(`first\n${file.map((line, i) => `${i}\t${line}`).join('\n')}\nlast\n`);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) parts.push(bytes.subarray(at, at + step));
  const { text, size } = kept(parts);
  expect(lines.filter((line) => text.includes(line))).toEqual([]);
  expect([text.slice(0, 6), text.slice(-6), size]).toEqual(['first\n', '\nlast\n', bytes.length]);
});

test('keys among binary bytes are masked, and the rest keeps its offset', () => {
  const store = memoryOutputs();
  const writer = maskedOutputs(store).create();
  writer.write(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(` ${KEY} `), Buffer.from([0x80])]));
  expect(writer.end()).toBe(KEY.length + 5);
  expect(store.read(writer.handle, 0, 100)?.text).toMatch(/ \[masked\] +\ufffd$/);
});
