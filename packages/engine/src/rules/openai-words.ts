import type { ShapeFault } from './shape.ts';

/** OpenAI's error for a value of the wrong shape, in either of its APIs. Pure. */
export function openaiWords({ path, kind, expected, value }: ShapeFault): {
  message: string;
  param: string;
} {
  const param = path.reduce<string>((before, part) => {
    if (typeof part === 'object') return before;
    if (typeof part === 'number') return `${before}[${part}]`;
    return before === '' ? part : `${before}.${part}`;
  }, '');
  switch (kind) {
    case 'extra':
      return { message: `Unknown parameter: '${param}'.`, param };
    case 'missing':
      return { message: `Missing required parameter: '${param}'.`, param };
    case 'type': {
      const message = `Invalid type for '${param}': expected ${named(String(expected))}, but got ${named(typeName(value))} instead.`;
      return { message, param };
    }
    case 'small': {
      const message = `Invalid '${param}': integer below minimum value. Expected a value >= ${expected}, but got ${value} instead.`;
      return { message, param };
    }
    default: {
      const message = `Invalid value: '${value}'. Supported values are: ${listed([expected].flat().map(String))}.`;
      return { message, param };
    }
  }
}

/** The code that goes with the text of such an error. */
export function openaiCode(message: string): string {
  if (message.startsWith('Unknown')) return 'unknown_parameter';
  if (message.startsWith('Missing')) return 'missing_required_parameter';
  if (message.startsWith('Invalid type')) return 'invalid_type';
  return message.includes('below minimum') ? 'integer_below_min_value' : 'invalid_value';
}

/** Values in quotes, as OpenAI lists them. */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 2) return quoted.join('');
  return `${quoted.slice(0, -1).join(', ')}${quoted.length > 2 ? ',' : ''} and ${quoted.at(-1)}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function named(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
