import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../src/kernel/secrets.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createFetcher } from '../../src/platform/guarded-fetch.ts'
import { createTaxNumberVerifier } from '../../src/platform/tax-number-verifier.ts'
import { type TaxOfficeServer, startTaxOfficeServer } from '../support/tax-office-server.ts'

let server: TaxOfficeServer
beforeAll(async () => {
  server = await startTaxOfficeServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.asked.length = 0
  server.answer = null
})

const HMRC = { clientId: 'lanyard', clientSecret: new Secret('secret-of-the-test') }
const reaching = createFetcher({ allowedHosts: ['127.0.0.1'] })
const both = () => createTaxNumberVerifier({ vies: true, hmrc: HMRC }, reaching, server.addresses)

describe('tax number verification', () => {
  it('confirms registered tax numbers with the tax office of their country', async () => {
    const offices = both()
    expect(await offices.isRegistered('DE', '136695976')).toBe(true)
    expect(await offices.isRegistered('DE', '123456789')).toBe(false)
    expect(await offices.isRegistered('GR', '094259216'), 'Greece is EL there').toBe(true)
    expect(await offices.isRegistered('GB', '553557881')).toBe(true)
    expect(await offices.isRegistered('GB', '999999973')).toBe(false)
    // One token is used for all requests.
    expect(server.asked.map(({ path }) => path.replace(/.*\/(?=[^/]+$)/, ''))).toEqual([
      'check-vat-number',
      'check-vat-number',
      'check-vat-number',
      'token',
      '553557881',
      '999999973',
    ])
    expect(server.asked.at(-1)!.accept).toBe('application/vnd.hmrc.2.0+json')
    // Switzerland has no service, so no request is made.
    expect(await offices.isRegistered('CH', '123456788')).toBeNull()
    expect(server.asked).toHaveLength(6)
  })

  it.each([
    ['reports that the country does not answer', 200, '{"actionSucceed":false,"errorWrappers":[{"error":"MS_UNAVAILABLE"}]}'],
    ['returns an error', 200, '{"valid":false,"userError":"MS_UNAVAILABLE"}'],
    ['has too many requests', 429, '{}'],
    ['is broken', 500, '{"valid":true}'],
    ['returns an unreadable response', 200, '<html>'],
    ['leads elsewhere', 302, ''],
  ])('returns an unknown result when the tax office %s', async (_how, status, body) => {
    server.answer = (_request, response) => void response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body)
    expect(await both().isRegistered('DE', '136695976')).toBeNull()
    expect(await both().isRegistered('GB', '553557881')).toBeNull()
  })

  it('returns an unknown result when the tax office disconnects, refuses the configured credentials, or is unreachable', async () => {
    server.answer = (request) => request.socket.destroy()
    expect(await both().isRegistered('DE', '136695976')).toBeNull()
    server.answer = null
    const stranger = { clientId: 'lanyard', clientSecret: new Secret('wrong') }
    expect(
      await createTaxNumberVerifier({ vies: false, hmrc: stranger }, reaching, server.addresses).isRegistered('GB', '553557881'),
    ).toBeNull()
    server.asked.length = 0
    // Without the operator's permission for localhost no request is sent.
    expect(
      await createTaxNumberVerifier({ vies: true, hmrc: null }, createFetcher({}), server.addresses).isRegistered('DE', '136695976'),
    ).toBeNull()
    expect(server.asked).toEqual([])
  })

  it('verifies tax numbers only with tax offices that the operator configured', async () => {
    const none = createTaxNumberVerifier({ vies: false, hmrc: null }, reaching, server.addresses)
    expect([await none.isRegistered('DE', '136695976'), await none.isRegistered('GB', '553557881'), server.asked]).toEqual([null, null, []])
    const settings = (env: Record<string, string>) => readEnvironment(env, false).taxNumberVerifier
    expect(settings({})).toEqual({ vies: false, hmrc: null })
    expect(settings({ LANYARD_VIES: 'true' }).vies).toBe(true)
    expect(settings({ LANYARD_HMRC_CLIENT_ID: 'a', LANYARD_HMRC_CLIENT_SECRET: 'b' }).hmrc).toMatchObject({ clientId: 'a' })
    expect(() => settings({ LANYARD_HMRC_CLIENT_ID: 'a' })).toThrow('LANYARD_HMRC_CLIENT_SECRET is not set')
    expect(() => settings({ LANYARD_VIES: 'yes' })).toThrow('LANYARD_VIES')
  })
})
