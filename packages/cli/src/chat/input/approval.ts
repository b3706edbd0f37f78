import { type Approval, offeredCommand, type Permission, type ToolRequest } from '@holdfast/agent/chat';
import { permissionText } from '../../trust/permission-text.ts';
import { clean } from '../../view/clean.ts';
import { cut, wrapText } from '../../view/text.ts';
import { type Draft, draftRows, EMPTY, edit, insertPaste, textOf } from './draft.ts';
import type { Question } from './question.ts';

/** What the user said: an approval, and whether later chats in the folder have it too. */
export interface Given {
  readonly approval: Approval;
  readonly keep?: true;
}

/** A key that answers the question. */
export interface Choice {
  readonly key: string;
  readonly about: string;
  readonly approval: Approval;
}

const REASON_ROWS = 4;
/** Nobody reads a question faster: a key pressed sooner was meant for the input line. */
const READING_MS = 300;
const NO_REASON = 'no reason given';
/** For a question that was interrupted: the model learns of it from the call. */
export const INTERRUPTED: Given = { approval: { refused: 'interrupted' } };

/** The ways to allow a call. The first allows it once; permissions follow, unless it must be approved every time. Pure. */
export function choicesFor(call: ToolRequest): Choice[] {
  const once: Choice = { key: 'y', about: 'once', approval: 'once' };
  if (call.everyTime) return [once];
  const always = (key: string, permission: Permission): Choice => ({
    key,
    about: `always for ${clean(permission.command ?? permission.tool)}`,
    approval: { always: permission },
  });
  const command = offeredCommand(call);
  return [
    once,
    ...(command === undefined ? [] : [always('p', { tool: call.name, command })]),
    always('a', { tool: call.name }),
  ];
}

/** What a key means: a capital letter keeps the permission for the folder, if that is possible. Pure. */
export function choiceOf(choices: readonly Choice[], key: string, canKeep: boolean): Given | undefined {
  const found = choices.find((one) => one.key === key.toLowerCase());
  if (!found) return undefined;
  const isKept = canKeep && found.approval !== 'once' && key !== found.key;
  return { approval: found.approval, ...(isKept ? { keep: true } : {}) };
}

/** The user's refusal; the model gets the reason. Pure. */
export function refusal(reason: string): Given {
  return { approval: { refused: reason.trim() || NO_REASON } };
}

/** Whether the call may run. Pure. */
export function isAllowed({ approval }: Given): boolean {
  return approval === 'once' || !('refused' in approval);
}

/** The answer in a few words. Pure. */
export function givenText({ approval, keep }: Given): string {
  if (approval === 'once') return 'allowed';
  if (approval === INTERRUPTED.approval) return 'interrupted: not run';
  if ('refused' in approval) return approval.refused === NO_REASON ? 'refused' : `refused: ${approval.refused}`;
  return `always allowed${keep ? ' in this folder' : ' until you leave'}: ${permissionText(approval.always)}`;
}

/** The question and its answers, one a line. Pure. */
export function questionLines(call: ToolRequest, choices: readonly Choice[], canKeep: boolean): string[] {
  const always = choices.filter(({ approval }) => approval !== 'once');
  const keys = always.map(({ key }) => key).join(' or ');
  const kept = canKeep ? `; ${capitals(keys)}: in later chats in this folder, too` : '';
  return [
    `Allow ${clean(call.name)}?${call.everyTime ? ' (instructions and settings: asked every time)' : ''}`,
    ...choices.map(({ key, about }) => `  ${key}  ${about}`),
    '  n  no, with a reason for the model',
    ...(keys === '' ? [] : [`  ${keys}: until you leave${kept}`]),
  ];
}

/** The keys that keep a permission for the folder. Pure. */
function capitals(keys: string): string {
  return keys.replace(/\b[a-z]\b/g, (key) => key.toUpperCase());
}

/** Wraps a line of the question; the rows that follow start below its text. */
function wrapIndented(line: string, columns: number): string[] {
  const start = /^ *(?:\w {2})?/.exec(line)?.[0] ?? '';
  const rows = wrapText(line.slice(start.length), Math.max(1, columns - start.length));
  return rows.map((row, i) => `${i === 0 ? start : ' '.repeat(start.length)}${row}`);
}

/**
 * Asks whether a call may run. Escape and Ctrl-C are left to the caller, and so is text that comes too soon to be an answer:
 * until then, the keys are not shown.
 */
export function approval(
  call: ToolRequest,
  canKeep: boolean,
  answer: (given: Given) => void,
  now: () => number,
): Question {
  const choices = choicesFor(call);
  const lines = questionLines(call, choices, canKeep);
  const keys = choices.map(({ key }) => key);
  const kept = choices.filter((one) => canKeep && one.approval !== 'once').map(({ key }) => capitals(key));
  let reason: Draft | undefined;
  let shown: number | undefined;
  /** A key that means nothing here was pressed. */
  let isMissed = false;
  const isReady = () => shown !== undefined && now() - shown >= READING_MS;
  return {
    rows(columns, paint) {
      shown ??= now();
      if (reason)
        return [cut('Why not? (Enter for no reason)', columns), ...draftRows(reason, columns, REASON_ROWS, paint)];
      const visible = isReady() ? lines : lines.map((line) => line.replace(/^ {2}\w(?= {2})/, '   '));
      const hint = isMissed ? [`Press ${[...keys, ...kept].join(', ')} or n.`] : [];
      return [...visible, ...hint].flatMap((line) => wrapIndented(line, columns));
    },
    take(stroke) {
      if (stroke.type === 'escape' || stroke.type === 'interrupt' || stroke.type === 'leave') return false;
      if (stroke.type === 'text' && !isReady()) return false;
      if (reason) {
        if (stroke.type === 'enter') answer(refusal(textOf(reason)));
        else reason = edit(reason, stroke)?.draft ?? reason;
      } else {
        const key = stroke.type === 'text' ? stroke.text : '';
        const given = choiceOf(choices, key, canKeep);
        if (given) answer(given);
        else if (/^n$/i.test(key)) reason = EMPTY;
        else isMissed = true;
      }
      return true;
    },
    paste(text) {
      if (reason) reason = insertPaste(reason, text);
      return reason !== undefined;
    },
  };
}
