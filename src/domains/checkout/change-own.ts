import { createHash } from 'node:crypto'
import { conflict, invalidArguments } from '../../kernel/errors.ts'
import { type Money, sumMinor, toMoney } from '../../kernel/money.ts'
import { productBinding } from '../configuration/flow/collects.ts'
import { linesOf, type LineState } from '../orders/lines.ts'
import { findOrderOf } from '../orders/orders.ts'
import { readAnswers } from '../registration/answers.ts'
import { changeProducts } from '../registration/change-products.ts'
import { sendWhatItIs } from '../registration/confirmation.ts'
import { editOwnRegistration } from '../registration/edit-own.ts'
import { holdingsOf } from '../registration/holdings.ts'
import { givenTags, lockOwnGroup } from '../registration/own-group.ts'
import { openOrderOf, payerOf } from '../registration/payer.ts'
import { getParticipant, guestsOf, updateParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { changeSessions } from '../registration/sessions.ts'
import { refreshTags } from '../registration/tags.ts'
import { sessionKey, sessionsIn } from '../sessions/at-event.ts'
import { heldProgress, readOwnEdit, refuseClosed } from './held-progress.ts'
import { giftsIn, giveMore } from './own-gifts.ts'
import { changeOwnGuest, guestEditIn } from './own-guests.ts'
import { changeOwnPolicies } from './own-policies.ts'
import { changeOwnRoom, type RoomChange } from './own-room.ts'
import type { Progress } from './progress.ts'
import { FIELDS, type Sent } from './sent-page.ts'
import { sessionFaults } from './session-choice.ts'

/** What a change of what somebody bought, brings along or booked comes to. */
export interface OwnChange {
  gone: { description: string; quantity: number; back: Money }[]
  comes: { description: string; quantity: number; total: Money }[]
  /** On the credit note, and on the new invoice. */
  back: Money
  extra: Money
  /** Guests who come, or come no more, by name. */
  guests: { gone: string[]; come: string[] }
  room: RoomChange | null
  /** Afterwards, of their own order; null where somebody else pays. */
  balance: Money | null
  creditHeld: Money | null
  /** Changes with anything that somebody would want to know before they agree. */
  digest: string
}

interface Changing {
  page: string
  sent: Sent
  /** The button that was pressed: one that takes a guest away says which. */
  action: string
  /** The digest that the person saw, null where nothing was to be seen; left out to find out what there is to see. */
  agreed?: string | null
}

/**
 * A person changes a page of their own registration, all of it or nothing. What they take less of is credited by the event's terms, what
 * they take more of is invoiced at today's price. Null where nothing is changed that costs, or that others would book.
 */
export async function changeOwnChoices(
  ctx: AtEvent,
  participantId: string,
  { page, sent, action, agreed }: Changing,
): Promise<OwnChange | null> {
  const before = await heldProgress(ctx, participantId)
  refuseClosed(before)
  const { after, own, form, errors } = readOwnEdit(before, page, sent)
  const { scene, flow } = before
  const gifts = readAnswers({ config: scene.config, flow }, giftsIn(before, page, sent))
  const sessions = await sessionFaults(ctx, after, { page, sent, before: new Set(sessionsIn(before.answers)) })
  const faults = [...errors, ...gifts.errors, ...sessions]
  if (faults.length > 0) throw invalidArguments(faults)
  const guest = guestEditIn(before, sent, action)
  const was = await standing(ctx, before)

  if (choosesAnew(before, after)) await changeHeld(ctx, after)
  if (guest) await changeOwnGuest(ctx, before, guest)
  if (Object.keys(gifts.answers).length > 0) await giveMore(ctx, before, gifts.answers)
  const room = await changeOwnRoom(ctx, before, after)
  const change = await changeTold(ctx, before, was, room)
  if (agreed !== undefined && agreed !== (change?.digest ?? null)) throw conflict('What this change comes to is not what was agreed to')
  await changeOwnPolicies(ctx, before, form)
  const full = new Set(sent(FIELDS.full))
  await changeSessions(ctx, await getParticipant(ctx, participantId), {
    scene: after.scene,
    flow: after.flow,
    answers: after.answers,
    mayWait: (id) => full.has(sessionKey(id)),
  })
  // After what is bought: that may decide what is asked.
  const edited = await editOwnRegistration({ ...ctx, person: { participantId } }, { data: own })
  if (edited.errors.length > 0) throw invalidArguments(edited.errors.map(({ binding, message }) => ({ path: binding, message })))
  if (change) await sendWhatItIs(ctx, before.row)
  return change
}

/** Whether what they hold still fits what is sold today is only asked of whoever changes it. */
const choosesAnew = (before: Progress, after: Progress): boolean =>
  Object.keys(after.answers).some(
    (binding) => binding.startsWith('@product.') && Number(after.answers[binding] ?? 0) !== Number(before.answers[binding] ?? 0),
  )

async function changeHeld(ctx: AtEvent, { scene, flow, row, answers }: Progress): Promise<void> {
  const group = await lockOwnGroup(ctx, row)
  const payer = await payerOf(ctx, row)
  const money = await changeProducts(ctx, {
    scene,
    flow,
    row,
    given: givenTags(row, group),
    answers,
    lines: await holdingsOf(ctx, [row.id]),
    openOrder: () => openOrderOf(ctx, row),
    rule: { by: 'policy' },
    discountCode: (await findOrderOf(ctx, payer))?.discount_code ?? null,
    overrideCapacity: false,
    whenFull: (key) => invalidArguments([{ path: productBinding(key.replace(/^product:/, '')), message: 'full' }]),
  })
  if (money === null) return
  // Whoever began to edit from what was held before, as an organizer may, meets another revision and begins again.
  await updateParticipant(ctx, row, { flow_slug: row.flow_slug })
  await refreshTags(ctx, scene.config, [row.id])
}

interface Standing {
  guests: { id: string; name: string }[]
  lines: LineState[]
}

/** Who comes with them, and what was bought for all of them. */
async function standing(ctx: AtEvent, { row }: Progress, earlier: Standing['guests'] = []): Promise<Standing> {
  const guests = (await guestsOf(ctx, row.id)).map(({ id, first_name, last_name }) => ({
    id,
    name: [first_name, last_name].filter(Boolean).join(' '),
  }))
  const people = new Set([row.id, ...guests.map(({ id }) => id), ...earlier.map(({ id }) => id)])
  return { guests, lines: (await linesOf(ctx, { participantIds: [...people] })).filter(({ kind }) => kind !== 'fee') }
}

async function changeTold(ctx: AtEvent, before: Progress, was: Standing, room: RoomChange | null): Promise<OwnChange | null> {
  const { currency } = before.scene
  const now = await standing(ctx, before, was.guests)
  const { gone, comes } = differences(was.lines, now.lines)
  const guests = { gone: missingIn(was.guests, now.guests), come: missingIn(now.guests, was.guests) }
  const isAsked = gone.length + comes.length + guests.gone.length + guests.come.length > 0 || room?.isOther
  if (!isAsked) return null
  const payer = await payerOf(ctx, await getParticipant(ctx, before.row.id))
  const own = 'participantId' in payer && payer.participantId === before.row.id ? await findOrderOf(ctx, payer) : null
  const inCurrency = (minor: number) => toMoney(minor, currency)
  const told = {
    gone: gone.map(({ minor, ...line }) => ({ ...line, back: inCurrency(minor) })),
    comes: comes.map(({ minor, ...line }) => ({ ...line, total: inCurrency(minor) })),
    back: inCurrency(sumMinor(gone.map(({ minor }) => minor))),
    extra: inCurrency(sumMinor(comes.map(({ minor }) => minor))),
    guests,
    room: room?.isOther ? room : null,
  }
  return {
    ...told,
    balance: own && inCurrency(Math.max(0, own.balance)),
    creditHeld: own && inCurrency(-own.unapplied),
    digest: createHash('sha256').update(JSON.stringify(told)).digest('base64url').slice(0, 16),
  }
}

const missingIn = (all: Standing['guests'], others: Standing['guests']) =>
  all.filter(({ id }) => !others.some((one) => one.id === id)).map(({ name }) => name)

/** What is held less and more than before, line by line. */
function differences(before: readonly LineState[], after: readonly LineState[]) {
  const known = new Map(before.map((line) => [line.id, line]))
  const gone = after.flatMap((line) => {
    const was = known.get(line.id)
    const quantity = (was?.remaining ?? 0) - line.remaining
    return was && quantity > 0 ? [{ description: line.description, quantity, minor: line.creditedTotal - was.creditedTotal }] : []
  })
  const comes = after.flatMap(({ id, description, quantity, total }) => (known.has(id) ? [] : [{ description, quantity, minor: total }]))
  return { gone, comes }
}
