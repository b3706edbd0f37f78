import { hindranceOf } from '@holdfast/agent/chat';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import { WrongUse } from '../failure.ts';
import { counted } from '../view/amounts.ts';

/** The session of a chat, undefined for a new one, and lines to be told first. */
export interface Found {
  readonly info: SessionInfo | undefined;
  readonly notice: readonly string[];
}

const PAGE = 50;
/** Of those that cannot be gone on with. */
const SHOWN = 3;

/**
 * The session used last of those that a chat can go on with; `spoken` is the wire format that one would go on in. Throws
 * WrongUse if there is none.
 */
export async function newestToGoOn(
  store: SessionStore,
  spoken: (info: SessionInfo) => string | undefined,
): Promise<Found> {
  const passed: string[] = [];
  for await (const info of eachSession(store)) {
    const hindrance = await hindranceOf(store, info, spoken(info));
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

/** The newest of them is most likely the one that was meant. */
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
