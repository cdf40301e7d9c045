import { expect, it } from 'vitest'
import { Secret } from '../../../kernel/secrets.ts'
import { buildSignedHeaders } from '../signing.ts'

const SECRET = new Secret('whsec_bGFueWFyZC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=')
const MESSAGE = {
  messageId: 'msg_65a1b2c3d4e5f60718293a4b',
  timestamp: 1803891600,
  body: '{"type":"webhook.test","timestamp":"2027-03-01T09:00:00.000Z","data":{}}',
}

it('signs messages as the Standard Webhooks specification requires', () => {
  expect(buildSignedHeaders([SECRET], MESSAGE)).toEqual({
    'webhook-id': 'msg_65a1b2c3d4e5f60718293a4b',
    'webhook-timestamp': '1803891600',
    'webhook-signature': 'v1,2t55bJegJR6J1Ssl0owmDfigf1Qcrjf7jl564DzMbgQ=',
  })
})

it('signs a message with both secrets during a rotation, and differently for each message', () => {
  const other = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
  const [first, second] = buildSignedHeaders([SECRET, other], MESSAGE)['webhook-signature']!.split(' ')
  expect(first).toBe('v1,2t55bJegJR6J1Ssl0owmDfigf1Qcrjf7jl564DzMbgQ=')
  expect(second).toMatch(/^v1,[\w+/]{43}=$/)
  const moved = [
    { ...MESSAGE, timestamp: MESSAGE.timestamp + 1 },
    { ...MESSAGE, body: `${MESSAGE.body} ` },
    { ...MESSAGE, messageId: 'msg_65a1b2c3d4e5f60718293a4c' },
  ].map((message) => buildSignedHeaders([SECRET], message)['webhook-signature'])
  expect(new Set([first, ...moved]).size).toBe(4)
})
