import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { productKey, sellPlaces } from '../inventory/places.ts'
import { sessionsIn } from '../sessions/at-event.ts'
import { lockSessions } from '../sessions/enrol.ts'
import type { Owner } from '../orders/orders.ts'
import type { BillTo } from '../orders/tables.ts'
import { type Answers, columnsOf, isChoice } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { billToOf, dueDaysOf, linesFor } from './bill.ts'
import { claim, type Claimed, type Sale } from './claim.ts'
import { refuseClosed } from './closed.ts'
import { addGuests, guestsIn } from './guests.ts'
import { missingFields } from './missing.ts'
import { insertParticipant, newNumbers, updateParticipant } from './people.ts'
import { placesFor } from './places.ts'
import { type RoomTaken, takeRoom } from './rooms.ts'
import { takeSessions } from './sessions.ts'
import type { AtEvent, Scene } from './scene.ts'
import { type Chosen, chosenProducts } from './selection.ts'
import { joinWaitlist, refuseFull, waitsFor } from './waitlist.ts'

export interface Submission {
  scene: Scene
  flow: Flow
  /** Read and checked by `readAnswers`, with what was stored before. */
  answers: Answers
  manualTags: readonly string[]
  directoryTags?: readonly string[]
  source: ParticipantRow['source']
  /** The unfinished or waiting registration that this finishes. */
  participant: ParticipantRow | null
  /** The place in line whose offer or promotion holds places for it. */
  entryId?: string | null
  /** A price of another moment than this, as it was promised or charged. */
  pricedAt?: Date | null
  group?: { id: string; tags: readonly string[]; payBy: 'group' | 'members'; billTo: BillTo } | null
  host?: ParticipantRow | null
  guestType?: string | null
  billTo?: BillTo
  /** Only to see what it comes to so far: what is not answered yet is not asked for. Nobody finishes like that. */
  soFar?: boolean
  /** Only organizers may set these aside. */
  skipRequired?: boolean
  overrideClosed?: boolean
  overrideCapacity?: boolean
  /** Whether somebody who finds no place waits for one, or is refused. */
  joinWaitlist?: boolean
  /** Whether a product that is full is left out and told, as for somebody who comes back. */
  dropFull?: boolean
  /** Where sales are collected, for whoever registers several people and claims once for all of them. */
  into?: Sale[]
}

export interface Submitted {
  participant: ParticipantRow
  orderId: string | null
  invoice: { id: string; number: string; total: number } | null
  /** What they pay themselves: the same, unless their group pays and only the deposit of their room is theirs. */
  own?: Claimed | null
  /** What they wait for: everything when their registration itself waits. */
  waitsFor: readonly string[]
  /** Products that were wanted and are full, and sessions that cannot be had. */
  dropped: readonly string[]
  /** Their room, their place in line for one, or the bed they asked for. */
  stay?: RoomTaken['stay']
}

/** What a submission comes to before anything is taken: answers to what was shown, what is bought, who comes along. */
export function planOf(submission: Submission) {
  const { flow, manualTags, directoryTags = [], group = null, host = null } = submission
  const scene = submission.pricedAt ? { ...submission.scene, at: submission.pricedAt } : submission.scene
  const given = new Set([...manualTags, ...directoryTags, ...(group?.tags ?? [])])
  const walk = walkFlow(scene.config, flow, { answers: submission.answers, tags: given, timezone: scene.timezone, now: scene.at })
  if (!walk.open) throw preconditionFailed(`${flow.name} is not for people with these tags`)
  if (!submission.overrideClosed) refuseClosed(flow, submission.scene)
  const missing = submission.soFar ? [] : missingFields(scene.config, walk, { skipRequired: submission.skipRequired ?? false })
  if (missing.length > 0) throw invalidArguments(missing)

  const answers = Object.fromEntries(Object.entries(submission.answers).filter(([binding]) => walk.answer(binding) !== undefined))
  const guests = guestsIn(flow, answers)
  const order = { discountCode: typeof answers['@discount.code'] === 'string' ? answers['@discount.code'] : null, given: walk.priceTags }
  const billFor = (chosen: readonly Chosen[]) =>
    linesFor({ scene, chosen, guests, buyer: submission.billTo ?? billToOf(answers), ...order })
  return {
    answers,
    tags: walk.tags,
    guests,
    chosen: chosenProducts({ config: scene.config, flow, walk, answers, currency: scene.currency }),
    billFor,
    placesFor: (chosen: readonly Chosen[]) =>
      placesFor({ flow, chosen, guests, isGuest: host !== null, discountCode: billFor(chosen).discountCode }),
  }
}

/**
 * Finishes a registration: the one function behind pages, assistants, organizers, groups, guests and rehearsals. What must be answered is
 * answered, places are taken, an order is made and claimed; or nothing at all has happened.
 */
