import { findEventOfBadge } from '../../../domains/registration/find/find-event-of-badge.ts'
import { LinkButton } from '../components/forms.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import type { WebServices, WebContext } from '../web.ts'
import { createEventRouter, NarrowPage, showEventPage, formatDatesAndVenue } from './event-layout.tsx'
import { findEventSiteByCodes } from './event-site.ts'

const MAX_BADGE_ID_LENGTH = 64

/** `/b/<badgeId>`: the page behind a badge's QR code. Shows which event the badge belongs to and no personal data. */
export function badgePages(web: WebServices) {
  const page = async (c: WebContext) => {
    const badgeId = c.req.param('badgeId') ?? ''
    const event = badgeId.length <= MAX_BADGE_ID_LENGTH ? await findEventOfBadge(web.services.database.pool, badgeId.toLowerCase()) : null
    const site = event && (await findEventSiteByCodes(web, c, event))
    if (!site) return sendNotFoundPage(web, c)
    const { say } = site.words
    const { name, contactEmail } = site.config.details
    const title = say('badge.title', { event: name })
    return showEventPage(
      web,
      c,
      site,
      { title, referrer: 'no-referrer' },
      <NarrowPage title={title}>
        <p class="muted">{formatDatesAndVenue(site)}</p>
        <p>
          {contactEmail ? say('badge.found', { contact: contactEmail }) : say('badge.foundPlain')} {say('badge.privacy')}
        </p>
        <LinkButton href={site.paths.home}>{say('badge.toEvent')}</LinkButton>
      </NarrowPage>,
    )
  }
  return createEventRouter(web).get('/b/:badgeId', page)
}
