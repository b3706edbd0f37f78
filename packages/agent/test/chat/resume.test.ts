import { verifySession } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import type { Chat } from '../../src/chat/index.ts';
import { APIS, refused } from '../apis.ts';
import { talkOf } from './chat-on-stand-in.ts';

const SMALL = { max_messages: 0, max_tokens: 3_500 };

/** What a person does in the course of a day, by one letter each. */
const DAY = 'sssssCssuss rsspsssUssssfuurssssmssssUUssscsss sUssssmssurss'.replaceAll(' ', '').split('');

async function does(chat: Chat, deed: string, at: number, other: string): Promise<unknown> {
  switch (deed) {
    case 's':
      return (await chat.say(at % 3 === 2 ? `And then, ${at}?` : `Please look ${at}`)).error;
    case 'C':
      return (await chat.compact({ preview: true })).fold;
    case 'c':
    case 'f':
      return (await chat.compact(deed === 'f' ? { focus: 'page 3' } : {})).fold;
    case 'u':
      return (await chat.uncompact().catch((error: unknown) => String(error))) !== undefined;
    case 'r':
      return (await chat.recompact())?.fold;
    case 'p':
      return (await chat.pin()).index;
    case 'U':
      return chat.undo();
    case 'm':
      return chat.use({ ...chat.speaker, model: at < 40 ? other : chat.speaker.model });
    default:
      throw new Error(deed);
  }
}

test.each(APIS)(
  'a session reopened before each action behaves and sends the same as one kept open: $name',
  async (api) => {
    const living = await talkOf(api, SMALL);
    const again = await talkOf(api, SMALL);
    const chat = await living.open();
    let session: string | undefined;
    let { speaker } = chat;
    for (const [at, deed] of DAY.entries()) {
      const reopened = await again.open(session, {
        speaker: { ...(await again.open()).speaker, model: speaker.model },
      });
      expect([at, deed, await does(reopened, deed, at, api.models[1])]).toEqual([
        at,
        deed,
        await does(chat, deed, at, api.models[1]),
      ]);
      ({ session, speaker } = reopened);
      expect(again.sent().at(-1)).toEqual(living.sent().at(-1));
      expect(await reopened.context()).toEqual(await chat.context());
    }
    expect(again.sent()).toEqual(living.sent());
    expect([...refused(living.standIn), ...refused(again.standIn)]).toEqual([]);
    const info = await again.store.info(session ?? '');
    expect(info?.folds).toBeGreaterThan(2);
    expect((await verifySession(again.store, session ?? '')).problems).toEqual([]);
  },
  60_000,
);
