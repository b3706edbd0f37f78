import { useState } from 'preact/hooks';
import type { ServerInfo } from '../../src/api/types.ts';
import { ComparePage } from '../compare/compare-page.tsx';
import { CrewPage } from '../crew/crew-page.tsx';
import { FoldPage } from '../fold/fold-page.tsx';
import { Empty, Loading, Problem } from '../parts/state.tsx';
import { SessionPage } from '../session/session-page.tsx';
import { SessionsPage } from '../sessions/sessions-page.tsx';
import { hasToken, setToken } from './api.ts';
import { useConnected } from './events.ts';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { useResource } from './resource.ts';
import { href, type Route, useRoute } from './route.ts';
import { switchTheme } from './theme.ts';
import { ThemeButton } from './theme-button.tsx';

/** The application: a bar, and the page that the address names. */
export function App() {
  const route = useRoute();
  const info = useResource<ServerInfo>('info');
  const [hasHelp, setHelp] = useState(false);
  useKeys({ '?': () => setHelp(true), t: switchTheme });
  const isConnected = useConnected();
  const hasCrew = info.data?.crew !== undefined;
  const isCrew = route.parts[0] === 'crew' || (hasCrew && route.parts.length === 0);
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the page
      </button>
      <header class="bar">
        <a class="brand" href={href([])}>
          Holdfast
        </a>
        <nav aria-label="Pages">
          {hasCrew && (
            <a href={href(['crew'])} aria-current={isCrew ? 'page' : undefined}>
              Crew
            </a>
          )}
          <a href={href(['sessions'])} aria-current={!isCrew ? 'page' : undefined}>
            Sessions
          </a>
        </nav>
        <div class="end">
          <button type="button" aria-label="Keys" onClick={() => setHelp(true)}>
            ?
          </button>
          <ThemeButton />
        </div>
      </header>
      <p class="lost" role="status">
        {isConnected ? '' : 'The server cannot be reached. What you see may be out of date; connecting again…'}
      </p>
      <main id="main" tabIndex={-1}>
        {info.data ? (
          <Page route={route} info={info.data} />
        ) : (
          <div class="page">
            {info.status === 401 ? (
              <TokenForm done={info.reload} />
            ) : info.error !== undefined ? (
              <Problem error={info.error} retry={info.reload} />
            ) : (
              <Loading what="the inspector" />
            )}
          </div>
        )}
      </main>
      {hasHelp && <Help close={() => setHelp(false)} />}
    </>
  );
}

function Page({ route: { parts, query }, info }: { readonly route: Route; readonly info: ServerInfo }) {
  const [place = info.crew ? 'crew' : 'sessions', id, what, number] = parts;
  if (place === 'sessions') return <SessionsPage info={info} query={query} />;
  if (place === 'crew' && (info.crew || id !== undefined)) return <CrewPage crew={info.crew} id={id} />;
  if (place === 's' && id !== undefined) {
    if (what === undefined) return <SessionPage id={id} info={info} query={query} key={id} />;
    if (what === 'fold') return <FoldPage id={id} number={Number(number)} info={info} key={id} />;
    if (what === 'compare') return <ComparePage id={id} info={info} key={id} />;
  }
  return (
    <div class="page">
      <Empty title="There is no such page">
        <a href={href([])}>Go to the start</a>
      </Empty>
    </div>
  );
}

function TokenForm({ done }: { readonly done: () => void }) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setToken(String(form.get('token')));
    done();
  };
  return (
    <form class="state" onSubmit={send}>
      <h2>{hasToken() ? 'This is not the token of the server' : 'This server asks for its token'}</h2>
      <p role={hasToken() ? 'alert' : undefined}>
        Open the address that the command printed, or paste the token here. It is in{' '}
        <code>~/.holdfast/serve-token</code>, unless <code>HOLDFAST_SERVE_TOKEN</code> was set.
      </p>
      <div class="row">
        <label class="row">
          Token <input name="token" type="password" autocomplete="off" required />
        </label>
        <button class="primary" type="submit">
          Open
        </button>
      </div>
    </form>
  );
}

function skip(): void {
  document.getElementById('main')?.focus();
}
