import { maskPrivateKeys } from './private-keys.ts';

/** Letters and digits without a break: no name in code has so many of them behind such a prefix. */
const PLAIN = '[A-Za-z\\d]{20,400}';
/** With hyphens and underscores, and parts behind dots. */
const PARTS = '[\\w-]{16,400}(?:\\.[\\w-]{1,400}){0,4}';

/**
 * Key formats of well-known vendors as of mid-2026: the vendor, and the pattern. Each has a prefix that
 * nothing else has; each repetition is bounded, so that any text is read in linear time.
 */
const FORMS: readonly (readonly [maker: string, form: string])[] = [
  ['Anthropic', `sk-ant-${PARTS}`],
  // Many makers' own: a digit, and an unbroken run, or it is a name such as sk-toggleable-content-2.
  [
    'OpenAI, OpenRouter, DeepSeek, Stripe, Clerk …',
    `[spr]k[-_](?=[\\w-]{0,40}?[A-Za-z\\d]{12})(?=[\\w-]{0,60}\\d)${PARTS}`,
  ],
  ['xAI, Groq, Perplexity, Cerebras', `(?:xai-|gsk_|pplx-|csk-)${PLAIN}`],
  ['Stripe and others: webhooks', `whsec_${PLAIN}`],
  ['Hugging Face', `(?:hf|api_org)_${PLAIN}`],
  ['Replicate, Fireworks, Together', `(?:r8|fw|tgp_v1)_${PLAIN}`],
  ['NVIDIA, Tavily, Jina, Pinecone, LangSmith, W&B', `(?:nvapi-|tvly-|jina_|pcsk_|lsv2_[ps][kt]_|wandb_v1_)${PARTS}`],
  ['Google: key, new key', 'AIza[\\w-]{30,60}|AQ\\.A[\\w-]{30,200}'],
  ['Google: access, refresh, client secret', `ya29\\.${PARTS}|1\\/\\/0[\\w-]{30,200}|GOCSPX-[\\w-]{20,60}`],
  ['GitHub', `gh[pousr]_${PARTS}|github_pat_${PARTS}`],
  ['GitLab', `gl(?:pat|ptt|rtr?|cbt|dt|ft|soat|imt|ffct|agent|oas|wt)-${PARTS}|GR1348941[\\w-]{20,60}`],
  ['Slack', `(?:xox[a-z]|xoxe\\.xox[bp]|xapp)-${PARTS}`],
  ['Slack, Discord, Teams: webhooks', 'hooks\\.slack\\.com\\/(?:services|workflows|triggers)\\/[\\w/+-]{20,200}'],
  ['Discord: webhook', 'discord(?:app)?\\.com\\/api\\/webhooks\\/\\d{5,25}\\/[\\w-]{20,200}'],
  ['Discord: bot', '[MNO][A-Za-z\\d]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}'],
  ['Telegram, also in its addresses', '(?:bot)?\\d{8,12}:AA[\\w-]{32,40}'],
  ['Twilio, SendGrid', `SK[\\da-f]{32}\\b|SG\\.${PARTS}`],
  [
    'Mailgun, Mailchimp, Brevo, Resend',
    'key-[\\da-f]{32}\\b|[\\da-f]{32}-us\\d{1,2}\\b|xkeysib-[\\w-]{32,120}|re_[A-Za-z\\d]{6,10}_[A-Za-z\\d]{20,40}',
  ],
  ['AWS: key id', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z\\d]{16}\\b'],
  ['AWS: session token', '(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[\\w+/=%-]{40,4000}'],
  ['AWS: Bedrock', '(?:ABSK|bedrock-api-key-)[\\w+/=]{40,4000}'],
  ['Azure: app secret', '[\\w~.]{3}\\dQ~[\\w~.-]{31,40}'],
  ['Azure: AI services, DevOps', '[A-Za-z\\d]{40,80}(?:JQQJ99|AZDO)[A-Za-z\\d]{4,40}'],
  ['Alibaba, Tencent', '(?:LTAI[A-Za-z\\d]{16,24}|AKID[A-Za-z\\d]{28,40})\\b'],
  ['DigitalOcean', 'do[opr]_v1_[\\da-f]{32,80}'],
  ['Cloudflare', `cf(?:k|ut|at)_${PLAIN}|v1\\.0-[\\da-f]{24}-[\\da-f]{100,200}`],
  ['Vercel, Netlify, Supabase', `(?:vc[aciprk]|nf[pcoub]|sbp|sb_secret)_${PLAIN}`],
  ['Fly, Heroku, PlanetScale', `(?:fo1_|fm[12][ar]?_|HRKU-|pscale_(?:tkn|oauth|pw)_)[\\w+/=-]{20,1000}`],
  ['Sentry', 'sntry[su]_[\\w+/=-]{20,600}'],
  [
    'npm, PyPI, RubyGems, crates.io',
    `npm_${PLAIN}|pypi-AgE[\\w-]{40,1000}|rubygems_[\\da-f]{40,60}|cio[A-Za-z\\d]{32}\\b`,
  ],
  ['Docker, JFrog', `dckr_[po]at_${PARTS}|(?:AKCp|cmVmd)[A-Za-z\\d]{55,80}`],
  ['HashiCorp', `hv[sbr]\\.[\\w-]{20,400}|[A-Za-z\\d]{14}\\.atlasv1\\.[\\w-]{40,100}`],
  ['Databricks, Doppler, Pulumi', `dapi[\\da-f]{32}|dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{20,80}|pul-[\\da-f]{40}`],
  [
    'Grafana, New Relic, Dynatrace',
    `(?:glc|glsa)_[\\w+/=]{30,400}|NRAK-[A-Z\\d]{20,40}|dt0c01\\.[A-Z\\d]{24}\\.[A-Z\\d]{64}`,
  ],
  [
    'Linear, Notion, Figma, Airtable, Postman',
    `lin_(?:api|oauth)_${PLAIN}|(?:ntn|secret)_(?=[A-Za-z]{0,40}\\d)${PLAIN}|fig[du]_[\\w-]{30,80}|pat[A-Za-z\\d]{14}\\.[\\da-f]{64}|PMAK-[\\da-f-]{40,80}`,
  ],
  ['Atlassian', 'AT(?:ATT3|CTT3|BB)[\\w=-]{24,300}'],
  ['Shopify, Square', 'shp(?:at|ca|pa|ss)_[\\da-fA-F]{32}|EAAA[\\w-]{50,80}|sq0[a-z]{3}-[\\w-]{22,60}'],
  ['1Password, Tailscale, age', `ops_eyJ[\\w+/=]{100,2000}|tskey-${PARTS}|AGE-SECRET-KEY-1[A-Z\\d]{50,70}`],
  ['JSON Web Tokens, signed or encrypted', 'eyJ[A-Za-z\\d_]{10,2000}(?:\\.[\\w-]{0,4000}){2,4}'],
];

