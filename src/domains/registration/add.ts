import { invalidArguments } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { PrefetchNeededError } from '../../kernel/prefetch-needed.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { LookupResult } from '../directories/look-up.ts'
import {
  toDiscountInventoryKey,
  EVENT_INVENTORY_KEY,
  toFlowInventoryKey,
  toProductInventoryKey,
  readStockLevels,
} from '../inventory/units.ts'
import { addGuest, getGuestHost } from './add-guest.ts'
import { type Answers, normalizeAnswers } from './answers.ts'
import { createIncompleteRegistration } from './begin.ts'
import { mergeDirectoryDataIntoAnswers } from './flows/flow-directories.ts'
import { recordOrganizerVisit } from './flows/organizer-visits.ts'
import { redeemInvite } from './invitations/use-invite.ts'
import { readPersonPrefillData } from './known-person.ts'
import { findDuplicateRegistration } from './participant-rows.ts'
import { listChosenProductCodes, findSessionErrors } from './sessions.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { findDiscountCode } from './sale/billing.ts'
import { type RegistrationContext, getFlow, loadEventSnapshot, type EventSnapshot } from './event-snapshot.ts'
import { submitRegistration, type RegistrationSubmission, type SubmissionResult } from './submit.ts'

export interface NewRegistration {
  flowSlug: string
  data: Answers
  tags: readonly string[]
  status: 'complete' | 'incomplete'
  hostId?: string | undefined
  group: RegistrationSubmission['group']
  skipRequired: boolean
  joinWaitlist: boolean
  overrideCapacity: boolean
  overrideClosed: boolean
  source: ParticipantRow['source']
  into?: RegistrationSubmission['into']
  /** Whether the caller writes no other rows after this registration. If so, the last statement and the commit are sent together. */
  isLastStep?: boolean
  /** The result of the flow's directory lookup, which runs before the transaction; `unknown` if the lookup has not run yet. */
  looked?: LookupResult | null | 'unknown'
}

export type AddedParticipant = { status: 'new' | 'existing_incomplete' | 'existing_complete' } & SubmissionResult

const text = (value: unknown) => (typeof value === 'string' ? value : null)

/**
 * Registers a participant on behalf of an organizer or a group, by the same rules as self-service registration. If the participant is
 * already registered, the existing row is returned and nothing is saved.
 */
export async function addParticipant(
  ctx: RegistrationContext,
  request: NewRegistration,
  loaded?: EventSnapshot,
): Promise<AddedParticipant> {
  const snapshot = loaded ?? (await loadEventSnapshot(ctx))
  const host = request.hostId === undefined ? null : await getGuestHost(ctx, snapshot, request.hostId)
  const flow = getFlow(snapshot, request.flowSlug)
  assertKnownTags(snapshot.config, request.tags)
  const read = normalizeAnswers({ config: snapshot.config, flow }, request.data)
  if (request.looked === 'unknown' && !host && flow.directory !== null) throw new PrefetchNeededError()
  const looked = request.looked === 'unknown' ? null : request.looked
  // Guests have no invitation and no directory record of their own.
  const completed = host ? read.answers : mergeDirectoryDataIntoAnswers(snapshot, flow, read.answers, looked ?? undefined)
  const [known, twin, stock] = await Promise.all([
    host
      ? { answers: read.answers, manualTags: [], directoryTags: [], invite: null, errors: [] }
      : readPersonPrefillData(ctx, { snapshot, flow, answers: read.answers, looked }),
    snapshot.isTest ? null : findDuplicateRegistration(ctx, toParticipantIdentity(completed, host)),
    snapshot.isTest ? undefined : readStockOfAnswers(ctx, snapshot, flow, completed),
  ])
  const { answers, manualTags, directoryTags, invite } = known
  const sessionErrors = await findSessionErrors(ctx, { snapshot, flow, answers, products: listChosenProductCodes(answers) })
  const errors = [...read.errors, ...known.errors, ...sessionErrors]
  if (errors.length > 0) throw invalidArguments(errors)
  if (twin) {
    return {
      status: twin.status === 'complete' ? 'existing_complete' : 'existing_incomplete',
      participant: twin,
      orderId: null,
      invoice: null,
      waitsFor: [],
      dropped: [],
    }
  }
  const submission: RegistrationSubmission = {
    snapshot,
    flow,
    answers,
    manualTags: [...new Set([...request.tags, ...manualTags])],
    directoryTags,
    source: request.source,
    participant: null,
    group: request.group ?? null,
    host,
    skipRequired: request.skipRequired,
    overrideClosed: request.overrideClosed,
    overrideCapacity: request.overrideCapacity,
    joinWaitlist: request.joinWaitlist,
    whenSessionFull: request.overrideCapacity ? 'exceed' : request.joinWaitlist ? 'wait' : 'refuse',
    ...(request.into ? { into: request.into } : {}),
    // If an invitation is used, the registration is not the last write, because `redeemInvite` marks the invitation afterwards.
    isLastStep: request.isLastStep === true && invite === null,
    ...(stock ? { stock } : {}),
    ...(request.source === 'organizer' ? { alongside: recordOrganizerVisit } : {}),
  }
  if (request.status === 'incomplete') {
    const participant = await createIncompleteRegistration(ctx, submission)
    await redeemInvite(ctx, invite, participant)
    return { status: 'new', participant, orderId: null, invoice: null, waitsFor: [], dropped: [] }
  }
  // In a dedicated guest flow the guest chooses products; in any other flow the guest settings of the host's flow decide the product.
  const added = await (host && flow.kind !== 'guest' ? addGuest(ctx, submission, host) : submitRegistration(ctx, submission))
  await redeemInvite(ctx, invite, added.participant)
  return { status: 'new', ...added }
}

/** Reads the remaining capacity of the event, the flow, and the products and discount code that the answers request. */
function readStockOfAnswers(ctx: RegistrationContext, snapshot: EventSnapshot, flow: Flow, answers: Answers) {
  const code = text(answers['@discount.code'])
  const discount = code === null ? null : findDiscountCode(snapshot, code)
  return readStockLevels(ctx, [
    EVENT_INVENTORY_KEY,
    toFlowInventoryKey(flow.slug),
    ...[...listChosenProductCodes(answers)].map(toProductInventoryKey),
    ...(discount === null ? [] : [toDiscountInventoryKey(discount)]),
  ])
}

export const toParticipantIdentity = (answers: Answers, host: ParticipantRow | null) => ({
  firstName: text(answers['@participant.firstName']),
  lastName: text(answers['@participant.lastName']),
  email: text(answers['@participant.email']),
  hostId: host?.id ?? null,
})

export function assertKnownTags({ tags }: Pick<EventConfig, 'tags'>, named: readonly string[]): void {
  const known = tags.map(({ code }) => code)
  const errors = named
    .filter((tag) => !known.includes(tag))
    .map((tag) => {
      const near = findMostSimilarName(tag, known)
      return { path: 'tags', message: `no tag ${tag}${near === null ? '' : ` — did you mean ${near}?`}` }
    })
  if (errors.length > 0) throw invalidArguments(errors)
}
