import { pathText, type ShapeFault } from './shape.ts';

/** OpenAI's error for a value of the wrong shape, in either of its APIs. Pure. */
export function openaiWords(fault: ShapeFault): { message: string; param: string } {
  const param = pathText(fault.path);
  return { message: messageFor(fault, param), param };
}

function messageFor({ kind, expected, value }: ShapeFault, param: string): string {
  switch (kind) {
    case 'extra':
      return `Unknown parameter: '${param}'.`;
    case 'missing':
      return `Missing required parameter: '${param}'.`;
    case 'type':
      return `Invalid type for '${param}': expected ${named(String(expected))}, but got ${named(typeName(value))} instead.`;
    case 'small':
      return `Invalid '${param}': integer below minimum value. Expected a value >= ${expected}, but got ${value} instead.`;
    default:
      return `Invalid value: '${value}'. Supported values are: ${listed([expected].flat().map(String))}.`;
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
