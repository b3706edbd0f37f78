import type { GeminiContent, GeminiPart } from 'holdfast/rules';
import { canonical, isJson } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';

/** What the API takes instead of a signature of its own, for calls of other models. */
const SKIPS: ReadonlySet<string> = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]);

/** The signature of a part, over its call. */
export function signatureOf(part: GeminiPart, state: State): string {
  return Buffer.from(state.thinking.close({ n: state.count() }, signedText(part))).toString('base64');
}

/** Throws a Refusal for a signature that this server did not make, or made for another call. */
export function checkSignatures(contents: readonly GeminiContent[], state: State): void {
  for (const part of contents.flatMap(({ parts }) => parts)) {
    const { thoughtSignature: signature } = part;
    if (signature === undefined || SKIPS.has(signature)) continue;
    const sealed = Buffer.from(signature, 'base64').toString();
    if (!state.thinking.open(sealed, signedText(part)))
      throw new Refusal(400, 'Corrupted thought signature.', { rule: 'bad-signature' });
  }
}

/** Text may be joined or cut by clients that stream; calls go back as they came. */
function signedText({ functionCall: call }: GeminiPart): string {
  return isJson(call) ? canonical({ name: call.name, args: call.args ?? {} }) : '';
}
