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

/** The most recent session that a chat can resume; `spoken` gives the wire format it would use. Throws WrongUse if there is none. */
export async function newestResumable(
  store: SessionStore,
  spoken: (info: SessionInfo) => string | undefined,
): Promise<Found> {
  const passed: string[] = [];
  for await (const info of eachSession(store)) {
    const hindrance = await resumeProblem(store, info, spoken(info));
    if (hindrance === undefined) return { info, notice: passedOver(passed) };
    passed.push(hindrance);
  }
  if (passed.length === 0) throw new WrongUse('there are no sessions yet: start one without --resume');
  const more = passed.length > SHOWN ? [`${passed.length - SHOWN} others cannot be resumed either`] : [];
  const told = [
    'no session can be resumed with these settings; omit --resume to start a new one',
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

async function* eachSession(store: SessionStore): AsyncGenerator<SessionInfo> {
  for (let before: SessionInfo | undefined; ; ) {
    const page: SessionInfo[] = await store.list({ limit: PAGE, ...(before ? { before } : {}) });
    yield* page;
    before = page.at(-1);
    if (page.length < PAGE) return;
  }
}
