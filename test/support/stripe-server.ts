import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret } from '../../src/kernel/secrets.ts'
import { createStripeProvider } from '../../src/platform/stripe.ts'

export interface StripeRequest {
  method: string
  path: string
  key: string | undefined
  authorization: string | undefined
  headers: IncomingHttpHeaders
  form: Record<string, string>
}

interface Intent {
  id: string
  object: 'payment_intent'
  amount: number
  currency: string
  status: string
  created: number
  metadata: Record<string, string>
  customer: string | null
  payment_method: object | null
  latest_charge: { amount_refunded: number; disputed: boolean }
}

interface Page {
  id: string
  object: 'checkout.session'
  mode: string
  url: string
  status: 'open' | 'complete' | 'expired'
  payment_status: string
  metadata: Record<string, string>
  payment_intent: Intent | null
  setup_intent: object | null
  form: Record<string, string>
}

interface Taken {
  id: string
  payment_intent: string
  amount: number
  currency: string
  status: string
  metadata: Record<string, string>
}

type Answer = { status: number; body: object }

type Outcome = 'succeeded' | 'processing' | 'declined' | 'silent' | 'hanging' | 'broken' | 'invalid' | 'unauthorized' | 'proxy'

export const WEBHOOK_SECRET = 'whsec_of_the_test'

const CARD = { id: 'pm_left', card: { brand: 'visa', last4: '4242', exp_month: 8, exp_year: 2029 } }
const GONE: Answer = { status: 404, body: { error: { type: 'invalid_request_error' } } }

/**
 * A stub of the Stripe API calls that the product makes. Each idempotency key is executed once, and its response is repeated afterwards.
 */
