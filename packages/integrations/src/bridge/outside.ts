import type { Fields } from './parts.ts';

/**
 * About the characters of system prompt and tools as an API gets them: of a tool, its name, description and JSON schema. Pure;
 * 0 for what JSON cannot hold, such as an object that contains itself.
 */
export function charsOutside(outside: unknown): number {
  try {
    return JSON.stringify(outside, asSent)?.length ?? 0;
  } catch {
    return 0;
  }
}

/** For JSON.stringify, which passes what a `toJSON` left of a value: LangChain's tools hide all they have. */
function asSent(this: Fields, key: string, value: unknown): unknown {
  const given = (this[key] ?? {}) as Fields;
  const schema = given.schema ?? given.inputSchema ?? given.parameters;
  // The properties of a schema may have these names, too, but there they are no texts.
  if (schema !== undefined && typeof given.description === 'string')
    return { name: given.name, description: given.description, schema };
  return jsonSchemaOf(given) ?? value;
}

/** The JSON schema of a Standard Schema, such as Zod's; undefined of anything else, and of what has no JSON schema. */
function jsonSchemaOf({ '~standard': standard }: Fields): unknown {
  const { jsonSchema } = (standard ?? {}) as { readonly jsonSchema?: { input?(options: object): unknown } };
  try {
    return jsonSchema?.input?.({ target: 'draft-2020-12' });
  } catch {
    return undefined;
  }
}
