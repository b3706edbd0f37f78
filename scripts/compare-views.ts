// Says whether this build and another give the same views and notes, byte for byte, on recorded conversations:
// `npm run compare-views -- <other built checkout>`. HOLDFAST_TRANSCRIPTS_MORE names the folder of recordings.
//   --sample        one conversation in ten of each source, at least one, for a quick answer
//   --tokens 40000  the budget of the views
// Prints one line a source, and of each source that differs its first difference. Exit code 1 if any differs.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const VIEWS = join(import.meta.dirname, 'compare-views/views.ts');
const THIS = dirname(import.meta.dirname);
const MOST_BYTES = 256 * 1024 * 1024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'boolean', default: false }, tokens: { type: 'string', default: '40000' } },
});
const [other] = positionals;
const recordings = process.env.HOLDFAST_TRANSCRIPTS_MORE;
if (other === undefined || !recordings) {
  console.error('compare-views: give another built checkout, and the recordings in HOLDFAST_TRANSCRIPTS_MORE');
  process.exit(2);
}
const there = resolve(other);
const folder = resolve(recordings);

interface Replayed {
  readonly file: string;
  readonly views: readonly string[];
  /** The number of the call that made it, and its hash. */
  readonly notes: readonly string[];
}

const sourceOf = (file: string) => dirname(file);

/** The recordings, by source. */
function filesOf(): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  const seen = new Map<string, number>();
  return all.filter((file) => {
    const before = seen.get(sourceOf(file)) ?? 0;
    seen.set(sourceOf(file), before + 1);
    return !values.sample || before % 10 === 0;
  });
}

/** Replays the files with a checkout's engine, in their order. */
async function* replayed(checkout: string, files: readonly string[]): AsyncGenerator<Replayed> {
  const child = spawn(process.execPath, [VIEWS, checkout, folder, values.tokens, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Replayed;
  if ((await ended) !== 0) throw new Error(`the engine of ${checkout} failed; is it built?`);
}

/** The number of the first call whose view or note differs; undefined if none does. */
function firstDifference(a: Replayed, b: Replayed): number | undefined {
  const view = a.views.findIndex((hash, i) => hash !== b.views[i]);
  const note = a.notes.findIndex((hash, i) => hash !== b.notes[i]);
  const more = b.notes[a.notes.length];
  const differing = note >= 0 ? (a.notes[note] ?? '') : (more ?? '');
  const calls = [view >= 0 ? [view] : [], differing === '' ? [] : [Number(differing.split(' ')[0])]].flat();
  return calls.length === 0 ? undefined : Math.min(...calls);
}

/** What both gave at a call, from shortly before where they part. */
function show(file: string, call: number): void {
  const [a = '', b = ''] = [THIS, there].map((checkout) =>
    execFileSync(process.execPath, [VIEWS, checkout, folder, values.tokens, file, '--at', String(call)], {
      encoding: 'utf8',
      maxBuffer: MOST_BYTES,
    }),
  );
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 200), at + 200));
  console.log(`  first in ${file}, call ${call}, character ${at}\n    this:  ${around(a)}\n    other: ${around(b)}`);
}

const files = filesOf();
const counts = new Map<string, { calls: number; notes: number; differing: [string, number][] }>();
const others = replayed(there, files);
for await (const mine of replayed(THIS, files)) {
  const { value: theirs } = await others.next();
  if (theirs?.file !== mine.file) throw new Error(`the other build did not replay ${mine.file}`);
  const count = counts.get(sourceOf(mine.file)) ?? { calls: 0, notes: 0, differing: [] };
  count.calls += mine.views.length;
  count.notes += mine.notes.length;
  const call = firstDifference(mine, theirs);
  if (call !== undefined) count.differing.push([mine.file, call]);
  counts.set(sourceOf(mine.file), count);
}

for (const [source, { calls, notes, differing }] of counts) {
  const verdict = differing.length === 0 ? 'identical' : `${differing.length} conversations differ`;
  console.log(`${source.padEnd(24)}${String(calls).padStart(7)} views${String(notes).padStart(6)} notes  ${verdict}`);
  const [first] = differing;
  if (first) show(...first);
}
const all = [...counts.values()];
const differ = all.reduce((sum, { differing }) => sum + differing.length, 0);
console.log(
  differ === 0
    ? `all ${files.length} conversations: views and notes are identical`
    : `${differ} of ${files.length} conversations differ`,
);
process.exitCode = differ === 0 ? 0 : 1;