/** Any of them, at the start of a word. */
const KEY_FORM: RegExp = new RegExp(`\\b(?:${FORMS.map(([, form]) => form).join('|')})`, 'g');

const NAMES =
  '(?:api|access|account|private|signing|encryption)[_-]?key|secret|token(?!s\\b)|passw(?:or)?d|passphrase|_pass|_pwd|_auth|credential';
/** Suffixes that make such a word harmless: tokenizer, token_type, secretName. */
const HARMLESS =
  '(?!i[sz]|s?[_-]?(?:id|ids|name|type|kind|url|uri|path|file|dir|count|limit|ttl|expir[a-z]*|hash|version|length|size|usage|model|arn|ref|budget|policy|manager)\\b)';
/** A value, as long as possible. Without a digit and a letter, or as a path, it is more likely code or prose. */
const VALUE =
  '(?![\\w.-]{0,80}\\/[\\w./-]{0,80}\\.\\w)(?=[^\\s"\'\\\\,;(){}<>[\\]]{0,80}\\d)(?=[^\\s"\'\\\\,;(){}<>[\\]]{0,80}[a-z])[^\\s"\'\\\\,;(){}<>[\\]]{8,4000}';
/** A value in a place where only a secret can be; a variable reference is not a secret. */
const ANY = '(?![<[{$%*])[^\\s"\'\\\\,;&#<>]{3,4000}';

