import { ApiProblem } from './problem.ts';

/** Bytes of a body: requests only name what to do. */
const MOST = 64_000;

/** The JSON of a request's body. Throws ApiProblem. */
export async function readBody(request: Request): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new ApiProblem(400, 'send JSON, with content-type: application/json');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST) throw new ApiProblem(413, `the body has more than ${MOST} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new ApiProblem(400, 'the body is not JSON');
  }
}
