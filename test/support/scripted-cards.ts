import type { CardCharge, ChargeAnswer, PaymentProvider } from '../../src/kernel/cards.ts'
import { outsideCallRunner } from '../../src/surfaces/worker/run-outside-calls.ts'
import type { Selling } from './selling.ts'

/**
 * What the processor does with a charge: takes it or not, and whether its answer arrives. `lost` has charged and is not heard; `unreached`
 * was never heard of there.
 */
export type Script = 'ok' | 'declined' | 'lost' | 'unreached'

const noPages = () => Promise.reject(new Error('this processor has no pages'))

/** A processor of real rows that plays a script, keeps its own books, and takes money once for each key. */
export class ScriptedCards implements PaymentProvider {
  readonly name = 'scripted'
  readonly keySeconds = 23 * 3600
  /** By key: what it charged, in the order in which it did. */
  readonly charged = new Map<string, CardCharge>()
  readonly refunded = new Map<string, { providerRef: string; amount: number }>()
  asked = 0
  /** By the card, unless something else is set. */
  script: (charge: CardCharge) => Script = ({ card }) => card.methodRef as Script
  refusesRefunds = false

  chargeSaved = async (charge: CardCharge): Promise<ChargeAnswer> => {
    this.asked++
    const script = this.script(charge)
    await Promise.resolve()
    if (script === 'unreached') throw new Error('no connection')
    if (script === 'declined' && !this.charged.has(charge.key)) {
      return { status: 'failed', failureCode: 'card_declined', providerRef: null }
    }
    if (!this.charged.has(charge.key)) this.charged.set(charge.key, charge)
    if (script === 'lost') throw new Error('no answer in time')
    return this.#paid(charge)
  }
  fetch: PaymentProvider['fetch'] = ({ id }) => {
    const charge = this.charged.get(`charge:${id}`)
    return Promise.resolve(charge ? this.#paid(charge) : null)
  }
  refund: PaymentProvider['refund'] = ({ key, refundId, providerRef, amount }) => {
    if (this.refusesRefunds) return Promise.resolve({ status: 'failed', failureCode: 'charge_disputed' })
    this.refunded.set(key, { providerRef, amount })
    return Promise.resolve({ status: 'succeeded', providerRef: `re_${refundId}` })
  }
  verifyWebhook: PaymentProvider['verifyWebhook'] = (body, signature) => (signature === 'signed' ? JSON.parse(body) : null)
  fetchTakenBack: PaymentProvider['fetchTakenBack'] = () => Promise.resolve([])
  list: PaymentProvider['list'] = () => Promise.resolve([])
  createCheckout = noPages
  createSetup = noPages
  fetchSetup = noPages
  expire = noPages
  #paid = ({ key, amount, currency }: CardCharge): ChargeAnswer => ({ status: 'succeeded', providerRef: `pi_${key}`, amount, currency })
}

/** Saves a card that this person agreed to have charged, unless they did not. */
export async function saveCard({ world, event }: Selling, participantId: string, script: Script, { consent = true } = {}): Promise<void> {
  await world.database.pool.query(
    `insert into saved_cards (tenant_id, event_id, id, participant_id, is_test_data, provider, customer_ref, method_ref, brand, last4, consent_at)
     values ($1, $2, $3, $3, false, 'scripted', 'customer', $4, 'visa', '4242', case when $5 then lanyard_now() end)`,
    [event.tenantId, event.eventId, participantId, script, consent],
  )
}

/** What the worker would come to: every call that is due, once. */
export async function runDueCalls({ world }: Pick<Selling, 'world'>): Promise<void> {
  const { rows } = await world.database.pool.query<{ tenantId: number; callId: string }>(
    `select tenant_id as "tenantId", id as "callId" from outside_calls where status in ('waiting', 'calling') order by id`,
  )
  const runner = outsideCallRunner(world.road)
  for (const call of rows) await runner.run(call)
}
