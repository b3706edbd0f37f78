import { basename, relative, resolve, sep } from 'node:path';
import type { HoldfastConfig } from '@holdfast/agent';
import type { ToolRequest } from '@holdfast/agent/chat';
import { isConfigName } from '@holdfast/agent/config';
import { matchInstructions } from '@holdfast/agent/run';
import { realPath } from '@holdfast/agent/tools';

/** Deeper arguments name no file. */
const MOST_LEVELS = 4;
/** No file has a longer path. */
const MOST_CHARS = 4_096;

/**
 * Tells calls that name an instruction file or a configuration, in any argument, a command or a link to it. No permission
 * covers them: whoever writes these files decides what the model does next.
 */
export function touchesInstructions(config: HoldfastConfig, cwd: string): (call: ToolRequest) => boolean {
  const isInstruction = matchInstructions(config);
  const root = realPath(cwd);
  // Those of other folders count, too: a chat there reads them.
  const rules = basename(config.execution.agents_file).toLowerCase();
  const isGuarded = (word: string) => {
    const named = resolve(cwd, word);
    if (basename(named).toLowerCase() === rules) return true;
    return [relative(cwd, named), relative(root, realPath(named))].some((path) => {
      const plain = path.split(sep).join('/');
      return plain !== '' && (isInstruction(plain) || isConfigName(plain));
    });
  };
  return ({ input }) => namesIn(input, MOST_LEVELS).some(isGuarded);
}

/** The texts of the arguments that may name a file: a whole text in one line, or each word of a command. */
function namesIn(value: unknown, levels: number, key = ''): string[] {
  if (typeof value === 'string') return key === 'command' ? value.split(/[\s'"=;|&<>()]+/) : [value].filter(isLine);
  if (levels === 0 || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => namesIn(one, levels - 1, Array.isArray(value) ? key : name));
}

function isLine(text: string): boolean {
  return text.length < MOST_CHARS && !text.includes('\n');
}
