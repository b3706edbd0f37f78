import { isJson, textOf } from '../json.ts';
import type { Answer, Prompt } from '../script.ts';

const TEXT = 'Stand-in, no model';
const MOST_DEPTH = 20;

/** A short answer to a side request (a title, a router, a summary): JSON if the request asks for it. Pure. */
export function smallAnswer(prompt: Prompt): Answer {
  const schema = schemaOf(prompt.body);
  return { text: schema ? JSON.stringify(exampleOf(schema)) : `${TEXT}.` };
}

/** The JSON schema that the answer must fit, in the place where each API has it. */
function schemaOf(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const { output_config: anthropic, response_format: chat, text: responses, generationConfig: gemini } = body;
  if (isJson(gemini)) {
    const { responseJsonSchema, responseSchema, responseMimeType: type } = gemini;
    const schema = responseJsonSchema ?? responseSchema;
    if (isJson(schema) || type === 'application/json') return isJson(schema) ? schema : {};
  }
  const formats = [anthropic, responses].map((place) => (isJson(place) ? place.format : undefined));
  for (const format of [chat, ...formats]) {
    if (!isJson(format)) continue;
    const named = isJson(format.json_schema) ? format.json_schema.schema : format.schema;
    if (isJson(named)) return named;
    if (format.type === 'json_object') return {};
  }
  return undefined;
}

/** The smallest value that fits a schema's types. */
function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isJson(schema) || depth > MOST_DEPTH) return null;
  const { type, enum: values, const: fixed, properties, items, minimum, anyOf } = schema;
  if (fixed !== undefined) return fixed;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], depth + 1);
  switch ((textOf(Array.isArray(type) ? type[0] : type) || 'object').toLowerCase()) {
    case 'string':
      return TEXT;
    case 'number':
    case 'integer':
      return typeof minimum === 'number' ? minimum : 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return typeof schema.minItems === 'number' && schema.minItems > 0 ? [exampleOf(items, depth + 1)] : [];
    default: {
      const required = Array.isArray(schema.required) ? schema.required : [];
      const entries = Object.entries(isJson(properties) ? properties : {});
      return Object.fromEntries(
        entries.filter(([name]) => required.includes(name)).map(([name, one]) => [name, exampleOf(one, depth + 1)]),
      );
    }
  }
}
