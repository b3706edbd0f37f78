import { stringify } from 'yaml';
import { dotted, KEYS, SECTIONS, shorthandRow } from './keys.ts';

const HEAD = `# Settings of holdfast. Every line that begins with "#" and a key shows a default: remove the "#" and change it.
# Keys of APIs never stand here: they belong in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY).
# \`holdfast config\` prints what holds, \`holdfast doctor\` what is missing.
`;

/** A new `holdfast.yml`: every key commented out, with its default and its meaning. Pure. */
export function commentedConfig(): string {
  return `${HEAD}${linesOf('').join('\n')}\n`;
}

function linesOf(section: string): string[] {
  const indent = section === '' ? '' : '  '.repeat(section.split('.').length);
  return (SECTIONS.get(section) ?? []).flatMap((name) => {
    const key = dotted(section, name);
    const blank = section === '' || SECTIONS.has(key) ? [''] : [];
    if (SECTIONS.has(key)) return [...blank, `${indent}${name}:`, ...linesOf(key)];
    const row = KEYS.get(key) ?? shorthandRow(key);
    if (!row) return [];
    const value = flow(row.default ?? row.example);
    return [
      ...blank,
      `${indent}# ${row.about}${choices(row.takes)}`,
      `${indent}#${name}: ${value}${row.default === undefined ? ending(value, row.otherwise ?? '') : ''}`,
    ];
  });
}

function choices(takes: string): string {
  return takes.startsWith('one of ') ? ` ${takes.charAt(0).toUpperCase()}${takes.slice(1)}.` : '';
}

/** What holds without the line, where that is not the value itself. */
function ending(value: string, otherwise: string): string {
  const plain = otherwise.replaceAll('`', '');
  if (plain === value) return '';
  return `  # ${plain.startsWith(value) ? '' : 'an example; '}default: ${plain}`;
}

/** A value on one line of YAML. Pure. */
export function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim();
}
