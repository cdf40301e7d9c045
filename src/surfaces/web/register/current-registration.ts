import { type Progress, loadProgress } from '../../../domains/checkout/progress.ts'
import type { EventScope } from '../../../domains/registration/event-snapshot.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Actor } from '../../../kernel/context.ts'
import { toPersonActor, findPersonSession } from '../event/person.ts'
import { eventContext, type EventSite, findEventSite } from '../event/event-site.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import type { WebServices, WebContext } from '../web.ts'

export interface CurrentRegistration {
  site: EventSite
  ctx: EventScope
  progress: Progress
  actor: Actor
  /** Base path of this flow's registration pages. */
  base: string
}

/**
 * The registration that this browser is filling in, or a response to redirect with. The registration comes from the session only, never
 * from the address.
 */
export async function findCurrentRegistration(
  web: WebServices,
  c: WebContext,
  wanted: 'incomplete' | 'finished' = 'incomplete',
): Promise<CurrentRegistration | Response> {
  const site = await findEventSite(web, c)
  if (!site) return sendNotFoundPage(web, c)
  const base = site.paths.register(c.req.param('flow') ?? '')
  if (site.event.status === 'archived') return c.redirect(site.paths.home, 303)
  const person = await findPersonSession(web, c, site)
  if (!person?.participantId) return c.redirect(base, 303)
  const actor = toPersonActor(site, person.email)
  const ctx = eventContext(web, site, undefined, actor)
  const progress = await findOwnProgress(ctx, person.participantId)
  if (!progress || progress.flow.slug !== c.req.param('flow') || progress.row.status === 'cancelled') return c.redirect(base, 303)
  // A registration that was started before the event entered or left test mode cannot be continued. The visitor starts again.
  if (progress.row.status === 'incomplete' && progress.row.is_test_data !== progress.snapshot.isTest) return c.redirect(`${base}?anew`, 303)
  if (wanted === 'incomplete' && progress.row.status !== 'incomplete') return c.redirect(`${base}/done`, 303)
  if (wanted === 'finished' && progress.row.status === 'incomplete') return c.redirect(base, 303)
  return { site, ctx, progress, actor, base }
}

/** Null if the flow that the registration started with no longer exists. */
export async function findOwnProgress(ctx: EventScope, participantId: string, read = loadProgress): Promise<Progress | null> {
  try {
    return await read(ctx, participantId)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
