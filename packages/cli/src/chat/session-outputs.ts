import { existsSync } from 'node:fs';
import { folderOutputs, type OutputStore } from '@holdfast/agent';
import { maskedOutputs } from '@holdfast/agent/tools';
import { outputsFolder } from '../sessions/output-files.ts';

/** The output store of the current session; a new chat has none before its first prompt. */
export function sessionOutputs(home: string, session: () => string | undefined, mask_keys: boolean): OutputStore {
  let id: string | undefined;
  let open: OutputStore | undefined;
  const opened = (): OutputStore | undefined => {
    const now = session();
    if (now === id || now === undefined) return now === undefined ? undefined : open;
    const plain = folderOutputs(outputsFolder(home, now));
    [open, id] = [mask_keys ? maskedOutputs(plain) : plain, now];
    return open;
  };
  return {
    create() {
      const outputs = opened();
      if (!outputs) throw new Error('there is no session yet to keep an output for');
      return outputs.create();
    },
    read(...asked) {
      const now = session();
      return now !== undefined && existsSync(outputsFolder(home, now)) ? opened()?.read(...asked) : undefined;
    },
  };
}
