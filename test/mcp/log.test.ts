import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchange, FEEDBACK, legacy, modern, ORGANIZER, PARTICIPANT, post, toolCall } from '../support/rpc.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const OPERATOR = 'canary-operator-token-of-32-characters'

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  const event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  olga = await world.organizer({ at: event })
  served = await serve(world, { env: { LANYARD_OPERATOR_TOKEN: OPERATOR } })
})
afterAll(() => world.end())

interface Line {
  message: string
  route?: string
  status?: number
  [field: string]: unknown
}

const lines = (): Line[] => served.logged.map((line) => JSON.parse(line) as Line)
const requests = () => lines().filter((line) => line.message === 'request')

describe('request log', () => {
  it('has one line per request with caller, event, tool and result', async () => {
    const answer = await post(served, olga.token, legacy('tools/call', toolCall('fixture_echo', { text: 'x' })))
    // The line is written after the response is closed, which the client may see earlier.
    await expect
      .poll(() => requests().find((one) => one.requestId === answer.headers['x-request-id']))
      .toEqual({
        time: expect.any(String),
        level: 'info',
        message: 'request',
        requestId: answer.headers['x-request-id'],
        method: 'POST',
        route: ORGANIZER,
        status: 200,
        ms: expect.any(Number),
        principal: `organizer ${olga.userId}`,
        tool: 'fixture_echo',
        outcome: 'ok',
      })
  })

  it('contains no token, email address, header or message for any request', async () => {
    const canary = 'canary-7f3a'
    const { headers } = legacy('tools/list')
    const secret = { ...headers, 'x-participant-session': `lps_${canary}`, cookie: `session=${canary}` }
    const called = modern('tools/call', toolCall('fixture_echo', { text: canary }))
    await post(served, olga.token, legacy('tools/list'), `${ORGANIZER}?access_token=${canary}`)
    await post(served, olga.token, legacy('tools/list'), `${ORGANIZER}?toolsets=${canary}`)
    await post(served, `lat_${canary}`, legacy('tools/list'))
    await post(served, `lak_${canary}`, { headers: secret, body: legacy('tools/list').body }, PARTICIPANT)
    await post(served, OPERATOR, legacy('tools/list'), FEEDBACK)
    await post(served, olga.token, called)
    await post(served, olga.token, { headers: { ...called.headers, 'mcp-name': canary }, body: called.body })
    await post(served, olga.token, { headers: { ...called.headers, 'mcp-protocol-version': canary }, body: called.body })
    await post(served, olga.token, legacy('tools/call', toolCall(canary, {})))
    await post(served, olga.token, modern(canary))
    await post(served, olga.token, { headers, body: `{"${canary}` })
    await post(served, olga.token, legacy('tools/call', toolCall('fixture_echo', { [canary]: canary })))
    await exchange(served.url(`/${canary}?${canary}`), { headers: { authorization: `Bearer ${canary}` } })
    await exchange(served.url(`/metrics?${canary}`), { headers: { authorization: `Bearer ${OPERATOR}` } })

    await expect.poll(() => requests().length).toBeGreaterThanOrEqual(14)
    expect(
      lines()
        .filter((line) => line.message === 'protocol error')
        .map((line) => line.error),
    ).toEqual(expect.arrayContaining([expect.stringContaining('name-header-mismatch')]))
    const text = served.logged.join('\n')
    for (const planted of [canary, olga.token, OPERATOR, olga.email, '?']) expect(text).not.toContain(planted)
  })

  it('would show the planted secret if it were logged', async () => {
    expect(served.logged.join('\n')).toContain(olga.userId)
  })
})
