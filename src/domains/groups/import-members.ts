import type { z } from 'zod'
import { toOneLine, count, list, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { AppError } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { readConfigForRegistration } from '../configuration/read.ts'
import { getReservation } from '../housing/reservations.ts'
import { findOrder } from '../orders/orders.ts'
import { addParticipant, toParticipantIdentity } from '../registration/add.ts'
import type { Answers } from '../registration/answers.ts'
import { findDirectoryLookupResult, type DirectoryLookupsByEmail } from '../registration/flows/flow-directories.ts'
import { readPersonPrefillData } from '../registration/known-person.ts'
import { recordSales, type PendingSale } from '../registration/sale/record-sales.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import { ParticipantAnswerError } from '../registration/own/own-answers.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { findDuplicateRegistration } from '../registration/participant-rows.ts'
import { reserveRoom } from '../registration/sale/rooms.ts'
import { getFlow, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import { NEW_MEMBER_REGISTRATION_OPTIONS } from './add-member.ts'
import { getGroup, type GroupRow, lockGroup, createGroupFullError, assertAcceptsMembers, countSeatsLeft } from './groups.ts'
import { toSeatsLeftResult } from './import-template.ts'
import { buildGroupPageUrls } from './links.ts'
import { type GroupManagerScope, getManagedGroup } from './managers.ts'
import { needsInputFromParticipant, validateMemberAnswers } from './member-answers.ts'

const IMPORT_STATUSES = ['new', 'existing_incomplete', 'existing_complete', 'validation_failed'] as const

export const ImportedMemberResult = object({
  index: count(),
  status: oneOf(IMPORT_STATUSES),
  participantId: text().optional(),
  registration: oneOf(['complete', 'incomplete']).optional(),
  ackNumber: text().optional(),
  waitlistRank: count(1).optional(),
  errors: toOneLine(list(ParticipantAnswerError.extend({ message: untrustedText() })), 'binding, code, message, allowed[]').optional(),
})

type ImportedMemberResult = z.input<typeof ImportedMemberResult>

interface MemberImport {
  groupCode?: string | undefined
  members: readonly { data: Answers }[]
}

/**
 * Registers members on behalf of a manager of the group: all of them, or none if one answer is invalid. Participants who are registered
 * already are reported and not changed. Everything the group pays for is on one invoice, and no email is sent.
 */
export async function importMembers(
  ctx: GroupManagerScope,
  { groupCode, members }: MemberImport,
  lookups: DirectoryLookupsByEmail = new Map(),
) {
  const group = await lockGroup(ctx, (await getManagedGroup(ctx, groupCode)).id)
  assertAcceptsMembers(ctx, group)
  const snapshot = await loadEventSnapshot(ctx)
  const configuration = (await readConfigForRegistration(ctx))!
  const read = members.map(({ data }, index) => validateMemberAnswers({ configuration, group, others: members.slice(0, index) }, data))
  if (read.some(({ errors }) => errors.length > 0)) {
    return toImportResult(
      ctx,
      group,
      'validation_failed',
      read.flatMap(({ errors }, index) => (errors.length > 0 ? [toInvalidMember(index, errors)] : [])),
    )
  }
  const duplicates: (ParticipantRow | null)[] = []
  for (const { answers } of read)
    duplicates.push(await findDuplicateRegistration(ctx, toParticipantIdentity(answers, null), { isTest: snapshot.isTest }))
  if (duplicates.filter((twin) => twin === null).length > countSeatsLeft(group)) throw createGroupFullError(group)

  const invalidMembers: ImportedMemberResult[] = []
  const tried = await runInSavepoint(ctx, async () => {
    const sales: PendingSale[] = []
    const done: RegisteredMember[] = []
    for (const [index, { answers }] of read.entries()) {
      const twin = duplicates[index]!
      if (twin) {
        done.push({
          index,
          status: twin.status === 'incomplete' ? 'existing_incomplete' : 'existing_complete',
          row: twin,
          reservationId: null,
        })
        continue
      }
      const part = await runInSavepoint(ctx, () =>
        registerMember(ctx, { snapshot, group, answers, sales, looked: findDirectoryLookupResult(lookups, answers) }),
      )
      if (part.refused) invalidMembers.push(toInvalidMember(index, toAnswerProblems(part.refused)))
      else done.push({ index, status: 'new', ...part.done })
    }
    // One invalid member rolls back the whole import.
    if (invalidMembers.length > 0) throw new AppError('invalid_arguments', 'a member cannot be registered')
    await recordSales(ctx, snapshot, sales)
    const results: ImportedMemberResult[] = []
    for (const one of done) results.push(await toImportedMember(ctx, one))
    return results
  })
  return tried.refused
    ? throwIfCallFailed(tried.refused, invalidMembers, () => toImportResult(ctx, group, 'validation_failed', invalidMembers))
    : toImportResult(ctx, group, 'imported', tried.done)
}

/** Throws the error if it is not about a single member, because then it applies to the whole call. */
const throwIfCallFailed = <T>(refused: AppError, invalid: readonly ImportedMemberResult[], buildResult: () => T): T => {
  if (invalid.length === 0) throw refused
  return buildResult()
}

interface RegisteredMember {
  index: number
  status: (typeof IMPORT_STATUSES)[number]
  row: ParticipantRow
  reservationId: string | null
  waitlistRank?: number | null
}

interface MemberRegistration {
  snapshot: EventSnapshot
  group: GroupRow
  answers: Answers
  sales: PendingSale[]
  looked: ReturnType<typeof findDirectoryLookupResult>
}

/**
 * Completes the registration of an imported member if no required answer, product choice or policy is left to the member. Otherwise the
 * registration stays incomplete, with the requested room.
 */
async function registerMember(
  ctx: GroupManagerScope,
  { snapshot, group, answers, sales, looked }: MemberRegistration,
): Promise<Omit<RegisteredMember, 'index' | 'status'>> {
  const flow = getFlow(snapshot, group.flow_slug)
  const asked = { ...NEW_MEMBER_REGISTRATION_OPTIONS, flowSlug: flow.slug, data: answers, group: toGroupPayer(group), looked }
  const into: PendingSale[] = []
  const known = await readPersonPrefillData(ctx, { snapshot, flow, answers, looked })
  const tags = [...group.tags, ...known.manualTags, ...known.directoryTags]
  if (!needsInputFromParticipant(snapshot, flow, { tags }, known.answers)) {
    const { participant, stay } = await addParticipant(ctx, { ...asked, into }, snapshot)
    sales.push(...into)
    return { row: participant, reservationId: stay?.reservation?.id ?? null, waitlistRank: stay?.waitlistRank ?? null }
  }
  const { participant } = await addParticipant(ctx, { ...asked, status: 'incomplete' }, snapshot)
  const { stay, sales: rooms } = await reserveRoom(ctx, participant, { snapshot, flow, answers, tags: group.tags, source: 'group' })
  sales.push(...rooms)
  return { row: participant, reservationId: stay?.reservation?.id ?? null, waitlistRank: stay?.waitlistRank ?? null }
}

async function toImportedMember(
  ctx: GroupManagerScope,
  { index, status, row, reservationId, waitlistRank }: RegisteredMember,
): Promise<ImportedMemberResult> {
  // Managers learn nothing about an existing registration except that it exists.
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

const toInvalidMember = (index: number, errors: readonly ParticipantAnswerError[]): ImportedMemberResult => ({
  index,
  status: 'validation_failed',
  errors: [...errors],
})

/** Converts the error that a member caused into a list of the member's invalid answers. */
const toAnswerProblems = ({ message, details }: AppError): ParticipantAnswerError[] =>
  details.fields?.map(({ path, message: why, allowed, reason }) => ({
    binding: path,
    code: 'invalid' as const,
    message: why,
    ...(allowed ? { allowed: [...allowed] } : {}),
    ...(reason ? { reason } : {}),
  })) ?? [{ binding: '', code: 'invalid', message, ...(details.pageReason ? { reason: details.pageReason } : {}) }]

async function toImportResult(
  ctx: GroupManagerScope,
  { id }: GroupRow,
  status: 'imported' | 'validation_failed',
  results: readonly ImportedMemberResult[],
) {
  const group = await getGroup(ctx, id)
  const order = group.pay_by === 'group' ? await findOrder(ctx, { groupId: group.id }) : null
  const money = (minor: number) => toMoney(minor, ctx.event.currency)
  return {
    status,
    results: [...results],
    added: results.filter((one) => one.status === 'new').length,
    ...toSeatsLeftResult(group),
    ...(order ? { order: { total: money(order.total), balance: money(order.balance) } } : {}),
    manageUrl: buildGroupPageUrls({ ...ctx, baseUrl: '' }, group.code).home,
  }
}
