import type { Page } from 'playwright-core'
import QRCode from 'qrcode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, saveScreenshot, applyLook, WALKED_LOOKS, openContext, WALKS } from '../support/browser.ts'
import { findFocusProblems } from '../support/focus.ts'
import { ANA_BADGE, openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor
let company: { id: string; code: string }

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  floor = await openShowFloor(world)
  company = await floor.createLicensedCompany()
  served = await serve(world)
})
afterAll(() => world.end())

async function fill(page: Page, question: Record<string, string>): Promise<void> {
  if (!(await page.locator('#activationCode').isVisible())) await page.click('.scan-codes > summary')
  for (const [name, value] of Object.entries(question)) await page.fill(`#${name}`, value)
}

/** Records the badges of the page's lead requests, in order. */
function requestedBadges(page: Page): string[] {
  const received: string[] = []
  page.on('requestfinished', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/public/lead-sdk') received.push(searchParams.get('badgeId')!)
  })
  return received
}

function fetchedBy(page: Page): string[] {
  const fetched: string[] = []
  page.on('requestfinished', (request) => void fetched.push(new URL(request.url()).pathname))
  return fetched
}

const NO_CAMERA = 'delete Navigator.prototype.mediaDevices'

/** A script that simulates a browser with a native barcode reader that reports these codes. */
const nativeReaderScript = (codes: string) =>
  `globalThis.BarcodeDetector = class { static getSupportedFormats() { return Promise.resolve(['qr_code']) } detect() { return Promise.resolve(${codes}) } }`

/** A script that simulates a camera in a browser without a barcode reader. It shows the first picture until another is selected. */
const cameraScript = (pictures: Record<string, string>) => `
  delete globalThis.BarcodeDetector
  const pictures = ${JSON.stringify(pictures)}
  let shown = new Image()
  globalThis.show = (name) => { shown = new Image(); if (pictures[name]) shown.src = pictures[name] }
  navigator.mediaDevices.getUserMedia = async () => {
    show(Object.keys(pictures)[0])
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 })
    const paper = canvas.getContext('2d')
    setInterval(() => {
      paper.fillStyle = '#ddd'
      paper.fillRect(0, 0, 640, 480)
      if (shown.complete && shown.naturalWidth) paper.drawImage(shown, 200, 120)
    }, 50)
    return (globalThis.camera = canvas.captureStream(10))
  }`

const lookUp = (page: Page) => page.click('main button[type=submit]')

