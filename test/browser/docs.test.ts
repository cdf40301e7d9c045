import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, WALKED_LOOKS, openContext, openSignedIn, findLayoutProblems, WALKS } from '../support/browser.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { renderDocPages } from '../../src/surfaces/web/docs/library.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.client()
  served = await serve(world)
})
afterAll(() => world.end())

const SERVED = { toolsets: ALL_TOOLSETS, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS }

/** Pages that every-page.test.ts does not cover. axe checks each layout once; the other pages use the same components with other text. */
const PAGES = [
  { shot: 'docs-tool-clients', path: '/docs/tools/clients', looked: false },
  { shot: 'docs-tool', path: '/docs/tools/registration/add_participant', looked: true },
  { shot: 'docs-tool-wide', path: '/docs/tools/events/configure_directory_requests', looked: false },
  { shot: 'docs-event-document', path: '/docs/event-document', looked: false },
  { shot: 'docs-operating', path: '/docs/operating', looked: false },
  { shot: 'docs-search-slip', path: '/docs?q=wiatlist', looked: false },
  { shot: 'docs-search-nothing', path: '/docs?q=xyzzyplugh', looked: false },
  { shot: 'docs-feedback', path: '/docs/feedback?page=/docs/errors', looked: true },
]

describe.each(WALKS)('documentation with scripts $scripts', ({ label: walk, scripts, looks }) => {
  const isPhone = looks[0].width === 390

  it('shows accessible documentation pages without requests to other hosts', async () => {
    const context = await openContext(looks[0])
    const page = await context.newPage()
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(served.baseUrl) && !request.url().startsWith('data:')) elsewhere.push(request.url())
    })
    for (const { shot, path, looked } of PAGES) {
      await page.goto(`${served.baseUrl}${path}`)
      // Pages that axe does not check consist of components that it has checked.
      expect(looked ? await findProblemsInLooks(page, looks, shot) : await findLayoutProblems(page)).toEqual([])
    }
    expect(elsewhere).toEqual([])
    await context.close()
  })

  it('lets a reader search the documentation, follow a result, go to another page and send feedback', async () => {
    const context = await openContext(looks[0])
    const page = await context.newPage()
    await page.goto(`${served.baseUrl}/docs`)
    // On a phone the header has one row, like the console's.
    if (isPhone) expect((await page.locator('.docs-top').boundingBox())?.height).toBe(57)
    await page.fill('#q', 'precondition_failed')
    await page.press('#q', 'Enter')
    await page.click('.docs-hits a >> nth=0')
    expect(page.url()).toBe(`${served.baseUrl}/docs/errors#precondition_failed`)
    if (isPhone) await page.click('text=All pages')
    await page.click('nav[aria-label=Documentation] >> text=Connect an assistant')
    expect(page.url()).toBe(`${served.baseUrl}/docs/connect`)
    if (scripts) expect(await page.locator('button[data-copy]').first().isVisible()).toBe(true)
    await page.click('text=Report a problem with this page')
    await page.selectOption('#kind', 'idea')
    await page.fill('#text', `More about ${walk}`)
    await page.click('main button[type=submit]')
    expect(await page.textContent('[role=status]')).toContain('Thank you')
    const { rows } = await world.database.pool.query('select source, page from feedback where body = $1', [`More about ${walk}`])
    expect(rows).toEqual([{ source: 'docs', page: '/docs/connect' }])
    await context.close()
  })
})

it('scrolls the table of contents of a long documentation page by keyboard', async () => {
  const context = await openContext(WALKED_LOOKS[0])
  const page = await context.newPage()
  await page.setViewportSize({ width: 1280, height: 400 })
  await page.goto(`${served.baseUrl}/docs/event-document`)
  const contents = page.locator('.docs-toc nav')
  await contents.focus()
  // The ring shows after a key, not after a click.
  await page.keyboard.press('Shift')
  expect(
    await page.evaluate(`(() => {
      const list = document.querySelector('.docs-toc nav')
      return [list.scrollHeight > list.clientHeight, document.activeElement === list, getComputedStyle(list).outlineStyle]
    })()`),
  ).toEqual([true, true, 'solid'])
  await page.keyboard.press('End')
  await expect.poll(() => contents.evaluate((list) => list.scrollTop)).toBeGreaterThan(0)
  await context.close()
})

/**
 * Runs in a documentation page: shows the other pages in the same layout and stylesheets, which takes a tenth of the time of opening
 * each. Code examples may scroll sideways; tables must not.
 */
const FIND_WIDE_PAGES = `async (paths) => {
  const sheets = (of) => [...of.querySelectorAll('link[rel=stylesheet]')].map((link) => link.getAttribute('href')).join()
  const wide = []
  for (const path of paths) {
    const shown = new DOMParser().parseFromString(await (await fetch(path)).text(), 'text/html')
    if (sheets(shown) !== sheets(document)) wide.push([path, 'has other sheets'])
    if (!shown.querySelector('main h1')) wide.push([path, 'is no page'])
    document.body.replaceWith(shown.body)
    const { scrollWidth, clientWidth } = document.documentElement
    const tables = [...document.querySelectorAll('.table-wrap')].filter((one) => one.scrollWidth > one.clientWidth).length
    if (scrollWidth > clientWidth || tables > 0) wide.push([path, scrollWidth, tables])
  }
  return wide
}`

describe('every documentation page', () => {
  it('fits every documentation page on a phone, including tables and examples', async () => {
    const context = await openContext(WALKED_LOOKS.find(({ width }) => width === 390)!)
    const page = await context.newPage()
    const paths = runTaskSynchronously(renderDocPages(served.baseUrl, SERVED)).map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(100)
    await page.goto(`${served.baseUrl}/docs`)
    const wide = await page.evaluate<unknown[]>(`(${FIND_WIDE_PAGES})(${JSON.stringify(paths)})`)
    expect(wide).toEqual([])
    await context.close()
  })

  it('shows an example call and its response side by side on a desktop and stacked on a phone', async () => {
    for (const look of [WALKED_LOOKS.find(({ width }) => width === 390)!, WALKED_LOOKS.find(({ width }) => width > 1000)!]) {
      const context = await openContext(look)
      const page = await context.newPage()
      await page.goto(`${served.baseUrl}/docs/tools/registration/add_participant`)
      const [call, answer] = await Promise.all([0, 1].map((at) => page.locator('.exchange > div').nth(at).boundingBox()))
      expect([look.width, answer!.y === call!.y, answer!.x > call!.x]).toEqual([look.width, look.width > 1000, look.width > 1000])
      await context.close()
    }
  })
})

describe('feedback form of the console', () => {
  it('saves the feedback form of the console on a phone', async () => {
    const olga = await world.organizer()
    const page = await openSignedIn(served, olga, WALKED_LOOKS[1])
    await page.goto(`${served.baseUrl}/console/feedback`)
    await page.click('main button[type=submit]')
    expect(await page.textContent('[role=alert]')).toContain('Your feedback: must not be empty')
    expect(await findProblemsInLooks(page, [WALKED_LOOKS[1]], 'console-feedback')).toEqual([])
    await page.fill('#text', 'Badges print well')
    await page.selectOption('#kind', 'praise')
    await page.click('main button[type=submit]')
    expect(await page.textContent('main')).toContain('Thank you. We have received your feedback.')
    const { rows } = await world.database.pool.query(`select kind, tenant_code, contact_email from feedback where source = 'console'`)
    expect(rows).toEqual([{ kind: 'praise', tenant_code: 'demo', contact_email: olga.email }])
    await page.context().close()
  })
})
