import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { resolveConfig } from '../../../engine/src/config.ts';
import { DEFAULT_SUMMARY } from '../../../engine/src/window/create-core.ts';
import { flow } from '../../src/config/commented-config.ts';
import { KEYS, parted, SECTIONS, SHORTHANDS, shorthandRow } from '../../src/config/key-index.ts';
import { load } from './config-from-text.ts';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const page = readFileSync(`${DOCS}configuration.md`, 'utf8');

/** The rows of the table under a heading. */
function rowsUnder(heading: string): string[] {
  const [, part = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = part.split('\n## ');
  return own.split('\n').filter((line) => /^\| `/.test(line));
}

/** All YAML of a page. */
function examples(text: string): string[] {
  return [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
}

test.each([...SECTIONS.keys()])('the page has every key of section "%s", as it is', (section) => {
  const short = [...SHORTHANDS.keys()].flatMap((key) => {
    const row = shorthandRow(key);
    return row ? [[key, row] as const] : [];
  });
  const rows = [...KEYS, ...short].filter(([key]) => parted(key)[0] === section);
  const lines = rows.map(([key, { takes, about, otherwise, ...row }]) => {
    const standard = row.default === undefined ? otherwise : `\`${flow(row.default)}\``;
    return `| \`${parted(key)[1]}\` | ${takes} | ${standard} | ${about} |`;
  });
  expect(rowsUnder(section || 'At the top')).toEqual(lines);
});

test("the numbers stated as a conversation's defaults, in rows and in README.md, are those of the window", () => {
  const readme = readFileSync(`${DOCS}../README.md`, 'utf8');
  const defaults = new Map(Object.entries({ ...resolveConfig(null), summary_max_tokens: DEFAULT_SUMMARY.max_tokens }));
  const rows = [...KEYS].flatMap(([key, { otherwise = '', example }]) => {
    const [section, name = ''] = parted(key);
    const [number] = /^\d+/.exec(otherwise) ?? [];
    return section === 'execution.conversation' && number ? [{ name, number: Number(number), example }] : [];
  });
  expect(rows.length).toBeGreaterThan(5);
  for (const { name, number, example } of rows)
    expect({ name, number, example }).toEqual({ name, number: defaults.get(name), example: defaults.get(name) });
  const stated = [...readme.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name = '', number]) => [
    name,
    Number(number),
  ]);
  expect(stated.length).toBeGreaterThan(2);
  expect(stated).toEqual(stated.map(([name]) => [name, defaults.get(String(name))]));
});

test('the page lists every variable', () => {
  for (const [key, { variable }] of KEYS) {
    if (variable !== undefined)
      expect(page).toMatch(new RegExp(`^\\| \`${key}\` \\| \`--[a-z-]+\` \\| \`${variable}\` \\|$`, 'm'));
  }
});

test('every example on the page loads', () => {
  const found = examples(page);
  expect(found.length).toBeGreaterThanOrEqual(5);
  for (const text of found) {
    const shared = text.startsWith('# .ai/config.yml');
    expect(load(text, {}, shared ? '.ai/config.yml' : 'holdfast.yml').warnings.length).toBe(shared ? 1 : 0);
  }
});

test('configuration examples on other pages load too', () => {
  const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
  const found = pages.flatMap((name) => examples(readFileSync(DOCS + name, 'utf8')));
  const whole = found.filter((text) => Object.keys(parse(text)).every((key) => SECTIONS.get('')?.includes(key)));
  expect(whole.length).toBeGreaterThan(examples(page).length - 1);
  for (const text of whole) expect(() => load(text), text).not.toThrow();
});
