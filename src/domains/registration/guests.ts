import { recordChange } from '../../kernel/audit.ts'
import { AppError, conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { toParticipantIdentity } from './add.ts'
import { type Answers, isBookingAnswerKey, toParticipantAnswerColumns } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import {
  findDuplicateRegistration,
  insertParticipant,
  generateConfirmationAndBadgeIds,
  listGuests,
  updateParticipant,
} from './participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from './event-snapshot.ts'
import { doGuestsCount } from './sale/capacity-needed.ts'

export interface Guest {
  type: string | null
  /** The code of the product that the guest is billed for; null if the guest is free. */
  productCode: string | null
  /** The guest's answers by binding (identifier of the question). In these bindings, `@participant` is the guest. */
  answers: Record<string, unknown>
}

const GUEST_BINDING = /^@guest\.(\d{1,2})\.(\w+)$/

/** Reads the guests from the answers of a flow, ordered by guest number. */
export function readGuests(flow: Flow, answers: Answers): Guest[] {
  const numbered = new Map<number, Record<string, unknown>>()
  for (const [binding, value] of Object.entries(answers)) {
    const [, number, property] = GUEST_BINDING.exec(binding) ?? []
    if (number === undefined || property === undefined || value === null || value === undefined) continue
    numbered.set(Number(number), { ...numbered.get(Number(number)), [property]: value })
  }
  if (numbered.size === 0) return []
  const settings = getGuestSettings(flow)
  if (numbered.size > settings.max) throw createTooManyGuestsError(flow, settings.max)
  return [...numbered]
    .toSorted(([a], [b]) => a - b)
    .map(([number, { type, ...properties }]) => ({
      ...getGuestType(flow, type, `@guest.${number}.type`),
      answers: Object.fromEntries(Object.entries(properties).map(([name, value]) => [`@participant.${name}`, value])),
    }))
}

export function getGuestSettings(flow: Flow): NonNullable<Flow['guests']> {
  if (!flow.guests?.enabled) throw preconditionFailed(`${flow.name} does not allow guests`)
  return flow.guests
}

export const createTooManyGuestsError = (flow: Flow, max: number) =>
  new AppError('limit_exceeded', `${flow.name} allows ${max === 1 ? '1 guest' : `${max} guests`} per person`, {
    pageReason: { key: 'error.guestsMost', values: { limit: String(max) } },
  })

/** Returns the guest type with this name, or the only guest type of the flow. Guests of a flow without guest types are free. */
export function getGuestType(flow: Flow, named: unknown, path: string): Pick<Guest, 'type' | 'productCode'> {
  const { types } = getGuestSettings(flow)
  if (types.length === 0) return { type: null, productCode: null }
  const type = types.find(({ code }) => code === named) ?? (named === undefined && types.length === 1 ? types[0] : undefined)
  if (!type)
    throw invalidArguments([
      { path, message: `choose one of ${types.map(({ code }) => code).join(', ')}`, reason: { key: 'error.choose' } },
    ])
  return { type: type.code, productCode: type.productCode }
}

/** The answer that names the type of a guest who is registered alone and not within the host's registration. */
export const GUEST_TYPE_ANSWER_KEY = '@guest.1.type'

const CHOICE_OF_GUEST =
  'cannot be chosen while a guest is registered, because the guest type determines the product. Add it with edit_participant afterwards.'

/** Separates the guest type from the other answers of a guest. Guests choose no products, because their type determines their product. */
export function splitGuestAnswers(given: Answers): { named: unknown; answers: Record<string, unknown> } {
  const { [GUEST_TYPE_ANSWER_KEY]: named, ...answers } = given
  const errors = Object.entries(answers)
    .filter(([binding, value]) => isBookingAnswerKey(binding) && Boolean(value))
    .map(([path]) => ({ path, message: CHOICE_OF_GUEST }))
  if (errors.length > 0) throw invalidArguments(errors)
  return {
    named: named ?? undefined,
    answers: Object.fromEntries(Object.entries(answers).filter(([binding]) => !isBookingAnswerKey(binding))),
  }
}

/**
 * Throws if the host has no spot left for this guest. Incomplete guests count, too, but an existing one who is completed keeps the spot that
 * was free when the guest was added.
 */
export async function assertGuestLimit(
  ctx: RegistrationContext,
  flow: Flow,
  host: ParticipantRow,
  existing: ParticipantRow | null,
): Promise<void> {
  const { max } = getGuestSettings(flow)
  const others = (await listGuests(ctx, host.id)).filter(
    ({ id, status }) => id !== existing?.id && (existing?.status !== 'incomplete' || status !== 'incomplete'),
  )
  if (others.length >= max) throw createTooManyGuestsError(flow, max)
}

interface Adding {
  snapshot: EventSnapshot
  flow: Flow
  host: ParticipantRow
  guests: readonly Guest[]
  source: ParticipantRow['source']
  manualTags?: readonly string[]
  /** Whether the guests are already paid for. If so, a guest whose email address is taken is registered without it. */
  isPaid?: boolean | undefined
}

/**
 * Whether the guest's mailbox counts as unverified. True if the person who entered the guest is an unverified visitor, who must not learn
 * whether the guest is registered.
 */
const isUnverifiedGuest = (host: ParticipantRow, answers: Record<string, unknown>) =>
  host.email_unverified && answers['@participant.email'] != null

/**
 * Returns the answers of a guest with an identity that no other registration has. A guest who is already registered with this name and
 * email address is rejected. If the guest was already paid for, the guest is registered without the address.
 */
async function withFreeIdentity(
  ctx: RegistrationContext,
  { snapshot, host, isPaid = false }: Pick<Adding, 'snapshot' | 'host' | 'isPaid'>,
  answers: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const isTaken = async (wanted: Record<string, unknown>) =>
    !snapshot.isTest && (await findDuplicateRegistration(ctx, toParticipantIdentity(wanted, host))) !== null
  if (isUnverifiedGuest(host, answers) || !(await isTaken(answers))) return answers
  const withoutEmail = { ...answers, '@participant.email': null }
  if (isPaid && answers['@participant.email'] != null && !(await isTaken(withoutEmail))) return withoutEmail
  const { '@participant.firstName': first, '@participant.lastName': last } = answers
  throw conflict(`The guest ${String(first)} ${String(last)} is already registered. Enter another name or email address.`)
}

/** Registers guests of a host. Their products are billed to the payer of the host. */
export async function addGuests(
  ctx: RegistrationContext,
  { snapshot, flow, host, guests, source, manualTags = [], isPaid }: Adding,
): Promise<ParticipantRow[]> {
  const rows: ParticipantRow[] = []
  for (const { type, answers } of guests) {
    const free = await withFreeIdentity(ctx, { snapshot, host, isPaid }, answers)
    const row = await insertParticipant(ctx, {
      ...toParticipantAnswerColumns(free),
      ...generateConfirmationAndBadgeIds(),
      ...toCompletedGuestColumns({ snapshot, flow }, type),
      manual_tags: [...manualTags],
      host_id: host.id,
      is_test_data: snapshot.isTest,
      email_unverified: isUnverifiedGuest(host, free),
      source,
    })
    recordChange(ctx, { kind: 'participant', id: row.id, after: { ...answers, status: row.status, hostId: host.id } })
    rows.push(row)
  }
  return rows
}

/** Completes the incomplete or cancelled registration of a guest. A reinstated guest keeps confirmation number and badge id. */
export async function completeGuest(
  ctx: RegistrationContext,
  { snapshot, flow, host, manualTags = [] }: Omit<Adding, 'guests'>,
  { type, answers }: Guest,
  existing: ParticipantRow,
): Promise<ParticipantRow> {
  const row = await updateParticipant(ctx, existing, {
    ...toParticipantAnswerColumns(answers),
    ...(existing.confirmation_number ? {} : generateConfirmationAndBadgeIds()),
    ...toCompletedGuestColumns({ snapshot, flow }, type),
    manual_tags: [...manualTags],
    cancelled_at: null,
    cancel_reason: null,
  })
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: { status: existing.status },
    after: { ...answers, status: row.status, hostId: host.id },
  })
  return row
}

const toCompletedGuestColumns = ({ snapshot, flow }: Pick<Adding, 'snapshot' | 'flow'>, type: string | null) => ({
  status: 'complete' as const,
  completed_at: snapshot.at,
  version_id: snapshot.versionId,
  flow_slug: flow.slug,
  guest_type: type,
  counts_toward_capacity: doGuestsCount(flow),
})
