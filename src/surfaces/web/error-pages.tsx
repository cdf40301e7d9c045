import type { MiddlewareHandler } from 'hono'
import { LinkButton } from './components/forms.tsx'
import { htmlDocument, FocusPage } from './components/layout.tsx'
import { Card } from './components/parts.tsx'
import { wordsFor } from './language/visitor.ts'
import { sendPage, type Web, type WebContext, type WebEnv } from './web.ts'

/** Whether the client is a browser; other clients get JSON. */
export const acceptsHtml = (c: WebContext) => /\btext\/html\b/.test(c.req.header('accept') ?? '')

/** The response is identical for records that do not exist and records of another client, so that it reveals nothing. */
export function sendNotFoundPage(web: Web, c: WebContext) {
  const words = wordsFor(web, c)
  const { say } = words
  const foot = (
    <>
      <a href="/docs">{say('page.documentation')}</a> · <a href="/console">{say('page.console')}</a>
    </>
  )
  const page = (
    <FocusPage foot={foot}>
      <Card>
        <h1>{say('notFound.heading')}</h1>
        <p class="muted">{say('notFound.text')}</p>
        <div class="actions">
          <LinkButton href="/" tone="primary">
            {say('page.toStart')}
          </LinkButton>
        </div>
      </Card>
    </FocusPage>
  )
  return sendPage(c, htmlDocument(say('notFound.title'), page, { words }), 404)
}

/** PostgreSQL rejects NUL, and no path contains one. Query parameters are cleaned where they are read. */
export const rejectNul =
  (web: Web): MiddlewareHandler<WebEnv> =>
  async (c, next) =>
    new URL(c.req.url).pathname.includes('%00') ? sendNotFoundPage(web, c) : next()

/** For a link that was valid but has expired. */
export function sendExpiredPage(web: Web, c: WebContext) {
  const words = wordsFor(web, c)
  const { say } = words
  const page = (
    <FocusPage foot={<a href="/">{say('page.toStart')}</a>}>
      <Card>
        <h1>{say('expired.heading')}</h1>
        <p>{say('expired.text')}</p>
      </Card>
    </FocusPage>
  )
  return sendPage(c, htmlDocument(say('expired.title'), page, { words }), 410)
}

export function sendFailurePage(web: Web, c: WebContext, reference: string) {
  const words = wordsFor(web, c)
  const { say } = words
  const page = (
    <FocusPage foot={<a href="/">{say('page.toStart')}</a>}>
      <Card>
        <h1>{say('failed.title')}</h1>
        <p>{say('failed.text', { reference })}</p>
      </Card>
    </FocusPage>
  )
  return sendPage(c, htmlDocument(say('failed.title'), page, { words }), 500)
}
