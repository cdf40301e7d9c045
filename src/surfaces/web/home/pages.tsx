import { Hono } from 'hono'
import { isInstallationSetUp } from '../../../domains/sign-in/setup.ts'
import { LinkButton } from '../components/forms.tsx'
import { ProductHomeLink, renderHtmlDocument } from '../components/layout.tsx'
import { Card, CopyableText } from '../components/parts.tsx'
import { toCachedPage, sendCachedPage } from '../public-page.ts'
import { sendPage, type WebServices, type WebEnv } from '../web.ts'
import { ExampleConversation } from './conversation.tsx'
import { HomeFooter, Screenshot, HomePageGuarantees, InstallationSteps } from './parts.tsx'

const CREATE_USER_COMMAND =
  'lanyard user create --tenant <code> --client <code> --email <you@example.org> --name "<Your Name>" --role admin'

/**
 * Instructions to create the first administrator: in production on the setup page with a one-time key; in development, where there is no
 * key, with the command line.
 */
const FirstRun = ({ production }: { production: boolean }) => (
  <Card title="Set up Lanyard">
    <div class="stack">
      {production ? (
        <>
          <p>
            No administrator exists yet. The terminal in which Lanyard was started shows a set-up key. Use it on the set-up page to create
            the first administrator.
          </p>
          <LinkButton href="/console/setup" tone="primary">
            Set up Lanyard
          </LinkButton>
        </>
      ) : (
        <>
          <p>No administrator exists yet. Create the first tenant, client and administrator in the terminal:</p>
          <CopyableText id="first-run" text={CREATE_USER_COMMAND} block />
        </>
      )}
      <p>
        <a href="/docs/operating#first-organizer">How to operate Lanyard</a>
      </p>
    </div>
  </Card>
)

const HomePage = ({ web, empty }: { web: WebServices; empty: boolean }) => (
  <div class="home">
    <header>
      <ProductHomeLink />
      <nav aria-label="Main">
        <a href="/docs">Documentation</a>
        <a href="/console">Console</a>
      </nav>
    </header>
    <main id="main">
      <div class="hero">
        <p class="eyebrow">Open source, on your own server</p>
        <h1>Your assistant runs the event. You decide.</h1>
        <p class="lead">
          Say what you need to Claude, ChatGPT or any other assistant that supports MCP. It builds registration, prices, emails and reports
          in Lanyard, under your name and with your permissions. You review every change before it is public.
        </p>
        <div class="actions">
          <LinkButton href="/console" tone="primary">
            Sign in
          </LinkButton>
          <LinkButton href="/docs/connect">Connect an assistant</LinkButton>
        </div>
      </div>
      {empty ? <FirstRun production={web.production} /> : null}
      <div class="home-show">
        <ExampleConversation />
        <Screenshot />
      </div>
      <InstallationSteps baseUrl={web.services.baseUrl} />
      <HomePageGuarantees />
    </main>
    <HomeFooter />
  </div>
)

/** `/`: the home page, which describes Lanyard. */
export function productHomePages(web: WebServices) {
  const page = (empty: boolean) => renderHtmlDocument('Event management that assistants drive', <HomePage web={web} empty={empty} />)
  return new Hono<WebEnv>().get('/', async (c) => {
    const empty = !(await isInstallationSetUp(web.services.database.read))
    // The page with the setup hint is not cached, because the hint must disappear once setup is done.
    return empty ? sendPage(c, page(true)) : sendCachedPage(c, toCachedPage(String(await page(false)), 'text/html'))
  })
}
