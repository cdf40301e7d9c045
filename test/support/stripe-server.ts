import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret } from '../../src/kernel/secrets.ts'
import { stripeCards } from '../../src/platform/stripe.ts'

export interface StripeRequest {
  method: string
  path: string
  key: string | undefined
  authorization: string | undefined
  form: Record<string, string>
}

interface Intent {
  id: string
  object: 'payment_intent'
  amount: number
  currency: string
  status: string
  metadata: Record<string, string>
}

export const WEBHOOK_SECRET = 'whsec_of_the_test'

/** What Stripe's servers say, as far as charges go: each key is done once, and answered alike ever after. */
export async function stripeServer() {
  const requests: StripeRequest[] = []
  const intents = new Map<string, Intent>()
  const answers = new Map<string, { status: number; body: object }>()
  const settings = {
    /** What becomes of the next charges; `silent` charges and hangs up. */
    next: 'succeeded' as 'succeeded' | 'processing' | 'declined' | 'silent' | 'broken' | 'invalid',
  }

  function charge({ form, key }: StripeRequest): { status: number; body: object } {
    if (settings.next === 'broken') return { status: 500, body: { error: { type: 'api_error' } } }
    if (settings.next === 'invalid') return { status: 400, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } }
    if (settings.next === 'declined') {
      const error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', payment_intent: { id: 'pi_declined' } }
      return { status: 402, body: { error } }
    }
    const intent: Intent = {
      id: `pi_${intents.size + 1}`,
      object: 'payment_intent',
      amount: Number(form['amount']),
      currency: form['currency']!,
      status: settings.next === 'processing' ? 'processing' : 'succeeded',
      metadata: { charge: form['metadata[charge]']! },
    }
    intents.set(intent.id, intent)
    const answer = { status: 200, body: { ...intent } }
    answers.set(key!, answer)
    return answer
  }

  function answerTo(request: StripeRequest): { status: number; body: object } {
    const earlier = request.key === undefined ? undefined : answers.get(request.key)
    if (earlier) return earlier
    if (request.path === '/v1/payment_intents') return charge(request)
    if (request.path === '/v1/refunds') {
      const answer = { status: 200, body: { id: `re_${answers.size}`, object: 'refund', status: 'pending' } }
      answers.set(request.key!, answer)
      return answer
    }
    if (request.path.startsWith('/v1/payment_intents/search')) {
      const wanted = /'charge'\]:'(\w+)'/.exec(decodeURIComponent(request.path.replaceAll('+', ' ')))?.[1]
      return { status: 200, body: { data: [...intents.values()].filter(({ metadata }) => metadata['charge'] === wanted) } }
    }
    const intent = intents.get(request.path.split('/').at(-1)!)
    return intent ? { status: 200, body: intent } : { status: 404, body: { error: { type: 'invalid_request_error' } } }
  }

  const server = createServer((incoming, response) => void serve(incoming, response))
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { authorization, 'idempotency-key': key } = incoming.headers as Record<string, string | undefined>
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
    const request = { method: incoming.method!, path: incoming.url!, key, authorization, form }
    requests.push(request)
    const { status, body } = answerTo(request)
    if (settings.next === 'silent') return void incoming.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    requests,
    intents,
    settings,
    cards: stripeCards({ secretKey: new Secret('sk_of_the_test'), webhookSecret: new Secret(WEBHOOK_SECRET), address }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** As Stripe signs what it sends. */
export function signed(body: string, at: Date, secret = WEBHOOK_SECRET): string {
  const stamp = Math.floor(at.getTime() / 1000)
  return `t=${stamp},v1=${createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex')}`
}
