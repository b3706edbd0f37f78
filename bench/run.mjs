// Compares Holdfast with its peers: node run.mjs [--part quality|speed|sessions] [--peers a,b]
// Each part writes its section of RESULTS.md, quality also the table in the README; with --peers it only prints.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { recordedConversations } from './measure.mjs';
import { LIMIT } from './peer.mjs';
import { measureEqualCost, measureQuality } from './quality.mjs';
import {
  equalCostTable,
  flatTable,
  missedBars,
  QUALITY_WORDS,
  qualityTable,
  readmeTable,
  sessionsTable,
  speedTable,
  versionsLine,
} from './report.mjs';
import { measureSessions } from './sessions.mjs';
import { measureFlatness, measureSpeed } from './speed.mjs';

const { values: options } = parseArgs({ options: { peers: { type: 'string' }, part: { type: 'string' } } });
const wanted = options.peers?.split(',');

// To add rows, add a file to peers/ whose default export is a peer or a list of peers.
const peers = [];
const missing = [];
for (const file of readdirSync(new URL('./peers/', import.meta.url)).sort()) {
  const key = file.replace(/\.mjs$/, '');
  if (wanted && !wanted.includes(key)) continue;
  try {
    peers.push(...[(await import(`./peers/${file}`)).default].flat());
  } catch (error) {
    missing.push(`${key}: not measured: ${String(error?.message ?? error).split('\n')[0]}`);
  }
}

/** Prints a section and replaces it in its file, between the comments with its name. */
function write(file, name, sections) {
  const text = sections.filter((section) => section !== '').join('\n\n');
  console.log(`${text}\n`);
  if (wanted) return;
  const path = new URL(file, import.meta.url);
  const [before, rest = ''] = readFileSync(path, 'utf8').split(`<!-- ${name} -->`);
  const after = rest.split(`<!-- /${name} -->`)[1];
  if (after === undefined) throw new Error(`${file} has no section between <!-- ${name} --> and <!-- /${name} -->`);
  writeFileSync(path, `${before}<!-- ${name} -->\n\n${text}\n\n<!-- /${name} -->${after}`);
}

/** The folders of recorded conversations, those of the README's table first. */
const FOLDERS = [
  ['HOLDFAST_TRANSCRIPTS_MORE', 'Conversations of many agents'],
  ['HOLDFAST_TRANSCRIPTS', 'Conversations that the defaults were first chosen on'],
];

async function quality() {
  const sections = [QUALITY_WORDS];
  for (const [variable, title] of FOLDERS) {
    const folder = process.env[variable];
    if (!folder) throw new Error(`quality: set ${variable} to a folder of recorded conversations`);
    const conversations = recordedConversations(folder, LIMIT);
    const rows = await measureQuality(peers, conversations);
    const pairs = await measureEqualCost(rows, conversations);
    sections.push(qualityTable(title, rows, conversations), equalCostTable(pairs));
    if (variable === FOLDERS[0][0]) write('../README.md', 'measured', [readmeTable(rows, conversations)]);
  }
  return sections;
}

let missed = [];
async function speed() {
  const rows = await measureSpeed(peers.filter(({ simulated }) => !simulated));
  const flat = await measureFlatness();
  missed = missedBars(rows, flat);
  return [speedTable(rows), flatTable(flat)];
}

const sessions = async () => [sessionsTable(await measureSessions())];

const head = `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}. ${versionsLine(peers)}`;
for (const part of [quality, speed, sessions]) {
  if (options.part !== undefined && options.part !== part.name) continue;
  if (part === quality && options.part === undefined && !FOLDERS.every(([variable]) => process.env[variable])) {
    console.log(
      `quality: skipped, set ${FOLDERS.map(([variable]) => variable).join(' and ')} to recorded conversations`,
    );
    continue;
  }
  write('RESULTS.md', part.name, [...(await part()), part === sessions ? '' : head, ...missing]);
}
for (const bar of missed) console.error(`missed goal: ${bar}`);
if (missed.length > 0) process.exitCode = 1;
