import { findRegistrationProgress, type RegistrationProgress } from '../../../domains/checkout/progress.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import type { Actor } from '../../../kernel/context.ts'
import { toSignedInVisitorActor, findPersonSignInSession } from '../event/person.ts'
import { createPublicEventContext, type EventSite, findRequestedEvent, readEventSite } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import type { WebServices, WebContext } from '../web.ts'

export interface CurrentRegistration {
  site: EventSite
  ctx: RegistrationContext
  progress: RegistrationProgress
  actor: Actor
  /** Base path of the registration pages of this flow. */
  base: string
}

/** The registration of the browser's sign-in session, before its answers are read from the database. */
export interface BrowserSessionRegistration extends Omit<CurrentRegistration, 'progress'> {
  participantId: string
}

/** Returns the registration of the browser's sign-in session, or a redirect response. The registration is never taken from the URL. */
export async function findBrowserSessionRegistration(web: WebServices, c: WebContext): Promise<BrowserSessionRegistration | Response> {
  const event = await findRequestedEvent(web, c)
  const [site, person] = event ? await Promise.all([readEventSite(web, c, event), findPersonSignInSession(web, c, event)]) : [null, null]
  if (!site) return sendNotFoundPage(web, c)
  const base = site.paths.register(c.req.param('flow') ?? '')
  if (site.event.status === 'archived') return c.redirect(site.paths.home, 303)
  if (!person?.participantId) return c.redirect(base, 303)
  const actor = toSignedInVisitorActor(site, person.email)
  return { site, actor, base, participantId: person.participantId, ctx: createPublicEventContext(web, site, undefined, actor) }
}

/** Returns the registration that this browser is filling in, or a redirect response. */
export async function findCurrentRegistration(
  web: WebServices,
  c: WebContext,
  wanted: 'incomplete' | 'finished' = 'incomplete',
): Promise<CurrentRegistration | Response> {
  const own = await findBrowserSessionRegistration(web, c)
  if (own instanceof Response) return own
  const { site, ctx, actor, base } = own
  const progress = await findRegistrationProgress(ctx, own.participantId)
  if (!progress || progress.flow.slug !== c.req.param('flow') || progress.row.status === 'cancelled') return c.redirect(base, 303)
  // A registration that was started before the event entered or left test mode cannot be continued, so the visitor starts a new one.
  if (progress.row.status === 'incomplete' && progress.row.is_test_data !== progress.snapshot.isTest) return c.redirect(`${base}?anew`, 303)
  if (wanted === 'incomplete' && progress.row.status !== 'incomplete') return c.redirect(`${base}/done`, 303)
  if (wanted === 'finished' && progress.row.status === 'incomplete') return c.redirect(base, 303)
  return { site, ctx, progress, actor, base }
}
