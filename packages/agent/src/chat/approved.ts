import type { Tool, ToolContext } from '../providers/provider.ts';
import type { Approval, ChatSetup, ToolRequest } from './chat.ts';
import { createPermissions } from './permissions.ts';

/** Wraps tools that change something, so that they ask first. */
export function approved(
  tools: readonly Tool[],
  setup: Pick<ChatSetup, 'approve' | 'askAgain' | 'onRun' | 'permissions'>,
): Tool[] {
  const { approve, askAgain = () => false, onRun = () => {}, permissions = createPermissions() } = setup;
  /** One question at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  return tools.map((tool) => {
    if (tool.repeatable) return tool;
    return {
      ...tool,
      async run(input, context) {
        let call: ToolRequest = { id: context.callId, name: tool.name, input };
        const asked = turn.then(async (): Promise<Approval> => {
          if (context.signal.aborted) return { refused: '' };
          // Not before: an earlier call may change the same file.
          const change = tool.change?.(input);
          if (change) call = { ...call, change };
          if (!approve) return 'once';
          if (askAgain(call)) return approve({ ...call, everyTime: true }, context.signal);
          return permissions.allow(call) ? 'once' : approve(call, context.signal);
        });
        turn = asked.catch(() => undefined);
        const approval = await asked;
        if (approval !== 'once' && 'refused' in approval) throw new Error(`Not run: ${refusal(approval, context)}`);
        if (approval !== 'once') permissions.add(approval.always);
        onRun(call);
        return tool.run(input, context);
      },
    };
  });
}

function refusal({ refused }: Extract<Approval, { refused: string }>, { signal }: ToolContext): string {
  if (signal.aborted) return 'the user interrupted instead of approving it.';
  return `the user refused it${refused === '' ? '.' : `: ${refused}`}`;
}
