import { z } from 'zod';
import { type AgentTool, defineTool } from './define.ts';
import { messageOf, ToolFailure } from './failure.ts';
import type { Recall } from './options.ts';
import { partOf } from './outputs/outputs.ts';
import type { ToolSetting } from './setting.ts';

const schema = z.strictObject({
  handle: z.string().trim().min(1).describe('For example o3 for an output, m41.1 or m12-m40 for messages'),
  offset: z.int().min(0).optional().describe('First byte to show; the first is 0'),
  length: z.int().min(1).optional().describe('How many bytes to show'),
});

/** `recall`: the text behind a handle, in parts. */
export function recallTool(setting: ToolSetting): AgentTool {
  // Leaves room for the line that says which part this is.
  const most = Math.max(1, setting.max_output_chars - 200);
  return defineTool(setting, {
    name: 'recall',
    description: 'Shows the text behind a handle: output that was too long to show, or messages that were folded away.',
    schema,
    repeatable: true,
    async run({ handle, offset = 0, length = most }, context) {
      const size = Math.min(length, most);
      const part =
        setting.outputs.read(handle, offset, size) ??
        (await fromRecall(setting.recall ?? context.recall, handle, offset, size));
      if (offset > 0 && offset >= part.size)
        throw new ToolFailure(`${handle} has ${part.size} bytes; offset ${offset} is past the end`);
      if (part.from === 0 && part.to === part.size) return part.text;
      const more = part.to < part.size ? `; continue with offset ${part.to}` : '';
      return `${part.text}\n[${handle}: bytes ${part.from} to ${part.to} of ${part.size}${more}]`;
    },
  });
}

async function fromRecall(recall: Recall | undefined, handle: string, offset: number, length: number) {
  let text: string | undefined;
  try {
    text = await recall?.(handle);
  } catch (error) {
    throw new ToolFailure(`${handle} could not be recalled: ${messageOf(error)}`, error);
  }
  if (text === undefined)
    throw new ToolFailure(`unknown handle ${handle}; results show their handles in square brackets`);
  const bytes = Buffer.from(text);
  return partOf(bytes, 0, offset, length, bytes.length);
}
