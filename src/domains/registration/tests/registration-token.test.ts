import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { newWorld, type World } from '../../../../test/support/world.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import { deriveKeys } from '../../../kernel/secrets.ts'
import { issueRegistrationToken, readRegistrationToken, type RegistrationTokenAudience } from '../own/registration-token.ts'

type Parts = Record<string, unknown>

const encoded = (part: Parts) => Buffer.from(JSON.stringify(part)).toString('base64url')
const decoded = (part: string): Parts => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Parts

describe('registration tokens', () => {
  let world: World
  let ctx: EventContext
  let elsewhere: EventContext
  const participantId = newId()

  beforeAll(async () => {
    world = await newWorld()
    const client = await world.client()
    ctx = await createEventContextAt(world, await world.event({ at: client }))
    elsewhere = await createEventContextAt(world, await world.event({ at: client }))
    await world.clock.stopAt('2026-11-02T09:00:00.750Z')
  })
  afterAll(() => world.end())

  const issue = (audience: RegistrationTokenAudience = 'registration', at = ctx) =>
    issueRegistrationToken(at, { audience, participantId, flowSlug: 'attendee' })
  const read = (token: string, more: { audience?: RegistrationTokenAudience; flowSlug?: string; eventId?: string } = {}, at = ctx) =>
    readRegistrationToken(at, token, { audience: 'registration', eventId: ctx.event.id, flowSlug: 'attendee', ...more })

  /** Returns the token with changed claims, with its original signature or signed again with a given key. */
  const forged = async (claims: Parts, { header = {}, sign }: { header?: Parts; sign?: (text: string) => string } = {}) => {
    const [head = '', body = '', signature = ''] = (await issue()).split('.')
    const text = `${encoded({ ...decoded(head), ...header })}.${encoded({ ...decoded(body), ...claims })}`
    return `${text}.${sign ? sign(text) : signature}`
  }
  const ours = (text: string) => ctx.keys.sign('registration token', text)

  it('issues a registration token with participant, event and flow, which expires by the database clock', async () => {
    const [header = '', claims = ''] = (await issue()).split('.')
    const at = Date.parse('2026-11-02T09:00:00Z') / 1000
    expect(decoded(header)).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.stringMatching(/^[\w-]{8}$/) })
    expect(decoded(claims)).toEqual({
      iss: 'http://localhost:3000',
      aud: 'registration',
      sub: participantId,
      evt: ctx.event.id,
      flow: 'attendee',
      iat: at,
      exp: at + 86_400,
      jti: expect.stringMatching(/^[0-9a-f]{24}$/),
    })
    expect(await read(await issue())).toEqual({ state: 'valid', participantId, flowSlug: 'attendee' })
    expect(decoded((await issue()).split('.')[1]!).jti).not.toBe(decoded(claims).jti)
  })

  it('accepts a registration token only for the audience (form or payment page) it was issued for', async () => {
    expect(await read(await issue('pay'))).toEqual({ state: 'invalid' })
    expect(await read(await issue('registration'), { audience: 'pay' })).toEqual({ state: 'invalid' })
    expect(await readRegistrationToken(ctx, await issue('pay'), { audience: 'pay', eventId: ctx.event.id })).toMatchObject({
      state: 'valid',
      participantId,
    })
  })

  it('accepts a registration token only for the event and flow it was issued for', async () => {
    expect(await read(await issue('registration', elsewhere))).toEqual({ state: 'invalid' })
    expect(await read(await issue('registration', elsewhere), { eventId: elsewhere.event.id })).toMatchObject({ state: 'valid' })
    expect(await read(await issue(), { flowSlug: 'speaker' })).toEqual({ state: 'invalid' })
  })

  it('rejects a registration token whose claims were changed', async () => {
    for (const claims of [
      { sub: newId() },
      { aud: 'pay' },
      { evt: elsewhere.event.id },
      { flow: 'speaker' },
      { exp: 9_999_999_999 },
      { jti: 'x' },
    ]) {
      const token = await forged(claims)
      const [audience, eventId, flowSlug] = [claims.aud ?? 'registration', claims.evt ?? ctx.event.id, claims.flow ?? 'attendee']
      expect(await read(token, { audience: audience as RegistrationTokenAudience, eventId, flowSlug })).toEqual({ state: 'invalid' })
    }
  })

  it('rejects a registration token with another signature algorithm, even if the signature is correct', async () => {
    for (const alg of ['none', 'None', 'HS384', 'HS512', 'RS256', '', null]) {
      expect(await read(await forged({}, { header: { alg } }))).toEqual({ state: 'invalid' })
      expect(await read(await forged({}, { header: { alg }, sign: () => '' }))).toEqual({ state: 'invalid' })
      expect(await read(await forged({}, { header: { alg }, sign: ours }))).toEqual({ state: 'invalid' })
    }
    expect(await read(await forged({}, { sign: ours }))).toMatchObject({ state: 'valid' })
  })

  it('rejects a registration token that was signed with another key', async () => {
    const key = randomBytes(32)
    expect(await read(await forged({}, { sign: (text) => createHmac('sha256', key).update(text).digest('base64url') }))).toEqual({
      state: 'invalid',
    })
    // A signature made with the same key for another purpose is not valid here.
    expect(await read(await forged({}, { sign: (text) => ctx.keys.sign('cursor', text) }))).toEqual({ state: 'invalid' })
    const other = { ...ctx, keys: deriveKeys(key) }
    expect(await read(await issue('registration', other))).toEqual({ state: 'invalid' })
    // Links stay valid while the master key is rotated.
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const token = await issue('registration', { ...ctx, keys: deriveKeys(older) })
    expect(await read(token, {}, { ...ctx, keys: deriveKeys(newer, [older]) })).toMatchObject({ state: 'valid' })
  })

  it('rejects text that is not a registration token', async () => {
    const token = await issue()
    const [header, claims, signature] = token.split('.')
    for (const text of [
      '',
      '.',
      '..',
      'a.b.c',
      `${header}.${claims}`,
      `${token}.`,
      `${token}.${signature}`,
      `${header}..${signature}`,
      `${token}=`,
      ` ${token}`,
    ])
      expect(await read(text)).toEqual({ state: 'invalid' })
  })

  it('reports a registration token as expired after 24 hours by the database clock', async () => {
    const token = await issue()
    await world.clock.stopAt('2026-11-03T08:59:59.999Z')
    expect(await read(token)).toMatchObject({ state: 'valid' })
    await world.clock.stopAt('2026-11-03T09:00:00Z')
    expect(await read(token)).toEqual({ state: 'expired' })
    // A token for another flow is reported as invalid, without revealing that it has expired.
    expect(await read(token, { flowSlug: 'speaker' })).toEqual({ state: 'invalid' })
    expect(await read(await forged({ exp: 9_999_999_999 }))).toEqual({ state: 'invalid' })
  })
})
