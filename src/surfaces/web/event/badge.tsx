import { eventOfBadge } from '../../../domains/registration/found-badge.ts'
import { LinkButton } from '../components/forms.tsx'
import { showMissing } from '../lost.tsx'
import type { Web, WebContext } from '../web.ts'
import { eventPagesOf, Narrow, showAt, whenAndWhere } from './frame.tsx'
import { placeNamed } from './place.ts'

const LONGEST = 64

/** `/b/<badgeId>`: what a badge says to whoever points a telephone at it. Of which event it is, and of nobody. */
export function badgePages(web: Web) {
  const page = async (c: WebContext) => {
    const badgeId = c.req.param('badgeId') ?? ''
    const event = badgeId.length <= LONGEST ? await eventOfBadge(web.road.database.pool, badgeId.toLowerCase()) : null
    const place = event && (await placeNamed(web, c, event))
    if (!place) return showMissing(web, c)
    const { say } = place.words
    const { name, contactEmail } = place.config.details
    const title = say('badge.title', { event: name })
    return showAt(
      web,
      c,
      place,
      { title, referrer: 'no-referrer' },
      <Narrow title={title}>
        <p class="muted">{whenAndWhere(place)}</p>
        <p>
          {contactEmail ? say('badge.found', { contact: contactEmail }) : say('badge.foundPlain')} {say('badge.nothing')}
        </p>
        <LinkButton href={place.paths.home}>{say('badge.toEvent')}</LinkButton>
      </Narrow>,
    )
  }
  return eventPagesOf(web).get('/b/:badgeId', page)
}
