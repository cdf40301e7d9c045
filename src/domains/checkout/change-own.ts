import { createHash } from 'node:crypto'
import { conflict, invalidArguments } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { type Money, sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { toProductAnswerKey } from '../configuration/flow/collected-answers.ts'
import { listOrderLinesWithCredits, type OrderLineWithCredits } from '../orders/lines.ts'
import { findOrder } from '../orders/orders.ts'
import { normalizeAnswers } from '../registration/answers.ts'
import { findPurchaseDiscountCode } from '../registration/edit/change-discount-code.ts'
import { changeParticipantProducts } from '../registration/edit/change-products.ts'
import { scheduleStatusEmail } from '../registration/due-emails.ts'
import { editOwnRegistration } from '../registration/own/edit-own.ts'
import { listSoldOrderLines } from '../registration/sale/holdings.ts'
import { collectAssignedTags, lockGroupOfParticipant } from '../registration/participant-group.ts'
import { getOrCreatePayerOrder, getOrderOwner } from '../registration/sale/payer.ts'
import { getParticipant, listGuests, incrementParticipantRevision } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { updateSessionEnrolments, listChosenProductCodes } from '../registration/sessions.ts'
import { recalculateTags } from '../registration/tags.ts'
import { toSessionInventoryKey, listChosenSessionIds } from '../sessions/context.ts'
import { loadCompletedRegistration, parseRegistrationEditForm, assertRegistrationEditable } from './completed-progress.ts'
import { readDonations, addDonations } from './own-donations.ts'
import { changeOwnGuest, readGuestEdit } from './own-guests.ts'
import { changeOwnPolicyAcceptances } from './own-policies.ts'
import { changeOwnRoom, type OwnRoomChange } from './own-room.ts'
import type { RegistrationProgress } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from './sent-page.ts'
import { findSessionChoiceErrors } from './session-choice.ts'

/** The effects of a change to products, guests or room, shown to the participant for confirmation. */
export interface OwnRegistrationChangeEffects {
  removed: { description: string; quantity: number; refund: Money }[]
  added: { description: string; quantity: number; total: Money }[]
  /** The total of the credit notes (`refund`) and of the new invoices that the change would issue. */
  refund: Money
  newCharges: Money
  /** Names of the removed and added guests. */
  guests: { removed: string[]; added: string[] }
  room: OwnRoomChange | null
  /** The balance of the participant's own order after the change; null if a group or host pays. */
  balance: Money | null
  creditHeld: Money | null
  /**
   * A hash of all amounts and effects shown to the participant. If the hash has changed at the confirmation, the participant must confirm
   * again.
   */
  digest: string
}

interface Changing {
  page: string
  sent: GetFormValues
  /** The value of the button that the participant pressed. The value of a button that removes a guest contains the guest's number. */
  action: string
  /** The digest of the change that the participant confirmed, or null if there was nothing to confirm. Omitted for a preview. */
  agreed?: string | null
}

/**
 * Changes one page of the participant's own complete registration, all or nothing. Removed products are credited by the cancellation
 * policy, added ones are invoiced at the current price. Returns null if the change affects neither prices nor bookings.
 */
export async function changeOwnRegistrationPage(
  ctx: RegistrationContext,
  participantId: string,
  { page, sent, action, agreed }: Changing,
): Promise<OwnRegistrationChangeEffects | null> {
  const before = await loadCompletedRegistration(ctx, participantId)
  assertRegistrationEditable(before)
  const { after, own, form, errors } = parseRegistrationEditForm(before, page, sent)
  const { snapshot, flow } = before
  const gifts = normalizeAnswers({ config: snapshot.config, flow }, readDonations(before, page, sent))
  const sessions = await findSessionChoiceErrors(ctx, after, { page, sent, before: new Set(listChosenSessionIds(before.answers)) })
  const allErrors = [...errors, ...gifts.errors, ...sessions]
  if (allErrors.length > 0) throw invalidArguments(allErrors)
  const guest = readGuestEdit(before, sent, action)
  const initial = await readGuestsAndLines(ctx, before)

  if (changesProducts(before, after)) await applyProductChange(ctx, after)
  if (guest) await changeOwnGuest(ctx, before, guest)
  if (Object.keys(gifts.answers).length > 0) await addDonations(ctx, before, gifts.answers)
  const room = await changeOwnRoom(ctx, before, after, form.otherHotels ?? [])
  const change = await describeChange(ctx, before, initial, room)
  if (agreed !== undefined && agreed !== (change?.digest ?? null))
    throw conflict('The effects of this change are not those that were confirmed')
  await changeOwnPolicyAcceptances(ctx, before, form)
  const full = new Set(sent(NON_ANSWER_FORM_FIELDS.full))
  await updateSessionEnrolments(ctx, await getParticipant(ctx, participantId), {
    snapshot: after.snapshot,
    flow: after.flow,
    answers: after.answers,
    mayWait: (id) => full.has(toSessionInventoryKey(id)),
    productsBefore: listChosenProductCodes(before.answers),
  })
  // Changes of products are applied before changes of answers, because products can decide which questions are asked.
  const edited = await editOwnRegistration({ ...ctx, person: { participantId } }, { data: own })
  if (edited.errors.length > 0) throw invalidArguments(edited.errors.map(({ binding, message }) => ({ path: binding, message })))
  if (change) await scheduleStatusEmail(ctx, before.row)
  return change
}

/** Whether the change affects products. If it does not, the products are not checked, because some may no longer be on sale. */
const changesProducts = (before: RegistrationProgress, after: RegistrationProgress): boolean =>
  Object.keys(after.answers).some(
    (binding) => binding.startsWith('@product.') && Number(after.answers[binding] ?? 0) !== Number(before.answers[binding] ?? 0),
  )

async function applyProductChange(ctx: RegistrationContext, { snapshot, flow, row, answers }: RegistrationProgress): Promise<void> {
  const group = await lockGroupOfParticipant(ctx, row)
  const money = await changeParticipantProducts(ctx, {
    snapshot,
    flow,
    row,
    given: collectAssignedTags(row, group),
    answers,
    lines: await listSoldOrderLines(ctx, [row.id]),
    openOrder: () => getOrCreatePayerOrder(ctx, row),
    rule: { by: 'policy' },
    discountCode: await findPurchaseDiscountCode(ctx, row),
    overrideCapacity: false,
    whenFull: (key) => invalidArguments([toFieldError(toProductAnswerKey(key.replace(/^product:/, '')), 'error.full')]),
  })
  if (money === null) return
  await incrementParticipantRevision(ctx, row)
  await recalculateTags(ctx, snapshot.config, [row.id])
}

interface GuestsAndLines {
  guests: { id: string; name: string }[]
  lines: OrderLineWithCredits[]
}

/** Reads the guests, and the order lines of the participant and all guests. */
async function readGuestsAndLines(
  ctx: RegistrationContext,
  { row }: RegistrationProgress,
  earlier: GuestsAndLines['guests'] = [],
): Promise<GuestsAndLines> {
  const guests = (await listGuests(ctx, row.id)).map(({ id, first_name, last_name }) => ({
    id,
    name: [first_name, last_name].filter(Boolean).join(' '),
  }))
  const people = new Set([row.id, ...guests.map(({ id }) => id), ...earlier.map(({ id }) => id)])
  return { guests, lines: (await listOrderLinesWithCredits(ctx, { participantIds: [...people] })).filter(({ kind }) => kind !== 'fee') }
}

async function describeChange(
  ctx: RegistrationContext,
  before: RegistrationProgress,
  initial: GuestsAndLines,
  room: OwnRoomChange | null,
): Promise<OwnRegistrationChangeEffects | null> {
  const { currency } = before.snapshot
  const now = await readGuestsAndLines(ctx, before, initial.guests)
  const { removed, added } = compareLines(initial.lines, now.lines)
  const guests = { removed: namesMissingIn(initial.guests, now.guests), added: namesMissingIn(now.guests, initial.guests) }
  const needsConfirmation = removed.length + added.length + guests.removed.length + guests.added.length > 0 || room?.isOther
  if (!needsConfirmation) return null
  const payer = await getOrderOwner(ctx, await getParticipant(ctx, before.row.id))
  const own = 'participantId' in payer && payer.participantId === before.row.id ? await findOrder(ctx, payer) : null
  const inCurrency = (minor: number) => toMoney(minor, currency)
  const changes = {
    removed: removed.map(({ minor, ...line }) => ({ ...line, refund: inCurrency(minor) })),
    added: added.map(({ minor, ...line }) => ({ ...line, total: inCurrency(minor) })),
    refund: inCurrency(sumMinorUnits(removed.map(({ minor }) => minor))),
    newCharges: inCurrency(sumMinorUnits(added.map(({ minor }) => minor))),
    guests,
    room: room?.isOther ? room : null,
  }
  return {
    ...changes,
    balance: own && inCurrency(Math.max(0, own.balance)),
    creditHeld: own && inCurrency(-own.unapplied),
    digest: createHash('sha256').update(JSON.stringify(changes)).digest('base64url').slice(0, 16),
  }
}

const namesMissingIn = (all: GuestsAndLines['guests'], others: GuestsAndLines['guests']) =>
  all.filter(({ id }) => !others.some((one) => one.id === id)).map(({ name }) => name)

/** Compares order lines before and after the change. */
function compareLines(before: readonly OrderLineWithCredits[], after: readonly OrderLineWithCredits[]) {
  const known = new Map(before.map((line) => [line.id, line]))
  const removed = after.flatMap((line) => {
    const was = known.get(line.id)
    const quantity = (was?.remaining ?? 0) - line.remaining
    return was && quantity > 0 ? [{ description: line.description, quantity, minor: line.creditedTotal - was.creditedTotal }] : []
  })
  const added = after.flatMap(({ id, description, quantity, total }) => (known.has(id) ? [] : [{ description, quantity, minor: total }]))
  return { removed, added }
}