/** Text that announces a secret: the first group is that text, which is kept. */
const PLACES: readonly RegExp[] = [
  // API_KEY=…, "password": "…", token: …
  `((?:${NAMES})${HARMLESS}[\\w-]{0,30}\\\\?["']?\\s{0,3}(?:[:=]|=>)\\s{0,3}\\\\?["']?)${VALUE}`,
  `(\\b(?:bearer|basic)\\s{1,3})${VALUE}`,
  // Headers: Authorization: Bearer …
  `(\\bauthorization\\\\?["']?\\s{0,3}[:=]\\s{0,3}\\\\?["']?(?:bearer|basic|digest|token|apikey|negotiate)\\s{1,3})(?!(?:your|my)[_-])(?=\\S{8})${ANY}`,
  // Signed addresses, connection strings, curl, netrc, docker
  `([?&](?:password|passwd|pwd|secret|client_secret|token|access_token|api_?key|key|sig|signature|x-amz-signature|x-amz-security-token)=)(?=\\S{6})${ANY}`,
  `(;\\s?(?:password|pwd)=)${ANY}`,
  `(\\bcurl\\b[^\\n]{0,300}?\\s(?:-u|--user)[ =]{1,2}["']?[^\\s:"'$]{1,64}:)${ANY}`,
  `(\\blogin\\s{1,3}\\S{1,100}\\s{1,20}password\\s{1,3})${ANY}`,
  `("auth"\\s{0,3}:\\s{0,3}")[A-Za-z\\d+/=]{12,400}(?=")`,
  // gpg --show-session-key
  `(\\bsession key: ["'\`]?\\d{1,2}:)[\\dA-F]{32,128}`,
].map((place) => new RegExp(place, 'gi'));

/** The values in a header with cookies. */
const COOKIES =
  /(\b(?:set-)?cookie2?\\?["']?\s{0,3}[:=]\s{0,3}\[?\s{0,3}\\?["']?)([\w.!#$%&*+^|~-]{1,100}=[^\r\n"'\\]{1,8000})/gi;
const COOKIE = /([\w.!#$%&*+^|~-]{1,100}=)(?![<[{$%*])([^;\s]{3,4000})/g;
const COOKIE_ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version|comment)=/i;

/** The password in a URL: `postgres://user:password@host`. A variable reference is not a password. */
const IN_ADDRESS =
  /(\b[a-z][a-z\d+.-]{1,30}:\/\/[^\s/:@?#"'<>]{0,60}:)(?!\$\{|\$\w{1,40}@|[{<[])([^\s/"'<>]{1,200})@/gi;

const MASKED = '[masked]';
const STARS = '***';

/** What a secret is replaced with: itself, and what usually takes its place. */
export type SecretMask = (secret: string, usual: string) => string;

/**
 * The text with all that looks like a key, a token or a password masked, as usual or by `mask`. Pure; linear; never longer
 * and idempotent with the usual mask. No promise to find every one.
 */
export function maskSecrets(text: string, mask: SecretMask = (_, usual) => usual): string {
  const masked = (secret: string) => mask(secret, secret.length < MASKED.length ? starred(secret) : MASKED);
  const keys = maskPrivateKeys(text, masked).replace(KEY_FORM, (key) => masked(key));
  return PLACES.reduce(
    (rest, place) => rest.replace(place, (all, before: string) => before + masked(all.slice(before.length))),
    keys,
  )
    .replace(
      COOKIES,
      (_, before: string, all: string) =>
        before +
        all.replace(COOKIE, (pair, name: string, value: string) =>
          COOKIE_ATTRIBUTE.test(pair) ? pair : name + masked(value),
        ),
    )
    .replace(IN_ADDRESS, (_, before: string, password: string) => `${before}${mask(password, starred(password))}@`);
}

function starred(secret: string): string {
  return STARS.slice(0, secret.length);
}
