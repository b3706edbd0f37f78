import { z } from 'zod';
import { type AgentTool, defineTool } from './define.ts';
import { messageOf, ToolFailure } from './failure.ts';
import type { Recall } from './options.ts';
import { partOf } from './outputs/outputs.ts';
import type { ToolSetting } from './setting.ts';

export const RECALL = 'recall';

/** The description of a handle, for models. */
export const HANDLE = 'For example m41, m41.1 or m12-m40 for messages, o3 for an output';

const schema = z.strictObject({
  handle: z.string().trim().min(1).describe(HANDLE),
  offset: z.int().min(0).optional().describe('First byte to show; the first is 0'),
  length: z.int().min(1).optional().describe('How many bytes to show'),
});

/** `recall`: the text behind a handle, in parts. */
export function recallTool(setting: ToolSetting): AgentTool {
  // Leaves room for the line that says which part this is.
  const most = Math.max(1, setting.max_output_chars - 200);
  return defineTool(setting, {
    name: RECALL,
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
  const bytes = Buffer.from(await recalledText(recall, handle));
  return partOf(bytes, 0, offset, length, bytes.length);
}

/** The text behind a handle of the conversation. Throws ToolFailure if there is none. */
export async function recalledText(recall: Recall | undefined, handle: string): Promise<string> {
  let text: string | undefined;
  try {
    text = await recall?.(handle);
  } catch (error) {
    throw new ToolFailure(`${handle} could not be recalled: ${messageOf(error)}`, error);
  }
  if (text !== undefined) return text;
  throw new ToolFailure(`unknown handle ${handle}; results show their handles in square brackets`);
}
