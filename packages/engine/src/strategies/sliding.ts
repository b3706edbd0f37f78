import { exceeds } from '../budget.ts';
import type { Strategy, Turn, Verdict } from '../strategy.ts';

/** The seeds' window: head and tail kept, the newest of the middle as far as the target allows, the oldest out. */
export const sliding: Strategy = {
  name: 'sliding',
  due: (size, budget) => exceeds(size, budget.max),
  judge(turns, budget) {
    const verdicts: Verdict[] = turns.map((turn) => (turn.kept ? 'keep' : 'drop'));
    const kept = turns.filter((turn) => turn.kept);
    let messages = 1 + kept.reduce((sum, turn) => sum + turn.messages, 0);
    let tokens =
      budget.reserve + Math.min(budget.note, MARKER_TOKENS) + kept.reduce((sum, turn) => sum + turn.tokens, 0);
    for (let i = turns.length - 1; i >= 0; i--) {
      const turn = turns[i] as Turn;
      if (turn.kept) continue;
      const bound = turn.recent ? budget.max : budget.target;
      if (exceeds({ messages: messages + turn.messages, tokens: tokens + turn.tokens }, bound)) break;
      messages += turn.messages;
      tokens += turn.tokens;
      verdicts[i] = 'keep';
    }
    return { verdicts, note: 'marker' };
  },
};

/** A line that says how many messages went where. */
const MARKER_TOKENS = 120;
