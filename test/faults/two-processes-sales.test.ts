import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { readLatestCode, chooseWrongCode } from '../support/sign-in-codes.ts'
import { createApiAccountAt } from '../support/participants.ts'
import { buildLimitedProduct, limitedProductSections } from '../support/limited-product.ts'
import { newAttendee } from '../support/sales-scenario.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { chooseForSoak, soakRounds } from '../support/soak.ts'

const [BUYERS, SEATS, ROUNDS] = [chooseForSoak(200, 80), chooseForSoak(50, 20), chooseForSoak(20, 2)]
/** A soak run tests 200 codes with 100 guesses each. */
const CODES = chooseForSoak(soakRounds(10), 4)
const GUESSES = chooseForSoak(100, 40)
const LIMIT = 300_000 + ROUNDS * 120_000

const seats = (capacity: number) => buildLimitedProduct(capacity, { waitlist: true })

type Outcome = 'sold' | 'waits' | 'full'

/** Two service processes on one PostgreSQL; an embedded database supports only one. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('two processes that sell tickets and sign participants in', () => {
  let sale: ServedSale
  /** Participants whose seat was acknowledged and not returned. */
  const holders = new Set<string>()
  let calls = 0

  beforeAll(async () => {
    sale = await openServedSale(limitedProductSections(seats(SEATS)), { processes: 2 })
    await Promise.all([sale.start(0), sale.start(1)])
  }, LIMIT)
  afterAll(() => sale.end(), LIMIT)

  /** Calls a tool through either process, repeating calls whose response asks for a retry. */
  async function call(tool: string, args: Record<string, unknown>): Promise<any> {
    const answer = await sale.callUntilAnswered(tool, args)
    if (answer.isError) throw new Error(`${tool} was refused: ${answer.content[0]?.text}`)
    return answer.structuredContent
  }

  async function buy(more: Record<string, unknown> = {}): Promise<Outcome> {
    const data = { ...newAttendee(), '@product.seat': 1 }
    const asked = { flowSlug: 'attendee', data, idempotencyKey: data['@participant.email'], ...more }
    const answer = await sale.callUntilAnswered('add_participant', asked)
    if (answer.isError) {
      expect(answer.content[0]!.text).toMatch(/Seat is full/)
      return 'full'
    }
    const { participant, waitsFor = [] } = answer.structuredContent
    if (waitsFor.includes('product:seat')) return 'waits'
    holders.add(participant.id)
    return 'sold'
  }

  const stock = async () => {
    const { rows } = await sale.sales.world.database.pool.query<Record<'capacity' | 'overage' | 'held' | 'sold' | 'offers', number>>(
      `select capacity, overage, held, sold, (select count(*)::int from waitlist_entries where status = 'offered') as offers
       from inventory where key = 'product:seat'`,
    )
    return rows[0]!
  }

  const limitTo = async (capacity: number) => {
    const answer = await sale.callUntilAnswered('configure_event', { sections: { products: [seats(capacity)] } })
    // The new limit may be rejected, because more seats may have been sold by then.
    if (answer.isError) return expect(answer.content[0]!.text).toMatch(/is below the \d+ held and sold/)
    await call('publish_event', { acceptWarnings: true })
  }

  async function cancel(id: string): Promise<void> {
    await call('edit_participant', { participantId: id, status: 'cancelled' })
    holders.delete(id)
  }

  it(
    `sells exactly ${SEATS} seats to ${BUYERS} buyers in ${ROUNDS} rounds of cancellations, promotions, overrides and new limits`,
    { timeout: LIMIT },
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const going = [...holders].filter(() => Math.random() < 0.5)
        await Promise.all([
          ...Array.from({ length: BUYERS }, (_, n) => buy({ joinWaitlist: n % 3 === 0 })),
          ...going.map(cancel),
          ...Array.from({ length: 4 }, () =>
            call('promote_waitlist_entries', { target: 'product:seat', count: 3, idempotencyKey: `promote ${++calls}` }),
          ),
          ...Array.from({ length: 3 }, () => buy({ overrideCapacity: true })),
          limitTo(SEATS + (round % 2 === 0 ? 0 : 5)),
        ])
        const { capacity, overage, held, sold, offers } = await stock()
        expect({ sold, held }).toEqual({ sold: holders.size, held: offers })
        expect(sold + held).toBeLessThanOrEqual(capacity + overage)
        // New buyers find exactly the remaining seats.
        const left = capacity + overage - sold - held
        const late = await Promise.all(Array.from({ length: left + 3 }, () => buy()))
        expect(late.filter((outcome) => outcome === 'sold')).toHaveLength(left)
        const { tenantId, eventId } = sale.sales.event
        const found = await checkIntegrity(sale.sales.world.database.read, tenantId, eventId)
        expect(found.filter(({ ok }) => !ok)).toEqual([])
      }
    },
  )

  let asked = 0
  /** One call by one of the processes, as an assistant makes it. */
  async function askAssistant(place: number, token: string, name: string, args: object): Promise<any> {
    const response = await fetch(`${sale.address(place)}/api/mcp/participant`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++asked, method: 'tools/call', params: { name, arguments: args } }),
    })
    const { result } = (await response.json()) as any
    if (result.isError) throw new Error(`${name} was refused: ${result.content[0].text}`)
    return result.structuredContent
  }

  it(`evaluates three guesses per sign-in code and opens one session: ${CODES} codes, ${GUESSES} guesses each`, async () => {
    const { world, event } = sale.sales
    const { tenantCode, clientCode, eventCode } = event
    let account = await createApiAccountAt(world, event)
    let evaluated = 0
    for (let round = 0; round < CODES; round++) {
      // A hundred wrong guesses would lock the account, which another test covers.
      if (round % 30 === 29) account = await createApiAccountAt(world, event)
      const asking = { tenantCode, clientCode, eventCode, email: `guessed-${round}@example.org` }
      await askAssistant(round % 2, account.token, 'agent_request_otp', asking)
      const code = await readLatestCode(world, asking.email)
      // Every second round contains the correct code, at a different position each time.
      const right = round % 2 === 0 ? (round * 7) % GUESSES : -1
      const answers = await Promise.all(
        Array.from({ length: GUESSES }, (_, i) =>
          askAssistant(i % 2, account.token, 'agent_verify_otp', { ...asking, code: i === right ? code : chooseWrongCode(code, i + 1) }),
        ),
      )
      const countReason = (reason: string) => answers.filter((answer) => answer.reason === reason).length
      const verified = answers.filter((answer) => answer.verified).length
      expect(verified).toBeLessThanOrEqual(1)
      expect(countReason('wrong_code') + verified).toBeLessThanOrEqual(3)
      expect(countReason('wrong_code') === 3 || verified === 1).toBe(true)
      expect(countReason('expired_or_missing')).toBe(GUESSES - countReason('wrong_code') - verified)
      evaluated += countReason('wrong_code') + verified
      const { rows } = await world.database.pool.query<any>(
        `select c.attempts, (select count(*)::int from participant_sessions s where s.email = $1) as sessions
         from one_time_codes c where c.email_norm = $1`,
        [asking.email],
      )
      expect(rows).toEqual([{ attempts: countReason('wrong_code'), sessions: verified }])
    }
    expect(evaluated).toBeGreaterThanOrEqual(CODES)
  })
})
