import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openContext, saveScreenshot, WALKS } from '../support/browser.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { createRequestCompany, createRequestHotel, REQUEST_NIGHTS, REQUEST_SECTIONS } from '../support/room-requests.ts'
import { useSalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'

const scenario = useSalesScenario(REQUEST_SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
let served: Served

beforeAll(async () => {
  served = await serve(scenario.world)
  const near = { latitude: 48.858, longitude: 2.356 }
  await createRequestHotel(scenario, { code: 'canal', name: 'Hôtel du Canal', free: [40, 40, 40, 40], ...near })
  await createRequestHotel(scenario, {
    code: 'palais',
    name: 'Palais Résidence',
    free: [40, 40, 40, 40],
    latitude: 48.862,
    longitude: 2.36,
  })
  await createRequestHotel(scenario, { code: 'garden', name: 'Garden Suites', free: [40, 40, 40, 40] })
})

describe.each(WALKS)('pages of a room request with scripts $scripts', ({ label, scripts, looks }) => {
  const seen = async (page: Page, name: string) => {
    expect(await findProblemsInLooks(page, looks, `request-${name}`)).toEqual([])
    await saveScreenshot(page, `request-${name}-${label}`)
  }
  const pressed = async (page: Page, selector: string) => {
    await Promise.all([page.waitForEvent('load'), page.click(selector)])
  }
  const listHotels = (page: Page) =>
    page.locator('.order-list li').evaluateAll((rows) => rows.map((row) => row.firstChild!.firstChild!.textContent))

  it('leads a requester from the draft of a room request to rooms with named guests', async () => {
    const email = `greta.${label}@linden.example`
    const requester = `Linden Waterworks ${label}`
    await createRequestCompany(scenario, email, requester)
    const page = await (await openContext(looks[0])).newPage()
    const at = (path = '') => `${served.baseUrl}${eventHomePath(scenario.event)}/housing/request${path}`
    await page.goto(at())
    await page.fill('#email', email)
    await pressed(page, 'main button.primary')
    await page.fill('#code', await readLatestCode(scenario.world, email))
    await pressed(page, 'main button.primary')
    expect(await page.textContent('h1')).toBe('Request a room block')

    // Errors keep everything that was typed.
    await page.fill('#night-2026-09-01', '900')
    await page.fill('#note', 'Close to the lift, please')
    await pressed(page, '.bar button.primary')
    await seen(page, '1-errors')
    expect(await page.textContent('[role="alert"]')).toContain('Enter a whole number from 0 to 500')
    expect(await page.inputValue('#night-2026-09-01')).toBe('900')
    expect(await page.inputValue('#note')).toBe('Close to the lift, please')

    for (const [index, night] of REQUEST_NIGHTS.entries()) await page.fill(`#night-${night}`, ['2', '3', '3', '2'][index]!)
    if (scripts) await page.locator('.bar .sum', { hasText: '10 room nights' }).waitFor({ state: 'attached' })
    for (const name of ['Hôtel du Canal', 'Palais Résidence', 'Garden Suites']) {
      const value = await page.locator('#added option', { hasText: name }).getAttribute('value')
      await page.selectOption('#added', value!)
      await pressed(page, 'button[value="add"]')
    }
    expect(await listHotels(page)).toEqual(['Hôtel du Canal', 'Palais Résidence', 'Garden Suites'])
    await pressed(page, 'button[aria-label="Move Garden Suites up"]')
    expect(await listHotels(page)).toEqual(['Hôtel du Canal', 'Garden Suites', 'Palais Résidence'])
    await pressed(page, 'button[value="before"]')
    expect(await page.locator('.night-grid tbody tr').count()).toBe(7)
    await pressed(page, '.bar button[value="save"]')
    expect(await page.textContent('.notice.success')).toContain('Draft saved')
    await seen(page, '2-draft')

    // Another visit continues the draft.
    await page.goto(at())
    expect(await page.inputValue('#night-2026-09-02')).toBe('3')
    expect(await page.textContent('.night-grid tfoot')).toContain('10')
    await pressed(page, '.bar button.primary')
    expect(await page.textContent('h1')).toBe('Check your request')
    await seen(page, '3-check')
    await pressed(page, 'button[value="send"]')
    expect(page.url()).toContain('/BR-')
    await seen(page, '4-sent')

    const { requests } = await scenario.call('list_block_requests', { search: requester })
    const [{ id: requestId }] = requests
    const override = { overridePolicy: true, overrideReason: 'The booth is assigned later' }
    await scenario.call('allocate_block_request_rooms', { auto: true, requestIds: [requestId], notify: true, ...override })
    await page.goto(page.url().split('?')[0]!)
    await seen(page, '5-offered')
    await pressed(page, 'button[value="accept"]')
    expect(await page.textContent('.notice.success')).toContain('You accepted the rooms')

    await page.fill('#firstName', 'Oskar')
    await page.fill('#email', 'not an address')
    await pressed(page, 'button[value="guest"]')
    expect(await page.inputValue('#firstName')).toBe('Oskar')
    await seen(page, '6-guest-errors')
    await page.fill('#lastName', 'Brandt')
    await page.fill('#email', `oskar.${label}@linden.example`)
    await pressed(page, 'button[value="guest"]')
    await pressed(page, '.form-foot a')
    await seen(page, '7-upload')
    const csv = (rows: string[]) => ({
      name: 'guests.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['First name,Last name,Email,Check-in,Check-out', ...rows].join('\n')),
    })
    await page.setInputFiles(
      '#file',
      csv([`Ines,Faber,ines.${label}@linden.example,2026-09-01,2026-09-03`, `Milan,Kovač,nowhere,2026-09-01,2026-09-03`]),
    )
    await pressed(page, 'button.primary')
    expect(await page.textContent('[role="alert"]')).toContain('Row 3')
    await seen(page, '8-upload-errors')
    await page.setInputFiles(
      '#file',
      csv([
        `Ines,Faber,ines.${label}@linden.example,2026-09-01,2026-09-03`,
        `Milan,Kovač,milan.${label}@linden.example,2026-08-31,2026-09-02`,
      ]),
    )
    await pressed(page, 'button.primary')
    expect(await page.textContent('.notice.success')).toContain('2 guests have a room now')
    await page.fill(`#amend #night-${REQUEST_NIGHTS[1]}`, '5')
    await pressed(page, 'button[value="change"]')
    await seen(page, '9-guests')
    expect(await page.locator('.rooming tbody tr').count()).toBe(3)
    expect(await page.textContent('#amend')).toContain('+2')

    // Eight of ten room nights have a guest.
    await pressed(page, '.request-links a[href$="/give-back"]')
    await pressed(page, 'button[value="some"]')
    expect(await page.textContent('[role="alert"]')).toContain('Enter at least one room on one night.')
    await seen(page, '10-give-back')
    await page.locator('fieldset input[type="number"]').first().fill('1')
    await pressed(page, 'button[value="some"]')
    expect(await page.textContent('.notice.success')).toContain('1 room night was given back.')
    await seen(page, '11-given-back')
  })
})
