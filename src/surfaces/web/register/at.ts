import { type Progress, progressOf } from '../../../domains/checkout/progress.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Actor } from '../../../kernel/context.ts'
import { actingAs, personAt } from '../event/person.ts'
import { contextAt, type Place, placeOf } from '../event/place.ts'
import { showMissing } from '../lost.tsx'
import type { Web, WebContext } from '../web.ts'

export interface Standing {
  place: Place
  ctx: AtEvent
  progress: Progress
  actor: Actor
  /** Where this flow is registered for. */
  base: string
}

/**
 * The registration that this browser fills in at this flow, or the answer to whoever has none. Nobody else's is ever read: the session says
 * which one it is, and nothing in the address does.
 */
export async function standingAt(web: Web, c: WebContext, over: 'leads on' | 'is wanted' = 'leads on'): Promise<Standing | Response> {
  const place = await placeOf(web, c)
  if (!place) return showMissing(web, c)
  const base = place.paths.register(c.req.param('flow') ?? '')
  if (place.event.status === 'archived') return c.redirect(place.paths.home, 303)
  const person = await personAt(web, c, place)
  if (!person?.participantId) return c.redirect(base, 303)
  const actor = actingAs(place, person.email)
  const ctx = contextAt(web, place, undefined, actor)
  const progress = await ownProgress(ctx, person.participantId)
  if (!progress || progress.flow.slug !== c.req.param('flow') || progress.row.status === 'cancelled') return c.redirect(base, 303)
  if (over === 'leads on' && progress.row.status !== 'incomplete') return c.redirect(`${base}/done`, 303)
  if (over === 'is wanted' && progress.row.status === 'incomplete') return c.redirect(base, 303)
  return { place, ctx, progress, actor, base }
}

/** Null where the form they began is not there any more. */
export async function ownProgress(ctx: AtEvent, participantId: string, read = progressOf): Promise<Progress | null> {
  try {
    return await read(ctx, participantId)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
