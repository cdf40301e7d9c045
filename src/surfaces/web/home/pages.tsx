import { Hono } from 'hono'
import { isSetUp } from '../../../domains/sign-in/setup.ts'
import { LinkButton } from '../components/forms.tsx'
import { Brand, document } from '../components/layout.tsx'
import { Card, Copy } from '../components/parts.tsx'
import { keepable, showKept } from '../public-page.ts'
import { show, type Web, type WebEnv } from '../web.ts'
import { Foot, Picture, Promises, Steps } from './parts.tsx'

const IN_THE_TERMINAL = 'lanyard user create --tenant <code> --client <code> --email <you@example.org> --name "<Your Name>" --role admin'

/** In production the first administrator is made on a page that the key opens; on one's own computer there is no key, and the terminal does it. */
const FirstRun = ({ production }: { production: boolean }) => (
  <Card title="Set it up">
    <div class="stack">
      {production ? (
        <>
          <p>
            Nobody is here yet. The terminal in which Lanyard was started shows a set-up key; it opens the page that makes the first
            administrator.
          </p>
          <LinkButton href="/console/setup" tone="primary">
            Set up Lanyard
          </LinkButton>
        </>
      ) : (
        <>
          <p>Nobody is here yet. Make the first tenant, client and administrator in the terminal:</p>
          <Copy id="first-run" text={IN_THE_TERMINAL} block />
        </>
      )}
      <p>
        <a href="/docs/operating#first-organizer">How to operate Lanyard</a>
      </p>
    </div>
  </Card>
)

const HomePage = ({ web, empty }: { web: Web; empty: boolean }) => (
  <div class="home">
    <header>
      <Brand />
      <nav aria-label="Main">
        <a href="/docs">Documentation</a>
        <a href="/console">Console</a>
      </nav>
    </header>
    <main id="main">
      <div class="hero">
        <h1>Event management that assistants drive</h1>
        <p class="lead">
          Organizers connect the assistant they already use. It works on their events as them: the same events, the same permissions, every
          change under their name.
        </p>
        <div class="actions">
          <LinkButton href="/console" tone="primary">
            Sign in
          </LinkButton>
          <LinkButton href="/docs/connect">Connect an assistant</LinkButton>
        </div>
      </div>
      {empty ? <FirstRun production={web.production} /> : null}
      <Picture />
      <Steps baseUrl={web.road.baseUrl} />
      <Promises />
    </main>
    <Foot />
  </div>
)

/** `/`: what this is, how it looks and where to go. */
export function homePages(web: Web) {
  const page = (empty: boolean) => document('Event management that assistants drive', <HomePage web={web} empty={empty} />)
  return new Hono<WebEnv>().get('/', async (c) => {
    const empty = !(await isSetUp(web.road.database.read))
    // The hint has to go as soon as it was followed.
    return empty ? show(c, page(true)) : showKept(c, keepable(String(await page(false)), 'text/html'))
  })
}
