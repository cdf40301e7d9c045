import type { z } from 'zod'
import { brief, count, list, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { AppError } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { readActiveConfig } from '../configuration/read.ts'
import { getReservation } from '../housing/reservations.ts'
import { findOrder } from '../orders/orders.ts'
import { addParticipant, toIdentity } from '../registration/add.ts'
import type { Answers } from '../registration/answers.ts'
import { recordSales, type PendingSale } from '../registration/record-sales.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import { AnswerProblem } from '../registration/own-answers.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { findDuplicate } from '../registration/participant-rows.ts'
import { reserveRoom } from '../registration/rooms.ts'
import { getFlow, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import { NEW_MEMBER } from './add-member.ts'
import { getGroup, type GroupRow, lockGroup, noSeats, refuseJoining, seatsLeft } from './groups.ts'
import { seatsOf } from './import-template.ts'
import { groupPages } from './links.ts'
import { type AtPerson, managedGroup } from './managed-by.ts'
import { leavesToPerson, readMember } from './member-answers.ts'

const STATUSES = ['new', 'existing_incomplete', 'existing_complete', 'validation_failed'] as const

export const ImportedMember = object({
  index: count(),
  status: oneOf(STATUSES),
  participantId: text().optional(),
  registration: oneOf(['complete', 'incomplete']).optional(),
  ackNumber: text().optional(),
  waitlistRank: count(1).optional(),
  errors: brief(list(AnswerProblem.extend({ message: untrustedText() })), 'binding, code, message, allowed[]').optional(),
})

type ImportedMember = z.input<typeof ImportedMember>

interface Importing {
  groupCode?: string | undefined
  members: readonly { data: Answers }[]
}

/**
 * Registers people as members of a group, in the name of whoever looks after it: all, or nobody when one answer is wrong. Who has registered
 * already is told and left as they are. What the group pays for is on one invoice, and nobody is written to.
 */
export async function importMembers(ctx: AtPerson, { groupCode, members }: Importing) {
  const group = await lockGroup(ctx, (await managedGroup(ctx, groupCode)).id)
  refuseJoining(ctx, group)
  const snapshot = await loadEventSnapshot(ctx)
  const configuration = (await readActiveConfig(ctx))!
  const read = members.map(({ data }, index) => readMember({ configuration, group, others: members.slice(0, index) }, data))
  if (read.some(({ errors }) => errors.length > 0)) {
    return told(
      ctx,
      group,
      'validation_failed',
      read.flatMap(({ errors }, index) => (errors.length > 0 ? [failed(index, errors)] : [])),
    )
  }
  const twins: (ParticipantRow | null)[] = []
  for (const { answers } of read) twins.push(await findDuplicate(ctx, toIdentity(answers, null), { isTest: snapshot.isTest }))
  if (twins.filter((twin) => twin === null).length > seatsLeft(group)) throw noSeats(group)

  const faults: ImportedMember[] = []
  const tried = await runInSavepoint(ctx, async () => {
    const sales: PendingSale[] = []
    const done: Registered[] = []
    for (const [index, { answers }] of read.entries()) {
      const twin = twins[index]!
      if (twin) {
        done.push({
          index,
          status: twin.status === 'incomplete' ? 'existing_incomplete' : 'existing_complete',
          row: twin,
          reservationId: null,
        })
        continue
      }
      const part = await runInSavepoint(ctx, () => register(ctx, { snapshot, group, answers, sales }))
      if (part.refused) faults.push(failed(index, faultsIn(part.refused)))
      else done.push({ index, status: 'new', ...part.done })
    }
    // One who cannot be registered undoes what was done for the others.
    if (faults.length > 0) throw new AppError('invalid_arguments', 'a member cannot be registered')
    await recordSales(ctx, snapshot, sales)
    const results: ImportedMember[] = []
    for (const one of done) results.push(await toImported(ctx, one))
    return results
  })
  return tried.refused
    ? refusedOr(tried.refused, faults, () => told(ctx, group, 'validation_failed', faults))
    : told(ctx, group, 'imported', tried.done)
}

/** A refusal that is not about a member is the whole call's. */
const refusedOr = <T>(refused: AppError, faults: readonly ImportedMember[], tell: () => T): T => {
  if (faults.length === 0) throw refused
  return tell()
}

interface Registered {
  index: number
  status: (typeof STATUSES)[number]
  row: ParticipantRow
  reservationId: string | null
  waitlistRank?: number | null
}

interface Registering {
  snapshot: EventSnapshot
  group: GroupRow
  answers: Answers
  sales: PendingSale[]
}

/** Complete when nothing is left for the person to say, choose or agree to; else begun, with their room if they have one. */
async function register(ctx: AtPerson, { snapshot, group, answers, sales }: Registering): Promise<Omit<Registered, 'index' | 'status'>> {
  const flow = getFlow(snapshot, group.flow_slug)
  const asked = { ...NEW_MEMBER, flowSlug: flow.slug, data: answers, group: toGroupPayer(group) }
  const into: PendingSale[] = []
  if (!leavesToPerson(snapshot, flow, group, answers)) {
    const { participant, stay } = await addParticipant(ctx, { ...asked, into }, snapshot)
    sales.push(...into)
    return { row: participant, reservationId: stay?.reservation?.id ?? null, waitlistRank: stay?.waitlistRank ?? null }
  }
  const { participant } = await addParticipant(ctx, { ...asked, status: 'incomplete' }, snapshot)
  const { stay, sales: rooms } = await reserveRoom(ctx, participant, { snapshot, flow, answers, tags: group.tags, source: 'group' })
  sales.push(...rooms)
  return { row: participant, reservationId: stay?.reservation?.id ?? null, waitlistRank: stay?.waitlistRank ?? null }
}

async function toImported(ctx: AtPerson, { index, status, row, reservationId, waitlistRank }: Registered): Promise<ImportedMember> {
  // Of somebody who was there already nothing is told but that they are.
  if (status !== 'new') return { index, status }
  ctx.effects.add('changes', row.id)
  const ackNumber = reservationId === null ? null : (await getReservation(ctx, reservationId)).ack_number
  return {
    index,
    status,
    participantId: row.id,
    registration: row.status === 'complete' ? 'complete' : 'incomplete',
    ...(ackNumber === null ? {} : { ackNumber }),
    ...(waitlistRank == null ? {} : { waitlistRank }),
  }
}

const failed = (index: number, errors: readonly AnswerProblem[]): ImportedMember => ({
  index,
  status: 'validation_failed',
  errors: [...errors],
})

/** A refusal as faults of the member that it is about. */
const faultsIn = ({ message, details }: AppError): AnswerProblem[] =>
  details.fields?.map(({ path, message: why, allowed }) => ({
    binding: path,
    code: 'invalid' as const,
    message: why,
    ...(allowed ? { allowed: [...allowed] } : {}),
  })) ?? [{ binding: '', code: 'invalid', message }]

async function told(ctx: AtPerson, { id }: GroupRow, status: 'imported' | 'validation_failed', results: readonly ImportedMember[]) {
  const group = await getGroup(ctx, id)
  const order = group.pay_by === 'group' ? await findOrder(ctx, { groupId: group.id }) : null
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    status,
    results: [...results],
    added: results.filter((one) => one.status === 'new').length,
    ...seatsOf(group),
    ...(order ? { order: { total: money(order.total), balance: money(order.balance) } } : {}),
    manageUrl: groupPages({ ...ctx, baseUrl: '' }, group.code).home,
  }
}
