import { invalidArguments } from '../../kernel/errors.ts'
import { sellPlaces } from '../inventory/places.ts'
import { sell } from '../orders/invoices.ts'
import { openOrder } from '../orders/orders.ts'
import { billToOf, linesFor } from './bill.ts'
import { refuseClosed } from './closed.ts'
import { addGuests, type Guest, guestSettings, guestTypeOf, tooManyGuests } from './guests.ts'
import { labelOf } from './missing.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { guestsOf } from './people.ts'
import { placesFor } from './places.ts'
import { answersOf } from './answers.ts'
import type { AtEvent } from './scene.ts'
import type { Submission, Submitted } from './submit.ts'
import { refreshTags } from './tags.ts'
import { refuseFull } from './waitlist.ts'

/** A guest of somebody who has registered: paid for on the host's order, by the guest's type. */
export async function addGuest(ctx: AtEvent, submission: Submission, host: ParticipantRow): Promise<Submitted> {
  const { scene, flow, overrideCapacity = false } = submission
  if (!submission.overrideClosed) refuseClosed(flow, scene)
  const settings = guestSettings(flow)
  const { '@guest.1.type': named, ...answers } = submission.answers as Record<string, unknown>
  const guest: Guest = { ...guestTypeOf(flow, named, '@guest.1.type'), answers }
  if (!submission.skipRequired) refuseMissing(submission, settings.fields)
  const bill = linesFor({
    scene,
    chosen: [],
    guests: [guest],
    buyer: billToOf(answersOf(host)),
    discountCode: null,
    given: new Set([...host.manual_tags, ...host.directory_tags, ...flow.addsTags]),
  })
  if (!scene.isTest) {
    const places = placesFor({ flow, chosen: [], guests: [guest], isGuest: null, discountCode: null })
    const full = await sellPlaces(ctx, { participantId: host.id }, places, { beyondCapacity: overrideCapacity })
    if (full !== null) throw await refuseFull(ctx, scene.config, full)
  }
  const order = await openOrder(ctx, { owner: { participantId: host.id }, origin: scene.isTest ? 'test' : 'real' })
  // Behind the order's lock: of two guests who come at once, the second is counted with the first.
  if ((await guestsOf(ctx, host.id)).length >= settings.max) throw tooManyGuests(flow, settings.max)
  const [participant] = await addGuests(ctx, { scene, flow, host, guests: [guest], source: submission.source })
  const lines = bill.lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: participant!.id }))
  const invoice = await sell(ctx, order, lines, scene)
  await refreshTags(ctx, scene.config, [participant!.id])
  return { participant: participant!, orderId: order.id, invoice, waitsFor: [], dropped: [] }
}

function refuseMissing({ scene, answers }: Submission, fields: readonly { binding: string; required: boolean }[]): void {
  const required = fields
    .filter((field) => field.required)
    .map(({ binding }) => `@participant.${binding.slice(binding.lastIndexOf('.') + 1)}`)
  const missing = [...new Set(['@participant.firstName', '@participant.lastName', ...required])].filter(
    (binding) => answers[binding] == null,
  )
  if (missing.length > 0) {
    throw invalidArguments(missing.map((path) => ({ path, message: `${labelOf(scene.config, path)} is required` })))
  }
}
