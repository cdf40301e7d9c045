import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertPeople, runProfileBuild, WORKED_PEOPLE } from '../support/audience-people.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { ConsoleBrowser } from './console-browser.ts'

describe('audience page of an event', () => {
  let scenario: SalesScenario
  let olga: ConsoleBrowser
  let path: string
  const runQueued = async () => {
    const { rows } = await scenario.world.database.pool.query<{ job_id: string }>(
      `select job_id from audience_builds where status = 'queued'`,
    )
    await runProfileBuild(scenario.world, scenario.event, rows[0]!.job_id)
  }

  beforeAll(async () => {
    scenario = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
    await insertPeople(scenario.world, scenario.event, WORKED_PEOPLE)
    olga = await new ConsoleBrowser(await serve(scenario.world)).enter(scenario.world, scenario.olga)
    path = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}/audience`
  })
  afterAll(() => scenario.world.end())

  it('offers to calculate audience profiles, and shows the progress', async () => {
    const { text } = await olga.get(path)
    expect(text).toContain('No profiles yet')
    const { status } = await olga.submit(path, path, {})
    expect(status).toBe(303)
    const waiting = await olga.get(path)
    expect(waiting.text).toContain('The profiles are being calculated')
    expect(waiting.text).not.toContain('Calculate profiles')
  })

  it('shows each audience profile with its size, traits and behaviour', async () => {
    await runQueued()
    const { text, html } = await olga.get(path)
    expect(text).toContain('50 participants in 3 groups of similar people')
    expect(html).toContain('<h2>High spend, returning</h2>')
    expect(text).toMatch(/Last-week booking, no spend 17 34% of 50 participants/)
    expect(text).toMatch(/From abroad 100% 26% Medium spend 76.9% 20%/)
    expect(text).toContain('Recalculate profiles')
  })

  it('recalculates audience profiles with the options of the latest calculation', async () => {
    await scenario.call('rebuild_audience_profiles', { k: 2 })
    await runQueued()
    await olga.submit(path, path, {})
    await runQueued()
    expect((await scenario.call('get_audience_profile')).build).toMatchObject({ status: 'unchanged', k: 2 })
  })

  it('warns that the audience profiles are outdated', async () => {
    await insertPeople(
      scenario.world,
      scenario.event,
      Array.from({ length: 6 }, () => ({ spend: 'low' as const })),
    )
    expect((await olga.get(path)).text).toContain('These profiles are out of date: 6 participants have no profile yet.')
  })
})
