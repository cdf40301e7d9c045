import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaying, type Paying } from '../support/paying.ts'
import { BUILT_MODULES, type ServiceProcess, startProcess } from '../support/process.ts'
import { freeBaseUrl } from '../support/server.ts'
import { inSoak, times } from '../support/soak.ts'

/** A soak run with a factor of twenty kills 200 times. */
const KILLS = inSoak(times(10), 1)
const PEOPLE = KILLS + 6
const LIMIT = 300_000 + KILLS * 150_000

/**
 * Kills the service just after Stripe reported a payment, before or while it is saved. Every payer must end up with one registration, one
 * payment and one email. Requires PostgreSQL, because two processes cannot share an embedded database.
 */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('kill -9 between capture and commit', () => {
  let till: Paying
  let service: ServiceProcess | undefined
  // A separate database: the other process migrates it and needs its migration table.
  const server = process.env['TEST_DATABASE_URL']
  beforeAll(async () => void (till = await openPaying(undefined, { baseUrl: await freeBaseUrl(), ...(server ? { server } : {}) })))
  afterAll(async () => {
    await service?.end('SIGKILL')
    await till.end()
  })
  const looked = () =>
    till.stripe.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/checkout/sessions/')).length
  const settled = () => till.count(`charges where status = 'succeeded'`)

  it(`completes every paid registration exactly once after ${KILLS} kills`, { timeout: LIMIT }, async () => {
    const { world } = till.story
    const people: string[] = []
    for (let i = 0; i < PEOPLE; i++) {
      const { participantId, chargeId } = await till.atTheTill({ pass: 1 })
      till.stripe.pay(chargeId)
      people.push(participantId)
    }
    const opened = looked()
    const env = {
      DATABASE_URL: world.url!,
      LANYARD_BASE_URL: world.services.baseUrl,
      LANYARD_SECRET_KEY: randomBytes(32).toString('base64'),
      LANYARD_DATA_DIR: world.dataDir,
      LANYARD_LOG_LEVEL: 'error',
      STRIPE_STUB: till.stripe.address,
    }
    let minutes = 3
    const goOn = () => world.clock.stopAt(new Date(Date.parse('2026-04-10T10:00:00Z') + (minutes += 3) * 60_000).toISOString())
    const start = async () => {
      service = startProcess([...BUILT_MODULES, 'test/support/serve-stripe.ts'], { port: Number(new URL(world.services.baseUrl).port), env })
      await service.ready()
    }
    // Repeats until a kill happened before the notification was saved, because some kills come too late.
    for (let kill = 0; kill < KILLS || looked() - opened <= (await settled()); kill++) {
      const before = looked()
      await goOn()
      await start()
      await expect.poll(looked, { interval: 1, timeout: LIMIT }).toBeGreaterThan(before)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (kill === 0 ? 5 : 40)))
      await service!.end('SIGKILL')
    }
    await goOn()
    await start()
    // Work claimed by a killed process becomes available when its lease expires.
    await expect
      .poll(async () => ((await settled()) < PEOPLE ? goOn().then(settled) : PEOPLE), { interval: 500, timeout: LIMIT })
      .toBe(PEOPLE)
    expect(looked() - opened, 'notifications that were not saved are requested again').toBeGreaterThan(PEOPLE)
    expect(await till.count('payments')).toBe(PEOPLE)
    expect(await till.count(`messages where email_code = 'registration.completed'`)).toBe(PEOPLE)
    expect(await till.count(`participants where status = 'complete'`)).toBe(PEOPLE)
    expect(till.stripe.refunds).toEqual([])
    await till.mustAddUp()
  })
})