export async function submit(ctx: AtEvent, submission: Submission): Promise<Submitted> {
  const { scene, flow } = submission
  const plan = planOf(submission)
  const { answers, guests } = plan
  let { chosen } = plan
  const waiting: string[] = []
  const dropped: string[] = []
  const holder = { participantId: submission.participant?.id ?? '', entryId: submission.entryId ?? null }
  if (!scene.isTest) {
    for (;;) {
      const full = await sellPlaces(ctx, holder, plan.placesFor(chosen), { beyondCapacity: submission.overrideCapacity ?? false })
      if (full === null) break
      if (submission.dropFull && full.startsWith('product:')) {
        chosen = chosen.filter(({ product }) => productKey(product.code) !== full)
        dropped.push(full.slice('product:'.length))
        continue
      }
      const waits = submission.joinWaitlist ? waitsFor(scene.config, flow, full) : null
      if (waits === null) throw await refuseFull(ctx, scene.config, full)
      if (waits === 'registration') return joinWaitlist(ctx, { ...submission, answers, targets: [full] })
      // A single product is waited for while all else is bought.
      chosen = chosen.filter(({ product }) => product.code !== waits.productCode)
      waiting.push(full)
    }
  }
  return finish(ctx, submission, { answers, tags: plan.tags, chosen, bill: plan.billFor(chosen), waiting, dropped, guests })
}

interface Finishing {
  answers: Record<string, unknown>
  tags: readonly string[]
  chosen: readonly Chosen[]
  bill: ReturnType<typeof linesFor>
  waiting: readonly string[]
  dropped: readonly string[]
  guests: ReturnType<typeof guestsIn>
}

async function finish(
  ctx: AtEvent,
  submission: Submission,
  { answers, tags, chosen, bill, waiting, dropped, guests }: Finishing,
): Promise<Submitted> {
  const { scene, flow, group = null, host = null } = submission
  await lockSessions(ctx, sessionsIn(answers))
  const participant = await keepParticipant(ctx, submission, answers, bill.discountCode)
  const products = new Set(chosen.map(({ product }) => product.code))
  const sessions = await takeSessions(ctx, participant, { scene, flow, answers, products })
  const room = await takeRoom(ctx, participant, { ...submission, answers, tags })
  const guestRows = await addGuests(ctx, { scene, flow, host: participant, guests, source: submission.source })
  const billTo = submission.billTo ?? (group?.payBy === 'group' ? group.billTo : billToOf(answers))
  const owner: Owner =
    host !== null ? { participantId: host.id } : group?.payBy === 'group' ? { groupId: group.id } : { participantId: participant.id }
  const sale: Sale = {
    owner,
    billTo,
    discountCode: bill.discountCode,
    lines: bill.lines.map(({ guest, ...line }) => ({ ...line, participantId: guest === null ? participant.id : guestRows[guest]!.id })),
    people: [participant.id, ...guestRows.map(({ id }) => id)],
    isFirst: submission.participant === null && 'participantId' in owner && owner.participantId === participant.id,
  }
  const terms = { ...scene, paymentTermsDays: dueDaysOf(flow, scene) }
  const [claimed, own = claimed] = submission.into ? [] : await claim(ctx, terms, [sale, ...room.sales])
  submission.into?.push(sale, ...room.sales)
  for (const target of waiting) await joinWaitlist(ctx, { ...submission, participant, answers, targets: [target] })
  return {
    participant,
    orderId: claimed?.orderId ?? null,
    invoice: claimed?.invoice ?? null,
    own: own ?? null,
    waitsFor: waiting,
    dropped: [...dropped, ...sessions.dropped, ...(submission.dropFull ? sessions.waits : []), ...room.dropped],
    stay: room.stay,
  }
}

async function keepParticipant(
  ctx: AtEvent,
  submission: Submission,
  answers: Answers,
  discountCode: string | null,
): Promise<ParticipantRow> {
  const { scene, flow, participant, group = null, host = null } = submission
  // What was bought is on the order now.
  const kept = Object.fromEntries(Object.entries(answers).filter(([binding]) => !isChoice(binding)))
  const columns = {
    ...columnsOf(kept),
    // Whoever comes back keeps the number and badge they had.
    ...(participant?.confirmation_number ? {} : newNumbers()),
    status: 'complete' as const,
    completed_at: scene.at,
    cancelled_at: null,
    cancel_reason: null,
    version_id: scene.versionId,
    flow_slug: flow.slug,
    manual_tags: [...submission.manualTags],
    directory_tags: [...(submission.directoryTags ?? [])],
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    guest_type: submission.guestType ?? null,
    discount_code: discountCode,
  }
  const row = participant
    ? await updateParticipant(ctx, participant, columns)
    : await insertParticipant(ctx, { ...columns, source: submission.source, is_test_data: scene.isTest })
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    ...(participant ? { before: { status: participant.status } } : {}),
    after: { ...kept, status: row.status, flowSlug: flow.slug },
  })
  return row
}
