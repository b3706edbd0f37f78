import { expect, it } from 'vitest';
import { sharedNames } from './shared-names.ts';

const window = ['packages/engine/src/window.ts', 'export interface Window {}\nexport type Size = number;'] as const;
const view = ['packages/inspector/app/view.tsx', 'export type Window = {};\ninterface Size {}'] as const;

it('finds types and classes that two files export by one name', () => {
  expect(sharedNames([window, view], [])).toEqual([
    'Window is exported by packages/engine/src/window.ts and packages/inspector/app/view.tsx: rename one, or share it',
  ]);
  expect(sharedNames([window, ['packages/cli/src/a.test.ts', 'export class Window {}']], [])).toEqual([]);
});

it('says when a listed name is shared no longer', () => {
  expect(sharedNames([window, view], ['Window'])).toEqual([]);
  expect(sharedNames([window], ['Window'])).toEqual([
    'Window is shared no longer: take it out of the list in scripts/shared-names.ts',
  ]);
});
