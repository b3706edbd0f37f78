import { ConversationWindow, type FoldEntry } from 'holdfast';
import { expect, test } from 'vitest';
import { type FoldChange, type FoldStack, NO_FOLDS, stackAfter } from './fold-stack.ts';

const said = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `message ${i} of the history`,
  }));

/** A window that folds as its history grows, and the entries that a log would hold of it. */
async function talk() {
  const window = new ConversationWindow({ max_messages: 12, preserve_last_n: 4 });
  const entries: FoldChange[] = [];
  let count = 1;
  const newest = () => window.state().log.at(-1) as FoldEntry;
  return {
    window,
    entries,
    async fold() {
      let { receipt } = await window.fit(said(count));
      while (!receipt) {
        count += 2;
        ({ receipt } = await window.fit(said(count)));
      }
      entries.push({ type: 'fold', fold: newest(), receipt });
    },
    async undo() {
      if (await window.undo()) entries.push({ type: 'unfold' });
    },
    async redo() {
      if (await window.redo()) entries.push({ type: 'refold' });
    },
  };
}

const restored = (entries: readonly FoldChange[]) => entries.reduce<FoldStack>(stackAfter, NO_FOLDS);

test('after each fold, undo and redo, the stack has the same folds as the window', async () => {
  const { window, entries, fold, undo, redo } = await talk();
  for (const deed of [fold, fold, fold, undo, undo, redo, redo, undo, fold, undo, undo, redo, fold, fold, undo]) {
    await deed();
    const { log, undone } = window.state();
    expect(restored(entries)).toEqual({ log, undone });
  }
  expect(entries).toHaveLength(15);
});

test('a fold of a window that started over, or dropped its newest folds, builds only on the fold it continues from', async () => {
  const { entries, fold } = await talk();
  for (let i = 0; i < 3; i++) await fold();
  const [first, second, third] = restored(entries).log as [FoldEntry, FoldEntry, FoldEntry];
  const again = (prior: number): FoldChange => ({
    ...(entries[2] as FoldChange & { type: 'fold' }),
    fold: { ...third, prior },
  });
  expect(restored([...entries, { type: 'unfold' }, again(0)])).toEqual({ log: [{ ...third, prior: 0 }], undone: [] });
  expect(restored([...entries, again(first.covered)]).log).toEqual([first, { ...third, prior: first.covered }]);
  expect(restored([...entries, again(second.covered)]).log).toEqual([first, second, third]);
});

test('an undo or redo without a fold changes nothing', () => {
  expect(restored([{ type: 'unfold' }, { type: 'refold' }])).toEqual(NO_FOLDS);
});
