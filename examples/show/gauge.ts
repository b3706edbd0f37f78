import type { FitMetrics } from 'holdfast';
import type { GeneratedMessage } from '../generate.ts';
import { bar, clip, figure, type Paint } from './terminal.ts';

const BAR = 24;
const ACTION = 24;

/** Renders one call as a line: how full the window is, in tokens and messages, and what the agent does next. */
export function gaugeLine(
  call: number,
  metrics: FitMetrics,
  max: number,
  answer: GeneratedMessage,
  paint: Paint,
): string {
  const share = metrics.estimatedTokens / max;
  const { filled, rest } = bar(share, BAR);
  const colour = share > 0.9 ? paint.red : share > 0.7 ? paint.yellow : paint.green;
  const tokens = `${metrics.estimated ? '~' : ''}${figure(metrics.estimatedTokens)}`.padStart(8);
  const messages = figure(metrics.preservedMessages).padStart(4);
  const gauge = `${colour(filled)}${paint.dim(rest)}`;
  return `${paint.dim(String(call).padStart(5))} ${gauge} ${tokens} tok ${messages} msg  ${paint.dim(clip(action(answer), ACTION))}`;
}

/** What an assistant message does, in a few words. */
function action(message: GeneratedMessage): string {
  const uses = toolUses(message);
  const first = uses.find(({ name }) => name !== 'todo_write') ?? uses[0];
  if (first === undefined) return 'answers';
  const { path, pattern, command } = first.input as { path?: string; pattern?: string; command?: string };
  const object = path?.split('/').at(-1) ?? pattern ?? command ?? '';
  const more = uses.length > 1 ? ` +${uses.length - 1}` : '';
  return `${first.name.replace(/_.*/, '')} ${clip(object, ACTION - 6 - more.length)}${more}`.replace(/^bash /, '$ ');
}

function toolUses(message: GeneratedMessage): { readonly name: string; readonly input: unknown }[] {
  if ('tool_calls' in message && message.tool_calls) {
    return message.tool_calls.map(({ function: call }) => ({ name: call.name, input: JSON.parse(call.arguments) }));
  }
  if (typeof message.content === 'string' || message.content === null) return [];
  return message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
}
