import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { sessionBinding, sessionsIn } from '../sessions/at-event.ts'
import { refusedOf } from '../sessions/choice.ts'
import { chooseSessions } from '../sessions/enrol.ts'
import { liveEnrolments } from '../sessions/enrolments.ts'
import { programOf } from '../sessions/program.ts'
import type { Answers } from './answers.ts'
import { holdingsOf, quantitiesOf } from './holdings.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent, Scene } from './scene.ts'

interface Choosing {
  scene: Pick<Scene, 'config' | 'at'>
  flow: Flow
  answers: Answers
  /** Codes of what they have, or are about to get. */
  products: ReadonlySet<string>
  before?: ReadonlySet<string>
}

/** Two at one time are had only where a list of the flow says so. */
const preventsOverlap = ({ pages }: Flow) =>
  !pages.some(({ widgets }) => widgets.some((widget) => widget.type === 'sessions' && !widget.preventOverlap))

/** Of the sessions that answers choose, those that cannot be had, with why. */
export async function refusedSessions(
  ctx: AtEvent,
  { scene, flow, answers, products, before = new Set() }: Choosing,
): Promise<FieldError[]> {
  const chosen = sessionsIn(answers)
  if (chosen.length === 0) return []
  return refusedOf({
    program: await programOf(ctx),
    chosen,
    before,
    products,
    nameOfProduct: (code) => scene.config.products.find((product) => product.code === code)?.name ?? code,
    preventOverlap: preventsOverlap(flow),
    now: scene.at,
  })
}

/** Codes of products that answers choose. */
export const productsIn = (answers: Answers): Set<string> =>
  new Set(
    Object.entries(answers).flatMap(([binding, value]) =>
      binding.startsWith('@product.') && Number(value) > 0 ? [binding.slice('@product.'.length)] : [],
    ),
  )

/** What somebody chose of the program, as a part of their registration. What is full is waited for; what cannot be had is left out and told. */
export async function takeSessions(ctx: AtEvent, row: ParticipantRow, choosing: Choosing): Promise<{ dropped: string[]; waits: string[] }> {
  const refused = new Set((await refusedSessions(ctx, choosing)).map(({ path }) => path))
  const wanted = sessionsIn(choosing.answers).filter((id) => !refused.has(sessionBinding(id)))
  if (wanted.length + refused.size === 0) return { dropped: [], waits: [] }
  const { waits } = await chooseSessions(ctx, row, wanted, { mayWait: () => true })
  return { dropped: [...refused].map((path) => path.slice(1)), waits: waits.map((id) => sessionBinding(id).slice(1)) }
}

/**
 * Makes the sessions of somebody who has registered what their answers say now, by what they hold now: what they gave up the product for goes
 * with it.
 */
export async function changeSessions(
  ctx: AtEvent,
  row: ParticipantRow,
  { mayWait, ...choosing }: Omit<Choosing, 'products' | 'before'> & { mayWait: (sessionId: string) => boolean },
): Promise<boolean> {
  const before = new Set((await liveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId))
  const chosen = sessionsIn(choosing.answers)
  if (before.size + chosen.length === 0) return false
  const products = new Set(quantitiesOf(await holdingsOf(ctx, [row.id])).keys())
  const refused = await refusedSessions(ctx, { ...choosing, products, before })
  const errors = refused.filter(({ path }) => ![...before].some((id) => path === sessionBinding(id)))
  if (errors.length > 0) throw invalidArguments(errors)
  const gone = new Set(refused.map(({ path }) => path))
  const { joined, left } = await chooseSessions(
    ctx,
    row,
    chosen.filter((id) => !gone.has(sessionBinding(id))),
    { mayWait },
  )
  return joined.length + left.length > 0
}
