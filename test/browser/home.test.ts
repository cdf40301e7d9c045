import { readFileSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoCredentials, seedDemo } from '../../src/demo.ts'
import { createPasswordHasher } from '../../src/platform/passwords.ts'
import { WALKED_LOOKS, openContext, findSeriousProblems, findLayoutProblems, sharedBrowser, signInWith } from '../support/browser.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readWebpSize } from '../support/webp.ts'
import { newWorld, resourceAt, type World } from '../support/world.ts'

const EVENT = '/console/events/acme/summit-2027'
/** The size that the home page and README declare. The image files have 1.5 times the resolution. */
const SIZE = { width: 1280, height: 860 }
const FINENESS = 1.5

let world: World
let served: Served
let demo: DemoCredentials

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const { keys, files, baseUrl } = world.services
  demo = await seedDemo(world.database, { resource: resourceAt(baseUrl), passwords: await createPasswordHasher(), keys, files })
  served = await serve(world)
})
afterAll(() => world.end())

const signIn = (page: Page, next: string) =>
  signInWith(page, served.baseUrl, { email: demo.organizer, password: demo.password.reveal() }, next)

const PACK = `async (source) => {
  const picture = new Image()
  picture.src = 'data:image/png;base64,' + source
  await picture.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: picture.naturalWidth, height: picture.naturalHeight })
  canvas.getContext('2d').drawImage(picture, 0, 0)
  return canvas.toDataURL('image/webp', 0.82).split(',')[1]
}`

/** Encodes the browser's own screenshot as WebP, so that no image tool is needed. */
async function packed(page: Page): Promise<Buffer> {
  const shot = (await page.screenshot({ type: 'png' })).toString('base64')
  const blank = await (await (await sharedBrowser()).newContext()).newPage()
  const webp = await blank.evaluate<string>(`(${PACK})('${shot}')`)
  await blank.context().close()
  return Buffer.from(webp, 'base64')
}

describe.each(['light', 'dark'] as const)('console screenshot, %s', (scheme) => {
  const file = `assets/home-${scheme}.webp`

  it('shows a live event in the console screenshot, which has the declared size', async () => {
    const context = await (
      await sharedBrowser()
    ).newContext({ viewport: SIZE, deviceScaleFactor: FINENESS, colorScheme: scheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await signIn(page, EVENT)
    await page.waitForURL(`**${EVENT}`)
    expect(await page.textContent('h1')).toContain('Acme Summit 2027')
    const figures = await page.textContent('.figures')
    expect(figures).toContain('52')
    expect(figures).toContain('60')
    expect(await page.textContent('main')).toContain('Unpublished changes')
    expect(await findSeriousProblems(page)).toEqual([])
    const shot = await packed(page)
    expect(readWebpSize(shot)).toEqual({ width: SIZE.width * FINENESS, height: SIZE.height * FINENESS })
    if (process.env['UPDATE_PICTURES']) writeFileSync(file, shot)
    expect(readWebpSize(readFileSync(file))).toEqual(readWebpSize(shot))
    await context.close()
  })
})

describe.each(WALKED_LOOKS)('home page at $width px, $scheme, scripts $scripts', (look) => {
  it('shows the screenshot in the selected color scheme on the home page without overflow', async () => {
    const context = await openContext(look)
    const page = await context.newPage()
    const loaded: string[] = []
    page.on('response', (response) => void loaded.push(response.url()))
    await page.goto(served.baseUrl)
    await page.evaluate(`document.querySelector('.home-picture img').decode()`)
    expect(loaded.filter((url) => /home-\w+\.[0-9a-f]+\.webp/.test(url)).map((url) => /home-(\w+)/.exec(url)![1])).toEqual([look.scheme])
    expect((await page.locator('.home-picture img').boundingBox())!.height).toBeGreaterThan(200)
    // every-page.test.ts covers accessibility.
    expect(await findLayoutProblems(page)).toEqual([])
    await context.close()
  })
})
