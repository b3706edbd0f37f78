import type { Tidied, TidyPlace } from '../../dialect.ts';
import { EMPTY_MESSAGE, REPLACED, UNRECORDED } from '../parts.ts';
import { brokenBy, isEmptyPart } from './rules.ts';
import { type GeminiContent, isCall, isModels, isResult, partsOf } from './wire.ts';

type Content = GeminiContent;
type Done = Record<string, string>;

const EMPTY = { text: EMPTY_MESSAGE };

/** Repairs a content that breaks rules by itself or, with `place`, because of its neighbours. Pure. */
export function tidyGemini(content: Content, place?: TidyPlace<Content>): Tidied<Content> | undefined {
  const done: Done = {};
  const messages = place ? tidyPlace(content, place, done) : tidyParts(content, done);
  return Object.keys(done).length > 0 ? { messages, done } : undefined;
}

function tidyParts(content: Content, done: Done): Content[] {
  if (brokenBy(content, undefined).some(({ rule }) => rule === 'bad-content' || rule === 'bad-part')) return [content];
  const parts = partsOf(content);
  const said = parts.filter((part) => !isEmptyPart(part));
  if (said.length === 0) {
    done[parts.length === 0 ? 'no-parts' : 'empty-part'] = REPLACED;
    return [{ ...content, parts: [EMPTY] }];
  }
  if (said.length < parts.length) done['empty-part'] = 'Removed the part, which is empty.';
  const isModel = isModels(content);
  const isOther = isModel ? isResult : isCall;
  const other = said.filter(isOther);
  if (other.length === 0) return [{ ...content, parts: said }];
  done[isModel ? 'result-in-model' : 'call-in-user'] = 'Moved it into a content of the other role.';
  const own = said.filter((part) => !isOther(part));
  const moved = { role: isModel ? 'user' : 'model', parts: other };
  return own.length > 0 ? [{ ...content, parts: own }, moved] : [moved];
}

function tidyPlace(content: Content, { before }: TidyPlace<Content>, done: Done): Content[] {
  for (const { rule } of brokenBy(content, before ?? 'start')) {
    if (rule !== 'first-model' && rule !== 'call-after-model') continue;
    done[rule] = 'Inserted a content of the user before it.';
    return [{ role: 'user', parts: [{ text: rule === 'first-model' ? UNRECORDED : '[Go on]' }] }, content];
  }
  return [content];
}
