import { createHash } from 'node:crypto';

const HEAD = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>holdfast crew</title><style>
:root{color-scheme:light dark;--line:#8884;--soft:#8882;--good:#2a7;--warn:#a50;--dim:#666}
@media(prefers-color-scheme:dark){:root{--warn:#f94;--dim:#aaa}}
*{box-sizing:border-box}body{margin:0;font:15px/1.45 system-ui,sans-serif;display:grid;grid-template-rows:auto 1fr auto;height:100vh}
header{padding:.6rem 1rem;border-bottom:1px solid var(--line);display:flex;gap:1rem;align-items:baseline;flex-wrap:wrap}
h1{font-size:1rem;margin:0}#status{color:var(--dim)}
main{display:grid;grid-template-columns:minmax(0,1fr) minmax(16rem,24rem);min-height:0}
#talk{overflow:auto;padding:1rem;display:flex;flex-direction:column;gap:.6rem}
.said{max-width:46rem;padding:.5rem .8rem;border-radius:.6rem;background:var(--soft);white-space:pre-wrap;overflow-wrap:anywhere}
.user{align-self:flex-end;background:#48f3}.who{font-size:.75rem;color:var(--dim);display:block}
.wrong{border:1px solid var(--warn)}.unheard{opacity:.6}
#lanes{overflow:auto;border-left:1px solid var(--line);padding:.8rem;display:flex;flex-direction:column;gap:.8rem}
.lane{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .7rem}.lane.on{border-color:var(--good)}
.lane b{display:flex;justify-content:space-between}.lane small{color:var(--dim)}
meter{width:100%;height:.8rem}.now{min-height:1.4em;font-size:.85rem;color:var(--dim);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
form{display:flex;gap:.5rem;padding:.8rem;border-top:1px solid var(--line)}
textarea{flex:1;min-width:0;font:inherit;padding:.5rem;resize:none;height:3.2rem}button{font:inherit;padding:0 1.2rem}#stop{color:var(--warn)}[hidden]{display:none}
@media(max-width:700px){main{grid-template-columns:1fr;grid-template-rows:1fr auto}#lanes{border-left:0;border-top:1px solid var(--line);max-height:40vh}}
</style></head><body>
<header><h1>holdfast crew</h1><span id="status" role="status">ready</span><span id="sum"></span></header>
<main><section id="talk" aria-live="polite" aria-label="Conversation"></section><aside id="lanes" aria-label="Agents"></aside></main>
<form><textarea id="input" aria-label="Your message" placeholder="Type a message (Enter to send)" autofocus></textarea><button id="send">Send</button><button id="stop" type="button" hidden>Stop</button></form>
<script>`;

const SCRIPT = `
const $ = (id) => document.getElementById(id);
let history = [], busy = false, last = '', leave, token = sessionStorage.getItem('token') || '';
const lanes = new Map();
const asked = (path, init = {}) => fetch(path, { ...init, headers: { ...init.headers, ...(token ? { authorization: 'Bearer ' + token } : {}) } });
function lane(name) {
  if (lanes.has(name)) return lanes.get(name);
  const box = document.createElement('div'); box.className = 'lane'; box.dataset.agent = name;
  const head = document.createElement('b'), title = document.createElement('span'), cost = document.createElement('small');
  title.textContent = name; head.append(title, cost);
  const gauge = document.createElement('meter'); gauge.min = 0; gauge.max = 1; gauge.high = .8; gauge.setAttribute('aria-label', 'Window of ' + name);
  const size = document.createElement('small'), now = document.createElement('div'); now.className = 'now';
  box.append(head, gauge, size, now); $('lanes').append(box);
  const one = { box, cost, gauge, size, now, spent: 0, folds: 0, text: '' }; lanes.set(name, one); return one;
}
// Do not scroll while the reader has scrolled up.
let atEnd = true;
const follow = () => { if (atEnd) $('talk').scrollTop = $('talk').scrollHeight; };
$('talk').addEventListener('scroll', () => { const { scrollHeight, scrollTop, clientHeight } = $('talk'); atEnd = scrollHeight - scrollTop - clientHeight < 80; });
addEventListener('resize', follow);
function say(who, text, kind) {
  const box = document.createElement('div'); box.className = 'said ' + kind;
  const name = document.createElement('span'); name.className = 'who'; name.textContent = who;
  const words = document.createElement('span'); words.textContent = text;
  box.append(name, words); $('talk').append(box); follow(); return words;
}
function show(event) {
  const one = event.agent ? lane(event.agent) : undefined;
  if (event.type === 'agent-start') { one.box.classList.add('on'); one.text = ''; one.words = say(event.agent, '', 'agent'); }
  if (event.type === 'text-delta') { one.text += event.text; one.now.textContent = one.text.slice(-80); if (one.words) one.words.textContent += event.text; }
  if (event.type === 'call-start') { one.now.textContent = '→ ' + event.name + ' ' + JSON.stringify(event.input); if (one.words) one.words.textContent = (one.words.textContent + '\\n' + one.now.textContent + '\\n').trimStart(); }
  if (event.type === 'call-end') one.now.textContent = (event.failed ? '✗ ' : '✓ ') + event.name + (event.exitCode > 0 ? ' exit ' + event.exitCode : '');
  if (event.type === 'view-ready') {
    const share = Math.max(event.messages / (event.max.messages ?? Infinity), event.tokens / (event.max.tokens ?? Infinity));
    one.gauge.value = share;
    one.size.textContent = event.messages + ' messages, ' + (event.estimated ? '~' : '') + Math.round(event.tokens) + ' tokens, ' + Math.round(100 * share) + '%' + (one.folds ? ', ' + one.folds + ' folds' : '');
  }
  if (event.type === 'fold-end') one.folds++;
  if (event.type === 'usage-report') { one.spent += event.cost || 0; one.cost.textContent = '$' + one.spent.toFixed(4); }
  if (event.type === 'agent-end') { one.box.classList.remove('on'); if (event.error) one.now.textContent = event.error; if (one.words && !one.words.textContent) one.words.parentElement.remove(); }
  if (event.type === 'hand-off') state(event.from + ' → ' + event.to);
  if (event.type === 'history-append') $('sum').textContent = 'history: ' + event.after + ' messages' + (event.after < event.grown ? ' (pruned from ' + event.grown + ')' : '');
  if (event.type === 'result') {
    const { result } = event; history = result.history; state(result.status);
    if (result.reason) say('crew', result.reason, 'wrong');
  }
  follow();
}
function state(text) { $('status').textContent = text; }
function settle() {
  busy = false; $('stop').hidden = true; $('send').hidden = false;
  for (const one of lanes.values()) { one.box.classList.remove('on'); if (one.words && !one.words.textContent) one.words.parentElement.remove(); one.words = undefined; }
  $('input').focus();
}
async function read(response) {
  let rest = '', over = false;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ done: true }));
    if (done) return over;
    rest += value;
    for (let at; (at = rest.indexOf('\\n\\n')) >= 0; rest = rest.slice(at + 2)) {
      const lines = rest.slice(0, at).split('\\n');
      const of = (name) => lines.filter((line) => line.startsWith(name + ': ')).map((line) => line.slice(name.length + 2)).join('\\n');
      last = of('id') || last;
      if (!of('data')) continue;
      const data = JSON.parse(of('data'));
      if (of('event') === 'problem') { say('server', data.detail, 'wrong'); state('failed'); over = true; } else show(data);
      if (data.type === 'result') over = true;
    }
  }
}
async function send(text) {
  busy = true; last = ''; leave = new AbortController(); state('working'); $('send').hidden = true; $('stop').hidden = false; $('stop').disabled = false;
  atEnd = true;
  const mine = say('you', text, 'user');
  const refused = (response, problem) => {
    state('refused'); say('server', problem.detail, 'wrong');
    if (response.status === 401) { token = prompt('Server token') || ''; sessionStorage.setItem('token', token); }
    // A refused message can be sent again.
    if (!last) { mine.parentElement.classList.add('unheard'); if (!$('input').value) $('input').value = text; }
  };
  try {
    let response = await asked('/api/crew/stream', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ input: text, history }), signal: leave.signal });
    for (;;) {
      if (!response.ok) { refused(response, await response.json()); break; }
      if (await read(response)) break;
      if (!last || leave.signal.aborted) { state(leave.signal.aborted ? 'cancelled' : 'disconnected'); break; }
      state('reconnecting');
      response = await asked('/api/crew/stream', { headers: { 'last-event-id': last }, signal: leave.signal });
    }
  } catch (error) {
    if (leave.signal.aborted) state('cancelled'); else { say('server', 'The server cannot be reached: ' + error.message, 'wrong'); state('failed'); }
  }
  settle();
}
// The server cancels the request and says so in the stream; if it cannot be reached, disconnecting cancels it.
$('stop').addEventListener('click', async () => {
  $('stop').disabled = true; state('stopping');
  const told = last && await asked('/api/crew/stream', { method: 'DELETE', headers: { 'last-event-id': last } }).catch(() => undefined);
  if (!told || !told.ok) leave.abort();
});
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault(); const text = $('input').value; if (busy || !text.trim()) return; $('input').value = ''; send(text);
});
$('input').addEventListener('keydown', (event) => { if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); document.querySelector('form').requestSubmit(); } });
asked('/api/crew').then(async (response) => { if (response.ok) for (const { name } of (await response.json()).agents) lane(name); });
`;

/** The page at `/` for talking to the crew and watching its agents. It has no dependencies and loads nothing else. */
export const PAGE = `${HEAD}${SCRIPT}</script></body></html>\n`;

/** The only script that the browser may run. */
export const SCRIPT_HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;
