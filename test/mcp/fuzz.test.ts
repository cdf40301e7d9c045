import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyMessage } from '../support/calls.ts'
import { forgetRates, legacy, post, toolCall } from '../support/rpc.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { expectOrderly } from './orderly.ts'
import { times } from '../support/soak.ts'

const BATCHES = times(30)
const AT_ONCE = 20

let world: World
let served: Served
let callers: OrganizerHandle[]

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  const acme = await world.client({ code: 'acme' })
  const event = await world.event({ code: 'summit', at: acme })
  await world.event({ code: 'draft-event', status: 'draft', at: acme })
  await world.event({ code: 'summit', at: await world.client({ code: 'other' }) })
  callers = [
    await world.organizer({ at: acme }),
    await world.organizer({ at: acme, role: 'analyst' }),
    await world.organizer({ staffOf: event, staffRole: 'manager' }),
  ]
  served = await serve(world)
})
afterAll(() => world.end())

/** Random calls may deactivate their own client; each batch starts with an active one. */
async function asNew() {
  await forgetRates(world)
  await world.database.pool.query('update clients set active = true, ai_assistants_allowed = true')
}

describe(`${BATCHES * AT_ONCE} random messages`, () => {
  it('all get valid answers, and the server still works', async () => {
    const kinds = new Map<string, number>()
    const batch = fc.array(anyMessage([...world.tools.values()]), { minLength: AT_ONCE, maxLength: AT_ONCE })
    await fc.assert(
      fc.asyncProperty(batch, async (messages) => {
        await asNew()
        const answers = await Promise.all(messages.map((message, i) => post(served, callers[i % callers.length]!.token, message)))
        for (const answer of answers) {
          expectOrderly(answer)
          const kind = answer.json?.result?._meta?.['lanyard/error']?.code ?? (answer.json?.result ? 'result' : String(answer.status))
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        }
      }),
      { numRuns: BATCHES },
    )
    expect(served.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
    // A fuzz test that never passes the first check proves little.
    const seen = [...kinds].filter(([, times]) => times > 3).map(([kind]) => kind)
    expect(seen).toEqual(expect.arrayContaining(['result', 'invalid_arguments', 'not_found', 'forbidden', '400']))

    await asNew()
    const answer = await post(served, callers[0]!.token, legacy('tools/call', toolCall('fixture_echo', { text: 'still here' })))
    expect(answer.json.result.structuredContent).toEqual({ text: 'still here', length: 10 })
  })
})
