import { expect, test } from 'vitest';
import { createBodyRoom } from './body-room.ts';

const HOUR = 3_600_000;

/** Opens parts of a room, and notes when they get what they ask for. */
function opening(most: number, ms = HOUR) {
  const room = createBodyRoom(most, ms);
  const given: number[] = [];
  const take = (bytes: number, signal = new AbortController().signal) => {
    const own = room.open(signal);
    const resize = async (size: number) => {
      await own.resize(size);
      given.push(size);
    };
    return { resize, taken: resize(bytes) };
  };
  return { take, given };
}

test('bodies wait until others are gone, the oldest first', async () => {
  const { take, given } = opening(10);
  const first = take(6);
  const [second, third] = [take(7), take(5)];
  await first.taken;
  expect(given).toEqual([6]);
  await first.resize(0);
  await second.taken;
  expect(given).toEqual([6, 7, 0]);
  await second.resize(5);
  await third.taken;
  expect(given).toEqual([6, 7, 0, 5, 5]);
});

test('a body that is larger than all the room goes alone', async () => {
  const { take, given } = opening(10);
  const small = take(3);
  await small.taken;
  const [large, other] = [take(1_000), take(9)];
  await small.resize(0);
  await large.taken;
  expect(given).toEqual([3, 1_000, 0]);
  await large.resize(0);
  await other.taken;
});

test('bodies that have come in part do not wait for each other: one after the other may grow beyond the room', async () => {
  const { take, given } = opening(10);
  const parts = [take(4), take(4), take(2)];
  await Promise.all(parts.map(({ taken }) => taken));
  given.length = 0;
  const grown = parts.map((part, i) => part.resize(11 + i));
  await grown[0];
  expect(given).toEqual([11]);
  await parts[0]?.resize(0);
  await grown[1];
  await parts[1]?.resize(0);
  await grown[2];
  expect(given).toEqual([11, 12, 0, 13, 0]);
});

test('a body that waited too long, or whose client left, is refused and lets others pass', async () => {
  const { take, given } = opening(10, 1);
  const held = take(8);
  await expect(take(5).taken).rejects.toThrow('already hold 10 bytes, the limit; try again');
  await held.resize(0);
  await take(10).taken;
  expect(given).toEqual([8, 0, 10]);
  const { take: patient, given: others } = opening(10);
  await patient(8).taken;
  const left = new AbortController();
  const gone = patient(5, left.signal);
  const next = patient(2);
  left.abort();
  await expect(gone.taken).rejects.toThrow();
  await next.taken;
  await expect(patient(9, AbortSignal.abort()).taken).rejects.toThrow();
  expect(others).toEqual([8, 2]);
});
