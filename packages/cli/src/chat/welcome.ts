import type { Style } from '../view/style.ts';
import type { Opened } from './chat.ts';
import { textOf } from './draft.ts';
import { wrapText } from './paragraphs.ts';
import type { PromptLine } from './prompt-line.ts';
import { restoredRows, saidRows } from './rows.ts';

const LAST = 2;

/** What a chat begins with: who answers, what was found, what was said last. */
export async function welcomeRows({ chat, notice, flags }: Opened, columns: number, style: Style): Promise<string[]> {
  const { colours, marks } = style;
  const { speaker, restored, session } = chat;
  const yolo = flags.yolo ? ['--yolo: tools change files and run commands without asking.'] : [];
  return [
    ...wrapText(`holdfast chat ${marks.dot} ${speaker.model} (${speaker.name})`, columns).map(colours.bold),
    ...[...notice, ...yolo].flatMap((line) => wrapText(line, columns)).map(colours.yellow),
    ...(restored && session !== undefined
      ? [...restoredRows(session, restored, columns, style), ...saidRows(await chat.said(LAST), columns, style)]
      : []),
    ...wrapText('/help lists commands and keys; Ctrl-D leaves', columns).map(colours.dim),
  ];
}

/** What is left behind when a chat ends: the way back, and what was written and not sent. */
export function farewellRows(
  { chat, flags }: Opened,
  line: PromptLine,
  queue: readonly string[],
  columns: number,
  { colours }: Style,
): string[] {
  const unsent = [...queue, textOf(line.draft)].filter((text) => text.trim() !== '');
  return [
    ...(unsent.length > 0 ? ['not sent:', ...unsent.flatMap((text) => wrapText(text, columns))] : []),
    ...(chat.session === undefined
      ? []
      : wrapText(`kept: ${resumeCommand(chat.session, flags.store)}`, columns).map(colours.dim)),
  ];
}

function resumeCommand(session: string, store: string | undefined): string {
  // An address of a database may hold a password.
  const where = store === undefined || store.includes('://') ? '' : ` --store ${store}`;
  return `holdfast chat --resume ${session}${where}`;
}
