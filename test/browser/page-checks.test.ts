import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ALL_LOOKS, findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { findFocusProblems, findDisclosureProblems } from '../support/focus.ts'

/**
 * Verifies the page checks themselves: each problem is reported once, in the looks (size and color scheme) where it occurs and no others.
 */

const looks = ALL_LOOKS
const plain = WALKS.find(({ scripts }) => !scripts)!

const STYLE = `<style>
  :root { color-scheme: light dark }
  body { color: light-dark(#000, #fff); background: light-dark(#fff, #000) }
  a { color: light-dark(#00c, #bbf) }
  @media (prefers-reduced-motion: no-preference) { a { transition: color 2s } }
  :is(a, summary):focus { outline: 2px solid; outline-offset: 6px }
</style>`

async function shown(body: string, look = looks[0]): Promise<Page> {
  const page = await (await openContext(look)).newPage()
  await page.setContent(`<!doctype html><html lang="en"><title>Control</title>${STYLE}<main><h1>One</h1>${body}</main>`)
  return page
}

describe('page checks on a page without problems', () => {
  it('reports nothing for a page without problems at any size and in any color scheme', async () => {
    const page = await shown('<p><a href="#a">Somewhere</a></p><details><summary>More</summary><p>Much</p></details>')
    expect(await findProblemsInLooks(page, looks, 'page', { cut: true })).toEqual([])
    expect([...(await findFocusProblems(page)), ...(await findDisclosureProblems(page))]).toEqual([])
  })
})

describe('page checks on a page with a problem', () => {
  it.each([
    [
      'in every look',
      '<img src="data:,"><h1>Two</h1>',
      ['1280-light-scripts: has not one', '1280-light-scripts: image-alt', '390-dark-scripts: has not'],
    ],
    ['on a phone', '<p style="width: 500px">Wide</p>', ['390-light-scripts: is wider', '390-dark-scripts: is wider']],
    ['in the light scheme', '<p style="color: light-dark(#ddd, #fff)">Faint</p>', ['1280-light-scripts: color-contrast']],
    ['in the dark scheme', '<p style="color: light-dark(#000, #222)">Faint</p>', ['390-dark-scripts: color-contrast']],
    [
      'among many elements with the same appearance',
      `${'<p>Fine</p>'.repeat(20)}<div style="background: light-dark(#333, #ccc)"><p>Hard to tell</p></div><p style="opacity: 0.2">Faint</p>`,
      ['1280-light-scripts', '390-dark-scripts'].map((look) => `${look}: color-contrast: <p>Hard to tell</p> | <p style="opacity: 0.2">`),
    ],
  ])('reports each kind of page problem only where it occurs: %s', async (_, body, expected) => {
    const problems = await findProblemsInLooks(await shown(body), looks, 'page')
    for (const problem of expected) expect(problems).toContainEqual(expect.stringContaining(`page, ${problem}`))
    const elsewhere = problems.filter(
      (problem) => !/has not one heading|is wider/.test(problem) && !expected.some((one) => problem.includes(one)),
    )
    expect(elsewhere).toEqual([])
  })

  it('reports a problem of a page that is opened without scripts', async () => {
    const page = await shown('<p style="width: 500px">Wide</p>', plain.looks[0])
    expect(await findProblemsInLooks(page, plain.looks, 'page')).toEqual(['page, 390-light-plain: is wider than the window'])
  })

  it.each([
    ['a ring that overlaps text', '<p><a href="#a">Near</a> words</p>', ['on "words"']],
    ['a ring that is clipped', '<p style="overflow: hidden"><a href="#a">Cut</a></p>', ['the ring is cut by P']],
    [
      'a trap',
      '<p><a href="#a" onkeydown="event.preventDefault()">Trap</a></p><p><a href="#b">Behind</a></p>',
      ['>Behind</a>: not reachable by keyboard'],
    ],
    [
      'a control out of order',
      `<p><a href="#a" id="early" tabindex="-1">Early</a></p><p><a href="#b">First</a></p>
        <p><a href="#c" onfocus="this.onfocus = null; early.focus()">Back</a></p>`,
      ['>Early</a>: focused out of order'],
    ],
    // More focusable elements than keys are sent per batch, with the problem at the last element.
    ['the last of many controls', `${'<p><a href="#a">Fine</a></p>'.repeat(45)}<p><a href="#a">Near</a> words</p>`, ['on "words"']],
  ])('reports a problem of the keyboard check: %s', async (_, body, expected) => {
    const problems = await findFocusProblems(await shown(body))
    expect(problems).toEqual(expected.map((problem) => expect.stringContaining(problem)))
  })

  it('reports a details element that does not react to Space and Enter', async () => {
    const folds = `<details><summary>Fine</summary>Much</details>
      <details onclick="event.preventDefault()"><summary>Stuck</summary>Much</details>
      <details><summary>Fine too</summary>Much</details>`
    expect(await findDisclosureProblems(await shown(folds))).toEqual(['Space does nothing at Stuck'])
  })
})
