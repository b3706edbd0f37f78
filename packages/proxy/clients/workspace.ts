import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// 1,400 tokens of the stand-in, at 3.2 characters each.
const CHARACTERS = 4_480;
const WORDS =
  'alpha anchor beacon cable candle delta ember fabric garden harbor island jacket kernel lantern marble needle ocean paper quarry river signal timber umbrella valley window yellow zephyr'.split(
    ' ',
  );

/** The file that the nth call reads, from 1. */
export function partName(n: number): string {
  return `part-${String(n).padStart(3, '0')}.txt`;
}

/** The first and the last line of a part, by which its result is recognized. */
export function partEdges(n: number): readonly [string, string] {
  return [`[part ${n} begins]`, `[part ${n} ends]`];
}

/** Writes the files that a loop of so many calls reads. The same every time. */
export async function writeWorkspace(folder: string, calls: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let n = 1; n <= calls; n++) await writeFile(join(folder, partName(n)), partText(n));
}

function partText(n: number): string {
  const [first, last] = partEdges(n);
  let random = n;
  const next = (below: number) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (random >>> 8) % below;
  };
  let text = `${first}\n`;
  for (let line = 1; text.length < CHARACTERS - 80; line++) {
    const words = Array.from({ length: 8 }, () => WORDS[next(WORDS.length)]);
    text += `${n}.${line} ${words.join(' ')}\n`;
  }
  return `${text}${last}\n`;
}
