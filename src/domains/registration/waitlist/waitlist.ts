import { sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { type AppError, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventConfig, Flow } from '../../configuration/schema/event-config.ts'
import { releaseHolds, readStockLevels } from '../../inventory/units.ts'
import { takeNextWaitlistPosition } from '../../orders/numbers.ts'
import { toParticipantAnswerColumns } from '../answers.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { insertParticipant, updateParticipant } from '../participant-rows.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import type { RegistrationSubmission, SubmissionResult } from '../submit.ts'
import { recalculateTags } from '../tags.ts'
import { changeStateOfRows } from '../../../kernel/states.ts'
import { WAITLIST_ENTRY_STATES } from '../states.ts'

/** Returns the display name of the event, flow or product with this inventory key. */
export const getWaitlistTargetName = (config: EventConfig, key: string): string => {
  const [kind, code] = key.split(':')
  if (kind === 'product') return config.products.find((product) => product.code === code)?.name ?? key
  if (kind === 'flow') return config.flows.find((flow) => flow.slug === code)?.name ?? key
  return kind === 'event' ? config.details.name : `Code ${code}`
}

/**
 * Decides what joins the waiting list if this inventory key (such as `product:dinner`) is sold out: the whole registration, a single
 * product, or neither because there is no waiting list.
 */
export function determineWaitlistedItem(config: EventConfig, flow: Flow, key: string): 'registration' | { productCode: string } | null {
  const [kind, code = ''] = key.split(':')
  if (kind === 'event' || kind === 'flow') return flow.waitlist ? 'registration' : null
  const product = kind === 'product' ? config.products.find((one) => one.code === code) : undefined
  if (!product?.waitlist) return null
  return product.category === 'admission' ? 'registration' : { productCode: code }
}

export async function buildSoldOutError(
  ctx: RegistrationContext,
  config: EventConfig,
  key: string,
  name = getWaitlistTargetName(config, key),
  otherwise = 'pass joinWaitlist or overrideCapacity',
): Promise<AppError> {
  const stock = (await readStockLevels(ctx, [key])).get(key)
  const figures = stock?.capacity == null ? '' : ` (${stock.held + stock.sold} of ${stock.capacity})`
  const used = key.startsWith('discount:')
  const ways = used ? 'its maximum number of uses is reached' : otherwise
  return preconditionFailed(`${name} is ${used ? 'used up' : 'full'}${figures} — ${ways}`)
}

interface Joining extends RegistrationSubmission {
  answers: Record<string, unknown>
  targets: readonly string[]
}

/**
 * Adds a participant to waiting lists. If the registration is not complete, it joins the waiting list as a whole and no products are sold.
 */
export async function joinWaitlist(ctx: RegistrationContext, joining: Joining): Promise<SubmissionResult> {
  const { participant: before, targets } = joining
  const participant = before?.status === 'complete' ? before : await saveWaitlisted(ctx, joining)
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
        position: await takeNextWaitlistPosition(ctx, participant.is_test_data ? 'test-waitlist' : 'waitlist'),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'is_test_data as isTestData'])
      .executeTakeFirst()
    if (joined) announceToWebhooks(ctx, { kind: 'waitlist.joined', entity: 'waitlistEntry', ...joined })
    recordChange(ctx, { kind: 'participant', id: participant.id, after: { waitsFor: target } })
  }
  return { participant, orderId: null, invoice: null, waitsFor: targets, dropped: [] }
}

const quantityOf = (answers: Record<string, unknown>, target: string) =>
  target.startsWith('product:') ? Math.max(1, Number(answers[`@product.${target.slice('product:'.length)}`] ?? 1)) : 1

async function saveWaitlisted(
  ctx: RegistrationContext,
  { snapshot, flow, answers, participant, manualTags, directoryTags = [], source, group, host, guestType = null }: Joining,
) {
  const columns = {
    ...toParticipantAnswerColumns(answers),
    status: 'waitlisted' as const,
    version_id: snapshot.versionId,
    flow_slug: flow.slug,
    manual_tags: [...manualTags],
    directory_tags: [...directoryTags],
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    guest_type: guestType,
  }
  const row: ParticipantRow = participant
    ? await updateParticipant(ctx, participant, columns)
    : await insertParticipant(ctx, { ...columns, source, is_test_data: snapshot.isTest })
  if (participant) await releaseHolds(ctx, { participantId: participant.id })
  recordChange(ctx, { kind: 'participant', id: row.id, after: { ...answers, status: row.status, flowSlug: flow.slug } })
  await recalculateTags(ctx, snapshot.config, [row.id])
  return row
}

/** Removes the participant from all waiting lists and releases the capacity held for offers. */
export async function leaveWaitlists(ctx: RegistrationContext, participantId: string): Promise<void> {
  const entries = await changeStateOfRows(eventDb(ctx), WAITLIST_ENTRY_STATES, 'removed')
    .set({ offered_until: null, reason: 'cancelled', ended_at: sql<Date>`lanyard_now()` })
    .where('participant_id', '=', participantId)
    .returning('id')
    .execute()
  for (const { id } of entries) await releaseHolds(ctx, { participantId, entryId: id })
}

/** Withdraws all open offers of the event and returns their number. The caller then releases the capacity held for them. */
export async function withdrawAllWaitlistOffers(
  ctx: Pick<RegistrationContext, 'db' | 'tenantId' | 'event'>,
  reason: string,
): Promise<number> {
  const withdrawn = await changeStateOfRows(eventDb(ctx), WAITLIST_ENTRY_STATES, 'removed')
    .set({ offered_until: null, reason, ended_at: sql<Date>`lanyard_now()` })
    .where('status', '=', 'offered')
    .returning('id')
    .execute()
  return withdrawn.length
}
