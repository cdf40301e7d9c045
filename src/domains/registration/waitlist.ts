import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { type AppError, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import { releaseHolds, stockOf } from '../inventory/places.ts'
import { takePosition } from '../orders/numbers.ts'
import { columnsOf } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { insertParticipant, updateParticipant } from './people.ts'
import type { AtEvent } from './scene.ts'
import type { Submission, Submitted } from './submit.ts'
import { refreshTags } from './tags.ts'

/** What people call a thing that can be full. */
export const targetName = (config: EventConfig, key: string): string => {
  const [kind, code] = key.split(':')
  if (kind === 'product') return config.products.find((product) => product.code === code)?.name ?? key
  if (kind === 'flow') return config.flows.find((flow) => flow.slug === code)?.name ?? key
  return kind === 'event' ? config.details.name : `Code ${code}`
}

/** What somebody waits for when this key is full: the registration itself, one product of it, or nothing because there is no waitlist. */
export function waitsFor(config: EventConfig, flow: Flow, key: string): 'registration' | { productCode: string } | null {
  const [kind, code = ''] = key.split(':')
  if (kind === 'event' || kind === 'flow') return flow.waitlist ? 'registration' : null
  const product = kind === 'product' ? config.products.find((one) => one.code === code) : undefined
  if (!product?.waitlist) return null
  return product.category === 'admission' ? 'registration' : { productCode: code }
}

export async function refuseFull(ctx: AtEvent, config: EventConfig, key: string): Promise<AppError> {
  const stock = (await stockOf(ctx, [key])).get(key)
  const figures = stock?.capacity == null ? '' : ` (${stock.held + stock.sold} of ${stock.capacity})`
  const used = key.startsWith('discount:')
  const ways = used ? 'it has been used as often as it may be' : 'pass joinWaitlist or overrideCapacity'
  return preconditionFailed(`${targetName(config, key)} is ${used ? 'used up' : 'full'}${figures} — ${ways}`)
}

interface Joining extends Submission {
  answers: Record<string, unknown>
  targets: readonly string[]
}

/** Puts somebody into line. Who has no registration yet waits with all of it: nothing is sold and nothing claimed. */
export async function joinWaitlist(ctx: AtEvent, joining: Joining): Promise<Submitted> {
  const { participant: before, targets } = joining
  const participant = before?.status === 'complete' ? before : await keepWaiting(ctx, joining)
  for (const target of targets) {
    const joined = await ctx.db
      .insertInto('waitlist_entries')
      .values({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        id: newId(),
        participant_id: participant.id,
        is_test_data: participant.is_test_data,
        target,
        quantity: quantityOf(joining.answers, target),
        position: await takePosition(ctx, participant.is_test_data ? 'test-waitlist' : 'waitlist'),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'is_test_data as isTestData'])
      .executeTakeFirst()
    if (joined) announce(ctx, { kind: 'waitlist.joined', entity: 'waitlistEntry', ...joined })
    recordChange(ctx, { kind: 'participant', id: participant.id, after: { waitsFor: target } })
  }
  return { participant, orderId: null, invoice: null, waitsFor: targets, dropped: [] }
}

const quantityOf = (answers: Record<string, unknown>, target: string) =>
  target.startsWith('product:') ? Math.max(1, Number(answers[`@product.${target.slice('product:'.length)}`] ?? 1)) : 1

async function keepWaiting(
  ctx: AtEvent,
  { scene, flow, answers, participant, manualTags, directoryTags = [], source, group, host, guestType = null }: Joining,
) {
  const columns = {
    ...columnsOf(answers),
    status: 'waitlisted' as const,
    version_id: scene.versionId,
    flow_slug: flow.slug,
    manual_tags: [...manualTags],
    directory_tags: [...directoryTags],
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    guest_type: guestType,
  }
  const row: ParticipantRow = participant
    ? await updateParticipant(ctx, participant, columns)
    : await insertParticipant(ctx, { ...columns, source, is_test_data: scene.isTest })
  if (participant) await releaseHolds(ctx, { participantId: participant.id })
  recordChange(ctx, { kind: 'participant', id: row.id, after: { ...answers, status: row.status, flowSlug: flow.slug } })
  await refreshTags(ctx, scene.config, [row.id])
  return row
}

/** Who goes waits no longer: offers are withdrawn with what they held. */
export async function leaveWaitlists(ctx: AtEvent, participantId: string): Promise<void> {
  const entries = await ctx.db
    .updateTable('waitlist_entries')
    .set({ status: 'removed', offered_until: null, reason: 'cancelled', ended_at: sql<Date>`lanyard_now()` })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', participantId)
    .where('status', 'in', ['waiting', 'offered'])
    .returning('id')
    .execute()
  for (const { id } of entries) await releaseHolds(ctx, { participantId, entryId: id })
}
