import { ConversationWindow, type Strategy, type Verdict } from 'holdfast';

/** Keeps every turn that changed a file, then the newest others while there is room; masks large results if need be. */
export const edits: Strategy = {
  name: 'edits',
  due: (size, { max }) => size.tokens > max.tokens || size.messages > max.messages,
  judge(turns, { target, reserve, note }) {
    let room = target.tokens - reserve - note;
    const verdicts = turns.toReversed().map((turn): Verdict => {
      const changes = turn.results.some(({ kind, error }) => kind === 'write' && !error);
      const masked = turn.results.reduce((left, { tokens }) => left - Math.max(0, tokens - 200), turn.tokens);
      const verdict = turn.kept || changes || turn.tokens <= room ? 'keep' : masked <= room ? 'mask' : 'drop';
      if (verdict !== 'drop') room -= verdict === 'mask' ? masked : turn.tokens;
      return verdict;
    });
    return { verdicts: verdicts.reverse(), note: 'digest', mask_chars: 300 };
  },
};

export const createWindow = () => new ConversationWindow({ strategy: edits, max_tokens: 20_000 });
