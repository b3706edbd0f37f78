import { stringify } from 'yaml';
import { KEY_VARIABLES } from '../providers/index.ts';
import { dotted, KEYS, SECTIONS, shorthandRow } from './key-index.ts';

const HEAD = `# Holdfast settings. Each commented-out key shows its default: remove the "#" to change it.
# API keys never go in this file. Save them with \`holdfast setup\`, or set ${KEY_VARIABLES.join(', ')}.
# \`holdfast config\` prints the effective settings; \`holdfast doctor\` checks for problems.
`;

/** A new `holdfast.yml` with every key commented out, showing its default and meaning. Pure. */
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

/** A remark with the default, unless the line already shows it. */
function ending(value: string, otherwise: string): string {
  const plain = otherwise.replaceAll('`', '');
  if (plain === value) return '';
  return `  # ${plain.startsWith(value) ? '' : 'an example; '}default: ${plain}`;
}

/** Formats a value as one line of YAML. Pure. */
export function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim();
}
