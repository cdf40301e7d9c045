import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { memberEntries, useGroupScenario, ACME_PRICING } from '../support/group-scenario.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newAttendee } from '../support/sales-scenario.ts'

const scenario = useGroupScenario(ACME_PRICING, { baseUrl: await chooseFreeBaseUrl() })
let served: Served

beforeAll(async () => {
  served = await serve(scenario.world)
})

describe.each(WALKS)('group pages with scripts $scripts', ({ label: kept, looks }) => {
  const seen = async (page: Page, name: string, more = {}) =>
    expect(await findProblemsInLooks(page, looks, `group-${name}`, more)).toEqual([])

  it('leads a group administrator from the sign-in code to a member who joins the group', async () => {
    const email = `ada.${kept}@acme.example`
    const { code } = await scenario.group({ name: `Delegation of Acme ${kept}`, maxMembers: 12, admins: [{ email, name: 'Ada' }] })
    await scenario.update(code, { add: [...memberEntries(3), { data: newAttendee({ '@participant.firstName': 'Maximiliane-Theodora' }) }] })
    const [leader] = (await scenario.getGroup(code)).members
    await scenario.call('update_managed_group_leaders', { groupCode: code, add: [leader.participantId] })
    const context = await openContext(looks[0])
    const page = await context.newPage()
    const at = (path = '') => `${served.baseUrl}${eventHomePath(scenario.event)}/group/${code}${path}`
    await page.goto(at())
    await seen(page, '1-sign-in', { amongEveryPage: true })
    await page.fill('#email', email)
    await page.click('main button.primary')
    await page.fill('#code', await readLatestCode(scenario.world, email))
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
    const [token] = await scenario.listInvitationTokens(`guest.${kept}@acme.example`)
    const guest = await (await openContext(looks[0])).newPage()
    await guest.goto(at(`/join/${token}`))
    await seen(guest, '6-join')
    await guest.click('button[value="accept"]')
    await guest.waitForLoadState()
    expect(new URL(guest.url()).pathname).toMatch(/\/register\/attendee\/contact$/)
    await page.goto(
      `${served.baseUrl}/b/${(await scenario.world.database.pool.query<any>('select badge_id from participants where badge_id is not null limit 1')).rows[0].badge_id}`,
    )
    await seen(page, '7-badge', { amongEveryPage: true })
  })
})
