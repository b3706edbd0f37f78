import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { sample } from '../../engine/test/recordings.ts';
import {
  type CallFigures,
  type ChatMessage,
  createPolicy,
  type Policy,
  type Probe,
  type ProbeResult,
  parseTranscript,
  probe,
  replay,
  summarizeProbes,
} from '../src/index.ts';

const { HOLDFAST_TRANSCRIPTS: own, HOLDFAST_TRANSCRIPTS_MORE: more, HOLDFAST_MEASURE: measure } = process.env;
const folders = [own, more].flatMap((folder) => folder ?? []);
const MISSING = 'set HOLDFAST_TRANSCRIPTS and HOLDFAST_MEASURE to the folders of the recordings and of the reference';
const LONG = 40_000;

interface Conversation {
  readonly source: string;
  readonly file: string;
  readonly chat: readonly ChatMessage[];
}
type MakePolicy = () => Policy;

interface Reference {
  load(folder: string, options?: { minTokens?: number }): Iterable<Conversation>;
  replay(conversation: Conversation, policy: MakePolicy): Promise<Record<string, number>>;
  sliding(max: number): MakePolicy;
  readonly default: Readonly<Record<string, MakePolicy>>;
}

/** The reference's modules; its policy for Holdfast loads the sources, not a build that may be old. */
async function loadReference(folder: string): Promise<Reference> {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-reference-'));
  mkdirSync(join(root, 'packages/engine'), { recursive: true });
  writeFileSync(join(root, 'packages/engine/package.json'), '{"type":"module","exports":{".":"entry.js"}}');
  const index = new URL('../../engine/src/index.ts', import.meta.url).href;
  writeFileSync(join(root, 'packages/engine/entry.js'), `export { ConversationWindow } from '${index}';`);
  Object.assign(process.env, { HOLDFAST: root, BUDGETS: String(LONG) });
  const files = ['transcripts.mjs', 'evaluate.mjs', 'policies.mjs', 'holdfast.mjs'];
  const modules = files.map((file) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}

/** What an agent pays to look again for what a view lacked, by the reference's guess. */
function redoOf({ tokens, missing, missingLines }: CallFigures): number {
  const again = 0.1 * (10_000 + tokens) + 1.25 * 1_500 + 5 * 150;
  return missingLines.length > 0 ? again : missing.length > 0 ? again / 2 : 0;
}

test('replay and the reference measure give the same figures for recorded conversations', async ({ skip }) => {
  if (folders.length === 0 || !measure) return skip(MISSING);
  const reference = await loadReference(measure);
  const fold = Object.values(reference.default)[0] ?? (() => ({ view: (history) => history }));
  const policies: [MakePolicy, MakePolicy][] = [
    [reference.sliding(40), reference.sliding(40)],
    [fold, () => createPolicy('fold', { budget: LONG, reserve: 10_000 })],
  ];
  let pointed = 0;
  for (const folder of folders)
    for (const conversation of sample([...reference.load(folder, { minTokens: LONG })], 24)) {
      const name = join(conversation.source, conversation.file);
      const { messages } = parseTranscript(readFileSync(join(folder, name), 'utf8'));
      expect(messages, name).toEqual(conversation.chat);
      for (const [theirs, ours] of policies) {
        const { ms: _, redo, missCalls, bySpan, ...expected } = await reference.replay(conversation, theirs);
        const calls: CallFigures[] = [];
        const measured = await replay({ messages }, ours, { onCall: (call) => void calls.push(call) });
        pointed += measured.pointed;
        expect(measured, name).toMatchObject(expected);
        expect(calls.filter(({ missingLines }) => missingLines.length > 0).length, name).toBe(bySpan);
        expect(calls.filter((call) => redoOf(call) > 0).length, name).toBe(missCalls);
        expect(
          calls.reduce((sum, call) => sum + redoOf(call), 0),
          name,
        ).toBe(redo);
      }
    }
  expect(pointed).toBeGreaterThan(0);
});

/** The rows of a table that Node printed, by policy. */
function rowsIn(table: string): Record<string, Record<string, string>> {
  const lines = table.split('\n').filter((line) => line.startsWith('│'));
  const [head = [], ...rows] = lines.map((line) =>
    line.split('│').map((cell) => cell.trim().replace(/^'(.*)'$/, '$1')),
  );
  const named = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
  return Object.fromEntries(named.map((row) => [row.policy, row]));
}

test('probes and the reference find the same statements', async ({ skip }) => {
  if (!own || !measure) return skip(MISSING);
  const reference = await loadReference(measure);
  const [{ source } = { source: '' }] = [...reference.load(own, { minTokens: LONG })].slice(-1);
  const env = { ...process.env, ONLY: source };
  const rows = rowsIn(
    execFileSync(process.execPath, ['probes.mjs', own, String(LONG)], { cwd: measure, env, encoding: 'utf8' }),
  );
  const probes: Probe[] = JSON.parse(readFileSync(join(measure, 'probes.json'), 'utf8'));
  const probed: ProbeResult[] = [];
  const talks = [...reference.load(own, { minTokens: LONG })].filter((one) => one.source === source);
  for (const [at, { chat }] of talks.entries())
    probed.push(...(await probe({ messages: chat }, reference.sliding(100), { seed: at + 1, probes })));
  const { user, assistant, kinds } = summarizeProbes(probed);
  const { 'sliding 100': expected = {} } = rows;
  expect(expected.all).toContain(`(${probed.length})`);
  for (const [group, share] of Object.entries({ user, assistant, ...kinds }))
    expect(expected[group] ?? 'none', group).toMatch(new RegExp(`^${share?.toFixed(0) ?? 'none'}\\b`));
});
