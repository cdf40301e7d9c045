import type { CardCharge, ChargeResult, PaymentProvider } from '../../src/kernel/cards.ts'
import { createExternalCallRunner } from '../../src/surfaces/worker/run-external-calls.ts'
import type { SalesScenario } from './sales-scenario.ts'

/**
 * The outcome of a charge, and whether the response arrives. `lost` charges the card but loses the response; `unreached` never arrives
 * at the processor.
 */
export type ChargeOutcome = 'ok' | 'declined' | 'lost' | 'unreached'

const noPages = () => Promise.reject(new Error('this processor has no hosted pages'))

/** A payment processor that follows a script, records its charges and charges once per idempotency key. */
export class ScriptedCards implements PaymentProvider {
  readonly name = 'scripted'
  readonly keyLifetimeSeconds = 23 * 3600
  /** Charges by idempotency key, in order. */
  readonly charged = new Map<string, CardCharge>()
  readonly refunded = new Map<string, { providerRef: string; amount: number }>()
  asked = 0
  /** Chooses the outcome of a charge. By default the card's reference names the outcome. */
  script: (charge: CardCharge) => ChargeOutcome = ({ card }) => card.methodRef as ChargeOutcome
  refusesRefunds = false

  chargeSaved = async (charge: CardCharge): Promise<ChargeResult> => {
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
  fetchReversals: PaymentProvider['fetchReversals'] = () => Promise.resolve([])
  list: PaymentProvider['list'] = () => Promise.resolve([])
  createCheckout = noPages
  createSetup = noPages
  fetchSetup = noPages
  expire = noPages
  #paid = ({ key, amount, currency }: CardCharge): ChargeResult => ({ status: 'succeeded', providerRef: `pi_${key}`, amount, currency })
}

/** Saves a card; by default the participant consents to later charges. */
export async function saveScriptedCard(
  { world, event }: SalesScenario,
  participantId: string,
  script: ChargeOutcome,
  { consent = true } = {},
): Promise<void> {
  await world.database.pool.query(
    `insert into saved_cards (tenant_id, event_id, id, participant_id, is_test_data, provider, customer_ref, method_ref, brand, last4, consent_at)
     values ($1, $2, $3, $3, false, 'scripted', 'customer', $4, 'visa', '4242', case when $5 then lanyard_now() end)`,
    [event.tenantId, event.eventId, participantId, script, consent],
  )
}

/** Runs every external call that is due once, as the worker would. */
export async function runDueExternalCalls({ world }: Pick<SalesScenario, 'world'>): Promise<void> {
  const { rows } = await world.database.pool.query<{ tenantId: number; callId: string }>(
    `select tenant_id as "tenantId", id as "callId" from outside_calls where status in ('waiting', 'calling') order by id`,
  )
  const runner = createExternalCallRunner(world.services)
  for (const call of rows) await runner.run(call)
}
