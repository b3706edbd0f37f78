import { resumeProblem } from '@holdfast/agent/chat';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import { WrongUse } from '../failure.ts';
import { counted } from '../view/amounts.ts';

/** The session to resume, undefined for a new one, and lines to print first. */
export interface Found {
  readonly info: SessionInfo | undefined;
  readonly notice: readonly string[];
}

const PAGE = 50;
/** How many unsuitable sessions to list. */
const SHOWN = 3;

/**
 * The most recent session that a chat can resume, of this folder if one is given; `spoken` gives the wire format it would use.
 * Throws WrongUse if there is none.
 */
export async function newestResumable(
  store: SessionStore,
  spoken: (info: SessionInfo) => string | undefined,
  folder?: string,
): Promise<Found> {
  const passed: string[] = [];
  for await (const info of eachSession(store)) {
    if (folder !== undefined && (await folderOf(store, info)) !== folder) continue;
    const hindrance = await resumeProblem(store, info, spoken(info));
    if (hindrance === undefined) return { info, notice: passedOver(passed) };
    passed.push(hindrance);
  }
  const [place, flag] = folder === undefined ? ['', '--resume'] : [' in this folder', '--continue'];
  if (passed.length === 0) throw new WrongUse(`there are no chats${place} yet: start one without ${flag}`);
  const more = passed.length > SHOWN ? [`${passed.length - SHOWN} others cannot be resumed either`] : [];
  const told = [
    `no session${place} can be resumed with these settings; omit ${flag} to start a new one`,
    ...passed.slice(0, SHOWN),
    ...more,
  ];
  throw new WrongUse(told.join('\n'));
}

/** Names the newest one skipped, which the user most likely meant. */
function passedOver([newest, ...others]: readonly string[]): string[] {
  if (newest === undefined) return [];
  const rest = others.length > 0 ? ` (and ${counted(others.length, 'older one')})` : '';
  return [`skipped: ${newest}${rest}`];
}

/** The folder that a chat was last used in; undefined for other sessions. */
async function folderOf(store: SessionStore, { id, kind }: SessionInfo): Promise<string | undefined> {
  if (kind !== undefined) return undefined;
  const { items } = await store.read(id, { types: ['model'], reverse: true, limit: 1 });
  const entry = items[0]?.entry;
  return entry?.type === 'model' ? entry.folder : undefined;
}

async function* eachSession(store: SessionStore): AsyncGenerator<SessionInfo> {
  for (let before: SessionInfo | undefined; ; ) {
    const page: SessionInfo[] = await store.list({ limit: PAGE, ...(before ? { before } : {}) });
    yield* page;
    before = page.at(-1);
    if (page.length < PAGE) return;
  }
}
