import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  sendHttp,
  FEEDBACK_PATH,
  buildLegacyMessage,
  buildModernMessage,
  ORGANIZER_PATH,
  PARTICIPANT_PATH,
  postMessage,
  toolCallParams,
} from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const OPERATOR = 'canary-operator-token-of-32-characters'

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
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
  it('writes one log line per request with caller, event, tool and result', async () => {
    const answer = await postMessage(served, olga.token, buildLegacyMessage('tools/call', toolCallParams('fixture_echo', { text: 'x' })))
    // The log line is written after the response is closed, and the client may see the response earlier.
    await expect
      .poll(() => requests().find((one) => one.requestId === answer.headers['x-request-id']))
      .toEqual({
        time: expect.any(String),
        level: 'info',
        message: 'request',
        requestId: answer.headers['x-request-id'],
        method: 'POST',
        route: ORGANIZER_PATH,
        status: 200,
        ms: expect.any(Number),
        principal: `organizer ${olga.userId}`,
        tool: 'fixture_echo',
        outcome: 'ok',
      })
  })

  it('writes no token, email address, header or message text of any request to the log', async () => {
    const canary = 'canary-7f3a'
    const { headers } = buildLegacyMessage('tools/list')
    const secret = { ...headers, 'x-participant-session': `lps_${canary}`, cookie: `session=${canary}` }
    const called = buildModernMessage('tools/call', toolCallParams('fixture_echo', { text: canary }))
    await postMessage(served, olga.token, buildLegacyMessage('tools/list'), `${ORGANIZER_PATH}?access_token=${canary}`)
    await postMessage(served, olga.token, buildLegacyMessage('tools/list'), `${ORGANIZER_PATH}?toolsets=${canary}`)
    await postMessage(served, `lat_${canary}`, buildLegacyMessage('tools/list'))
    await postMessage(served, `lak_${canary}`, { headers: secret, body: buildLegacyMessage('tools/list').body }, PARTICIPANT_PATH)
    await postMessage(served, OPERATOR, buildLegacyMessage('tools/list'), FEEDBACK_PATH)
    await postMessage(served, olga.token, called)
    await postMessage(served, olga.token, { headers: { ...called.headers, 'mcp-name': canary }, body: called.body })
    await postMessage(served, olga.token, { headers: { ...called.headers, 'mcp-protocol-version': canary }, body: called.body })
    await postMessage(served, olga.token, buildLegacyMessage('tools/call', toolCallParams(canary, {})))
    await postMessage(served, olga.token, buildModernMessage(canary))
    await postMessage(served, olga.token, { headers, body: `{"${canary}` })
    await postMessage(served, olga.token, buildLegacyMessage('tools/call', toolCallParams('fixture_echo', { [canary]: canary })))
    await sendHttp(served.url(`/${canary}?${canary}`), { headers: { authorization: `Bearer ${canary}` } })
    await sendHttp(served.url(`/metrics?${canary}`), { headers: { authorization: `Bearer ${OPERATOR}` } })

    await expect.poll(() => requests().length).toBeGreaterThanOrEqual(14)
    expect(
      lines()
        .filter((line) => line.message === 'protocol error')
        .map((line) => line.error),
    ).toEqual(expect.arrayContaining([expect.stringContaining('name-header-mismatch')]))
    const text = served.logged.join('\n')
    for (const planted of [canary, olga.token, OPERATOR, olga.email, '?']) expect(text).not.toContain(planted)
  })

  it('control: detects secrets of a request in the log if whole messages are logged', async () => {
    expect(served.logged.join('\n')).toContain(olga.userId)
  })
})
