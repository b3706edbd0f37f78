import { requestAt, requestNumber, sqlite } from '@holdfast/sessions';

/** The body of a session's newest request, exactly as it was sent; undefined if none was. */
export async function newestRequest(path: string, session: string): Promise<string | undefined> {
  const store = await sqlite(path);
  try {
    const seq = await requestNumber(store, session, -1); // 1: the first
    return seq === undefined ? undefined : (await requestAt(store, session, seq)).body;
  } finally {
    await store.close();
  }
}
