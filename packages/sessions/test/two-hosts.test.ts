import { expect, test } from 'vitest';
import { sqlite } from '../src/index.ts';
import { client, digest, incoming, open, problemsOf } from './client.ts';
import { newStore } from './new-store.ts';

test.each([undefined, 'session 1'])(
  'two hosts that each saw a conversation begin keep one log of it (the client names it %s)',
  async (hint) => {
    const { store, path } = await newStore();
    const second = await sqlite(path);
    const hosts = [open(store), open(second)] as const;
    const { step, history } = client();
    let folds = 0;
    let sent: string[] = [];
    for (let i = 0; i < 40; i++) {
      step();
      const host = hosts[Math.floor(i / 2) % 2 === 0 ? 0 : 1];
      const { messages, receipt, problem } = await host.fit(incoming(history, hint ? { hint } : {}));
      expect(problem).toBeUndefined();
      expect(problemsOf(messages)).toEqual([]);
      const view = digest(messages);
      if (receipt) folds++;
      else expect(view.slice(0, sent.length)).toEqual(sent);
      sent = view;
    }
    expect((await store.list()).length).toBe(1);
    const alone = await newStore();
    const one = open(alone.store);
    const again = client();
    let expected = 0;
    for (let i = 0; i < 40; i++) if ((await one.fit(incoming(again.step()))).receipt) expected++;
    expect(folds).toBe(expected);
    await second.close();
  },
);
