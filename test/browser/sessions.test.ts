import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { createSessionAt, createSpeakerAt, programSections } from '../support/programs.ts'
import { buildEventPath } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  scenario = await openSalesScenario(programSections(), { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  const { world, event } = scenario
  const [marta, joao] = [await createSpeakerAt(world, event), await createSpeakerAt(world, event, 'João')]
  const plan = (more: Parameters<typeof createSessionAt>[2]) => createSessionAt(world, event, more)
  await plan({
    title: 'Opening: a city that drinks its rain',
    roomCode: 'hall',
    from: '2026-09-01T09:30',
    speakers: [{ speakerId: marta }],
    abstract: 'Forty minutes on gutters, gardens and who pays for them.',
  })
  await plan({ title: 'Paying for pipes absent sees', roomCode: 'hall', from: '2026-09-01T10:30', speakers: [{ speakerId: joao }] })
  await plan({ title: 'What 4,000 cheap gauges taught us', roomCode: 'attic', from: '2026-09-01T10:30', trackCode: 'run', capacity: 12 })
  await plan({ title: 'A very small room', from: '2026-09-01T14:00', trackCode: 'run', capacity: 0 })
  await plan({
    title: 'Build your own gauge',
    roomCode: 'attic',
    from: '2026-09-01T15:00',
    formatCode: 'workshop',
    productCode: 'workshop',
  })
  await plan({
    title: 'Delta cities, one hour each',
    roomCode: 'hall',
    from: '2026-09-02T09:30',
    speakers: [{ speakerId: marta }, { speakerId: joao }],
  })
})
afterAll(() => scenario.world.end())

describe.each(WALKS)('program page with scripts $scripts', ({ label: kept, looks }) => {
  const seen = async (page: Page, name: string) => expect(await findProblemsInLooks(page, looks, `sessions-${name}`)).toEqual([])
  const next = async (page: Page) => {
    await page.click('.bar button.primary')
    await page.waitForLoadState()
  }

  it('lets a participant choose sessions by keyboard and mouse, and shows them in the registration', async () => {
    const page = await (await openContext(looks[0])).newPage()
    const home = `${served.baseUrl}${buildEventPath(scenario.event)}`
    await page.goto(home)
    await seen(page, '1-event')
    await page.click('.days a:not([aria-current])')
    await page.waitForLoadState()
    expect(await page.textContent('.agenda')).toContain('Delta cities')

    await page.goto(`${home}/register/attendee`)
    await page.fill('#email', `hanna.${kept}@linden.example`)
    await page.click('main button.primary')
    await page.fill('[name="@participant.firstName"]', 'Hanna')
    await page.fill('[name="@participant.lastName"]', `Berger ${kept}`)
    await next(page)
    await page.check('[name="@product.pass"]')
    await page.check('[name="_method"]')
    await next(page)
    await seen(page, '2-program')
    await page.getByLabel('Opening: a city that drinks its rain').focus()
    await page.keyboard.press('Space')
    await page.getByLabel('Paying for pipes absent sees').check()
    // A click anywhere in the row selects the session, because the whole row is the label.
    await page.locator('tr', { hasText: 'What 4,000 cheap gauges taught us' }).click()
    expect(await page.getByLabel('What 4,000 cheap gauges taught us').isChecked()).toBe(true)
    expect(await page.getByLabel('Build your own gauge').isDisabled()).toBe(true)
    await next(page)
    expect(await page.textContent('[role=alert]')).toContain('take place at the same time')
    await seen(page, '3-clash')
    await page.getByLabel('What 4,000 cheap gauges taught us').uncheck()
    await page.getByLabel('A very small room').check()
    await next(page)
    await seen(page, '4-summary')
    await next(page)
    await page.goto(`${home}/registration`)
  })
})
