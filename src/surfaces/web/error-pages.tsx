import type { MiddlewareHandler } from 'hono'
import type { AppError, ErrorCode } from '../../kernel/errors.ts'
import type { Translator } from '../../kernel/language/translator.ts'
import { FormActions, LinkButton } from './components/forms.tsx'
import { renderHtmlDocument } from './components/layout.tsx'
import { renderCenteredCardPage } from './components/page.tsx'
import { getVisitorTranslator } from './language/visitor.ts'
import { type PageStatusCode, sendPage, type WebServices, type WebContext, type WebEnv } from './web.ts'

/** Whether the client is a browser; other clients get JSON. */
export const acceptsHtml = (c: WebContext) => /\btext\/html\b/.test(c.req.header('accept') ?? '')

/** Sends the page for a missing record. It is identical for records of another client, so that it reveals nothing. */
export function sendNotFoundPage(web: WebServices, c: WebContext) {
  const words = getVisitorTranslator(web, c)
  const { say } = words
  const foot = (
    <>
      <a href="/docs">{say('page.documentation')}</a> · <a href="/console">{say('page.console')}</a>
    </>
  )
  const page = renderCenteredCardPage(
    { title: say('notFound.title'), heading: say('notFound.heading'), text: say('notFound.text'), foot },
    <FormActions>
      <LinkButton href="/" tone="primary">
        {say('page.toStart')}
      </LinkButton>
    </FormActions>,
  )
  return sendPage(c, renderHtmlDocument(page.title, page.content, { words }), 404)
}

/** Rejects paths with a NUL character, which PostgreSQL cannot store. Query parameters are cleaned where they are read. */
export const rejectNulInPath =
  (web: WebServices): MiddlewareHandler<WebEnv> =>
  async (c, next) =>
    new URL(c.req.url).pathname.includes('%00') ? sendNotFoundPage(web, c) : next()

/** Sends the page for a link that was valid but has expired. */
export const sendExpiredPage = (web: WebServices, c: WebContext) =>
  sendTextPage(web, c, ({ say }) => ({ title: say('expired.title'), heading: say('expired.heading'), text: say('expired.text') }), 410)

export const sendInternalErrorPage = (web: WebServices, c: WebContext, reference: string) =>
  sendTextPage(
    web,
    c,
    ({ say }) => ({ title: say('failed.title'), heading: say('failed.title'), text: say('failed.text', { reference }) }),
    500,
  )

/** Sends a page for a refused request (such as a form that is too large), if the requested page shows no message about the refusal. */
export function sendRefusedRequestPage(web: WebServices, c: WebContext, { code }: AppError) {
  const [status, text] = REFUSALS[code] ?? ([409, 'refused.text'] as const)
  return sendTextPage(web, c, ({ say }) => ({ title: say('refused.title'), heading: say('refused.title'), text: say(text) }), status)
}

const REFUSALS: Partial<Record<ErrorCode, readonly [400 | 403 | 413 | 503, 'refused.tooLarge' | 'refused.text' | 'refused.busy']>> = {
  limit_exceeded: [413, 'refused.tooLarge'],
  forbidden: [403, 'refused.text'],
  invalid_arguments: [400, 'refused.text'],
  unavailable: [503, 'refused.busy'],
}

type PageTexts = Record<'title' | 'heading' | 'text', string>

function sendTextPage(web: WebServices, c: WebContext, textsOf: (words: Translator) => PageTexts, status: PageStatusCode) {
  const words = getVisitorTranslator(web, c)
  const { text, ...head } = textsOf(words)
  const { title, content } = renderCenteredCardPage({ ...head, foot: <a href="/">{words.say('page.toStart')}</a> }, <p>{text}</p>)
  return sendPage(c, renderHtmlDocument(title, content, { words }), status)
}
