import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { toParticipantIdentity } from '../registration/add.ts'
import { addGuest } from '../registration/add-guest.ts'
import { readStoredAnswers, toParticipantAnswerColumns, normalizeAnswers } from '../registration/answers.ts'
import { cancelRegistration } from '../registration/edit/cancel.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { findConflictingRegistration, listGuests, updateParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { toFieldErrorsOrRethrow } from './quote.ts'
import { readSubmittedGuest } from './guest-answers.ts'
import type { RegistrationProgress } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from './sent-page.ts'

/** The change to one guest. A form page changes one guest at a time. */
export type GuestEdit = { kind: 'keep'; number: number; answers: Record<string, string> } | { kind: 'remove'; number: number }

const REMOVE = /^guest-remove:(\d{1,2})$/

export function readGuestEdit({ flow }: RegistrationProgress, sent: GetFormValues, action: string): GuestEdit | null {
  const removed = REMOVE.exec(action)
  if (removed) return { kind: 'remove', number: Number(removed[1]) }
  const answers = readSubmittedGuest(flow, sent)
  return Object.keys(answers).length === 0
    ? null
    : { kind: 'keep', number: Number(sent(NON_ANSWER_FORM_FIELDS.guest('number'))[0]), answers }
}

/** Adds, corrects or removes a guest of a complete registration. Charges and credits go to the host's order. */
export async function changeOwnGuest(ctx: RegistrationContext, host: RegistrationProgress, edit: GuestEdit): Promise<void> {
  const guests = await listGuests(ctx, host.row.id)
  const guest = guests[edit.number - 1]
  if (edit.kind === 'remove') {
    if (!guest) throw conflict('This guest was already removed')
    await cancelRegistration(ctx, host.snapshot, guest, { rule: { by: 'policy' }, reason: 'taken away by the host' })
    return
  }
  const { answers, errors } = normalizeAnswers({ config: host.snapshot.config, flow: host.flow, isPublic: true }, edit.answers)
  if (errors.length > 0) throw invalidArguments(errors)
  const { type, properties } = toParticipantAnswers(answers)
  const isMissing = ['firstName', 'lastName'].filter((name) => properties[`@participant.${name}`] == null)
  if (isMissing.length > 0)
    throw invalidArguments(isMissing.map((name) => toFieldError(`@guest.${edit.number}.${name}`, 'error.guestName')))
  if (guest) await correctGuest(ctx, guest, properties)
  else await addOwnGuest(ctx, host, edit.number, { type, properties })
}

/** Converts `@guest.2.firstName` to the guest's own `@participant.firstName`. */
function toParticipantAnswers(answers: Record<string, unknown>) {
  const named = Object.entries(answers).map(([binding, value]): [string, unknown] => [binding.replace(/^@guest\.\d+\./, ''), value])
  const { type = null, ...properties } = Object.fromEntries(named)
  return {
    type,
    properties: Object.fromEntries(Object.entries(properties).map(([name, value]): [string, unknown] => [`@participant.${name}`, value])),
  }
}

async function correctGuest(ctx: RegistrationContext, guest: ParticipantRow, properties: Record<string, unknown>): Promise<void> {
  const stored = readStoredAnswers(guest)
  const merged = { ...stored, ...properties }
  if (await findConflictingRegistration(ctx, guest, toParticipantIdentity(merged, null)))
    throw conflict('Another registration has this name and email address.')
  const updated = await updateParticipant(ctx, guest, toParticipantAnswerColumns(merged))
  recordChange(ctx, { kind: 'participant', id: guest.id, before: stored, after: readStoredAnswers(updated) })
}

async function addOwnGuest(
  ctx: RegistrationContext,
  { snapshot, flow, row }: RegistrationProgress,
  number: number,
  { type, properties }: ReturnType<typeof toParticipantAnswers>,
): Promise<void> {
  const given = Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))
  const answers = { ...given, ...(type === null ? {} : { '@guest.1.type': type }) }
  try {
    // Guests may be added until the editing deadline, even if registration has closed.
    await addGuest(ctx, { snapshot, flow, answers, manualTags: [], source: 'web', participant: null, overrideClosed: true }, row)
  } catch (error) {
    const problems = toFieldErrorsOrRethrow(error)
    throw invalidArguments(
      problems.map(({ path, ...problem }) => ({
        ...problem,
        path: path === '' ? `@guest.${number}.firstName` : path.replace(/^@(participant|guest\.1)\./, `@guest.${number}.`),
      })),
    )
  }
}
