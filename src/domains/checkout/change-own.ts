import { createHash } from 'node:crypto'
import { conflict, invalidArguments } from '../../kernel/errors.ts'
import { type Money, sumMinor, toMoney } from '../../kernel/money.ts'
import { productBinding } from '../configuration/flow/collects.ts'
import type { LineState } from '../orders/lines.ts'
import { findOrderOf } from '../orders/orders.ts'
import { changeProducts } from '../registration/change-products.ts'
import { sendWhatItIs } from '../registration/confirmation.ts'
import { editOwnRegistration } from '../registration/edit-own.ts'
import { holdingsOf } from '../registration/holdings.ts'
import { givenTags, lockOwnGroup } from '../registration/own-group.ts'
import { openOrderOf, payerOf } from '../registration/payer.ts'
import { updateParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { changeSessions } from '../registration/sessions.ts'
import { refreshTags } from '../registration/tags.ts'
import { sessionKey, sessionsIn } from '../sessions/at-event.ts'
import { heldProgress, readOwnEdit, refuseClosed } from './held-progress.ts'
import type { Progress } from './progress.ts'
import { FIELDS, type Sent } from './sent-page.ts'
import { sessionFaults } from './session-choice.ts'

/** What a change of what somebody bought comes to. */
export interface OwnChange {
  gone: { description: string; quantity: number; back: Money }[]
  comes: { description: string; quantity: number; total: Money }[]
  /** On the credit note, and on the new invoice. */
  back: Money
  extra: Money
  /** Afterwards, of their own order; null where somebody else pays. */
  balance: Money | null
  creditHeld: Money | null
  /** Changes with anything that somebody would want to know before they agree. */
  digest: string
}

interface Changing {
  page: string
  sent: Sent
  /** The digest that the person saw, null where nothing was to be seen; left out to find out what there is to see. */
  agreed?: string | null
}

/**
 * A person changes a page of their own registration, all of it or nothing. What they take less of is credited by the event's terms, what
 * they take more of is invoiced at today's price. Null where nothing that costs is changed.
 */
export async function changeOwnChoices(ctx: AtEvent, participantId: string, { page, sent, agreed }: Changing): Promise<OwnChange | null> {
  const before = await heldProgress(ctx, participantId)
  refuseClosed(before)
  const { after, own, errors } = readOwnEdit(before, page, sent)
  errors.push(...(await sessionFaults(ctx, after, { page, sent, before: new Set(sessionsIn(before.answers)) })))
  if (errors.length > 0) throw invalidArguments(errors)
  const change = choosesAnew(before, after) ? await changeHeld(ctx, after) : null
  if (agreed !== undefined && agreed !== (change?.digest ?? null)) throw conflict('What this change comes to is not what was agreed to')
  const { scene, flow, answers } = after
  const full = new Set(sent(FIELDS.full))
  await changeSessions(ctx, before.row, { scene, flow, answers, mayWait: (id) => full.has(sessionKey(id)) })
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

async function changeHeld(ctx: AtEvent, { scene, flow, row, answers }: Progress): Promise<OwnChange | null> {
  const group = await lockOwnGroup(ctx, row)
  const lines = await holdingsOf(ctx, [row.id])
  const payer = await payerOf(ctx, row)
  const money = await changeProducts(ctx, {
    scene,
    flow,
    row,
    given: givenTags(row, group),
    answers,
    lines,
    openOrder: () => openOrderOf(ctx, row),
    rule: { by: 'policy' },
    discountCode: (await findOrderOf(ctx, payer))?.discount_code ?? null,
    overrideCapacity: false,
    whenFull: (key) => invalidArguments([{ path: productBinding(key.replace(/^product:/, '')), message: 'full' }]),
  })
  if (money === null) return null
  // Whoever began to edit from what was held before, as an organizer may, meets another revision and begins again.
  await updateParticipant(ctx, row, { flow_slug: row.flow_slug })
  await refreshTags(ctx, scene.config, [row.id])
  const inCurrency = (minor: number) => toMoney(minor, scene.currency)
  const { gone, comes } = differences(lines, await holdingsOf(ctx, [row.id]))
  const own = 'participantId' in payer && payer.participantId === row.id ? await findOrderOf(ctx, payer) : null
  const told = {
    gone: gone.map(({ minor, ...line }) => ({ ...line, back: inCurrency(minor) })),
    comes: comes.map(({ minor, ...line }) => ({ ...line, total: inCurrency(minor) })),
    back: inCurrency(sumMinor(gone.map(({ minor }) => minor))),
    extra: inCurrency(money.invoice?.total ?? 0),
  }
  return {
    ...told,
    balance: own && inCurrency(Math.max(0, own.balance)),
    creditHeld: own && inCurrency(-own.unapplied),
    digest: createHash('sha256').update(JSON.stringify(told)).digest('base64url').slice(0, 16),
  }
}

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
