import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import { bytesOf, fileMark, isDone } from './file-mark.ts';
import { FILE_BYTES, type Files, gate } from './read-file.ts';
import { counted, linesOf } from './text.ts';

const schema = z.strictObject({
  path: z.string().describe('File, relative to the workspace; missing folders are created'),
  content: z.string().describe('The full text of the file'),
});

/** `write_file`: a whole file, new or replaced. */
export function writeFileTool(files: Files, caps: Caps): AgentTool {
  const { workspace } = files;
  return defineTool(
    {
      name: 'write_file',
      description: 'Writes a whole file, replacing an existing one. To change part of a file, use edit_file.',
      schema,
      asks: true,
      mark: ({ path, content }) => fileMark(bytesOf(files, path), Buffer.from(content)),
      run({ path, content }, context) {
        const bytes = Buffer.from(content);
        if (context.interrupted !== undefined && isDone(files, path, context.interrupted)) {
          context.fileChanged(path);
          return `wrote ${path}: ${counted(linesOf(content).length, 'line')}, ${counted(bytes.length, 'byte')}`;
        }
        if (bytes.length > FILE_BYTES)
          throw new ToolFailure(`content has ${bytes.length} bytes, more than the limit of ${FILE_BYTES}`);
        const written = workspace.write(path, gate(files, 'write'), bytes);
        context.fileChanged(written.path);
        const done = written.before === undefined ? 'created' : `replaced ${written.before} bytes of`;
        return `${done} ${written.path}: ${counted(linesOf(content).length, 'line')}, ${counted(bytes.length, 'byte')}`;
      },
    },
    caps,
  );
}
