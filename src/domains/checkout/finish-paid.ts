import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { tryPart } from '../../kernel/savepoint.ts'
import { readVersionById } from '../configuration/read.ts'
import { dropHolds } from '../housing/hold.ts'
import { secureStaysOf } from '../housing/secure.ts'
import { releaseHolds } from '../inventory/places.ts'
import { applyCredit } from '../orders/ledger.ts'
import { lockOrder } from '../orders/orders.ts'
import { recordCardPayment } from '../payments/card-payments.ts'
import { moneyIn, type Paid } from '../payments/charges.ts'
import { type Answers, answersOf, isChoice } from '../registration/answers.ts'
import { sendConfirmation } from '../registration/confirmation.ts'
import { giveBack, refundRest } from '../registration/give-back.ts'
import { lockOwnGroup } from '../registration/own-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { openOrderOf } from '../registration/payer.ts'
import { getParticipant } from '../registration/people.ts'
import { getFlow, openScene, type Scene } from '../registration/scene.ts'
import { submit } from '../registration/submit.ts'
import { noteFinished } from './finished.ts'

/** What somebody confirmed when they went to pay: it is what they get for it. What else they answered is read when it is paid. */
export const CONFIRMED = {
  flowSlug: z.string(),
  /** By which it was priced; null for the draft. */
  versionId: z.string().nullable(),
  pricedAt: z.string(),
  choices: z.record(z.string(), z.unknown()),
  /** What was agreed to stay open, in minor units. */
  rest: z.number().default(0),
}
type Confirmed = z.output<z.ZodObject<typeof CONFIRMED>>

/** Answers that say what is bought, or all others. */
export const onlyChoices = (answers: Answers, wanted: boolean) =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => isChoice(binding) === wanted))

/** The money for a registration has come: it is finished, with order, invoice, payment and mail, or the money goes back. */
export async function finishPaid(ctx: EventContext, paid: Paid, confirmed: Confirmed) {
  const row = await getParticipant(ctx, paid.charge.participant_id)
  if (row.status === 'complete') return payAfterwards(ctx, row, paid)
  const tried = await tryPart(ctx, () => (row.status === 'incomplete' ? finish(ctx, row, confirmed) : Promise.resolve(null)))
  const done = tried.refused ? null : tried.done
  if (!done) {
    if (row.status === 'incomplete') {
      await releaseHolds(ctx, { participantId: row.id })
      await dropHolds(ctx, row.id)
    }
    return giveBack(ctx, row, paid, row.status === 'cancelled' ? 'The registration was cancelled' : 'The place is gone')
  }
  const { orderId, invoice } = done
  const order = await lockOrder(ctx, orderId)
  await recordCardPayment(ctx, order, invoice?.id ?? null, paid)
  const { balance, currency } = await applyCredit(ctx, orderId)
  await secureStaysOf(ctx, row.id)
  if (row.email !== null) await sendConfirmation(ctx, row.id)
  await noteFinished(ctx, await getParticipant(ctx, row.id))
  const left = moneyIn({ amount: Math.abs(balance), currency })
  const flag =
    balance === confirmed.rest
      ? null
      : `${left} ${balance > 0 ? 'is still owed' : 'is held as credit'} after the payment: what it costs changed meanwhile`
  return { orderId, invoiceId: invoice?.id ?? null, flag }
}

/** As it was confirmed: by the version and the prices of that moment. Whoever has paid has answered what they must. */
async function finish(ctx: EventContext, row: ParticipantRow, { flowSlug, versionId, pricedAt, choices }: Confirmed) {
  const scene = await sceneAsPriced(ctx, row, versionId)
  const submitted = await submit(ctx, {
    scene,
    flow: getFlow(scene, flowSlug),
    answers: { ...onlyChoices(answersOf(row), false), ...choices },
    manualTags: row.manual_tags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group: await lockOwnGroup(ctx, row),
    skipRequired: true,
    overrideClosed: true,
    pricedAt: new Date(pricedAt),
  })
  if (submitted.own === null) throw preconditionFailed('There is no place for this registration any more')
  return submitted.own
}

async function sceneAsPriced(ctx: EventContext, row: ParticipantRow, versionId: string | null): Promise<Scene> {
  const isTest = row.is_test_data
  const scene = { ...(await openScene(ctx, isTest ? { test: { useDraft: true } } : {})), isTest }
  if (versionId === null || versionId === scene.versionId) return scene
  return { ...scene, config: (await readVersionById(ctx, versionId)).config, versionId }
}

/** Somebody finished it another way before the money came: it pays what is open, and goes back as far as nothing is. */
async function payAfterwards(ctx: EventContext, row: ParticipantRow, paid: Paid) {
  const order = await openOrderOf(ctx, row)
  await recordCardPayment(ctx, order, null, paid)
  const { unapplied } = await applyCredit(ctx, order.id)
  const rest = Math.min(-unapplied, paid.amount)
  if (rest > 0) await refundRest(ctx, row, await lockOrder(ctx, order.id), { amount: rest, note: 'It was paid already' })
  return { orderId: order.id, invoiceId: null }
}