describe('scanner page', () => {
  it.each(WALKS)('shows an accessible scanner page with scripts $scripts', async ({ scripts, looks }) => {
    const context = await openContext(looks[0])
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/scan`)
    // Disables fade-in, because a fading element is not visible yet at the next key.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const expectGood = async (name: string) => {
      expect(await findProblemsInLooks(page, looks, `scan-${name}`)).toEqual([])
      for (const look of scripts ? looks : []) {
        await applyLook(page, look)
        expect([look, await findFocusProblems(page)]).toEqual([look, []])
      }
      await applyLook(page, looks[0])
    }
    await expectGood('before')
    await fill(page, { ...floor.leadRequest(company, ANA_BADGE) })
    await lookUp(page)
    await page.waitForSelector('.lead-card')
    expect(await page.textContent('#lead-name')).toBe('Ana Lima')
    await expectGood('lead')
    await fill(page, { badgeId: 'absent' })
    await lookUp(page)
    await page.getByText('No participant of this event has this badge').first().waitFor()
    await saveScreenshot(page, `scan-refused-${looks[0].width}`)
    await context.close()
  })

  it('announces a scanned lead, keeps scans while offline and sends them in scanning sequence when online', async () => {
    const context = await openContext(WALKED_LOOKS[0])
    const page = await context.newPage()
    const received = requestedBadges(page)
    for (const badge_id of ['off-1', 'off-2']) await floor.people.person({ badge_id })
    await page.goto(`${served.baseUrl}/scan`)
    await fill(page, { ...floor.leadRequest(company, ANA_BADGE) })
    await lookUp(page)
    await page.locator('[data-said]', { hasText: 'Ana Lima: lead saved.' }).waitFor()
    expect(await page.getAttribute('[data-said]', 'role')).toBe('status')
    expect(await page.inputValue('#badgeId')).toBe('')

    await context.setOffline(true)
    for (const badgeId of ['off-1', 'off-2']) {
      await page.fill('#badgeId', badgeId)
      await lookUp(page)
    }
    await page.locator('[data-waiting]', { hasText: '2 scans waiting to be sent.' }).waitFor()
    await page.locator('[data-said]', { hasText: 'No connection.' }).waitFor()
    await saveScreenshot(page, 'scan-offline')
    expect(received).toEqual([ANA_BADGE])
    await context.setOffline(false)
    await page.locator('[data-waiting]').waitFor({ state: 'hidden' })
    await expect.poll(() => received).toEqual([ANA_BADGE, 'off-1', 'off-2'])
    expect(await floor.exhibitors.figure(`select count(*) as n from leads where company_id = '${company.id}' and captures > 0`)).toBe(3)
    await context.close()
  })

  it('restores unsent scans of the scanner page after a reload', async () => {
    const context = await openContext(WALKED_LOOKS[1])
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/scan`)
    await context.setOffline(true)
    await page.fill('#badgeId', 'kept')
    await lookUp(page)
    await page.locator('[data-waiting]', { hasText: '1 scan waiting to be sent.' }).waitFor()
    await page.close()
    await context.setOffline(false)
    const again = await context.newPage()
    await again.goto(`${served.baseUrl}/scan`)
    // The form shows the test event's codes again, for which the scan was meant.
    await again.waitForSelector('.lead-card')
    expect(await again.textContent('#lead-name')).toBe('Test Attendee')
    expect(await again.evaluate('localStorage.getItem("lanyard-leads/demo/demo/demo")')).toBe('[]')
    await context.close()
  })

  it('offers the camera if the browser can read codes, and explains what to do if access is denied', async () => {
    const context = await openContext(WALKED_LOOKS[1], 'whole')
    await context.addInitScript(nativeReaderScript('[]'))
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/scan`)
    await page.click('[data-start]')
    await page.locator('[data-said]', { hasText: 'Camera access is blocked.' }).waitFor()
    await saveScreenshot(page, 'scan-denied')
    await context.close()
  })

  it('records each badge that is held in front of the camera once', async () => {
    const context = await openContext(WALKED_LOOKS[1], 'whole')
    await context.grantPermissions(['camera'], { origin: served.baseUrl })
    await context.addInitScript(nativeReaderScript(`[{ rawValue: 'seen|X' }]`))
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/scan`)
    await page.click('[data-start]')
    await page.waitForSelector('.lead-card')
    expect(await page.textContent('#lead-name')).toBe('Test Attendee')
    expect([await page.locator('video').isVisible(), await page.locator('[data-start]').isVisible()]).toEqual([true, false])
    await saveScreenshot(page, 'scan-camera')
    await context.close()
  })

  it('loads Lanyard’s barcode reader if the browser has none', async () => {
    const context = await openContext(WALKED_LOOKS[1])
    await context.addInitScript(
      cameraScript({ one: await QRCode.toDataURL('first|1'), other: await QRCode.toDataURL('Zoë Ünal|2', { width: 90 }) }),
    )
    const page = await context.newPage()
    const [received, fetched] = [requestedBadges(page), fetchedBy(page)]
    await page.goto(`${served.baseUrl}/scan`)
    await page.locator('[data-start]').waitFor()
    expect(fetched.filter((path) => path.includes('zxing'))).toEqual([])
    await page.click('[data-start]')
    await page.waitForSelector('.lead-card')
    expect(fetched.filter((path) => path.includes('zxing')).map((path) => path.split('/').at(-1))).toEqual([
      'index.js',
      'share.js',
      'zxing_reader.wasm',
    ])
    await page.evaluate('show("nothing")')
    await page.evaluate('show("other")')
    await expect.poll(() => received).toEqual(['first|1', 'Zoë Ünal|2'])
    // On a phone the camera picture and the result are visible without scrolling.
    const [video, name] = [(await page.locator('video').boundingBox())!, (await page.locator('#lead-name').boundingBox())!]
    expect([video.y > 0, video.y + video.height < name.y, name.y + name.height < page.viewportSize()!.height]).toEqual([true, true, true])
    await saveScreenshot(page, 'scan-camera-reader')
    await context.close()
  })

  it('reports that the barcode reader could not be loaded, and tries again on request', async () => {
    const context = await openContext(WALKED_LOOKS[1])
    await context.addInitScript(cameraScript({ one: await QRCode.toDataURL('first|1') }))
    const page = await context.newPage()
    await page.route('**/*.wasm', (route) => route.abort())
    await page.goto(`${served.baseUrl}/scan`)
    await page.click('[data-start]')
    await page.locator('[data-said]', { hasText: 'The code reader could not be loaded.' }).waitFor()
    expect(await page.evaluate('camera.getTracks().map((track) => track.readyState)')).toEqual(['ended'])
    await page.unroute('**/*.wasm')
    await page.click('[data-start]')
    await page.waitForSelector('.lead-card')
    await context.close()
  })

  it('reports on the scanner page that no camera is available', async () => {
    const context = await openContext(WALKED_LOOKS[0])
    await context.addInitScript(NO_CAMERA)
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/scan`)
    await page.locator('[data-said]', { hasText: 'This browser cannot scan codes with a camera.' }).waitFor()
    expect(await page.locator('[data-camera]').isVisible()).toBe(false)
    await context.close()
  })

  it('accepts badges from a barcode scanner that acts as a keyboard, wherever the focus is', async () => {
    const context = await openContext(WALKED_LOOKS[0])
    await context.addInitScript(NO_CAMERA)
    const page = await context.newPage()
    const received = requestedBadges(page)
    await page.goto(`${served.baseUrl}/scan`)
    await page.locator('[data-said]', { hasText: 'type the badge code and press Enter' }).waitFor()
    const focused = () => page.evaluate('document.activeElement.id')
    const types = async (badge: string) => {
      for (const key of [...badge, 'Enter', 'Enter']) await page.keyboard.press(key)
    }
    expect(await focused()).toBe('badgeId')
    await types('a-1')
    await page.waitForSelector('.lead-card')
    expect([await focused(), await page.inputValue('#badgeId')]).toEqual(['badgeId', ''])
    await page.click('h1')
    expect(await focused()).toBe('')
    await types('b|2')
    await expect.poll(() => received).toEqual(['a-1', 'b|2'])
    // While another field has the focus, typed keys belong to that field.
    if (!(await page.locator('#eventCode').isVisible())) await page.click('.scan-codes > summary')
    await page.click('#eventCode')
    await page.keyboard.press('x')
    expect([await page.inputValue('#eventCode'), await page.inputValue('#badgeId')]).toEqual(['demox', ''])
    await context.close()
  })
})
