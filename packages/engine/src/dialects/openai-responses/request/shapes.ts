import { isRecord } from '../../../content.ts';
import { halfOf, isMessage, type OpenaiResponsesItem } from '../wire.ts';

const SAID = ['output_text', 'refusal'];
const GIVEN = ['input_text', 'input_image', 'input_file'];

type Report = (rule: 'part-type' | 'bad-output', message: string, param: string) => void;

/** Reports contents and outputs of a shape that the API does not take for the item's type. `own` is the item's place. */
export function checkShape(item: OpenaiResponsesItem, own: string, report: Report): void {
  const { role, content, output, type } = item;
  if (isMessage(item)) {
    checkParts(content, `${own}.content`, role === 'assistant' ? SAID : [...GIVEN, 'input_audio'], report);
    return;
  }
  if (halfOf(item) !== 'output' || type === 'tool_search_output') return;
  const param = `${own}.output`;
  const wanted = wantedOutput(item);
  if (wanted) report('bad-output', `Invalid type for '${param}': expected ${wanted}.`, param);
  else if (type !== 'shell_call_output') checkParts(output, param, GIVEN, report);
}

function checkParts(parts: unknown, place: string, takes: readonly string[], report: Report): void {
  if (!Array.isArray(parts)) return;
  for (const [at, part] of parts.entries()) {
    const type = isRecord(part) ? String(part.type) : typeof part;
    if (takes.includes(type)) continue;
    report('part-type', `Invalid value: '${type}'. Supported values are: ${listed(takes)}.`, `${place}[${at}]`);
  }
}

function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return `${quoted.slice(0, -1).join(', ')}${quoted.length > 2 ? ',' : ''} and ${quoted.at(-1)}`;
}

/** What the output should be, in words; undefined if it is that. */
function wantedOutput({ type, output }: OpenaiResponsesItem): string | undefined {
  switch (type) {
    case 'shell_call_output':
      return Array.isArray(output) && output.every(isRun) ? undefined : 'an array of objects';
    case 'computer_call_output':
      return isRecord(output) && output.type === 'computer_screenshot' ? undefined : 'an object';
    case 'apply_patch_call_output':
      return typeof (output ?? '') === 'string' ? undefined : 'a string';
    case 'local_shell_call_output':
      return typeof output === 'string' ? undefined : 'a string';
    default:
      return typeof output === 'string' || Array.isArray(output) ? undefined : 'one of a string or array of objects';
  }
}

function isRun(run: unknown): boolean {
  return isRecord(run) && typeof run.stdout === 'string' && typeof run.stderr === 'string' && isRecord(run.outcome);
}
