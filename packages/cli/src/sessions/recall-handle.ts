import { recalledText, recallHandle } from '@holdfast/sessions';
import { isHoldfastError } from 'holdfast';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { jsonText } from '../view/harmless.ts';
import { readOwnStore } from './open-store.ts';
import type { RecallFlags } from './recall.ts';

/** `recall m41.1@ID …`: originals from the proxy's conversations, byte for byte. Exits with 1 if one is missing. Changes nothing. */
export async function recallByHandle(handles: readonly string[], flags: RecallFlags, context: Context): Promise<void> {
  await readOwnStore(flags, context, async (store) => {
    for (const handle of handles) {
      try {
        const recalled = await recallHandle(store, handle);
        const { session, messages, content } = recalled;
        const text = recalledText(recalled);
        if (!flags.json) context.printExactly(handles.length === 1 ? text : `[${handle}]\n${text}\n`);
        else context.print(jsonText({ session: session.id, messages, ...(content === undefined ? {} : { content }) }));
      } catch (error) {
        if (!isHoldfastError(error) || error.code !== 'UNKNOWN_HANDLE') throw error;
        context.tell(error.message);
        context.end(EXIT.failed);
      }
    }
  });
}
