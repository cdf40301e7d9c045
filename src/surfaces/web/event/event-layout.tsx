import { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { formatDateRange } from '../../../kernel/language/format.ts'
import { AppError } from '../../../kernel/errors.ts'
import { listEventPictureLinks } from '../../../domains/files/event-pictures.ts'
import { reportFailure } from '../../http/report-failure.ts'
import { getRoutePattern } from '../../http/route-pattern.ts'
import { ASSET_PATHS } from '../assets.ts'
import { ErrorSummary, type FieldErrors } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { renderHtmlDocument } from '../components/layout.tsx'
import { sendInternalErrorPage, sendNotFoundPage, sendRefusedRequestPage } from '../error-pages.tsx'
import type { FormErrors } from '../fields.ts'
import { sendPage, type WebServices, type WebContext, type WebEnv } from '../web.ts'
import { createPublicEventContext, type EventSite } from './event-site.ts'

const LOGO_URL_TTL_SECONDS = 86_400

/** The dates and venue of the event in one line. */
export function formatDatesAndVenue({ config, words }: EventSite): string {
  const { startsOn, endsOn, venue } = config.details
  const where = [venue?.name, venue?.city].filter(Boolean).join(', ')
  return [formatDateRange(words.locale, startsOn, endsOn), where].filter(Boolean).join(' · ')
}

/** The venue and its city. Phones have space for the city only. */
const BarVenue = ({ site }: { site: EventSite }) => {
  const { venue } = site.config.details
  if (!venue?.name || !venue.city) return venue ? <> · {venue.name ?? venue.city}</> : null
  return (
    <>
      {' · '}
      <span class="wide-only">{venue.name}, </span>
      {venue.city}
    </>
  )
}

interface EventBarProps {
  site: EventSite
  logo: string | undefined
  path: string
  /** A button in the fixed bar, for visitors who have scrolled past the same button on the page. */
  action: Child
}

const EventBar = ({ site, logo, path, action }: EventBarProps) => (
  <header class="event-bar">
    <div>
      <a class="who" href={site.paths.home}>
        {logo ? <img class="logo" src={logo} alt="" /> : null}
        <span>
          <strong lang={site.langOf(site.config.details.name)}>{site.config.details.name}</strong>
          <small>
            {formatDateRange(site.words.locale, site.config.details.startsOn, site.config.details.endsOn)}
            <BarVenue site={site} />
          </small>
        </span>
      </a>
      {action}
      {site.languages.length > 1 ? (
        <nav class="languages" aria-label={site.words.say('event.languages')}>
          {site.languages.map((locale) => (
            <a
              href={`${path}?lang=${locale}`}
              lang={locale}
              hreflang={locale}
              aria-current={locale === site.words.locale ? 'true' : undefined}
            >
              {locale.split('-')[0]}
            </a>
          ))}
        </nav>
      ) : null}
    </div>
  </header>
)

const Foot = ({ site, links }: { site: EventSite; links: Child }) => {
  const { contactEmail, website } = site.config.details
  return (
    <footer class="site-foot">
      <div>
        {links}
        {website ? <a href={website}>{site.words.say('mail.website')}</a> : null}
        {contactEmail ? <a href={`mailto:${contactEmail}`}>{contactEmail}</a> : null}
        <span class="by">
          {site.client.name} · <a href="/">Lanyard</a>
        </span>
      </div>
    </footer>
  )
}

/** The link above the heading that leads to the parent page. */
export const BackLink = ({ href, children }: { href: string; children?: Child }) => (
  <a class="tap back" href={href}>
    {children}
  </a>
)

interface ColumnProps {
  title: string
  /** The introduction below the title. */
  text?: Child
  formErrors?: FormErrors | null | undefined
  children?: Child
}

/** A narrow event page with one card. */
export const NarrowPage = ({ title, text, formErrors, children }: ColumnProps) => (
  <div class="checkout narrow">
    <Card>
      <div class="stack">
        <h1>{title}</h1>
        {text ? <p class="muted">{text}</p> : null}
        <ErrorSummary {...formErrors} />
        {children}
      </div>
    </Card>
  </div>
)

/** The main column of a page: heading, introduction, error summary and content. */
export const MainColumn = ({ title, text, formErrors, children }: ColumnProps) => (
  <div class="checkout-main">
    <h1>{title}</h1>
    {text ? <p class="lead">{text}</p> : null}
    <ErrorSummary {...formErrors} />
    {children}
  </div>
)

/** The errors of a form with a summary in the visitor's language; null without errors. */
export const toFormErrors = ({ words }: EventSite, errors: FieldErrors, message?: string): FormErrors | null =>
  message !== undefined || errors.length > 0 ? { message: message ?? words.say('error.summary'), errors } : null

interface EventPage {
  title: string
  status?: 200 | 400 | 401 | 403 | 404 | 410 | 429
  /** `no-referrer` for pages with a token in their URL, so that linked sites do not receive the token. */
  referrer?: 'same-origin' | 'no-referrer'
  /** Whether the form redirects to the payment provider's site. */
  leavesSite?: boolean
  head?: Child
  /** A button in the bar at the top. */
  action?: Child
  /** The navigation between the pages of one area, such as the exhibitor portal, below the bar at the top. */
  nav?: Child
  /** Further links in the footer. */
  foot?: Child
}

/** Renders a page in the event's layout, with its name, dates and venue at the top. */
export async function showEventPage(
  web: WebServices,
  c: WebContext,
  site: EventSite,
  { title, status, referrer, leavesSite, head, action = null, nav = null, foot = null }: EventPage,
  body: Child,
) {
  const { logoFileId } = site.config.theme
  const pictures = await listEventPictureLinks(createPublicEventContext(web, site), logoFileId ? [logoFileId] : [], LOGO_URL_TTL_SECONDS)
  const page = renderHtmlDocument(
    title,
    <>
      <EventBar site={site} logo={pictures.get(logoFileId ?? '')} path={c.req.path} action={action} />
      {nav}
      <main id="main">
        {site.facts.testMode ? <Notice tone="warning">{site.words.say('event.testMode')}</Notice> : null}
        {body}
      </main>
      <Foot site={site} links={foot} />
    </>,
    { words: site.words, theme: site.theme, styles: ASSET_PATHS.eventStyles, site: site.config.details.name, head },
  )
  return sendPage(c, page, status, {
    framedBy: site.embedHosts,
    ...(referrer ? { referrer } : {}),
    ...(leavesSite ? { formAction: false } : {}),
  })
}

/** Router for event pages, with shared error pages for missing records, refused requests and unexpected errors. */
export function createEventRouter(web: WebServices) {
  const pages = new Hono<WebEnv>()
  pages.onError((error, c) => {
    if (error instanceof AppError && error.code === 'not_found') return sendNotFoundPage(web, c)
    if (error instanceof AppError && error.code !== 'internal') return sendRefusedRequestPage(web, c, error)
    return sendInternalErrorPage(web, c, reportFailure(web.services, { route: getRoutePattern(c) }, error))
  })
  return pages
}
