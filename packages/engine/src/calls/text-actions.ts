import { isRecord } from '../json/record.ts';
import { looksLikeFile, MOST_USES } from './file-use.ts';

/** An action that an assistant wrote into its text, as a call would have it. */
interface Action {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const REACT = /^Action: {0,9}([\w .-]{1,60})\n+Action Input:/gm;
const JSON_FENCE = /```(?:json)?\n(?=\{\s{0,9}"action")/g;
const CODE = /^Code:\s{0,9}```(?:py|python)?\n|<code>/gm;
const STATED = /^(?:DISCUSSION|THOUGHT)\b/m;

/** Most texts have none of these, and are not searched. */
const HINT = /Action Input:|<function=|<\/[a-z]+_[a-z_]+>|"action"|Code:|<code>|DISCUSSION|THOUGHT/;

/**
 * The actions in an assistant's text: XML as Cline writes it, `<function=…>`, ReAct, a JSON action, a code action, or the one
 * command of an agent that states its thought first. Pure.
 */
export function textActions(text: string): Action[] {
  if (!HINT.test(text)) return [];
  const actions = [...tagged(text), ...functions(text), ...reacted(text)];
  if (actions.length > 0) return actions;
  const [[, json = ''] = []] = enclosed(text, JSON_FENCE, () => '```');
  const { action, action_input: given } = parsed(json) ?? {};
  if (typeof action === 'string') return [{ name: action, input: plainInput(action, given) }];
  const [[[tag] = [], code] = []] = enclosed(text, CODE, ([open]) => (open === '<code>' ? '</code>' : '```'));
  if (tag !== undefined) return [{ name: 'code', input: { code } }];
  const [[, command] = []] = STATED.test(text) ? enclosed(text, /```[\w-]{0,30}\n/g, () => '```') : [];
  return command === undefined ? [] : [{ name: 'action', input: { action: command.trim() } }];
}

function tagged(text: string): Action[] {
  const close = ([, name]: RegExpExecArray) => `</${name}>`;
  return enclosed(text, /<([a-z]{2,20}_[a-z_]{2,30})>\s{0,9}(?=<[a-z_])/g, close).map(([[, name = ''], body]) => ({
    name,
    input: fieldsOf(enclosed(body, /<([a-z_]{1,30})>/g, close)),
  }));
}

function functions(text: string): Action[] {
  return enclosed(text, /<function=([\w-]{1,60})>/g, () => '</function>').map(([[, name = ''], body]) => ({
    name,
    input: fieldsOf(enclosed(body, /<parameter=([\w-]{1,60})>/g, () => '</parameter>')),
  }));
}

function reacted(text: string): Action[] {
  return enclosed(text, REACT, () => '\nObservation:', true).map(([[, name = ''], body]) => ({
    name,
    input: plainInput(name, body.split(/\n(?:Thought|Action):/, 1)[0]?.trim()),
  }));
}

function fieldsOf(fields: readonly Enclosed[]): Action['input'] {
  return Object.fromEntries(fields.map(([[, key = ''], value]) => [key, value.replace(/^\n|\n$/g, '')]));
}

type Enclosed = readonly [open: RegExpExecArray, body: string];

/** The texts between an opening and the next closing; `open` also those that the end of the text closes. */
function enclosed(text: string, opening: RegExp, close: (open: RegExpExecArray) => string, open = false): Enclosed[] {
  const found: Enclosed[] = [];
  // Not more attempts, because each that is not closed reads to the end.
  for (let tries = 0; tries < MOST_USES; tries++) {
    const match = opening.exec(text);
    if (!match) break;
    const from = opening.lastIndex;
    const end = text.indexOf(close(match), from);
    if (end < 0 && !open) continue;
    found.push([match, text.slice(from, end < 0 ? undefined : end)]);
    if (end < 0) break;
    opening.lastIndex = end;
  }
  opening.lastIndex = 0;
  return found;
}

/** An action's input: JSON, or one text whose meaning the action's name tells. */
function plainInput(name: string, value: unknown): Action['input'] {
  if (isRecord(value)) return value;
  const text = String(value ?? '').replace(/^["'`]|["'`]$/g, '');
  const json = parsed(String(value ?? ''));
  if (json) return json;
  if (/bash|shell|terminal|command|exec/i.test(name)) return { command: text };
  if (/python|code|repl/i.test(name)) return { code: text };
  return looksLikeFile(text) ? { path: text } : { url: text };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const OBSERVATION =
  /^\s*(?:(?:Call id: \S+\s+)?(?:Observation|OBSERVATION):|<(?:observation|returncode|tool_result|tool_response|function_results|function_result)\b|\[\w+(?: for '[^']{0,300}')?\] Result:|\[[\w-]+ used \w|EXECUTION RESULT of \[)/;

/**
 * Whether a text in the user's role is what a tool answered to an action, not the user's words. Judges only by forms that
 * agents write and people do not. Pure.
 */
export function isObservation(text: string): boolean {
  return OBSERVATION.test(text.slice(0, 600));
}
