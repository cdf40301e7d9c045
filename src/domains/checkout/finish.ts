import { sql } from 'kysely'
import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { joinGroup } from '../groups/add-member.ts'
import { getGroup } from '../groups/groups.ts'
import type { Begun } from '../payments/checkout.ts'
import { refuseClosed } from '../registration/closed.ts'
import { sendConfirmation } from '../registration/confirmation.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { AtEvent } from '../registration/scene.ts'
import { submit } from '../registration/submit.ts'
import { noteFinished } from './finished.ts'
import { groupToFinishIn } from './group-choice.ts'
import { heldUntil, holdChosen } from './hold.ts'
import { inviteLost } from './invite-choice.ts'
import { methodOf, methodsFor } from './methods.ts'
import { beginPaidRegistration } from './paid-registration.ts'
import { payNow, sentPart } from './part.ts'
import { firstUnfinished, keepProgress, oneAtATime, type Progress, progressOf, submissionOf } from './progress.ts'
import { faultsIn, type Quote, quoteOf } from './quote.ts'
import type { Sent } from './sent-page.ts'
import { sessionsInTheWay } from './session-choice.ts'
import type { Method } from './tables.ts'

export type Finished =
  | { kind: 'done'; participant: ParticipantRow }
  /** It is finished when it is paid, on the processor's page. */
  | { kind: 'pays'; begun: Begun }
  /** They have to say how they pay. */
  | { kind: 'chooses' }
  /** Something that they agreed to is otherwise now: a price, or a place that is gone. They are asked again. */
  | { kind: 'changed'; full: string | null }
  | { kind: 'unfinished'; page: string }
  | { kind: 'refused'; errors: readonly FieldError[] }

interface Finishing {
  participantId: string
  /** What they saw and agreed to. */
  digest: string
  method: Method | null
  /** What the form says of paying only a part now; left out where it did not ask. */
  sent?: Sent
  urls: CheckoutUrls
}

/** Finishes what is complete: at once, with an open invoice where something is to be paid later, or when it is paid by card. */
export async function finish(ctx: AtEvent, { participantId, digest, method, sent, urls }: Finishing): Promise<Finished> {
  await oneAtATime(ctx, participantId)
  const begun = await progressOf(ctx, participantId)
  if (begun.row.status !== 'incomplete') return { kind: 'done', participant: begun.row }
  const page = firstUnfinished(begun)
  if (page !== null) return { kind: 'unfinished', page }
  const refused = [...refusalOf(begun), ...(await inviteLost(ctx, begun)), ...(await sessionsInTheWay(ctx, begun))]
  if (refused.length > 0) return { kind: 'refused', errors: refused }
  const methods = methodsFor(ctx, begun)
  const chosen = method !== null && methods.includes(method) ? method : methodOf(begun, methods)
  if (method !== null) await keepProgress(ctx, begun.row, { method: chosen })
  const said = chosen === 'card' && sent ? sentPart(begun, quoteOf(begun).due, sent) : { part: undefined, errors: [] }
  if (said.errors.length > 0) return { kind: 'refused', errors: said.errors }
  if (said.part !== undefined) {
    begun.kept = { ...begun.kept, pay_now: said.part }
    await keepProgress(ctx, begun.row, { pay_now: said.part })
  }
  if (quoteOf(begun).due > 0 && chosen === null) return { kind: 'chooses' }
  // The group's lock comes before those of places.
  const group = await groupToFinishIn(ctx, begun)
  const held = await holdChosen(ctx, { ...begun, group }, await heldUntil(ctx, participantId))
  if (held.roomFaults.length > 0) return { kind: 'refused', errors: held.roomFaults }
  if (held.full !== null || held.quote.digest !== digest) return { kind: 'changed', full: held.full }
  if (held.quote.due > 0 && chosen === 'card') return { kind: 'pays', begun: await startPaying(ctx, held, urls) }
  const { participant } = await submit(ctx, submissionOf(held.progress))
  await sendConfirmation(ctx, participant.id)
  await noteFinished(ctx, participant)
  return { kind: 'done', participant }
}

function refusalOf(progress: Progress): readonly FieldError[] {
  try {
    refuseClosed(progress.flow, progress.scene)
  } catch (error) {
    return faultsIn(error)
  }
  return quoteOf(progress).refused
}

/** What they only wait for is not paid; and whoever joins a group is in it before they pay, so that they are in it when they have. */
async function startPaying(ctx: AtEvent, { progress, quote }: { progress: Progress; quote: Quote }, urls: CheckoutUrls): Promise<Begun> {
  const { group, scene, row } = progress
  const member = group !== null && row.group_id === null ? await joinGroup(ctx, scene, row, await getGroup(ctx, group.id)) : row
  const bought = new Set(quote.chosen.map(({ product }) => `@product.${product.code}`))
  const answers = Object.fromEntries(
    Object.entries(progress.answers).filter(([binding]) => !binding.startsWith('@product.') || bought.has(binding)),
  )
  const submission = { ...submissionOf({ ...progress, answers }), participant: member }
  const part = payNow(progress, quote.due)
  return beginPaidRegistration(ctx, {
    submission,
    urls,
    deposit: progress.room?.deposit ?? null,
    ...(part < quote.due ? { part } : {}),
  })
}

/** The charge that somebody came back from; of theirs the one that was named, or the newest. */
export async function latestCharge(
  { db, tenantId, event }: AtEvent,
  participantId: string,
  named: string | undefined,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from charges where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and entry_id is null
    order by id = ${named ?? ''} desc, created_at desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}
