import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import { CONFIG_NAMES } from '../../src/config/files.ts';
import { findConfigFile } from '../../src/config/index.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

const RUNS = SOAK ? 20_000 : 300;

const wide = (one: string) => (/[a-z]/.test(one) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one);
/** What some file system or person takes for the same letter, or for none. */
const ODD: readonly ((one: string) => string)[] = [
  (one) => one,
  (one) => one.toUpperCase(),
  wide,
  (one) => `${one}\u200b`,
  (one) => `${one}\ufe0f`,
  (one) => `${one}\u00ad`,
];
const name = fc
  .tuple(fc.constantFrom(...CONFIG_NAMES), fc.nat(99), fc.constantFrom(...ODD), fc.nat(99), fc.constantFrom(...ODD))
  .map(([text, i, one, j, two]) => {
    const letters = [...text];
    for (const [at, odd] of [
      [i % letters.length, one],
      [j % letters.length, two],
    ] as const)
      letters[at] = odd(letters[at] ?? '');
    return letters.join('');
  });
const folder = fc.constantFrom('', './', 'packages/', 'packages//api/', '.ai/', 'packages/../', '.AI/../');
const ending = fc.constantFrom('', '', '', '', '.', ' ', '/', '/.', ':', '::$DATA', '\u0000', '%00');

const plainName = (one: string) =>
  one
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();

test('no spelling of a configuration name creates a file that counts as one', async () => {
  const { call, workspace } = await toolsInWorkspace();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(folder, name, ending).map((parts) => parts.join('')),
      async (path) => {
        await call('write_file', { path, content: 'validation: { commands: [evil] }' });
        for (const at of [
          workspace,
          join(workspace, 'packages'),
          join(workspace, 'packages/api'),
          join(workspace, '.ai'),
        ])
          if (existsSync(at)) {
            expect(findConfigFile(at)).toBeUndefined();
            const plain = readdirSync(at).map((one) => plainName(one));
            expect(plain).not.toEqual(expect.arrayContaining([expect.stringMatching(/^holdfast\.ya?ml[. ]*$/)]));
          }
        for (const one of readdirSync(workspace)) rmSync(join(workspace, one), { recursive: true });
      },
    ),
    { seed: 16, numRuns: RUNS },
  );
});
