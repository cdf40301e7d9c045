import { recordChange } from '../../kernel/audit.ts'
import { conflict, invalidArguments } from '../../kernel/errors.ts'
import { identityOf } from '../registration/add.ts'
import { addGuest } from '../registration/add-guest.ts'
import { answersOf, columnsOf, readAnswers } from '../registration/answers.ts'
import { cancelRegistration } from '../registration/cancel.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { findTwin, guestsOf, updateParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { faultsIn } from './quote.ts'
import { sentGuest } from './guest-answers.ts'
import type { Progress } from './progress.ts'
import { FIELDS, type Sent } from './sent-page.ts'

/** One guest at a time: the one whose form was filled in, or who is not to come any more. */
export type GuestEdit = { kind: 'keep'; number: number; answers: Record<string, string> } | { kind: 'remove'; number: number }

const REMOVE = /^guest-remove:(\d{1,2})$/

export function guestEditIn({ flow }: Progress, sent: Sent, action: string): GuestEdit | null {
  const gone = REMOVE.exec(action)
  if (gone) return { kind: 'remove', number: Number(gone[1]) }
  const answers = sentGuest(flow, sent)
  return Object.keys(answers).length === 0 ? null : { kind: 'keep', number: Number(sent(FIELDS.guest('number'))[0]), answers }
}

/** Adds, corrects or takes away a guest of somebody who has registered. What it costs or gives back is on the host's order. */
export async function changeOwnGuest(ctx: AtEvent, host: Progress, edit: GuestEdit): Promise<void> {
  const guests = await guestsOf(ctx, host.row.id)
  const guest = guests[edit.number - 1]
  if (edit.kind === 'remove') {
    if (!guest) throw conflict('This guest does not come any more')
    await cancelRegistration(ctx, host.scene, guest, { rule: { by: 'policy' }, reason: 'taken away by the host' })
    return
  }
  const { answers, errors } = readAnswers({ config: host.scene.config, flow: host.flow }, edit.answers)
  if (errors.length > 0) throw invalidArguments(errors)
  const { type, properties } = asTheirOwn(answers)
  const isMissing = ['firstName', 'lastName'].filter((name) => properties[`@participant.${name}`] == null)
  if (isMissing.length > 0)
    throw invalidArguments(isMissing.map((name) => ({ path: `@guest.${edit.number}.${name}`, message: 'guestName' })))
  if (guest) await correct(ctx, guest, properties)
  else await add(ctx, host, edit.number, { type, properties })
}

/** `@guest.2.firstName` is the guest's own `@participant.firstName`. */
function asTheirOwn(answers: Record<string, unknown>) {
  const named = Object.entries(answers).map(([binding, value]): [string, unknown] => [binding.replace(/^@guest\.\d+\./, ''), value])
  const { type = null, ...properties } = Object.fromEntries(named)
  return {
    type,
    properties: Object.fromEntries(Object.entries(properties).map(([name, value]): [string, unknown] => [`@participant.${name}`, value])),
  }
}

async function correct(ctx: AtEvent, guest: ParticipantRow, properties: Record<string, unknown>): Promise<void> {
  const stored = answersOf(guest)
  const kept = { ...stored, ...properties }
  const twin = await findTwin(ctx, { ...identityOf(kept, null), hostId: guest.host_id }, { isTest: guest.is_test_data })
  if (twin && twin.id !== guest.id) throw conflict('Another registration has this name and email')
  const updated = await updateParticipant(ctx, guest, columnsOf(kept))
  recordChange(ctx, { kind: 'participant', id: guest.id, before: stored, after: answersOf(updated) })
}

async function add(
  ctx: AtEvent,
  { scene, flow, row }: Progress,
  number: number,
  { type, properties }: ReturnType<typeof asTheirOwn>,
): Promise<void> {
  const given = Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))
  const answers = { ...given, ...(type === null ? {} : { '@guest.1.type': type }) }
  try {
    // Until when a registration may be changed says when guests may still be brought.
    await addGuest(ctx, { scene, flow, answers, manualTags: [], source: 'web', participant: null, overrideClosed: true }, row)
  } catch (error) {
    const faults = faultsIn(error)
    throw invalidArguments(
      faults.map(({ path, ...fault }) => ({
        ...fault,
        path: path === '' ? `@guest.${number}.firstName` : path.replace(/^@(participant|guest\.1)\./, `@guest.${number}.`),
      })),
    )
  }
}
