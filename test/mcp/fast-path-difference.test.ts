import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { respondByFastPath } from '../../src/surfaces/mcp/fast-path.ts'
import { randomMessage } from '../support/random-messages.ts'
import { type HttpAnswer, resetRateLimits, buildLegacyMessage, type RpcMessage, postMessage, toolCallParams } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { MESSAGE_CASES } from './messages.ts'
import { soakRounds } from '../support/soak.ts'

let world: World
let olga: OrganizerHandle
let fast: Served
let library: Served
let tampering: Served
let taken = 0
const RANDOM = soakRounds(150)

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  // Stops the clock, so that both paths see the same time.
  await world.clock.stopAt('2026-11-02T09:00:00Z')
  const event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  olga = await world.organizer({ at: event })
  const watched: typeof respondByFastPath = async (...given) => {
    const answer = await respondByFastPath(...given)
    if (answer) taken++
    return answer
  }
  const tampered: typeof respondByFastPath = async (...given) => {
    const answer = await respondByFastPath(...given)
    return answer && 'text' in answer ? { text: answer.text.replace('hello', 'hallo') } : answer
  }
  fast = await serve(world, { extras: { answerFast: watched } })
  library = await serve(world, { port: 0, extras: { answerFast: () => Promise.resolve(null) } })
  tampering = await serve(world, { port: 0, extras: { answerFast: tampered } })
})
afterAll(() => world.end())

/**
 * Returns everything by which a client could distinguish two answers. Cursors are encrypted with a new nonce each time, so only their
 * presence counts.
 */
const seen = ({ status, headers, text, json }: HttpAnswer) => {
  const body = text.replace(/(nextCursor\\?":\\?")[\w.-]+/g, '$1sealed')
  return { status, type: headers['content-type'], body: json === undefined ? body : (JSON.parse(body) as unknown) }
}

async function answersOf(message: RpcMessage, other: Served) {
  await resetRateLimits(world)
  return [seen(await postMessage(other, olga.token, message)), seen(await postMessage(library, olga.token, message))] as const
}

describe('our fast path for MCP messages, compared with the protocol library', () => {
  it.each(MESSAGE_CASES.map((one) => [one.what, one] as const))(
    'returns the same answer from fast path and protocol library to the message: %s',
    async (_what, { headers, body, fast: isFast }) => {
      taken = 0
      const [quick, full] = await answersOf({ headers, body }, fast)
      expect(quick).toEqual(full)
      expect(quick.status).toBeLessThan(500)
      expect(taken).toBe(isFast ? 1 : 0)
    },
  )

  it('returns the same answers from fast path and protocol library to random messages', async () => {
    const reading = [...world.tools.values()].filter((tool) => tool.effect === 'read')
    taken = 0
    await fc.assert(
      fc.asyncProperty(randomMessage(reading), async (message) => {
        const [quick, full] = await answersOf(message, fast)
        expect(quick).toEqual(full)
      }),
      { numRuns: RANDOM },
    )
    expect(taken).toBeGreaterThan(RANDOM / 4)
  })

  it('control: tests enough distinct messages on the fast path and on the protocol library', () => {
    expect(MESSAGE_CASES.length).toBeGreaterThan(45)
    expect(MESSAGE_CASES.filter((one) => one.fast).length).toBeGreaterThan(20)
    expect(new Set(MESSAGE_CASES.map((one) => one.what)).size).toBe(MESSAGE_CASES.length)
  })

  it('control: detects a fast path whose answers differ from those of the protocol library', async () => {
    const [quick, full] = await answersOf(buildLegacyMessage('tools/call', toolCallParams('fixture_echo', { text: 'hello' })), tampering)
    expect(quick).not.toEqual(full)
  })
})
