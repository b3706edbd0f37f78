import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from './define.ts';
import { messageOf, ToolFailure } from './failure.ts';
import { partOf } from './outputs/outputs.ts';

/** Gives what a handle of the conversation stands for; undefined if it stands for nothing. */
export type Recall = (handle: string) => Promise<string | undefined> | string | undefined;

const schema = z.strictObject({
  handle: z.string().trim().min(1).describe('Such as o3 for an output, m41.1 or m12-m40 for messages'),
  offset: z.int().min(0).optional().describe('First byte to show, counted from 0'),
  length: z.int().min(1).optional().describe('How many bytes to show'),
});

/** `recall`: what is behind a handle, in parts. */
export function recallTool(recall: Recall | undefined, caps: Caps): AgentTool {
  // Room for the line that says which part it is.
  const most = Math.max(1, caps.max_output_chars - 200);
  return defineTool(
    {
      name: 'recall',
      description:
        'Shows what a handle stands for: output that was too long to show, or messages that were folded away.',
      schema,
      repeatable: true,
      async run({ handle, offset = 0, length = most }, context) {
        const size = Math.min(length, most);
        const part =
          caps.outputs.read(handle, offset, size) ?? (await fromRecall(recall ?? context.recall, handle, offset, size));
        if (offset > 0 && offset >= part.size)
          throw new ToolFailure(`${handle} has ${part.size} bytes; offset ${offset} is behind the last`);
        if (part.from === 0 && part.to === part.size) return part.text;
        const more = part.to < part.size ? `; go on with offset ${part.to}` : '';
        return `${part.text}\n[${handle}: bytes ${part.from} to ${part.to} of ${part.size}${more}]`;
      },
    },
    caps,
  );
}

async function fromRecall(recall: Recall | undefined, handle: string, offset: number, length: number) {
  let text: string | undefined;
  try {
    text = await recall?.(handle);
  } catch (error) {
    throw new ToolFailure(`${handle} could not be recalled: ${messageOf(error)}`, error);
  }
  if (text === undefined)
    throw new ToolFailure(`${handle} is no handle that is known; handles stand in square brackets in results`);
  const bytes = Buffer.from(text);
  return partOf(bytes, 0, offset, length, bytes.length);
}
