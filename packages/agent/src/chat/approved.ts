import type { Tool } from '../providers/provider.ts';
import type { ChatSetup } from './chat.ts';

/** The tools, of which those that change something ask first. */
export function approved(tools: readonly Tool[], approve: ChatSetup['approve']): Tool[] {
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
          if (always.has(tool.name)) return 'once';
          return approve({ id: context.call_id, name: tool.name, input }, context.signal);
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
