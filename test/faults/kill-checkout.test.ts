import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { BUILT_MODULE_OPTIONS, type ServiceProcess, startProcess } from '../support/process.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { chooseForSoak, soakRounds } from '../support/soak.ts'

/** A soak run with a factor of twenty kills 200 times. */
const KILLS = chooseForSoak(soakRounds(10), 1)
const PEOPLE = KILLS + 6
const LIMIT = 300_000 + KILLS * 150_000

/**
 * Kills the service just after Stripe reported a payment, before or while it is saved. Every payer must end up with one registration, one
 * payment and one email. Requires PostgreSQL, because two processes cannot share an embedded database.
 */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('kill -9 between the card capture and the database commit', () => {
  let checkout: PaymentScenario
  let service: ServiceProcess | undefined
  // Its own database, because the service process runs the migrations there and needs the migration table.
  const server = process.env['TEST_DATABASE_URL']
  beforeAll(
    async () =>
      void (checkout = await openPaymentScenario(undefined, { baseUrl: await chooseFreeBaseUrl(), ...(server ? { server } : {}) })),
  )
  afterAll(async () => {
    await service?.end('SIGKILL')
    await checkout.end()
  })
  const looked = () =>
    checkout.stripe.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/checkout/sessions/')).length
  const settled = () => checkout.count(`charges where status = 'succeeded'`)
  const confirmed = () => checkout.count(`messages where email_code = 'registration.completed'`)

  it(`completes every paid registration exactly once although the service is killed ${KILLS} times`, { timeout: LIMIT }, async () => {
    const { world } = checkout.sales
    const people: string[] = []
    for (let i = 0; i < PEOPLE; i++) {
      const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
      checkout.stripe.pay(chargeId)
      people.push(participantId)
    }
    const opened = looked()
    const env = {
      DATABASE_URL: world.url!,
      LANYARD_BASE_URL: world.services.baseUrl,
      LANYARD_SECRET_KEY: randomBytes(32).toString('base64'),
      LANYARD_DATA_DIR: world.dataDir,
      LANYARD_LOG_LEVEL: 'error',
      STRIPE_STUB: checkout.stripe.address,
    }
    let minutes = 3
    const proceed = () => world.clock.stopAt(new Date(Date.parse('2026-04-10T10:00:00Z') + (minutes += 3) * 60_000).toISOString())
    const start = async () => {
      service = startProcess([...BUILT_MODULE_OPTIONS, 'test/support/serve-stripe.ts'], {
        port: Number(new URL(world.services.baseUrl).port),
        env,
      })
      await service.ready()
    }
    // Repeats until a kill happened before the notification was saved, because some kills come too late.
    for (let kill = 0; kill < KILLS || looked() - opened <= (await settled()); kill++) {
      const before = looked()
      await proceed()
      await start()
      await expect.poll(looked, { interval: 1, timeout: LIMIT }).toBeGreaterThan(before)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (kill === 0 ? 5 : 40)))
      await service!.end('SIGKILL')
    }
    await proceed()
    await start()
    // Work claimed by a killed process becomes available when its lease expires. A kill between the commit and its email leaves the email to
    // a recurring task.
    const reached = async (count: () => Promise<number>) => {
      const counted = async () => ((await count()) < PEOPLE ? proceed().then(count) : count())
      await expect.poll(counted, { interval: 500, timeout: LIMIT }).toBe(PEOPLE)
    }
    await reached(settled)
    await reached(confirmed)
    expect(await checkout.count('due_registration_emails')).toBe(0)
    expect(looked() - opened, 'notifications that were not saved are requested again').toBeGreaterThan(PEOPLE)
    expect(await checkout.count('payments')).toBe(PEOPLE)
    expect(await confirmed()).toBe(PEOPLE)
    expect(await checkout.count(`participants where status = 'complete'`)).toBe(PEOPLE)
    expect(checkout.stripe.refunds).toEqual([])
    await checkout.mustAddUp()
  })
})
