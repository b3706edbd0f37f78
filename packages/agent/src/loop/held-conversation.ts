import { defined } from '../defined.ts';
import type { HeldConversation } from '../providers/provider.ts';
import { contextUse } from './context-use.ts';
import { begin, type ExecutionSetup, startExecution } from './execution.ts';

const CUT_OFF =
  'The process was ended before this call had a result: it may have been done, in whole or in part. Look before you repeat it.';

/** A conversation between two executions. Throws BAD_CONFIG or BAD_STATE. */
export function holdConversation<M>(setup: ExecutionSetup<M>): HeldConversation {
  const execution = startExecution(setup);
  const { conversation, api, options } = execution;
  const { dialect } = api;
  const begun = async <T>(doing: () => Promise<T>): Promise<T> => {
    await begin(execution);
    return doing();
  };
  return {
    compact({ focus, preview = false } = {}) {
      const fold = () => conversation.compact(defined({ preview, focus }));
      return preview ? fold() : begun(fold);
    },
    undo: () => begun(() => conversation.undo()),
    redo: () => begun(() => conversation.redo()),
    pin: (index) => begun(() => conversation.pin(index)),
    unpin: (index) => begun(() => conversation.unpin(index)),
    async answerOpen() {
      const readings = conversation.pending.map((message) => dialect.read(message));
      const answered = new Set(readings.flatMap(({ results }) => results.map(({ id }) => id)));
      const open = readings.flatMap(({ calls }) => calls).filter(({ id }) => !answered.has(id));
      const kept = new Map(conversation.state().results?.map((result) => [result.id, result]));
      const results = open.map(({ id, name: called }) => {
        const result = kept.get(id) ?? { id, failed: true, text: CUT_OFF };
        return { ...result, name: called };
      });
      if (open.length > 0) await begun(() => conversation.add(api.results(results)));
      return open.filter(({ id }) => !kept.has(id)).map(({ name }) => name);
    },
    async context() {
      const receipt = await conversation.compact({ preview: true });
      const { window, pending } = conversation.state();
      const { max, limit } = conversation.budget;
      const estimate = (messages: readonly M[]) => conversation.estimate(messages);
      return contextUse({ dialect, state: window, pending, receipt, options, max, limit, estimate });
    },
    state: () => conversation.state(),
  };
}
