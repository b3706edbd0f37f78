import type { Chat } from '@holdfast/agent/chat';
import { clean } from '../../view/clean.ts';
import type { Style } from '../../view/style.ts';
import { wrapText } from '../../view/text.ts';
import type { Opened } from '../chat.ts';
import { textOf } from '../input/draft.ts';
import type { createPromptLine } from '../input/prompt-line.ts';
import { restoredRows, saidRows } from './rows.ts';

const LAST = 2;

/** The first rows of a chat: model, notices, and the last messages if resumed. */
export async function welcomeRows(
  { chat, notice, flags, instructions }: Opened,
  columns: number,
  style: Style,
): Promise<string[]> {
  const { colours, marks } = style;
  const { speaker, restored, session } = chat;
  const yolo = flags.yolo ? ['--yolo: tools change files and run commands without asking.'] : [];
  return [
    ...wrapText(`holdfast chat ${marks.dot} ${speaker.model} (${speaker.name})`, columns).map(colours.bold),
    ...(instructions.length === 0 ? [] : wrapText(`follows ${instructions.map(clean).join(', ')}`, columns)).map(
      colours.dim,
    ),
    ...[...notice, ...yolo].flatMap((line) => wrapText(line, columns)).map(colours.yellow),
    ...(restored && session !== undefined
      ? [...restoredRows(session, restored, columns, style), ...saidRows(await chat.said(LAST), columns, style)]
      : []),
    ...wrapText('/help lists commands and keys; Ctrl-D leaves', columns).map(colours.dim),
  ];
}

/** Leaving must not wait for an unreachable server. */
const KEPT_MS = 1_000;

/** The session to resume later; undefined if it is empty or was deleted. Never throws. */
export async function savedSession(chat: Chat): Promise<string | undefined> {
  const untold = { id: chat.session };
  const late = new Promise<typeof untold>((resolve) => setTimeout(resolve, KEPT_MS, untold).unref());
  const info = await Promise.race([chat.info().catch(() => untold), late]);
  return info?.id;
}

/** The last rows of a chat: unsent prompts, and how to resume. */
export async function farewellRows(
  opened: Opened,
  line: ReturnType<typeof createPromptLine>,
  queue: readonly string[],
  columns: number,
  { colours }: Style,
): Promise<string[]> {
  const kept = resumeLine(await savedSession(opened.chat), opened);
  const unsent = [...queue, textOf(line.draft)].filter((text) => text.trim() !== '');
  return [
    ...(unsent.length > 0 ? ['not sent:', ...unsent.flatMap((text) => wrapText(text, columns))] : []),
    ...asidesLines(opened).flatMap((text) => wrapText(text, columns)),
    ...(kept === undefined ? [] : wrapText(kept, columns).map(colours.dim)),
  ];
}

/** Says that the output of the user's own commands is lost, if the model did not get it. Pure. */
export function asidesLines({ asides: { count } }: Opened): string[] {
  const which = count === 1 ? 'your !command' : `your last ${count} !commands`;
  return count === 0 ? [] : [`not sent and not kept: the output of ${which}`];
}

/** How to resume the session, or that it was not saved; undefined if it is empty. Pure. */
export function resumeLine(session: string | undefined, { flags, isKept }: Opened): string | undefined {
  if (session === undefined) return undefined;
  if (!isKept) return 'not saved: the store is :memory:, which ends with the chat';
  // A database URL may contain a password.
  const { store } = flags;
  const where = store === undefined || store.includes('://') ? '' : ` --store ${store}`;
  return `saved; to continue: holdfast chat --resume ${session}${where}`;
}
