import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newestCodeOf, wrong } from '../support/codes.ts'
import { apiAccountAt } from '../support/participants.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { WORKED_EXAMPLE } from '../support/selling.ts'
import { inSoak, times } from '../support/soak.ts'

/** In a soak 200 codes with 100 guesses each. */
const CODES = times(10)
const GUESSES = inSoak(100, 40)

/** Two processes would share an embedded database, which they cannot. */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('guesses at one code that come to two processes at once', () => {
  let sale: ServedSale
  beforeAll(async () => {
    sale = await openServedSale(WORKED_EXAMPLE, { processes: 2 })
    await Promise.all([sale.start(0), sale.start(1)])
  })
  afterAll(() => sale.end())

  let asked = 0
  /** One call by one of the processes, as an assistant makes it. */
  async function call(place: number, token: string, name: string, args: object): Promise<any> {
    const response = await fetch(`${sale.address(place)}/api/mcp/participant`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++asked, method: 'tools/call', params: { name, arguments: args } }),
    })
    const { result } = (await response.json()) as any
    if (result.isError) throw new Error(`${name} was refused: ${result.content[0].text}`)
    return result.structuredContent
  }

  it(`are evaluated three times and open one session: ${CODES} codes, ${GUESSES} guesses each`, async () => {
    const { world, event } = sale.story
    const { tenantCode, clientCode, eventCode } = event
    let account = await apiAccountAt(world, event)
    let evaluated = 0
    for (let round = 0; round < CODES; round++) {
      // A hundred wrong guesses would stop the account, which is not what this is about.
      if (round % 30 === 29) account = await apiAccountAt(world, event)
      const asking = { tenantCode, clientCode, eventCode, email: `guessed-${round}@example.org` }
      await call(round % 2, account.token, 'agent_request_otp', asking)
      const code = await newestCodeOf(world, asking.email)
      // In every second round the right one is among them, at another place each time.
      const right = round % 2 === 0 ? (round * 7) % GUESSES : -1
      const answers = await Promise.all(
        Array.from({ length: GUESSES }, (_, i) =>
          call(i % 2, account.token, 'agent_verify_otp', { ...asking, code: i === right ? code : wrong(code, i + 1) }),
        ),
      )
      const told = (reason: string) => answers.filter((answer) => answer.reason === reason).length
      const verified = answers.filter((answer) => answer.verified).length
      expect(verified).toBeLessThanOrEqual(1)
      expect(told('wrong_code') + verified).toBeLessThanOrEqual(3)
      expect(told('wrong_code') === 3 || verified === 1).toBe(true)
      expect(told('expired_or_missing')).toBe(GUESSES - told('wrong_code') - verified)
      evaluated += told('wrong_code') + verified
      const { rows } = await world.database.pool.query<any>(
        `select c.attempts, (select count(*)::int from participant_sessions s where s.email = $1) as sessions
         from one_time_codes c where c.email_norm = $1`,
        [asking.email],
      )
      expect(rows).toEqual([{ attempts: told('wrong_code'), sessions: verified }])
    }
    expect(evaluated).toBeGreaterThanOrEqual(CODES)
  })
})
