import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { ConversationWindow as CoreWindow, english, reminders, repair, summaries } from '../src/entries/core.ts';
import { DIALECTS } from '../src/entries/dialects.ts';
import { ConversationWindow } from '../src/index.ts';
import { LANGUAGES } from '../src/statements/languages/index.ts';
import { agentHistory, toolTurn } from './agent-histories.ts';
import { dialectOf, scenarios, type Wire } from './histories.ts';
import { givesBack, isAppendOnly, isValid, isWithinBudget, type Make } from './promises.ts';

const CONFIG = { max_tokens: 6_000, max_messages: 0 };
const dialect = dialectOf('anthropic');
const values = Array.from({ length: 120 }, (_, i) => `${i + 1}\tconst value_${i + 1} = compute_all(${i + 1});`);
const edit = {
  file_path: 'src/values.ts',
  old_string: 'const value_60 = compute_all(60);',
  new_string: 'const value_60 = 60;',
};
/** Reads a file, works elsewhere until folds have removed the read, then edits the file. */
const history: readonly Wire[] = [
  ...agentHistory('anthropic', 34, (i) =>
    i === 0
      ? { input: { file_path: 'src/values.ts' }, result: values.join('\n') }
      : { input: { file_path: `lib/other_${i}.ts` }, result: `other line ${i} of the library\n`.repeat(40) },
  ),
  ...toolTurn('anthropic', 'edit', { name: 'Edit', input: edit, result: 'The file was changed.' }),
];

/** Every view that the growing history is sent as. */
async function viewsOf(window: CoreWindow<Wire>): Promise<(readonly Wire[])[]> {
  const views: (readonly Wire[])[] = [];
  for (let end = 4; end <= history.length; end += 2) views.push((await window.fit(history.slice(0, end))).messages);
  return views;
}

const hasReminder = (views: readonly (readonly Wire[])[]) => JSON.stringify(views).includes('[Reminder: ');

test('a core window with every part gives the same views as a complete one', async () => {
  const views = await viewsOf(new CoreWindow<Wire>(CONFIG, { dialect, languages: LANGUAGES, reminders }));
  expect(views).toEqual(await viewsOf(new ConversationWindow<Wire>(CONFIG, { dialect })));
  expect(views.at(-1)?.length).toBeLessThan(history.length);
  expect(hasReminder(views)).toBe(true);
});

test('nothing folded comes back by itself without the part for reminders', async () => {
  expect(hasReminder(await viewsOf(new CoreWindow<Wire>(CONFIG, { dialect, languages: [english] })))).toBe(false);
});

test('a list of dialects is one to detect among, and nothing else is accepted', async () => {
  const among = (...names: string[]) => DIALECTS.filter(({ name }) => names.includes(name));
  const window = new CoreWindow<Wire>(CONFIG, { dialect: among('openai-chat', 'anthropic'), languages: [english] });
  await window.fit(history);
  expect(window.state().dialect).toBe('anthropic');
  const other = new CoreWindow<Wire>(CONFIG, { dialect: among('openai-chat', 'gemini'), languages: [english] });
  await expect(other.fit(history)).rejects.toThrow(/Pass messages of gemini, openai-chat, or your own dialect/);
});

test('what is wanted without its part is refused, with the part to pass', async () => {
  const parts = { dialect, languages: [english] };
  const summarizer = { call: async () => 'They fixed it.' };
  expect(() => new CoreWindow<Wire>({ repair: true }, parts)).toThrow(/repair: expected parts\.repair/);
  expect(() => new CoreWindow<Wire>({ reminders: true }, parts)).toThrow(/reminders: expected parts\.reminders/);
  expect(() => new CoreWindow<Wire>({}, { ...parts, summarizer })).toThrow(/summaries: expected parts\.summaries/);
  expect(() => new CoreWindow<Wire>({}, { dialect } as never)).toThrow(/languages: expected a list/);
  expect(() => new CoreWindow<Wire>({}, { languages: [] } as never)).toThrow(/dialect: expected/);
  await expect(new CoreWindow<Wire>({}, parts).summarize(history, summarizer)).rejects.toThrow(/parts\.summaries/);
});

test('with its parts, a core window repairs and summarizes', async () => {
  const summarizer = { call: async () => 'They fixed it.' };
  const parts = { dialect, languages: [english], repair, summaries, summarizer };
  const window = new CoreWindow<Wire>({ ...CONFIG, repair: true, summarize_on_trim: true }, parts);
  const broken = history.filter((_, i) => i !== 5);
  expect(await window.summarize(history, summarizer)).toBe('They fixed it.');
  const { receipt } = await window.fit(broken);
  expect(receipt?.note).toContain('They fixed it.');
});

test('a core window keeps the promises with one dialect and English alone', async () => {
  const make: Make = (config, { dialect: own = dialect, ...parts }) => {
    const named = typeof own === 'string' ? dialect : own;
    const wanted = { reminders, repair, summaries };
    return new CoreWindow<Wire>(config, { ...parts, ...wanted, dialect: named, languages: [english] });
  };
  const property = fc.asyncProperty(scenarios('anthropic'), async (scenario) => {
    for (const promise of [isValid, isWithinBudget, isAppendOnly, givesBack])
      expect(await promise(scenario, make)).toEqual([]);
  });
  await fc.assert(property, { numRuns: SOAK ? 1_000 : 10 });
});
