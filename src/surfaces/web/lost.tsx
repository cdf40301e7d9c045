import type { MiddlewareHandler } from 'hono'
import { LinkButton } from './components/forms.tsx'
import { document, FocusPage } from './components/layout.tsx'
import { Card } from './components/parts.tsx'
import { wordsFor } from './language/visitor.ts'
import { show, type Web, type WebContext, type WebEnv } from './web.ts'

/** Whether a person looks at the answer; programs are answered in JSON. */
export const forPeople = (c: WebContext) => /\btext\/html\b/.test(c.req.header('accept') ?? '')

/** The same for what never was and for what somebody else owns. */
export function showMissing(web: Web, c: WebContext) {
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
        <h1>{say('missing.heading')}</h1>
        <p class="muted">{say('missing.text')}</p>
        <div class="actions">
          <LinkButton href="/" tone="primary">
            {say('page.toStart')}
          </LinkButton>
        </div>
      </Card>
    </FocusPage>
  )
  return show(c, document(say('missing.title'), page, { words }), 404)
}

/** No path of ours has a NUL in it, and the database takes none. What is searched for is cleaned where it is read. */
export const refuseNul =
  (web: Web): MiddlewareHandler<WebEnv> =>
  async (c, next) =>
    new URL(c.req.url).pathname.includes('%00') ? showMissing(web, c) : next()

/** A link that was good once. */
export function showExpired(web: Web, c: WebContext) {
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
  return show(c, document(say('expired.title'), page, { words }), 410)
}

export function showFailed(web: Web, c: WebContext, reference: string) {
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
  return show(c, document(say('failed.title'), page, { words }), 500)
}
