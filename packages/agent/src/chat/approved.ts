import type { Tool } from '../providers/provider.ts';
import type { ChatSetup } from './chat.ts';

/** Wraps tools that change something, so that they ask first. */
export function approved(
  tools: readonly Tool[],
  { approve, askAgain }: Pick<ChatSetup, 'approve' | 'askAgain'>,
): Tool[] {
  const always = new Set<string>();
  /** One question at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  if (!approve) return [...tools];
  return tools.map((tool) => {
    if (tool.repeatable) return tool;
    return {
      ...tool,
      async run(input, context) {
        const asked = turn.then(() => {
          context.signal.throwIfAborted();
          const call = { id: context.callId, name: tool.name, input };
          if (always.has(tool.name) && !askAgain?.(call)) return 'once';
          return approve(call, context.signal);
        });
        turn = asked.catch(() => undefined);
        const approval = await asked;
        if (approval === 'always') always.add(tool.name);
        if (typeof approval === 'object')
          throw new Error(`Not run: the user refused it${approval.refused === '' ? '.' : `: ${approval.refused}`}`);
        return tool.run(input, context);
      },
    };
  });
}
