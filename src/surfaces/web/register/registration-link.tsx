import { findRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { readRegistrationToken } from '../../../domains/registration/own/registration-token.ts'
import { Form, Input } from '../components/forms.tsx'
import { NarrowPage, showEventPage } from '../event/event-layout.tsx'
import { createPublicEventContext, type EventSite } from '../event/event-site.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { signInAndPrefillRegistration } from './open-registration.ts'

/** Exchanges the token of an emailed link for a sign-in session and redirects, so that the token leaves the address bar. */
export async function openRegistrationLink(web: WebServices, c: WebContext, site: EventSite, token: string) {
  const flowSlug = c.req.param('flow') ?? ''
  const base = site.paths.register(flowSlug)
  const ctx = createPublicEventContext(web, site)
  const read = await readRegistrationToken(ctx, token, { audience: 'registration', eventId: site.event.id, flowSlug })
  c.header('referrer-policy', 'no-referrer')
  c.header('cache-control', 'no-store')
  if (read.state === 'expired') return showExpired(web, c, site, base)
  if (read.state === 'invalid') return c.redirect(base, 303)
  const progress = await findRegistrationProgress(ctx, read.participantId)
  if (!progress || progress.row.email === null || progress.row.status !== 'incomplete') return c.redirect(site.paths.signIn, 303)
  if (progress.row.is_test_data !== progress.snapshot.isTest) return c.redirect(base, 303)
  await signInAndPrefillRegistration(web, c, site, progress)
  return c.redirect(base, 303)
}

function showExpired(web: WebServices, c: WebContext, site: EventSite, base: string) {
  const { say } = site.words
  return showEventPage(
    web,
    c,
    site,
    { title: say('register.expired.title'), status: 410, referrer: 'no-referrer' },
    <NarrowPage title={say('register.expired.title')}>
      <p>{say('register.expired.text')}</p>
      <Form action={site.paths.signIn} csrf={getCsrfToken(web, c)} class="stack">
        <input type="hidden" name="next" value={base} />
        <Input name="email" type="email" inputmode="email" label={say('register.email')} autocomplete="email" />
        <button type="submit" class="button primary large wide">
          {say('register.expired.button')}
        </button>
      </Form>
    </NarrowPage>,
  )
}
