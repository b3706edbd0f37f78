import type { Tool } from '../providers/provider.ts';
import type { Approval, ChatSetup, ToolRequest } from './chat.ts';

/** Wraps tools that change something, so that they ask first. */
export function approved(
  tools: readonly Tool[],
  { approve, askAgain, onRun = () => {} }: Pick<ChatSetup, 'approve' | 'askAgain' | 'onRun'>,
): Tool[] {
  const always = new Set<string>();
  /** One question at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  return tools.map((tool) => {
    if (tool.repeatable) return tool;
    return {
      ...tool,
      async run(input, context) {
        let call: ToolRequest = { id: context.callId, name: tool.name, input };
        const asked = turn.then(async (): Promise<Approval> => {
          context.signal.throwIfAborted();
          // Not before: an earlier call may change the same file.
          const change = tool.change?.(input);
          if (change) call = { ...call, change };
          if (!approve || (always.has(tool.name) && !askAgain?.(call))) return 'once';
          return approve(call, context.signal);
        });
        turn = asked.catch(() => undefined);
        const approval = await asked;
        if (approval === 'always') always.add(tool.name);
        if (typeof approval === 'object')
          throw new Error(`Not run: the user refused it${approval.refused === '' ? '.' : `: ${approval.refused}`}`);
        onRun(call);
        return tool.run(input, context);
      },
    };
  });
}
