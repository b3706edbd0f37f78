import { isRecord } from '../json/record.ts';
import { type Digest, EMPTY_DIGEST } from '../note/digest.ts';

/** Any finite number. */
const ANY = Number.NEGATIVE_INFINITY;
const CALIBRATION = {
  slope: 1e-9,
  squares: 1e-9,
  products: ANY,
  'fixed?': ANY,
  'last?': [ANY, ANY],
  'doubted?': [ANY, ANY],
  'model?': '',
};
const CUTS = [{ at: 0, part: -2, chars: 0, 'same?': '', 'lines?': [[0, 0]], 'wording?': '' }];
const REMINDER = { at: 0, text: '' };
const TURNS = [{ from: 0, count: 1, 'cuts?': CUTS, 'reminder?': REMINDER, 'hash?': '' }];
const LOAD = { messages: ANY, chars: ANY, media: ANY, images: ANY, 'pages?': ANY, wide: ANY, bytes: ANY };
const REMARKS = [['', 0, { '?': ANY }]];
const DIGEST = {
  version: 1,
  asked: REMARKS,
  decisions: REMARKS,
  causes: REMARKS,
  failed: REMARKS,
  findings: REMARKS,
  open: REMARKS,
  todos: REMARKS,
  omitted: [0],
  files: [
    {
      path: '',
      'since?': 0,
      'did?': /^(?:created|deleted|moved)$/,
      changes: [0],
      reads: [[0, { '?': 0 }, { '?': 0 }]],
    },
  ],
  commands: [['', 0, { '?': ANY }, { '?': '' }, { '?': '' }]],
  names: [['', /^(?:path|name|number|hash)$/, 0, 0, 0, { '?': 0 }, { '?': '' }, { '?': 0 }]],
  tools: [['', 0, 0]],
};
const ENTRIES = [
  {
    covered: 0,
    prior: 0,
    edge: '',
    'settled?': { covered: 0, edge: '', said: LOAD },
    kept: TURNS,
    head: 0,
    'note?': [{ 'heading?': '', lines: [['', { '?': 0 }]] }],
    digest: DIGEST,
    summary: { text: '', pending: [[0, 0]], 'failed?': 0, 'paused?': 0 },
    said: LOAD,
    calibration: CALIBRATION,
    'reminders?': [REMINDER],
  },
];
const STATE = {
  version: 1,
  dialect: '',
  revisions: [[0, 0]],
  folds: 0,
  seen: 0,
  log: ENTRIES,
  undone: ENTRIES,
  'hold?': { 'messages?': 0, 'tokens?': 0 },
  pins: [0],
  view: [{}],
  turns: TURNS,
  calibration: CALIBRATION,
  'transient?': 0,
  'bareTo?': 0,
  'passedAgain?': 0,
  'unchecked?': 0,
};

/** True if the value has all fields of a state, with values of the right kind. Pure. */
export function isStateShape(value: unknown): boolean {
  return isLike(value, STATE);
}

/** True if the value is a digest of this version, with values of the right kind. Pure. */
export function isDigest(value: unknown): value is Digest {
  return isLike(value, DIGEST) && isRecord(value) && value.version === EMPTY_DIGEST.version;
}

/**
 * A pattern is a text, what a text must match, the least number (whole if the pattern is), an object with these fields (`?`:
 * optional), a list whose items all match its only item, or a list that starts with these items (`{ '?': … }`: optional).
 */
function isLike(value: unknown, pattern: unknown): boolean {
  if (typeof pattern === 'string') return typeof value === 'string';
  if (pattern instanceof RegExp) return typeof value === 'string' && pattern.test(value);
  // JSON has null for what is left out of a list.
  if (isRecord(pattern) && '?' in pattern) return (value ?? undefined) === undefined || isLike(value, pattern['?']);
  if (typeof pattern === 'number')
    return (
      Number.isFinite(value) && Number(value) >= pattern && (Number.isInteger(value) || !Number.isInteger(pattern))
    );
  if (Array.isArray(pattern)) {
    const [first, ...more] = pattern;
    return (
      Array.isArray(value) &&
      (more.length > 0 ? pattern : [...value]).every((item, i) => isLike(value[i], more.length > 0 ? item : first))
    );
  }
  return (
    isRecord(value) &&
    Object.entries(pattern as object).every(([key, own]) => {
      const field = value[key.replace('?', '')];
      return (field === undefined && key.endsWith('?')) || isLike(field, own);
    })
  );
}
