import { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { formatDays } from '../../../kernel/language/format.ts'
import { AppError } from '../../../kernel/errors.ts'
import { eventPictures } from '../../../domains/files/event-pictures.ts'
import { reportFailure } from '../../http/report-failure.ts'
import { routePattern } from '../../http/route-pattern.ts'
import { ASSETS } from '../assets.ts'
import { Card, Notice } from '../components/parts.tsx'
import { document } from '../components/layout.tsx'
import { showFailed, showMissing } from '../lost.tsx'
import { show, type Web, type WebContext, type WebEnv } from '../web.ts'
import { contextAt, type Place } from './place.ts'

const PICTURES_FOR_SECONDS = 86_400

/** When and where, in one line. */
export function whenAndWhere({ config, words }: Place): string {
  const { startsOn, endsOn, venue } = config.details
  const where = [venue?.name, venue?.city].filter(Boolean).join(', ')
  return [formatDays(words.locale, startsOn, endsOn), where].filter(Boolean).join(' · ')
}

const EventBar = ({ place, logo, path }: { place: Place; logo: string | undefined; path: string }) => (
  <header class="event-bar">
    <div>
      <a class="who" href={place.paths.home}>
        {logo ? <img class="logo" src={logo} alt="" /> : null}
        <span>
          <strong>{place.config.details.name}</strong>
          <small>{whenAndWhere(place)}</small>
        </span>
      </a>
      {place.facts.locales.length > 1 ? (
        <nav class="languages" aria-label={place.words.say('event.languages')}>
          {place.facts.locales.map((locale) => (
            <a
              href={`${path}?lang=${locale}`}
              lang={locale}
              hreflang={locale}
              aria-current={locale === place.words.locale ? 'true' : undefined}
            >
              {locale.split('-')[0]}
            </a>
          ))}
        </nav>
      ) : null}
    </div>
  </header>
)

const Foot = ({ place }: { place: Place }) => {
  const { contactEmail, website } = place.config.details
  return (
    <footer class="site-foot">
      <div>
        {website ? <a href={website}>{place.words.say('mail.website')}</a> : null}
        {contactEmail ? <a href={`mailto:${contactEmail}`}>{contactEmail}</a> : null}
        <span class="by">
          {place.client.name} · <a href="/">Lanyard</a>
        </span>
      </div>
    </footer>
  )
}

/** One thing to read or to fill in. */
export const Narrow = ({ title, children }: { title: string; children?: Child }) => (
  <div class="checkout narrow">
    <Card>
      <div class="stack">
        <h1>{title}</h1>
        {children}
      </div>
    </Card>
  </div>
)

interface EventPage {
  title: string
  status?: 200 | 400 | 401 | 403 | 404 | 410 | 429
  /** A page with a token in its address passes it on to nobody. */
  referrer?: 'same-origin' | 'no-referrer'
  /** A form that ends at a card processor's page. */
  leavesSite?: boolean
  head?: Child
}

/** Puts a page into the event's own frame: its name, dates and place never leave the screen. */
export async function showAt(web: Web, c: WebContext, place: Place, { title, status, referrer, leavesSite, head }: EventPage, body: Child) {
  const { logoFileId } = place.config.theme
  const pictures = await eventPictures(contextAt(web, place), logoFileId ? [logoFileId] : [], PICTURES_FOR_SECONDS)
  const page = document(
    title,
    <>
      <EventBar place={place} logo={pictures.get(logoFileId ?? '')} path={c.req.path} />
      <main id="main">
        {place.facts.testMode ? <Notice tone="warning">{place.words.say('event.testMode')}</Notice> : null}
        {body}
      </main>
      <Foot place={place} />
    </>,
    { words: place.words, theme: place.theme, styles: ASSETS.eventStyles, site: place.config.details.name, head },
  )
  return show(c, page, status, {
    framedBy: place.embedHosts,
    ...(referrer ? { referrer } : {}),
    ...(leavesSite ? { formAction: false } : {}),
  })
}

/** Pages of events, with one answer for what there is not and for what fails. */
export function eventPagesOf(web: Web) {
  const pages = new Hono<WebEnv>()
  pages.onError((error, c) => {
    if (error instanceof AppError && error.code === 'not_found') return showMissing(web, c)
    return showFailed(web, c, reportFailure(web.road, { route: routePattern(c) }, error))
  })
  return pages
}
