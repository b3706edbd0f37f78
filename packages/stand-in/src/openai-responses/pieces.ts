import type { OpenaiResponsesItem } from 'holdfast/rules';
import { hashOf, isJson, type Json, textOf } from '../json.ts';
import type { Piece } from '../measure.ts';
import type { OpenaiStandInModel } from '../models.ts';
import { contentPieces } from '../openai-body.ts';

/** The prompt in its order: instructions, tools, the form of the answer, then item by item. Pure. */
export function responsesPieces(body: Json, items: readonly OpenaiResponsesItem[], model: OpenaiStandInModel): Piece[] {
  const list: Piece[] = [];
  if (body.instructions) list.push({ text: `system: ${textOf(body.instructions)}`, last: true });
  for (const head of [body.tools, body.text]) if (head) list.push({ text: JSON.stringify(head) });
  for (const item of items) if (isJson(item)) list.push(...itemPieces(item, body, model.characters));
  return list;
}

/** Ids count for nothing but that of a call: the server would not show them to a model. */
function itemPieces(item: OpenaiResponsesItem, body: Json, characters?: number): Piece[] {
  const { type, role, content, call_id: call, output, name, arguments: given, encrypted_content: sealed } = item;
  if (role !== undefined) return contentPieces(`\n${role}: `, content, body, characters);
  if (output !== undefined && call) return contentPieces(`\n${type} ${call}: `, output, body, characters);
  if (type === 'function_call') return [{ text: `\ncall ${call} ${name} ${given}`, last: true }];
  if (type === 'reasoning')
    return [{ text: `\nreasoning ${hashOf(sealed ?? JSON.stringify(item.summary) ?? '')}`, last: true }];
  const { id: _, ...rest } = item;
  return [{ text: `\n${JSON.stringify(rest)}`, last: true }];
}
