import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { faultsInAll, openAs, WALKS } from '../support/browser.ts'
import { newestCodeOf } from '../support/codes.ts'
import { delegates, delegationStory, WITH_ACME } from '../support/delegations.ts'
import { homeOf } from '../support/own-pages.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { somebody } from '../support/selling.ts'

const story = delegationStory(WITH_ACME, { baseUrl: await freeBaseUrl() })
let served: Served

beforeAll(async () => {
  served = await serve(story.world)
})

describe.each(WALKS)('group pages with scripts $scripts', ({ walk: kept, looks }) => {
  const seen = async (page: Page, name: string, more = {}) => expect(await faultsInAll(page, looks, `group-${name}`, more)).toEqual([])

  it('leads an administrator from the sign-in code to a member who joins', async () => {
    const email = `ada.${kept}@acme.example`
    const { code } = await story.group({ name: `Delegation of Acme ${kept}`, maxMembers: 12, admins: [{ email, name: 'Ada' }] })
    await story.update(code, { add: [...delegates(3), { data: somebody({ '@participant.firstName': 'Maximiliane-Theodora' }) }] })
    const [leader] = (await story.look(code)).members
    await story.call('update_managed_group_leaders', { groupCode: code, add: [leader.participantId] })
    const context = await openAs(looks[0])
    const page = await context.newPage()
    const at = (path = '') => `${served.baseUrl}${homeOf(story.event)}/group/${code}${path}`
    await page.goto(at())
    await seen(page, '1-sign-in', { amongEveryPage: true })
    await page.fill('#email', email)
    await page.click('main button.primary')
    await page.fill('#code', await newestCodeOf(story.world, email))
    await page.click('main button.primary')
    await page.waitForLoadState()
    await page.goto(at('/invite'))
    await page.fill('#emails', `guest.${kept}@acme.example\nfriend.with.a.very.long.address.${kept}@acme.example`)
    await page.check('#role-leader')
    await seen(page, '2-invite')
    await page.click('main button.primary')
    await page.waitForLoadState()
    expect(await page.textContent('.notice')).toContain('2 invitations')
    await seen(page, '3-group')
    await page.click('a[href$="/add"]')
    await page.click('main button.primary')
    await page.waitForLoadState()
    await seen(page, '4-add-errors')
    await page.goto(at(`/members/${leader.participantId}`))
    await seen(page, '5-member', { amongEveryPage: true })
    const [token] = await story.tokensMailedTo(`guest.${kept}@acme.example`)
    const guest = await (await openAs(looks[0])).newPage()
    await guest.goto(at(`/join/${token}`))
    await seen(guest, '6-join')
    await guest.click('button[value="accept"]')
    await guest.waitForLoadState()
    expect(new URL(guest.url()).pathname).toMatch(/\/register\/attendee\/contact$/)
    await page.goto(
      `${served.baseUrl}/b/${(await story.world.database.pool.query<any>('select badge_id from participants where badge_id is not null limit 1')).rows[0].badge_id}`,
    )
    await seen(page, '7-badge', { amongEveryPage: true })
  })
})
