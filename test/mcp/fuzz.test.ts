import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomMessage } from '../support/random-messages.ts'
import { resetRateLimits, buildLegacyMessage, postMessage, toolCallParams } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { expectValidAnswer } from './valid-answer.ts'
import { soakRounds } from '../support/soak.ts'

const BATCHES = soakRounds(30)
const BATCH_SIZE = 20

let world: World
let served: Served
let callers: OrganizerHandle[]

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
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
async function activateClient() {
  await resetRateLimits(world)
  await world.database.pool.query('update clients set active = true, ai_assistants_allowed = true')
}

describe(`${BATCHES * BATCH_SIZE} random messages`, () => {
  it('answers every random message with a valid response, and still works afterwards', async () => {
    const kinds = new Map<string, number>()
    const batch = fc.array(randomMessage([...world.tools.values()]), { minLength: BATCH_SIZE, maxLength: BATCH_SIZE })
    await fc.assert(
      fc.asyncProperty(batch, async (messages) => {
        await activateClient()
        const answers = await Promise.all(messages.map((message, i) => postMessage(served, callers[i % callers.length]!.token, message)))
        for (const answer of answers) {
          expectValidAnswer(answer)
          const kind = answer.json?.result?._meta?.['lanyard/error']?.code ?? (answer.json?.result ? 'result' : String(answer.status))
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        }
      }),
      { numRuns: BATCHES },
    )
    expect(served.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
    // Checks that the random messages reach beyond the first validation step and get several kinds of answers.
    const seen = [...kinds].filter(([, times]) => times > 3).map(([kind]) => kind)
    expect(seen).toEqual(expect.arrayContaining(['result', 'invalid_arguments', 'not_found', 'forbidden', '400']))

    await activateClient()
    const answer = await postMessage(
      served,
      callers[0]!.token,
      buildLegacyMessage('tools/call', toolCallParams('fixture_echo', { text: 'still here' })),
    )
    expect(answer.json.result.structuredContent).toEqual({ text: 'still here', length: 10 })
  })
})
