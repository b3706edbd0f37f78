import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
const ENTRIES = readdirSync(SOURCE).filter((name) => name !== 'bridge');

function filesOf(entry: string): string[] {
  const names = readdirSync(join(SOURCE, entry)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return names.map((name) => readFileSync(join(SOURCE, entry, name), 'utf8'));
}

test.each(ENTRIES)('the entry for %s is under 150 lines, all its files together', (entry) => {
  const lines = filesOf(entry).flatMap((text) => text.trimEnd().split('\n'));
  expect(lines.length).toBeLessThan(150);
});

test('no entry imports another', () => {
  for (const entry of ENTRIES)
    for (const text of filesOf(entry))
      for (const [, folder] of text.matchAll(/from '\.\.\/([\w-]+)\//g))
        expect(`${entry} → ${folder}`).toBe(`${entry} → bridge`);
});

/** What each entry may import from npm: types and values of its own framework. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  'ai-sdk': 'ai',
  'google-adk': '@google/adk',
  langchain: 'langchain',
  mastra: '@mastra/core',
  'openai-agents': '@openai/agents',
  opencode: '@opencode-ai/sdk',
  pi: '', // declares what it needs of pi
  strands: '@strands-agents/sdk',
};

test.each(ENTRIES)('the entry for %s imports no framework but its own', (entry) => {
  const imported = filesOf(entry).flatMap((text) => [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name));
  const packages = imported.map((name = '') => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  const foreign = packages.filter((name) => name !== 'holdfast' && !name.startsWith('@holdfast/'));
  expect([...new Set(foreign)].join()).toBe(FRAMEWORKS[entry]);
});

test('installing the package installs no framework', () => {
  const text = readFileSync(join(SOURCE, '../package.json'), 'utf8');
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(text);
  expect(Object.keys(dependencies)).toEqual(['@holdfast/models', '@holdfast/sessions', 'holdfast']);
  for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  expect(Object.keys(peerDependencies).sort()).toEqual(Object.values(FRAMEWORKS).filter(Boolean).sort());
});