export async function startStripeServer({ now = () => Date.parse('2026-04-10T10:00:00Z') }: { now?: () => number } = {}) {
  const requests: StripeRequest[] = []
  const intents = new Map<string, Intent>()
  const pages = new Map<string, Page>()
  const refunds: Taken[] = []
  const disputes: Taken[] = []
  const answers = new Map<string, Answer>()
  let declined = 0
  const settings = {
    /** The outcome of the next requests; `silent` executes the request and closes the connection without a response. */
    next: 'succeeded' as Outcome,
    /** The outcome of requests that charge a saved card, chosen by its payment method and idempotency key; undefined uses `next`. */
    chargeOutcome: (_card: string, _key: string): Outcome | undefined => undefined,
    /** Whether refund requests are rejected. */
    refusesRefunds: false,
  }
  const stamp = () => Math.floor(now() / 1000)
  const metadataIn = (form: Record<string, string>, at = 'metadata') =>
    Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) => (name.startsWith(`${at}[`) ? [[name.slice(at.length + 1, -1), value]] : [])),
    )

  function newIntent(amount: number, currency: string, metadata: Record<string, string>, status = 'succeeded'): Intent {
    const id = `pi_${intents.size + 1}`
    const latest_charge = { amount_refunded: 0, disputed: false }
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount,
      currency,
      status,
      created: stamp(),
      metadata,
      customer: null,
      payment_method: null,
      latest_charge,
    }
    intents.set(id, intent)
    return intent
  }

  const outcomeOf = ({ method, form, key = '' }: StripeRequest): Outcome =>
    (method === 'POST' && form['payment_method'] ? settings.chargeOutcome(form['payment_method'], key) : undefined) ?? settings.next

  function charge(request: StripeRequest, outcome: Outcome): Answer {
    const { form, key } = request
    if (outcome === 'declined') {
      const error = {
        type: 'card_error',
        code: 'card_declined',
        decline_code: 'insufficient_funds',
        payment_intent: { id: declined++ === 0 ? 'pi_declined' : `pi_declined_${declined}` },
      }
      return { status: 402, body: { error } }
    }
    const status = outcome === 'processing' ? 'processing' : 'succeeded'
    const intent = newIntent(Number(form['amount']), form['currency']!, metadataIn(form), status)
    return keep(key, { status: 200, body: { ...intent } })
  }

  function openPage({ form, key }: StripeRequest): Answer {
    const id = `cs_${pages.size + 1}`
    const page: Page = {
      id,
      object: 'checkout.session',
      mode: form['mode']!,
      url: `https://checkout.example/${id}`,
      status: 'open',
      payment_status: 'unpaid',
      metadata: metadataIn(form),
      payment_intent: null,
      setup_intent: null,
      form,
    }
    pages.set(id, page)
    return keep(key, { status: 200, body: { ...page, form: undefined } })
  }

  function createRefund({ form, key }: StripeRequest): Answer {
    const refund = take(refunds, `re_${refunds.length + 1}`, form['payment_intent']!, Number(form['amount']), 'pending', metadataIn(form))
    if (settings.refusesRefunds) refund.status = 'failed'
    return keep(key, { status: 200, body: { ...refund, object: 'refund' } })
  }

  function take(into: Taken[], id: string, payment_intent: string, amount: number, status: string, metadata = {}): Taken {
    const intent = intents.get(payment_intent)
    const taken = { id, payment_intent, amount, currency: intent?.currency ?? 'eur', status, metadata }
    into.push(taken)
    if (intent && into === refunds) intent.latest_charge.amount_refunded += amount
    if (intent && into === disputes) intent.latest_charge.disputed = true
    return taken
  }

  const keep = (key: string | undefined, answer: Answer): Answer => {
    if (key !== undefined) answers.set(key, answer)
    return answer
  }

  function answerTo(request: StripeRequest, outcome: Outcome): Answer {
    const earlier = request.key === undefined ? undefined : answers.get(request.key)
    if (earlier) return earlier
    if (outcome === 'proxy') return { status: 502, body: { reason: 'upstream' } }
    if (outcome === 'unauthorized')
      return { status: 401, body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_of_the_test' } } }
    if (outcome === 'broken') return { status: 500, body: { error: { type: 'api_error' } } }
    if (outcome === 'invalid') return { status: 400, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } }
    const { pathname, searchParams } = new URL(request.path, 'http://stripe')
    const of = (list: Taken[]) => list.filter(({ payment_intent }) => payment_intent === searchParams.get('payment_intent'))
    if (request.method === 'POST') {
      if (pathname === '/v1/payment_intents') return charge(request, outcome)
      if (pathname === '/v1/checkout/sessions') return openPage(request)
      if (pathname === '/v1/refunds') return createRefund(request)
      return expire(pathname.split('/').at(-2)!)
    }
    if (pathname === '/v1/refunds') return { status: 200, body: { data: of(refunds) } }
    if (pathname === '/v1/disputes') return { status: 200, body: { data: of(disputes) } }
    if (pathname === '/v1/payment_intents') return listed(searchParams)
    if (pathname === '/v1/payment_intents/search') {
      const wanted = /'charge'\]:'(\w+)'/.exec(searchParams.get('query') ?? '')?.[1]
      return { status: 200, body: { data: [...intents.values()].filter(({ metadata }) => metadata['charge'] === wanted) } }
    }
    const name = pathname.split('/').at(-1)!
    const found = intents.get(name) ?? pages.get(name)
    return found ? { status: 200, body: found } : GONE
  }

  function listed(asked: URLSearchParams): Answer {
    const all = [...intents.values()].filter(
      ({ created }) => created >= Number(asked.get('created[gte]')) && created < Number(asked.get('created[lt]')),
    )
    const from = all.findIndex(({ id }) => id === asked.get('starting_after')) + 1
    const data = all.slice(from, from + 2)
    return { status: 200, body: { data, has_more: from + data.length < all.length } }
  }

  function expire(id: string): Answer {
    const page = pages.get(id)
    if (!page) return GONE
    if (page.status !== 'open') return { status: 400, body: { error: { type: 'invalid_request_error' } } }
    page.status = 'expired'
    return { status: 200, body: page }
  }

  const server = createServer((incoming, response) => void serve(incoming, response))
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { authorization, 'idempotency-key': key } = incoming.headers as Record<string, string | undefined>
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
    const request = { method: incoming.method!, path: incoming.url!, key, authorization, headers: incoming.headers, form }
    requests.push(request)
    const outcome = outcomeOf(request)
    const { status, body } = answerTo(request, outcome)
    if (outcome === 'silent') return void incoming.socket.destroy()
    if (outcome === 'hanging') return
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pageOf = (id: string) => [...pages.values()].find(({ metadata }) => metadata['charge'] === id || metadata['setup'] === id)!
  return {
    requests,
    intents,
    pages,
    refunds,
    disputes,
    settings,
    address,
    pageOf,
    /** Completes a charge's payment page as the payer, with the requested amount or another one. */
    pay(chargeId: string, { amount, currency }: { amount?: number; currency?: string } = {}): Intent {
      const page = pageOf(chargeId)
      const { form } = page
      const asked = Object.entries(form).reduce((sum, [name, value]) => sum + (name.endsWith('[unit_amount]') ? Number(value) : 0), 0)
      const intent = newIntent(
        amount ?? asked,
        currency ?? form['line_items[0][price_data][currency]']!,
        metadataIn(form, 'payment_intent_data[metadata]'),
      )
      const isKept = form['payment_intent_data[setup_future_usage]'] === 'off_session'
      Object.assign(intent, { customer: isKept ? 'cus_left' : null, payment_method: CARD })
      Object.assign(page, { status: 'complete', payment_status: 'paid', payment_intent: intent })
      return intent
    },
    /** Saves a card on a setup page as the payer. */
    saveCard(setupId: string): void {
      Object.assign(pageOf(setupId), {
        status: 'complete',
        setup_intent: { status: 'succeeded', customer: 'cus_left', payment_method: CARD },
      })
    },
    /** Refunds a charge in Stripe's own dashboard. */
    refundByHand: (providerRef: string, amount: number) => take(refunds, `re_${refunds.length + 1}`, providerRef, amount, 'succeeded'),
    dispute: (providerRef: string, amount: number, status = 'needs_response') =>
      take(disputes, `dp_${disputes.length + 1}`, providerRef, amount, status),
    cards: createStripeProvider({ secretKey: new Secret('sk_of_the_test'), webhookSecret: new Secret(WEBHOOK_SECRET), address }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Signs a webhook body as Stripe does. */
export function signWebhook(body: string, at: Date, secret = WEBHOOK_SECRET): string {
  const stamp = Math.floor(at.getTime() / 1000)
  return `t=${stamp},v1=${createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex')}`
}
