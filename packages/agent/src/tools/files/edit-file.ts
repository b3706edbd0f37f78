import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import { bytesOf, fileMark, isDone } from './file-mark.ts';
import { FILE_BYTES, type Files, gate } from './read-file.ts';
import { counted, linesOf, textOf } from './text.ts';

const schema = z.strictObject({
  path: z.string().describe('File, relative to the workspace'),
  old_text: z.string().min(1).describe('Exact text in the file, without line numbers'),
  new_text: z.string().describe('Text to replace it with'),
  replace_all: z.boolean().optional().describe('Replace every occurrence of old_text'),
});

/** `edit_file`: exact text replaced by other text. */
export function editFileTool(files: Files, caps: Caps): AgentTool {
  const { workspace } = files;
  const changed = (before: Buffer, { path, old_text, new_text, replace_all = false }: z.infer<typeof schema>) => {
    const found = textOf(before);
    if (found.type === 'binary' || found.lossy)
      throw new ToolFailure(`${path} is not UTF-8 text; edit_file would corrupt it`);
    return replaceText(path, found.text, old_text, new_text, replace_all);
  };
  return defineTool(
    {
      name: 'edit_file',
      description:
        'Replaces old_text in a file with new_text. old_text must occur exactly once, unless replace_all is set.',
      schema,
      asks: true,
      mark(input) {
        const before = bytesOf(files, input.path);
        return before && fileMark(before, Buffer.from(changed(before, input).text));
      },
      run(input, context) {
        const { path, old_text, new_text } = input;
        if (context.interrupted !== undefined && isDone(files, path, context.interrupted)) {
          context.fileChanged(path);
          return `edited ${path}`;
        }
        if (old_text === new_text) throw new ToolFailure('old_text and new_text are the same: nothing to change');
        let lines: number[] = [];
        const real = workspace.edit(path, gate(files, 'write'), FILE_BYTES, (before) => {
          const after = changed(before, input);
          lines = after.lines;
          return Buffer.from(after.text);
        });
        context.fileChanged(real);
        return `edited ${real}: ${counted(lines.length, 'place')}, at ${places(lines)}`;
      },
    },
    caps,
  );
}

/** The changed text and the lines that changed. Throws ToolFailure unless the old text is found as requested. Pure. */
function replaceText(
  path: string,
  text: string,
  old: string,
  fresh: string,
  all: boolean,
): { text: string; lines: number[] } {
  // read_file hides line ends, so a model cannot know that they are CRLF.
  const crlf = !text.includes(old) && !old.includes('\r') && text.includes('\r\n');
  const wanted = crlf ? old.replaceAll('\n', '\r\n') : old;
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    for (let end = text.indexOf('\n', from); end >= 0 && end < at; end = text.indexOf('\n', from)) {
      line++;
      from = end + 1;
    }
    lines.push(line);
  }
  if (lines.length === 0)
    throw new ToolFailure(`old_text was not found in ${path}; nothing was changed.${nearest(text, old)}`);
  if (lines.length > 1 && !all) {
    throw new ToolFailure(
      `old_text was found ${lines.length} times in ${path}, at ${places(lines)}; nothing was changed. Include more of the surrounding text, or set replace_all.`,
    );
  }
  return { text: text.split(wanted).join(crlf ? fresh.replace(/\r?\n/g, '\r\n') : fresh), lines };
}

function places(lines: readonly number[]): string {
  const shown = lines.slice(0, 20).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${shown}${lines.length > 20 ? ` and ${lines.length - 20} more` : ''}`;
}

/** Points to a line that equals the first line of the old text but for white space. */
function nearest(text: string, old: string): string {
  const first = linesOf(old)
    .find((line) => line.trim() !== '')
    ?.trim();
  if (first === undefined) return ' Read the file again.';
  const at = linesOf(text).findIndex((line) => line.trim() === first);
  if (at < 0) return ' Read the file again: none of its lines matches the first line of old_text.';
  return ` Its first line resembles line ${at + 1}, but white space or later lines differ: read the file from there.`;
}
